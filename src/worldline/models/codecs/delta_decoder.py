"""Decoder of the delta formats, which write only changes."""

import re
from collections.abc import Mapping

from worldline.core.trace import Event, Program, Step
from worldline.models.codecs.cwm_tokens import (
    ACTION,
    ARG,
    END,
    EVENT,
    FRAME,
    read_segment,
    strip_partial_token,
)
from worldline.models.codecs.decoded import (
    Decoded,
    Fragment,
    StepParseError,
    StepText,
    decoded_complete,
    decoded_until_error,
)
from worldline.models.codecs.line_notation import LineNotation
from worldline.models.codecs.replay_state import Activation, ReplayState
from worldline.models.codecs.scope_inference import THREAD_MARK, UNCHANGED
from worldline.models.codecs.segments import SpecialToken
from worldline.models.codecs.value_notation import (
    StateParseError,
    ValueNotation,
    parse_entries,
    parse_partial_entries,
)

_EVENTS: dict[str, Event] = {token: event for event, token in EVENT.items()}
_STATE = "name=value, a line each"
_SCOPE = re.compile(r"[0-9]{1,9}")


class DeltaDecoder:
    """Decoder of one text, step by step. `is_sparse`: the format omits the state of some steps."""

    def __init__(
        self,
        text: str,
        program: Program,
        lines: LineNotation,
        values: ValueNotation,
        *,
        is_sparse: bool,
    ) -> None:
        self._text = text
        self._replay = ReplayState(program)
        self._steps: list[Step] = []
        self._step_texts: list[StepText] = []
        self._lines = lines
        self._values = values
        self._is_sparse = is_sparse
        self._has_returned = self._names_threads = False
        # A model may repeat the prompt, or begin with a sentence.
        self._position = max(0, text.find(EVENT["call"]))

    def decode(self) -> Decoded:
        """All steps up to the end of the trace, or up to the first thing that is not a step."""
        while not self._is_finished:
            try:
                self._position = self._read_step(self._position)
            except StepParseError as error:
                return decoded_until_error(
                    error, self._text, self._position, self._steps, self._step_texts
                )
        return decoded_complete(self._text, self._position, self._steps, self._step_texts)

    @property
    def _is_finished(self) -> bool:
        """Whether the entry point has returned, and no other thread continues."""
        if not (self._has_returned and self._names_threads):
            return self._has_returned
        return not self._text.startswith((*EVENT.values(), ACTION), self._position)

    def _read_step(self, start: int) -> int:
        """Read one step and return the position of the next."""
        before, token, position = self._segment(start)
        if (
            before
            or token not in (*EVENT.values(), ACTION)
            or (token != EVENT["call"] and not self._steps)
        ):
            rest = self._text[start:]
            is_truncated = any(
                special.startswith(rest) for special in (*EVENT.values(), ACTION, END)
            )
            raise StepParseError("a step", start, is_truncated=is_truncated)
        if token == ACTION:
            number, line, scope, position = self._read_line(position, Fragment())
            before, token, position = self._segment(position)
            if before or token not in (EVENT["return"], EVENT["exception"]):
                raise StepParseError("a return", position, is_truncated=False)
            return self._read_value(_EVENTS[token], start, position, number, line, scope)
        event = _EVENTS[token]
        if event in ("call", "line"):
            return self._read_locals(event, start, position)
        number = self._replay.line
        line = self._replay.source_line(number)
        return self._read_value(event, start, position, number, line, None)

    def _read_locals(self, event: Event, start: int, position: int) -> int:
        state, token, after = self._segment(position)
        is_shown = not self._is_sparse or (token == ARG and not state)
        if self._is_sparse and is_shown:
            position = after
            state, token, after = self._segment(position)
        if is_shown and token is None:
            raise self._truncated_state(event, state, position)
        if is_shown and token != ACTION:
            raise StepParseError(ACTION, position + len(state), is_truncated=False)
        try:
            entries = parse_entries(state) if is_shown else []
        except StateParseError:
            raise StepParseError(_STATE, position, is_truncated=False) from None
        known = Fragment(event, {name: value for name, value in entries if value is not None})
        number, line, scope, end = self._read_line(after if is_shown else position, known)
        names = [name for name, value in entries if value is not None]
        activation = self._replay.advance(event, number, scope=scope, names=names)
        try:
            changed, gone = self._changes(entries, activation)
        except StateParseError:
            raise StepParseError(_STATE, position, is_truncated=False) from None
        shown = _update_state(activation, changed, gone) if is_shown else {}
        activation.has_shown_state = is_shown
        self._names_threads |= THREAD_MARK in changed
        step = Step(event, number, activation.number, changed, gone)
        self._add(step, line, shown, start, end, is_shown)
        return end

    def _changes(
        self, entries: list[tuple[str, str | None]], activation: Activation
    ) -> tuple[dict[str, str], tuple[str, ...]]:
        """Values of the changed variables, and names of the deleted ones."""
        changed = {
            name: self._values.parse(value, name, activation, self._replay)
            for name, value in entries
            if value is not None
        }
        return changed, tuple(name for name, value in entries if value is None)

    def _read_value(
        self, event: Event, start: int, position: int, number: int, line: str, scope: int | None
    ) -> int:
        text, token, end = self._segment(position)
        fragment = Fragment(event, {}, None, self._values.parse_partial(text), line, True)
        if token != FRAME:
            raise StepParseError(FRAME, end, fragment, is_truncated=token is None)
        scope_number = self._replay.expected_scope(event, number) if scope is None else scope
        activation = self._replay.activation(scope_number)
        try:
            value = self._values.parse(text, None, activation, self._replay) if text else None
        except StateParseError:
            raise StepParseError("a value", position, is_truncated=False) from None
        activation = self._replay.advance(event, number, scope=scope)
        self._replay.last_value = value or ""
        self._has_returned |= event == "return" and activation.number == 0
        self._add(Step(event, number, activation.number, value=value), line, {}, start, end, True)
        return end

    def _read_line(self, position: int, known: Fragment) -> tuple[int, str, int | None, int]:
        """Read a line and, if it is written, its scope: number, text, scope, end.

        The special token after them is not read.
        """
        texts: list[str] = []
        token: str | None = ARG
        while token == ARG:
            text, token, position = self._segment(position)
            texts.append(text)
        if token is None:
            raise StepParseError("the next step", position, known, is_truncated=True)
        try:
            number, line = self._lines.parse(texts, self._replay)
        except StateParseError:
            raise StepParseError("a line", position, is_truncated=False) from None
        if token != FRAME:
            return number, line, None, position - len(token)
        text, token, position = self._segment(position)
        if token is None:
            raise StepParseError("the next step", position, known, is_truncated=True)
        if not _SCOPE.fullmatch(text):
            raise StepParseError("the number of a scope", position, is_truncated=False)
        return number, line, int(text), position - len(token)

    def _segment(self, position: int) -> tuple[str, SpecialToken | None, int]:
        """The text up to the next special token, that token, and the position after it."""
        text, token, end = read_segment(self._text, position)
        return (text if token else strip_partial_token(text)), token, end

    def _truncated_state(self, event: Event, state: str, position: int) -> StepParseError:
        try:
            *complete, (name, value) = parse_partial_entries(state)
        except StateParseError:
            return StepParseError(_STATE, position, is_truncated=False)
        parsed = ((n, self._values.parse_partial(v or "")) for n, v in complete)
        known = {n: v for n, v in parsed if v}
        open_value = None if value is None else self._values.parse_partial(value)
        fragment = Fragment(event, known, name or None, open_value)
        return StepParseError(ACTION, len(self._text), fragment, is_truncated=True)

    def _add(
        self, step: Step, line: str, shown: Mapping[str, str], start: int, end: int, is_shown: bool
    ) -> None:
        number = step.line if step.line or self._lines.is_numbered else None
        self._steps.append(step)
        self._step_texts.append(StepText(line, shown, start, end, number, is_shown))


def _update_state(
    activation: Activation, changed: Mapping[str, str], gone: tuple[str, ...]
) -> dict[str, str]:
    """Apply changes to a scope's state and return the locals that the step shows.

    The changed variables come first, then the unchanged ones.
    """
    before = activation.state
    activation.state = {n: v for n, v in {**before, **changed}.items() if n not in gone}
    # The model deletes a variable that does not exist.
    unknown = {name: "" for name in gone if name not in before}
    rest = {n: UNCHANGED if activation.has_shown_state else v for n, v in activation.state.items()}
    shown = {name: value for name, value in changed.items() if name not in gone}
    return {**shown, **unknown, **{n: v for n, v in rest.items() if n not in shown}}
