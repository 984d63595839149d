"""A directory of this machine as the workspace of an agent's runs."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Any

import anyio.to_thread
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import UserError
from pydantic_ai.tools import AgentDepsT, RunContext
from pydantic_ai.workspaces import (
    Workspace,
    WorkspaceBackend,
    WorkspaceRef,
    WorkspaceUnavailableError,
)

from berth import _native
from berth._arguments import open_native
from berth._waiting import finish
from berth.pydantic_ai._backend import CommandsBackend
from berth.pydantic_ai._capability import guarded, refuse_deferral

PROVIDER = "local"
_PREFIX = "berth-workspace-"


class LocalEnvironment:
    """A directory, opened or made on first use, or attached by a ref."""

    def __init__(
        self,
        directory: str | None,
        *,
        parent: str | None = None,
        ref: WorkspaceRef | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        """Open `directory`; make one in `parent` without it; or attach by `ref`. Does no I/O."""
        self._directory = directory
        self._parent = parent
        self._ref = ref
        self._env = dict(env or {})
        self._native: _native.Workspace | None = None
        self._ruled: dict[str, _native.Workspace] = {}

    @property
    def ref(self) -> WorkspaceRef | None:
        if self._ref is None and self._native is not None:
            named = self._native.ref
            if named is not None:
                self._ref = WorkspaceRef(provider=named.provider, id=named.id)
        return self._ref

    async def native(self) -> _native.Workspace:
        if self._native is not None:
            return self._native
        attached = self._ref
        location = self._place() if attached is None else f"{attached.provider}:{attached.id}"
        operation = _open(location, attach=attached is not None, env=self._env)
        try:
            opened = await finish(operation, None)
        except (FileNotFoundError, NotADirectoryError) as error:
            raise WorkspaceUnavailableError(f"the directory of the workspace is not there: {location}") from error
        # Whoever asked at the same time opened the same directory: the first one counts.
        if self._native is None:
            self._native = opened
        return self._native

    async def ruled(self, rules: str) -> _native.Workspace:
        ref = self.ref
        if ref is None:
            raise WorkspaceUnavailableError("the workspace does not exist yet")
        if rules not in self._ruled:
            opened = await finish(_open(f"{ref.provider}:{ref.id}", attach=True, env=self._env, rules=rules), None)
            self._ruled.setdefault(rules, opened)
        return self._ruled[rules]

    def check_writable(self, path: str) -> None:
        if os.path.isfile(path) and not os.access(path, os.W_OK, effective_ids=True):
            raise PermissionError(errno.EACCES, "the file is not writable; change its mode first", path)

    def _place(self) -> str:
        if self._directory is None:
            # Made at once, without anything to await, so that no two are made and none is forgotten.
            parent = self._parent or tempfile.gettempdir()
            directory = os.path.join(os.path.realpath(parent), _PREFIX + uuid.uuid4().hex)
            os.mkdir(directory, 0o700)
            self._directory = directory
        # With a leading slash it is never taken for a ref.
        return self._directory

    def is_current(self) -> bool:
        """Whether the directory still stands under its name, so that a new run may have the same handle."""
        if self._native is None:
            return True
        try:
            found = os.stat(self._native.info.root_names[0])
        except OSError:
            return False
        return self._native.info.resource_key == f"local:{found.st_dev}:{found.st_ino}"


@dataclass
class LocalWorkspace(AbstractCapability[AgentDepsT]):
    """Gives runs a directory of this machine to work in.

    File operations cannot leave the directory, links and races included. Commands run as your user and are not
    isolated: use it for work that you trust.

    Without `working_dir` every new run gets an empty directory of its own, whose ref continues it later and which
    `destroy` deletes.
    """

    working_dir: str | Path | None = None
    """Where commands start and relative paths resolve. It is never made; `~` is expanded."""

    _: KW_ONLY

    read_only: bool = False
    """Refuse commands and changes."""

    env: Mapping[str, str] | None = None
    """What commands find in their environment besides PATH, HOME, the locale and the like."""

    authority: str = "operator"
    """See pydantic-ai's `LocalWorkspace` (from pydantic-ai 2.66)."""

    path_authority: Mapping[str, Any] | None = None
    """See pydantic-ai's `LocalWorkspace` (from pydantic-ai 2.66)."""

    scratch_parent: str | Path | None = None
    """Where directories are made when there is no `working_dir`; the system's temporary directory by default."""

    id: str | None = "local_workspace"
    """A later one with the same id replaces an earlier one whole."""

    _shared: LocalEnvironment | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        refuse_deferral(self)
        if self.working_dir is not None:
            self.working_dir = os.path.abspath(os.path.expanduser(self.working_dir))

    @classmethod
    def combine(cls, capabilities: Sequence[AbstractCapability[AgentDepsT]]) -> AbstractCapability[AgentDepsT]:
        return capabilities[-1]

    def get_workspace(self, ctx: RunContext[AgentDepsT], *, ref: WorkspaceRef | None) -> WorkspaceBackend | None:
        if ref is not None and not self._is_ours(ref):
            return None  # history never leads to another directory of the host
        backend = self.backend(ref)
        workspace = guarded(backend, read_only=self.read_only)
        if self.authority != "operator" or self.path_authority:
            workspace = self._with_authority(workspace)
        return workspace

    def backend(self, ref: WorkspaceRef | None = None) -> CommandsBackend:
        """A backend without policies, for a new environment or the one that a ref names. Does no I/O."""
        shared = self._shared
        if ref is not None:
            if shared is not None and shared.ref == ref:
                return CommandsBackend(shared)
            return CommandsBackend(LocalEnvironment(None, ref=ref, env=self.env))
        if self.working_dir is None:
            parent = None if self.scratch_parent is None else os.fspath(self.scratch_parent)
            return CommandsBackend(LocalEnvironment(None, parent=parent, env=self.env))
        if shared is None or not shared.is_current():
            shared = self._shared = LocalEnvironment(str(self.working_dir), env=self.env)
        return CommandsBackend(shared)

    async def destroy(self, ref: WorkspaceRef) -> None:
        """Delete a directory that a run was given without `working_dir`; one that is gone is fine.

        A directory that was not made here is refused with ValueError.
        """
        directory = _directory_of(ref)
        if directory is None or self.working_dir is not None or not self._is_ours(ref):
            raise ValueError(f"{ref.id!r} names no directory that this LocalWorkspace made")
        try:
            opened = await finish(_open(f"{ref.provider}:{ref.id}", attach=True), None)
        except Exception as error:
            if getattr(getattr(error, "details", None), "code", None) == "environment_gone":
                return
            raise
        opened.close()
        await anyio.to_thread.run_sync(_remove_tree, directory)

    def _is_ours(self, ref: WorkspaceRef) -> bool:
        directory = _directory_of(ref)
        if directory is None:
            return False
        if self.working_dir is not None:
            return directory in (self.working_dir, os.path.realpath(self.working_dir))
        parent, name = os.path.split(directory)
        made_in = os.path.realpath(self.scratch_parent or tempfile.gettempdir())
        return parent == made_in and name.startswith(_PREFIX)

    def _with_authority(self, workspace: WorkspaceBackend) -> WorkspaceBackend:
        try:
            from pydantic_ai.workspaces import AuthorityWorkspace
        except ImportError as error:
            raise UserError("authority and path_authority need pydantic-ai 2.66 or newer") from error
        expanded = {os.path.expanduser(path): level for path, level in (self.path_authority or {}).items()}
        level: Any = self.authority
        return AuthorityWorkspace(Workspace(workspace), authority=level, path_authority=expanded)


def _directory_of(ref: WorkspaceRef) -> str | None:
    """The absolute name in a ref of ours, `INCARNATION:/absolute/path`."""
    if ref.provider != PROVIDER:
        return None
    incarnation, colon, directory = ref.id.partition(":")
    if not colon or len(incarnation) != 16 or not directory.startswith("/"):
        return None
    return directory


def _open(
    location: str, *, attach: bool, env: Mapping[str, str] | None = None, rules: str | None = None
) -> _native.Operation[_native.Workspace]:
    return open_native(
        location,
        attach=attach,
        read_only=False,
        below=None,
        env=env,
        sensitive=None,
        limits=None,
        audit_file=None,
        actor="",
        follow_links=True,
        durable=False,
        state_directory=None,
        rules=rules,
    )


def _remove_tree(directory: str) -> None:
    def open_up_and_retry(function: Any, path: str, _: Any) -> None:
        # A command may have left a directory that its owner may not write.
        os.chmod(os.path.dirname(path), stat.S_IRWXU)
        os.chmod(path, stat.S_IRWXU, follow_symlinks=False) if not os.path.islink(path) else None
        function(path)

    shutil.rmtree(directory, onerror=open_up_and_retry)
