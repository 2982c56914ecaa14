"""Traces as table rows of parallel lists, one row per trace, and back without loss."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from itertools import chain, islice
from pathlib import Path
from typing import Any

from worldline.core.errors import InputError
from worldline.core.trace import (
    EVENTS,
    NO_VARIABLES,
    Ending,
    Limits,
    Origin,
    Program,
    Scope,
    Step,
    StepColumns,
    Trace,
    TraceColumns,
    choice_from_fields,
    choice_to_fields,
    program_from_fields,
)
from worldline.evaluation.store.columns import Column
from worldline.evaluation.store.location import StoreLocation, open_location
from worldline.evaluation.store.parquet_parts import (
    check_row,
    iterate_parts,
    part_files,
    write_part,
)
from worldline.evaluation.store.trace_shards import STORE_FILE, finished_shards

TRACE_COLUMNS: tuple[Column, ...] = (
    Column("id", "text", "the program's name"),
    Column("program", "text", "a hash of the program's text, input and language"),
    # Program.
    Column("source", "text", "its text, without the call; all of it if there is no call"),
    # Kept so that all parts of a store have the same columns, whichever version wrote them.
    Column("context", "text", "null; in older stores, the exact text that was run, if given"),
    Column("call", "text", "the call that is traced; null if the source contains it"),
    Column("stdin", "text", "the program's standard input"),
    Column("language", "text", "its language"),
    Column("expected", "text", "the value that the call should return, from the input file"),
    Column("is_expected", "bool", "whether it does; null if no value is expected"),
    Column("facets", "text", "other properties from the input file, as JSON"),
    # Execution.
    Column("ending", "text", "how it ended: finished, raised, step_limit …"),
    Column("ending_detail", "text", "more about the ending"),
    Column("result", "text", "what the call returned; null if it did not return"),
    Column("steps", "int", "number of steps"),
    Column("prompt_tokens", "int", "tokens of the prompt; null if not counted"),
    Column("completion_tokens", "int", "tokens of the completion; null if not counted"),
    Column("stdout", "text", "the program's standard output"),
    Column("notes", "texts", "warnings about the recording"),
    # One value per step.
    Column("event", "ints", "0 call, 1 line, 2 return, 3 exception"),
    Column("line", "ints", "line number, from 1"),
    Column("scope", "ints", "the activation, as an index into the scope lists"),
    Column("value", "texts", "what was returned or raised; null for other steps"),
    Column("n_changed", "ints", "number of variables that are new or different"),
    Column("n_gone", "ints", "number of variables that no longer exist"),
    Column("thread", "ints", "the thread, 0 for the main one; empty if there is only one"),
    # One value per changed or deleted variable, step after step.
    Column("changed_names", "texts", "variables that changed, n_changed per step"),
    Column("changed_values", "texts", "their values, as text"),
    Column("gone", "texts", "variables that no longer exist, n_gone per step"),
    # One value per scope.
    Column("scope_function", "texts", "the function's name"),
    Column("scope_line", "ints", "line of its def"),
    Column("scope_parameters", "ints", "number of its variables that are parameters"),
    Column("scope_n_variables", "ints", "number of its variables"),
    Column("scope_variables", "texts", "their names, scope_n_variables per scope"),
    # Provenance.
    Column("recorder", "text", "the recorder"),
    Column("python", "text", "version of Python that executed it"),
    Column("worldline", "text", "version of Worldline"),
    Column("hash_seed", "int", "PYTHONHASHSEED"),
    Column("limits", "text", "limits on the execution, as JSON"),
    Column("choices", "text", "random numbers and other choices, as JSON; null if there are none"),
    Column(
        "is_escaped", "bool", "whether lone surrogates and backslashes in its texts are escaped"
    ),
)
_TEXT_COLUMNS = tuple(column.name for column in TRACE_COLUMNS if column.type == "text")
_LIST_COLUMNS = tuple(column.name for column in TRACE_COLUMNS if column.type == "texts")
# Rows in a part that `write_traces` writes.
_PART_ROWS = 2000
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPE = re.compile(r"\\(\\|u[0-9a-f]{4})")


@dataclass(frozen=True, slots=True)
class StoredTrace:
    """A trace, and what the input file says about its program.

    `prompt_tokens` and `completion_tokens` are None if they were not counted.
    """

    id: str
    trace: Trace
    expected: str | None = None
    facets: Mapping[str, str | int] = field(default_factory=dict)
    prompt_tokens: int | None = None
    completion_tokens: int | None = None

    def __repr__(self) -> str:
        trace = self.trace
        return f"<StoredTrace {self.id}: {len(trace.steps)} steps, {trace.ending.reason}>"

    @property
    def is_expected(self) -> bool | None:
        """Whether the result is the expected one; None if no value is expected."""
        return _is_expected(self.trace, self.expected)


@dataclass(frozen=True, slots=True)
class StoredColumns:
    """A trace as columns, and what the input file says about its program; see `StoredTrace`.

    Its tokens are not counted.
    """

    id: str
    trace: TraceColumns
    expected: str | None = None
    facets: Mapping[str, str | int] = field(default_factory=dict)
    prompt_tokens: None = None
    completion_tokens: None = None

    def __repr__(self) -> str:
        return f"<StoredColumns {self.id}: {self.trace.n_steps} steps>"

    @property
    def is_expected(self) -> bool | None:
        """Whether the result is the expected one; None if no value is expected."""
        return _is_expected(self.trace, self.expected)


def _is_expected(trace: Trace | TraceColumns, expected: str | None) -> bool | None:
    if expected is None:
        return None
    result = trace.result
    return result is not None and trace.program.values.answers_equal(expected, result)


def trace_to_row(stored: StoredTrace | StoredColumns) -> dict[str, Any]:
    """Convert a trace to a row with the keys of `TRACE_COLUMNS`; `row_to_trace` reads it back.

    A trace with assumed calls is refused: a store is training data.
    If a text contains a lone surrogate, which Parquet cannot store, all texts of the row are
    escaped: "\\ud800" -> "\\\\ud800", and "\\" -> "\\\\\\\\".
    """
    trace = stored.trace
    if isinstance(trace, TraceColumns):
        columns = _fields(trace.columns) | {"thread": [], "choices": None}
    else:
        columns = _trace_to_columns(trace, stored.id)
    row = {
        "id": stored.id,
        "program": trace.program.hash,
        **_fields(trace.program),
        "context": None,
        "expected": stored.expected,
        "is_expected": stored.is_expected,
        "facets": json.dumps(dict(stored.facets)),
        "ending": trace.ending.reason,
        "ending_detail": trace.ending.detail,
        "result": trace.result,
        "steps": trace.n_steps,
        "prompt_tokens": stored.prompt_tokens,
        "completion_tokens": stored.completion_tokens,
        "stdout": trace.stdout,
        "notes": list(trace.notes),
        **columns,
        **_fields(trace.origin),
        "limits": _limits_to_json(trace.limits),
    }
    is_escaped = _has_surrogate(row)
    row = _map_texts(row, _escape) if is_escaped else row
    return {**row, "is_escaped": is_escaped}


def _trace_to_columns(trace: Trace, id: str) -> dict[str, Any]:
    """Columns of the steps, the scopes and the choices."""
    if trace.assumptions is not None:
        raise InputError(
            f"the trace {id} has assumed calls, which a store cannot have; keep it as JSON "
            "(worldline run --format json)"
        )
    choices = json.dumps(list(map(choice_to_fields, trace.choices))) if trace.choices else None
    return {
        **_steps_to_columns(trace.steps),
        **_scopes_to_columns(trace.scopes),
        "choices": choices,
    }


def _fields(data: Program | Origin | StepColumns) -> dict[str, Any]:
    """Fields of flat data, not copied as `asdict` does."""
    return {name: getattr(data, name) for name in data.__slots__}


@cache
def _limits_to_json(limits: Limits) -> str:
    return json.dumps(asdict(limits))


def row_to_trace(row: Mapping[str, Any]) -> StoredTrace:
    """Convert a row of `trace_to_row` back to the trace."""
    fields = _map_texts(dict(row), _unescape) if row["is_escaped"] else row
    origin = Origin(fields["recorder"], fields["python"], fields["worldline"], fields["hash_seed"])
    trace = Trace(
        program=program_from_fields(fields),
        steps=tuple(_steps(fields)),
        scopes=tuple(_scopes(fields)),
        ending=Ending(fields["ending"], fields["ending_detail"]),
        limits=Limits(**json.loads(fields["limits"])),
        origin=origin,
        stdout=fields["stdout"],
        notes=tuple(fields["notes"]),
        # Stores of earlier versions have no such column.
        choices=tuple(map(choice_from_fields, json.loads(fields.get("choices") or "[]"))),
    )
    return StoredTrace(
        fields["id"],
        trace,
        fields["expected"],
        json.loads(fields["facets"]),
        fields["prompt_tokens"],
        fields["completion_tokens"],
    )


def write_traces(address: str | Path, traces: Iterable[StoredTrace]) -> int:
    """Write traces into the parts of a new store, and return how many there were."""
    location = open_location(address)
    if part_files(location):
        raise InputError(f"{address} already contains traces; choose a different folder")
    remaining, count = iter(traces), 0
    while part := list(islice(remaining, _PART_ROWS)):
        rows = [trace_to_row(stored) for stored in part]
        for row in rows:
            check_row(TRACE_COLUMNS, row)
        write_part(location, TRACE_COLUMNS, rows, name=f"{count:09d}")
        count += len(part)
    return count


def read_traces(address: str | Path) -> Iterator[tuple[str, Trace]]:
    """Yield the id and trace of each row, in order, with only a few of them in memory."""
    return ((stored.id, stored.trace) for stored in read_stored_traces(address))


def read_stored_traces(
    address: str | Path, *, files: Iterable[str] | None = None
) -> Iterator[StoredTrace]:
    """Yield the traces of a store, in order, with only a few of them in memory.

    Args:
        address: Folder or remote address of the store.
        files: Paths of the parts to read; by default all.

    Raises:
        InputError: There are no traces, or a part cannot be read.
    """
    location = open_location(address)
    for path in trace_files(location) if files is None else files:
        for row in iterate_parts(location, [path]):
            try:
                stored = row_to_trace(row)
            except (KeyError, TypeError, ValueError, StopIteration) as error:
                raise InputError(
                    f"{path} contains a row that is not a trace of this version of worldline: "
                    f"{error!r}; trace the programs again"
                ) from error
            yield stored


def trace_files(location: StoreLocation) -> list[str]:
    """Paths of the parts of a store of traces; in a store of `worldline trace`, of finished shards.

    Raises:
        InputError: There are none.
    """
    files = finished_parts(location)
    if not files:
        raise InputError(
            f"there are no traces in {location.address}; record some with: worldline trace "
            "PROGRAMS.jsonl -o FOLDER"
        )
    return files


def finished_parts(location: StoreLocation) -> list[str]:
    """Paths of the parts of a store of traces, without those of unfinished shards."""
    files = part_files(location)
    if location.read(STORE_FILE) is None:
        return files
    finished = set(finished_shards(location))
    return [path for path in files if Path(path).stem in finished]


def _steps_to_columns(steps: Iterable[Step]) -> dict[str, list[Any]]:
    steps = tuple(steps)
    return {
        "event": [EVENTS.index(step.event) for step in steps],
        "line": [step.line for step in steps],
        "scope": [step.scope for step in steps],
        "value": [step.value for step in steps],
        "n_changed": [len(step.changed) for step in steps],
        "n_gone": [len(step.gone) for step in steps],
        "thread": [step.thread for step in steps] if any(step.thread for step in steps) else [],
        "changed_names": [name for step in steps for name in step.changed],
        "changed_values": [value for step in steps for value in step.changed.values()],
        "gone": [name for step in steps for name in step.gone],
    }


def _steps(row: Mapping[str, Any]) -> Iterator[Step]:
    changed = zip(row["changed_names"], row["changed_values"], strict=True)
    gone = iter(row["gone"])
    names = ("event", "line", "scope", "value", "n_changed", "n_gone")
    lists = [row[name] for name in names]
    threads = row["thread"] or [0] * len(row["event"])
    for event, line, scope, value, n_changed, n_gone, thread in zip(*lists, threads, strict=True):
        step_gone = tuple(islice(gone, n_gone)) if n_gone else ()
        step_changed = dict(islice(changed, n_changed)) if n_changed else NO_VARIABLES
        yield Step(EVENTS[event], line, scope, step_changed, step_gone, value, thread)


def _scopes_to_columns(scopes: Iterable[Scope]) -> dict[str, list[Any]]:
    scopes = tuple(scopes)
    return {
        "scope_function": [scope.function for scope in scopes],
        "scope_line": [scope.line for scope in scopes],
        "scope_parameters": [scope.parameters for scope in scopes],
        "scope_n_variables": [len(scope.variables) for scope in scopes],
        "scope_variables": [name for scope in scopes for name in scope.variables],
    }


def _scopes(row: Mapping[str, Any]) -> Iterator[Scope]:
    variables = iter(row["scope_variables"])
    names = ("scope_function", "scope_line", "scope_n_variables", "scope_parameters")
    for function, line, count, parameters in zip(*(row[name] for name in names), strict=True):
        yield Scope(function, line, tuple(islice(variables, count)), parameters)


def _has_surrogate(row: Mapping[str, Any]) -> bool:
    """Whether a text of the row contains a lone surrogate."""
    lists = [row[name] for name in _LIST_COLUMNS]
    texts = chain([row[name] for name in _TEXT_COLUMNS], *lists)
    text = "".join(filter(None, texts))
    return not text.isascii() and _LONE_SURROGATE.search(text) is not None


def _map_texts(row: Mapping[str, Any], function: Callable[[str], str]) -> dict[str, Any]:
    """Apply a function to every text of a row."""

    def map_value(value: Any) -> Any:
        if isinstance(value, list):
            return [map_value(item) for item in value]
        return function(value) if isinstance(value, str) else value

    return {name: map_value(value) for name, value in row.items()}


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").encode("utf-8", "backslashreplace").decode()


def _unescape(text: str) -> str:
    return _ESCAPE.sub(lambda m: "\\" if m[1] == "\\" else chr(int(m[1][1:], 16)), text)
