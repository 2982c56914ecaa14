# call: run()
import asyncio


async def ticks(n):
    for i in range(n):
        yield i


async def show(items):
    await asyncio.sleep(0)
    return items


async def work():
    got = await show([t async for t in ticks(2)])
    return got


def run():
    return asyncio.run(work())
