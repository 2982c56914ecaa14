"""Unbounded wait: the queue has an item at the check, but another task takes it during an await."""
# wrong: deadlock
# right: [1, 2]
import asyncio


def buggy():
    async def work(start, queue, out):
        await asyncio.sleep(start)
        while not queue.empty():
            await asyncio.sleep(1)
            out.append(await queue.get())

    async def main():
        queue, out = asyncio.Queue(), []
        for item in (1, 2):
            queue.put_nowait(item)
        await asyncio.gather(work(5, queue, out), work(0, queue, out))
        return out

    return asyncio.run(main())


def corrected():
    async def work(start, queue, out):
        await asyncio.sleep(start)
        while not queue.empty():
            item = queue.get_nowait()
            await asyncio.sleep(1)
            out.append(item)

    async def main():
        queue, out = asyncio.Queue(), []
        for item in (1, 2):
            queue.put_nowait(item)
        await asyncio.gather(work(5, queue, out), work(0, queue, out))
        return sorted(out)

    return asyncio.run(main())
