"""Retry policy with exponential back-off and jitter."""

import asyncio
import logging
import math
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from worldline.core.errors import EngineError

Result = TypeVar("Result")
_log = logging.getLogger(__name__)
# Seconds from which a wait for a rate limit is reported.
_REPORTED_WAIT = 10.0


class TransientError(Exception):
    """A failure after which a retry may succeed: a busy, broken or silent server.

    Raised and caught inside the engines.

    Attributes:
        retry_after: seconds that the server asks to wait.
        is_unreachable: the server did not process the request at all.
        is_rate_limit: the server works, but was asked too often.
    """

    def __init__(
        self,
        message: str,
        *,
        retry_after: float | None = None,
        is_unreachable: bool = False,
        is_rate_limit: bool = False,
    ) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.is_unreachable = is_unreachable
        self.is_rate_limit = is_rate_limit


@dataclass(slots=True)
class RetryPolicy:
    """Retries of requests to one server, or one pool of servers.

    A request fails for good after `seconds` of retries. If no other request succeeded in that time,
    the server counts as dead, and the next requests are tried once each until one succeeds. A wait
    that a rate limit asks for does not count: the server works.

    Attributes:
        seconds: time to retry a request.
        rate_limit_seconds: time that one request waits for rate limits, in addition.
        first_wait: wait before the first retry, in seconds; it doubles with each retry.
        longest_wait: limit on the wait between two retries.
        last_success: time of the last success.
        is_dead: whether the server counts as dead.
    """

    seconds: float = 120.0
    first_wait: float = 0.5
    longest_wait: float = 10.0
    last_success: float = -math.inf
    is_dead: bool = False
    rate_limit_seconds: float = 3600.0
    _reported_until: float = -math.inf

    async def run(self, attempt: Callable[[], Awaitable[Result]]) -> tuple[Result, int]:
        """Retry an attempt until it succeeds.

        Returns:
            The result, and the number of failed attempts.

        Raises:
            EngineError: all attempts failed.
        """
        first_failure: float | None = None
        failures = 0
        rate_limited = 0.0
        while True:
            try:
                result = await attempt()
            except TransientError as error:
                now = time.monotonic()
                failures += 1
                first_failure = now if first_failure is None else first_failure
                backoff = self._backoff(failures)
                # A `Retry-After: 0` does not shorten the wait.
                wait = max(backoff, error.retry_after or 0.0)
                elapsed = now - first_failure - rate_limited
                is_asked_to_wait = error.is_rate_limit and error.retry_after is not None
                if is_asked_to_wait and rate_limited + wait <= self.rate_limit_seconds:
                    rate_limited += wait
                    self._report(wait, now)
                elif self.is_dead or elapsed + wait > self.seconds:
                    has_timed_out = elapsed + backoff > self.seconds
                    has_no_success = self.last_success < first_failure
                    self.is_dead = self.is_dead or (has_timed_out and has_no_success)
                    times = "once" if failures == 1 else f"{failures} times"
                    raise EngineError(f"asked {times}, without success: {error}") from error
                await asyncio.sleep(wait)
            else:
                self.last_success, self.is_dead = time.monotonic(), False
                return result, failures

    def _report(self, wait: float, now: float) -> None:
        """Say that a rate limit makes requests wait; once for all that wait at the same time."""
        if wait >= _REPORTED_WAIT and now >= self._reported_until:
            self._reported_until = now + wait
            _log.warning("rate limit: the server asks to wait %.0f s", wait)

    def _backoff(self, failures: int) -> float:
        """Wait before the next attempt: it doubles each time, with jitter."""
        longest: float = min(self.longest_wait, self.first_wait * 2 ** min(failures - 1, 16))
        return longest * random.uniform(0.5, 1.0)
