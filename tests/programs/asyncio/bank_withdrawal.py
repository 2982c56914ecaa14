"""Check, then act: the balance suffices at the check, but not any more after the await."""
# wrong: -20
# right: 40
import asyncio


async def log(text):
    await asyncio.sleep(0.5)


def buggy():
    balance = 100

    async def withdraw(start):
        nonlocal balance
        await asyncio.sleep(start)
        if balance >= 60:
            await log("withdraw")
            balance -= 60

    async def main():
        await asyncio.gather(withdraw(3), withdraw(2))
        return balance

    return asyncio.run(main())


def corrected():
    balance = 100

    async def withdraw(start):
        nonlocal balance
        await asyncio.sleep(start)
        if balance >= 60:
            balance -= 60
            await log("withdrawn")

    async def main():
        await asyncio.gather(withdraw(3), withdraw(2))
        return balance

    return asyncio.run(main())
