"""A code object goes in, the line steps it can make and their order come out.

Python reports a line step when it reaches an instruction of another line than the one before,
or jumps back within a line. Up to 3.11 it looks at every instruction; from 3.12 on only at those
that start a line or are jumped to, and at the jumps back.
"""

import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from types import CodeType

from worldline.flow.instructions import RETURNS, Instruction, instructions

_LOOKS_AT_ALL = sys.version_info < (3, 12)
_NEVER_STARTS_A_LINE = frozenset({"RESUME", "END_FOR", "END_SEND", "END_ASYNC_FOR"})


@dataclass(frozen=True, slots=True)
class CodeSteps:
    """What the line steps of one code object may be, and in which order."""

    call_lines: frozenset[int]
    entry: frozenset[int]
    successors: dict[int, frozenset[int]]
    exceptional: dict[int, frozenset[int]]
    exits: frozenset[int]
    reraises: frozenset[int]
    yields: dict[int, frozenset[int]]
    decisions: frozenset[int]


@dataclass(frozen=True, slots=True)
class Code:
    """The instructions of a code object, where it starts, and which start a line of their own."""

    items: tuple[Instruction, ...]
    start: int
    reporting: frozenset[int]


@dataclass(slots=True)
class _Reached:
    """What is reached from an instruction before the next line step, and that step itself."""

    normal: set[int] = field(default_factory=set)
    exceptional: set[int] = field(default_factory=set)
    passed: set[tuple[int, bool]] = field(default_factory=set)


def code_steps(code: CodeType) -> CodeSteps:
    """The line steps of a code object, and what may follow each.

    the code of "def f(x):\\n    if x:\\n        x = 1\\n    return x" ->
    entry {2}, successors {2: {3, 4}, 3: {4}, 4: {}}, exits {4}
    """
    body = code_body(code)
    entered = _reach(body, body.start)
    found: dict[int, _Reached] = {}
    waiting = entered.normal | entered.exceptional
    while waiting:
        here = waiting.pop()
        found[here] = _reach(body, here)
        waiting |= (found[here].normal | found[here].exceptional) - found.keys()
    return _by_line(body, entered, found, code.co_firstlineno)


def code_body(code: CodeType) -> Code:
    """The instructions of a code object, ready to be followed."""
    items = instructions(code)
    start = next(i for i, item in enumerate(items) if item.op == "RESUME")
    return Code(items, start, _reporting(items, start))


def _by_line(
    body: Code, entered: _Reached, found: dict[int, _Reached], first_line: int
) -> CodeSteps:
    """The same for lines instead of instructions: all that may happen on one is put together."""
    successors: dict[int, set[int]] = {}
    exceptional: dict[int, set[int]] = {}
    yields: dict[int, set[int]] = {}
    exits: set[int] = set()
    reraises: set[int] = set()
    for here, reached in found.items():
        line = body.items[here].line
        assert line is not None, "only an instruction with a line makes a line step"
        successors.setdefault(line, set()).update(_lines(body, reached.normal))
        exceptional.setdefault(line, set()).update(_lines(body, reached.exceptional))
        for i, is_exceptional in reached.passed:
            item = body.items[i]
            if item.op in RETURNS:
                exits.add(line)
            elif item.is_reraise_out and not is_exceptional:
                reraises.add(line)
            elif item.op == "YIELD_VALUE":
                yields.setdefault(line, set()).update(_lines(body, _reach(body, i + 1).normal))
    return CodeSteps(
        # A module starts on no line of its own; its call is taken to be on its first.
        call_lines=frozenset({body.items[body.start].line or first_line}),
        entry=frozenset(_lines(body, entered.normal)),
        successors=_frozen(successors),
        exceptional=_frozen(exceptional),
        exits=frozenset(exits),
        reraises=frozenset(reraises),
        yields=_frozen(yields),
        decisions=frozenset(
            _lines(body, (i for i, item in enumerate(body.items) if item.is_decision))
        ),
    )


def _frozen(found: dict[int, set[int]]) -> dict[int, frozenset[int]]:
    return {line: frozenset(found[line]) for line in sorted(found)}


def _lines(body: Code, found: Iterable[int]) -> set[int]:
    return {line for i in found if (line := body.items[i].line) is not None}


def _reach(body: Code, start: int) -> _Reached:
    """Follow the instructions from one on, up to those that report the next line step."""
    reached = _Reached()
    waiting = [(start, False)]
    while waiting:
        here, is_exceptional = waiting.pop()
        if (here, is_exceptional) in reached.passed:
            continue
        reached.passed.add((here, is_exceptional))
        for way in body.items[here].ways:
            is_now_exceptional = is_exceptional or way.is_exception
            # Where it depends on how we came here, both are possible.
            reports = {does_report(body, before, way.to) for before in way.seen_from}
            if True in reports:
                (reached.exceptional if is_now_exceptional else reached.normal).add(way.to)
            if False in reports:
                waiting.append((way.to, is_now_exceptional))
    return reached


def does_report(body: Code, before: int | None, there: int) -> bool:
    """Whether Python makes a line step of the second when it comes from the first."""
    line, op = body.items[there].line, body.items[there].op
    if line is None or op == "RESUME":
        return False
    previous = None if before is None else body.items[before]
    is_new = previous is None or previous.line != line
    if _LOOKS_AT_ALL:
        is_back = before is not None and there < before and op != "SEND"
        return is_new or is_back or before == body.start
    if previous is not None and previous.op == "JUMP_BACKWARD" and not is_new:
        return True
    return there in body.reporting and (
        is_new or (previous is not None and previous.op == "RESUME")
    )


def _reporting(items: tuple[Instruction, ...], start: int) -> frozenset[int]:
    """From 3.12 on: the instructions that may report, each first of a line and jump targets."""
    found: set[int] = set()
    line: int | None = None
    for i, item in enumerate(items):
        # What ends an `await` is jumped over by it, not to.
        found |= {way.to + (item.op == "SEND") for way in item.ways if way.to != i + 1}
        if i >= start and item.op not in _NEVER_STARTS_A_LINE:
            if item.line != line:
                found.add(i)
            line = item.line
    return frozenset(found)
