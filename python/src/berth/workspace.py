"""Workspaces for programs that wait: `Workspace` and `Repository`. `berth.async_workspace` is made from this file."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Literal, TypeVar

from berth import _native
from berth._arguments import (
    Command,
    Content,
    EditLike,
    Name,
    default_sensitive_policy,
    edit_arguments,
    open_native,
    operation_argument,
    output_bounds,
)
from berth.errors import WorkspacePathError
from berth.values import (
    Baseline,
    Capabilities,
    CommandOutcome,
    Diff,
    DirectoryEntry,
    EditOutcome,
    FileOperation,
    FileStat,
    GitMode,
    JobInfo,
    JobOutput,
    Keep,
    Limits,
    LinePage,
    ListPage,
    MakeDirectoryOutcome,
    MoveOutcome,
    PatchOutcome,
    PruneOutcome,
    ReadPage,
    RemoveOutcome,
    SearchResult,
    SensitivePolicy,
    StageOutcome,
    StatusEntry,
    StdinOutcome,
    StopAt,
    TransactionOutcome,
    WorkspaceInfo,
    WorkspaceRef,
    WriteOutcome,
)

T = TypeVar("T")


class Workspace:
    """A handle on one environment: its files, commands, search, patches and jobs.

    Paths are relative to the root, or absolute below one of its names; none leads outside. Safe from many threads at
    once. Every call releases the GIL. What a call promises in full stands in `docs/contract`.
    """

    def __init__(self, native: _native.Workspace, sensitive: SensitivePolicy, timeout: float | None = None) -> None:
        """For `open`."""
        self._native = native
        self._sensitive = sensitive
        self._timeout = timeout

    @classmethod
    def open(
        cls,
        location: Name = ".",
        *,
        attach: bool = False,
        read_only: bool = False,
        below: Name | None = None,
        env: Mapping[str, str] | None = None,
        sensitive: SensitivePolicy | None = None,
        limits: Limits | None = None,
        audit_file: Name | None = None,
        actor: str = "",
        follow_links: bool = True,
        durable: bool = False,
        state_directory: Name | None = None,
        timeout: float | None = None,
    ) -> Workspace:
        """Open a directory, `state:FILE.json`, or the text of a ref.

        A directory is never made. A document is made by the first call that writes, unless `attach` demands that it is
        there. `below` makes a directory of the workspace its root. `sensitive` keeps file calls from paths; see
        `default_sensitive_policy`. `env` is what commands find in their environment besides. `audit_file` gets a line
        for every change and command.
        """
        operation = open_native(
            location,
            attach=attach,
            read_only=read_only,
            below=below,
            env=env,
            sensitive=sensitive,
            limits=limits,
            audit_file=audit_file,
            actor=actor,
            follow_links=follow_links,
            durable=durable,
            state_directory=state_directory,
        )
        native = operation.run(timeout)
        return cls(native, sensitive or default_sensitive_policy(), timeout)

    def _do(self, operation: _native.Operation[T]) -> T:
        return operation.run(self._timeout)

    def within(self, seconds: float | None) -> Workspace:
        """The same workspace, each of whose calls raises `WorkspaceTimeoutError` when it takes longer than that."""
        return Workspace(self._native, self._sensitive, seconds)

    def close(self) -> None:
        """Let go of it. Calls that still run end as they would; new ones raise ValueError. Jobs run on."""
        self._native.close()

    def __enter__(self) -> Workspace:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._native.closed:
            return f"<{type(self).__name__} closed>"
        return f"<{type(self).__name__} {self.info.resource_key}>"

    @property
    def info(self) -> WorkspaceInfo:
        """What is known of it before any I/O."""
        return self._native.info

    @property
    def ref(self) -> WorkspaceRef | None:
        """Its durable name, to be opened by; None until it exists."""
        return self._native.ref

    @property
    def capabilities(self) -> Capabilities:
        return self._native.capabilities

    @property
    def root(self) -> str:
        """The absolute name of its root, links resolved."""
        return self._native.info.root_names[0]

    def ensure(self) -> None:
        """Make or attach the environment now instead of on first use."""
        return self._do(self._native.ensure())

    def resolve(self, path: Name) -> str:
        """Read a path as every call does: relative to the root, normalised. Nothing is looked up."""
        return self._native.resolve(path)

    # Reading.

    def read(
        self, path: Name, *, offset: int = 0, max_bytes: int | None = None, want_revision: bool = True
    ) -> ReadPage:
        """Read a page of a file. Without a revision a large file is read faster."""
        return self._do(self._native.read(path, offset, max_bytes, want_revision))

    def read_bytes(self, path: Name) -> bytes:
        """Read a whole file."""
        return (self._do(self._native.read(path, 0, None, False))).content

    def read_text(self, path: Name, *, encoding: str = "utf-8", errors: str = "strict") -> str:
        """Read a whole file as text, line endings as they are."""
        return (self._do(self._native.read(path, 0, None, False))).content.decode(encoding, errors)

    def read_lines(
        self,
        path: Name,
        *,
        first: int = 1,
        count: int | None = None,
        max_bytes: int = 256 * 1024,
        count_lines: bool = False,
    ) -> LinePage:
        """Read whole lines, in memory of the page however large the file is. Lines count from 1 and end with LF."""
        return self._do(self._native.read_lines(path, first, count, max_bytes, count_lines))

    def stat(self, path: Name, *, follow: bool = True) -> FileStat:
        """Describe what stands at a path; without `follow` a link itself."""
        return self._do(self._native.stat(path, follow))

    def exists(self, path: Name) -> bool:
        """Whether anything stands there, a dangling link included."""
        return self._do(self._native.exists(path))

    def require_absent(self, path: Name) -> None:
        """Raise FileExistsError when something stands there."""
        return self._do(self._native.require_absent(path))

    def list_directory(self, path: Name = ".") -> tuple[DirectoryEntry, ...]:
        """The names in one directory, sorted by bytes, links not followed."""
        return self._do(self._native.list_directory(path))

    def real_path(self, path: Name) -> str:
        """Resolve every link as the kernel does; the last components may be missing. Relative to the root."""
        return self._do(self._native.real_path(path))

    def contains(self, path: Name) -> bool:
        """Whether a path, links resolved, lies in the workspace. It need not exist."""
        try:
            self._do(self._native.real_path(path))
        except WorkspacePathError:
            return False
        return True

    def path_is_sensitive(self, path: Name) -> bool:
        """Whether the policy it was opened with, or else the default one, keeps a path from file calls."""
        policy = self._sensitive
        return _native.SensitiveGlobs(list(policy.deny), list(policy.allow)).matches(self._native.resolve(path))

    # Changing.

    def write(
        self, path: Name, content: Content, *, git_mode: GitMode | None = None, expected_token: str | None = None
    ) -> WriteOutcome:
        """Write a whole file at once: others see the old content or the new. Missing parents are made."""
        return self._do(self._native.write(path, content, git_mode, expected_token))

    def create(self, path: Name, content: Content, *, git_mode: GitMode | None = None) -> WriteOutcome:
        """Write a file that is not there yet, else FileExistsError."""
        return self._do(self._native.create(path, content, git_mode))

    def write_file(self, path: Name, content: Content, *, overwrite: bool = False) -> str:
        """Write a file and give its path relative to the root; FileExistsError when it is there, unless `overwrite`."""
        if overwrite:
            self._do(self._native.write(path, content, None, None))
        else:
            self._do(self._native.create(path, content, None))
        return self._native.resolve(path)

    def replace(
        self,
        path: Name,
        content: Content,
        *,
        expected_revision: str,
        git_mode: GitMode | None = None,
        expected_git_mode: GitMode | None = None,
        expected_token: str | None = None,
    ) -> WriteOutcome:
        """Write a file that still holds what was read, else WorkspaceRevisionError. Of two who try, one wins."""
        return self._do(
            self._native.replace(path, content, expected_revision, git_mode, expected_git_mode, expected_token)
        )

    def edit(
        self,
        path: Name,
        edits: EditLike | Sequence[EditLike],
        *,
        expected_revision: str | None = None,
        max_diff_bytes: int = 16 * 1024,
    ) -> EditOutcome:
        """Replace literal text, all edits or none. A pair `(old, new)` is an Edit that must match once."""
        return self._do(self._native.edit(path, edit_arguments(edits), expected_revision, max_diff_bytes))

    def delete_file(self, path: Name) -> RemoveOutcome:
        """Remove a file or link; a missing one is fine."""
        return self._do(self._native.delete_file(path))

    def delete_if(
        self,
        path: Name,
        *,
        expected_revision: str,
        expected_git_mode: GitMode | None = None,
        expected_token: str | None = None,
    ) -> RemoveOutcome:
        """Remove a file that still holds what was read."""
        return self._do(self._native.delete_if(path, expected_revision, expected_git_mode, expected_token))

    def remove(self, path: Name) -> RemoveOutcome:
        """Remove a file, link or directory tree; links are not followed. The root is refused with ValueError."""
        return self._do(self._native.remove(path))

    def move(self, from_path: Name, to_path: Name) -> MoveOutcome:
        """Move a regular file, never over something that is there."""
        return self._do(self._native.move(from_path, to_path))

    def move_if(
        self,
        from_path: Name,
        to_path: Name,
        *,
        expected_revision: str,
        expected_git_mode: GitMode | None = None,
        expected_token: str | None = None,
    ) -> MoveOutcome:
        """Move a file that still holds what was read."""
        return self._do(
            self._native.move_if(from_path, to_path, expected_revision, expected_git_mode, expected_token)
        )

    def make_directory(self, path: Name) -> MakeDirectoryOutcome:
        """Make a directory and its missing parents; one that is there is fine."""
        return self._do(self._native.make_directory(path))

    def prune_empty_directories(self, path: Name, *, max_directories: int = 1000) -> PruneOutcome:
        """Remove a tree that holds directories only."""
        return self._do(self._native.prune_empty_directories(path, max_directories))

    def apply_patch(
        self,
        patch: Content,
        *,
        check: bool = False,
        expected_revisions: Mapping[str, str] | None = None,
        max_diff_bytes: int | None = None,
    ) -> PatchOutcome:
        """Apply a unified diff or a `*** Begin Patch` text, all files or none. `check`: change nothing."""
        return self._do(self._native.apply_patch(patch, check, dict(expected_revisions or {}), max_diff_bytes))

    def transaction(self, operations: Sequence[FileOperation]) -> TransactionOutcome:
        """Change several files, all or none. A demand that does not hold is an outcome, not an exception."""
        return self._do(self._native.transaction([operation_argument(one) for one in operations]))

    # Finding.

    def list(
        self,
        pattern: str = "**/*",
        *,
        hidden: bool = True,
        ignored: bool = True,
        limit: int | None = None,
        cursor: str = "",
    ) -> ListPage:
        """Files that match, hidden and git-ignored ones included unless told otherwise. No braces."""
        return self._do(self._native.list(pattern, hidden, ignored, limit, cursor))

    def list_files(self, pattern: str = "**/*", *, hidden: bool = False, ignored: bool = False) -> builtins.list[str]:
        """The paths of all files that match, without hidden and ignored ones unless asked for."""
        return builtins.list((self._do(self._native.glob(pattern, ".", hidden, ignored, None, ""))).paths)

    def glob(
        self,
        pattern: str,
        path: Name = ".",
        *,
        hidden: bool = False,
        ignored: bool = False,
        limit: int | None = None,
        cursor: str = "",
    ) -> ListPage:
        """Files below a directory that match; `{a,b}` and `**/` as agents write them."""
        return self._do(self._native.glob(pattern, path, hidden, ignored, limit, cursor))

    def search(
        self,
        pattern: str | bytes,
        path: Name = ".",
        *,
        glob: str = "",
        literal: bool = False,
        ignore_case: bool = False,
        word: bool = False,
        multiline: bool = False,
        mode: Literal["lines", "files", "count"] = "lines",
        hidden: bool = False,
        ignored: bool = False,
        context: int = 0,
        limit: int | None = None,
        offset: int = 0,
        max_files: int | None = None,
        max_bytes: int = 8 * 1024 * 1024,
    ) -> SearchResult:
        """Search the content of files, with RE2's syntax wherever the workspace is."""
        return self._do(
            self._native.search(
                path, pattern, glob, literal, ignore_case, word, multiline, mode, hidden, ignored, context, limit,
                offset, max_files, max_bytes,
            )
        )

    # Commands.

    def run(
        self,
        command: Command,
        *,
        shell: bool = False,
        env: Mapping[str, str | bytes] | None = None,
        env_remove: Iterable[str] | None = None,
        cwd: Name = ".",
        stdin: Content | None = None,
        timeout: float | None = None,
        output: StopAt | Keep = StopAt(),  # noqa: B008, it is frozen
        end_scope: Literal["tree", "group"] = "tree",
        run_id: str = "",
        on_output: Callable[[str, bytes], object] | None = None,
    ) -> CommandOutcome:
        """Run a command to its end, and tell how it ended: whatever the command does is an outcome, not an exception.

        A list of words is run as it is, a string by `/bin/sh` with `shell=True`. At the timeout everything it started
        is ended. `on_output` is called with `out` or `err` and bytes while it runs, on another thread.
        """
        return self._do(
            self._native.run(
                command, shell, None if env is None else dict(env), env_remove, cwd, stdin, timeout, output_bounds(output), end_scope == "group", run_id,
                on_output,
            )
        )

    # Commands in the background.

    def start_job(
        self,
        command: Command,
        *,
        shell: bool = False,
        env: Mapping[str, str | bytes] | None = None,
        env_remove: Iterable[str] | None = None,
        cwd: Name = ".",
        stdin: Content | None = None,
        timeout: float | None = None,
        end_scope: Literal["tree", "group"] = "tree",
        run_id: str = "",
        name: str = "",
        terminal: tuple[int, int] | None = None,
    ) -> JobInfo:
        """Start a command that runs on when this program has ended. Whoever opens the workspace again finds it."""
        return self._do(
            self._native.start_job(
                command, shell, None if env is None else dict(env), env_remove, cwd, stdin, timeout, end_scope == "group", run_id, name, terminal
            )
        )

    def list_jobs(self) -> tuple[JobInfo, ...]:
        """All jobs that are recorded, the oldest start first."""
        return self._do(self._native.list_jobs())

    def job(self, job_id: str) -> JobInfo:
        return self._do(self._native.job(job_id))

    def read_job(
        self,
        job_id: str,
        *,
        stream: Literal["out", "err"] = "out",
        offset: int = 0,
        max_bytes: int = 256 * 1024,
        wait: float | None = None,
    ) -> JobOutput:
        """Read output from any offset, while the job runs and after; `wait` for the first byte so many seconds."""
        return self._do(self._native.read_job(job_id, stream, offset, max_bytes, wait))

    def write_job_stdin(self, job_id: str, content: Content, *, close: bool = False) -> StdinOutcome:
        return self._do(self._native.write_job_stdin(job_id, content, close))

    def signal_job(self, job_id: str, number: int) -> bool:
        """Send a signal; False when the job had ended."""
        return self._do(self._native.signal_job(job_id, number))

    def stop_job(self, job_id: str, *, grace: float = 2.0) -> JobInfo:
        """End everything the job started: TERM, so many seconds of grace, KILL."""
        return self._do(self._native.stop_job(job_id, grace))

    def wait_job(self, job_id: str, *, at_most: float | None = None) -> JobInfo:
        """Wait for the end, or so many seconds, and tell how the job is then."""
        return self._do(self._native.wait_job(job_id, at_most))

    def resize_job(self, job_id: str, rows: int, columns: int) -> None:
        return self._do(self._native.resize_job(job_id, rows, columns))

    def forget_job(self, job_id: str) -> None:
        """Remove the record of an ended job."""
        return self._do(self._native.forget_job(job_id))

    # Git.

    def repository(self, *, require_clean: bool = False) -> Repository:
        """The git side of the workspace; what it holds now is compared with the commit that HEAD names now."""
        native = self._do(self._native.open_repository())
        repository = Repository(native, self._timeout)
        if require_clean:
            repository.require_clean()
        return repository


class Repository:
    """What changed in a workspace since this was opened. Nothing that the repository configures is ever run."""

    def __init__(self, native: _native.Repository, timeout: float | None = None) -> None:
        """For `Workspace.repository`."""
        self._native = native
        self._timeout = timeout

    def _do(self, operation: _native.Operation[T]) -> T:
        return operation.run(self._timeout)

    @property
    def baseline(self) -> Baseline:
        return self._native.baseline

    def diff(
        self,
        *,
        max_bytes: int = 1024 * 1024,
        max_files: int = 10_000,
        max_file_bytes: int = 8 * 1024 * 1024,
        trust_index: bool = True,
    ) -> Diff:
        """The work tree against the baseline, untracked files included."""
        return self._do(self._native.diff(max_bytes, max_files, max_file_bytes, trust_index))

    def status_paths(self) -> tuple[StatusEntry, ...]:
        """The paths that differ from the baseline."""
        return self._do(self._native.status_paths())

    def baseline_paths(self) -> tuple[str, ...]:
        """The files of the baseline."""
        return self._do(self._native.baseline_paths())

    def snapshot(self) -> _native.Snapshot:
        """Note what is changed now, for `changed_since`."""
        return self._do(self._native.snapshot())

    def changed_since(self, before: _native.Snapshot) -> tuple[str, ...]:
        """The paths that were written, made, deleted or brought back since."""
        return self._do(self._native.changed_since(before))

    def stage(self, paths: Iterable[Name]) -> StageOutcome:
        """Put files as they are into the index, and take deleted ones out."""
        return self._do(self._native.stage(list(paths)))

    def is_ignored(self, path: Name) -> bool:
        """Whether git's rules leave it out."""
        return self._do(self._native.is_ignored(path))

    def require_clean(self) -> None:
        """Raise WorkspaceDirtyError when tracked files are changed."""
        return self._do(self._native.require_clean())

