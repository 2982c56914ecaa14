"""An engine goes in; how much it writes with 1, 2, 4 … requests in flight comes out."""

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

from worldline.engines.engine import Engine, Request

# More in flight is worth it only where it brings at least this much more.
_WORTH = 1.1
# What else the machine does only makes a round slower: the best of a few is the engine's own.
_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Throughput:
    """Tokens written a second, all requests together."""

    in_flight: int
    tokens_per_second: float


async def measure(
    engine: Engine, *, tokens: int = 48, most: int = 128
) -> AsyncIterator[Throughput]:
    """Double the number in flight until that brings less than a tenth more, twice in a row.

    Each number is tried three times, and the best counts.
    """
    request = Request("def f(x):\n", tokens, temperature=1.0)
    await engine.generate(replace(request, seed=0))
    in_flight, best, poor = 1, 0.0, 0
    while in_flight <= most and poor < 2:
        rate = max([await _rate(engine, request, in_flight) for _ in range(_ROUNDS)])
        yield Throughput(in_flight, rate)
        poor = poor + 1 if rate < best * _WORTH else 0
        best = max(best, rate)
        in_flight *= 2


async def _rate(engine: Engine, request: Request, in_flight: int) -> float:
    began = time.monotonic()
    asked = [engine.generate(replace(request, seed=seed)) for seed in range(in_flight)]
    replies = await asyncio.gather(*asked)
    return sum(reply.usage.written for reply in replies) / (time.monotonic() - began)


def suggested(found: list[Throughput]) -> int:
    """The smallest number in flight that comes within a tenth of the best."""
    best = max(each.tokens_per_second for each in found)
    good = [each.in_flight for each in found if each.tokens_per_second * _WORTH >= best]
    return min(good)
