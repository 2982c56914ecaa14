"""What a benchmark is: programs to ask about, and what right means."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from worldline.predict import Question
from worldline.runs import expects

# What a benchmark is made with, by name: numbers, words, or lists of them.
Options = Mapping[str, "int | float | str | list[int] | list[str]"]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something that a benchmark's source holds and that is not asked about, and why."""

    id: str
    what: str
    reason: str


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Questions with names of their own, and what right means of an answer to one of them.

    `options` is what it takes to make the same questions again; `left_out` what the source holds
    beside them.
    """

    name: str
    questions: tuple[Question, ...]
    options: Options = field(default_factory=dict)
    left_out: tuple[LeftOut, ...] = ()
    is_right: Callable[[Question, str], bool] = expects

    @property
    def hash(self) -> str:
        """The same for the same questions."""
        rows = [[q.id, q.program.hash, q.expected, dict(q.facets)] for q in self.questions]
        return hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:16]
