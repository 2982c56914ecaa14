"""Instruction-level control-flow graph of a program.

Lines are too coarse where the next step depends on how much of a line has been executed: a call
made, an iterator created.
"""

import dis
import sys
from collections import Counter
from collections.abc import Iterable
from inspect import CO_ASYNC_GENERATOR, CO_GENERATOR
from types import CodeType
from typing import NamedTuple

from worldline.core.trace import words
from worldline.languages.control_flow.control_flow_graph import ControlFlowGraph
from worldline.languages.control_flow.instruction_nodes import (
    FrameExit,
    FunctionInstructions,
    InstructionNode,
    ProgramInstructions,
    Transition,
)
from worldline.languages.python.cfg.builder import compile_program, iterate_code_objects
from worldline.languages.python.cfg.bytecode import RETURNS, is_reraise, parse_exception_table
from worldline.languages.python.cfg.known_call_sites import KnownCallSites, find_known_call_sites
from worldline.languages.python.cfg.line_graph import (
    TracedCode,
    emits_line_event,
    make_traced_code,
)
from worldline.languages.python.cfg.may_raise import instruction_span, may_raise

_STARTS_CLOSED_GENERATORS = sys.version_info < (3, 12)
_CALLS = frozenset({"CALL", "CALL_KW", "CALL_FUNCTION_EX"})
# Instructions that may raise, but never call a function.
_CALLS_NOTHING = words("LOAD_GLOBAL LOAD_DEREF LOAD_FAST LOAD_FAST_CHECK DELETE_FAST DELETE_GLOBAL")
# Instructions that treat an exception of what they call as the end of a loop or an `await`.
_ABSORBS_EXCEPTION = frozenset({"FOR_ITER", "SEND"})
# Instructions at which an exception thrown into a generator appears.
_THROWN_INTO = frozenset({"YIELD_VALUE", "RESUME"})
_ONLY_RAISES = frozenset({"RERAISE", "RAISE_VARARGS"})


class _ReraiseLines(NamedTuple):
    """Lines that a re-raise may report as its own, because it restores `lasti`.

    `raised`: lines where the exception was raised. `forwarded`: lines that only raised it again.
    None is the frame's current line.
    """

    raised: frozenset[int | None] = frozenset()
    forwarded: frozenset[int | None] = frozenset()


def build_instruction_graph(text: str, graph: ControlFlowGraph) -> ProgramInstructions:
    """Build the instruction graph of a program.

    "x = 1" -> one function, with a node for each of RESUME, LOAD_CONST, STORE_NAME, …
    """
    tree, module = compile_program(text)
    sites = find_known_call_sites(text, tree, graph.functions)
    codes = [code for code, _ in iterate_code_objects(module, 0)]
    raws = [list(dis.get_instructions(code)) for code in codes]
    call_spans = {instruction_span(item) for raw in raws for item in raw if _is_call(item)}
    # A function has known call sites only if each of them is an instruction of the bytecode.
    unresolved = {
        index
        for span, callees in sites.calls.items()
        if span not in call_spans
        for index in callees
    }
    functions = tuple(
        _build_nodes(code, raw, sites, unresolved) for code, raw in zip(codes, raws, strict=True)
    )
    return ProgramInstructions(
        functions,
        frozenset(
            index
            for function in functions
            for node in function.nodes
            for index in node.known_callees
        ),
        _created_generators(codes, raws, sites),
    )


def _created_generators(
    codes: list[CodeType], raws: list[list[dis.Instruction]], sites: KnownCallSites
) -> dict[int, Counter[int]]:
    """Count the generators of each function that a line may create."""
    if not sites.generator_creations or not _STARTS_CLOSED_GENERATORS:
        return {}
    # A coroutine that is never awaited is not started.
    flags = CO_GENERATOR | CO_ASYNC_GENERATOR
    generators = {index for index, code in enumerate(codes) if code.co_flags & flags}
    created_on: dict[int, Counter[int]] = {}
    for item in (item for raw in raws for item in raw if _is_call(item)):
        line, *_ = span = instruction_span(item)
        created = generators.intersection(sites.generator_creations.get(span, ()))
        if created and line is not None:
            created_on.setdefault(line, Counter()).update(created)
    return created_on


def _is_call(item: dis.Instruction) -> bool:
    return item.opname in _CALLS


def _build_nodes(
    code: CodeType, raw: list[dis.Instruction], sites: KnownCallSites, unresolved: set[int]
) -> FunctionInstructions:
    traced = make_traced_code(code)
    raising = may_raise(code, raw, traced.instructions, sites)
    reraise_lines = _find_reraise_lines(code, traced, raw, raising)
    nodes = []
    for index, item in enumerate(traced.instructions):
        exception_successors = _transitions(traced, index, is_exception=True)
        span = instruction_span(raw[index]) if _is_call(raw[index]) else None
        callees = sites.calls.get(span, ()) if span else ()
        lines = reraise_lines.get(index, _ReraiseLines())
        nodes.append(
            InstructionNode(
                line=item.line,
                successors=_transitions(traced, index, is_exception=False),
                exception_successors=exception_successors,
                frame_exit=_frame_exit(item.opname, is_uncaught_reraise=item.is_uncaught_reraise),
                may_raise=raising[index],
                is_uncaught=not exception_successors,
                may_absorb_exception=item.opname in _ABSORBS_EXCEPTION,
                may_call=raising[index]
                and item.opname not in _CALLS_NOTHING
                and span not in sites.generator_creations,
                known_callees=() if unresolved.intersection(callees) else callees,
                raised_lines=lines.raised,
                forwarded_lines=lines.forwarded,
                is_delegation=item.opname == "YIELD_VALUE" and raw[index - 1].opname == "SEND",
            )
        )
    return FunctionInstructions(traced.start, tuple(nodes))


def _frame_exit(opname: str, *, is_uncaught_reraise: bool) -> FrameExit | None:
    if opname in RETURNS:
        return "return"
    if opname == "YIELD_VALUE":
        return "yield"
    return "reraise" if is_uncaught_reraise else None


def _transitions(traced: TracedCode, index: int, *, is_exception: bool) -> tuple[Transition, ...]:
    """Transitions from an instruction along its normal edges, or its exception edges."""
    return tuple(
        dict.fromkeys(
            Transition(edge.target, emits_line_event(traced, previous, edge.target))
            for edge in traced.instructions[index].edges
            if edge.is_exception == is_exception
            for previous in edge.traced_from
        )
    )


def _find_reraise_lines(
    code: CodeType, traced: TracedCode, raw: list[dis.Instruction], raising: list[bool]
) -> dict[int, _ReraiseLines]:
    """Find the lines that each re-raise which restores `lasti` may report."""
    protected = _protected_by_reraise(code, traced, raw)
    own = {
        index: _ReraiseLines(
            _lines(traced, (i for i in indexes if raising[i] or raw[i].opname in _THROWN_INTO)),
            _lines(traced, (i for i in indexes if is_reraise(raw[i]) and i not in protected)),
        )
        for index, indexes in protected.items()
    }
    lines, previous = own, dict[int, _ReraiseLines]()
    # A re-raise may forward the exception of another one: one iteration per level of nesting.
    while lines != previous:
        lines, previous = _add_nested(own, protected, lines), lines
    # Cleanup code without a line reports the frame's current line.
    without_line = {
        index: reported._replace(forwarded=frozenset({None}))
        for index, reported in own.items()
        if reported.forwarded and traced.instructions[index].line is None
    }
    return _add_nested(own | without_line, protected, lines)


def _lines(traced: TracedCode, indexes: Iterable[int]) -> frozenset[int | None]:
    return frozenset(traced.instructions[index].line for index in indexes)


def _add_nested(
    own: dict[int, _ReraiseLines],
    protected: dict[int, set[int]],
    lines: dict[int, _ReraiseLines],
) -> dict[int, _ReraiseLines]:
    """Add to each re-raise's own lines those of the re-raises that it protects."""
    return {
        index: _ReraiseLines(
            own[index].raised.union(*(lines[i].raised for i in indexes if i in lines)),
            own[index].forwarded.union(*(lines[i].forwarded for i in indexes if i in lines)),
        )
        for index, indexes in protected.items()
    }


def _protected_by_reraise(
    code: CodeType, traced: TracedCode, raw: list[dis.Instruction]
) -> dict[int, set[int]]:
    """Map each re-raise that restores `lasti` to the instructions whose offset that may be."""
    index_at = {item.offset: index for index, item in enumerate(raw)}
    protected: dict[int, set[int]] = {}
    for entry in parse_exception_table(code.co_exceptiontable):
        if entry.has_lasti:
            offsets = range(entry.start, entry.stop, 2)
            guarded = {index_at[offset] for offset in offsets if offset in index_at}
            for index in _reachable_without_exception(traced, index_at[entry.handler]):
                if raw[index].opname == "RERAISE" and raw[index].arg:
                    protected.setdefault(index, set()).update(guarded)
    return protected


def _reachable_without_exception(traced: TracedCode, start: int) -> set[int]:
    """Instructions that are reachable from one along normal edges."""
    reachable: set[int] = set()
    pending = [start]
    while pending:
        index = pending.pop()
        if index not in reachable:
            reachable.add(index)
            item = traced.instructions[index]
            if item.opname not in _ONLY_RAISES:
                pending += [edge.target for edge in item.edges if not edge.is_exception]
    return reachable
