"""Assembler of steps from rows; what a row does not show is unknown."""

from collections.abc import Mapping
from dataclasses import replace

from worldline.core.trace import Event, Program, Step
from worldline.models.codecs.decoded import StepText
from worldline.models.codecs.hidden_entry import find_hidden_entry
from worldline.models.codecs.replay_state import Activation
from worldline.models.codecs.row_notation import SourceLine, source_line
from worldline.models.codecs.row_scopes import Frame, RowScopes
from worldline.models.codecs.rows import UNKNOWN_EFFECT, Item, Row
from worldline.models.codecs.scope_inference import UNCHANGED


class RowAssembler:
    """Builder of steps from rows.

    A row gives its line step; its effect becomes the state of the next step of its scope. The
    steps of an entry point that only wraps the call are implied.
    """

    def __init__(self, program: Program) -> None:
        self.steps: list[Step] = []
        self.step_texts: list[StepText] = []
        self.scopes = RowScopes(program)
        self.entry = find_hidden_entry(program)
        self._has_implied_entry = False

    @property
    def is_finished(self) -> bool:
        """Whether the entry point has returned."""
        last = self.steps[-1] if self.steps else None
        return last is not None and last.event == "return" and last.scope == 0

    def add(self, row: Row, start: int, effect_start: int, end: int) -> None:
        """Add a row; the positions are those of the row and its effect in the text."""
        if not self.steps:
            self._begin(row, start)
        if row.event is not None:
            self._add_step(row, start, end)
        else:
            self._add_effect_row(row, start, effect_start, end)

    def add_answer(self, item: Item, start: int, end: int) -> None:
        """Add the steps that the answer implies, if the entry point is not shown."""
        if self.entry is None or not self._has_implied_entry:
            return
        self._add_missing_return(start)
        for step in self.entry.last_steps(item.kind == "raise", item.value):
            self._add(step, {}, start, end)

    def _add_missing_return(self, end: int) -> None:
        """Read a variable on a return line before the answer as the returned value.

        "L3: return xs[1:] => xs = [2]" before "ANSWER: [2]" -> a return step with [2]
        """
        top = self.scopes.replay.innermost
        if top is None or top.number == 0 or not self._is_after_line(top):
            return
        line, frame = self.steps[-1].line, self.scopes.frame(top.number)
        is_value = len(frame.changed) == 1 and not frame.gone and not frame.is_unknown
        if is_value and frame.effect_start is not None and self._source(line).is_return:
            (value,) = frame.changed.values()
            self._add_value(Item("return", value=value), line, top.number, frame.effect_start, end)

    def _source(self, line: int) -> SourceLine:
        return source_line(self.scopes.replay.lines, line)

    def pending_locals(self) -> dict[str, str] | None:
        """State of the next line step of the innermost scope; None if nothing is known of it."""
        top = self.scopes.replay.innermost
        if top is None:
            return None
        frame = self.scopes.frame(top.number)
        if frame.open_line is not None or frame.is_unknown or not self._is_after_line(top):
            return None
        kept = [name for name in top.state if name not in frame.gone]
        return {**dict.fromkeys(kept, UNCHANGED), **frame.changed}

    def _is_after_line(self, top: Activation) -> bool:
        last = self.steps[-1]
        return last.scope == top.number and last.event == "line"

    def _begin(self, row: Row, start: int) -> None:
        is_entry = row.has("enter") or row.event == "call"
        if self.entry is None or (is_entry and row.line == self.entry.line):
            return
        self._has_implied_entry = True
        call, line = self.entry.first_steps()
        self.scopes.enter(call.line, 0)
        self.scopes.advance("line", line.line, 0)
        self.scopes.frame(0).open_line = line.line
        self._add(call, {}, start, start)
        self._add(line, {}, start, start)

    def _add_step(self, row: Row, start: int, end: int) -> None:
        """Add the row of a notation with one row per step."""
        if row.event == "call":
            self._enter(row, start, end, row.scope)
            return
        scope = row.scope
        if scope is None:
            scope = self.scopes.replay.expected_scope("line", row.line)
        frame = self.scopes.frame(scope)
        self._read_effect(row, frame)
        if row.event == "line":
            self._line_step(row.line, scope, start, end)
        for item in row.items:
            self._add_value(item, row.line, scope, start, end)

    def _add_effect_row(self, row: Row, start: int, effect_start: int, end: int) -> None:
        scope = row.scope
        if row.has("enter") and scope is None and not self.scopes.may_enter(row.line):
            # `enter` on a line that enters nothing, such as `try:`, says nothing.
            row = replace(
                row, items=(*(i for i in row.items if i.kind != "enter"), *UNKNOWN_EFFECT)
            )
        if row.has("enter"):
            self._enter(row, start, end, scope)
            return
        if scope is None:
            scope = self.scopes.scope_of_row(row.line)
        if scope is None:
            function = self.scopes.called_function(row.line)
            if function == row.line:
                # The line of the `def`: the call itself, without `enter`.
                self._enter(row, start, end, None)
                return
            self._enter(Row(function or 0, (Item("enter"),)), start, start, None)
            scope = self.scopes.scope_of_row(row.line) or 0
        frame = self.scopes.frame(scope)
        if not (row.has("again") or frame.continues(row.line)):
            # A line that called a function is written again with its effect. It was not.
            frame.is_unknown = frame.is_unknown or frame.open_line is not None
            before = start if frame.effect_start is None else frame.effect_start
            self._line_step(row.line, scope, before, effect_start)
        frame.open_line = frame.resumed_line = None
        frame.effect_start = effect_start
        for item in row.items:
            self._add_value(item, row.line, scope, effect_start, end)
        self._read_effect(row, frame)
        self._add_note(row, scope)
        if row.has("call"):
            frame.open_line, frame.has_called = row.line, False

    def _add_note(self, row: Row, scope: int) -> None:
        """Keep the note of a row with the step of its line."""
        notes = [item.value for item in row.items if item.kind == "note"]
        for number in reversed(range(len(self.steps))) if notes else ():
            step = self.steps[number]
            if step.event == "line" and (step.scope, step.line) == (scope, row.line):
                self.step_texts[number] = replace(self.step_texts[number], note=notes[-1])
                return

    def _add_value(self, item: Item, line: int, scope: int, start: int, end: int) -> None:
        """Add the exception or return step that an item stands for."""
        if item.kind not in ("raise", "return", "leave"):
            return
        event: Event = "exception" if item.kind == "raise" else "return"
        value = None if item.kind == "leave" else item.value
        self.scopes.advance(event, line, scope)
        self._add(Step(event, line, scope, value=value), {}, start, end)

    def _enter(self, row: Row, start: int, end: int, scope: int | None) -> None:
        names = [item.name for item in row.items if item.kind == "set"]
        if scope is None:
            scope = self.scopes.expected_call(row.line, names)
        is_first = not self.scopes.has_entered(scope)
        needed = self.scopes.parameters.get(row.line, frozenset()) if is_first else frozenset[str]()
        activation = self.scopes.enter(row.line, scope)
        frame = self.scopes.frame(scope)
        self._read_effect(row, frame)
        if not needed <= frame.changed.keys():
            frame.is_partial = True
            frame.is_unknown = frame.is_unknown or not frame.changed
        frame.effect_start = None
        self._locals_step("call", row.line, activation, frame, start, end)

    def _read_effect(self, row: Row, frame: Frame) -> None:
        for item in row.items:
            if item.kind == "set":
                frame.changed[item.name] = item.value
                frame.gone.discard(item.name)
            elif item.kind == "del":
                frame.gone.add(item.name)
                frame.changed.pop(item.name, None)
            elif item.kind == "unknown":
                frame.is_unknown = True

    def _line_step(self, line: int, scope: int, start: int, end: int) -> None:
        activation = self.scopes.advance("line", line, scope)
        self._locals_step("line", line, activation, self.scopes.frame(scope), start, end)

    def _locals_step(
        self, event: Event, line: int, activation: Activation, frame: Frame, start: int, end: int
    ) -> None:
        """Add a call or line step with the effect of the last row of its scope."""
        state = activation.state
        changed = {name: v for name, v in frame.changed.items() if state.get(name) != v}
        gone = tuple(sorted(name for name in frame.gone if name in state))
        state.update(changed)
        for name in gone:
            del state[name]
        frame.is_partial = frame.is_partial or frame.is_unknown
        shown = {name: frame.changed.get(name, UNCHANGED) for name in state}
        step = Step(event, line, activation.number, changed, gone)
        self._add(
            step,
            shown,
            start,
            end,
            shows_state=not frame.is_unknown,
            shows_all=not frame.is_partial,
        )
        frame.changed, frame.gone, frame.is_unknown = {}, set(), False

    def _add(
        self,
        step: Step,
        shown: Mapping[str, str],
        start: int,
        end: int,
        *,
        shows_state: bool = True,
        shows_all: bool = True,
    ) -> None:
        self.steps.append(step)
        lines = self.scopes.replay.lines
        exists = 0 < step.line <= len(lines)
        text = lines[step.line - 1] if exists else f"(no line {step.line})"
        self.step_texts.append(StepText(text, shown, start, end, step.line, shows_state, shows_all))
