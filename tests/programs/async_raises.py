# call: run()
import asyncio


async def fail():
    await asyncio.sleep(0)
    raise ValueError("late")


async def work():
    try:
        await fail()
    except ValueError as error:
        return str(error)


def run():
    return asyncio.run(work())
