"""A real trace and an imagined one go in; where they part, and what comes after, comes out."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Literal

from worldline.align.equality import compare, is_opaque
from worldline.codecs import Decoded, Fragment
from worldline.trace import Event, Step, Trace, states

Where = Literal["argument", "state", "action", "return", "exception", "end"]
UNCHANGED = ".."


@dataclass(frozen=True, slots=True)
class Difference:
    """One local that differs; none on a side where it does not exist."""

    name: str
    true: str | None
    predicted: str | None


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first step at which the two differ, and in what.

    `line` is the number of the true step's line; `executed` that of the line that ran just
    before and led here (for a return: the returning line itself). `predicted_event` and
    `predicted_line` are what was written instead. `is_within_cut` says that the text broke off
    inside this step, and was already wrong.
    """

    step: int
    where: Where
    event: Event | None
    line: int
    scope: int
    executed: int
    true: str
    predicted: str
    variable: str | None = None
    differences: tuple[Difference, ...] = ()
    predicted_event: Event | None = None
    predicted_line: str | None = None
    is_within_cut: bool = False


@dataclass(frozen=True, slots=True)
class Recovery:
    """What happened behind the divergence.

    `times`: how often the imagined execution found back to the real one (runs of steps that
    match in event, line and full state); `steps`: how many steps those are.
    """

    times: int
    steps: int
    is_result_right: bool | None


@dataclass(frozen=True, slots=True)
class Alignment:
    """The two executions side by side up to where they part.

    `matched` steps are the same; `rules` counts the equality rules that it took. Without a
    divergence the imagined one is a beginning of the real one, or all of it.
    """

    matched: int
    is_whole: bool
    divergence: Divergence | None
    recovery: Recovery | None
    rules: Mapping[str, int] = field(default_factory=dict)


def align(truth: Trace, predicted: Decoded) -> Alignment:
    """Pair the steps of two executions, in order, up to where they part."""
    walk = _Walk(truth)
    for index, (step, guess, written) in enumerate(
        zip(truth.steps, predicted.steps, predicted.written, strict=False)
    ):
        divergence = walk.compare_step(
            index,
            step,
            _Guess(guess.event, written.line, written.locals, guess.value, predicted.knows_events),
        )
        if divergence is not None:
            return Alignment(
                index, False, divergence, _recovery(truth, predicted, index), dict(walk.rules)
            )
        walk.advance(step)
    matched = min(len(truth.steps), len(predicted.steps))
    divergence = _end_divergence(walk, predicted, matched)
    is_whole = divergence is None and _is_whole(truth, predicted, matched)
    recovery = None if divergence is None else _recovery(truth, predicted, matched)
    return Alignment(matched, is_whole, divergence, recovery, dict(walk.rules))


@dataclass(frozen=True, slots=True)
class _Guess:
    """One imagined step, as written."""

    event: Event
    line: str
    locals: Mapping[str, str]
    value: str | None
    knows_event: bool = True


class _Walk:
    """Walks along the real steps, knowing each scope's last state and line."""

    def __init__(self, truth: Trace) -> None:
        self.truth = truth
        self.lines = truth.program.lines
        self.states: dict[int, dict[str, str]] = {}
        self.last_line: dict[int, int] = {}
        self.stack: list[int] = []
        self.rules: Counter[str] = Counter()

    def advance(self, step: Step) -> None:
        """Go over one real step that the imagined one matched."""
        self.states[step.scope] = self.after(step)
        self.last_line[step.scope] = step.line
        if step.event == "call":
            self.stack.append(step.scope)
        elif step.event == "return" and self.stack:
            self.stack.pop()

    def after(self, step: Step) -> dict[str, str]:
        """The real state of the step's scope, the step's own changes included."""
        state = {**self.states.get(step.scope, {}), **step.changed}
        return {name: value for name, value in state.items() if name not in step.gone}

    def executed(self, step: Step) -> int:
        """The line that ran just before and led to this step."""
        if step.event in ("return", "exception"):
            return step.line
        if step.event == "call":
            return self.last_line.get(self.stack[-1], step.line) if self.stack else step.line
        return self.last_line.get(step.scope, step.line)

    def same(self, true: str, predicted: str) -> bool:
        """Compare two values and remember the rule it took."""
        found = compare(true, predicted)
        if found.is_same and found.rule is not None:
            self.rules[found.rule] += 1
        return found.is_same

    def compare_step(self, index: int, step: Step, guess: _Guess) -> Divergence | None:
        """The divergence at this step, if there is one."""
        line = self.lines[step.line - 1]
        is_same_event = step.event == guess.event or (
            not guess.knows_event and step.has_locals and guess.event in ("call", "line")
        )
        is_same_line = line == guess.line
        if not is_same_event:
            return self._action(index, step, guess)
        if not step.has_locals:
            if not is_same_line:
                return self._action(index, step, guess)
            return self._value(index, step, guess)
        differences = self.local_differences(step, guess.locals)
        # Binding the loop variable follows from the decision to go on or to leave.
        if not is_same_line and (not differences or self._follows_for(step)):
            return self._action(index, step, guess, differences)
        return self._state(index, step, guess, differences) if differences else None

    def local_differences(self, step: Step, shown: Mapping[str, str]) -> tuple[Difference, ...]:
        """Locals that differ, in the order in which they were written; then those left out."""
        true = self.after(step)
        before = self.states.get(step.scope, {})
        found = []
        for name, written in shown.items():
            value = before.get(name, written) if written == UNCHANGED else written
            if name not in true:
                found.append(Difference(name, None, value))
            elif not self.same(true[name], value):
                found.append(Difference(name, true[name], value))
        missing = [name for name in true if name not in shown and not is_opaque(true[name])]
        return tuple(found + [Difference(name, true[name], None) for name in missing])

    def _follows_for(self, step: Step) -> bool:
        executed = self.lines[self.executed(step) - 1].lstrip()
        return step.event == "line" and executed.startswith(("for ", "async for "))

    def _action(
        self, index: int, step: Step, guess: _Guess, differences: tuple[Difference, ...] = ()
    ) -> Divergence:
        return Divergence(
            step=index,
            where="action",
            event=step.event,
            line=step.line,
            scope=step.scope,
            # What ran before the step, also where the step is a return or a raise.
            executed=self.last_line.get(step.scope, step.line)
            if step.event != "call"
            else self.executed(step),
            true=self.lines[step.line - 1],
            predicted=guess.line,
            differences=differences,
            predicted_event=guess.event,
            predicted_line=guess.line,
        )

    def _value(self, index: int, step: Step, guess: _Guess) -> Divergence | None:
        true = "None" if step.value is None else step.value
        value = "None" if guess.value is None else guess.value
        if self.same(true, value):
            return None
        return Divergence(
            step=index,
            where="return" if step.event == "return" else "exception",
            event=step.event,
            line=step.line,
            scope=step.scope,
            executed=step.line,
            true=true,
            predicted=value,
            predicted_event=guess.event,
            predicted_line=guess.line,
        )

    def _state(
        self, index: int, step: Step, guess: _Guess, differences: tuple[Difference, ...]
    ) -> Divergence:
        first = differences[0]
        scope = self.truth.scopes[step.scope]
        is_argument = step.event == "call" and first.name in scope.variables[: scope.parameters]
        return Divergence(
            step=index,
            where="argument" if is_argument else "state",
            event=step.event,
            line=step.line,
            scope=step.scope,
            executed=self.executed(step),
            true="" if first.true is None else first.true,
            predicted="" if first.predicted is None else first.predicted,
            variable=first.name,
            differences=differences,
            predicted_event=guess.event,
            predicted_line=guess.line,
        )


def _end_divergence(walk: _Walk, predicted: Decoded, matched: int) -> Divergence | None:
    """All pairs match: does one side go on without the other?"""
    truth = walk.truth
    if len(predicted.steps) > matched:
        if not truth.ending.is_complete:
            return None
        last, extra = truth.steps[-1], predicted.steps[matched]
        return Divergence(
            step=matched,
            where="end",
            event=None,
            line=last.line,
            scope=last.scope,
            executed=last.line,
            true="the end",
            predicted=predicted.written[matched].line,
            predicted_event=extra.event,
            predicted_line=predicted.written[matched].line,
        )
    if matched >= len(truth.steps):
        return None
    step = truth.steps[matched]
    if predicted.stop == "cut":
        return _within_cut(walk, matched, step, predicted.fragment)
    if predicted.stop == "damaged" or _is_left_by_exception(truth, matched):
        return None
    return Divergence(
        step=matched,
        where="end",
        event=step.event,
        line=step.line,
        scope=step.scope,
        executed=walk.executed(step),
        true=walk.lines[step.line - 1],
        predicted="the end",
    )


def _is_left_by_exception(truth: Trace, matched: int) -> bool:
    """Whether only the unwinding of the entry point is missing, which CWM's own traces omit."""
    step = truth.steps[matched]
    is_last = matched == len(truth.steps) - 1
    return is_last and step.event == "return" and step.value is None


def _is_whole(truth: Trace, predicted: Decoded, matched: int) -> bool:
    if not truth.ending.is_complete or predicted.stop == "damaged":
        return False
    if matched == len(truth.steps):
        return True
    return predicted.stop == "ended" and _is_left_by_exception(truth, matched)


def _within_cut(
    walk: _Walk, index: int, step: Step, fragment: Fragment | None
) -> Divergence | None:
    """Whether a step that the text broke off in was already wrong."""
    if fragment is None:
        return None
    line = walk.lines[step.line - 1]
    guess = _Guess(
        fragment.event or step.event, fragment.line or "", fragment.locals, fragment.open_value
    )
    if step.has_locals != _shows_locals(fragment):
        # Nothing written yet that a return could not begin with as well, or the other way round.
        if fragment.line and not line.startswith(fragment.line):
            return _cut_at(walk._action(index, step, guess))
        return None
    if not step.has_locals:
        return _cut_value(walk, index, step, fragment, guess)
    known = {**fragment.locals}
    true = walk.after(step)
    differences = tuple(d for d in walk.local_differences(step, known) if d.predicted is not None)
    name, value = fragment.open_name, fragment.open_value
    if not differences and name is not None and value is not None:
        possible = [true.get(name, "")]
        if name in true and name not in step.changed:
            possible.append(UNCHANGED)
        if not any(text.startswith(value) for text in possible):
            differences = (Difference(name, true.get(name), value),)
    if differences:
        return _cut_at(walk._state(index, step, guess, differences))
    if fragment.line is not None and not line.startswith(fragment.line):
        return _cut_at(walk._action(index, step, guess))
    return None


def _shows_locals(fragment: Fragment) -> bool:
    if fragment.event is not None:
        return fragment.event in ("call", "line")
    return bool(fragment.locals) or fragment.open_name is not None or fragment.line is None


def _cut_value(
    walk: _Walk, index: int, step: Step, fragment: Fragment, guess: _Guess
) -> Divergence | None:
    line = walk.lines[step.line - 1]
    if fragment.line is not None and not line.startswith(fragment.line):
        return _cut_at(walk._action(index, step, guess))
    value = fragment.open_value
    true = "None" if step.value is None else step.value
    if value is None or true.startswith(value) or is_opaque(true):
        return None
    found = walk._value(index, step, guess)
    return None if found is None else _cut_at(found)


def _cut_at(divergence: Divergence) -> Divergence:
    values = {name: getattr(divergence, name) for name in divergence.__slots__}
    return Divergence(**{**values, "is_within_cut": True})


def _recovery(truth: Trace, predicted: Decoded, start: int) -> Recovery:
    """Look for runs of steps behind the divergence that match in event, line and full state."""
    ours = _keys(truth.steps, [truth.source_line(s) for s in truth.steps], predicted.knows_events)
    theirs = _keys(predicted.steps, [w.line for w in predicted.written], predicted.knows_events)
    blocks = SequenceMatcher(
        None, ours[start:], theirs[start:], autojunk=False
    ).get_matching_blocks()
    # A single step can agree by chance; two in a row, with their whole states, hardly do.
    found = [block.size for block in blocks if block.size >= 2]
    return Recovery(len(found), sum(found), _is_result_right(truth, predicted))


def _keys(steps: tuple[Step, ...], lines: list[str], knows_events: bool) -> list[str]:
    """Each step as one text: what it shows, with all locals."""
    keys = []
    for step, state, line in zip(steps, states(steps), lines, strict=True):
        event = step.event if knows_events or not step.has_locals else "step"
        shown = repr(sorted(state.items())) if step.has_locals else str(step.value)
        keys.append(f"{event}\0{line}\0{shown}")
    return keys


def _is_result_right(truth: Trace, predicted: Decoded) -> bool | None:
    """Whether the imagined execution returned what the real one did; none if it never returned."""
    if truth.result is None or predicted.stop != "ended" or not predicted.steps:
        return None
    last = predicted.steps[-1]
    if last.event != "return" or last.scope != 0:
        return None
    return compare(truth.result, "None" if last.value is None else last.value).is_same
