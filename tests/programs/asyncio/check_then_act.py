"""Check, then act: a value is loaded twice, because it is in the cache only after the await."""
# wrong: 2
# right: 1
import asyncio


async def load(loads):
    loads.append(1)
    await asyncio.sleep(1)
    return 42


async def late(function):
    await asyncio.sleep(2)
    await function()


def buggy():
    cache, loads = {}, []

    async def get():
        if "a" not in cache:
            cache["a"] = await load(loads)
        return cache["a"]

    async def main():
        await asyncio.gather(late(get), get())
        return len(loads)

    return asyncio.run(main())


def corrected():
    cache, loads = {}, []

    async def get():
        if "a" not in cache:
            cache["a"] = asyncio.create_task(load(loads))
        return await cache["a"]

    async def main():
        await asyncio.gather(late(get), get())
        return len(loads)

    return asyncio.run(main())
