"""A workspace of ours as a backend of pydantic-ai: files, real paths and commands are native."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Protocol, TypeVar

from pydantic_ai.workspaces import (
    CommandResult,
    FileEntry,
    WorkspaceCommand,
    WorkspaceError,
    WorkspaceOutputLimitError,
    WorkspaceRef,
    WorkspaceTimeoutError,
)

from berth import _native
from berth._waiting import finish
from berth.pydantic_ai._errors import translated
from berth.values import CommandOutcome, FileStat, decode_text

T = TypeVar("T")

OUTPUT_LIMIT = 10 * 1024 * 1024
_KEPT = 64 * 1024


class Environment(Protocol):
    """What a backend stands on: one environment, made or attached on first use."""

    @property
    def ref(self) -> WorkspaceRef | None: ...

    async def native(self) -> _native.Workspace:
        """The open workspace, made once however many ask first."""
        ...

    async def ruled(self, rules: str) -> _native.Workspace:
        """The environment, which must be there, opened once more behind permission rules."""
        ...

    def check_writable(self, path: str) -> None:
        """Raise PermissionError for a file that may not be written: the engine would put a new one in its place."""
        ...


class FilesBackend:
    """An environment's files. `CommandsBackend` also runs commands."""

    def __init__(self, environment: Environment) -> None:
        """Does no I/O."""
        self._environment = environment
        self._open: _native.Workspace | None = None
        self._root = ""
        self._ensured = False
        self.tools: dict[Hashable, _native.Tools] = {}
        """Native tools over this backend, by their options: what a run has read is known to them."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.ref}>"

    @property
    def ref(self) -> WorkspaceRef | None:
        """The environment's identity; None until it exists."""
        return self._environment.ref

    async def working_dir(self) -> str:
        # It never changes, and relative paths ask for it all the time: once is enough. What is gone, file calls tell.
        if not self._ensured:
            await self._do(lambda native: native.ensure())
            self._ensured = True
        return self._root

    async def read_bytes(self, path: str) -> bytes:
        return (await self._do(lambda native: native.read(path, 0, None, False))).content

    async def write_bytes(self, path: str, data: bytes) -> None:
        self._environment.check_writable(path)
        await self._do(lambda native: native.write(path, data, None, None))

    async def stat(self, path: str) -> FileEntry:
        return _entry(path, await self._do(lambda native: native.stat(path, True)))

    async def list_dir(self, path: str) -> Sequence[FileEntry]:
        entries = await self._do(lambda native: native.list_directory(path))
        above = "/" if path == "/" else path + "/"
        return [_entry(above + entry.name, entry.stat) for entry in entries]

    async def make_dir(self, path: str) -> None:
        await self._do(lambda native: native.make_directory(path))

    async def remove(self, path: str) -> None:
        root = await self.working_dir()
        if path == "/" or (root + "/").startswith(path + "/"):
            raise ValueError(f"cannot remove the working directory or what it lies in: {path!r}")
        await self._do(lambda native: native.remove(path))

    async def exists(self, path: str) -> bool:
        try:
            await self._do(lambda native: native.stat(path, True))
        except (FileNotFoundError, NotADirectoryError):
            return False
        return True

    async def realpath(self, path: str) -> str:
        """Resolve as the kernel does, also through parts that are missing. A loop is an OSError."""
        root = await self.working_dir()
        at = ""
        pending = [part for part in path.split("/") if part not in ("", ".")]
        while ".." in pending:
            dots = pending.index("..")
            at = await self._real("/".join([at, *pending[:dots]]), root)
            at, pending = at.rpartition("/")[0], pending[dots + 1 :]
        return await self._real("/".join([at, *pending]) or "/", root)

    async def _real(self, path: str, root: str) -> str:
        # The names above the root have no links in them that count: the root's own name is a real one.
        if path == "" or (root + "/").startswith(path + "/"):
            return path or "/"
        inside = await self._do(lambda native: native.real_path(path))
        return root if inside == "." else f"{root.rstrip('/')}/{inside}"

    async def ruled(self, rules: str) -> _native.Workspace:
        """The same environment behind permission rules, for tools."""
        await self.working_dir()
        return await self._environment.ruled(rules)

    async def _do(self, make: Callable[[_native.Workspace], _native.Operation[T]]) -> T:
        try:
            native = self._open
            if native is None:
                native = await self._environment.native()
                self._root = native.info.root_names[0]
                self._open = native
            return await finish(make(native), None)
        except Exception as error:
            made = translated(error)
            if made is error:
                raise
            raise made from error


class CommandsBackend(FilesBackend):
    """An environment's files and commands."""

    async def run(
        self,
        command: WorkspaceCommand,
        *,
        shell: bool = False,
        env: Mapping[str, str] | None = None,
        timeout: float | None = None,
    ) -> CommandResult:
        _check(command, timeout)
        variables = None if env is None else dict(env)
        outcome = await self._do(
            lambda native: native.run(
                command, shell, variables, None, ".", None, timeout, (True, OUTPUT_LIMIT, _KEPT), False, "", None
            )
        )
        return _result(outcome, timeout)


def _check(command: object, timeout: object) -> None:
    """Refuse what the types of `run` do not allow but programs pass."""
    if timeout is not None and not (isinstance(timeout, (int, float)) and math.isfinite(timeout) and timeout > 0):
        raise ValueError("timeout must be a positive finite number of seconds, or None")
    if isinstance(command, (bytes, bytearray)):
        raise TypeError("a command is a string with shell=True, or a list of strings")


def _entry(path: str, stat: FileStat) -> FileEntry:
    return FileEntry(
        name=path.rpartition("/")[2],
        path=path,
        is_dir=stat.is_directory,
        size=stat.size if stat.kind == "file" else None,
    )


def _result(outcome: CommandOutcome, timeout: float | None) -> CommandResult:
    stdout, stderr = decode_text(outcome.out.head), decode_text(outcome.err.head)
    if outcome.shell_status is not None and outcome.kind != "timed_out":
        return CommandResult(exit_code=outcome.shell_status, stdout=stdout, stderr=stderr)
    if outcome.kind == "timed_out":
        after = "" if timeout is None else f" after {timeout:g}s"
        raise WorkspaceTimeoutError(
            f"command timed out{after} and was ended with everything it started", stdout=stdout, stderr=stderr
        )
    if outcome.kind == "output_limited":
        raise WorkspaceOutputLimitError(
            f"command printed more than {OUTPUT_LIMIT // (1024 * 1024)} MiB and was ended; let it write to a file and"
            " read part of that instead",
            limit=OUTPUT_LIMIT,
            stdout=stdout,
            stderr=stderr,
        )
    raise WorkspaceError(f"it is not known how the command ended: {outcome.reason or outcome.kind}")
