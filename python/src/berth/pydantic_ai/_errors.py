"""Our exceptions as pydantic-ai's. Builtin classes stay what they are."""

from __future__ import annotations

from collections.abc import Callable

from pydantic_ai.workspaces import (
    WorkspaceError,
    WorkspaceReadOnlyError,
    WorkspaceTimeoutError,
    WorkspaceUnavailableError,
)

from berth.errors import details

# What is not here stays as it is: builtin classes, and what may succeed when it is tried again.
_CLASSES: dict[str, Callable[[str], Exception]] = {
    "environment_gone": WorkspaceUnavailableError,
    "foreign_ref": WorkspaceUnavailableError,
    "unauthenticated": WorkspaceUnavailableError,
    "read_only": WorkspaceReadOnlyError,
    "timed_out": WorkspaceTimeoutError,
    "unsupported": WorkspaceError,
    "too_large": WorkspaceError,
    "output_limited": WorkspaceError,
    "ambiguous": WorkspaceError,
    "internal": WorkspaceError,
}


def translated(error: Exception) -> Exception:
    """The exception that a workspace of pydantic-ai raises for one of ours; the same one when it already is."""
    told = details(error)
    if told is None or told.code not in _CLASSES:
        return error
    sentence = f"{told.message}; {told.hint}"
    made = _CLASSES[told.code](sentence if told.path is None else f"{told.path}: {sentence}")
    setattr(made, "details", told)
    return made
