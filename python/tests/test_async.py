from __future__ import annotations

import asyncio
import gc
import os
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import pytest

from berth import AsyncWorkspace

pytestmark = pytest.mark.anyio


@pytest.fixture
async def opened(directory: Path) -> AsyncIterator[AsyncWorkspace]:
    async with await AsyncWorkspace.open(directory) as workspace:
        yield workspace


def is_alive(pid: int) -> bool:
    try:
        return "zombie" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


async def started(workspace: AsyncWorkspace) -> int:
    with anyio.fail_after(30):
        while not await workspace.exists("pid"):
            await anyio.sleep(0.005)
    return int(await workspace.read_text("pid"))


SLEEPER = "echo $$ > tmp; mv tmp pid; exec sleep 3600"


async def test_calls_are_awaited(opened: AsyncWorkspace) -> None:
    written = await opened.write("a/f", "text")
    assert (await opened.read("a/f")).revision == written.revision
    assert (await opened.run(["cat", "a/f"])).stdout == "text"
    assert await opened.list_files() == ["a/f"]
    with pytest.raises(FileNotFoundError):
        await opened.read("nothing")


async def test_many_calls_run_at_once(opened: AsyncWorkspace) -> None:
    async def one(number: int) -> None:
        await opened.write(f"f{number}", str(number))
        assert await opened.read_text(f"f{number}") == str(number)

    # Each waits for what another one does: they would hang if they took turns.
    async def waits() -> None:
        await opened.run("until [ -e release ]; do sleep 0.01; done", shell=True)

    async with anyio.create_task_group() as group:
        for _ in range(8):
            group.start_soon(waits)
        for number in range(50):
            group.start_soon(one, number)
        group.start_soon(opened.write, "release", "")


async def test_cancelling_a_scope_ends_the_command(opened: AsyncWorkspace) -> None:
    async with anyio.create_task_group() as group:
        group.start_soon(lambda: opened.run(SLEEPER, shell=True))
        pid = await started(opened)
        group.cancel_scope.cancel()
    assert not is_alive(pid), "the command is dead when the cancellation goes on"


async def test_a_deadline_of_a_scope_ends_the_command(opened: AsyncWorkspace) -> None:
    with anyio.move_on_after(0.3) as scope:
        await opened.run(SLEEPER, shell=True)
    assert scope.cancelled_caught
    if await opened.exists("pid"):
        assert not is_alive(int(await opened.read_text("pid")))


async def test_a_cancelled_write_is_done_or_not(opened: AsyncWorkspace) -> None:
    old, new = b"o" * 1_000_000, b"n" * 1_000_000
    for _ in range(20):
        await opened.write("f", old)
        async with anyio.create_task_group() as group:
            group.start_soon(opened.write, "f", new)
            await anyio.lowlevel.checkpoint()
            group.cancel_scope.cancel()
        content = await opened.read_bytes("f")
        assert content in (old, new)
        assert [entry.name for entry in await opened.list_directory()] == ["f"]


async def test_a_call_in_a_cancelled_scope_ends(opened: AsyncWorkspace) -> None:
    with anyio.CancelScope() as scope:
        scope.cancel()
        await opened.run(["sleep", "3600"])
    assert scope.cancelled_caught


async def test_threads_and_descriptors_do_not_grow(opened: AsyncWorkspace) -> None:
    async def cancelled() -> None:
        with anyio.move_on_after(0.001):
            await opened.run(["sleep", "60"])

    async def round_of_calls() -> None:
        async with anyio.create_task_group() as group:
            for _ in range(4):
                group.start_soon(cancelled)
                group.start_soon(opened.list_files)

    await round_of_calls()
    before = len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))
    for _ in range(5):
        await round_of_calls()
    gc.collect()
    after = len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))
    assert after[0] <= before[0] + 2 and after[1] <= before[1] + 8


async def test_a_state_workspace_is_awaited_too(tmp_path: Path) -> None:
    async with await AsyncWorkspace.open(f"state:{tmp_path}/s.json") as workspace:
        await workspace.write("f", "x")
        assert (await workspace.search("x", mode="files")).files[0].path == "f"


class TestAsyncioAlone:
    """Tasks that asyncio itself cancels, without anyio's scopes."""

    @pytest.fixture
    def anyio_backend(self) -> str:
        return "asyncio"

    async def test_cancelling_a_task_ends_the_command(self, opened: AsyncWorkspace) -> None:
        task = asyncio.create_task(opened.run(SLEEPER, shell=True))
        pid = await started(opened)
        task.cancel()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not is_alive(pid)

    async def test_cancelling_again_while_it_ends_changes_nothing(self, opened: AsyncWorkspace) -> None:
        task = asyncio.create_task(
            opened.run("trap '' TERM; echo $$ > tmp; mv tmp pid; while :; do sleep 0.05; done", shell=True))
        pid = await started(opened)
        task.cancel()
        await asyncio.sleep(0.05)
        assert not task.done()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not is_alive(pid)

    async def test_wait_for_ends_the_command(self, opened: AsyncWorkspace) -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(opened.run(SLEEPER, shell=True), 0.3)
        assert not is_alive(await started(opened))


def test_one_loop_after_another_in_many_threads(directory: Path) -> None:
    async def work(name: str) -> None:
        async with await AsyncWorkspace.open(directory) as workspace:
            for _ in range(20):
                await workspace.write(name, name)
                assert await workspace.read_text(name) == name

    def loops(name: str) -> None:
        for backend in ("asyncio", "trio", "asyncio"):
            anyio.run(work, name, backend=backend)

    threads = [threading.Thread(target=loops, args=(f"t{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
        assert not thread.is_alive()
    gc.collect()


def test_a_loop_that_is_closed_leaves_nothing_behind(directory: Path) -> None:
    async def use() -> None:
        async with await AsyncWorkspace.open(directory) as workspace:
            await workspace.list_files()

    for backend in ("asyncio", "trio"):
        anyio.run(use, backend=backend)
    gc.collect()
    before = len(os.listdir("/proc/self/fd"))
    for backend in ("asyncio", "trio") * 5:
        anyio.run(use, backend=backend)
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) <= before + 1


def test_a_coroutine_that_is_dropped_ends_its_command(directory: Path) -> None:
    async def abandon() -> int:
        workspace = await AsyncWorkspace.open(directory)
        running = workspace.run(SLEEPER, shell=True)
        running.send(None)
        pid = await started(workspace)
        running.close()
        return pid

    pid = asyncio.run(abandon())
    assert not is_alive(pid)
