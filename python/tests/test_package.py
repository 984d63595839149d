from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import berth

PYTHON = Path(__file__).resolve().parent.parent
INSTALLED = Path(berth.__file__).parent


def checked(*command: str | Path) -> str:
    done = subprocess.run(command, cwd=PYTHON, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_awaited_classes_are_made_from_the_others() -> None:
    checked(sys.executable, PYTHON / "tools" / "make_async.py", "--check")


def test_mypy_finds_nothing_in_strict_mode() -> None:
    cache = Path(os.environ.get("BERTH_TEST_CACHE", "/nonexistent")) / "mypy"
    checked(sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", "--cache-dir", cache, "-p", "berth")


def test_pyright_finds_nothing_in_strict_mode() -> None:
    checked(sys.executable, "-m", "pyright", "--pythonpath", sys.executable)


def test_the_package_is_typed_and_carries_the_program() -> None:
    assert (INSTALLED / "py.typed").exists() and (INSTALLED / "_native.pyi").exists()
    program = Path(sysconfig.get_path("scripts")) / "berth"
    assert checked(program, "--version").strip() == f"berth {berth.__version__}"


def test_the_stub_of_the_native_module_names_what_is_there() -> None:
    stub = (INSTALLED / "_native.pyi").read_text()
    for kind in re.findall(r"^class (\w+)", stub, re.M):
        body = re.split(rf"^class {kind}\b", stub, flags=re.M)[1].split("\nclass ")[0]
        declared = {name for name in re.findall(r"^    def (\w+)", body, re.M) if not name.startswith("__")}
        present = {name for name in vars(getattr(berth._native, kind)) if not name.startswith("__")}
        assert declared == present, kind
    functions = set(re.findall(r"^def (\w+)", stub, re.M))
    native = {name for name in vars(berth._native)
              if not name.startswith("__") and not isinstance(getattr(berth._native, name), (type, str))}
    assert functions == native
