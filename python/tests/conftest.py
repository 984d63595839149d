from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from berth import Workspace


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    made = tmp_path / "workspace"
    made.mkdir()
    return made


@pytest.fixture
def workspace(directory: Path) -> Iterator[Workspace]:
    with Workspace.open(directory) as opened:
        yield opened
