#!/usr/bin/env bash
# Install the Debian packages that Berth is built with: `install_dependencies.sh build` or `… check`.
# What is already there is left alone. Without the right to install, it lists what is missing and fails.
set -euo pipefail

# What the program, the example and the tests need.
build=(g++ cmake ninja-build make mold ccache pkg-config git python3 patch
  libre2-dev nlohmann-json3-dev libtomlplusplus-dev libssl-dev libsqlite3-dev libboost1.81-dev
  libfmt-dev libcli11-dev
  libgtest-dev libgmock-dev librapidcheck-dev)
# What the whole of the tests, fuzzing, linting and benchmarks need besides.
check=(clang-16 clang-tidy-16 clang-format-16 libclang-rt-16-dev libbenchmark-dev ripgrep
  poppler-utils python3-venv)
# Debian's npm brings hundreds of packages; another one does as well.
command -v npm >/dev/null || check+=(nodejs npm)

case "${1:-}" in
  build) wanted=("${build[@]}") ;;
  check) wanted=("${build[@]}" "${check[@]}") ;;
  *) echo "usage: $0 build|check" >&2; exit 2 ;;
esac

if [ -n "${BERTH_SKIP_DEPENDENCIES:-}" ]; then
  exit 0
fi

missing=()
for package in "${wanted[@]}"; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as_root=(sudo -n)
  else
    as_root=(none)
  fi
fi
if [ "${as_root[*]-}" = none ] || ! command -v apt-get >/dev/null; then
  {
    echo "Berth needs these packages (names as in Debian 12), and they cannot be installed from here:"
    printf '  %s\n' "${missing[@]}"
    if command -v apt-get >/dev/null; then
      echo "Install them with:  sudo apt-get install ${missing[*]}"
    fi
    echo "If they are there under other names, set BERTH_SKIP_DEPENDENCIES=1."
  } >&2
  exit 1
fi

echo "installing: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" </dev/null
