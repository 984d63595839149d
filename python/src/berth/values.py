"""What calls take and give: frozen dataclasses with the names of the contract.

Paths and names are `str`; bytes in them that are no UTF-8 are surrogate escapes, as everywhere in Python. What files and
commands hold is `bytes`. Times are nanoseconds since 1970 (`_ns`) or durations in seconds (`_s`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

_ESCAPES = re.compile("[\udc80-\udcff]")


def decode_text(content: bytes) -> str:
    """As text, one U+FFFD for each byte that is no UTF-8."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        return _ESCAPES.sub("\ufffd", content.decode("utf-8", "surrogateescape"))


FileKind = Literal["file", "directory", "symlink", "other"]
GitMode = Literal["100644", "100755"]
CommandKind = Literal["exited", "signaled", "timed_out", "output_limited", "cancelled", "lost"]
JobState = Literal["running", "exited", "signaled", "lost"]
JobEndedBy = Literal["itself", "stop", "timeout"]
Change = Literal["added", "modified", "deleted", "renamed", "type_changed"]


@dataclass(frozen=True, slots=True)
class WorkspaceRef:
    """The durable name of an environment; `str` of it is `provider:id`, which `Workspace.attach` takes."""

    provider: str
    id: str

    def __str__(self) -> str:
        return f"{self.provider}:{self.id}"


@dataclass(frozen=True, slots=True)
class WorkspaceInfo:
    """What is known of a workspace before any I/O."""

    provider: str
    resource_key: str
    """Equal keys mean the same files, whatever the spelling."""
    root_names: tuple[str, ...]
    """Absolute names of the root; the first one has its links resolved."""
    read_only: bool
    isolation: str
    """What stands between commands and the host: `none`, `document`, …"""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a workspace can do; the rest raises `WorkspaceUnsupportedError`."""

    read_files: bool
    write_files: bool
    run_commands: bool
    search_files: bool
    transactions: bool
    jobs: bool


@dataclass(frozen=True, slots=True)
class FileStat:
    """Facts about one path."""

    kind: FileKind
    size: int
    modified_ns: int
    mode: int
    git_mode: GitMode | None
    link_target: str | None
    target_is_directory: bool
    token: str
    """Differs after any write, chmod or replacement."""

    @property
    def is_directory(self) -> bool:
        """A directory, or a link that leads to one inside the workspace."""
        return self.kind == "directory" or self.target_is_directory


@dataclass(frozen=True, slots=True)
class DirectoryEntry:
    name: str
    stat: FileStat


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Something that could not be looked at: a result is never silently short."""

    path: str
    code: str


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A page of a file. Its facts and its content come from one open file that did not change in between."""

    content: bytes
    offset: int
    total_bytes: int
    truncated: bool
    next_offset: int | None
    revision: str | None
    git_mode: GitMode | None
    token: str


@dataclass(frozen=True, slots=True)
class LinePage:
    """A page of whole lines with their endings."""

    content: bytes
    first_line: int
    line_count: int
    first_offset: int
    total_bytes: int
    total_lines: int | None
    truncated: bool
    line_cut: bool
    next_line: int | None
    token: str


@dataclass(frozen=True, slots=True)
class WriteOutcome:
    revision: str
    previous_revision: str | None
    created: bool
    bytes: int
    token: str


@dataclass(frozen=True, slots=True)
class RemoveOutcome:
    removed: int
    """Directory entries that are gone; 0: there was nothing to do."""


@dataclass(frozen=True, slots=True)
class MoveOutcome:
    fidelity: Literal["atomic_rename", "link_unlink"]
    revision: str


@dataclass(frozen=True, slots=True)
class MakeDirectoryOutcome:
    created: bool


@dataclass(frozen=True, slots=True)
class PruneOutcome:
    removed: int


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace literal text. It must stand in the file `expected_count` times; None: every time it does."""

    old_text: str | bytes
    new_text: str | bytes
    expected_count: int | None = 1


@dataclass(frozen=True, slots=True)
class BoundedDiff:
    text: bytes
    truncated: bool


@dataclass(frozen=True, slots=True)
class EditOutcome:
    counts: tuple[int, ...]
    previous_revision: str
    revision: str
    diff: BoundedDiff


@dataclass(frozen=True, slots=True)
class PatchedFile:
    what: Literal["created", "modified", "deleted", "moved", "copied"]
    path: str
    from_path: str | None
    previous_revision: str | None
    revision: str | None
    git_mode: GitMode | None
    diff: BoundedDiff


@dataclass(frozen=True, slots=True)
class PatchOutcome:
    applied: bool
    """False when it was only checked."""
    files: tuple[PatchedFile, ...]


@dataclass(frozen=True, slots=True)
class WriteOperation:
    """Part of a transaction. `expected_revision` None and `create` False: whatever stands there."""

    path: str
    content: bytes | str
    expected_revision: str | None = None
    create: bool = False
    git_mode: GitMode | None = None


@dataclass(frozen=True, slots=True)
class RemoveOperation:
    """Part of a transaction. Without a revision a missing file is fine."""

    path: str
    expected_revision: str | None = None


@dataclass(frozen=True, slots=True)
class MoveOperation:
    from_path: str
    to_path: str
    expected_revision: str


@dataclass(frozen=True, slots=True)
class MakeDirectoryOperation:
    path: str


FileOperation = WriteOperation | RemoveOperation | MoveOperation | MakeDirectoryOperation


@dataclass(frozen=True, slots=True)
class OperationOutcome:
    state: Literal["applied", "not_started", "failed", "rolled_back", "unknown"]
    error: Exception | None
    previous_revision: str | None
    revision: str | None
    changed: bool
    created: bool


@dataclass(frozen=True, slots=True)
class TransactionOutcome:
    state: Literal["applied", "precondition_failed", "rolled_back", "ambiguous"]
    operations: tuple[OperationOutcome, ...]


@dataclass(frozen=True, slots=True)
class ListPage:
    """Files that match, sorted by bytes; directories are not among them."""

    paths: tuple[str, ...]
    total: int
    truncated: bool
    cursor: str
    complete: bool
    unreadable: tuple[Unreadable, ...]


@dataclass(frozen=True, slots=True)
class SearchMatch:
    """One matching line, without its ending."""

    path: str
    line: int
    column: int
    text: bytes
    before: tuple[bytes, ...]
    after: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class FileMatches:
    path: str
    matches: int


@dataclass(frozen=True, slots=True)
class SearchResult:
    lines: tuple[SearchMatch, ...]
    files: tuple[FileMatches, ...]
    files_searched: int
    files_binary: int
    bytes_searched: int
    stopped_by: Literal["deadline", "max_files", "max_bytes", "limit"] | None
    next_offset: int | None
    unreadable: tuple[Unreadable, ...]


@dataclass(frozen=True, slots=True)
class StopAt:
    """End a command that prints more than `limit` bytes over both streams, and keep the first `kept` of each."""

    limit: int = 10 * 1024 * 1024
    kept: int = 64 * 1024


@dataclass(frozen=True, slots=True)
class Keep:
    """Let a command print as much as it likes; of each stream the first `head` and the last `tail` bytes are kept."""

    head: int = 64 * 1024
    tail: int = 64 * 1024


@dataclass(frozen=True, slots=True)
class StreamOutput:
    """What was kept of one output stream."""

    head: bytes
    tail: bytes
    total_bytes: int

    @property
    def dropped_bytes(self) -> int:
        return self.total_bytes - len(self.head) - len(self.tail)

    @property
    def text(self) -> str:
        """As text, one U+FFFD for each byte that is no UTF-8; a gap is named."""
        head = decode_text(self.head)
        if not self.tail and not self.dropped_bytes:
            return head
        return f"{head}\n[… {self.dropped_bytes} bytes left out …]\n{decode_text(self.tail)}"


@dataclass(frozen=True, slots=True)
class CommandOutcome:
    """How a command ended: exactly one of the kinds, never invented."""

    kind: CommandKind
    exit_code: int | None
    """For `exited`; 127: not found, 126: not executable."""
    signal: int | None
    """For `signaled`."""
    reason: str
    """For `lost`."""
    out: StreamOutput
    err: StreamOutput
    duration_s: float
    survivors: int
    shell_status: int | None
    """The number that a shell would show: the exit code, 128 + signal, 124 when timed out."""

    @property
    def ok(self) -> bool:
        """It ended by itself with status 0."""
        return self.kind == "exited" and self.exit_code == 0

    @property
    def stdout(self) -> str:
        return self.out.text

    @property
    def stderr(self) -> str:
        return self.err.text


@dataclass(frozen=True, slots=True)
class JobStreamTotals:
    total_bytes: int
    dropped_bytes: int


@dataclass(frozen=True, slots=True)
class JobInfo:
    """What is known of a command in the background."""

    id: str
    name: str
    argv: tuple[str, ...]
    script: str
    cwd: str
    terminal: tuple[int, int] | None
    """Rows and columns of its start."""
    state: JobState
    exit_code: int | None
    signal: int | None
    ended_by: JobEndedBy | None
    reason: str
    survivors: int
    left_processes: bool
    stdin_open: bool
    started_ns: int
    ended_ns: int | None
    duration_s: float
    process: int
    out: JobStreamTotals
    err: JobStreamTotals
    shell_status: int | None

    @property
    def has_ended(self) -> bool:
        return self.state != "running"


@dataclass(frozen=True, slots=True)
class JobOutput:
    """A page of a stream. To follow it, read on at `next_offset` until `ended`."""

    content: bytes
    offset: int
    next_offset: int
    dropped_bytes: int
    total_bytes: int
    ended: bool


@dataclass(frozen=True, slots=True)
class StdinOutcome:
    accepted_bytes: int
    open: bool


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a repository is compared with: the commit that HEAD named when it was opened."""

    kind: Literal["commit", "no_commit", "no_repository"]
    commit: str


@dataclass(frozen=True, slots=True)
class FileChange:
    change: Change
    path: str
    from_path: str | None
    old_mode: int
    new_mode: int
    added_lines: int | None
    removed_lines: int | None


@dataclass(frozen=True, slots=True)
class NotShown:
    path: str
    why: str


@dataclass(frozen=True, slots=True)
class Diff:
    text: bytes
    truncated: bool
    files: tuple[FileChange, ...]
    left_out: int
    not_shown: tuple[NotShown, ...]


@dataclass(frozen=True, slots=True)
class StatusEntry:
    path: str
    change: Change
    untracked: bool


@dataclass(frozen=True, slots=True)
class SkippedPath:
    path: str
    why: Literal["missing", "ignored", "nested_repository", "special_file", "too_large", "unreadable"]


@dataclass(frozen=True, slots=True)
class StageOutcome:
    staged: tuple[str, ...]
    skipped: tuple[SkippedPath, ...]


@dataclass(frozen=True, slots=True)
class SensitivePolicy:
    """Which paths file tools may not touch. All are globs; one without a slash is matched against every name."""

    deny: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    protect: tuple[str, ...] = ()
    hide: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Limits:
    """What one call may cost; None: no limit beside the workspace's own."""

    max_read_bytes: int | None = None
    max_write_bytes: int | None = None
    max_list_entries: int | None = None
    max_search_results: int | None = None
    max_search_bytes: int | None = None
    max_command_time_s: float | None = None
    max_output_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class ToolInfo:
    """A tool as models are told of it."""

    name: str
    description: str
    input_schema: str
    """JSON Schema, as JSON."""
    changes_files: bool
    runs_commands: bool


@dataclass(frozen=True, slots=True)
class ToolMedia:
    """An image or a document that a result carries beside its text."""

    kind: Literal["image", "document"]
    media_type: str
    content: bytes


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool answered: `retry` when other arguments can mend it, `failed` when not."""

    outcome: Literal["success", "retry", "failed"]
    text: str
    structured: str
    """For programs, as JSON; of a failure its error."""
    media: tuple[ToolMedia, ...]
