"""Retry policy, with a simulated clock."""

import asyncio
import time

import pytest

from worldline.core.errors import EngineError
from worldline.models.engines.retry import RetryPolicy, TransientError


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Simulated time, which passes only during a sleep."""
    now = [0.0]

    async def sleep(seconds: float) -> None:
        now[0] += seconds

    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr("worldline.models.engines.retry.asyncio.sleep", sleep)
    return now


async def fail() -> None:
    raise TransientError("down")


def count_attempts(policy: RetryPolicy, *, retry_after: float | None = None) -> int:
    """Number of attempts for a request that never succeeds."""
    attempts = 0

    async def attempt() -> None:
        nonlocal attempts
        attempts += 1
        raise TransientError("down", retry_after=retry_after)

    with pytest.raises(EngineError):
        asyncio.run(policy.run(attempt))
    return attempts


async def succeed() -> str:
    return "fine"


def test_a_dead_server_is_retried_for_one_request_only(clock: list[float]) -> None:
    policy = RetryPolicy(100)
    assert count_attempts(policy) > 5
    assert clock[0] > 80
    assert [count_attempts(policy) for _ in range(3)] == [1, 1, 1]
    asyncio.run(policy.run(succeed))
    assert count_attempts(policy) > 5


def test_failures_of_two_requests_far_apart_do_not_mean_a_dead_server(clock: list[float]) -> None:
    """The first is retried and takes long to succeed; the second starts meanwhile."""
    policy = RetryPolicy(100)

    async def slow() -> str:
        if clock[0] == 0:
            raise TransientError("busy")
        clock[0] += 300
        with pytest.raises(EngineError, match=r"asked \d+ times"):
            await policy.run(fail)
        return "late"

    assert asyncio.run(policy.run(slow)) == ("late", 1)


def test_one_request_that_always_fails_does_not_mean_a_dead_server(clock: list[float]) -> None:
    policy = RetryPolicy(100)

    async def fail_while_others_succeed() -> None:
        await policy.run(succeed)
        raise TransientError("this request fails")

    with pytest.raises(EngineError):
        asyncio.run(policy.run(fail_while_others_succeed))
    assert not policy.is_dead
    assert count_attempts(policy) > 5


def test_retry_after_zero_does_not_shorten_the_wait(clock: list[float]) -> None:
    assert count_attempts(RetryPolicy(100), retry_after=0.0) < 30


def test_retry_after_longer_than_the_timeout_gives_up_at_once(clock: list[float]) -> None:
    policy = RetryPolicy(100)
    assert count_attempts(policy, retry_after=3600.0) == 1
    assert clock[0] == 0
    assert count_attempts(policy) > 5


def test_a_wait_for_a_rate_limit_does_not_count_up_to_its_own_limit(clock: list[float]) -> None:
    policy = RetryPolicy(100, rate_limit_seconds=1000)
    waits = [300.0, 300.0, 300.0]

    async def attempt() -> str:
        if waits:
            raise TransientError("429", retry_after=waits.pop(), is_rate_limit=True)
        return "fine"

    assert asyncio.run(policy.run(attempt)) == ("fine", 3)
    assert clock[0] == 900
    waits += [600.0, 600.0]
    with pytest.raises(EngineError, match="asked 2 times"):
        asyncio.run(policy.run(attempt))
