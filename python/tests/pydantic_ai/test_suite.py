"""pydantic-ai's own rules for workspaces, on asyncio and on trio."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from pydantic_ai.workspaces import WorkspaceBackend, WorkspaceRef
from pydantic_ai.workspaces.conformance import WorkspaceBackendSuite

from berth.pydantic_ai import CommandsBackend, FilesBackend, LocalWorkspace, StateWorkspace


class TestLocalDirectory(WorkspaceBackendSuite):
    """A directory that is there."""

    @pytest.fixture
    def backend(self, tmp_path: Path) -> CommandsBackend:
        return LocalWorkspace[None](tmp_path).backend()


class TestLocalScratch(WorkspaceBackendSuite):
    """Directories that are made: the rules about making, attaching and destroying apply to these."""

    @pytest.fixture
    def capability(self, tmp_path: Path) -> LocalWorkspace[None]:
        return LocalWorkspace(scratch_parent=tmp_path)

    @pytest.fixture
    def backend(self, capability: LocalWorkspace[None]) -> CommandsBackend:
        return capability.backend()

    @pytest.fixture
    def fresh_backend(self, capability: LocalWorkspace[None]) -> Callable[[], WorkspaceBackend]:
        return capability.backend

    @pytest.fixture
    def attach_backend(self, capability: LocalWorkspace[None]) -> Callable[[WorkspaceRef], WorkspaceBackend]:
        return capability.backend

    @pytest.fixture
    def destroy_environment(self, capability: LocalWorkspace[None]) -> Callable[[WorkspaceBackend], Awaitable[None]]:
        async def destroy(backend: WorkspaceBackend) -> None:
            assert backend.ref is not None
            await capability.destroy(backend.ref)

        return destroy


class TestState(WorkspaceBackendSuite):
    """Documents in memory; those on disk are the same code over another store. The rules about commands skip."""

    @pytest.fixture
    def can_detect_exit_with_inherited_output_pipes(self) -> bool:
        return False  # the rule would skip after it had waited 30 s for a command

    @pytest.fixture
    def capability(self) -> StateWorkspace[None]:
        return StateWorkspace()

    @pytest.fixture
    def backend(self, capability: StateWorkspace[None]) -> FilesBackend:
        return capability.backend()

    @pytest.fixture
    def fresh_backend(self, capability: StateWorkspace[None]) -> Callable[[], WorkspaceBackend]:
        return capability.backend

    @pytest.fixture
    def attach_backend(self, capability: StateWorkspace[None]) -> Callable[[WorkspaceRef], WorkspaceBackend]:
        return capability.backend

    @pytest.fixture
    def destroy_environment(self, capability: StateWorkspace[None]) -> Callable[[WorkspaceBackend], Awaitable[None]]:
        async def destroy(backend: WorkspaceBackend) -> None:
            assert backend.ref is not None
            await capability.destroy(backend.ref)

        return destroy


class TestStateInADirectory(TestState):
    @pytest.fixture
    def capability(self, tmp_path: Path) -> StateWorkspace[None]:
        return StateWorkspace(tmp_path / "documents")


class TestStateInADatabase(TestState):
    @pytest.fixture
    def capability(self, tmp_path: Path) -> StateWorkspace[None]:
        return StateWorkspace(tmp_path / "documents.db")
