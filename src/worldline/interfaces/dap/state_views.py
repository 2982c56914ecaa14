"""Threads, stacks, scopes and variables at a position, as the protocol writes them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from worldline.analysis.replay import (
    IndexedExecution,
    Side,
    StackEntry,
    Track,
    ValueItem,
    changes_at,
    locals_at,
    stack_at,
    value_items,
)
from worldline.core.trace import exception_text
from worldline.interfaces.dap.debuggee import Debuggee
from worldline.interfaces.dap.request_arguments import RequestError

# Threads of the program: the main ones are 1 (actual) and 2 (predicted), others follow these.
_FIRST_OTHER: Mapping[Side, int] = {"actual": 1_000, "predicted": 1_000_000}
_MAIN: Mapping[Side, int] = {"actual": 1, "predicted": 2}
# Longest value in a list of variables; its items are complete.
_MAX_VALUE_CHARS = 1_000


@dataclass(frozen=True, slots=True)
class FrameView:
    """A frame that the client has seen: its execution, and whether it is the innermost one."""

    track: Track
    entry: StackEntry
    level: int
    thread: int

    @property
    def execution(self) -> IndexedExecution:
        """The execution."""
        return self.track.execution

    @property
    def is_innermost(self) -> bool:
        """Whether the frame's step is the current one."""
        return self.level == 0


@dataclass(frozen=True, slots=True)
class VariableRow:
    """One variable: its name, its value, and the expression that evaluates to it.

    `is_text` marks a value that is a sentence about values, and has no items.
    """

    name: str
    value: str
    expression: str | None = None
    kind: str = "index"
    is_text: bool = False


def thread_id(side: Side, thread: int) -> int:
    """The number of a thread in the protocol: 1 for the actual one, 2 for the predicted one."""
    return _FIRST_OTHER[side] + thread if thread else _MAIN[side]


class StateViews:
    """Views of one position. The numbers that it gives out are valid until the next move."""

    def __init__(self, debuggee: Debuggee, row: int, *, first_line: int = 1) -> None:
        self._debuggee = debuggee
        self._row = row
        self._line_offset = first_line - 1
        self._frames: list[FrameView] = []
        self._containers: list[Callable[[], list[VariableRow]]] = []
        self._owners: list[FrameView | None] = []

    def threads(self) -> list[tuple[int, str, Side, int]]:
        """The threads: number, name, execution, and number in the program."""
        rows = []
        for track in self._debuggee.replay.tracks:
            side = track.execution.side
            for thread in sorted(track.execution.thread_steps):
                name = f"{side}, thread {thread}" if thread else side
                rows.append((thread_id(side, thread), name, side, thread))
        return rows

    def find_thread(self, number: int) -> tuple[Track, int]:
        """The execution of a thread, and its number in the program.

        Raises:
            RequestError: There is no such thread.
        """
        for id, _, side, thread in self.threads():
            if id == number:
                track = self._debuggee.replay.track(side)
                assert track is not None
                return track, thread
        known = ", ".join(f"{id} ({name})" for id, name, _, _ in self.threads())
        raise RequestError(f"there is no thread {number}; there are {known}")

    def stack(self, number: int, start: int, count: int) -> tuple[list[dict[str, Any]], int]:
        """Frames of a thread, the innermost first, and how many there are."""
        track, thread = self.find_thread(number)
        step = track.step(self._row)
        if step < 0:
            return [], 0
        stack = stack_at(track.execution, step, thread=thread)
        end = start + count if count > 0 else len(stack)
        frames = [
            self._frame(FrameView(track, entry, level, thread))
            for level, entry in list(enumerate(stack))[start:end]
        ]
        return frames, len(stack)

    def _frame(self, view: FrameView) -> dict[str, Any]:
        self._frames.append(view)
        execution, line = view.execution, view.execution.lines[view.entry.step]
        name = execution.function(view.entry.frame)
        if view.is_innermost:
            event = execution.steps[view.entry.step].event
            name += "" if event == "line" else f" ({event})"
            name += "" if view.track.is_at(self._row) else " (no step here)"
        frame = {"id": len(self._frames), "name": name, "column": 1 + self._line_offset}
        if line is None:
            return {**frame, "line": 0, "column": 0, "presentationHint": "subtle"}
        return {**frame, "line": line + self._line_offset, "source": self._debuggee.source(line)}

    def frame(self, number: int) -> FrameView:
        """A frame that was given out.

        Raises:
            RequestError: It was not, or the position has changed since.
        """
        if not 0 < number <= len(self._frames):
            raise RequestError(f"there is no frame {number} at this position; ask for the stack")
        return self._frames[number - 1]

    def innermost(self, side: Side) -> FrameView | None:
        """The innermost frame of an execution."""
        track = self._debuggee.replay.track(side)
        step = -1 if track is None else track.step(self._row)
        if track is None or step < 0:
            return None
        thread = track.execution.steps[step].thread
        return FrameView(track, stack_at(track.execution, step)[0], 0, thread)

    def scopes(self, view: FrameView) -> list[dict[str, Any]]:
        """The scopes of a frame: its variables, those of the other execution, and what changed.

        What differs is the first, which editors show unfolded.
        """
        scopes: list[tuple[str, list[VariableRow], str]] = []
        side, other = view.execution.side, self._other(view)
        title = "Locals" if len(self._debuggee.replay.tracks) == 1 else side.capitalize()
        scopes.append((title, self._own_rows(view), "locals"))
        if other is not None:
            scopes.append((other.execution.side.capitalize(), self._own_rows(other), ""))
            differences = self._difference_rows(view, other)
            if differences:
                scopes.insert(0, ("Differences", differences, ""))
        if view.is_innermost:
            scopes.append(("Changed", list(self._changed_rows(view)), ""))
        return [
            {
                "name": name,
                "variablesReference": self._add(rows, view if hint else None),
                "namedVariables": len(rows),
                "expensive": False,
                **({"presentationHint": hint} if hint else {}),
            }
            for name, rows, hint in scopes
        ]

    def state(self, view: FrameView) -> dict[str, str]:
        """The variables of a frame."""
        return locals_at(view.execution, view.entry)

    def variables(
        self, reference: int, *, kind: str | None, start: int, count: int
    ) -> list[dict[str, Any]]:
        """Variables of a scope or items of a container; `kind` is "indexed" or "named".

        Raises:
            RequestError: The reference was not given out, or the position has changed since.
        """
        rows = self._rows(reference)
        if kind is not None:
            rows = [row for row in rows if (row.kind == "index") == (kind == "indexed")]
        end = start + count if count > 0 else len(rows)
        return [self._variable(row) for row in rows[start:end]]

    def owner(self, reference: int) -> FrameView | None:
        """The frame whose own variables a reference contains; None for other references."""
        self._rows(reference)
        return self._owners[reference - 1]

    def row(self, reference: int, name: str) -> VariableRow | None:
        """One variable of a reference."""
        return next((row for row in self._rows(reference) if row.name == name), None)

    def value_fields(self, value: str, expression: str | None = None) -> dict[str, Any]:
        """The fields of a value that can be expanded: its reference and the counts of its items."""
        items = value_items(value)
        if not items:
            return {"variablesReference": 0}
        indexed = sum(item.kind == "index" for item in items)
        self._containers.append(lambda: [_item_row(item, expression) for item in items])
        self._owners.append(None)
        counts = {"indexedVariables": indexed, "namedVariables": len(items) - indexed}
        return {"variablesReference": len(self._containers), **counts}

    def _rows(self, reference: int) -> list[VariableRow]:
        if not 0 < reference <= len(self._containers):
            raise RequestError(
                f"there are no variables {reference} at this position; ask for the scopes"
            )
        return self._containers[reference - 1]()

    def _add(self, rows: list[VariableRow], owner: FrameView | None) -> int:
        self._containers.append(lambda: rows)
        self._owners.append(owner)
        return len(self._containers)

    def _variable(self, row: VariableRow) -> dict[str, Any]:
        value = row.value
        shown = value if len(value) <= _MAX_VALUE_CHARS else f"{value[:_MAX_VALUE_CHARS]}…"
        items = self.value_fields("" if row.is_text else value, row.expression)
        fields = {"name": row.name, "value": shown, **items}
        return fields if row.expression is None else {**fields, "evaluateName": row.expression}

    def _own_rows(self, view: FrameView) -> list[VariableRow]:
        rows = [VariableRow(name, value, name, "field") for name, value in self.state(view).items()]
        step = view.execution.steps[view.entry.step]
        if view.is_innermost and step.event == "return":
            null = self._debuggee.program.values.NULL
            value = f"{null} (left by an exception)" if step.value is None else step.value
            rows.insert(0, VariableRow("(return)", value, kind="field"))
        elif view.is_innermost and step.event == "exception":
            rows.insert(
                0, VariableRow("(exception)", exception_text(step.value or ""), kind="field")
            )
        return rows

    def _other(self, view: FrameView) -> FrameView | None:
        """The same frame of the other execution, if it is in the same function."""
        side: Side = "predicted" if view.execution.side == "actual" else "actual"
        track = self._debuggee.replay.track(side)
        step = -1 if track is None else track.step(self._row)
        if track is None or step < 0 or view.thread:
            return None
        stack = stack_at(track.execution, step)
        depth = view.execution.frames[view.entry.frame].depth
        level = len(stack) - 1 - depth
        if not 0 <= level < len(stack):
            return None
        other = FrameView(track, stack[level], level, 0)
        name = other.execution.function(other.entry.frame)
        return other if name == view.execution.function(view.entry.frame) else None

    def _difference_rows(self, view: FrameView, other: FrameView) -> list[VariableRow]:
        canonical = self._debuggee.program.values.canonical_value
        both = {view.execution.side: view, other.execution.side: other}
        actual, predicted = (
            {row.name: row.value for row in self._own_rows(both[side])}
            for side in ("actual", "predicted")
        )
        rows = []
        for name in dict.fromkeys((*actual, *predicted)):
            sides = actual.get(name), predicted.get(name)
            if sides[0] is None or sides[1] is None:
                is_same = False
            else:
                is_same = sides[0] == sides[1] or canonical(sides[0]) == canonical(sides[1])
            if not is_same:
                shown = ["nothing" if value is None else value for value in sides]
                text = f"{shown[1]} instead of {shown[0]}"
                rows.append(VariableRow(name, text, kind="field", is_text=True))
        return rows

    def _changed_rows(self, view: FrameView) -> Iterator[VariableRow]:
        for name, (before, after) in changes_at(view.execution, view.entry.step).items():
            if after is None:
                yield VariableRow(name, f"gone, was {before}", kind="field", is_text=True)
            else:
                was = "new" if before is None else f"was {before}"
                yield VariableRow(name, f"{after} ({was})", kind="field", is_text=True)


def _item_row(item: ValueItem, expression: str | None) -> VariableRow:
    """The variable of an item: `xs` and 0 -> `xs[0]`."""
    if expression is None:
        return VariableRow(item.name, item.text, None, item.kind)
    path = f"{expression}.{item.name}" if item.kind == "field" else f"{expression}[{item.name}]"
    return VariableRow(item.name, item.text, path, item.kind)
