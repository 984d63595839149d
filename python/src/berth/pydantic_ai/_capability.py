"""What our capabilities share."""

from __future__ import annotations

from pydantic_ai.exceptions import UserError
from pydantic_ai.workspaces import ReadOnlyWorkspace, Workspace, WorkspaceBackend


def refuse_deferral(capability: object) -> None:
    """A run's workspace is chosen when it starts, so it cannot be loaded later."""
    if getattr(capability, "defer_loading", False):
        raise UserError(f"{type(capability).__name__} gives a run its workspace and cannot be loaded later")


def guarded(backend: WorkspaceBackend, *, read_only: bool) -> WorkspaceBackend:
    return ReadOnlyWorkspace(Workspace(backend)) if read_only else backend
