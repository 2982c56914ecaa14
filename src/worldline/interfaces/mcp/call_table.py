"""Table of tool calls: each call has a random id, by which it is polled or cancelled."""

import asyncio
import secrets
from collections.abc import Coroutine
from dataclasses import dataclass

from worldline.core.errors import InputError
from worldline.interfaces.mcp.answers import Answer

# Calls that may run or wait at the same time.
MAX_RUNNING = 200
# Finished calls whose answers can still be asked for.
MAX_FINISHED = 100


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, as data and as text."""

    answer: Answer
    text: str


class CallTable:
    """The running calls, and the answers of the last finished ones.

    Ids are random: without its id, a call can neither be read nor cancelled.
    """

    def __init__(self) -> None:
        self._tasks: dict[str, asyncio.Task[Reply]] = {}

    @staticmethod
    def new_id() -> str:
        """A new id of 128 random bits."""
        return secrets.token_hex(16)

    def start(self, id: str, work: Coroutine[None, None, Reply]) -> None:
        """Start the work of a call.

        Raises:
            InputError: Too many calls are running.
        """
        finished = [each for each, task in self._tasks.items() if task.done()]
        if len(self._tasks) - len(finished) >= MAX_RUNNING:
            work.close()
            raise InputError(
                f"{MAX_RUNNING} calls are running; wait for one, or end one with cancel_call"
            )
        for each in finished[: max(0, len(finished) - MAX_FINISHED + 1)]:
            del self._tasks[each]
        task = asyncio.ensure_future(work)
        task.add_done_callback(_look_at_exception)
        self._tasks[id] = task

    async def wait(self, id: str, seconds: float) -> Reply | None:
        """Wait for a call; None if it takes longer.

        Raises:
            InputError: There is no such call, or it was cancelled.
            WorldlineError: The call failed.
        """
        task = self._task(id)
        await asyncio.wait({task}, timeout=seconds)
        if task.cancelled():
            raise InputError("this call was cancelled; call the tool again")
        return task.result() if task.done() else None

    def cancel(self, id: str) -> bool:
        """Cancel a call; return whether it was still running.

        Raises:
            InputError: There is no such call.
        """
        return self._task(id).cancel()

    async def close(self) -> None:
        """Cancel all calls and wait for their end."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._tasks.clear()

    def _task(self, id: str) -> asyncio.Task[Reply]:
        if id not in self._tasks:
            raise InputError(
                "there is no call with this id; ids are in the answers of the tools, and the last "
                f"{MAX_FINISHED} answers are kept"
            )
        return self._tasks[id]


def _look_at_exception(task: "asyncio.Task[Reply]") -> None:
    """Retrieve the exception, so that asyncio does not log a failed call that is never polled."""
    if not task.cancelled():
        task.exception()
