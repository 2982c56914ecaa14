"""The Benchmark class: questions, and a rule for correct answers."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from worldline.evaluation.runs import is_expected
from worldline.models.prediction import Question

# Options of a benchmark by name.
BenchmarkOptions = Mapping[str, "int | float | str | list[int] | list[str]"]


@dataclass(frozen=True, slots=True)
class SkippedItem:
    """An item of a benchmark's source that is not a question, and the reason."""

    id: str
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Questions with unique ids, and a rule for correct answers.

    Attributes:
        name: Name in the registry, or of the file or folder.
        questions: The questions, in order.
        options: Options that create the same questions again.
        skipped: Items of the source that are not questions.
        is_correct: Whether an answer to a question is correct.
    """

    name: str
    questions: tuple[Question, ...]
    options: BenchmarkOptions = field(default_factory=dict)
    skipped: tuple[SkippedItem, ...] = ()
    is_correct: Callable[[Question, str], bool] = is_expected

    def __repr__(self) -> str:
        return f"<Benchmark {self.name}: {len(self.questions)} questions, {self.hash}>"

    @property
    def hash(self) -> str:
        """Hash of the questions."""
        rows = [[q.id, q.program.hash, q.expected, dict(q.facets)] for q in self.questions]
        return hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:16]
