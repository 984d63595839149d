"""Workspaces that are JSON documents: files without a disk, to be kept in a database or passed on."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Any, cast

from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.tools import AgentDepsT, RunContext
from pydantic_ai.workspaces import WorkspaceBackend, WorkspaceRef, WorkspaceUnavailableError

from berth import _native
from berth._waiting import finish
from berth.pydantic_ai._backend import FilesBackend
from berth.pydantic_ai._capability import guarded, refuse_deferral

PROVIDER = "state"


class _Store:
    """The documents of one capability, opened on first use."""

    def __init__(self, location: str | Path | None) -> None:
        self._location = location
        self._native: _native.StateStore | None = None

    async def native(self) -> _native.StateStore:
        if self._native is None:
            opened = await finish(_native.open_state_store(self._location), None)
            if self._native is None:
                self._native = opened
        return self._native


class StateEnvironment:
    """A document, made on first use or attached by a ref."""

    def __init__(self, store: _Store, ref: WorkspaceRef | None) -> None:
        self._store = store
        self._ref = ref
        self._native: _native.Workspace | None = None

    @property
    def ref(self) -> WorkspaceRef | None:
        if self._ref is None and self._native is not None:
            named = self._native.ref
            if named is not None:
                self._ref = WorkspaceRef(provider=named.provider, id=named.id)
        return self._ref

    async def ruled(self, rules: str) -> _native.Workspace:
        ref = self.ref
        if ref is None:
            raise WorkspaceUnavailableError("the workspace does not exist yet")
        return (await self._store.native()).attach(ref.id, rules)

    def check_writable(self, path: str) -> None:
        """Documents have no permissions."""

    async def native(self) -> _native.Workspace:
        store = await self._store.native()
        if self._native is None:  # nothing is awaited from here on: one document however many ask
            self._native = store.create() if self._ref is None else store.attach(self._ref.id, None)
        return self._native


@dataclass
class StateWorkspace(AbstractCapability[AgentDepsT]):
    """Gives runs a workspace of files in a JSON document; there are no commands.

    The documents are those of pydantic-ai-backends' `StateBackend`: `document` gives one as a dict, `load` takes one.
    """

    store: str | Path | None = None
    """Where documents are kept: a directory, a SQLite database whose name ends with `.db`, or this process's memory."""

    _: KW_ONLY

    read_only: bool = False
    """Refuse changes."""

    id: str | None = "state_workspace"
    """A later one with the same id replaces an earlier one whole."""

    _documents: _Store = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        refuse_deferral(self)
        self._documents = _Store(self.store)

    @classmethod
    def combine(cls, capabilities: Sequence[AbstractCapability[AgentDepsT]]) -> AbstractCapability[AgentDepsT]:
        return capabilities[-1]

    def get_workspace(self, ctx: RunContext[AgentDepsT], *, ref: WorkspaceRef | None) -> WorkspaceBackend | None:
        if ref is not None and ref.provider != PROVIDER:
            return None
        return guarded(self.backend(ref), read_only=self.read_only)

    def backend(self, ref: WorkspaceRef | None = None) -> FilesBackend:
        """A backend without policies, for a new document or the one that a ref names. Does no I/O."""
        return FilesBackend(StateEnvironment(self._documents, ref))

    async def destroy(self, ref: WorkspaceRef) -> None:
        """Delete a document; one that is gone is fine. A ref of another provider is refused with ValueError."""
        if ref.provider != PROVIDER:
            raise ValueError(f"{ref.provider!r} is no ref of a StateWorkspace")
        await finish((await self._documents.native()).destroy(ref.id), None)

    async def refs(self) -> list[WorkspaceRef]:
        """All workspaces in the store."""
        names = await finish((await self._documents.native()).list(), None)
        return [WorkspaceRef(provider=PROVIDER, id=name) for name in names]

    async def document(self, ref: WorkspaceRef) -> dict[str, Any]:
        """What a workspace holds, as JSON values: `files` and `directories`."""
        try:
            content = await finish((await self._documents.native()).read_document(ref.id), None)
        except FileNotFoundError as error:
            raise WorkspaceUnavailableError(f"there is no workspace {ref.id!r}") from error
        return cast(dict[str, Any], json.loads(content))

    async def load(self, document: Mapping[str, Any], *, workspace_id: str) -> WorkspaceRef:
        """Make a workspace of a document. FileExistsError when the id is taken."""
        content = json.dumps(document, ensure_ascii=False)
        await finish((await self._documents.native()).create_document(workspace_id, content), None)
        return WorkspaceRef(provider=PROVIDER, id=workspace_id)
