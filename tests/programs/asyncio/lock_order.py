"""Deadlock by the order of locks: each task has the lock that the other one needs."""
# wrong: deadlock
# right: ['a', 'b']
import asyncio


async def work(start, name, first, second, done):
    await asyncio.sleep(start)
    async with first:
        await asyncio.sleep(1)
        async with second:
            done.append(name)


def buggy():
    async def main():
        one, two, done = asyncio.Lock(), asyncio.Lock(), []
        await asyncio.gather(work(0, "a", one, two, done), work(2, "b", two, one, done))
        return done

    return asyncio.run(main())


def corrected():
    async def main():
        one, two, done = asyncio.Lock(), asyncio.Lock(), []
        await asyncio.gather(work(0, "a", one, two, done), work(2, "b", one, two, done))
        return sorted(done)

    return asyncio.run(main())
