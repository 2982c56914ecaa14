"""Missed notification: the condition is notified before the other task waits for it."""
# wrong: deadlock
# right: 'ready'
import asyncio


async def prepare():
    for _ in range(2):
        await asyncio.sleep(0.5)


def buggy():
    async def wait(condition):
        await prepare()
        async with condition:
            await condition.wait()

    async def notify(condition):
        await asyncio.sleep(2)
        async with condition:
            condition.notify()

    async def main():
        condition = asyncio.Condition()
        await asyncio.gather(wait(condition), notify(condition))
        return "ready"

    return asyncio.run(main())


def corrected():
    is_ready = False

    async def wait(condition):
        await prepare()
        async with condition:
            await condition.wait_for(lambda: is_ready)

    async def notify(condition):
        nonlocal is_ready
        await asyncio.sleep(2)
        async with condition:
            is_ready = True
            condition.notify()

    async def main():
        condition = asyncio.Condition()
        await asyncio.gather(wait(condition), notify(condition))
        return "ready"

    return asyncio.run(main())
