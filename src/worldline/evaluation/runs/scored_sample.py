"""Scored sample: the verdict on one sample of a run, with the facts that are grouped by."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from worldline.core.trace import DEFAULT_LANGUAGE
from worldline.core.util.text import truncate_text

Verdict = Literal[
    "correct",  # the answer is the value that the benchmark expects
    "incorrect",  # the answer is a different value
    "no_answer",  # the output ended without an answer
    "truncated",  # the output was truncated before an answer
    "infra_error",  # the infrastructure failed: says nothing about the model
]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


@dataclass(frozen=True, slots=True)
class ScoredSample:
    """One sample of a run: its verdict, its first divergence and its cost.

    Attributes:
        sample: The question's name, shared by all repeats.
        repeat: The number of the repeat, from 0.
        verdict: Grade of the answer.
        outcome: Result of the diagnosis.
        program: Hash of the program's text, input and language.
        differs_in: What differs at the divergence.
        kind: The kind of the actual value that differs.
        variable: The first variable that differs.
        actual_value: The actual value at the divergence, shortened around the difference.
        predicted_value: The predicted value, shortened in the same way.
        cause: The cause of the divergence, a hypothesis.
        confirmed_by: What confirmed the cause when the sample was stored.
        refuted_by: What refuted the cause when the sample was stored.
        action_error: How the action at the divergence is wrong.
        executed_line: The line executed before the divergence. For a sample of an intervention that
            rewrites the program, the original line; 0 for a line that the rewrite added.
        step: The first step that diverges; None if no steps were predicted.
        matched_steps: Correct steps before the divergence; None if no steps were predicted.
        actual_steps: Steps of the actual execution, if complete.
        completion_tokens: Tokens that the model generated.
        is_truncated: Whether the output was truncated.
        has_reconverged: Whether steps after the divergence match again.
        is_result_correct: Whether the predicted execution returns the actual result.
        is_reference_correct: Whether the benchmark expects the actual result.
        error: Why the infrastructure failed.
        facets: Facets of the question: `{"depth": 3}`.
        difficulty: Difficulty of the actual execution: `{"steps": 17, "kinds": "int str"}`.
        language: The program's language.
    """

    sample: str
    repeat: int
    verdict: Verdict
    outcome: str
    program: str = ""
    differs_in: str | None = None
    kind: str | None = None
    variable: str | None = None
    actual_value: str | None = None
    predicted_value: str | None = None
    cause: str | None = None
    confirmed_by: str | None = None
    refuted_by: str | None = None
    action_error: str | None = None
    executed_line: int | None = None
    step: int | None = None
    matched_steps: int | None = None
    actual_steps: int | None = None
    completion_tokens: int | None = None
    is_truncated: bool = False
    has_reconverged: bool = False
    is_result_correct: bool | None = None
    is_reference_correct: bool | None = None
    error: str | None = None
    facets: Mapping[str, str | int] = field(default_factory=dict)
    difficulty: Mapping[str, str | int] = field(default_factory=dict)
    language: str = DEFAULT_LANGUAGE

    def __repr__(self) -> str:
        repeat = f" #{self.repeat}" if self.repeat else ""
        step = "" if self.step is None else f" at step {self.step}"
        location = f" in {self.differs_in}" if self.differs_in else ""
        cause = f"; {self.cause}" if self.cause else ""
        name = truncate_text(repr(self.sample), 30)
        return (
            f"ScoredSample({name}{repeat}, {self.verdict}, {self.outcome}{step}{location}{cause})"
        )
