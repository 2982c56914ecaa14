"""Every transition that Python really makes is legal in the graph, in thousands of real runs."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldline.flow import FlowGraph, FunctionFlow, flow_graph
from worldline.recorders import PythonRecorder
from worldline.trace import Limits, Program, Step, Trace

PROGRAMS = Path(__file__).parent.parent / "programs"


@dataclass
class Frame:
    """Where one scope of a trace is: what it may be, its last step and its last line step."""

    functions: tuple[FunctionFlow, ...]
    last: Step
    line: int | None = None
    resumed_at: int | None = None


@dataclass
class Journey:
    """A trace followed through a graph: the transitions met, and those the graph does not have."""

    graph: FlowGraph
    met: Counter[str] = field(default_factory=Counter)
    illegal: list[str] = field(default_factory=list)
    frames: dict[int, Frame] = field(default_factory=dict)
    stack: list[int] = field(default_factory=list)

    def follow(self, trace: Trace) -> None:
        for step in trace.steps:
            frame = self.frames.get(step.scope)
            if frame is None:
                frame = Frame(self.graph.functions_of(trace.scopes[step.scope]), step)
                self.frames[step.scope] = frame
                kind, legal = "call", [f for f in frame.functions if step.line in f.call_lines]
            else:
                kind = f"{frame.last.event} to {step.event}"
                legal = [f for f in frame.functions if is_legal(self.graph, f, frame, step)]
            self.met[kind] += 1
            if not legal:
                self.illegal.append(f"{kind}, {frame.line} to {step.line} in {frame.functions}")
            if step.event == "call":
                self.check_caller(frame)
            # On 3.11, what is thrown through a `yield from` resumes a frame without a call.
            if step.event == "call" or self.stack[-1] != step.scope:
                self.stack.append(step.scope)
            # Of two lambdas on one line it must be one and the same that explains all steps.
            self.go_on(Frame(tuple(legal), step, frame.line, frame.resumed_at), frame.last)

    def go_on(self, frame: Frame, before: Step) -> None:
        step = frame.last
        if step.event == "line":
            frame.line, frame.resumed_at = step.line, None
        elif step.event == "call" and before is not step:
            frame.resumed_at = step.line
        if step.event == "return":
            self.stack.pop()
        self.frames[step.scope] = frame

    def check_caller(self, frame: Frame) -> None:
        """Whoever is called is one of those that the caller's line may call."""
        if self.stack:
            caller = self.frames[self.stack[-1]]
            line = caller.last.line if caller.line is None else caller.line
            self.met["callee"] += 1
            if not set(map(id, self.graph.callees(line))) & set(map(id, frame.functions)):
                self.illegal.append(f"line {line} does not call {frame.functions}")


def is_legal(graph: FlowGraph, function: FunctionFlow, frame: Frame, step: Step) -> bool:
    """Whether a step of a frame may follow its last one."""
    last, line = frame.last.event, frame.line
    if step.event == "call":
        return last == "return" and step.line in function.yields
    if step.event == "exception":
        return line is None or step.line == line
    if step.event == "return" and step.value is None:
        return last == "exception" or line in function.reraises
    if step.event == "return":
        may_leave = function.exits | function.yields.keys()
        is_left = last == "exception"
        return is_left or (step.line == line and line in may_leave)
    if last == "call" and line is None:
        return step.line in function.entry
    if line is None or (last == "return" and frame.last.line not in function.yields):
        return False
    if last == "call" and step.line not in function.yields[frame.resumed_at or 0]:
        return False
    return graph.is_legal(function, line, step.line, is_after_exception=last == "exception")


def journey(trace: Trace) -> Journey:
    """Follow one trace through the graph of its program."""
    found = Journey(flow_graph(trace.program.text))
    found.follow(trace)
    return found


@pytest.mark.parametrize("wrong", [2, 4, 6, 8])
def test_a_step_on_a_wrong_line_is_noticed(recorder: PythonRecorder, wrong: int) -> None:
    source = "def f(x):\n    if x:\n        x = 1\n    else:\n        x = 2\n    return x"
    trace = recorder.record(Program(source, "f(1)"))
    at = next(i for i, step in enumerate(trace.steps) if step.event == "line" and step.line == 3)
    assert journey(trace).illegal == []
    steps = (*trace.steps[:at], replace(trace.steps[at], line=wrong), *trace.steps[at + 1 :])
    assert journey(replace(trace, steps=steps)).illegal != []


def check_all(
    recorder: PythonRecorder, programs: Iterable[Program], limits: Limits
) -> Counter[str]:
    """Record programs, follow them all, and count what was met; nothing may be illegal."""
    met: Counter[str] = Counter()
    for program in programs:
        trace = recorder.record(program, limits=limits)
        if trace.ending.reason == "not_loaded":
            continue
        found = journey(trace)
        assert found.illegal == [], f"{program.text}\n{found.illegal[0]}"
        met += found.met
        met["programs"] += bool(trace.steps)
    return met


@pytest.mark.data
def test_cruxeval_never_leaves_the_graph(
    recorder: PythonRecorder, cruxeval: list[dict[str, Any]]
) -> None:
    programs = [Program(row["code"], f"f({row['input']})") for row in cruxeval]
    met = check_all(recorder, programs, Limits())
    assert met["programs"] == 800
    assert met["line to line"] > 8_000
    assert met["callee"] >= 800


@pytest.mark.data
def test_humaneval_never_leaves_the_graph(
    recorder: PythonRecorder, humaneval_programs: list[Program]
) -> None:
    met = check_all(recorder, humaneval_programs, Limits(steps=2_500))
    assert met["programs"] == 164
    assert met["line to line"] > 30_000
    assert met["exception to line"] > 0


def test_sample_programs_never_leave_the_graph(recorder: PythonRecorder) -> None:
    paths = sorted(PROGRAMS.glob("*.py"))
    if not paths:
        pytest.skip(f"no sample programs in {PROGRAMS}")
    met = check_all(recorder, map(sample_program, paths), Limits(steps=4_000, seconds=2))
    assert met["line to line"] > len(paths)


def sample_program(path: Path) -> Program:
    """A program whose first line says how to run it: `# call: f(1)` or `# run: module`."""
    source = path.read_text(encoding="utf-8")
    key, _, value = source.partition("\n")[0].removeprefix("# ").partition(":")
    return Program(source, value.strip() if key == "call" else None)


# -- random programs ------------------------------------------------------------------------

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
SIMPLE = [
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
GENERATING = ["yield x", "x = yield", "yield from (r() for _ in (1, 2))", "x = [(yield), (yield)]"]
AWAITING = ["await Swallow()", "x = [y async for y in Swallow()]"]


@st.composite
def blocks(draw: st.DrawFn, extra: tuple[str, ...], *, depth: int = 3) -> str:
    """Some statements, one after the other, nested up to a depth."""
    count = draw(st.integers(1, 3))
    return "\n".join(draw(statements(extra, depth=depth)) for _ in range(count))


@st.composite
def statements(draw: st.DrawFn, extra: tuple[str, ...], *, depth: int) -> str:
    """One statement, often one with blocks of statements inside."""
    if depth == 0 or draw(st.booleans()):
        return draw(st.sampled_from([*SIMPLE, *extra]))
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
    head = draw(st.sampled_from(sorted(parts)))
    text = f"{head}\n{indented(draw(parts[head]), 2 if head.startswith('match') else 1)}"
    for more in sorted(draw(st.sets(st.integers(0, 2)))):
        if head == "try:":
            handlers = ("except E as error:", "except (AssertionError, RuntimeError):", "finally:")
            bare = () if more == 2 else ("raise",)
            text += (
                f"\n{handlers[more]}\n{indented(draw(blocks((*extra, *bare), depth=depth - 1)))}"
            )
        elif more == 0 and head.startswith(("if", "while", "for", "async for")):
            text += f"\nelse:\n{indented(draw(inner))}"
    is_bare = head == "try:" and "\nexcept" not in text and "\nfinally" not in text
    return f"{text}\nfinally:\n    r()" if is_bare else text


def indented(text: str, levels: int = 1) -> str:
    return "\n".join("    " * levels + line for line in text.split("\n"))


FLAVOURS = [("def", ()), ("def", tuple(GENERATING)), ("async def", tuple(AWAITING))]


@settings(max_examples=100)
@given(data=st.data(), flavour=st.sampled_from(FLAVOURS), seed=st.integers(0, 10**6))
def test_random_programs_never_leave_the_graph(
    recorder: PythonRecorder, data: st.DataObject, flavour: tuple[str, tuple[str, ...]], seed: int
) -> None:
    word, extra = flavour
    body = data.draw(blocks(extra))
    source = f"{PRELUDE.format(seed=seed)}{word} f():\n    x = 0\n{indented(body)}\n"
    met = check_all(recorder, [Program(source, "run()")], Limits(steps=1_000))
    assert met["programs"] == 1
