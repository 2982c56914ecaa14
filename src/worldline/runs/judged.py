"""What a run holds of one sample that is counted and compared: its verdict and its facets."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

Verdict = Literal[
    "right",  # the answer is what the benchmark expects
    "wrong",  # there is an answer, and it is another one
    "no_answer",  # the model ended without an answer
    "cut",  # the token budget ended it before there was an answer
    "failed",  # the infrastructure failed: says nothing about the model
]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


@dataclass(frozen=True, slots=True)
class Judged:
    """One sample of a run: how it was judged, where it first diverged, and what it took.

    `sample` is the question's name; repeats of one question share it and differ in `repeat`.
    `program` is a hash of the program's text and input. `facets` are the benchmark's own
    (`{"depth": 3}`); `difficulty` is measured on the true execution (`{"steps": 17, "kinds": "int
    str"}`). `step` is the first step that diverged, `matched_steps` how many were right before it;
    none where no steps were asked for. `error` is why it failed.
    """

    sample: str
    repeat: int
    verdict: Verdict
    outcome: str
    program: str = ""
    differs_in: str | None = None
    kind: str | None = None
    cause: str | None = None
    action: str | None = None
    step: int | None = None
    matched_steps: int | None = None
    true_steps: int | None = None
    written_tokens: int | None = None
    is_cut: bool = False
    has_found_back: bool = False
    is_result_right: bool | None = None
    is_reference_right: bool | None = None
    error: str | None = None
    facets: Mapping[str, str | int] = field(default_factory=dict)
    difficulty: Mapping[str, str | int] = field(default_factory=dict)
