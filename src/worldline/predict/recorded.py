"""A file of recorded predictions goes in, a line of JSON each; predictions come out.

A row needs `id`, `output` (the model's text) and the program: `context` (the exact text that the
model saw), or `code` and `call`. It may have `expected`, `predicted` (the answer someone took out
of the text), `truncated` or `finish_reason`, `model`, `stdin` (what the program reads), and `error`
in place of an output. All but `truncated` are strings; values are as `repr` writes them. A row that
`worldline predict` wrote also says how the model was asked (`worldline.predict.rows`).
"""

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from worldline.codecs import Codec, codec_named
from worldline.errors import InputError, ProgramError
from worldline.predict.prediction import Finish, Prediction, make_prediction
from worldline.predict.rows import asked_from_row
from worldline.trace import Program, check_call


def read_recorded(path: Path | str, *, codec: str = "cwm") -> Iterator[Prediction]:
    """The predictions in a file, in its order; `codec` is for rows that do not name theirs."""
    for place, row in read_rows(Path(path)):
        chosen = codec_named(optional_text(row, "codec", place) or codec)
        yield prediction_from_row(row, chosen, place)


def read_rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows of a file of JSON lines, packed (`.gz`) or not, each with its place for messages."""
    try:
        if path.suffix == ".gz":
            with gzip.open(path, "rt", encoding="utf-8-sig") as file:
                text = file.read()
        else:
            text = path.read_text(encoding="utf-8-sig")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}: {error}") from error
    # Only a newline ends a line of JSON: values may hold other line separators.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        place = f"line {number} of {path}"
        yield place, row_from_line(line, place)


def row_from_line(line: str | bytes, place: str) -> dict[str, Any]:
    """What one line of JSON says."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{place}: not JSON ({error}); each line must be one JSON object"
        ) from error
    if not isinstance(row, dict):
        raise InputError(f"{place}: expected a JSON object, found {type(row).__name__}")
    return row


def prediction_from_row(row: dict[str, Any], codec: Codec, place: str) -> Prediction:
    """One recorded prediction, checked at the door."""
    program = program_from_row(row, place)
    error = optional_text(row, "error", place) or None
    output = "" if error is not None else _text(row, "output", place)
    predicted = optional_text(row, "predicted", place)
    return make_prediction(
        _text(row, "id", place),
        program,
        output,
        codec,
        finish=_finish(row, place) if error is None else "error",
        model=optional_text(row, "model", place) or "",
        expected=optional_text(row, "expected", place),
        # A script that found no answer in a cut text wrote None.
        taken_answer=None if predicted == "None" and row.get("truncated") else predicted,
        error=error,
        asked=asked_from_row(row, place),
    )


def program_from_row(row: dict[str, Any], place: str) -> Program:
    """The program of a row: `context`, or `code` and `call`, and `stdin`."""
    stdin = optional_text(row, "stdin", place) or ""
    try:
        stdin.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise InputError(
            f"{place}: 'stdin' holds half of a surrogate pair, which is no character"
        ) from None
    if "context" in row:
        context = _text(row, "context", place)
        program = Program(context, optional_text(row, "call", place), stdin, context=context)
    else:
        program = Program(_text(row, "code", place), _text(row, "call", place), stdin)
        try:
            check_call(program.call or "")
        except ProgramError as error:
            raise InputError(f"{place}: {error}") from None
    if program.entry is None:
        raise InputError(
            f"{place}: the program has no entry point; give `call`, or mark one in `context` "
            "as in `def main(): # << START_OF_TRACE`"
        )
    return program


def _finish(row: dict[str, Any], place: str) -> Finish:
    reason = optional_text(row, "finish_reason", place)
    truncated = row.get("truncated", False)
    if not isinstance(truncated, bool):
        raise InputError(f"{place}: 'truncated' must be true or false, found {truncated!r}")
    if reason is None:
        return "length" if truncated else "unknown"
    if reason not in ("stop", "length"):
        raise InputError(f"{place}: 'finish_reason' must be stop or length, found {reason!r}")
    return "length" if reason == "length" else "stop"


def _text(row: dict[str, Any], name: str, place: str) -> str:
    value = row.get(name)
    if isinstance(value, str):
        return value
    if name in row:
        raise InputError(f"{place}: {name!r} must be a string, found {type(value).__name__}")
    have = ", ".join(sorted(row)) or "nothing"
    raise InputError(f"{place}: needs {name!r}; the row has {have}")


def optional_text(row: dict[str, Any], name: str, place: str) -> str | None:
    """A field that is text where it is there."""
    value = row.get(name)
    if value is not None and not isinstance(value, str):
        raise InputError(f"{place}: {name!r} must be a string, found {type(value).__name__}")
    return value
