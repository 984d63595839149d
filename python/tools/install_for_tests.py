#!/usr/bin/env python3
"""Install the package and what its tests need into a virtual environment. Does nothing when nothing changed.

usage: install_for_tests.py FOLDER

The native module is built in FOLDER/cmake with the flags of the release preset, so that a compiler cache has its objects
already when that preset was built.
"""
import hashlib
import pathlib
import shutil
import subprocess
import sys
import venv

PYTHON = pathlib.Path(__file__).resolve().parent.parent
SOURCE = PYTHON.parent


def digest(files):
    sums = hashlib.sha256(sys.version.encode())
    for file in files:
        sums.update(f"{file}\0".encode() + file.read_bytes())
    return sums.hexdigest()


def sources():
    """Everything that the installed package is made from."""
    for folder in (SOURCE / "src", SOURCE / "cmake", PYTHON / "src", PYTHON / "native"):
        yield from sorted(file for file in folder.rglob("*") if file.is_file() and file.suffix != ".pyc"
                          and not file.name.endswith("_test.cc"))
    yield from (SOURCE / "CMakeLists.txt", PYTHON / "CMakeLists.txt", PYTHON / "pyproject.toml", PYTHON / "README.md")


def once(stamp, wanted, *commands):
    if stamp.exists() and stamp.read_text() == wanted:
        return
    stamp.unlink(missing_ok=True)
    for command in commands:
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    stamp.write_text(wanted)


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    requirements, python = PYTHON / "tests" / "requirements.txt", folder / "bin" / "python"
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    wanted = digest([requirements])
    if not python.exists() or not (folder / ".required").exists() or (folder / ".required").read_text() != wanted:
        print("installing what the Python package is tested with", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        venv.create(folder, with_pip=True)
    once(folder / ".required", wanted, [*pip, "--requirement", requirements])
    once(folder / ".installed", digest(sources()), [
        *pip, "--no-build-isolation", "--no-deps", "--force-reinstall", f"--config-settings=build-dir={folder}/cmake",
        "--config-settings=cmake.define.CMAKE_CXX_COMPILER=g++", PYTHON,
    ])


main()
