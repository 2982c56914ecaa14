"""Throughput of an engine at 1, 2, 4, … concurrent requests."""

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

from worldline.models.engines.engine import Engine, Request

# Factor by which more concurrency must raise the throughput to be worth it.
_MIN_GAIN = 1.1
# Other load on the machine only makes a round slower, so the best of a few rounds counts.
_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Throughput:
    """Tokens generated per second, by all concurrent requests together."""

    concurrency: int
    tokens_per_second: float


async def measure_throughput(
    engine: Engine, *, tokens: int = 48, max_concurrency: int = 128
) -> AsyncIterator[Throughput]:
    """Double the concurrency until the throughput rises by less than 10%, twice in a row.

    Args:
        engine: the engine.
        tokens: tokens per request.
        max_concurrency: limit on the concurrency.

    Yields:
        The best throughput of three rounds at each concurrency.
    """
    request = Request("def f(x):\n", tokens, temperature=1.0)
    await engine.generate(replace(request, seed=0))
    concurrency, best, poor_gains = 1, 0.0, 0
    while concurrency <= max_concurrency and poor_gains < 2:
        rate = max([await _rate(engine, request, concurrency) for _ in range(_ROUNDS)])
        yield Throughput(concurrency, rate)
        poor_gains = poor_gains + 1 if rate < best * _MIN_GAIN else 0
        best = max(best, rate)
        concurrency *= 2


async def _rate(engine: Engine, request: Request, concurrency: int) -> float:
    start = time.monotonic()
    requests = [engine.generate(replace(request, seed=seed)) for seed in range(concurrency)]
    replies = await asyncio.gather(*requests)
    return sum(reply.usage.completion for reply in replies) / (time.monotonic() - start)


def suggest_concurrency(measured: list[Throughput]) -> int:
    """The smallest concurrency whose throughput is within 10% of the best."""
    best = max(each.tokens_per_second for each in measured)
    good = [each.concurrency for each in measured if each.tokens_per_second * _MIN_GAIN >= best]
    return min(good)
