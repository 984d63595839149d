#!/usr/bin/env python3
"""Check formatting (clang-format-16) and run clang-tidy-16 over the sources of a configured release build.

usage: lint.py [FILE...]   (default: every source git knows)
"""
import concurrent.futures
import json
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent
BUILD = SOURCE / "build" / "release"


def run(*command):
    return subprocess.run(command, cwd=SOURCE, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, errors="replace")


def main():
    known = run("git", "ls-files", "*.h", "*.cc").stdout.split()
    chosen = [str(pathlib.Path(name).resolve().relative_to(SOURCE)) for name in sys.argv[1:]] or known
    failed = False

    formatted = run("clang-format-16", "--dry-run", "--Werror", *chosen)
    if formatted.returncode != 0:
        print(*sorted({line.split(":")[0] for line in formatted.stdout.splitlines() if "clang-format-violations" in line}),
              sep="\n")
        print("formatting: the files above differ; `make format` rewrites them")
        failed = True
    else:
        print(f"formatting: {len(chosen)} files are as they should be")

    # Files made while building are included by some sources.
    built = run("cmake", "--build", "--preset", "release", "--target", "berth")
    if built.returncode != 0:
        print(built.stdout)
        return 1
    compiled = {entry["file"] for entry in json.loads((BUILD / "compile_commands.json").read_text())}
    # Tests name their cases by sentences and rules, which no naming check understands.
    units = [name for name in chosen if str(SOURCE / name) in compiled and not name.endswith("_test.cc")]

    def tidy(name):
        # g++ has warning options that clang does not know.
        return run("clang-tidy-16", "-p", str(BUILD), "--quiet", "--extra-arg=-Wno-unknown-warning-option", name)

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, done in zip(units, pool.map(tidy, units)):
            if done.returncode != 0:
                lines = [line for line in done.stdout.splitlines() if "warnings generated" not in line]
                print(*lines, sep="\n", flush=True)
                print(f"tidy: {name} has the faults above", flush=True)
                failed = True
    print(f"tidy: {len(units)} sources checked")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
