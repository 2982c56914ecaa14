"""A program's control-flow graph and the steps so far go in, which steps may come next comes out.

Only the source is known, no value: the true next step is always among the options, and they
are as few as the source allows. Outside of this are threads, signals, code made by `exec` that
claims to be the program's, and memory that is used up.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from worldline.errors import ProgramError
from worldline.flow.graph import FlowGraph
from worldline.flow.spots import Leaving, function_spots
from worldline.trace import Event, Program


@dataclass(frozen=True, slots=True, order=True)
class Option:
    """One step that may come next."""

    event: Event
    line: int


class _Phase(Enum):
    """What has been done at a spot."""

    READY = "ready"  # nothing yet
    CALLED = "called"  # it has called something, which came back
    FAILED = "failed"  # it has to raise
    RAISED = "raised"  # it has had its exception step


class _At(NamedTuple):
    """A spot of a function that a frame may be at."""

    function: int
    spot: int
    phase: _Phase


class _Suspended(NamedTuple):
    """Where a generator waits: the function, the spot of its yield, and its line."""

    function: int
    spot: int
    line: int


@dataclass(frozen=True, slots=True, eq=False)
class _Frame:
    """One scope on the stack: all that it may be at, its line, and who called it.

    `struck`: the lines on which it has had exception steps, where that is known.
    """

    at: frozenset[_At]
    line: int
    caller: "_Frame | None"
    struck: frozenset[int] | None = frozenset()


@dataclass(slots=True)
class _Reached:
    """What may come next in a frame: steps by line, and what leads to the others."""

    lines: dict[int, set[_At]] = field(default_factory=dict)
    raising: set[_At] = field(default_factory=set)
    leaving: set[tuple[int, int, Leaving]] = field(default_factory=set)
    # The spot that calls as it will be then, the function, and whether that may be started.
    calling: set[tuple[_At, int, bool]] = field(default_factory=set)


@dataclass(slots=True)
class _Entered:
    """What a call on one line may be: where the new frame is, and where it comes from."""

    callee: set[_At] = field(default_factory=set)
    caller: set[_At] = field(default_factory=set)
    resumed: set[_Suspended] = field(default_factory=set)
    is_fresh: bool = False


class Walk:
    """Follows one execution from the source alone.

    walk = Walk(flow_graph(program.text), program)
    walk.options                        -> (Option("call", 4),)
    walk.take(Option("call", 4))
    walk.options                        -> (Option("line", 5),)
    """

    def __init__(self, graph: FlowGraph, program: Program) -> None:
        self._graph = graph
        self._functions = function_spots(program.text, graph)
        self._direct = {
            index for each in self._functions for spot in each.spots for index in spot.calls
        }
        self._known: dict[tuple[frozenset[_At], int], _Reached] = {}
        # At most so many generators wait there; there may be fewer.
        self._suspended: Counter[_Suspended] = Counter()
        self._entries = _entries(graph, program)
        # What the running frame may be: mostly one, None before the start and after the end.
        self._tops: tuple[_Frame | None, ...] = (None,)
        self._is_started = False

    @property
    def is_over(self) -> bool:
        """Whether the entry point has been left."""
        return self._is_started and None in self._tops

    @property
    def options(self) -> tuple[Option, ...]:
        """The steps that may come next, each once, in order; none when it is over."""
        if not self._is_started:
            return tuple(sorted(Option("call", line) for line in self._entry_lines()))
        found = {option for top in self._tops if top is not None for option in self._of(top)}
        return tuple(sorted(found))

    def is_unwound(self, option: Option) -> bool | None:
        """Whether a return is a scope left by an exception, with no value; None: it may be.

        return 3 of "def f(x):\\n    try:\\n        return x" -> False
        """
        hows = {
            how == "reraise"
            for top in self._tops
            if top is not None and option.event == "return"
            for _, _, how in self._leaving(top).get(option.line, ())
        }
        return hows.pop() if len(hows) == 1 else None

    def take(self, option: Option, *, is_unwound: bool | None = None) -> None:
        """Go on by a step. `is_unwound`: whether a return has no value, where that is known."""
        if option not in self.options:
            raise ValueError(f"{option} cannot come next; expected one of {self.options}")
        if not self._is_started:
            self._is_started = True
            started = [
                i for i in self._entries if option.line in self._graph.functions[i].call_lines
            ]
            at = frozenset(_At(i, self._functions[i].start, _Phase.READY) for i in started)
            self._tops = (_Frame(at, option.line, None),)
            return
        moving = [top for top in self._tops if top is not None and option in self._of(top)]
        taken = [after for top in moving for after in self._after(top, option, is_unwound)]
        if option.event == "call":
            self._resume(moving, option.line)
        if not taken:
            raise ValueError(f"{option} cannot come next with is_unwound={is_unwound}")
        self._tops = tuple(taken)

    def _entry_lines(self) -> set[int]:
        return {line for i in self._entries for line in self._graph.functions[i].call_lines}

    # -- what may come next ---------------------------------------------------------------

    def _of(self, frame: _Frame) -> Iterator[Option]:
        """The options of one frame."""
        reached = self._reached(frame)
        yield from (Option("line", line) for line in reached.lines)
        if reached.raising:
            yield Option("exception", frame.line)
        yield from (Option("return", line) for line in self._leaving(frame))
        yield from (Option("call", line) for line in self._entered(frame))

    def _reached(self, frame: _Frame) -> _Reached:
        key = (frame.at, frame.line)
        if key not in self._known:
            self._known[key] = self._reach(frame)
        return self._known[key]

    def _reach(self, frame: _Frame) -> _Reached:
        """Follow the spots from where a frame is, up to the next step."""
        reached = _Reached()
        found: set[_At] = set()
        waiting = list(frame.at)
        while waiting:
            at = waiting.pop()
            if at not in found:
                found.add(at)
                waiting += self._pass(at, frame.line, reached)
        return reached

    def _pass(self, at: _At, line: int, reached: _Reached) -> Iterator[_At]:
        """Note what may come of one spot; where it goes on without a step comes out."""
        function, index, phase = at
        spot = self._functions[function].spots[index]
        self._note_calls(at, line, reached)
        has_to_call = bool(spot.calls) and phase is _Phase.READY
        is_done = bool(spot.calls) and phase is _Phase.CALLED
        if phase is _Phase.FAILED or (
            spot.may_raise and phase is not _Phase.RAISED and not is_done
        ):
            reached.raising.add(_At(function, index, _Phase.RAISED))
        if phase is _Phase.FAILED or has_to_call:
            return
        moves = spot.moves
        if phase is _Phase.RAISED:
            moves = spot.caught + (spot.moves if spot.ends_by_exception else ())
            if spot.is_unwound:
                reached.leaving.add((function, index, "reraise"))
        elif spot.leaves is not None:
            reached.leaving.add((function, index, spot.leaves))
            if spot.leaves != "reraise":
                return
        for to, is_step in moves:
            there = self._functions[function].spots[to].line
            if is_step and there is not None:
                reached.lines.setdefault(there, set()).add(_At(function, to, _Phase.READY))
            else:
                yield _At(function, to, _Phase.READY)

    def _note_calls(self, at: _At, line: int, reached: _Reached) -> None:
        """Note the functions that a spot may call."""
        spot = self._functions[at.function].spots[at.spot]
        then = at._replace(phase=_Phase.CALLED) if at.phase is _Phase.READY else at
        if spot.calls and at.phase is _Phase.READY:
            reached.calling.update((then, index, True) for index in spot.calls)
        may_call = spot.may_raise and not spot.calls and at.phase in (_Phase.READY, _Phase.CALLED)
        for index in self._graph.callees_at.get(line, ()):
            callee = self._graph.functions[index]
            if index in self._direct:
                continue
            if may_call or callee.name == "__del__":
                reached.calling.add((then, index, True))
            elif callee.is_generator:
                # It may be thrown away anywhere, which resumes it once more.
                reached.calling.add((then, index, False))

    def _leaving(self, frame: _Frame) -> dict[int, set[tuple[int, int, Leaving]]]:
        """How a frame may be left, by the line of the return step."""
        found: dict[int, set[tuple[int, int, Leaving]]] = {}
        for function, index, how in self._reached(frame).leaving:
            spot = self._functions[function].spots[index]
            lines = {frame.line if line is None else line for line in spot.claims_sent}
            lines |= spot.claims if frame.struck is None else spot.claims & frame.struck
            for line in lines or {frame.line}:
                found.setdefault(line, set()).add((function, index, how))
        return found

    def _entered(self, frame: _Frame) -> dict[int, _Entered]:
        """What may be called from a frame, by the line of the call step."""
        found: dict[int, _Entered] = {}
        for caller, index, may_start in self._reached(frame).calling:
            callee = self._graph.functions[index]
            start = _At(index, self._functions[index].start, _Phase.READY)
            for line in callee.call_lines if may_start else ():
                entered = found.setdefault(line, _Entered())
                entered.is_fresh = True
                entered.caller.add(caller)
                entered.callee.add(start)
                if callee.is_generator:
                    entered.callee.add(start._replace(phase=_Phase.FAILED))
            for waiting in self._suspended:
                if waiting.function == index:
                    entered = found.setdefault(waiting.line, _Entered())
                    entered.resumed.add(waiting)
                    entered.caller.add(caller)
                    entered.callee.add(_At(index, waiting.spot + 1, _Phase.READY))
                    entered.callee.add(_At(index, waiting.spot, _Phase.FAILED))
        return found

    # -- going on -------------------------------------------------------------------------

    def _after(
        self, frame: _Frame, option: Option, is_unwound: bool | None
    ) -> Iterator[_Frame | None]:
        """What the running frame may be after a step of one."""
        reached, line = self._reached(frame), option.line
        if option.event == "line":
            yield _Frame(frozenset(reached.lines[line]), line, frame.caller, frame.struck)
        elif option.event == "exception":
            struck = None if frame.struck is None else frame.struck | {line}
            yield _Frame(frozenset(reached.raising), line, frame.caller, struck)
        elif option.event == "call":
            yield self._enter(frame, line)
        else:
            hows = [
                (function, index, how)
                for function, index, how in self._leaving(frame)[line]
                if is_unwound is None or is_unwound == (how == "reraise")
            ]
            if hows:
                yield from self._leave(frame, hows)

    def _resume(self, frames: list[_Frame], line: int) -> None:
        """Take down that a generator no longer waits, where it is certain which one."""
        if len(frames) == 1:
            entered = self._entered(frames[0])[line]
            if len(entered.resumed) == 1 and not entered.is_fresh:
                self._suspended -= Counter(entered.resumed)

    def _enter(self, frame: _Frame, line: int) -> _Frame:
        entered = self._entered(frame)[line]
        caller = _Frame(frozenset(entered.caller), frame.line, frame.caller, frame.struck)
        struck = None if entered.resumed else frozenset[int]()
        return _Frame(frozenset(entered.callee), line, caller, struck)

    def _leave(
        self, frame: _Frame, hows: list[tuple[int, int, Leaving]]
    ) -> Iterator[_Frame | None]:
        caller = frame.caller
        delegating = list(self._delegating()) if caller else []
        for function, index, how in hows:
            if how == "yield":
                self._suspended[_Suspended(function, index, frame.line)] += 1
        if caller is None:
            yield None
            return
        at: set[_At] = set()
        for function, _, how in hows:
            has_failed = how == "reraise" and function in self._direct
            at.update(self._failed(there) if has_failed else there for there in caller.at)
        back = _Frame(frozenset(at), caller.line, caller.caller, caller.struck)
        yield back
        if any(function not in self._direct for function, _, _ in hows):
            yield from (_Frame(at, line, back, None) for at, line in delegating)

    def _failed(self, at: _At) -> _At:
        calls = self._functions[at.function].spots[at.spot].calls
        return at._replace(phase=_Phase.FAILED) if calls and at.phase is _Phase.CALLED else at

    def _delegating(self) -> Iterator[tuple[frozenset[_At], int]]:
        """Where generators wait that 3.11 resumes without a call step: when what they delegate
        to was thrown into, and is left."""
        if self._graph.python < (3, 12):
            for function, index, line in self._suspended:
                if self._functions[function].spots[index].delegates:
                    sent = _At(function, index - 1, _Phase.CALLED)
                    yield frozenset({sent, _At(function, index, _Phase.FAILED)}), line


def _entries(graph: FlowGraph, program: Program) -> list[int]:
    """The functions that the entry point of a program may be."""
    found = [
        index
        for index, function in enumerate(graph.functions)
        if (
            function.kind == "module"
            if program.entry is None
            else function.qualname == program.entry
        )
    ]
    if not found:
        raise ProgramError(
            f"the program has no function {program.entry!r} to start with; "
            "mark the `def` of one that is at the top level"
        )
    return found
