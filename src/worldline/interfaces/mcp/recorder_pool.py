"""Recorders that execute programs for many calls at once; a cancelled call kills its program."""

import asyncio
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial

from worldline.core.errors import WorldlineError
from worldline.core.trace import Limits, Program, Trace
from worldline.languages.python.recorder import Cancellation, PythonRecorder

# Each recorder is an interpreter that waits for programs.
DEFAULT_RECORDERS = min(4, os.cpu_count() or 1)


class RecorderPool:
    """A fixed number of recorders, for one event loop. Calls that find none free wait for one.

    Each recorder executes one program at a time, in a process of its own, so that no call sees
    anything of another.
    """

    def __init__(
        self,
        size: int = DEFAULT_RECORDERS,
        *,
        python: str | None = None,
        first: PythonRecorder | None = None,
    ) -> None:
        """Configure a pool; recorders start when they are needed.

        Args:
            size: The number of recorders.
            python: The interpreter that executes programs; by default the current one.
            first: The first recorder, which may be starting already.
        """
        self._python = python
        self._threads = ThreadPoolExecutor(size, thread_name_prefix="worldline-mcp")
        self._free = [first] if first is not None else []
        self._slots = asyncio.Semaphore(size)
        # Recordings under way, each with the cancellation that ends it.
        self._recordings: dict[asyncio.Future[Trace], Cancellation] = {}

    async def record(self, program: Program, limits: Limits) -> Trace:
        """Execute a program; if the caller is cancelled, the program is killed.

        Raises:
            RecorderError: The recorder itself failed.
            SandboxError: The sandbox is not available; nothing was executed.
        """
        cancellation = Cancellation()
        recording = asyncio.ensure_future(self._record(program, limits, cancellation))
        self._recordings[recording] = cancellation
        recording.add_done_callback(self._forget)
        try:
            # A cancelled caller does not wait for the end of its program, but the slot does.
            return await asyncio.shield(recording)
        except asyncio.CancelledError:
            cancellation.cancel()
            raise

    async def _record(self, program: Program, limits: Limits, cancellation: Cancellation) -> Trace:
        async with self._slots:
            if cancellation.is_cancelled:
                raise asyncio.CancelledError
            recorder = self._free.pop() if self._free else PythonRecorder(python=self._python)
            try:
                record = partial(recorder.record, program, limits=limits, cancellation=cancellation)
                return await asyncio.get_running_loop().run_in_executor(self._threads, record)
            finally:
                self._free.append(recorder)

    def _forget(self, recording: "asyncio.Future[Trace]") -> None:
        self._recordings.pop(recording).close()
        if not recording.cancelled():
            # If its caller was cancelled, nobody else looks at the exception.
            recording.exception()

    async def close(self) -> None:
        """Kill the programs that are running, and end the recorders."""
        for cancellation in self._recordings.values():
            cancellation.cancel()
        await asyncio.gather(*self._recordings, return_exceptions=True)
        for recorder in self._free:
            await asyncio.to_thread(recorder.close)
        self._threads.shutdown(wait=False)


def start_recorder(python: str | None = None) -> PythonRecorder:
    """Start a recorder in the background; its first program waits until it has started."""
    recorder = PythonRecorder(python=python)

    def start() -> None:
        # The first program starts it again, and reports the error.
        with suppress(WorldlineError):
            recorder.__enter__()

    threading.Thread(target=start, daemon=True).start()
    return recorder
