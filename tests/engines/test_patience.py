"""How long a server that fails is asked again, with the clock of this test."""

import asyncio
import time

import pytest

from worldline.engines.patience import PassingError, Patience
from worldline.errors import EngineError


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, which passes only while someone waits."""
    now = [0.0]

    async def sleep(seconds: float) -> None:
        now[0] += seconds

    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr("worldline.engines.patience.asyncio.sleep", sleep)
    return now


async def fail() -> None:
    raise PassingError("down")


def failures_of(patience: Patience, *, wait: float | None = None) -> int:
    """How often a request that never succeeds is tried."""
    tried = 0

    async def attempt() -> None:
        nonlocal tried
        tried += 1
        raise PassingError("down", wait=wait)

    with pytest.raises(EngineError):
        asyncio.run(patience.ask(attempt))
    return tried


async def succeed() -> str:
    return "fine"


def test_a_dead_server_is_waited_for_once(clock: list[float]) -> None:
    patience = Patience(100)
    assert failures_of(patience) > 5
    assert clock[0] > 80
    assert [failures_of(patience) for _ in range(3)] == [1, 1, 1]
    asyncio.run(patience.ask(succeed))
    assert failures_of(patience) > 5


def test_two_failures_far_apart_are_not_a_dead_server(clock: list[float]) -> None:
    """The first is repeated and takes long to be answered; the second is no worse than it."""
    patience = Patience(100)

    async def slow() -> str:
        if clock[0] == 0:
            raise PassingError("busy")
        clock[0] += 300
        with pytest.raises(EngineError, match=r"asked \d+ times"):
            await patience.ask(fail)
        return "late"

    assert asyncio.run(patience.ask(slow)) == ("late", 1)


def test_one_prompt_that_always_fails_does_not_spoil_the_others(clock: list[float]) -> None:
    patience = Patience(100)

    async def poison() -> None:
        await patience.ask(succeed)
        raise PassingError("this one kills me")

    with pytest.raises(EngineError):
        asyncio.run(patience.ask(poison))
    assert not patience.is_dead
    assert failures_of(patience) > 5


def test_a_server_that_says_at_once_is_not_asked_in_a_hurry(clock: list[float]) -> None:
    assert failures_of(Patience(100), wait=0.0) < 30


def test_a_server_that_says_much_later_is_not_waited_for(clock: list[float]) -> None:
    patience = Patience(100)
    assert failures_of(patience, wait=3600.0) == 1
    assert clock[0] == 0
    assert failures_of(patience) > 5
