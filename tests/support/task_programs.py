"""Generated programs with `asyncio` tasks."""

import random

from worldline.core.trace import Program

# With the delays as written, no update is lost; if the first task wakes up late, one is.
COUNTER = """import asyncio

async def add(total, start):
    await asyncio.sleep(start)
    value = total[0]
    await asyncio.sleep(1)
    total[0] = value + 1

async def main():
    total = [0]
    await asyncio.gather(add(total, 0), add(total, 2))
    return total[0]

def count():
    return asyncio.run(main())
"""
_DELAYS = (0, 0.5, 1, 1, 2)


def task_program(seed: int) -> Program:
    """A program with two or three tasks that share variables, locks, a queue or an event."""
    rng = random.Random(seed)
    workers = rng.randint(2, 3)
    body = ["total, items, lock = 0, [], asyncio.Lock()", "ready = asyncio.Event()"]
    body += ["changed, tasks = asyncio.Condition(), asyncio.Queue()"]
    body += [f"slots = asyncio.Semaphore({rng.randint(1, 2)})"]
    for number in range(workers):
        body += [f"async def work{number}():", "    nonlocal total"]
        statements = [line for _ in range(rng.randint(1, 3)) for line in _statements(rng, number)]
        body += [f"    {line}" for line in statements]
    body += _start(rng, workers)
    body += ["return total, items, tasks.qsize()"]
    lines = "".join(f"    {line}\n" for line in body)
    call = "def play():\n    return asyncio.run(main())\n"
    return Program(f"import asyncio\n\n\nasync def main():\n{lines}\n\n{call}", "play()")


def _start(rng: random.Random, workers: int) -> list[str]:
    """Start the workers, let them continue, and wait for them."""
    release = ["tasks.put_nowait(5)", "ready.set()", "async with changed:"]
    release += ["    changed.notify_all()"]
    names = [f"work{number}()" for number in range(workers)]
    kind = rng.choice(("gather", "group", "wait"))
    if kind == "gather":
        return [
            f"workers = asyncio.gather({', '.join(names)})",
            f"await asyncio.sleep({rng.choice(_DELAYS)})",
            *release,
            "await workers",
        ]
    created = [f"asyncio.create_task({name})" for name in names]
    if kind == "wait":
        return [
            f"workers = [{', '.join(created)}]",
            *release,
            "done, pending = await asyncio.wait(workers, timeout=9)",
            "items.append(len(done))",
        ]
    starts = [f"    group.create_task({name})" for name in names]
    return [
        "async with asyncio.TaskGroup() as group:",
        *starts,
        *[f"    {line}" for line in release],
    ]


def _statements(rng: random.Random, number: int) -> list[str]:
    amount, delay = rng.randint(1, 9), rng.choice(_DELAYS)
    return rng.choice(
        [
            ["value = total", f"await asyncio.sleep({delay})", f"total = value + {amount}"],
            [
                "async with lock:",
                f"    total += {amount}",
                f"    await asyncio.sleep({delay})",
                f"    items.append({number})",
            ],
            [
                f"if len(items) < {rng.randint(1, 2)}:",
                f"    await asyncio.sleep({delay})",
                f"    items.append({amount})",
            ],
            ["await ready.wait()", f"total *= {rng.randint(2, 3)}"],
            [f"tasks.put_nowait({amount})", "items.append(await tasks.get())"],
            ["async with slots:", f"    await asyncio.sleep({delay})", "    total += 1"],
            ["async with changed:", "    await changed.wait()", f"    items.append({number})"],
            [
                f"for step in range({rng.randint(1, 2)}):",
                f"    await asyncio.sleep({delay})",
                "    total += step + 1",
            ],
            [
                "try:",
                f"    async with asyncio.timeout({rng.choice(_DELAYS)}):",
                f"        await asyncio.sleep({delay})",
                "except TimeoutError:",
                f"    items.append(-{number})",
            ],
            [
                "try:",
                f"    items.append(await asyncio.wait_for(tasks.get(), {delay or 1}))",
                "except TimeoutError:",
                "    total -= 1",
            ],
            [
                f"child = asyncio.create_task(asyncio.sleep({delay}, {amount}))",
                "items.append(await child)",
            ],
            [
                f"child = asyncio.create_task(asyncio.sleep({delay}))",
                "await asyncio.sleep(1)",
                "child.cancel()",
                "total += child.done()",
            ],
            [f"items.append(await asyncio.to_thread(abs, -{amount}))"],
        ]
    )
