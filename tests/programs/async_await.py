# call: run()
import asyncio


async def double(n):
    await asyncio.sleep(0)
    return n * 2


async def work():
    one = await double(1)
    two = await double(one)
    return one + two


def run():
    return asyncio.run(work())
