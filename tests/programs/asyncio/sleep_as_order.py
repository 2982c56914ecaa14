"""Sleep as order: a result is expected after some time, instead of waiting for its task."""
# wrong: None
# right: 42
import asyncio


async def load(results):
    await asyncio.sleep(1)
    results["a"] = 42


def buggy():
    async def main():
        results = {}
        task = asyncio.create_task(load(results))
        await asyncio.sleep(2)
        return results.get("a")

    return asyncio.run(main())


def corrected():
    async def main():
        results = {}
        task = asyncio.create_task(load(results))
        await task
        return results.get("a")

    return asyncio.run(main())
