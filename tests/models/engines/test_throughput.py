"""Measured throughput and suggested concurrency, with a simulated engine and clock."""

import asyncio
from collections.abc import Iterator
from importlib import import_module

import pytest

from worldline.models.engines import (
    ScriptedEngine,
    Throughput,
    measure_throughput,
    suggest_concurrency,
)


class Clock:
    """Clock of an engine that answers four requests per second, with extra delays."""

    def __init__(self, engine: ScriptedEngine, delays: Iterator[float]) -> None:
        self.engine, self.delays = engine, delays
        self.now, self.answered = 0.0, 1  # the warm-up request takes no time

    def monotonic(self) -> float:
        new = len(self.engine.requests) - self.answered
        self.answered += new
        if new:
            self.now += -(-new // 4) + next(self.delays)
        return self.now


@pytest.mark.parametrize("bad_round", [0, 1, 2])
def test_concurrency_is_doubled_until_throughput_stops_rising(
    monkeypatch: pytest.MonkeyPatch, bad_round: int
) -> None:
    engine = ScriptedEngine(lambda text: "x" * 48)
    delays = (0.0 if n % 3 == bad_round else 9.0 for n in range(1000))
    # Replaces the clock of the module.
    module = import_module("worldline.models.engines.throughput")
    monkeypatch.setattr(module, "time", Clock(engine, delays))

    async def measurements() -> list[Throughput]:
        return [each async for each in measure_throughput(engine)]

    rates = {each.concurrency: each.tokens_per_second for each in asyncio.run(measurements())}
    # Eight and sixteen are not faster, so no more is tried.
    assert rates == {1: 48, 2: 96, 4: 192, 8: 192, 16: 192}
    assert suggest_concurrency([Throughput(*each) for each in rates.items()]) == 4


def test_the_smallest_concurrency_within_ten_percent_is_suggested() -> None:
    assert suggest_concurrency([Throughput(1, 50), Throughput(2, 95), Throughput(4, 100)]) == 2
    assert suggest_concurrency([Throughput(1, 50), Throughput(2, 90), Throughput(4, 100)]) == 4
