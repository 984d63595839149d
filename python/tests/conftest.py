from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from berth import Workspace

# The harness pins its own pydantic-ai, so these run where it is installed.
collect_ignore = [] if find_spec("pydantic_ai_harness") else ["harness"]


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    made = tmp_path / "workspace"
    made.mkdir()
    return made


@pytest.fixture
def workspace(directory: Path) -> Iterator[Workspace]:
    with Workspace.open(directory) as opened:
        yield opened
