"""Parsed row: the question of an input row, or the outcome that needs no execution."""

from dataclasses import dataclass
from typing import Any

from worldline.core.errors import InputError
from worldline.data.generation import DecontaminationIndex
from worldline.data.tracing.sharding import ProgramRow
from worldline.models.prediction import Question, question_from_row


@dataclass(frozen=True, slots=True)
class ParsedRow:
    """A row of the input.

    `question` is None if the row is not a program. `outcome` is empty if the program has to be
    executed.
    """

    question: Question | None
    outcome: dict[str, Any]


def parse_row(row: ProgramRow, decontamination: DecontaminationIndex) -> ParsedRow:
    """Parse a row; unreadable, duplicate and contaminated programs have their outcome."""
    if row.fields is None:
        return ParsedRow(None, {"outcome": "unreadable", "detail": row.error})
    try:
        question = question_from_row(row.fields, row.source)
    except InputError as error:
        id = row.fields.get("id")
        text_id = id if isinstance(id, str) else None
        return ParsedRow(None, {"id": text_id, "outcome": "unreadable", "detail": str(error)})
    if not row.is_new:
        return ParsedRow(question, {"outcome": "duplicate"})
    owner = decontamination.owner(question.program)
    if owner is not None:
        return ParsedRow(question, {"outcome": "contaminated", "detail": owner})
    return ParsedRow(question, {})
