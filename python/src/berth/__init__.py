"""Workspaces for AI agents: files, commands, search, edits, patches and git of one place, in one native engine.

`Workspace` is for programs that wait, `AsyncWorkspace` for asyncio and trio; both have the verbs of the contract.
`berth.pydantic_ai` makes them workspaces of pydantic-ai.
"""

from berth._arguments import default_sensitive_policy
from berth._native import version as __version__
from berth.async_workspace import AsyncRepository, AsyncWorkspace
from berth.errors import ErrorDetails, WorkspaceError, details
from berth.values import Edit, Keep, Limits, SensitivePolicy, StopAt, WorkspaceRef
from berth.workspace import Repository, Workspace

__all__ = [
    "AsyncRepository",
    "AsyncWorkspace",
    "Edit",
    "ErrorDetails",
    "Keep",
    "Limits",
    "Repository",
    "SensitivePolicy",
    "StopAt",
    "Workspace",
    "WorkspaceError",
    "WorkspaceRef",
    "__version__",
    "default_sensitive_policy",
    "details",
]
