"""The examples of docs/guides/python.md, each run by itself in an empty directory."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "python.md"
EXAMPLES = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", GUIDE.read_text(), re.S)


@pytest.mark.parametrize(("program", "expected"), EXAMPLES, ids=[str(number) for number in range(len(EXAMPLES))])
def test_an_example_prints_what_the_guide_says(program: str, expected: str, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr, done.returncode) == (expected, "", 0)


def test_every_example_of_the_guide_has_its_output() -> None:
    assert len(EXAMPLES) == GUIDE.read_text().count("```python")
