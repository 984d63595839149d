"""What calls raise: builtin classes wherever one says it (`FileNotFoundError`, `ValueError`, …), ours elsewhere.

Every exception that comes from a workspace has `errno` set and carries what `details` gives: the code of the error
table, the path as the caller wrote it, the next step, and facts for programs.
"""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from typing import Union

Field = Union[int, str, tuple[str, ...]]


class WorkspaceError(Exception):
    """Every class of ours derives from this one, and from the builtin class that it is a case of."""


class WorkspaceNotRegularError(WorkspaceError, OSError):
    """A device, pipe or socket."""


class WorkspaceNotEmptyError(WorkspaceError, OSError):
    """A directory that still holds something."""


class WorkspaceNameTooLongError(WorkspaceError, OSError):
    """A name over 255 bytes, or a path over 4096."""


class WorkspaceSymlinkLoopError(WorkspaceError, OSError):
    """Links that lead in a circle."""


class WorkspacePathError(WorkspaceError, PermissionError):
    """A path that leads out of the workspace."""


class WorkspacePolicyError(WorkspaceError, PermissionError):
    """Something that a policy refuses."""


class WorkspaceApprovalError(WorkspaceError, PermissionError):
    """Something that somebody must approve first."""


class WorkspaceReadOnlyError(WorkspaceError, PermissionError):
    """A change in a workspace that is only read."""


class WorkspaceOffsetError(WorkspaceError, ValueError):
    """An offset past the end."""


class WorkspaceRevisionError(WorkspaceError, RuntimeError):
    """The file holds something else than it was said to."""


class WorkspaceModeError(WorkspaceError, RuntimeError):
    """The file has another mode than it was said to."""


class WorkspaceChangedError(WorkspaceError, RuntimeError):
    """A file that did not hold still to be read."""


class WorkspaceAmbiguousError(WorkspaceError, RuntimeError):
    """A change of which it is not known whether it happened."""


class EditAnchorError(WorkspaceError, ValueError):
    """An edit without the text to be replaced."""


class EditMatchError(WorkspaceError, ValueError):
    """The text to be replaced is not there."""


class EditAmbiguousError(WorkspaceError, ValueError):
    """The text to be replaced is there another number of times."""


class PatchError(WorkspaceError, ValueError):
    """A patch that does not fit."""


class WorkspaceDirtyError(WorkspaceError, RuntimeError):
    """A repository with changes that are not committed."""


class WorkspaceTooLargeError(WorkspaceError, RuntimeError):
    """More than a limit allows."""


class WorkspaceOutputLimitError(WorkspaceError, RuntimeError):
    """A command that printed more than it may."""


class WorkspaceTimeoutError(WorkspaceError, TimeoutError):
    """A call that did not end in the time it was given."""


class WorkspaceCancelledError(WorkspaceError, RuntimeError):
    """A call that was stopped."""


class WorkspaceUnsupportedError(WorkspaceError, RuntimeError):
    """Something that this kind of workspace cannot do."""


class WorkspaceUnavailableError(WorkspaceError, RuntimeError):
    """The environment does not answer now."""


class WorkspaceGoneError(WorkspaceUnavailableError):
    """The environment no longer exists."""


class WorkspaceForeignRefError(WorkspaceError, PermissionError):
    """A ref of another kind of workspace."""


class WorkspaceAuthError(WorkspaceError, PermissionError):
    """A token that is not valid."""


class WorkspaceConflictError(WorkspaceError, RuntimeError):
    """Something else is using it."""


class WorkspaceRateLimitError(WorkspaceError, RuntimeError):
    """Too many calls."""


class WorkspaceNoSpaceError(WorkspaceError, OSError):
    """No space is left."""


class WorkspaceProtocolError(WorkspaceError, RuntimeError):
    """The other side does not speak our protocol."""


class WorkspaceIOError(WorkspaceError, OSError):
    """A failure of the system."""


class WorkspaceInternalError(WorkspaceError, RuntimeError):
    """A fault of Berth."""


@dataclass(frozen=True)
class ErrorDetails:
    """What a workspace says of a failure."""

    code: str
    """Name of the row in the error table: `not_found`, `revision_mismatch`, …"""
    message: str
    path: str | None
    hint: str
    """The next step."""
    retryable: bool
    fields: dict[str, Field]
    """Facts for programs: `expected_revision`, `places`, …"""


def details(error: BaseException) -> ErrorDetails | None:
    """What a workspace said of an exception; None for one that comes from elsewhere."""
    found = getattr(error, "details", None)
    return found if isinstance(found, ErrorDetails) else None


def class_for(name: str) -> type[Exception]:
    """The class with a name of the error table."""
    found: object = globals().get(name) or getattr(builtins, name)
    if not (isinstance(found, type) and issubclass(found, Exception)):
        raise TypeError(f"{name} names no exception class")
    return found


def make_error(
    python_class: str,
    errno: int,
    code: str,
    message: str,
    path: str | None,
    hint: str,
    retryable: bool,
    fields: dict[str, Field],
) -> Exception:
    """Called by the native part."""
    kind = class_for(python_class)
    sentence = f"{message}; {hint}"
    error: Exception
    if issubclass(kind, OSError):
        error = kind(errno, sentence) if path is None else kind(errno, sentence, path)
    else:
        error = kind(sentence if path is None else f"{path}: {sentence}")
        setattr(error, "errno", errno)
    setattr(error, "details", ErrorDetails(code, message, path, hint, retryable, fields))
    return error
