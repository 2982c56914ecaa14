"""A code object goes in, the line steps it can make and their order come out.

Python reports a line step when it reaches an instruction of another line than the one before,
or jumps back within a line. From 3.12 on it decides in advance which instructions may report.
"""

import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from types import CodeType

from worldline.flow.instructions import RETURNS, Instruction, instructions

_REPORTS_IN_ADVANCE = sys.version_info >= (3, 12)
_NEVER_REPORT = frozenset({"RESUME", "END_FOR", "END_SEND"})


@dataclass(frozen=True, slots=True)
class CodeSteps:
    """What the line steps of one code object may be, and in which order."""

    lines: frozenset[int]
    call_lines: frozenset[int]
    entry: frozenset[int]
    successors: dict[int, frozenset[int]]
    exceptional: dict[int, frozenset[int]]
    exits: frozenset[int]
    reraises: frozenset[int]
    yields: dict[int, frozenset[int]]
    decisions: frozenset[int]


@dataclass(slots=True)
class _Reached:
    """What is reached from some instructions without another line step in between."""

    normal: set[int] = field(default_factory=set)
    exceptional: set[int] = field(default_factory=set)
    passed: set[int] = field(default_factory=set)


def code_steps(code: CodeType) -> CodeSteps:
    """The line steps of a code object, and what may follow each.

    the code of "def f(x):\\n    if x:\\n        x = 1\\n    return x" ->
    entry {2}, successors {2: {3, 4}, 3: {4}, 4: {}}, exits {4}
    """
    body = instructions(code)
    start = next(i for i, item in enumerate(body) if item.op == "RESUME")
    reports = _reporting(body, start)
    entered = _reach(body, reports, [start])
    found: dict[int, _Reached] = {}
    waiting = [*entered.normal, *entered.exceptional]
    while waiting:
        here = waiting.pop()
        if here not in found:
            found[here] = _reach(body, reports, [here])
            waiting += found[here].normal | found[here].exceptional
    return _by_line(body, reports, start, entered, found)


def _by_line(
    body: tuple[Instruction, ...],
    reports: frozenset[int],
    start: int,
    entered: _Reached,
    found: dict[int, _Reached],
) -> CodeSteps:
    """The same for lines instead of instructions: all that may happen on one is put together."""
    successors: dict[int, set[int]] = {}
    exceptional: dict[int, set[int]] = {}
    yields: dict[int, set[int]] = {}
    exits: set[int] = set()
    reraises: set[int] = set()
    for here, reached in found.items():
        line = body[here].line
        assert line is not None
        successors.setdefault(line, set()).update(_lines(body, reached.normal))
        exceptional.setdefault(line, set()).update(_lines(body, reached.exceptional))
        for i in reached.passed:
            if body[i].op in RETURNS:
                exits.add(body[i].line or line)
            elif body[i].op == "RERAISE" and body[i].handler is None:
                reraises.add(line)
            elif body[i].op == "YIELD_VALUE":
                resumed = _reach(body, reports, [i + 1])
                yields.setdefault(body[i].line or line, set()).update(_lines(body, resumed.normal))
    call_line = body[start].line
    return CodeSteps(
        lines=frozenset(successors),
        call_lines=frozenset() if call_line is None else frozenset({call_line}),
        entry=frozenset(_lines(body, entered.normal)),
        successors={line: frozenset(successors[line]) for line in sorted(successors)},
        exceptional={line: frozenset(exceptional[line]) for line in sorted(exceptional)},
        exits=frozenset(exits),
        reraises=frozenset(reraises),
        yields={line: frozenset(yields[line]) for line in sorted(yields)},
        decisions=frozenset(_lines(body, (i for i, item in enumerate(body) if item.is_decision))),
    )


def _lines(body: tuple[Instruction, ...], found: Iterable[int]) -> set[int]:
    return {line for i in found if (line := body[i].line) is not None}


def _reach(body: tuple[Instruction, ...], reports: frozenset[int], starts: list[int]) -> _Reached:
    """Follow the instructions from `starts` up to the next that report a line step."""
    reached = _Reached()
    waiting = [(i, False) for i in starts]
    seen = set(waiting)
    while waiting:
        here, is_exceptional = waiting.pop()
        reached.passed.add(here)
        item = body[here]
        ways = [(there, is_exceptional) for there in item.after]
        if item.handler is not None and (item.handler, is_exceptional) not in ways:
            ways.append((item.handler, True))
        for there, via_exception in ways:
            for does_report in _reporting_of(body, reports, here, there):
                if does_report:
                    (reached.exceptional if via_exception else reached.normal).add(there)
                elif (there, via_exception) not in seen:
                    seen.add((there, via_exception))
                    waiting.append((there, via_exception))
    return reached


def _reporting_of(
    body: tuple[Instruction, ...], reports: frozenset[int], here: int, there: int
) -> set[bool]:
    """Whether going from one instruction to another makes a line step; both if it depends."""
    return {_does_report(body, reports, before, there) for before in body[here].raised_at or (here,)}


def _does_report(
    body: tuple[Instruction, ...], reports: frozenset[int], before: int, there: int
) -> bool:
    line = body[there].line
    if line is None or body[there].op in _NEVER_REPORT:
        return False
    if line != body[before].line:
        return True
    if _REPORTS_IN_ADVANCE:
        if body[before].op == "RESUME":
            return there in reports
        return body[before].op == "JUMP_BACKWARD"
    is_entry = body[before].op == "RESUME" and not any(item.op == "RESUME" for item in body[:before])
    return is_entry or (there < before and body[there].op != "SEND")


def _reporting(body: tuple[Instruction, ...], start: int) -> frozenset[int]:
    """The instructions that may report a line step: each first of a line, and jump targets."""
    found = {there for i, item in enumerate(body) for there in item.after if there != i + 1}
    found |= {item.handler for item in body if item.handler is not None}
    line: int | None = None
    for i in range(start, len(body)):
        if body[i].op not in _NEVER_REPORT:
            if body[i].line != line:
                found.add(i)
            line = body[i].line
    return frozenset(found)
