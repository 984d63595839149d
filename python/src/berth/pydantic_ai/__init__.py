"""Berth's workspaces for pydantic-ai (2.52 or newer): capabilities that give an agent's runs a place to work.

`LocalWorkspace` is a directory of this machine, `StateWorkspace` a JSON document that holds files.
"""

from importlib.util import find_spec

if find_spec("pydantic_ai") is None or find_spec("pydantic_ai.workspaces") is None:
    raise ImportError(
        "berth.pydantic_ai needs pydantic-ai 2.52 or newer: pip install 'berth-workspace[pydantic-ai]'"
    )

from berth.pydantic_ai._backend import CommandsBackend, FilesBackend
from berth.pydantic_ai._console import ConsoleCapability, create_console_toolset
from berth.pydantic_ai._local import LocalWorkspace
from berth.pydantic_ai._policies import ConfinedWorkspace, ReadOnlyWorkspace
from berth.pydantic_ai._state import StateWorkspace

__all__ = [
    "CommandsBackend",
    "ConfinedWorkspace",
    "ConsoleCapability",
    "FilesBackend",
    "LocalWorkspace",
    "ReadOnlyWorkspace",
    "StateWorkspace",
    "create_console_toolset",
]
