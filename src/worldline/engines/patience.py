"""Something that may fail for a while goes in; its result, or one lasting failure, comes out."""

import asyncio
import math
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from worldline.errors import EngineError

Result = TypeVar("Result")


class PassingError(Exception):
    """A failure that may pass: a busy, broken or silent server. Not seen outside of engines.

    `is_absence`: the server did not deal with the request at all, so nothing is known of what it
    would have done.
    """

    def __init__(self, what: str, *, wait: float | None = None, is_absence: bool = False) -> None:
        super().__init__(what)
        self.wait = wait
        self.is_absence = is_absence


@dataclass(slots=True)
class Patience:
    """How long to go on asking a server that fails, and whether it seems to be dead.

    A request is given up when it has failed for `seconds`. When nothing at all was answered
    meanwhile, the next ones are tried once each: a dead server is not waited for anew by every
    sample.
    """

    seconds: float = 120.0
    first_wait: float = 0.5
    longest_wait: float = 10.0
    answered: float = -math.inf
    is_dead: bool = False

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
                pause = self._wait(failures)
                # A server that says 0 is not to be asked in a hurry all the same.
                wait = max(pause, error.wait or 0.0)
                if self.is_dead or now - began + wait > self.seconds:
                    has_lasted = now - began + pause > self.seconds
                    self.is_dead = self.is_dead or (has_lasted and self.answered < began)
                    times = "once" if failures == 1 else f"{failures} times"
                    raise EngineError(f"asked {times}, without success: {error}") from error
                await asyncio.sleep(wait)
            else:
                self.answered, self.is_dead = time.monotonic(), False
                return result, failures

    def _wait(self, failures: int) -> float:
        """Twice as long each time, and not everyone at the same moment."""
        longest: float = min(self.longest_wait, self.first_wait * 2 ** min(failures - 1, 16))
        return longest * random.uniform(0.5, 1.0)
