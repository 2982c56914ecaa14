"""Non-deterministic simulator of a program: which steps may come next, given the steps so far.

It knows the source but no values. The actual next step is always among its options, and the options
are as few as the source allows. In Python, exceptions to this are threads, signals, weak-reference
callbacks, code from `exec` that claims to be the program's, running out of memory and, on 3.11,
generators that were created under a different name than their function's and are closed before
their first step. For other languages, see their reference pages.
"""

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from weakref import WeakValueDictionary

from worldline.core.errors import ProgramError
from worldline.core.trace import Event, Program
from worldline.languages.control_flow.call_transitions import (
    CallTransitions,
    PossibleCall,
    Suspended,
)
from worldline.languages.control_flow.control_flow_graph import ControlFlowGraph
from worldline.languages.control_flow.instruction_nodes import ProgramInstructions
from worldline.languages.control_flow.program_graphs import build_instructions
from worldline.languages.control_flow.reachability import (
    Phase,
    PossibleExit,
    ProgramPoint,
    Successors,
    find_successors,
)

# There are several stacks only on 3.11, when an exception is thrown through a `yield from`, and
# more than this only if that is deeply nested. The simplest come first.
_MAX_STACKS = 64


@dataclass(frozen=True, slots=True, order=True)
class NextStep:
    """A step that may come next."""

    event: Event
    line: int


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class _Frame:
    """A frame on the simulated stack.

    Attributes:
        points: all points where it may be.
        line: its current line.
        caller: the frame below it.
        exception_lines: lines on which it has had exception steps.
        is_thrown_into: whether an exception entered it from outside, as by `throw` and `close`.
    """

    points: frozenset[ProgramPoint]
    line: int
    caller: "_Frame | None"
    exception_lines: frozenset[int] = frozenset()
    is_thrown_into: bool = False


class CfgSimulator:
    """Simulation of one execution from the source alone.

    simulator = CfgSimulator(build_cfg(program.text), program)
    simulator.options                       -> (NextStep("call", 4),)
    simulator.take(NextStep("call", 4))
    simulator.options                       -> (NextStep("line", 5),)

    Args:
        graph: the program's control-flow graph.
        program: the program.
        omits_expression_frames: the steps inside lambdas, comprehensions and generator expressions
            are left out, as by `without_expression_frames`.
        instructions: the program's instruction graph, if it was built before.
    """

    def __init__(
        self,
        graph: ControlFlowGraph,
        program: Program,
        *,
        omits_expression_frames: bool = False,
        instructions: ProgramInstructions | None = None,
    ) -> None:
        self._graph = graph
        # Lines of the statements whose inner steps are skipped.
        self._folded_lines = graph.expression_statements if omits_expression_frames else None
        self._code = instructions or build_instructions(program, graph)
        # Equal stacks are one object, so that no stack is followed twice.
        self._frames: WeakValueDictionary[tuple[Hashable, ...], _Frame] = WeakValueDictionary()
        self._cache: dict[tuple[frozenset[ProgramPoint], int], Successors] = {}
        self._calls = CallTransitions(graph, self._code)
        self._entries = _entry_functions(graph, program)
        # The possible top frames: usually one. None before the start and after the end.
        self._top_frames: tuple[_Frame | None, ...] = (None,)
        self._is_started = False
        self._options: tuple[NextStep, ...] | None = None

    @property
    def is_over(self) -> bool:
        """Whether the entry point has returned."""
        return self._is_started and None in self._top_frames

    @property
    def options(self) -> tuple[NextStep, ...]:
        """The steps that may come next, sorted, without duplicates; empty after the end."""
        if self._options is None:
            options = {
                option
                for frame in self._top_frames
                if frame is not None
                for option in self._options_of(frame)
                if not self._is_omitted(frame, option)
            }
            if not self._is_started:
                options = {NextStep("call", line) for line in self._entry_lines()}
            self._options = tuple(sorted(options))
        return self._options

    def is_unwound(self, option: NextStep) -> bool | None:
        """Whether a return step leaves its scope by an exception, without a value.

        NextStep("return", 2) after an exception step in "def f(x):\\n    return x[0]" -> True

        Returns:
            None if both are possible.
        """
        is_reraise = {
            possible.kind == "reraise"
            for frame in self._top_frames
            if frame is not None and option.event == "return"
            for possible in self._exits_of(frame).get(option.line, ())
        }
        return is_reraise.pop() if len(is_reraise) == 1 else None

    def take(self, *options: NextStep, unwound: bool | None = None) -> None:
        """Advance by one step.

        Args:
            *options: the step; several if it is one of these but not known which, as when two
                lines have the same text.
            unwound: whether a return step has no value; None if that is not known.

        Raises:
            ValueError: the step cannot come next.
        """
        impossible = next((option for option in options if option not in self.options), None)
        if impossible is not None or not options:
            raise ValueError(f"{impossible} cannot come next; expected one of {self.options}")
        self._options = None
        if not self._is_started:
            self._is_started = True
            self._top_frames = tuple(self._start(option.line) for option in options)
            return
        new_frames: list[_Frame | None] = []
        for option in options:
            frames = [
                frame
                for frame in self._top_frames
                if frame is not None
                and option in self._options_of(frame)
                and not self._is_omitted(frame, option)
            ]
            new_frames += [
                after for frame in frames for after in self._frames_after(frame, option, unwound)
            ]
            if option.event == "call" and len(options) == len(frames) == 1:
                self._calls.record_call(self._calls_of(frames[0])[option.line])
            elif option.event == "line":
                self._calls.record_line(option.line)
        if not new_frames:
            raise ValueError(f"{options} cannot come next with unwound={unwound}")
        self._top_frames = tuple(dict.fromkeys(new_frames))[:_MAX_STACKS]
        if self._folded_lines is not None:
            self._top_frames = self._with_omitted_steps(self._top_frames)

    # -- steps that are left out ----------------------------------------------------------

    def _is_omitted(self, frame: _Frame, option: NextStep) -> bool:
        """Whether a step is inside a lambda or comprehension, or enters one."""
        if self._folded_lines is None:
            return False
        if option.event == "call":
            return self._is_expression(self._calls_of(frame)[option.line].callees)
        if self._is_expression(frame.points):
            return True
        return option.event == "line" and any(
            frame.line in lines and option.line in lines for lines in self._folded_lines
        )

    def _is_expression(self, points: Iterable[ProgramPoint]) -> bool:
        kinds = {self._graph.functions[point.function].kind for point in points}
        return bool(kinds) and kinds <= {"lambda", "comprehension"}

    def _with_omitted_steps(self, frames: tuple[_Frame | None, ...]) -> tuple[_Frame | None, ...]:
        """Frames, and those that omitted steps lead to; the shortest ways come first."""
        reached = dict.fromkeys(frames)
        queue = [frame for frame in frames if frame is not None]
        for frame in queue:
            for option in tuple(self._options_of(frame)):
                if len(reached) >= _MAX_STACKS or not self._is_omitted(frame, option):
                    continue
                for after in self._frames_after(frame, option, None):
                    if after is not None and after not in reached:
                        reached[after] = None
                        queue.append(after)
        return tuple(reached)

    def _start(self, line: int) -> _Frame:
        started = [i for i in self._entries if line in self._graph.functions[i].call_lines]
        points = frozenset(
            ProgramPoint(i, self._code.functions[i].start, Phase.READY) for i in started
        )
        return _Frame(points, line, None)

    def _intern(self, frame: _Frame) -> _Frame:
        """Return the one object for all equal frames."""
        key = (
            frame.points,
            frame.line,
            id(frame.caller),
            frame.exception_lines,
            frame.is_thrown_into,
        )
        return self._frames.setdefault(key, frame)

    def _entry_lines(self) -> set[int]:
        return {line for i in self._entries for line in self._graph.functions[i].call_lines}

    # -- steps that may come next ---------------------------------------------------------

    def _options_of(self, frame: _Frame) -> Iterator[NextStep]:
        """Steps that may come next if this is the top frame."""
        successors = self._successors_of(frame)
        yield from (NextStep("line", line) for line in successors.lines)
        if successors.raising:
            yield NextStep("exception", frame.line)
        yield from (NextStep("return", line) for line in self._exits_of(frame))
        yield from (NextStep("call", line) for line in self._calls_of(frame))

    def _successors_of(self, frame: _Frame) -> Successors:
        key = (frame.points, frame.line)
        if key not in self._cache:
            self._cache[key] = find_successors(self._graph, self._code, frame.points, frame.line)
        return self._cache[key]

    def _exits_of(self, frame: _Frame) -> dict[int, set[PossibleExit]]:
        """Ways to leave a frame, by the line of the return step."""
        exits: dict[int, set[PossibleExit]] = {}
        for possible in self._successors_of(frame).exits:
            node = self._code.functions[possible.function].nodes[possible.node]
            lines = (node.raised_lines & frame.exception_lines) | node.forwarded_lines or {None}
            for reported in lines:
                line = frame.line if reported is None else reported
                exits.setdefault(line, set()).add(possible)
        return exits

    def _calls_of(self, frame: _Frame) -> dict[int, PossibleCall]:
        """Calls that a frame may make, by the line of the call step."""
        return self._calls.possible_calls(self._successors_of(frame))

    # -- taking a step --------------------------------------------------------------------

    def _frames_after(
        self, frame: _Frame, option: NextStep, unwound: bool | None
    ) -> Iterator[_Frame | None]:
        """Top frames that are possible after a step of one."""
        successors, line = self._successors_of(frame), option.line
        if option.event == "line":
            points = frozenset(successors.lines[line])
            yield self._intern(replace(frame, points=points, line=line))
        elif option.event == "exception":
            raised = replace(
                frame,
                points=frozenset(successors.raising),
                exception_lines=frame.exception_lines | {line},
                is_thrown_into=frame.is_thrown_into or self._is_just_resumed(frame),
            )
            yield self._intern(raised)
        elif option.event == "call":
            yield self._enter(frame, line)
        else:
            exits = [
                possible
                for possible in self._exits_of(frame)[line]
                if unwound is None or unwound == (possible.kind == "reraise")
            ]
            if exits:
                yield from self._leave(frame, exits)

    def _enter(self, frame: _Frame, line: int) -> _Frame:
        call = self._calls_of(frame)[line]
        caller = self._intern(replace(frame, points=frozenset(call.callers)))
        exception_lines = frozenset[int]().union(
            *(suspended.exception_lines for suspended in call.resumed)
        )
        # A generator may delegate to an object that has a method `throw`.
        is_throw = any(
            self._graph.functions[point.function].name == "throw" for point in call.callees
        )
        return self._intern(
            _Frame(frozenset(call.callees), line, caller, exception_lines, is_throw)
        )

    def _leave(self, frame: _Frame, exits: list[PossibleExit]) -> Iterator[_Frame | None]:
        caller = frame.caller
        # Up to 3.11, an exception thrown through a generator resumes it without a call step when
        # the generator that it delegates to is left.
        has_silent_resume = frame.is_thrown_into and (self._graph.python or (4,)) < (3, 12)
        delegating = self._calls.delegating_generators() if has_silent_resume else []
        for function, node, kind in exits:
            if kind == "yield":
                line = self._code.functions[function].nodes[node].resumption_line or frame.line
                suspended = Suspended(function, node, line, frame.exception_lines)
                self._calls.record_yield(suspended)
        if caller is None:
            yield None
            return
        points: set[ProgramPoint] = set()
        for function, _, kind in exits:
            has_raised = kind == "reraise" and function in self._code.only_called_directly
            points.update(
                self._after_failed_call(point) if has_raised else point for point in caller.points
            )
        resumed = self._intern(replace(caller, points=frozenset(points)))
        yield resumed
        for each in delegating:
            points_after = _after_delegate_left(each)
            yield self._intern(_Frame(points_after, each.line, resumed, each.exception_lines, True))

    def _is_just_resumed(self, frame: _Frame) -> bool:
        """Whether a frame has had no step since the call that resumed it."""
        nodes = [self._code.functions[point.function].nodes[point.node] for point in frame.points]
        return any(node.frame_exit == "yield" for node in nodes)

    def _after_failed_call(self, point: ProgramPoint) -> ProgramPoint:
        """The point of a caller whose known callee was left by an exception."""
        callees = self._code.functions[point.function].nodes[point.node].known_callees
        has_called = callees and point.phase is Phase.CALLED
        return point._replace(phase=Phase.MUST_RAISE) if has_called else point


def _after_delegate_left(suspended: Suspended) -> frozenset[ProgramPoint]:
    """Points of a generator when the generator that it delegates to was left."""
    sent = ProgramPoint(suspended.function, suspended.node - 1, Phase.CALLED)
    return frozenset({sent, ProgramPoint(suspended.function, suspended.node, Phase.MUST_RAISE)})


def _entry_functions(graph: ControlFlowGraph, program: Program) -> list[int]:
    """Indexes of the functions that may be the entry point of a program."""
    entry = "<module>" if program.entry is None else program.entry
    functions = list(enumerate(graph.functions))
    entries = [i for i, function in functions if function.qualname == entry]
    if not entries:
        # In Java, the entry point is a method, and `main` if none is marked.
        entries = [i for i, function in functions if function.name == (program.entry or "main")]
    if not entries:
        raise ProgramError(
            f"the program has no function {program.entry!r} to start in at the top level; "
            "mark one as in `def main(): # << START_OF_TRACE`"
        )
    return entries
