"""How many requests in flight pay, on an engine and a clock that are made up."""

import asyncio
from collections.abc import Iterator
from importlib import import_module

import pytest

from worldline.engines import ScriptedEngine, Throughput, measure, suggested


class Clock:
    """Time as an engine takes it that answers four requests a second, and hiccups now and then."""

    def __init__(self, engine: ScriptedEngine, hiccups: Iterator[float]) -> None:
        self.engine, self.hiccups = engine, hiccups
        self.now, self.answered = 0.0, 1  # the request that warms up takes no time

    def monotonic(self) -> float:
        new = len(self.engine.requests) - self.answered
        self.answered += new
        if new:
            self.now += -(-new // 4) + next(self.hiccups)
        return self.now


@pytest.mark.parametrize("bad_round", [0, 1, 2])
def test_more_in_flight_is_suggested_only_while_it_pays(
    monkeypatch: pytest.MonkeyPatch, bad_round: int
) -> None:
    engine = ScriptedEngine(lambda text: "x" * 48)
    hiccups = (0.0 if n % 3 == bad_round else 9.0 for n in range(1000))
    # The module; the package has a function of that name.
    module = import_module("worldline.engines.measure")
    monkeypatch.setattr(module, "time", Clock(engine, hiccups))

    async def found() -> list[Throughput]:
        return [each async for each in measure(engine)]

    rates = {each.in_flight: each.tokens_per_second for each in asyncio.run(found())}
    # Eight and sixteen bring nothing more, and no more is tried.
    assert rates == {1: 48, 2: 96, 4: 192, 8: 192, 16: 192}
    assert suggested([Throughput(*each) for each in rates.items()]) == 4


def test_the_smallest_within_a_tenth_is_suggested() -> None:
    assert suggested([Throughput(1, 50), Throughput(2, 95), Throughput(4, 100)]) == 2
    assert suggested([Throughput(1, 50), Throughput(2, 90), Throughput(4, 100)]) == 4
