# call: run()
import asyncio


async def tick(name, log):
    log.append(name)
    await asyncio.sleep(0)
    log.append(name)


async def work():
    log = []
    await asyncio.gather(tick("a", log), tick("b", log))
    return log


def run():
    return asyncio.run(work())
