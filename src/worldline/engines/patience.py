"""Something that may fail for a while goes in; its result, or one lasting failure, comes out."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from worldline.errors import EngineError

Result = TypeVar("Result")


class PassingError(Exception):
    """A failure that may pass: a busy, broken or silent server. Not seen outside of engines."""

    def __init__(self, what: str, *, wait: float | None = None) -> None:
        super().__init__(what)
        self.wait = wait


@dataclass(slots=True)
class Patience:
    """How long to go on asking a server that fails, and since when all of it has failed.

    A request is given up when it has failed for `seconds`. When nothing at all has been answered
    for that long, the next ones are tried once each: a dead server is not waited for anew by
    every sample.
    """

    seconds: float = 120.0
    first_wait: float = 0.5
    longest_wait: float = 10.0
    failing_since: float | None = None

    async def ask(self, attempt: Callable[[], Awaitable[Result]]) -> tuple[Result, int]:
        """The result of the first attempt that succeeds, and how many failed before it."""
        began: float | None = None
        failures = 0
        while True:
            try:
                result = await attempt()
            except PassingError as error:
                now = time.monotonic()
                failures += 1
                began = now if began is None else began
                self.failing_since = now if self.failing_since is None else self.failing_since
                wait = self._wait(failures) if error.wait is None else error.wait
                waited = now - min(began, self.failing_since)
                if waited + wait > self.seconds:
                    times = "once" if failures == 1 else f"{failures} times"
                    raise EngineError(f"asked {times}, without success: {error}") from error
                await asyncio.sleep(wait)
            else:
                self.failing_since = None
                return result, failures

    def _wait(self, failures: int) -> float:
        """Twice as long each time, and not everyone at the same moment."""
        longest: float = min(self.longest_wait, self.first_wait * 2 ** min(failures - 1, 16))
        return longest * random.uniform(0.5, 1.0)
