"""Rows of a recording as parallel lists, without an object for each step."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from worldline.core.trace import EVENTS, StepColumns

_CODES: dict[Any, int] = {event: code for code, event in enumerate(EVENTS)}
# `call` and `line` steps, which have variables, come first.
_LINE = EVENTS.index("line")
_NUMBER, _TEXT, _TEXT_OR_NONE = {int}, {str}, {str, type(None)}


@dataclass(frozen=True, slots=True)
class RecordedColumns:
    """Steps and scopes of a recording, its ending and its notes."""

    columns: StepColumns
    end: tuple[str, str]
    notes: tuple[str, ...]


def decode_columns(rows: bytes) -> RecordedColumns | None:
    """Decode the rows of a program without threads and choices.

    Args:
        rows: The rows, which `recording_protocol` describes.

    Returns:
        None if the rows have something else, or are not what the tracer in C writes.
    """
    try:
        parsed = json.loads(b"[" + rows.removesuffix(b"\n").replace(b"\n", b",") + b"]")
        return _decode(parsed)
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError):
        return None


def _decode(rows: Sequence[Any]) -> RecordedColumns | None:
    event: list[int] = []
    line: list[int] = []
    scope: list[int] = []
    value: list[str | None] = []
    n_changed: list[int] = []
    n_gone: list[int] = []
    names: list[str] = []
    values: list[str] = []
    gone: list[str] = []
    scopes: list[Any] = []
    # Scopes of modules and class bodies have the variables that their steps have changed.
    unnamed: dict[int, dict[str, None]] = {}
    end = epilogue = None
    for row in rows:
        code = _CODES.get(row[0])
        if code is None:
            kind = row[0]
            if kind == "scope" or kind == "again":
                each = row if kind == "scope" else scopes[row[1]]
                if not each[3]:
                    unnamed[len(scopes)] = {}
                scopes.append(each)
            elif kind == "end":
                end = row
            elif kind == "epilogue":
                epilogue = row
            else:
                return None
            continue
        event.append(code)
        line.append(row[1])
        scope.append(row[2])
        # Trailing fields that are empty are missing.
        if code > _LINE or len(row) == 3:
            value.append(row[3] if code > _LINE else None)
            n_changed.append(0)
            n_gone.append(0)
            continue
        changed = row[3]
        value.append(None)
        n_changed.append(len(changed))
        names += changed
        values += changed.values()
        if row[2] in unnamed:
            unnamed[row[2]].update(dict.fromkeys(changed))
        n_gone.append(len(row[4]) if len(row) > 4 else 0)
        if n_gone[-1]:
            gone += row[4]
    if end is None or epilogue is None or epilogue[1:] != [len(event), len(scopes)]:
        return None
    variables = [unnamed.get(number, each[3]) for number, each in enumerate(scopes)]
    columns = StepColumns(
        event, line, scope, value, n_changed, n_gone, names, values, gone,
        scope_function=[each[1] for each in scopes],
        scope_line=[each[2] for each in scopes],
        scope_parameters=[0 if n in unnamed else each[4] for n, each in enumerate(scopes)],
        scope_n_variables=list(map(len, variables)),
        scope_variables=list(chain.from_iterable(variables)),
    )  # fmt: skip
    _, reason, detail, notes = end
    if not _is_valid(columns) or not _TEXT.issuperset(map(type, (reason, detail, *notes))):
        return None
    return RecordedColumns(columns, (reason, detail), tuple(notes))


def _is_valid(columns: StepColumns) -> bool:
    """Whether numbers are numbers, texts are texts, and all steps have a scope."""
    numbers = (columns.line, columns.scope, columns.scope_line, columns.scope_parameters)
    texts = (
        columns.changed_names,
        columns.changed_values,
        columns.gone,
        columns.scope_function,
        columns.scope_variables,
    )
    if not (
        _NUMBER.issuperset(map(type, chain.from_iterable(numbers)))
        and _TEXT.issuperset(map(type, chain.from_iterable(texts)))
        and _TEXT_OR_NONE.issuperset(map(type, columns.value))
    ):
        return False
    scope = columns.scope
    return not scope or 0 <= min(scope) <= max(scope) < len(columns.scope_function)
