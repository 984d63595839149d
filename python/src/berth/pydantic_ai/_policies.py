"""Policies that hold around any workspace of pydantic-ai, ours or not, at any depth of wrappers."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic_ai.workspaces import FileEntry, ReadOnlyWorkspace, Workspace, WrapperWorkspace

from berth.errors import WorkspacePathError

__all__ = ["ConfinedWorkspace", "ReadOnlyWorkspace"]


class ConfinedWorkspace(WrapperWorkspace):
    """A workspace whose file operations stay below its working directory, links resolved; else WorkspacePathError.

    `LocalWorkspace` of Berth is confined by the kernel on the handle that is used, and needs no such wrapper. Around
    another backend a link that is exchanged between the check and the operation is not seen. Commands are not confined.
    """

    def __init__(self, wrapped: Workspace) -> None:
        super().__init__(wrapped)
        self._root = ""

    async def read_bytes(self, path: str) -> bytes:
        return await self.wrapped.read_bytes(await self._inside(path))

    async def write_bytes(self, path: str, data: bytes) -> None:
        await self.wrapped.write_bytes(await self._inside(path), data)

    async def stat(self, path: str) -> FileEntry:
        return await self.wrapped.stat(await self._inside(path))

    async def list_dir(self, path: str) -> Sequence[FileEntry]:
        return await self.wrapped.list_dir(await self._inside(path))

    async def make_dir(self, path: str) -> None:
        await self.wrapped.make_dir(await self._inside(path))

    async def remove(self, path: str) -> None:
        # A link is removed itself: where it leads does not matter, only where it stands.
        resolved = await self.resolve(path)
        parent, _, name = resolved.rpartition("/")
        if name:
            await self._inside(parent or "/")
        await self.wrapped.remove(resolved)

    async def exists(self, path: str) -> bool:
        return await self.wrapped.exists(await self._inside(path))

    async def _inside(self, path: str) -> str:
        if not self._root:
            self._root = (await self.wrapped.realpath(await self.wrapped.working_dir())).rstrip("/")
        resolved = await self.wrapped.resolve(path)
        real = await self.wrapped.realpath(resolved)
        if not (real + "/").startswith(self._root + "/"):
            raise WorkspacePathError(13, f"the path leads outside the workspace ({self._root or '/'})", path)
        return resolved
