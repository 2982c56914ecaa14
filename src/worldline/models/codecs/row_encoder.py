"""Encoder of traces as rows: one per executed line with its effect, or one per step."""

from collections.abc import Iterator

from worldline.core.errors import CodecError
from worldline.core.trace import Step, Trace
from worldline.models.codecs.branch_notes import assigned_names, branch_note
from worldline.models.codecs.hidden_entry import HiddenEntry, find_hidden_entry
from worldline.models.codecs.row_scopes import RowScopes
from worldline.models.codecs.rows import Item, Row


def effect_rows(trace: Trace) -> Iterator[Row]:
    """One row per executed line: what its scope's next step shows as changed is its effect.

    Raises:
        CodecError: the trace has several threads.
    """
    return _EffectEncoder(trace).rows()


def state_rows(trace: Trace) -> Iterator[Row]:
    """One row per step: its event, and the variables that changed before its line.

    Raises:
        CodecError: the trace has several threads.
    """
    _check_threads(trace)
    entry = visible_entry(trace)
    scopes = RowScopes(trace.program)
    for step in trace.steps:
        names = step.changed
        is_call = step.event == "call"
        expected = (
            scopes.expected_call(step.line, names)
            if is_call
            else scopes.replay.expected_scope(step.event, step.line)
        )
        items = [] if expected == step.scope else [Item("scope", value=str(step.scope))]
        items += _effect(step)
        if not step.has_locals:
            items.append(_value_item(step))
        activation = (
            scopes.enter(step.line, step.scope)
            if is_call
            else scopes.advance(step.event, step.line, step.scope)
        )
        _update(activation.state, step)
        if entry is None or step.scope != 0:
            yield Row(step.line, tuple(items), step.event)


def visible_entry(trace: Trace) -> HiddenEntry | None:
    """The entry point, if its steps are implied and not written."""
    entry = find_hidden_entry(trace.program)
    return entry if entry is not None and entry.hides(trace.steps) else None


def answer_item(trace: Trace) -> Item | None:
    """What the entry point returns or raises; None if the trace is incomplete."""
    own = [step for step in trace.steps if step.scope == 0]
    if not own or own[-1].event != "return" or not trace.ending.is_complete:
        return None
    if own[-1].value is not None:
        return Item("return", value=own[-1].value)
    raised = [step.value for step in own if step.event == "exception"]
    return Item("raise", value=raised[-1] or "") if raised else None


class _EffectEncoder:
    """Walks over the steps of a trace and groups them into rows."""

    def __init__(self, trace: Trace) -> None:
        _check_threads(trace)
        self._steps = trace.steps
        # Notes on branches need the syntax tree, which only Python has.
        self._text = trace.program.text if trace.program.is_python else ""
        self._entry = visible_entry(trace)
        self._scopes = RowScopes(trace.program)
        # Number of the step whose changes the last row has written.
        self._announced = -1

    def rows(self) -> Iterator[Row]:
        index = 0
        while index < len(self._steps):
            step = self._steps[index]
            if self._entry is not None and step.scope == 0:
                self._follow(step)
                self._scopes.frame(0).open_line = step.line
                index += 1
            elif step.event == "call":
                yield self._enter_row(step)
                index += 1
            else:
                if step.event == "line":
                    yield from self._unfinished_row(index)
                index, row = self._row(index)
                yield row

    def _enter_row(self, step: Step) -> Row:
        expected = self._scopes.expected_call(step.line, step.changed)
        scope = [] if expected == step.scope else [Item("scope", value=str(step.scope))]
        self._follow(step)
        return Row(step.line, (Item("enter"), *scope, *_effect(step)))

    def _unfinished_row(self, index: int) -> Iterator[Row]:
        """The row that repeats an unfinished line with its effect, before the next line step."""
        step = self._steps[index]
        frame = self._scopes.frame(step.scope)
        has_effect = bool(step.changed or step.gone) and self._announced != index
        line, items = self._scopes.replay.activation(step.scope).line, list[Item]()
        if frame.open_line is not None:
            line = frame.open_line
        elif frame.resumed_line is not None and (has_effect or frame.resumed_line == step.line):
            line = frame.resumed_line
        elif has_effect:
            items.append(Item("again"))
        else:
            return
        items = self._scope_item(line, step.scope) + items + self._effect_of(line, step)
        frame.open_line = frame.resumed_line = None
        self._announced = index
        yield Row(line, tuple(items))

    def _row(self, index: int) -> tuple[int, Row]:
        """The row of a line step, or of a return or exception that continues an earlier line."""
        first = self._steps[index]
        scope, line = first.scope, first.line
        frame = self._scopes.frame(scope)
        items = self._scope_item(line, scope)
        if first.event == "line":
            self._follow(first)
            index += 1
        elif not frame.continues(line):
            items.append(Item("again"))
        frame.open_line = frame.resumed_line = None
        has_left = has_raised = False
        while not has_left and index < len(self._steps):
            step = self._steps[index]
            if step.scope != scope or step.has_locals or step.line != line:
                break
            has_left, has_raised = step.event == "return", has_raised or step.event == "exception"
            if has_left and not has_raised and Item("again") not in items:
                items += self._note(line, None, step)
            items.append(_value_item(step))
            self._follow(step)
            index += 1
        if has_left or index >= len(self._steps):
            return index, Row(line, tuple(items))
        following = self._steps[index]
        if following.scope != scope:
            frame.open_line, frame.has_called = line, False
            items.append(Item("call"))
        elif following.event == "line":
            items += _effect(following) if has_raised else self._effect_of(line, following)
            self._announced = index
        return index, Row(line, tuple(items))

    def _effect_of(self, line: int, following: Step) -> list[Item]:
        """Note and effect of a line, from the next line step of its scope.

        What the line assigns is always written, also if the value is the same as before.
        """
        note = self._note(line, following.line, following)
        state = self._scopes.replay.activation(following.scope).state
        assigned = () if note and note[0].value == "done" else assigned_names(self._text).get(line)
        unchanged = [
            Item("set", name, state[name])
            for name in assigned or ()
            if name in state and name not in following.changed and name not in following.gone
        ]
        return [*note, *unchanged, *_effect(following)]

    def _note(self, line: int, next_line: int | None, following: Step) -> list[Item]:
        if following.event == "return" and "yield" in self._scopes.replay.source_line(line):
            return []
        note = branch_note(self._text, line, next_line)
        return [] if note is None else [Item("note", value=note)]

    def _scope_item(self, line: int, scope: int) -> list[Item]:
        expected = self._scopes.scope_of_row(line)
        return [] if expected == scope else [Item("scope", value=str(scope))]

    def _follow(self, step: Step) -> None:
        scopes = self._scopes
        if step.event == "call":
            activation = scopes.enter(step.line, step.scope)
        else:
            activation = scopes.advance(step.event, step.line, step.scope)
        _update(activation.state, step)


def _effect(step: Step) -> list[Item]:
    changed = [Item("set", name, value) for name, value in step.changed.items()]
    return [*changed, *(Item("del", name) for name in step.gone)]


def _value_item(step: Step) -> Item:
    if step.event == "exception":
        return Item("raise", value=step.value or "")
    return Item("leave") if step.value is None else Item("return", value=step.value)


def _update(state: dict[str, str], step: Step) -> None:
    state.update(step.changed)
    for name in step.gone:
        state.pop(name, None)


def _check_threads(trace: Trace) -> None:
    if trace.has_threads:
        raise CodecError(
            "this codec cannot encode the steps of several threads: use cwm-choices or "
            "delta-choices, or record the program without --threads"
        )
