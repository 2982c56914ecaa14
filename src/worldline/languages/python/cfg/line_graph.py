"""Line-level control flow of one code object: its line steps and their order.

Python reports a line step when it reaches an instruction with a different line than the previous
one, or jumps back within a line. Up to 3.11 it checks every instruction; from 3.12 on only those
that start a line or are jump targets, and backward jumps.
"""

import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from types import CodeType

from worldline.languages.python.cfg.bytecode import RETURNS, Instruction, decode_instructions

_CHECKS_EVERY_INSTRUCTION = sys.version_info < (3, 12)
_NEVER_STARTS_LINE = frozenset({"RESUME", "END_FOR", "END_SEND", "END_ASYNC_FOR"})


@dataclass(frozen=True, slots=True)
class LineGraph:
    """Line steps of one code object and their possible order; see `FunctionGraph`."""

    call_lines: frozenset[int]
    entry: frozenset[int]
    successors: dict[int, frozenset[int]]
    exception_successors: dict[int, frozenset[int]]
    exits: frozenset[int]
    reraises: frozenset[int]
    yields: dict[int, frozenset[int]]
    branch_lines: frozenset[int]


@dataclass(frozen=True, slots=True)
class TracedCode:
    """Instructions of a code object.

    Attributes:
        instructions: all instructions.
        start: index of the first instruction that is executed.
        line_event_candidates: indexes of the instructions that may start a line step.
    """

    instructions: tuple[Instruction, ...]
    start: int
    line_event_candidates: frozenset[int]


@dataclass(slots=True)
class _NextLineSteps:
    """Line steps that may come next, and the instructions on the way to them."""

    normal: set[int] = field(default_factory=set)
    exceptional: set[int] = field(default_factory=set)
    visited: set[tuple[int, bool]] = field(default_factory=set)


def build_line_graph(code: CodeType) -> LineGraph:
    """Build the line graph of a code object.

    the code of "def f(x):\\n    if x:\\n        x = 1\\n    return x" ->
    entry {2}, successors {2: {3, 4}, 3: {4}, 4: {}}, exits {4}
    """
    traced = make_traced_code(code)
    entered = _next_line_steps(traced, traced.start)
    steps_after: dict[int, _NextLineSteps] = {}
    pending = entered.normal | entered.exceptional
    while pending:
        index = pending.pop()
        steps = _next_line_steps(traced, index)
        steps_after[index] = steps
        pending |= (steps.normal | steps.exceptional) - steps_after.keys()
    return _group_by_line(traced, entered, steps_after, code.co_firstlineno)


def make_traced_code(code: CodeType) -> TracedCode:
    """Decode a code object and find the instructions that may start a line step."""
    instructions = decode_instructions(code)
    start = next(i for i, item in enumerate(instructions) if item.opname == "RESUME")
    return TracedCode(instructions, start, _line_event_candidates(instructions, start))


def _group_by_line(
    traced: TracedCode,
    entered: _NextLineSteps,
    steps_after: dict[int, _NextLineSteps],
    first_line: int,
) -> LineGraph:
    """Merge the instructions of each line."""
    successors: dict[int, set[int]] = {}
    exception_successors: dict[int, set[int]] = {}
    yields: dict[int, set[int]] = {}
    exits: set[int] = set()
    reraises: set[int] = set()
    for start, steps in steps_after.items():
        line = traced.instructions[start].line
        assert line is not None, "only an instruction with a line starts a line step"
        successors.setdefault(line, set()).update(_lines(traced, steps.normal))
        exception_successors.setdefault(line, set()).update(_lines(traced, steps.exceptional))
        for i, is_exceptional in steps.visited:
            item = traced.instructions[i]
            if item.opname in RETURNS:
                exits.add(line)
            elif item.is_uncaught_reraise and not is_exceptional:
                reraises.add(line)
            elif item.opname == "YIELD_VALUE":
                resumed = _next_line_steps(traced, i + 1)
                yields.setdefault(line, set()).update(_lines(traced, resumed.normal))
    return LineGraph(
        # A module's code starts without a line; its call step is on its first line.
        call_lines=frozenset({traced.instructions[traced.start].line or first_line}),
        entry=frozenset(_lines(traced, entered.normal)),
        successors=_freeze(successors),
        exception_successors=_freeze(exception_successors),
        exits=frozenset(exits),
        reraises=frozenset(reraises),
        yields=_freeze(yields),
        branch_lines=frozenset(
            _lines(traced, (i for i, item in enumerate(traced.instructions) if item.is_branch))
        ),
    )


def _freeze(by_line: dict[int, set[int]]) -> dict[int, frozenset[int]]:
    return {line: frozenset(by_line[line]) for line in sorted(by_line)}


def _lines(traced: TracedCode, indexes: Iterable[int]) -> set[int]:
    return {line for i in indexes if (line := traced.instructions[i].line) is not None}


def _next_line_steps(traced: TracedCode, start: int) -> _NextLineSteps:
    """Follow the instructions from one on, up to those that start the next line step."""
    steps = _NextLineSteps()
    pending = [(start, False)]
    while pending:
        index, is_exceptional = pending.pop()
        if (index, is_exceptional) in steps.visited:
            continue
        steps.visited.add((index, is_exceptional))
        for edge in traced.instructions[index].edges:
            is_now_exceptional = is_exceptional or edge.is_exception
            # Both are possible if it depends on the previous instruction.
            outcomes = {
                emits_line_event(traced, previous, edge.target) for previous in edge.traced_from
            }
            if True in outcomes:
                (steps.exceptional if is_now_exceptional else steps.normal).add(edge.target)
            if False in outcomes:
                pending.append((edge.target, is_now_exceptional))
    return steps


def emits_line_event(traced: TracedCode, previous: int | None, target: int) -> bool:
    """Whether Python reports a line step at `target` when it comes from `previous`."""
    line, opname = traced.instructions[target].line, traced.instructions[target].opname
    if line is None or opname == "RESUME":
        return False
    before = None if previous is None else traced.instructions[previous]
    is_new = before is None or before.line != line
    if _CHECKS_EVERY_INSTRUCTION:
        is_back = previous is not None and target < previous and opname != "SEND"
        return is_new or is_back or previous == traced.start
    if before is not None and before.opname == "JUMP_BACKWARD" and not is_new:
        return True
    return target in traced.line_event_candidates and (
        is_new or (before is not None and before.opname == "RESUME")
    )


def _line_event_candidates(instructions: tuple[Instruction, ...], start: int) -> frozenset[int]:
    """From 3.12 on: the first instruction of each line, and jump targets."""
    candidates: set[int] = set()
    line: int | None = None
    for i, item in enumerate(instructions):
        # SEND jumps past the instruction that ends an `await`, not to it.
        candidates |= {
            edge.target + (item.opname == "SEND") for edge in item.edges if edge.target != i + 1
        }
        if i >= start and item.opname not in _NEVER_STARTS_LINE:
            if item.line != line:
                candidates.add(i)
            line = item.line
    return frozenset(candidates)
