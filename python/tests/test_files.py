from __future__ import annotations

import os
from pathlib import Path

import pytest

from berth import Edit, Limits, SensitivePolicy, Workspace, details
from berth.values import (
    MakeDirectoryOperation,
    MoveOperation,
    RemoveOperation,
    RemoveOutcome,
    Unreadable,
    WorkspaceRef,
    WriteOperation,
)


def test_a_page_says_what_it_is_part_of(workspace: Workspace) -> None:
    written = workspace.write("a/b.txt", "0123456789")
    page = workspace.read("a/b.txt", offset=2, max_bytes=3)
    assert (page.content, page.offset, page.total_bytes, page.truncated, page.next_offset, page.revision) == (
        b"234", 2, 10, True, 5, None)
    whole = workspace.read("a/b.txt")
    assert whole.content == b"0123456789"
    assert whole.revision == written.revision
    assert whole.git_mode == "100644"
    assert written.created and written.bytes == 10
    assert workspace.read("a/b.txt", want_revision=False).revision is None


def test_lines_are_read_by_number(workspace: Workspace) -> None:
    workspace.write("f", b"one\ntwo\nthree\n")
    page = workspace.read_lines("f", first=2, count=1, count_lines=True)
    assert (page.content, page.first_line, page.line_count, page.total_lines, page.next_line) == (b"two\n", 2, 1, 3, 3)


def test_paths_are_str_bytes_or_pathlike_and_any_bytes_work(workspace: Workspace, directory: Path) -> None:
    workspace.write(b"caf\xe9", b"latin")
    assert workspace.list().paths == ("caf\udce9",)
    assert workspace.read_bytes("caf\udce9") == b"latin"
    assert os.listdir(os.fsencode(directory)) == [b"caf\xe9"]
    assert workspace.read_text(Path("caf\udce9")) == "latin"
    assert workspace.read_bytes(directory / "caf\udce9") == b"latin"


def test_content_is_bytes_a_buffer_or_text(workspace: Workspace) -> None:
    for content in (b"\xc3\xa9", bytearray(b"\xc3\xa9"), memoryview(b"\xc3\xa9"), "é"):
        workspace.write("f", content)
        assert workspace.read_bytes("f") == b"\xc3\xa9"
    with pytest.raises(TypeError):
        workspace.write("f", 3)  # type: ignore[arg-type]


def test_stat_describes_files_links_and_directories(workspace: Workspace, directory: Path) -> None:
    workspace.write("d/f", "x", git_mode="100755")
    (directory / "link").symlink_to("d")
    assert workspace.stat("d").kind == "directory"
    assert workspace.stat("d/f").git_mode == "100755"
    link = workspace.stat("link", follow=False)
    assert (link.kind, link.link_target, link.target_is_directory, link.is_directory) == ("symlink", "d", True, True)
    assert abs(workspace.stat("d/f").modified_ns - (directory / "d/f").stat().st_mtime_ns) == 0
    assert [(entry.name, entry.stat.kind) for entry in workspace.list_directory()] == [
        ("d", "directory"), ("link", "symlink")]
    assert workspace.exists("d/f") and not workspace.exists("nothing")


def test_changes_are_conditional(workspace: Workspace) -> None:
    first = workspace.create("f", "one")
    with pytest.raises(FileExistsError):
        workspace.create("f", "two")
    second = workspace.replace("f", "two", expected_revision=first.revision)
    assert second.previous_revision == first.revision
    with pytest.raises(RuntimeError) as raised:
        workspace.replace("f", "three", expected_revision=first.revision)
    told = details(raised.value)
    assert told is not None and told.code == "revision_mismatch"
    assert told.fields["actual_revision"] == second.revision
    assert workspace.move_if("f", "g", expected_revision=second.revision).fidelity == "atomic_rename"
    assert workspace.move("g", "h").revision == second.revision
    assert workspace.delete_if("h", expected_revision=second.revision) == RemoveOutcome(1)
    assert workspace.delete_file("h") == RemoveOutcome(0)


def test_trees_are_made_removed_and_pruned(workspace: Workspace) -> None:
    assert workspace.make_directory("a/b").created
    assert not workspace.make_directory("a/b").created
    assert workspace.prune_empty_directories("a").removed == 2
    workspace.write("t/f", "x")
    assert workspace.remove("t").removed == 2
    with pytest.raises(ValueError):
        workspace.remove(".")
    with pytest.raises(FileNotFoundError):
        workspace.remove("t")


def test_edits_are_all_or_none(workspace: Workspace) -> None:
    workspace.write("f", "a = 1\nb = 1\n")
    outcome = workspace.edit("f", ("a = 1", "a = 2"))
    assert outcome.counts == (1,) and b"+a = 2" in outcome.diff.text
    outcome = workspace.edit("f", [Edit("= ", "== ", None), ("b", "c")])
    assert outcome.counts == (2, 1)
    assert workspace.read_text("f") == "a == 2\nc == 1\n"
    with pytest.raises(ValueError) as raised:
        workspace.edit("f", [("a", "x"), ("nothing", "y")])
    told = details(raised.value)
    assert told is not None and (told.code, told.fields["edit"]) == ("match_not_found", 1)
    assert workspace.read_text("f") == "a == 2\nc == 1\n"


def test_patches_are_checked_or_applied(workspace: Workspace) -> None:
    workspace.write("f", "one\ntwo\n")
    patch = "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-one\n+eins\n two\n"
    checked = workspace.apply_patch(patch, check=True)
    assert not checked.applied and workspace.read_text("f") == "one\ntwo\n"
    done = workspace.apply_patch(patch, expected_revisions={"f": workspace.read("f").revision or ""})
    assert done.applied and [(file.what, file.path) for file in done.files] == [("modified", "f")]
    assert workspace.read_text("f") == "eins\ntwo\n"
    with pytest.raises(ValueError):
        workspace.apply_patch(patch)


def test_a_transaction_changes_all_files_or_none(workspace: Workspace) -> None:
    workspace.write("old", "x")
    revision = workspace.read("old").revision or ""
    done = workspace.transaction([
        WriteOperation("new", b"n", create=True), MoveOperation("old", "moved", revision), MakeDirectoryOperation("d"),
    ])
    assert done.state == "applied" and [one.state for one in done.operations] == ["applied"] * 3
    refused = workspace.transaction([RemoveOperation("moved"), WriteOperation("new", "again", create=True)])
    assert refused.state == "precondition_failed"
    assert isinstance(refused.operations[1].error, FileExistsError)
    assert workspace.exists("moved")


def test_no_path_leads_outside(workspace: Workspace, directory: Path) -> None:
    (directory / "out").symlink_to("/etc")
    for path in ("../x", "/etc/passwd", "out/passwd"):
        with pytest.raises(PermissionError) as raised:
            workspace.read(path)
        assert raised.value.filename == path
        assert not workspace.contains(path)
    assert workspace.contains("not/there/yet")
    workspace.make_directory("a")
    assert workspace.real_path("a/../not/there") == "not/there"
    assert workspace.resolve(directory / "x" / "y") == "x/y"


def test_files_are_listed_by_pattern(workspace: Workspace) -> None:
    for name in ("src/a.py", "src/x/b.py", "src/c.ts", ".hidden", "d.txt"):
        workspace.write(name, name)
    assert workspace.list("src/**/*.py").paths == ("src/a.py", "src/x/b.py")
    page = workspace.list(limit=2)
    assert page.truncated and page.total == 5
    rest = workspace.list(cursor=page.cursor)
    assert page.paths + rest.paths == (".hidden", "d.txt", "src/a.py", "src/c.ts", "src/x/b.py")
    assert workspace.glob("**/*.{py,ts}", "src").paths == ("src/a.py", "src/c.ts", "src/x/b.py")
    assert workspace.list_files("**/*.txt") == ["d.txt"]


def test_content_is_searched(workspace: Workspace) -> None:
    workspace.write("a", "one\nneedle here\nthree\n")
    workspace.write("b", b"\xffneedle\n")
    found = workspace.search("need.e", context=1)
    assert [(line.path, line.line, line.column, line.text) for line in found.lines] == [
        ("a", 2, 1, b"needle here"), ("b", 1, 2, b"\xffneedle")]
    assert (found.lines[0].before, found.lines[0].after) == ((b"one",), (b"three",))
    assert [file.path for file in workspace.search("needle", mode="files").files] == ["a", "b"]
    assert workspace.search("needle", limit=1).stopped_by == "limit"
    with pytest.raises(ValueError):
        workspace.search("(")


def test_policies_are_given_when_it_is_opened(directory: Path) -> None:
    with Workspace.open(directory, read_only=True) as workspace:
        assert workspace.info.read_only
        with pytest.raises(PermissionError) as raised:
            workspace.write("f", "x")
        assert details(raised.value).code == "read_only"  # type: ignore[union-attr]
    (directory / ".env").write_text("KEY=1")
    (directory / "sub").mkdir()
    (directory / "sub" / "f").write_text("long content")
    with Workspace.open(directory, sensitive=SensitivePolicy(deny=(".env",))) as workspace:
        with pytest.raises(PermissionError):
            workspace.read(".env")
        assert workspace.path_is_sensitive("a/.env") and not workspace.path_is_sensitive("a/env")
    with Workspace.open(directory) as workspace:
        assert workspace.path_is_sensitive(".env") and not workspace.path_is_sensitive("app.py")
    with Workspace.open(directory, below="sub", limits=Limits(max_read_bytes=4)) as workspace:
        assert workspace.list().paths == ("f",)
        assert workspace.read("f").content == b"long"


def test_a_ref_opens_the_same_directory_again(directory: Path) -> None:
    with Workspace.open(directory) as workspace:
        ref = workspace.ref
        assert isinstance(ref, WorkspaceRef) and ref.provider == "local"
        with Workspace.open(str(ref), attach=True) as again:
            assert again.info.resource_key == workspace.info.resource_key
    directory.rename(directory.with_name("moved"))
    directory.mkdir()
    with pytest.raises(RuntimeError) as raised:
        Workspace.open(str(ref), attach=True)
    assert details(raised.value).code == "environment_gone"  # type: ignore[union-attr]


def test_a_document_is_a_workspace_of_files(tmp_path: Path) -> None:
    with Workspace.open(f"state:{tmp_path}/notes.json") as workspace:
        workspace.write("a/b", "text")
        assert workspace.root == "/" and workspace.read_bytes("/a/b") == b"text"
        assert not workspace.capabilities.run_commands
        with pytest.raises(RuntimeError) as raised:
            workspace.run(["true"])
        assert details(raised.value).code == "unsupported"  # type: ignore[union-attr]
    assert (tmp_path / "notes.json").exists()


def test_a_closed_workspace_says_so(directory: Path) -> None:
    workspace = Workspace.open(directory)
    workspace.close()
    with pytest.raises(ValueError, match="closed"):
        workspace.read("f")
    assert repr(workspace) == "<Workspace closed>"


def test_a_call_that_takes_longer_than_allowed_is_ended(workspace: Workspace) -> None:
    with pytest.raises(TimeoutError) as raised:
        workspace.within(1e-9).read("f")
    assert details(raised.value).code == "timed_out"  # type: ignore[union-attr]
    for seconds in (0, -1, float("nan"), float("inf")):
        with pytest.raises(ValueError):
            workspace.within(seconds).read("f")


def test_unreadable_places_are_named(workspace: Workspace, directory: Path) -> None:
    if os.getuid() == 0:
        assert workspace.list().unreadable == ()
        return
    (directory / "locked").mkdir(mode=0o000)
    assert workspace.list().unreadable == (Unreadable("locked", "permission_denied"),)
