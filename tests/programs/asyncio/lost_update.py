"""Lost update: a task reads a counter, awaits, and writes it, and another one is in between."""
# wrong: 1
# right: 2
import asyncio


async def count(guard):
    total = 0

    async def add(start):
        nonlocal total
        await asyncio.sleep(start)
        async with guard:
            value = total
            await asyncio.sleep(1)
            total = value + 1

    await asyncio.gather(add(0), add(2))
    return total


def buggy():
    # Enough for both tasks.
    return asyncio.run(count(asyncio.Semaphore(2)))


def corrected():
    return asyncio.run(count(asyncio.Lock()))
