from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from berth import Workspace
from berth.values import SkippedPath, StatusEntry


def git(directory: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=t", "-c", "user.email=t@t", *words], cwd=directory, check=True, capture_output=True,
        text=True)
    return done.stdout.strip()


@pytest.fixture
def repository(directory: Path) -> Path:
    git(directory, "init", "-q")
    (directory / "tracked").write_text("one\n")
    (directory / ".gitignore").write_text("*.log\n")
    git(directory, "add", ".")
    git(directory, "commit", "-qm", "first")
    return directory


def test_changes_since_the_baseline_are_told(repository: Path, workspace: Workspace) -> None:
    opened = workspace.repository(require_clean=True)
    assert (opened.baseline.kind, opened.baseline.commit) == ("commit", git(repository, "rev-parse", "HEAD"))
    assert opened.baseline_paths() == (".gitignore", "tracked")
    before = opened.snapshot()
    workspace.write("tracked", "two\n")
    workspace.write("new", "n\n")
    workspace.write("x.log", "l\n")
    assert opened.status_paths() == (StatusEntry("new", "added", True), StatusEntry("tracked", "modified", False))
    assert opened.changed_since(before) == ("new", "tracked")
    diff = opened.diff()
    assert b"+two" in diff.text and b"b/new" in diff.text and not diff.truncated
    assert [(file.path, file.change, file.added_lines) for file in diff.files] == [
        ("new", "added", 1), ("tracked", "modified", 1)]
    assert opened.is_ignored("x.log") and not opened.is_ignored("new")
    staged = opened.stage(["new", "x.log", "nothing"])
    assert staged.staged == ("new",)
    assert staged.skipped == (SkippedPath("x.log", "ignored"), SkippedPath("nothing", "missing"))
    assert git(repository, "diff", "--cached", "--name-only") == "new"
    with pytest.raises(RuntimeError, match="commit or stash"):
        workspace.repository(require_clean=True)


def test_no_repository_is_a_baseline_too(workspace: Workspace) -> None:
    assert workspace.repository().baseline.kind == "no_repository"
