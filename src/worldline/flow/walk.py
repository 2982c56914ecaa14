"""A program's control-flow graph and the steps so far go in, which steps may come next comes out.

Only the source is known, no value: the true next step is always among the options, and they
are as few as the source allows. Outside of this are threads, signals, what is called back when an
object dies that a weak reference is to, code made by `exec` that claims to be the program's, memory
that is used up, and, on 3.11, generators that are made under another name than their function's
and thrown away before they have run.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from weakref import WeakValueDictionary

from worldline.errors import ProgramError
from worldline.flow.entering import Entered, Entering, Suspended
from worldline.flow.graph import FlowGraph
from worldline.flow.reach import At, Phase, Reached, reach
from worldline.flow.spots import Leaving, program_spots
from worldline.trace import Event, Program

# The simplest come first. There are several only on 3.11, where exceptions are thrown through a
# `yield from`, and so many only where that is deeply nested.
_MOST_SITUATIONS = 64


@dataclass(frozen=True, slots=True, order=True)
class Option:
    """One step that may come next."""

    event: Event
    line: int


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class _Frame:
    """One scope on the stack: all that it may be at, its line, and who called it.

    `struck`: the lines on which it has had exception steps; `is_thrown_into`: whether it was
    entered by an exception from outside, as by `throw` and `close`.
    """

    at: frozenset[At]
    line: int
    caller: "_Frame | None"
    struck: frozenset[int] = frozenset()
    is_thrown_into: bool = False


class Walk:
    """Follows one execution from the source alone.

    walk = Walk(flow_graph(program.text), program)
    walk.options                        -> (Option("call", 4),)
    walk.take(Option("call", 4))
    walk.options                        -> (Option("line", 5),)
    """

    def __init__(self, graph: FlowGraph, program: Program) -> None:
        self._graph = graph
        self._code = program_spots(program.text, graph)
        # Two stacks that are the same are one, so that no situation is held twice.
        self._frames: WeakValueDictionary[tuple[Hashable, ...], _Frame] = WeakValueDictionary()
        self._known: dict[tuple[frozenset[At], int], Reached] = {}
        self._entering = Entering(graph, self._code)
        self._entries = _entries(graph, program)
        # What the running frame may be: mostly one, None before the start and after the end.
        self._tops: tuple[_Frame | None, ...] = (None,)
        self._is_started = False
        self._options: tuple[Option, ...] | None = None

    @property
    def is_over(self) -> bool:
        """Whether the entry point has been left."""
        return self._is_started and None in self._tops

    @property
    def options(self) -> tuple[Option, ...]:
        """The steps that may come next, each once, in order; none when it is over."""
        if self._options is None:
            found = {
                option for top in self._tops if top is not None for option in self._options_of(top)
            }
            if not self._is_started:
                found = {Option("call", line) for line in self._entry_lines()}
            self._options = tuple(sorted(found))
        return self._options

    def is_unwound(self, option: Option) -> bool | None:
        """Whether a return is a scope left by an exception, with no value; None: it may be.

        Option("return", 2) after an exception step in "def f(x):\\n    return x[0]" -> True
        """
        hows = {
            how == "reraise"
            for top in self._tops
            if top is not None and option.event == "return"
            for _, _, how in self._leaving(top).get(option.line, ())
        }
        return hows.pop() if len(hows) == 1 else None

    def take(self, *options: Option, is_unwound: bool | None = None) -> None:
        """Go on by a step: by any of several where it is not known which, as where the text of a
        line stands twice. `is_unwound`: whether a return has no value, where that is known."""
        strange = next((option for option in options if option not in self.options), None)
        if strange is not None or not options:
            raise ValueError(f"{strange} cannot come next; expected one of {self.options}")
        self._options = None
        if not self._is_started:
            self._is_started = True
            self._tops = tuple(self._start(option.line) for option in options)
            return
        taken: list[_Frame | None] = []
        for option in options:
            moving = [
                top for top in self._tops if top is not None and option in self._options_of(top)
            ]
            taken += [after for top in moving for after in self._after(top, option, is_unwound)]
            if option.event == "call" and len(options) == len(moving) == 1:
                self._entering.enter(self._entered(moving[0])[option.line])
            elif option.event == "line":
                self._entering.make(option.line)
        if not taken:
            raise ValueError(f"{options} cannot come next with is_unwound={is_unwound}")
        self._tops = tuple(dict.fromkeys(taken))[:_MOST_SITUATIONS]

    def _start(self, line: int) -> _Frame:
        started = [i for i in self._entries if line in self._graph.functions[i].call_lines]
        at = frozenset(At(i, self._code.functions[i].start, Phase.READY) for i in started)
        return _Frame(at, line, None)

    def _shared(self, frame: _Frame) -> _Frame:
        """The frame that stands for all that are the same."""
        key = (frame.at, frame.line, id(frame.caller), frame.struck, frame.is_thrown_into)
        return self._frames.setdefault(key, frame)

    def _entry_lines(self) -> set[int]:
        return {line for i in self._entries for line in self._graph.functions[i].call_lines}

    # -- what may come next ---------------------------------------------------------------

    def _options_of(self, frame: _Frame) -> Iterator[Option]:
        """The options of one frame."""
        reached = self._reached(frame)
        yield from (Option("line", line) for line in reached.lines)
        if reached.raising:
            yield Option("exception", frame.line)
        yield from (Option("return", line) for line in self._leaving(frame))
        yield from (Option("call", line) for line in self._entered(frame))

    def _reached(self, frame: _Frame) -> Reached:
        key = (frame.at, frame.line)
        if key not in self._known:
            self._known[key] = reach(self._graph, self._code, frame.at, frame.line)
        return self._known[key]

    def _leaving(self, frame: _Frame) -> dict[int, set[tuple[int, int, Leaving]]]:
        """How a frame may be left, by the line of the return step."""
        found: dict[int, set[tuple[int, int, Leaving]]] = {}
        for function, index, how in self._reached(frame).leaving:
            spot = self._code.functions[function].spots[index]
            for place in (spot.claims & frame.struck) | spot.claims_sent or {None}:
                line = frame.line if place is None else place
                found.setdefault(line, set()).add((function, index, how))
        return found

    def _entered(self, frame: _Frame) -> dict[int, Entered]:
        """What may be called from a frame, by the line of the call step."""
        return self._entering.calls(self._reached(frame))

    # -- going on -------------------------------------------------------------------------

    def _after(
        self, frame: _Frame, option: Option, is_unwound: bool | None
    ) -> Iterator[_Frame | None]:
        """What the running frame may be after a step of one."""
        reached, line = self._reached(frame), option.line
        if option.event == "line":
            yield self._shared(replace(frame, at=frozenset(reached.lines[line]), line=line))
        elif option.event == "exception":
            raised = replace(
                frame,
                at=frozenset(reached.raising),
                struck=frame.struck | {line},
                is_thrown_into=frame.is_thrown_into or self._was_resumed(frame),
            )
            yield self._shared(raised)
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

    def _enter(self, frame: _Frame, line: int) -> _Frame:
        entered = self._entered(frame)[line]
        caller = self._shared(replace(frame, at=frozenset(entered.caller)))
        struck = frozenset[int]().union(*(waiting.struck for waiting in entered.resumed))
        # What a generator delegates to may be an object with a method of that name.
        is_thrown = any(self._graph.functions[at.function].name == "throw" for at in entered.callee)
        return self._shared(_Frame(frozenset(entered.callee), line, caller, struck, is_thrown))

    def _leave(
        self, frame: _Frame, hows: list[tuple[int, int, Leaving]]
    ) -> Iterator[_Frame | None]:
        caller = frame.caller
        # Up to 3.11, what is thrown through a generator resumes it without a call step when that to
        # which it delegates is left.
        is_old = self._graph.python < (3, 12)
        delegating = self._entering.delegating() if is_old and frame.is_thrown_into else []
        for function, index, how in hows:
            if how == "yield":
                self._entering.suspend(Suspended(function, index, frame.line, frame.struck))
        if caller is None:
            yield None
            return
        at: set[At] = set()
        for function, _, how in hows:
            has_failed = how == "reraise" and function in self._code.direct
            at.update(self._failed(there) if has_failed else there for there in caller.at)
        back = self._shared(replace(caller, at=frozenset(at)))
        yield back
        for it in delegating:
            yield self._shared(_Frame(_left_by_delegate(it), it.line, back, it.struck, True))

    def _was_resumed(self, frame: _Frame) -> bool:
        """Whether a frame has had no step but the call that resumed it."""
        spots = [self._code.functions[at.function].spots[at.spot] for at in frame.at]
        return any(spot.leaves == "yield" for spot in spots)

    def _failed(self, at: At) -> At:
        """Where a caller is when what it calls for certain was left by an exception."""
        calls = self._code.functions[at.function].spots[at.spot].calls
        return at._replace(phase=Phase.FAILED) if calls and at.phase is Phase.CALLED else at


def _left_by_delegate(waiting: Suspended) -> frozenset[At]:
    """Where a generator is when what it delegates to has been left."""
    sent = At(waiting.function, waiting.spot - 1, Phase.CALLED)
    return frozenset({sent, At(waiting.function, waiting.spot, Phase.FAILED)})


def _entries(graph: FlowGraph, program: Program) -> list[int]:
    """The functions that the entry point of a program may be."""
    entry = "<module>" if program.entry is None else program.entry
    found = [i for i, function in enumerate(graph.functions) if function.qualname == entry]
    if not found:
        raise ProgramError(
            f"the program has no function {program.entry!r} to start with; "
            "mark the `def` of one that is at the top level"
        )
    return found
