"""Every transition in recorded traces is legal in the control-flow graph."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.languages.cfg.random_programs import (
    FUNCTION_KINDS,
    PRELUDE,
    blocks,
    indent,
    load_sample_program,
)
from tests.support.paths import PROGRAMS_FOLDER
from worldline.core.trace import Limits, Program, Step, Trace
from worldline.languages.control_flow import ControlFlowGraph, FunctionGraph, build_cfg
from worldline.languages.python.recorder import PythonRecorder

PROGRAMS = PROGRAMS_FOLDER


@dataclass
class Frame:
    """State of one scope of a trace: its possible functions, its last step and last line step."""

    functions: tuple[FunctionGraph, ...]
    last: Step
    line: int | None = None
    resumed_at: int | None = None


@dataclass
class TraceFollower:
    """A trace followed through a graph: counts of the transitions, and the illegal ones."""

    graph: ControlFlowGraph
    counts: Counter[str] = field(default_factory=Counter)
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
            self.counts[kind] += 1
            if not legal:
                self.illegal.append(f"{kind}, {frame.line} to {step.line} in {frame.functions}")
            if step.event == "call":
                self.check_caller(frame)
            # On 3.11, an exception thrown through a `yield from` resumes a frame without a call.
            if step.event == "call" or self.stack[-1] != step.scope:
                self.stack.append(step.scope)
            # If a line has two lambdas, the same one must explain all steps.
            self.advance(Frame(tuple(legal), step, frame.line, frame.resumed_at), frame.last)

    def advance(self, frame: Frame, before: Step) -> None:
        step = frame.last
        if step.event == "line":
            frame.line, frame.resumed_at = step.line, None
        elif step.event == "call" and before is not step:
            frame.resumed_at = step.line
        if step.event == "return":
            self.stack.pop()
        self.frames[step.scope] = frame

    def check_caller(self, frame: Frame) -> None:
        """Check that the called function is a callee of the caller's line."""
        if self.stack:
            caller = self.frames[self.stack[-1]]
            line = caller.last.line if caller.line is None else caller.line
            self.counts["callee"] += 1
            if not set(map(id, self.graph.callees(line))) & set(map(id, frame.functions)):
                self.illegal.append(f"line {line} does not call {frame.functions}")


def is_legal(graph: ControlFlowGraph, function: FunctionGraph, frame: Frame, step: Step) -> bool:
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
    return graph.is_legal(function, line, step.line, after_exception=last == "exception")


def follow_trace(trace: Trace) -> TraceFollower:
    """Follow one trace through the graph of its program."""
    follower = TraceFollower(build_cfg(trace.program.text))
    follower.follow(trace)
    return follower


@pytest.mark.parametrize("wrong_line", [2, 4, 6, 8])
def test_a_step_on_a_wrong_line_is_illegal(recorder: PythonRecorder, wrong_line: int) -> None:
    source = "def f(x):\n    if x:\n        x = 1\n    else:\n        x = 2\n    return x"
    trace = recorder.record(Program(source, "f(1)"))
    index = next(i for i, step in enumerate(trace.steps) if step.event == "line" and step.line == 3)
    assert follow_trace(trace).illegal == []
    steps = (
        *trace.steps[:index],
        replace(trace.steps[index], line=wrong_line),
        *trace.steps[index + 1 :],
    )
    assert follow_trace(replace(trace, steps=steps)).illegal != []


def check_all(traces: Iterable[Trace]) -> Counter[str]:
    """Follow all traces, and count the transitions; none may be illegal."""
    counts: Counter[str] = Counter()
    for trace in traces:
        if trace.ending.reason == "not_loaded":
            continue
        follower = follow_trace(trace)
        assert follower.illegal == [], f"{trace.program.text}\n{follower.illegal[0]}"
        counts += follower.counts
        counts["programs"] += bool(trace.steps)
    return counts


@pytest.mark.data
def test_cruxeval_never_leaves_the_graph(cruxeval_traces: list[Trace]) -> None:
    counts = check_all(cruxeval_traces)
    assert counts["programs"] == 800
    assert counts["line to line"] > 8_000
    assert counts["callee"] >= 800


@pytest.mark.data
def test_humaneval_never_leaves_the_graph(humaneval_traces: list[Trace]) -> None:
    counts = check_all(humaneval_traces)
    assert counts["programs"] == 164
    assert counts["line to line"] > 30_000
    assert counts["exception to line"] > 0


def test_sample_programs_never_leave_the_graph(recorder: PythonRecorder) -> None:
    paths = sorted(PROGRAMS.glob("*.py"))
    if not paths:
        pytest.skip(f"no sample programs in {PROGRAMS}")
    limits = Limits(steps=4_000, seconds=2)
    programs = map(load_sample_program, paths)
    counts = check_all(recorder.record(program, limits=limits) for program in programs)
    assert counts["line to line"] > len(paths)


# -- random programs ------------------------------------------------------------------------


@settings(max_examples=100)
@given(data=st.data(), kind=st.sampled_from(FUNCTION_KINDS), seed=st.integers(0, 10**6))
def test_random_programs_never_leave_the_graph(
    recorder: PythonRecorder, data: st.DataObject, kind: tuple[str, tuple[str, ...]], seed: int
) -> None:
    keyword, extra = kind
    body = data.draw(blocks(extra))
    source = f"{PRELUDE.format(seed=seed)}{keyword} f():\n    x = 0\n{indent(body)}\n"
    counts = check_all([recorder.record(Program(source, "run()"), limits=Limits(steps=1_000))])
    assert counts["programs"] == 1
