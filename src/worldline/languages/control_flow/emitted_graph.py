"""Graphs of a program whose code was emitted from its syntax tree."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from worldline.languages.control_flow.code_emitter import CodeEmitter, Label
from worldline.languages.control_flow.control_flow_graph import (
    ControlFlowGraph,
    FunctionGraph,
    FunctionKind,
)
from worldline.languages.control_flow.instruction_nodes import (
    FunctionInstructions,
    InstructionNode,
    ProgramInstructions,
    Transition,
)
from worldline.languages.control_flow.line_branches import Construct, find_branches


@dataclass(frozen=True, slots=True)
class EmittedFunction:
    """A function of the source, and its code.

    Attributes:
        name: Its name.
        qualname: Its name in traces.
        kind: What it is.
        line: The line of its call step.
        depth: The number of functions around it.
        is_generator: Whether it is resumed after a yield.
        code: Its code.
        constructs: Its branching constructs.
    """

    name: str
    qualname: str
    kind: FunctionKind
    line: int
    depth: int
    is_generator: bool
    code: CodeEmitter
    constructs: Sequence[Construct]


@dataclass(slots=True)
class _Reached:
    """What is reached from a node before the next line step: those steps, and the nodes."""

    starts: set[int] = field(default_factory=set)
    nodes: set[int] = field(default_factory=set)


def build_emitted_instructions(functions: Sequence[EmittedFunction]) -> ProgramInstructions:
    """The instructions of all functions."""
    known = frozenset(
        index
        for function in functions
        for node in function.code.nodes
        if node.must_call
        for index in node.callees
    )
    return ProgramInstructions(
        tuple(_function_instructions(function.code) for function in functions), known, {}
    )


def _function_instructions(code: CodeEmitter) -> FunctionInstructions:
    nodes = []
    for index, node in enumerate(code.nodes):
        start = code.line_starts.get(index)
        nodes.append(
            InstructionNode(
                line=start.line if start else None,
                successors=_transitions(code, _next_nodes(code, index)),
                exception_successors=_transitions(code, _indexes(node.handlers)),
                frame_exit=node.frame_exit,
                may_raise=node.may_raise,
                is_uncaught=node.is_uncaught,
                may_absorb_exception=False,
                may_call=bool(node.callees),
                known_callees=tuple(sorted(node.callees)) if node.must_call else (),
                raised_lines=frozenset(),
                forwarded_lines=frozenset(),
                possible_callees=frozenset() if node.must_call else node.callees,
                resumption_line=node.resumption_line,
            )
        )
    return FunctionInstructions(0, tuple(nodes))


def _transitions(code: CodeEmitter, targets: Iterable[int]) -> tuple[Transition, ...]:
    transitions = []
    for target in targets:
        start = code.line_starts.get(target)
        if start is not None:
            transitions.append(Transition(target, True))
        if start is None or start.is_optional:
            transitions.append(Transition(target, False))
    return tuple(dict.fromkeys(transitions))


def _next_nodes(code: CodeEmitter, index: int) -> list[int]:
    node = code.nodes[index]
    # A yield is followed when it is resumed; the simulator continues at the next node.
    following = [index + 1] if node.falls_through and index + 1 < len(code.nodes) else []
    return list(dict.fromkeys([*following, *_indexes(node.targets)]))


def _indexes(labels: Iterable[Label]) -> list[int]:
    return list(dict.fromkeys(label.index for label in labels if label.index >= 0))


def build_emitted_graph(functions: Sequence[EmittedFunction]) -> ControlFlowGraph:
    """The control-flow graph of a program."""
    callees: dict[int, set[int]] = {}
    graphs = tuple(_function_graph(function, callees) for function in functions)
    return ControlFlowGraph(
        graphs, {line: tuple(sorted(indexes)) for line, indexes in sorted(callees.items())}
    )


def _function_graph(function: EmittedFunction, callees: dict[int, set[int]]) -> FunctionGraph:
    code = function.code
    entered = _reach(code, [0], is_start=True)
    by_line: dict[int, list[_Reached]] = {}
    pending, done = set(entered.starts), set[int]()
    _add_callees(code, entered, function.line, callees)
    raised = {0: _raised(code, entered)}
    pending |= raised[0].starts
    while pending:
        index = pending.pop()
        done.add(index)
        reached = _reach(code, [index])
        line = code.line_starts[index].line
        by_line.setdefault(line, []).append(reached)
        _add_callees(code, reached, line, callees)
        pending |= (reached.starts | _raised(code, reached).starts) - done
    lines = {line: frozenset(_lines(code, *group)) for line, group in sorted(by_line.items())}
    exits = _exit_lines(code, by_line, "return")
    yields = {
        line: frozenset(_lines(code, *(_resumed(code, each) for each in by_line[line])))
        for line in _exit_lines(code, by_line, "yield")
    }
    branch_lines = {line for line, after in lines.items() if len(after) + (line in exits) > 1}
    return FunctionGraph(
        name=function.name,
        qualname=function.qualname,
        kind=function.kind,
        first_line=function.line,
        depth=function.depth,
        is_generator=function.is_generator,
        call_lines=frozenset({function.line}),
        entry=frozenset(_lines(code, entered)),
        successors=lines,
        exception_successors={
            line: frozenset(_lines(code, *(_raised(code, each) for each in group)))
            for line, group in sorted(by_line.items())
        },
        exits=exits,
        reraises=_exit_lines(code, by_line, "reraise"),
        yields=yields,
        branches=find_branches(lines, branch_lines, function.constructs),
    )


def _reach(code: CodeEmitter, start: Iterable[int], *, is_start: bool = False) -> _Reached:
    """Follow the code from nodes up to the next line steps; the first nodes have had theirs."""
    reached = _Reached()
    pending = []
    for index in start:
        if is_start and index in code.line_starts:
            reached.starts.add(index)
            if not code.line_starts[index].is_optional:
                continue
        pending.append(index)
    while pending:
        index = pending.pop()
        if index in reached.nodes:
            continue
        reached.nodes.add(index)
        for target in _next_nodes(code, index):
            step = code.line_starts.get(target)
            if step is not None:
                reached.starts.add(target)
            if step is None or step.is_optional:
                pending.append(target)
    return reached


def _raised(code: CodeEmitter, reached: _Reached) -> _Reached:
    """What follows an exception step of some nodes."""
    handlers = [
        target
        for index in sorted(reached.nodes)
        if code.nodes[index].may_raise
        for target in _indexes(code.nodes[index].handlers)
    ]
    return _reach(code, handlers, is_start=True)


def _resumed(code: CodeEmitter, reached: _Reached) -> _Reached:
    """What follows when a yield of some nodes is resumed."""
    yields = [i + 1 for i in sorted(reached.nodes) if code.nodes[i].frame_exit == "yield"]
    return _reach(code, yields, is_start=True)


def _lines(code: CodeEmitter, *reached: _Reached) -> set[int]:
    return {code.line_starts[index].line for each in reached for index in each.starts}


def _exit_lines(code: CodeEmitter, by_line: dict[int, list[_Reached]], kind: str) -> frozenset[int]:
    return frozenset(
        line
        for line, group in by_line.items()
        if any(code.nodes[index].frame_exit == kind for each in group for index in each.nodes)
    )


def _add_callees(
    code: CodeEmitter, reached: _Reached, line: int, callees: dict[int, set[int]]
) -> None:
    called = {callee for index in reached.nodes for callee in code.nodes[index].callees}
    if called:
        callees.setdefault(line, set()).update(called)
