"""Files of recorded answers, each question answered several times."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from worldline.models.prediction import Question


def write_answers(file: Path, answers: Iterable[tuple[Question, Sequence[object]]]) -> None:
    """Write a file for the engine `recorded:FILE`: the repeated answers to each question."""
    rows = [
        {
            "id": f"{question.id}_{repeat}",
            "code": question.program.source,
            "call": question.program.call,
            "codec": "chat",
            "mode": "free",
            "max_tokens": 100,
            "model": "m",
            "seed": repeat,
            "output": f"[ANSWER] {answer} [/ANSWER]",
        }
        for question, repeats in answers
        for repeat, answer in enumerate(repeats)
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
