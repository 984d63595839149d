"""The tools of the pydantic-ai harness do scripted tasks in our workspaces. Run where the harness is installed."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, RetryPromptPart, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel
from pydantic_ai_harness.coder import Coder
from pydantic_ai_harness.filesystem import FileSystem
from pydantic_ai_harness.shell import Shell

from berth.pydantic_ai import LocalWorkspace, StateWorkspace

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def answers_of(calls: list[tuple[str, dict[str, Any]]], *capabilities: Any) -> list[str]:
    """What a model is told that makes one call after another."""
    answers: list[str] = []
    left = list(calls)

    def next_part(messages: list[ModelMessage]) -> TextPart | ToolCallPart:
        for part in messages[-1].parts:
            if isinstance(part, (ToolReturnPart, RetryPromptPart)):
                answers.append(str(part.content))
        return ToolCallPart(*left.pop(0)) if left else TextPart("done")

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[next_part(messages)])

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
        part = next_part(messages)
        if isinstance(part, TextPart):
            yield part.content
        else:
            yield {0: DeltaToolCall(part.tool_name, json.dumps(part.args), tool_call_id=part.tool_call_id)}

    await Agent(FunctionModel(respond, stream_function=stream), capabilities=list(capabilities)).run("go")
    return answers


FILES = [
    ("create_directory", {"path": "src"}),
    ("write_file", {"path": "src/app.py", "content": "x = 1\n"}),
    ("list_directory", {"path": "src"}),
    ("search_files", {"pattern": "x = ."}),
    ("find_files", {"pattern": "**/*.py"}),
]
ANSWERS = [
    "Created directory: src",
    "Wrote 6 chars (1 lines) to src/app.py. [hash:9e26bf369911]",
    "src/app.py  (6 bytes)",
    "src/app.py:1:x = 1",
    "src/app.py",
]


async def test_the_coder_changes_and_runs_a_program(tmp_path: Path) -> None:
    answers = await answers_of([
        ("write_file", {"path": "app.py", "content": "def f():\n    return 1\n"}),
        ("edit_file", {"path": "app.py", "old_text": "return 1", "new_text": "return 2"}),
        ("list_files", {}),
        ("grep", {"pattern": "return"}),
        ("shell", {"command": "python3 -c 'import app; print(app.f())'"}),
    ], LocalWorkspace(tmp_path), Coder())
    assert answers[1:4] == ["Edited app.py.", "app.py", "app.py:2:    return 2"]
    assert answers[4].startswith("2\n")


async def test_the_file_tools_work_in_a_directory(tmp_path: Path) -> None:
    assert await answers_of(FILES, LocalWorkspace(tmp_path), FileSystem()) == ANSWERS


async def test_the_file_tools_work_in_a_document() -> None:
    assert await answers_of(FILES, StateWorkspace(), FileSystem()) == ANSWERS


async def test_commands_run_on_and_are_stopped(tmp_path: Path) -> None:
    workspace = LocalWorkspace[None](tmp_path)
    ran, started = await answers_of([
        ("run_command", {"command": "echo out; exit 3"}), ("start_command", {"command": "echo hi; sleep 60"}),
    ], workspace, Shell())
    assert ran == "[stdout]\nout\n\n[exit code: 3]"
    command = {"command_id": started.rpartition("ID: ")[2].strip()}
    (stopped,) = await answers_of([("stop_command", command)], workspace, Shell())
    assert stopped.endswith("[stopped]\n[exit code: 143]")
