# The commands of the README, thin over the CMake presets. `make` alone explains them.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PRESETS ?= release
FUZZ_SECONDS ?= 5
SOAK_SECONDS ?= 60
TESTS ?=

.PHONY: help run build test lint format bench soak docs-providers clean

help:
	@echo 'Berth: workspaces for AI agents.'
	@echo
	@echo '  make run      build, then watch an agent'"'"'s working day in a copy of this tree (start here)'
	@echo '  make build    build the program: build/release/berth'
	@echo '  make test     build and run every test, then a short run of each fuzz target'
	@echo '                  PRESETS="asan tsan"  other presets (dev release asan tsan)'
	@echo '                  TESTS=base_test    only programs whose name contains this'
	@echo '  make lint     formatting, clang-tidy, and the direction of includes'
	@echo '  make format   rewrite the sources the way lint wants them'
	@echo '  make bench    run the benchmarks'
	@echo '  make soak     64 threads of reads, writes and commands for SOAK_SECONDS=60'
	@echo '  make docs-providers'
	@echo '                run the conformance suite and write its outcome to docs/providers.md'
	@echo '  make clean    remove build/'
	@echo
	@echo 'What is missing on a Debian 12 machine is installed first (as root, or through sudo); elsewhere you get the list.'
	@echo 'For a quick round while working: cmake --preset dev && cmake --build --preset dev --target NAME_test'

# One stamp for each group of packages, so that the check costs nothing the second time.
build/.packages-%: tools/install_dependencies.sh
	@tools/install_dependencies.sh $*
	@mkdir -p build && touch $@

# Ninja configures again by itself when a CMakeLists.txt changes; presets it does not watch.
build/%/build.ninja: CMakePresets.json | build/.packages-build
	@cmake --preset $* -Wno-dev
	@touch $@

run: build/release/build.ninja
	@cmake --build --preset release --target berth working_day
	@build/release/examples/working_day

build: build/release/build.ninja
	@cmake --build --preset release --target berth
	@echo 'built build/release/berth'

test: build/.packages-check
	@python3 tools/run_tests.py --only '$(TESTS)' --fuzz-seconds $(FUZZ_SECONDS) $(PRESETS)

lint: build/.packages-check build/release/build.ninja
	@python3 tools/check_includes.py
	@python3 tools/lint.py

format: build/.packages-check
	@git ls-files '*.h' '*.cc' | xargs clang-format-16 -i

bench: build/.packages-check build/bench/build.ninja
	@cmake --build --preset bench
	@for program in build/bench/bench/*; do [ -x "$$program" ] && echo "== $${program##*/}" && "$$program" || exit 1; done

soak: build/release/build.ninja
	@cmake --build --preset release --target soak_test
	@BERTH_SOAK_SECONDS=$(SOAK_SECONDS) build/release/test/soak_test

docs-providers: build/.packages-check build/dev/build.ninja
	@cmake --build --preset dev --target conformance_local_test conformance_policies_test conformance_state_test conformance_guest_test
	@python3 conformance/matrix.py build/dev

clean:
	@rm -rf build
