#!/usr/bin/env python3
"""Install the package and what its tests need into virtual environments. Does nothing when nothing changed.

usage: install_for_tests.py FOLDER

FOLDER/newest has the newest versions that are supported, FOLDER/oldest the oldest of pydantic-ai, FOLDER/harness the
harness with the pydantic-ai that it pins. The package is built once, in FOLDER/cmake with the flags of the release preset,
so that a compiler cache has the objects already when that preset was built.
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


def pip(folder, *words):
    subprocess.run([folder / "bin" / "python", "-m", "pip", "--quiet", "--disable-pip-version-check", *words],
                   check=True, stdin=subprocess.DEVNULL)


def is_as_wanted(stamp, wanted):
    return stamp.exists() and stamp.read_text() == wanted


def make_environment(folder, requirements):
    wanted = digest([requirements])
    if is_as_wanted(folder / ".required", wanted):
        return
    print(f"installing what the Python package is tested with ({folder.name})", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, with_pip=True)
    pip(folder, "install", "--requirement", requirements)
    (folder / ".required").write_text(wanted)


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    environments = {name: folder / name for name in ("newest", "oldest", "harness")}
    for name, environment in environments.items():
        make_environment(environment, PYTHON / "tests" / f"requirements-{name}.txt")

    wanted, wheels = digest(sources()), folder / "wheels"
    if not is_as_wanted(folder / ".wheel", wanted):
        shutil.rmtree(wheels, ignore_errors=True)
        pip(environments["newest"], "wheel", "--no-build-isolation", "--no-deps", f"--wheel-dir={wheels}",
            f"--config-settings=build-dir={folder}/cmake", "--config-settings=cmake.define.CMAKE_CXX_COMPILER=g++", PYTHON)
        (folder / ".wheel").write_text(wanted)
    for environment in environments.values():
        if not is_as_wanted(environment / ".installed", wanted):
            pip(environment, "install", "--no-deps", "--force-reinstall", *wheels.glob("*.whl"))
            (environment / ".installed").write_text(wanted)


main()
