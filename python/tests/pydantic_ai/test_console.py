"""The console tools in an agent's runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent, BinaryContent, DeferredToolRequests, DeferredToolResults
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.workspaces import LocalWorkspaceBackend

from berth.pydantic_ai import ConsoleCapability, LocalWorkspace, StateWorkspace

pytestmark = pytest.mark.anyio

ALLOW = {"default": "allow"}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Script:
    """A model that makes one call after another and keeps what each gave."""

    def __init__(self, *calls: tuple[str, dict[str, Any]]) -> None:
        self.calls = list(calls)
        self.answers: list[Any] = []
        self.offered: list[str] = []

    def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.offered = [tool.name for tool in info.function_tools]
        for part in messages[-1].parts:
            if isinstance(part, (ToolReturnPart, RetryPromptPart)):
                self.answers.append(part.content)
        if not self.calls:
            return ModelResponse(parts=[TextPart("done")])
        name, arguments = self.calls.pop(0)
        return ModelResponse(parts=[ToolCallPart(name, arguments)])


def agent_for(script: Script, *capabilities: Any, output: Any = str) -> Agent[None, Any]:
    return Agent(FunctionModel(script), capabilities=list(capabilities), output_type=output)


async def test_a_task_is_done_with_the_tools(tmp_path: Path) -> None:
    script = Script(
        ("write_file", {"path": "src/a.py", "content": "x = 1\ny = 2\n"}),
        ("read_file", {"path": "src/a.py"}),
        ("edit_file", {"path": "src/a.py", "old_string": "x = 1", "new_string": "x = 3"}),
        ("glob", {"pattern": "src/**/*.py"}),
        ("grep", {"pattern": "x = .", "output_mode": "content"}),
        ("ls", {"path": "src"}),
        ("execute", {"command": "cat src/a.py; exit 3"}),
    )
    await agent_for(script, LocalWorkspace(tmp_path), ConsoleCapability(permissions=ALLOW)).run("go")
    assert script.answers == [
        "Wrote 2 lines to src/a.py",
        "     1\tx = 1\n     2\ty = 2",
        "Edited src/a.py: replaced 1 occurrence(s)",
        "Found 1 file(s) matching 'src/**/*.py':\n  src/a.py",
        "Matches for 'x = .':\n  ./src/a.py:1: x = 3",
        "Contents of src:\n  a.py (12 bytes)",
        "Command failed (exit code 3):\nx = 3\ny = 2\n",
    ]


async def test_the_same_tools_work_on_a_document(tmp_path: Path) -> None:
    script = Script(("write_file", {"path": "/n.txt", "content": "one\n"}), ("read_file", {"path": "/n.txt"}))
    await agent_for(script, StateWorkspace(), ConsoleCapability()).run("go")
    assert script.answers == ["Wrote 1 lines to /n.txt", "     1\tone"]
    assert script.offered == ["ls", "read_file", "write_file", "edit_file", "glob", "grep"]


async def test_a_read_only_workspace_offers_what_reads(tmp_path: Path) -> None:
    script = Script()
    await agent_for(script, LocalWorkspace(tmp_path, read_only=True), ConsoleCapability()).run("go")
    assert script.offered == ["ls", "read_file", "glob", "grep"]


async def test_an_approved_call_is_done(tmp_path: Path) -> None:
    """In the original an approved `ask` is still refused."""
    script = Script(("execute", {"command": "touch made"}))
    agent = agent_for(script, LocalWorkspace(tmp_path), ConsoleCapability(), output=[str, DeferredToolRequests])
    first = await agent.run("go")
    assert isinstance(first.output, DeferredToolRequests) and not (tmp_path / "made").exists()
    (call,) = first.output.approvals
    results = DeferredToolResults(approvals={call.tool_call_id: True})
    second = await agent.run(message_history=first.all_messages(), deferred_tool_results=results)
    assert second.output == "done" and (tmp_path / "made").exists()


async def test_what_rules_deny_is_neither_read_nor_found(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("KEY=secret")
    (tmp_path / "link").symlink_to(".env")
    script = Script(
        ("read_file", {"path": ".env"}), ("read_file", {"path": "link"}),
        ("grep", {"pattern": "secret", "ignore_hidden": False}))
    rules = {"default": "allow", "read": {"default": "allow", "rules": [{"pattern": "**/.env", "action": "deny"}]}}
    await agent_for(script, LocalWorkspace(tmp_path), ConsoleCapability(permissions=rules)).run("go")
    assert len(script.answers) == 3 and not any("KEY=secret" in str(answer) for answer in script.answers)
    assert "No matches" in str(script.answers[2])


async def test_a_failure_that_can_be_mended_is_a_retry_once(tmp_path: Path) -> None:
    script = Script(("read_file", {"path": "nothing"}), ("read_file", {"path": "nothing"}))
    await agent_for(script, LocalWorkspace(tmp_path), ConsoleCapability()).run("go")
    assert len(script.answers) == 2 and all("nothing" in str(answer) for answer in script.answers)


async def test_a_file_that_changed_since_it_was_read_is_not_edited(tmp_path: Path) -> None:
    """However it is spelled; the original keeps its knowledge by the spelling."""
    (tmp_path / "f").write_text("one\n")
    script = Script(
        ("read_file", {"path": "./f"}), ("execute", {"command": "echo changed > f"}),
        ("edit_file", {"path": "f", "old_string": "changed", "new_string": "x"}))
    await agent_for(script, LocalWorkspace(tmp_path), ConsoleCapability(permissions=ALLOW)).run("go")
    assert "changed since" in str(script.answers[2])
    assert (tmp_path / "f").read_text() == "changed\n"


async def test_images_come_as_images_when_wanted(tmp_path: Path) -> None:
    png = b"\x89PNG\r\n\x1a\n" + bytes(range(64))
    (tmp_path / "i.png").write_bytes(png)
    seen: list[bytes] = []

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        for part in messages[-1].parts:
            content = getattr(part, "content", None)
            items = content if isinstance(content, list) else [content]
            seen.extend(item.data for item in items if isinstance(item, BinaryContent))
        asked = isinstance(messages[-1].parts[-1], UserPromptPart) and len(messages) == 1
        return ModelResponse(
            parts=[ToolCallPart("read_file", {"path": "i.png"})] if asked else [TextPart("done")])

    agent = Agent(FunctionModel(model), capabilities=[LocalWorkspace(tmp_path), ConsoleCapability(image_support=True)])
    await agent.run("go")
    assert seen == [png]


async def test_the_edit_format_decides_which_tool_edits(tmp_path: Path) -> None:
    script = Script()
    capability = ConsoleCapability[None](edit_format="hashline", include_execute=False)
    await agent_for(script, LocalWorkspace(tmp_path), capability).run("go")
    assert script.offered == ["ls", "read_file", "write_file", "hashline_edit", "glob", "grep"]


async def test_descriptions_are_replaced_by_name(tmp_path: Path) -> None:
    with pytest.raises(UserError):
        Agent(FunctionModel(Script()), capabilities=[ConsoleCapability(descriptions={"nothing": "x"})])


async def test_another_workspace_is_refused_by_name(tmp_path: Path) -> None:
    script = Script(("ls", {}))
    agent = agent_for(script, ConsoleCapability())
    with pytest.raises(UserError, match="LocalWorkspaceBackend"):
        await agent.run("go", workspace=LocalWorkspaceBackend(tmp_path))
