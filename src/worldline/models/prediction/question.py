"""Questions that a model is asked."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from worldline.core.trace import Program
from worldline.core.util.text import truncate_text


@dataclass(frozen=True, slots=True)
class Question:
    """A program whose execution a model is to predict.

    Attributes:
        id: name of the question.
        program: the program and its call.
        expected: the value that the benchmark expects, as `repr` writes it.
        facets: properties that the benchmark knows, as in {"depth": 3}.
        completion_prefix: the start of the completion, in the codec's format, that the
            model continues.
    """

    id: str
    program: Program
    expected: str | None = None
    facets: Mapping[str, str | int] = field(default_factory=dict)
    completion_prefix: str = ""

    def __repr__(self) -> str:
        call = truncate_text(self.program.call or self.program.entry or "no call", 50)
        return f"Question('{truncate_text(self.id, 50)}', {call})"


def repeat_id(id: str, repeat: int) -> str:
    """Id of a question's repeat: "sample_0", 0 -> "sample_0"; "sample_0", 2 -> "sample_0#2"."""
    return f"{id}#{repeat}" if repeat else id
