"""Files of programs go in; questions to ask a model come out.

A line of JSON each: `id`, `code` and `call` (or `input`, the arguments of `f`, as in CRUXEval; or
`context`), and if known `expected` (or `output`), what the call returns, as `repr` writes it.
`facets` is an object of what else is known of the program: {"depth": 3}.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from worldline.errors import InputError
from worldline.predict.ask import Question
from worldline.predict.recorded import optional_text, program_from_row, read_rows


def read_questions(path: Path | str) -> Iterator[Question]:
    """The questions in a file, in its order; two with the same id are refused."""
    return questions_from_rows(read_rows(Path(path)))


def questions_from_rows(rows: Iterable[tuple[str, dict[str, Any]]]) -> Iterator[Question]:
    """The questions that rows hold, each row with its place for messages."""
    seen: dict[str, str] = {}
    for place, row in rows:
        question = question_from_row(row, place)
        if question.id in seen:
            raise InputError(f"{place}: the id {question.id!r} is taken by {seen[question.id]}")
        seen[question.id] = place
        yield question


def question_from_row(row: dict[str, Any], place: str) -> Question:
    """The question that one row holds."""
    id, expected, facets = said_beside(row, place)
    if _is_cruxeval(row):
        row = {**row, "call": f"f({optional_text(row, 'input', place) or ''})"}
    return Question(id, program_from_row(row, place), expected, facets)


def said_beside(row: dict[str, Any], place: str) -> tuple[str, str | None, dict[str, str | int]]:
    """What a row says of its program: a name, the result that is expected, facets."""
    id = optional_text(row, "id", place)
    if id is None:
        raise InputError(f"{place}: needs 'id'; the row has {', '.join(sorted(row))}")
    expected = optional_text(row, "output" if _is_cruxeval(row) else "expected", place)
    return id, expected, _facets(row, place)


def _is_cruxeval(row: dict[str, Any]) -> bool:
    """Whether `input` and `output` are those of a program; in a file of predictions, which is one
    of questions, too, `output` is what a model wrote."""
    return "input" in row and "call" not in row and "context" not in row


def _is_half_a_pair(letter: str) -> bool:
    """Whether JSON may hold a letter, as in "\\ud800", and no other text can."""
    return "\ud800" <= letter <= "\udfff"


def _facets(row: dict[str, Any], place: str) -> dict[str, str | int]:
    facets = row.get("facets") or {}
    if not isinstance(facets, dict):
        raise InputError(
            f"{place}: 'facets' must be an object, as in {{\"depth\": 3}}, found {facets!r:.60}"
        )
    for name, value in facets.items():
        # `bool` is an `int` to Python, and neither a count nor a word to whoever reads a table.
        if not isinstance(value, str | int) or isinstance(value, bool):
            raise InputError(
                f"{place}: the facet {name!r} must be text or a whole number, found {value!r:.60}; "
                "write it as text"
            )
        if any(map(_is_half_a_pair, f"{name}{value}")):
            raise InputError(
                f"{place}: the facet {name!r} holds half of a surrogate pair, which is no character"
            )
    return facets
