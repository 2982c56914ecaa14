"""A program's text goes in, for each function what may happen at each of its spots comes out.

A spot is one instruction. Where a step depends on what has been done of a line already (a call
made, an iterator got), lines say too little.
"""

import dis
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from inspect import CO_ASYNC_GENERATOR, CO_GENERATOR
from types import CodeType
from typing import Literal, NamedTuple

from worldline.flow.build import codes_of, compiled
from worldline.flow.graph import FlowGraph
from worldline.flow.instructions import RETURNS, exception_table, reraises
from worldline.flow.names import words
from worldline.flow.raising import may_raise, span_at
from worldline.flow.sites import Sites, sites
from worldline.flow.steps import Code, code_body, does_report

Leaving = Literal["return", "yield", "reraise"]

_RUNS_TO_CLOSE = sys.version_info < (3, 12)
_CALLS = frozenset({"CALL", "CALL_KW", "CALL_FUNCTION_EX"})
# What raises, if at all, by itself.
_CALLS_NOTHING = words("LOAD_GLOBAL LOAD_DEREF LOAD_FAST LOAD_FAST_CHECK DELETE_FAST DELETE_GLOBAL")
# What takes an exception of another for the end of a loop, or of an `await`.
_ENDS_BY_EXCEPTION = frozenset({"FOR_ITER", "SEND"})
# Where an exception may come from that another throws into a generator.
_THROWN_INTO = frozenset({"YIELD_VALUE", "RESUME"})
_ONLY_RAISES = frozenset({"RERAISE", "RAISE_VARARGS"})


class _Claims(NamedTuple):
    """The lines that an instruction may claim: those where an exception was raised, and those
    that had only sent it on; None is the line that the frame is on."""

    struck: frozenset[int | None] = frozenset()
    sent: frozenset[int | None] = frozenset()


class Move(NamedTuple):
    """On to another spot, with a line step there or without."""

    to: int
    is_step: bool


@dataclass(frozen=True, slots=True)
class Spot:
    """One instruction: what steps may come of it.

    `moves`: where it goes on, `caught`: where it goes after an exception step.
    `leaves`: how it leaves the frame, if it does.
    `may_raise`: whether it may have an exception step, `is_unwound`: whether the frame is then
    left, `ends_by_exception`: whether it may then go on as if there had been none.
    `may_call`: whether it may call functions of the program; `calls`: those of which it calls
    one for certain, and at once.
    `claims`: where it sends an exception on as from where that was raised, the lines where that
    may have been with an exception step; `claims_sent`: those without one, which had sent it
    on, and None for the line that the frame is on.
    `delegates`: whether it yields what another generator does.
    """

    line: int | None
    moves: tuple[Move, ...]
    caught: tuple[Move, ...]
    leaves: Leaving | None
    may_raise: bool
    is_unwound: bool
    ends_by_exception: bool
    may_call: bool
    calls: tuple[int, ...]
    claims: frozenset[int | None]
    claims_sent: frozenset[int | None]
    delegates: bool


@dataclass(frozen=True, slots=True)
class FunctionSpots:
    """The spots of one function, and the one where it starts."""

    start: int
    spots: tuple[Spot, ...]


@dataclass(frozen=True, slots=True)
class ProgramSpots:
    """The spots of every function of a program, in the order of its graph.

    `direct`: the functions that are only called where a spot calls them for certain.
    `made_on`: for each line the generators that it may make and that, thrown away before they have
    run, are run after all, into the exception that closes them; up to Python 3.11.
    """

    functions: tuple[FunctionSpots, ...]
    direct: frozenset[int]
    made_on: Mapping[int, Counter[int]]


def program_spots(text: str, graph: FlowGraph) -> ProgramSpots:
    """The spots of a program.

    "x = 1" -> one function, with a spot for each of RESUME, LOAD_CONST, STORE_NAME, …
    """
    tree, module = compiled(text)
    known = sites(text, tree, graph.functions)
    codes = [code for code, _ in codes_of(module, 0)]
    raws = [list(dis.get_instructions(code)) for code in codes]
    seen = {span_at(item) for raw in raws for item in raw if _is_call(item)}
    # A function is called from certain places only if all of them are found in the code.
    unsure = {i for span, called in known.calls.items() if span not in seen for i in called}
    functions = tuple(
        _function_spots(code, raw, known, unsure) for code, raw in zip(codes, raws, strict=True)
    )
    direct = frozenset(i for each in functions for spot in each.spots for i in spot.calls)
    return ProgramSpots(functions, direct, _made_on(codes, raws, known))


def _made_on(
    codes: list[CodeType], raws: list[list[dis.Instruction]], known: Sites
) -> dict[int, Counter[int]]:
    """For each line how many generators of which functions it may make."""
    if not known.creations or not _RUNS_TO_CLOSE:
        return {}
    # A coroutine that nobody awaits is not run.
    kinds = CO_GENERATOR | CO_ASYNC_GENERATOR
    closed = {index for index, code in enumerate(codes) if code.co_flags & kinds}
    found: dict[int, Counter[int]] = {}
    for item in (item for raw in raws for item in raw if _is_call(item)):
        line, *_ = place = span_at(item)
        made = closed.intersection(known.creations.get(place, ()))
        if made and line is not None:
            found.setdefault(line, Counter()).update(made)
    return found


def _is_call(item: dis.Instruction) -> bool:
    return item.opname in _CALLS


def _function_spots(
    code: CodeType, raw: list[dis.Instruction], known: Sites, unsure: set[int]
) -> FunctionSpots:
    body = code_body(code)
    raising = may_raise(code, raw, body.items, known)
    claimed = _claimed(code, body, raw, raising)
    spots = []
    for index, item in enumerate(body.items):
        caught = _moves(body, index, is_exception=True)
        place = span_at(raw[index]) if _is_call(raw[index]) else None
        calls = known.calls.get(place, ()) if place else ()
        claims = claimed.get(index, _Claims())
        spots.append(
            Spot(
                line=item.line,
                moves=_moves(body, index, is_exception=False),
                caught=caught,
                leaves=_leaving(item.op, is_reraise_out=item.is_reraise_out),
                may_raise=raising[index],
                is_unwound=not caught,
                ends_by_exception=item.op in _ENDS_BY_EXCEPTION,
                may_call=raising[index]
                and item.op not in _CALLS_NOTHING
                and place not in known.creations,
                calls=() if unsure.intersection(calls) else calls,
                claims=claims.struck,
                claims_sent=claims.sent,
                delegates=item.op == "YIELD_VALUE" and raw[index - 1].opname == "SEND",
            )
        )
    return FunctionSpots(body.start, tuple(spots))


def _leaving(op: str, *, is_reraise_out: bool) -> Leaving | None:
    if op in RETURNS:
        return "return"
    if op == "YIELD_VALUE":
        return "yield"
    return "reraise" if is_reraise_out else None


def _moves(body: Code, index: int, *, is_exception: bool) -> tuple[Move, ...]:
    """The ways on from an instruction, each with whether a line step is made of it."""
    return tuple(
        dict.fromkeys(
            Move(way.to, does_report(body, before, way.to))
            for way in body.items[index].ways
            if way.is_exception == is_exception
            for before in way.seen_from
        )
    )


def _claimed(
    code: CodeType, body: Code, raw: list[dis.Instruction], raising: list[bool]
) -> dict[int, _Claims]:
    """What the instructions claim that send an exception on as from where it was raised."""
    places = _kept_places(code, body, raw)
    own = {
        index: _Claims(
            _lines(body, (i for i in guarded if raising[i] or raw[i].opname in _THROWN_INTO)),
            _lines(body, (i for i in guarded if reraises(raw[i]) and i not in places)),
        )
        for index, guarded in places.items()
    }
    found, before = own, dict[int, _Claims]()
    # One may send on what another has, so it takes as many rounds as they are nested.
    while found != before:
        found, before = _with_inner(own, places, found), found
    # Code on no line cleans up behind what has just happened on the frame's line.
    here = {
        index: claims._replace(sent=frozenset({None}))
        for index, claims in own.items()
        if claims.sent and body.items[index].line is None
    }
    return _with_inner(own | here, places, found)


def _lines(body: Code, indexes: Iterable[int]) -> frozenset[int | None]:
    return frozenset(body.items[index].line for index in indexes)


def _with_inner(
    own: dict[int, _Claims], places: dict[int, set[int]], found: dict[int, _Claims]
) -> dict[int, _Claims]:
    """What each instruction claims of its own, and what those claim that it guards."""
    return {
        index: _Claims(
            own[index].struck.union(*(found[i].struck for i in guarded if i in found)),
            own[index].sent.union(*(found[i].sent for i in guarded if i in found)),
        )
        for index, guarded in places.items()
    }


def _kept_places(code: CodeType, body: Code, raw: list[dis.Instruction]) -> dict[int, set[int]]:
    """For each instruction that claims a place, the instructions whose place that may be."""
    at = {item.offset: index for index, item in enumerate(raw)}
    found: dict[int, set[int]] = {}
    for row in exception_table(code.co_exceptiontable):
        if row.keeps_place:
            guarded = {at[offset] for offset in range(row.start, row.stop, 2) if offset in at}
            for index in _within(body, at[row.handler]):
                if raw[index].opname == "RERAISE" and raw[index].arg:
                    found.setdefault(index, set()).update(guarded)
    return found


def _within(body: Code, start: int) -> set[int]:
    """The instructions that are reached from one without leaving by an exception."""
    found: set[int] = set()
    waiting = [start]
    while waiting:
        here = waiting.pop()
        if here not in found:
            found.add(here)
            item = body.items[here]
            if item.op not in _ONLY_RAISES:
                waiting += [way.to for way in item.ways if not way.is_exception]
    return found
