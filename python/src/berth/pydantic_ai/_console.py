"""The console tools of pydantic-ai-backends, native: `ls read_file write_file edit_file glob grep execute`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from os import PathLike, fspath
from typing import Any, Generic, Literal, Protocol, cast

from pydantic_ai import BinaryContent
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import ApprovalRequired, ModelRetry, UserError
from pydantic_ai.tools import AgentDepsT, RunContext, Tool, ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, FunctionToolset
from pydantic_ai.workspaces import Workspace, WrapperWorkspace

from berth import _native
from berth._waiting import finish
from berth.pydantic_ai._backend import CommandsBackend, FilesBackend
from berth.pydantic_ai._errors import translated
from berth.values import ToolInfo, ToolResult

EditFormat = Literal["str_replace", "hashline"]
MEDIA_BYTES = 50 * 1024 * 1024


class _Ruleset(Protocol):
    """A ruleset of pydantic-ai-backends."""

    def model_dump_json(self) -> str: ...


Permissions = str | PathLike[str] | Mapping[str, Any] | _Ruleset
"""`preset:NAME`, a TOML or JSON file of rules, rules as JSON values, or a ruleset of pydantic-ai-backends."""


@dataclass(frozen=True)
class _Options:
    edit_format: EditFormat
    rules: str
    images: bool
    documents: bool
    max_image_bytes: int
    max_document_bytes: int


class _ConsoleTool(Generic[AgentDepsT]):
    """One tool: called with the arguments that a model gave, works in the run's workspace."""

    def __init__(self, info: ToolInfo, options: _Options) -> None:
        self.info = info
        self.options = options

    async def __call__(self, context: RunContext[AgentDepsT], **arguments: Any) -> Any:
        try:
            tools = await _tools(context.workspace, self.options)
            if self.info.changes_files or self.info.runs_commands:
                _refuse_when_read_only(context.workspace)
            operation = tools.call(self.info.name, json.dumps(arguments), context.tool_call_approved)
            result = await finish(operation, None)
        except UserError:
            raise
        except Exception as error:
            raise translated(error) from error
        return _answer(result, context)

    async def prepare(self, context: RunContext[AgentDepsT], definition: ToolDefinition) -> ToolDefinition | None:
        """Leave out what the workspace does not offer."""
        workspace = context.workspace
        if workspace.read_only and (self.info.changes_files or self.info.runs_commands):
            return None
        if self.info.runs_commands and not isinstance(_backend(workspace), CommandsBackend):
            return None
        return definition


def _answer(result: ToolResult, context: RunContext[Any]) -> Any:
    if result.outcome != "success":
        error = cast(dict[str, Any], json.loads(result.structured).get("error", {}))
        if error.get("code") == "approval_required":
            raise ApprovalRequired(metadata=error)
        if error.get("code") == "environment_gone":
            from pydantic_ai.workspaces import WorkspaceUnavailableError

            raise WorkspaceUnavailableError(str(error.get("message")))
        if result.outcome == "retry" and context.retry < context.max_retries:
            raise ModelRetry(result.text)
    if not result.media:
        return result.text
    parts: list[str | BinaryContent] = [result.text] if result.text else []
    parts += [BinaryContent(data=one.content, media_type=one.media_type) for one in result.media]
    return parts


def _backend(workspace: Workspace) -> FilesBackend | None:
    backend = workspace.backend
    return backend if isinstance(backend, FilesBackend) else None


async def _tools(workspace: Workspace, options: _Options) -> _native.Tools:
    backend = _backend(workspace)
    if backend is None:
        raise UserError(
            "the console tools of berth work in berth's own workspaces: give the run a LocalWorkspace or StateWorkspace of"
            f" berth.pydantic_ai, not a {type(workspace.backend).__name__}"
        )
    for layer in _layers(workspace):
        if layer.__module__.partition(".")[0] not in ("pydantic_ai", "berth"):
            raise UserError(f"the console tools would go past {layer.__name__}, which wraps the workspace")
    made = backend.tools.get(options)
    if made is None:
        native = await backend.ruled(options.rules)
        made = _native.make_tools(
            native,
            "console",
            options.edit_format,
            options.rules,
            options.images,
            options.documents,
            options.max_image_bytes,
            options.max_document_bytes,
        )
        made = backend.tools.setdefault(options, made)
    return made


def _layers(workspace: Workspace) -> list[type[Workspace]]:
    layers: list[type[Workspace]] = []
    layer: Workspace = workspace
    while isinstance(layer, WrapperWorkspace):
        layers.append(type(layer))
        layer = layer.wrapped
    return layers


def _refuse_when_read_only(workspace: Workspace) -> None:
    if workspace.read_only:
        from pydantic_ai.workspaces import WorkspaceReadOnlyError

        raise WorkspaceReadOnlyError("this workspace is read-only")


def _rules(permissions: Permissions | None, *, write_approval: bool, execute_approval: bool) -> str:
    if permissions is None:
        write, execute = "ask" if write_approval else "allow", "ask" if execute_approval else "allow"
        return json.dumps({"default": "allow", "write": write, "edit": write, "execute": execute})
    if isinstance(permissions, str):
        return permissions
    if isinstance(permissions, PathLike):
        return fspath(permissions)
    if isinstance(permissions, Mapping):
        return json.dumps(dict(permissions))
    return permissions.model_dump_json()


def create_console_toolset(
    *,
    id: str | None = None,
    include_execute: bool = True,
    edit_format: EditFormat = "str_replace",
    image_support: bool = False,
    max_image_bytes: int = MEDIA_BYTES,
    document_support: bool = False,
    max_document_bytes: int = MEDIA_BYTES,
    descriptions: Mapping[str, str] | None = None,
    require_write_approval: bool = False,
    require_execute_approval: bool = True,
    permissions: Permissions | None = None,
    max_retries: int = 1,
) -> FunctionToolset[Any]:
    """The console tools as a toolset. With `permissions` the two approval options mean nothing."""
    options = _Options(
        edit_format,
        _rules(permissions, write_approval=require_write_approval, execute_approval=require_execute_approval),
        image_support,
        document_support,
        max_image_bytes,
        max_document_bytes,
    )
    infos = [one for one in _native.tool_infos("console", edit_format) if include_execute or not one.runs_commands]
    described = dict(descriptions or {})
    toolset: FunctionToolset[Any] = FunctionToolset(id=id, max_retries=max_retries)
    for info in infos:
        tool: _ConsoleTool[Any] = _ConsoleTool(info, options)
        made: Tool[Any] = Tool.from_schema(
            tool.__call__,
            info.name,
            described.pop(info.name, info.description),
            json.loads(info.input_schema),
            takes_ctx=True,
        )
        made.prepare = tool.prepare
        toolset.add_tool(made)
    if described:
        raise UserError(f"there is no console tool {next(iter(described))!r} to describe")
    return toolset


@dataclass
class ConsoleCapability(AbstractCapability[AgentDepsT]):
    """Gives an agent the console tools, in the workspace of its run."""

    _: KW_ONLY

    include_execute: bool = True
    """Offer `execute`."""

    edit_format: EditFormat = "str_replace"
    """How files are edited: by text, or by line numbers with hashes."""

    image_support: bool = False
    """Let `read_file` give images as images."""

    max_image_bytes: int = MEDIA_BYTES
    document_support: bool = False
    """Let `read_file` give PDF files as documents."""

    max_document_bytes: int = MEDIA_BYTES
    descriptions: Mapping[str, str] | None = None
    """Other descriptions of tools, by their names."""

    permissions: Permissions | None = None
    """What is allowed, asked about and denied; by default commands are asked about."""

    id: str | None = "console"

    def get_toolset(self) -> AbstractToolset[AgentDepsT]:
        return create_console_toolset(
            id=self.id,
            include_execute=self.include_execute,
            edit_format=self.edit_format,
            image_support=self.image_support,
            max_image_bytes=self.max_image_bytes,
            document_support=self.document_support,
            max_document_bytes=self.max_document_bytes,
            descriptions=self.descriptions,
            permissions=self.permissions,
        )

    @classmethod
    def combine(cls, capabilities: Sequence[AbstractCapability[AgentDepsT]]) -> AbstractCapability[AgentDepsT]:
        return capabilities[-1]
