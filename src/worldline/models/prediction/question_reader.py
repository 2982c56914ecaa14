"""Reader of question files: JSON Lines, one program per row.

A row has `id`, `code` and `call` (or `input`, the arguments of `f`, as in CRUXEval; or `context`).
It may have `expected` (or `output`), the value that the call returns, as `repr` writes it; `stdin`;
`language` (default `python`); and `facets`, an object of known properties: {"depth": 3}.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from worldline.core.errors import InputError
from worldline.models.prediction.jsonl_rows import optional_text, read_json_lines
from worldline.models.prediction.prediction_reader import program_from_row
from worldline.models.prediction.question import Question


def read_questions(path: Path | str) -> Iterator[Question]:
    """Read the questions in a file, in its order.

    Raises:
        InputError: the file cannot be read, a row is not a question, or two have the same id.
    """
    return questions_from_rows(read_json_lines(Path(path)))


def questions_from_rows(rows: Iterable[tuple[str, dict[str, Any]]]) -> Iterator[Question]:
    """Parse rows, each with its place for error messages.

    Raises:
        InputError: a row is not a question, or two have the same id.
    """
    places: dict[str, str] = {}
    for place, row in rows:
        question = question_from_row(row, place)
        if question.id in places:
            raise InputError(f"{place}: the id {question.id!r} is taken by {places[question.id]}")
        places[question.id] = place
        yield question


def question_from_row(row: dict[str, Any], place: str) -> Question:
    """Parse one row.

    Raises:
        InputError: the row is not a question.
    """
    id, expected, facets = parse_row_metadata(row, place)
    if _is_cruxeval(row):
        row = {**row, "call": f"f({optional_text(row, 'input', place) or ''})"}
    return Question(id, program_from_row(row, place), expected, facets)


def parse_row_metadata(
    row: dict[str, Any], place: str
) -> tuple[str, str | None, dict[str, str | int]]:
    """The id, the expected value and the facets of a row."""
    id = optional_text(row, "id", place)
    if id is None:
        raise InputError(f"{place}: needs 'id'; the row has {', '.join(sorted(row))}")
    expected = optional_text(row, "output" if _is_cruxeval(row) else "expected", place)
    return id, expected, _facets(row, place)


def _is_cruxeval(row: dict[str, Any]) -> bool:
    """Whether `input` and `output` are those of the program.

    A prediction file can be read as a question file; its `output` is the model's.
    """
    return "input" in row and "call" not in row and "context" not in row


def _is_surrogate(character: str) -> bool:
    """Whether a character is half of a surrogate pair, which only JSON can contain: "\\ud800"."""
    return "\ud800" <= character <= "\udfff"


def _facets(row: dict[str, Any], place: str) -> dict[str, str | int]:
    facets = row.get("facets") or {}
    if not isinstance(facets, dict):
        raise InputError(
            f"{place}: 'facets' must be an object, as in {{\"depth\": 3}}, found {facets!r:.60}"
        )
    for name, value in facets.items():
        # A `bool` is an `int` in Python, but would look like a number in a table.
        if not isinstance(value, str | int) or isinstance(value, bool):
            raise InputError(
                f"{place}: the facet {name!r} must be text or a whole number, found {value!r:.60}; "
                "write it as text"
            )
        if not f"{name}{value}".isascii() and any(map(_is_surrogate, f"{name}{value}")):
            raise InputError(
                f"{place}: the facet {name!r} holds half of a surrogate pair (such as \\ud800), "
                "which is not a character; remove it"
            )
    return facets
