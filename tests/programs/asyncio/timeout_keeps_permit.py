"""Unbounded wait: a task that was cancelled by a timeout never releases its permit."""
# wrong: deadlock
# right: 'second'
import asyncio


def buggy():
    async def work(permit):
        await permit.acquire()
        await asyncio.sleep(1)
        permit.release()

    async def main():
        permit = asyncio.Semaphore(1)
        try:
            await asyncio.wait_for(work(permit), timeout=2)
        except TimeoutError:
            pass
        await permit.acquire()
        return "second"

    return asyncio.run(main())


def corrected():
    async def work(permit):
        async with permit:
            await asyncio.sleep(1)

    async def main():
        permit = asyncio.Semaphore(1)
        try:
            await asyncio.wait_for(work(permit), timeout=2)
        except TimeoutError:
            pass
        await permit.acquire()
        return "second"

    return asyncio.run(main())
