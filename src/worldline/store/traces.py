"""Traces go in and rows of parallel lists come out, one a trace; they are read back unchanged."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from worldline.align import is_same_value
from worldline.errors import InputError
from worldline.store.columns import Column
from worldline.store.parts import check_row, iterate_parts, part_files, write_part
from worldline.store.place import Place, place_of
from worldline.store.shards import STORE_FILE, finished_shards
from worldline.trace import EVENTS, NOTHING, Ending, Limits, Origin, Program, Scope, Step, Trace

TRACE_COLUMNS: tuple[Column, ...] = (
    Column("id", "text", "the program's name"),
    Column("program", "text", "a hash of the program's text and input"),
    # The program.
    Column("source", "text", "its text, without the call"),
    Column("context", "text", "the exact text that was run, where that was given"),
    Column("call", "text", "the call that is traced; none where the module is run"),
    Column("stdin", "text", "what the program reads"),
    Column("language", "text", "its language"),
    Column("expected", "text", "the value that its file says the call returns"),
    Column("is_expected", "bool", "whether it does; none where the file does not say"),
    Column("facets", "text", "what its file knows of it beside, as JSON"),
    # What it did.
    Column("ending", "text", "how it ended: finished, raised, step_limit …"),
    Column("ending_detail", "text", "what more is known of that"),
    Column("result", "text", "what the call returned; none if it did not"),
    Column("steps", "int", "how many steps there are"),
    Column("prompt_tokens", "int", "how many tokens a model is given; none if not counted"),
    Column("completion_tokens", "int", "how many it has to write"),
    Column("stdout", "text", "what it printed"),
    Column("notes", "texts", "what a reader of the trace should know"),
    # A value a step.
    Column("event", "ints", "0 call, 1 line, 2 return, 3 exception"),
    Column("line", "ints", "the line of the text, from 1"),
    Column("scope", "ints", "the activation, as a place in the lists of scopes"),
    Column("value", "texts", "what was returned or raised; none for other steps"),
    Column("n_changed", "ints", "how many variables are new or different"),
    Column("n_gone", "ints", "how many no longer exist"),
    Column("thread", "ints", "the thread, 0 is the main one; empty where there is no other"),
    # A value for each variable that changed, or is gone, step after step.
    Column("changed_names", "texts", "the variables that changed, n_changed of them a step"),
    Column("changed_values", "texts", "their values, as text"),
    Column("gone", "texts", "the variables that are gone, n_gone of them a step"),
    # A value a scope.
    Column("scope_function", "texts", "the function's name"),
    Column("scope_line", "ints", "the line of its def"),
    Column("scope_parameters", "ints", "how many of its variables are parameters"),
    Column("scope_n_variables", "ints", "how many variables it has"),
    Column("scope_variables", "texts", "their names, scope_n_variables of them a scope"),
    # What it was made with.
    Column("recorder", "text", "what recorded it"),
    Column("python", "text", "the version that ran it"),
    Column("worldline", "text", "the version of worldline"),
    Column("hash_seed", "int", "PYTHONHASHSEED"),
    Column("limits", "text", "what the recording might use, as JSON"),
    Column("is_escaped", "bool", "whether its texts spell out halves of surrogate pairs"),
)
# Rows in a part, where it is not made of a shard.
_PART_ROWS = 2000
_HALF = re.compile("[\ud800-\udfff]")
_SPELLED = re.compile(r"\\(\\|u[0-9a-f]{4})")


@dataclass(frozen=True, slots=True)
class StoredTrace:
    """A trace with what its file knew of the program."""

    id: str
    trace: Trace
    expected: str | None = None
    facets: Mapping[str, str | int] = field(default_factory=dict)
    # What a model is given and has to write, where they were counted.
    prompt_tokens: int | None = None
    completion_tokens: int | None = None

    @property
    def is_expected(self) -> bool | None:
        """Whether the result is the one that the file says; none where it does not say."""
        if self.expected is None:
            return None
        result = self.trace.result
        return result is not None and is_same_value(self.expected, result)


def trace_to_row(stored: StoredTrace) -> dict[str, Any]:
    """A trace as one row, by the names in `TRACE_COLUMNS`; `row_to_trace` reads it back.

    A text with half of a surrogate pair, which no Parquet file can hold, is spelled out, as are
    then all texts of the row: "\\ud800" -> "\\\\ud800", and "\\\\" -> "\\\\\\\\".
    """
    trace = stored.trace
    row = {
        "id": stored.id,
        "program": trace.program.hash,
        **asdict(trace.program),
        "expected": stored.expected,
        "is_expected": stored.is_expected,
        "facets": json.dumps(dict(stored.facets)),
        "ending": trace.ending.reason,
        "ending_detail": trace.ending.detail,
        "result": trace.result,
        "steps": len(trace.steps),
        "prompt_tokens": stored.prompt_tokens,
        "completion_tokens": stored.completion_tokens,
        "stdout": trace.stdout,
        "notes": list(trace.notes),
        **_steps_to_columns(trace.steps),
        **_scopes_to_columns(trace.scopes),
        **asdict(trace.origin),
        "limits": json.dumps(asdict(trace.limits)),
    }
    is_escaped = any(map(_HALF.search, _texts(row)))
    row = _each_text(row, _spell) if is_escaped else row
    return {**row, "is_escaped": is_escaped}


def row_to_trace(row: Mapping[str, Any]) -> StoredTrace:
    """The trace that a row was made of."""
    told = _each_text(dict(row), _unspell) if row["is_escaped"] else row
    origin = Origin(told["recorder"], told["python"], told["worldline"], told["hash_seed"])
    names = ("source", "call", "stdin", "language", "context")
    trace = Trace(
        program=Program(*(told[name] for name in names)),
        steps=tuple(_steps(told)),
        scopes=tuple(_scopes(told)),
        ending=Ending(told["ending"], told["ending_detail"]),
        limits=Limits(**json.loads(told["limits"])),
        origin=origin,
        stdout=told["stdout"],
        notes=tuple(told["notes"]),
    )
    return StoredTrace(
        told["id"],
        trace,
        told["expected"],
        json.loads(told["facets"]),
        told["prompt_tokens"],
        told["completion_tokens"],
    )


def write_traces(address: str | Path, traces: Iterable[StoredTrace]) -> int:
    """Put traces into a new folder of parts, a part at a time; returns how many there were."""
    place = place_of(address)
    if part_files(place):
        raise InputError(f"{address} holds parts already; name another folder")
    every, count = iter(traces), 0
    while part := list(islice(every, _PART_ROWS)):
        rows = [trace_to_row(stored) for stored in part]
        for row in rows:
            check_row(TRACE_COLUMNS, row)
        write_part(place, TRACE_COLUMNS, rows, name=f"{count:09d}")
        count += len(part)
    return count


def read_traces(address: str | Path) -> Iterator[tuple[str, Trace]]:
    """The traces in a folder, in order, each with its name; a few are in memory at a time."""
    return ((stored.id, stored.trace) for stored in read_stored_traces(address))


def read_stored_traces(
    address: str | Path, *, files: Iterable[str] | None = None
) -> Iterator[StoredTrace]:
    """The same with what is known of each program; of some of its parts, or of all."""
    place = place_of(address)
    for path in trace_files(place) if files is None else files:
        for row in iterate_parts(place, [path]):
            try:
                found = row_to_trace(row)
            except (KeyError, TypeError, ValueError, StopIteration) as error:
                raise InputError(
                    f"{path} holds no traces as this version of worldline writes them: {error!r}"
                ) from error
            yield found


def trace_files(place: Place) -> list[str]:
    """The parts of a folder of traces; one without any is refused.

    Of a store that `worldline trace` makes, those of finished shards.
    """
    files = part_files(place)
    if place.read(STORE_FILE) is not None:
        finished = set(finished_shards(place))
        files = [path for path in files if Path(path).stem in finished]
    if not files:
        raise InputError(
            f"there are no traces in {place.address}; make some with: worldline trace "
            "PROGRAMS.jsonl -o FOLDER"
        )
    return files


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
        left = tuple(islice(gone, n_gone)) if n_gone else ()
        new = dict(islice(changed, n_changed)) if n_changed else NOTHING
        yield Step(EVENTS[event], line, scope, new, left, value, thread)


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


def _texts(row: Mapping[str, Any]) -> Iterator[str]:
    for value in row.values():
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            yield from (item for item in value if isinstance(item, str))


def _each_text(row: Mapping[str, Any], change: Callable[[str], str]) -> dict[str, Any]:
    """The row with each of its texts changed."""

    def changed(value: Any) -> Any:
        if isinstance(value, list):
            return [changed(item) for item in value]
        return change(value) if isinstance(value, str) else value

    return {name: changed(value) for name, value in row.items()}


def _spell(text: str) -> str:
    return text.replace("\\", "\\\\").encode("utf-8", "backslashreplace").decode()


def _unspell(text: str) -> str:
    return _SPELLED.sub(lambda m: "\\" if m[1] == "\\" else chr(int(m[1][1:], 16)), text)
