"""Programs of the benchmark `threads`: one function for each kind, from a seeded generator.

Each kind has racy and correct programs, so small that all schedules with a few preemptions can be
executed. Threads are started on one line: no other thread runs in between. No line reads a shared
variable, calls a function and writes it, so that switches before lines are all that matter.
"""

from collections.abc import Callable, Mapping, Sequence

from worldline.core.trace import Program
from worldline.core.util.seeded_random import SeededRandom

# So that a question says what its result is if some threads wait for each other forever.
_HEADER = "# The threads run in any order. If play() never returns, its result is deadlock."


def lost_update(rng: SeededRandom) -> Program:
    """Threads that read a variable and write it in the next line, perhaps with a lock."""
    update = rng.pick(["value + amount", "value * 2 + amount", "max(value, amount)"])
    lines = ["value = total", f"total = {update}"]
    if rng.below(2):
        lines = ["with lock:", *_indented(lines)]
    return _program(
        [f"total = {rng.between(0, 3)}", "lock = threading.Lock()"],
        ["def work(amount):", "    nonlocal total", *_indented(lines)],
        [f"work, {amount}" for amount in _amounts(rng, 2)],
        "total",
    )


def check_then_act(rng: SeededRandom) -> Program:
    """Buyers that check the stock before they take from it, perhaps with a lock."""
    stock = rng.between(2, 7)
    lines = ["if stock >= wanted:", "    stock -= wanted", f"    sold.append({_show(rng)})"]
    if rng.below(2):
        lines = ["with lock:", *_indented(lines)]
    return _program(
        [f"stock, sold = {stock}, []", "lock = threading.Lock()"],
        ["def buy(wanted):", "    nonlocal stock", *_indented(lines)],
        [f"buy, {rng.between(1, 4)}" for _ in range(2)],
        rng.pick(["stock", "stock, sum(sold)", "stock, len(sold)"]),
    )


def log(rng: SeededRandom) -> Program:
    """Threads that append to a list; the result shows the order, or does not."""
    lines = ["items.append(name)"]
    if rng.below(2):
        lines.append(f"items.append(name * {rng.between(2, 3)})")
    names = ("a", "b", "c") if len(lines) == 1 else ("a", "b")
    if rng.below(2):
        lines = ["with lock:", *_indented(lines)]
    return _program(
        ["items, lock = [], threading.Lock()"],
        ["def write(name):", *_indented(lines)],
        [f"write, {name * rng.between(1, 3)!r}" for name in names],
        rng.pick(["items", "items[0] + items[-1]", "sorted(items)", "len(items)"]),
    )


def producers(rng: SeededRandom) -> Program:
    """One or two threads that put into a queue, and one or two that get from it."""
    first, second = _amounts(rng, 2)
    get = ["amount = tasks.get()", f"out.append(amount * {rng.between(1, 3)})"]
    put = ["tasks.put(amount)"]
    if rng.below(3):
        targets = [f"put, {first}", f"put, {second}", "get"]
        get = [*get, "out.append(tasks.get())"]
    else:
        put.append(f"tasks.put({second})")
        targets = [f"put, {first}", "get", "get"]
    return _program(
        ["tasks, out = queue.Queue(), []"],
        ["def put(amount):", *_indented(put), "def get():", *_indented(get)],
        targets,
        rng.pick(["out", "out[0] - out[-1]", "sum(out)"]),
    )


def slots(rng: SeededRandom) -> Program:
    """How many threads are at once in a part that a semaphore guards."""
    limit, step = rng.between(1, 2), rng.between(1, 5)
    return _program(
        ["inside, seen = 0, []", f"slots = threading.Semaphore({limit})"],
        [
            "def work():",
            "    nonlocal inside",
            "    with slots:",
            f"        inside += {step}",
            "        seen.append(inside)",
            f"        inside -= {step}",
        ],
        ["work", "work"],
        rng.pick(["max(seen)", "seen", "sum(seen), inside"]),
    )


def signal(rng: SeededRandom) -> Program:
    """A thread that waits for an event, which another one sets before or after its last line."""
    before, after = _amounts(rng, 2)
    writes = [f"value = {before}", "ready.set()", f"value += {after}"]
    if rng.below(2):
        writes[1:] = reversed(writes[1:])
    reads = ["ready.wait()", f"seen = value * {rng.between(2, 4)}"]
    if rng.below(3) == 0:
        reads = ["if ready.is_set():", f"    seen = value + {rng.between(1, 9)}"]
    return _program(
        [f"value = seen = {rng.between(0, 3)}", "ready = threading.Event()"],
        [
            *("def write():", "    nonlocal value", *_indented(writes)),
            *("def read():", "    nonlocal seen", *_indented(reads)),
        ],
        ["write", "read"],
        rng.pick(["seen", "value, seen", "value"]),
    )


def two_locks(rng: SeededRandom) -> Program:
    """Transfers that take two locks, in the same order or not."""
    orders = ["first, second", "second, first" if rng.below(3) else "first, second"]
    source, amount = rng.between(5, 9), rng.between(1, 4)
    return _program(
        [f"moved = {source}", "first, second = threading.Lock(), threading.Lock()"],
        [
            "def move(outer, inner, amount):",
            "    nonlocal moved",
            "    with outer:",
            "        with inner:",
            f"            moved = {rng.pick(['moved + amount', 'moved * 2 - amount'])}",
        ],
        [f"move, {orders[0]}, {amount}", f"move, {orders[1]}, {amount + rng.between(1, 3)}"],
        "moved",
    )


def turns(rng: SeededRandom) -> Program:
    """Threads that wait for events of each other, which may be in a cycle."""
    is_cycle = rng.below(3) == 0
    waits, sets = ("b", "a") if is_cycle else rng.pick([("a", "b"), ("b", "a")])
    other = ["a.wait()", "b.set()"] if is_cycle or waits == "b" else ["b.wait()", "a.set()"]
    lines = [f"{sets}.set()", f"{waits}.wait()"]
    if is_cycle:
        lines.reverse()
    start = rng.between(1, 5)
    return _program(
        [f"x = {start}", "a, b = threading.Event(), threading.Event()"],
        [
            *("def one():", "    nonlocal x", *_indented([lines[0], f"x += {rng.between(1, 5)}"])),
            *_indented([lines[1]]),
            *("def two():", "    nonlocal x", *_indented([other[0], f"x *= {rng.between(2, 3)}"])),
            *_indented([other[1]]),
        ],
        ["one", "two"],
        "x",
    )


KINDS: Mapping[str, Callable[[SeededRandom], Program]] = {
    function.__name__: function
    for function in (
        *(lost_update, check_then_act, log, producers),
        *(slots, signal, two_locks, turns),
    )
}


def _amounts(rng: SeededRandom, count: int) -> list[int]:
    """Different amounts."""
    return rng.shuffled(range(1, 10))[:count]


def _show(rng: SeededRandom) -> str:
    return rng.pick(["wanted", "stock"])


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _program(
    variables: Sequence[str], functions: Sequence[str], targets: Sequence[str], result: str
) -> Program:
    """A program that starts one thread for each target, "function, argument, …"."""
    names = [f"t{number}" for number in range(1, len(targets) + 1)]
    threads = [
        f"{name} = threading.Thread(target={_target(target)})"
        for name, target in zip(names, targets, strict=True)
    ]
    body = [
        *variables,
        *functions,
        *threads,
        "; ".join(f"{name}.start()" for name in names),
        "; ".join(f"{name}.join()" for name in names),
        f"return {result}",
    ]
    is_queued = any("queue." in line for line in variables)
    imports = ["import queue"] * is_queued + ["import threading"]
    lines = [_HEADER, *imports, "", "", "def play():", *_indented(body), ""]
    return Program("\n".join(lines), "play()")


def _target(text: str) -> str:
    """ "work, 3" -> "work, args=(3,)"; "work" -> "work" """
    function, comma, arguments = text.partition(", ")
    end = "" if "," in arguments else ","
    return f"{function}, args=({arguments}{end})" if comma else function
