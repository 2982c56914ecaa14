"""Programs to compare with the control-flow graph: sample programs, and random ones."""

from pathlib import Path

from hypothesis import strategies as st

from worldline.core.trace import Program


def load_sample_program(path: Path) -> Program:
    """Load a program whose first line says how to run it: `# call: f(1)` or `# run: module`."""
    source = path.read_text(encoding="utf-8")
    key, _, value = source.partition("\n")[0].removeprefix("# ").partition(":")
    return Program(source, value.strip() if key == "call" else None)


PRELUDE = """\
class E(Exception): pass
class Swallow:
    def __enter__(self): return self
    def __exit__(self, kind, error, place): return kind is not SystemExit and t()
    async def __aenter__(self): return self
    async def __aexit__(self, kind, error, place): return kind is not SystemExit and t()
    def __await__(self): return (yield)
    async def __aiter__(self):
        while t(): yield 1
dice = [{seed}, 150]
def t():
    dice[:] = (dice[0] * 1103515245 + 12345) % 2**31, dice[1] - 1
    if dice[1] < 0: raise SystemExit
    return dice[0] >> 16 & 1
def r():
    if t(): raise E
def drive(f):
    running = f()
    try:
        if hasattr(running, "send"): running.send(None)
        while hasattr(running, "send"):
            running.throw(E) if t() else running.send(None)
    except StopIteration: pass
def run():
    while True:
        try: drive(f)
        except (E, AssertionError, RuntimeError): pass
"""
SIMPLE_STATEMENTS = [
    "x = t()",
    "r()",
    "pass",
    "assert t()",
    "raise E",
    "return t()",
    "x = (t() and\n    t()\n    or t())",
    "x = [t()\n    for _ in range(2)\n    if t()]",
    "x = any(t() for _ in (1, 2))",
    "x = (lambda:\n    t())()",
    "x = max(\n    t(),\n    r() or 2,\n)",
    "x = 1 if t() else r()",
    "x = 0 < t() < 2",
    "if t(): r()",
    "while t(): r()",
    "for _ in (1, 2): r()",
    "with Swallow(): r()",
    "try: r()\nexcept E: x = 1",
]
GENERATOR_STATEMENTS = [
    "yield x",
    "x = yield",
    "yield from (r() for _ in (1, 2))",
    "x = [(yield), (yield)]",
]
ASYNC_STATEMENTS = ["await Swallow()", "x = [y async for y in Swallow()]"]


@st.composite
def blocks(draw: st.DrawFn, extra: tuple[str, ...], *, depth: int = 3) -> str:
    """Statements in sequence, nested up to a depth."""
    count = draw(st.integers(1, 3))
    return "\n".join(draw(statements(extra, depth=depth)) for _ in range(count))


@st.composite
def statements(draw: st.DrawFn, extra: tuple[str, ...], *, depth: int) -> str:
    """One statement, often with nested blocks."""
    if depth == 0 or draw(st.booleans()):
        return draw(st.sampled_from([*SIMPLE_STATEMENTS, *extra]))
    inner = blocks(extra, depth=depth - 1)
    in_loop = blocks((*extra, "break", "continue"), depth=depth - 1)
    parts = {
        "if t():": inner,
        "while t():": in_loop,
        "while True:": in_loop,
        "for x in (1, 2):": in_loop,
        "with Swallow() as x, Swallow():": inner,
        "match t():\n    case 1:": inner,
        "try:": inner,
    }
    if "await Swallow()" in extra:
        parts |= {"async for x in Swallow():": in_loop, "async with Swallow():": inner}
    header = draw(st.sampled_from(sorted(parts)))
    text = f"{header}\n{indent(draw(parts[header]), 2 if header.startswith('match') else 1)}"
    for clause in sorted(draw(st.sets(st.integers(0, 2)))):
        if header == "try:":
            handlers = ("except E as error:", "except (AssertionError, RuntimeError):", "finally:")
            reraise = () if clause == 2 else ("raise",)
            text += (
                f"\n{handlers[clause]}\n{indent(draw(blocks((*extra, *reraise), depth=depth - 1)))}"
            )
        elif clause == 0 and header.startswith(("if", "while", "for", "async for")):
            text += f"\nelse:\n{indent(draw(inner))}"
    is_bare = header == "try:" and "\nexcept" not in text and "\nfinally" not in text
    return f"{text}\nfinally:\n    r()" if is_bare else text


def indent(text: str, levels: int = 1) -> str:
    return "\n".join("    " * levels + line for line in text.split("\n"))


FUNCTION_KINDS = [
    ("def", ()),
    ("def", tuple(GENERATOR_STATEMENTS)),
    ("async def", tuple(ASYNC_STATEMENTS)),
]
