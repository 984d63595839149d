"""What both kinds of workspace make of their arguments for the native part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TypeAlias, cast

from berth import _native
from berth.values import (
    Edit,
    FileOperation,
    Keep,
    Limits,
    MoveOperation,
    RemoveOperation,
    SensitivePolicy,
    StopAt,
    WriteOperation,
)

Name: TypeAlias = str | bytes | PathLike[str]
Content: TypeAlias = bytes | bytearray | memoryview | str
Command: TypeAlias = Sequence[str | bytes] | str | bytes
EditLike: TypeAlias = Edit | tuple[str | bytes, str | bytes]


def default_sensitive_policy() -> SensitivePolicy:
    """The sets that are right for most workspaces: keys and credentials, and what makes later programs run code."""
    return SensitivePolicy(*_native.sensitive_defaults())


def open_native(
    location: Name,
    *,
    attach: bool,
    read_only: bool,
    below: Name | None,
    env: Mapping[str, str] | None,
    sensitive: SensitivePolicy | None,
    limits: Limits | None,
    audit_file: Name | None,
    actor: str,
    follow_links: bool,
    durable: bool,
    state_directory: Name | None,
    rules: str | None = None,
) -> _native.Operation[_native.Workspace]:
    globs = None
    if sensitive is not None:
        globs = (list(sensitive.deny), list(sensitive.allow), list(sensitive.protect), list(sensitive.hide))
    bounds = limits or Limits()
    return _native.open(
        location,
        attach,
        follow_links,
        durable,
        state_directory,
        below,
        read_only,
        None if env is None else dict(env),
        globs,
        (
            bounds.max_read_bytes,
            bounds.max_write_bytes,
            bounds.max_list_entries,
            bounds.max_search_results,
            bounds.max_search_bytes,
            bounds.max_command_time_s,
            bounds.max_output_bytes,
        ),
        audit_file,
        actor,
        rules,
    )


def edit_arguments(edits: EditLike | Sequence[EditLike]) -> list[tuple[str | bytes, str | bytes, int | None]]:
    if isinstance(edits, Edit) or (isinstance(edits, tuple) and any(isinstance(part, (str, bytes)) for part in edits)):
        edits = [cast(EditLike, edits)]
    pairs: list[tuple[str | bytes, str | bytes, int | None]] = []
    for edit in cast("Sequence[EditLike]", edits):
        if isinstance(edit, Edit):
            pairs.append((edit.old_text, edit.new_text, edit.expected_count))
        else:
            old_text, new_text = edit
            pairs.append((old_text, new_text, 1))
    return pairs


def operation_argument(operation: FileOperation) -> tuple[str, Name, Content, str | None, str | None]:
    if isinstance(operation, WriteOperation):
        kind = "create" if operation.create else "write"
        return kind, operation.path, operation.content, operation.expected_revision, operation.git_mode
    if isinstance(operation, RemoveOperation):
        return "remove", operation.path, b"", operation.expected_revision, None
    if isinstance(operation, MoveOperation):
        return "move", operation.from_path, operation.to_path, operation.expected_revision, None
    return "make_directory", operation.path, b"", None, None


def output_bounds(output: StopAt | Keep) -> tuple[bool, int, int]:
    if isinstance(output, StopAt):
        return True, output.limit, output.kept
    return False, output.head, output.tail
