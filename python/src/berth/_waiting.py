"""Await a native call on asyncio and on trio, without an event loop of our own.

The call runs on a native thread and its end makes a descriptor readable that the caller's loop watches. When the task is
cancelled the call is told to stop, and the task waits, whatever else happens to it, until the call has ended: a command
is dead and a write is done or undone when the cancellation goes on.
"""

from __future__ import annotations

import asyncio
import sys
import weakref
from typing import TYPE_CHECKING, TypeVar

import anyio

from berth._native import Completions, Operation

if TYPE_CHECKING:
    import trio

T = TypeVar("T")


async def finish(operation: Operation[T], timeout: float | None) -> T:
    """Run a call to its end."""
    if "trio" in sys.modules and _in_trio():
        return await _on_trio(operation, timeout)
    return await _on_asyncio(operation, timeout)


class _Delivery:
    """Tells the futures of one asyncio loop that their calls have ended."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.completions = Completions()
        loop.add_reader(self.completions.fileno(), self.deliver)

    def deliver(self) -> None:
        for future in self.completions.drain():
            if not future.done():
                future.set_result(None)


_deliveries: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _Delivery] = weakref.WeakKeyDictionary()


async def _on_asyncio(operation: Operation[T], timeout: float | None) -> T:
    loop = asyncio.get_running_loop()
    delivery = _deliveries.get(loop)
    if delivery is None:
        delivery = _deliveries[loop] = _Delivery(loop)
    ended = loop.create_future()
    operation.start(timeout, delivery.completions, ended)
    try:
        await ended
    except asyncio.CancelledError:
        operation.stop()
        await _settle(operation, loop)
        raise
    return operation.take()


async def _settle(operation: Operation[T], loop: asyncio.AbstractEventLoop) -> None:
    # The shield keeps anyio's scopes from cancelling again in every round of the loop; `Task.cancel` still gets through.
    with anyio.CancelScope(shield=True):
        while True:
            ended = loop.create_future()
            if not operation.wait_for_end(ended):
                return
            try:
                await ended
            except asyncio.CancelledError:
                continue


def _in_trio() -> bool:
    import trio

    return trio.lowlevel.in_trio_run()


async def _on_trio(operation: Operation[T], timeout: float | None) -> T:
    import trio

    stopped = False

    def stop(_: object) -> trio.lowlevel.Abort:
        nonlocal stopped
        stopped = True
        operation.stop()
        return trio.lowlevel.Abort.FAILED  # the task goes on when the call has ended

    operation.start(timeout, _trio_completions(), trio.lowlevel.current_task())
    await trio.lowlevel.wait_task_rescheduled(stop)
    if stopped:
        await trio.lowlevel.checkpoint_if_cancelled()
    return operation.take()


def _trio_completions() -> Completions:
    import trio

    global _trio_delivery
    if _trio_delivery is None:
        _trio_delivery = trio.lowlevel.RunVar("berth")
    completions = _trio_delivery.get(None)
    if completions is None:
        completions = Completions()
        trio.lowlevel.spawn_system_task(_deliver_on_trio, completions, name="berth")
        _trio_delivery.set(completions)
    return completions


_trio_delivery: trio.lowlevel.RunVar[Completions | None] | None = None


async def _deliver_on_trio(completions: Completions) -> None:
    import trio

    while True:
        await trio.lowlevel.wait_readable(completions.fileno())
        for task in completions.drain():
            trio.lowlevel.reschedule(task)
