# call: run()
import asyncio


async def ticks(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield i


class Lock:
    async def __aenter__(self):
        return "locked"

    async def __aexit__(self, *exc):
        return False


async def work():
    seen = []
    async for t in ticks(1):
        seen.append(t)
    async with Lock() as lock:
        seen.append(lock)
    return seen


def run():
    return asyncio.run(work())
