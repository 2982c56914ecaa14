"""A text in which only changes are written goes in; the steps in it come out, damage or not."""

import re
from collections.abc import Mapping

from worldline.codecs.assemble import UNCHANGED
from worldline.codecs.course import Course, Running
from worldline.codecs.decoded import Decoded, Fragment, Written
from worldline.codecs.lines import Lines
from worldline.codecs.specials import ACTION, ARG, END, EVENT, FRAME, TOKEN_IDS
from worldline.codecs.values import NotAState, Values, open_entries, read_entries
from worldline.trace import Event, Program, Step

_SPECIAL = re.compile("|".join(map(re.escape, TOKEN_IDS)))
_EVENTS: dict[str, Event] = {token: event for event, token in EVENT.items()}
_STATE = "name=value, a line each"
_SCOPE = re.compile(r"[0-9]{1,9}")
_HALF = re.compile(r"<(?:\|[a-z_]*\|?)?\Z")


class _NotAStep(Exception):  # noqa: N818
    """What stands where a step should: not seen outside of this file."""

    def __init__(
        self, expected: str, position: int, fragment: Fragment | None = None, *, is_cut: bool
    ) -> None:
        super().__init__(expected)
        self.expected = expected
        self.position = position
        self.fragment = fragment
        self.is_cut = is_cut


class Reader:
    """Reads steps from a text, one after the other."""

    def __init__(
        self, text: str, program: Program, lines: Lines, values: Values, *, hides: bool
    ) -> None:
        self.text = text
        self.course = Course(program)
        self.steps: list[Step] = []
        self.written: list[Written] = []
        self._lines = lines
        self._values = values
        self._hides = hides
        # A reply may repeat the prompt, or begin with a sentence.
        self._position = max(0, text.find(EVENT["call"]))

    def decoded(self) -> Decoded:
        """All steps up to the end of the trace, or the first thing that is not a step."""
        while not self._is_over:
            try:
                self._position = self._read_step(self._position)
            except _NotAStep as found:
                return self._stopped(found)
        return Decoded(
            steps=tuple(self.steps),
            written=tuple(self.written),
            stop="ended",
            reason="the scope of the entry point was left",
            position=self._position,
            after=self.text[self._position :].removeprefix(END),
        )

    @property
    def _is_over(self) -> bool:
        last = self.steps[-1] if self.steps else None
        return last is not None and last.event == "return" and last.scope == 0

    def _read_step(self, start: int) -> int:
        """Read one step, and return where the next begins."""
        before, token, position = self._segment(start)
        if (
            before
            or token not in (*EVENT.values(), ACTION)
            or (token != EVENT["call"] and not self.steps)
        ):
            rest = self.text[start:]
            is_cut = any(special.startswith(rest) for special in (*EVENT.values(), ACTION, END))
            raise _NotAStep("a step", start, is_cut=is_cut)
        if token == ACTION:
            number, line, scope, position = self._read_line(position, Fragment())
            before, token, position = self._segment(position)
            if before or token not in (EVENT["return"], EVENT["exception"]):
                raise _NotAStep("a return", position, is_cut=False)
            return self._read_value(_EVENTS[token], start, position, number, line, scope)
        event = _EVENTS[token]
        if event in ("call", "line"):
            return self._read_locals(event, start, position)
        here = self.course.line
        return self._read_value(event, start, position, here, self.course.text(here), None)

    def _read_locals(self, event: Event, start: int, position: int) -> int:
        state, token, behind = self._segment(position)
        is_shown = not self._hides or (token == ARG and not state)
        if self._hides and is_shown:
            position = behind
            state, token, behind = self._segment(position)
        if is_shown and token is None:
            raise self._cut_state(event, state, position)
        if is_shown and token != ACTION:
            raise _NotAStep(ACTION, position + len(state), is_cut=False)
        try:
            entries = read_entries(state) if is_shown else []
        except NotAState:
            raise _NotAStep(_STATE, position, is_cut=False) from None
        known = Fragment(event, {name: value for name, value in entries if value is not None})
        number, line, scope, end = self._read_line(behind if is_shown else position, known)
        names = [name for name, value in entries if value is not None]
        running = self.course.take(event, number, scope=scope, names=names)
        try:
            changed, gone = self._changes(entries, running)
        except NotAState:
            raise _NotAStep(_STATE, position, is_cut=False) from None
        shown = _shown(running, changed, gone) if is_shown else {}
        running.is_told = is_shown
        step = Step(event, number, running.number, changed, gone)
        self._add(step, line, shown, start, end, is_shown)
        return end

    def _changes(
        self, entries: list[tuple[str, str | None]], running: Running
    ) -> tuple[dict[str, str], tuple[str, ...]]:
        """The values of what has changed, and what is gone."""
        changed = {
            name: self._values.read(value, name, running, self.course)
            for name, value in entries
            if value is not None
        }
        return changed, tuple(name for name, value in entries if value is None)

    def _read_value(
        self, event: Event, start: int, position: int, number: int, line: str, scope: int | None
    ) -> int:
        text, token, end = self._segment(position)
        left = Fragment(event, {}, None, self._values.open(text), line, True)
        if token != FRAME:
            raise _NotAStep(FRAME, end, left, is_cut=token is None)
        number_of = self.course.expected(event, number) if scope is None else scope
        running = self.course.scope(number_of)
        try:
            value = self._values.read(text, None, running, self.course) if text else None
        except NotAState:
            raise _NotAStep("a value", position, is_cut=False) from None
        running = self.course.take(event, number, scope=scope)
        self.course.returned = value or ""
        self._add(Step(event, number, running.number, value=value), line, {}, start, end, True)
        return end

    def _read_line(self, position: int, known: Fragment) -> tuple[int, str, int | None, int]:
        """A line and perhaps its scope, up to the special token behind, which is not read."""
        texts: list[str] = []
        token: str | None = ARG
        while token == ARG:
            text, token, position = self._segment(position)
            texts.append(text)
        if token is None:
            raise _NotAStep("the next step", position, known, is_cut=True)
        try:
            number, line = self._lines.read(texts, self.course)
        except NotAState:
            raise _NotAStep("a line", position, is_cut=False) from None
        if token != FRAME:
            return number, line, None, position - len(token)
        text, token, position = self._segment(position)
        if token is None:
            raise _NotAStep("the next step", position, known, is_cut=True)
        if not _SCOPE.fullmatch(text):
            raise _NotAStep("the number of a scope", position, is_cut=False)
        return number, line, int(text), position - len(token)

    def _segment(self, position: int) -> tuple[str, str | None, int]:
        """The text up to the next special token, that token, and the position behind it."""
        found = _SPECIAL.search(self.text, position)
        if found is not None:
            return self.text[position : found.start()], found[0], found.end()
        return without_half_token(self.text[position:]), None, len(self.text)

    def _cut_state(self, event: Event, state: str, position: int) -> _NotAStep:
        try:
            *whole, (name, value) = open_entries(state)
        except NotAState:
            return _NotAStep(_STATE, position, is_cut=False)
        known = {n: v for n, v in ((n, self._values.open(v or "")) for n, v in whole) if v}
        opened = None if value is None else self._values.open(value)
        fragment = Fragment(event, known, name or None, opened)
        return _NotAStep(ACTION, len(self.text), fragment, is_cut=True)

    def _add(
        self, step: Step, line: str, shown: Mapping[str, str], start: int, end: int, is_shown: bool
    ) -> None:
        number = step.line if step.line or self._lines.is_numbered else None
        self.steps.append(step)
        self.written.append(Written(line, shown, start, end, number, is_shown))

    def _stopped(self, found: _NotAStep) -> Decoded:
        """Reading ended before the trace did: was the text cut, or is there something else?"""
        start, rest = self._position, self.text[found.position :]
        has_ended = found.expected == "a step" and rest.startswith(END)
        reason = (
            "the end of the text was written"
            if has_ended
            else f"the text ends where {found.expected} was expected"
            if found.is_cut
            else f"expected {found.expected}, found {rest[:30]!r}"
        )
        return Decoded(
            steps=tuple(self.steps),
            written=tuple(self.written),
            stop="ended" if has_ended else "cut" if found.is_cut else "damaged",
            reason=reason,
            position=start,
            after=rest.removeprefix(END)
            if has_ended
            else ""
            if found.is_cut
            else self.text[start:],
            fragment=found.fragment if start < len(self.text) and not has_ended else None,
        )


def without_half_token(text: str) -> str:
    """A text that breaks off, without the start of a special token: "x=5<|act" -> "x=5" """
    half = _HALF.search(text)
    is_half = half is not None and any(token.startswith(half[0]) for token in TOKEN_IDS)
    return text[: half.start()] if half is not None and is_half else text


def _shown(running: Running, changed: Mapping[str, str], gone: tuple[str, ...]) -> dict[str, str]:
    """Put changes into a scope's state, and say what all of it is: first what was written."""
    before = running.state
    running.state = {n: v for n, v in {**before, **changed}.items() if n not in gone}
    # One that is gone and never was there is something else than was meant.
    strange = {name: "" for name in gone if name not in before}
    rest = {n: UNCHANGED if running.is_told else v for n, v in running.state.items()}
    told = {name: value for name, value in changed.items() if name not in gone}
    return {**told, **strange, **{n: v for n, v in rest.items() if n not in told}}
