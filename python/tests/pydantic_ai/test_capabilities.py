"""The capabilities in an agent's runs."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent, RunContext
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.workspaces import (
    LocalWorkspaceBackend,
    Workspace,
    WorkspaceReadOnlyError,
    WorkspaceRef,
    WorkspaceTimeoutError,
    WorkspaceUnavailableError,
)

from berth.pydantic_ai import ConfinedWorkspace, LocalWorkspace, ReadOnlyWorkspace, StateWorkspace

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    """Agents of pydantic-ai run on asyncio; the workspaces alone are tested on trio too, by its own rules."""
    return "asyncio"


def works_once_and_reports(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """A model that calls the one tool, and then answers with what it gave."""
    answered = [part for part in messages[-1].parts if isinstance(part, ToolReturnPart)]
    if answered:
        return ModelResponse(parts=[TextPart(str(answered[0].content))])
    return ModelResponse(parts=[ToolCallPart(info.function_tools[0].name, {})])


def agent_with(capability: Any, work: Callable[[Workspace], Any]) -> Agent[None, str]:
    agent = Agent(FunctionModel(works_once_and_reports), capabilities=[capability])

    @agent.tool
    async def work_in_it(context: RunContext[None]) -> str:
        return str(await work(context.workspace))

    return agent


def ref_in(messages: list[Any]) -> WorkspaceRef | None:
    return [message for message in messages if isinstance(message, ModelResponse)][-1].workspace_ref


async def test_a_run_works_in_the_directory(tmp_path: Path) -> None:
    async def work(workspace: Workspace) -> str:
        await workspace.write_text("made.txt", "by the agent")
        return (await workspace.run(["cat", "made.txt"])).stdout

    result = await agent_with(LocalWorkspace(tmp_path), work).run("go")
    assert "by the agent" in result.output
    assert (tmp_path / "made.txt").read_text() == "by the agent"


async def test_a_conversation_goes_on_in_its_scratch_directory(tmp_path: Path) -> None:
    async def work(workspace: Workspace) -> int:
        names = [entry.name for entry in await workspace.list_dir(".")]
        await workspace.write_text(f"file{len(names)}", "x")
        return len(names)

    capability = LocalWorkspace[None](scratch_parent=tmp_path)
    agent = agent_with(capability, work)
    first = await agent.run("go")
    second = await agent.run("go on", message_history=first.all_messages())
    other = await agent.run("begin")
    assert [one.output for one in (first, second, other)] == ["0", "1", "0"]
    ref = ref_in(second.all_messages())
    assert ref is not None and ref == ref_in(first.all_messages()) != ref_in(other.all_messages())
    assert len(list(tmp_path.iterdir())) == 2
    await capability.destroy(ref)
    await capability.destroy(ref)
    assert len(list(tmp_path.iterdir())) == 1
    with pytest.raises(WorkspaceUnavailableError):
        await agent.run("go on", message_history=second.all_messages())


async def test_history_never_leads_to_another_directory(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    first.mkdir(), second.mkdir()

    async def work(workspace: Workspace) -> str:
        return await workspace.working_dir()

    result = await agent_with(LocalWorkspace(first), work).run("go")
    with pytest.raises(UserError):
        await agent_with(LocalWorkspace(second), work).run("go on", message_history=result.all_messages())
    with pytest.raises(ValueError):
        await LocalWorkspace[None](first).destroy(ref_in(result.all_messages()))  # type: ignore[arg-type]
    assert first.is_dir()


async def test_a_directory_that_was_made_anew_is_found(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()

    async def work(workspace: Workspace) -> int:
        await workspace.write_text("f", "x")
        return len(await workspace.list_dir("."))

    agent = agent_with(LocalWorkspace(place), work)
    await agent.run("go")
    place.rename(tmp_path / "old")
    with pytest.raises(WorkspaceUnavailableError):
        await agent.run("go")
    place.mkdir()
    await agent.run("go")
    assert [entry.name for entry in place.iterdir()] == ["f"]


async def test_a_read_only_workspace_refuses_changes_and_commands(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("x")

    async def work(workspace: Workspace) -> str:
        assert workspace.read_only
        for refused in (workspace.write_text("f", "y"), workspace.run(["true"]), workspace.remove("f")):
            with pytest.raises(WorkspaceReadOnlyError):
                await refused
        return await workspace.read_text("f")

    assert "x" in (await agent_with(LocalWorkspace(tmp_path, read_only=True), work).run("go")).output


async def test_commands_have_the_environment_that_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_KEY", "secret")
    backend = LocalWorkspace[None](tmp_path, env={"MINE": "1"}).backend()
    result = await backend.run('echo "$MINE$MORE$API_KEY"', shell=True, env={"MORE": "2"})
    assert result.stdout == "12\n"


async def test_a_workspace_cannot_be_loaded_later(tmp_path: Path) -> None:
    for make in (lambda: LocalWorkspace[None](tmp_path, defer_loading=True), lambda: StateWorkspace[None](defer_loading=True)):
        with pytest.raises((UserError, TypeError)):
            make()


async def test_documents_are_those_of_the_reference() -> None:
    capability = StateWorkspace[None]()
    document = {
        "files": {
            "/a.txt": {"content": ["one", ""], "created_at": "2026-01-01T00:00:00+00:00",
                       "modified_at": "2026-01-01T00:00:00+00:00"},
            "/b.bin": {"content": ["/w=="], "encoding": "base64", "created_at": "2026-01-01T00:00:00+00:00",
                       "modified_at": "2026-01-01T00:00:00+00:00"},
        },
        "directories": ["/empty"],
    }
    ref = await capability.load(document, workspace_id="from-elsewhere")
    workspace = Workspace(capability.backend(ref))
    assert await workspace.read_text("/a.txt") == "one\n"
    assert await workspace.read_bytes("b.bin") == b"\xff"
    assert [entry.name for entry in await workspace.list_dir("/")] == ["a.txt", "b.bin", "empty"]
    await workspace.write_text("/new/c", "c")
    stored = await capability.document(ref)
    assert stored["files"]["/new/c"]["content"] == ["c"]
    assert stored["files"]["/b.bin"] == document["files"]["/b.bin"]  # type: ignore[index]
    assert stored["directories"] == ["/empty", "/new"]
    assert await capability.refs() == [ref]
    with pytest.raises(UserError):
        await workspace.run(["true"])
    with pytest.raises(ValueError):
        await capability.destroy(WorkspaceRef(provider="local", id="x"))


async def test_partial_output_is_on_the_error(tmp_path: Path) -> None:
    backend = LocalWorkspace[None](tmp_path).backend()
    with pytest.raises(WorkspaceTimeoutError) as late:
        await backend.run("echo begun; echo why >&2; sleep 3600", shell=True, timeout=1)
    assert (late.value.stdout, late.value.stderr) == ("begun\n", "why\n")


async def test_a_background_process_that_left_survives_a_command(tmp_path: Path) -> None:
    backend = LocalWorkspace[None](tmp_path).backend()
    result = await backend.run("setsid sleep 30 >/dev/null 2>&1 & echo $!", shell=True)
    pid = result.stdout.strip()
    assert (await backend.run(["kill", "-0", pid])).exit_code == 0
    await backend.run(["kill", pid])


async def test_bytes_are_no_command(tmp_path: Path) -> None:
    backend = LocalWorkspace[None](tmp_path).backend()
    for shell in (False, True):
        with pytest.raises(TypeError):
            await backend.run(b"echo a; echo b", shell=shell)  # type: ignore[arg-type]


@pytest.mark.parametrize("nested", [False, True])
async def test_a_confined_workspace_holds_around_any_backend(tmp_path: Path, nested: bool) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "outside").write_text("secret")
    (root / "link").symlink_to("../outside")
    (root / "f").write_text("x")
    workspace: Workspace = ConfinedWorkspace(Workspace(LocalWorkspaceBackend(root)))
    if nested:
        workspace = ReadOnlyWorkspace(Workspace(workspace))
    for path in ("../outside", "link", "/etc/passwd"):
        for refused in (workspace.read_bytes(path), workspace.stat(path), workspace.exists(path)):
            with pytest.raises(PermissionError):
                await refused
    assert await workspace.read_bytes("f") == b"x"
    if not nested:
        await workspace.remove("link")
        assert (tmp_path / "outside").exists()


async def test_a_file_that_is_not_writable_is_not_written(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("x")
    (tmp_path / "f").chmod(0o400)
    backend = LocalWorkspace[None](tmp_path).backend()
    if os.geteuid() == 0:
        await backend.write_bytes(f"{tmp_path}/f", b"y")
    else:
        with pytest.raises(PermissionError):
            await backend.write_bytes(f"{tmp_path}/f", b"y")
