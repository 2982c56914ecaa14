"""Files of programs go in; questions to ask a model come out.

A line of JSON each: `id`, `code` and `call` (or `input`, the arguments of `f`, as in CRUXEval; or
`context`), and if known `expected` (or `output`), what the call returns, as `repr` writes it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from worldline.errors import InputError
from worldline.predict.ask import Question
from worldline.predict.recorded import optional_text, program_from_row, read_rows


def read_questions(path: Path | str) -> Iterator[Question]:
    """The questions in a file, in its order; two with the same id are refused."""
    seen: dict[str, str] = {}
    for place, row in read_rows(Path(path)):
        question = _question(row, place)
        if question.id in seen:
            raise InputError(f"{place}: the id {question.id!r} is taken by {seen[question.id]}")
        seen[question.id] = place
        yield question


def _question(row: dict[str, Any], place: str) -> Question:
    # A file of predictions is one of questions, too: its `output` is what a model wrote.
    is_cruxeval = "input" in row and "call" not in row and "context" not in row
    if is_cruxeval:
        arguments = optional_text(row, "input", place) or ""
        row = {**row, "call": f"f({arguments})", "expected": row.get("output")}
    id = optional_text(row, "id", place)
    if id is None:
        raise InputError(f"{place}: needs 'id'; the row has {', '.join(sorted(row))}")
    return Question(id, program_from_row(row, place), optional_text(row, "expected", place))
