"""Survival curve: the share of predictions without a divergence after n steps.

Steps are counted from 1: a sample is correct for t steps if its first t steps match the actual
execution. This is the Kaplan–Meier estimate. A truncated sample is censored: it counts up to its
last observed step. So is one whose program has ended, so that far out the curve describes long
programs only.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from worldline.evaluation.metrics.run_accuracy import is_graded
from worldline.evaluation.runs.scored_sample import ScoredSample

# Outcomes of a prediction that is correct to its end. After an exception the last step may be
# missing.
_COMPLETE_OUTCOMES = ("correct", "answer_mismatch", "reference_mismatch")


@dataclass(frozen=True, slots=True)
class StepRisk:
    """A step at which predictions became incorrect.

    Attributes:
        step: The number of the step, from 1.
        at_risk: Samples that were correct before the step and predicted it.
        diverged: Samples among them that diverged at the step.
        malformed: Samples among them whose output stops being a trace at the step.
    """

    step: int
    at_risk: int
    diverged: int
    malformed: int

    @property
    def lost(self) -> int:
        """Samples that became incorrect at this step."""
        return self.diverged + self.malformed


@dataclass(frozen=True, slots=True)
class SurvivalPoint:
    """The survival curve at one step.

    Attributes:
        step: The number of the step, from 1.
        reached: Samples whose program has this many steps.
        correct: Samples among them that are correct up to and including this step.
        lost: Samples among them that are not.
        unseen: Samples among them that ended before, correct so far.
        at_risk: Samples that are observed at this step.
        survival: The estimate, from all samples.
        steps: Steps since the previous point that were predicted by samples correct until then.
        lost_since: The incorrect ones among these steps.
    """

    step: int
    reached: int
    correct: int
    lost: int
    unseen: int
    at_risk: int
    survival: float
    steps: int
    lost_since: int

    @property
    def per_step(self) -> float | None:
        """The share of correct steps since the previous point."""
        return 1 - self.lost_since / self.steps if self.steps else None


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A step of the survival curve.

    Attributes:
        step: The number of the step, from 0, as in `ScoredSample.step`.
        survival: The estimated share of predictions without a divergence up to this step, itself
            included.
        at_risk: Samples that are observed at this step.
    """

    step: int
    survival: float
    at_risk: int


@dataclass(frozen=True, slots=True)
class Survival:
    """The survival curve, and every step at which a prediction became incorrect.

    Attributes:
        samples: Samples with predicted steps.
        diverged: Samples among them that diverged.
        malformed: Samples among them whose output stops being a trace.
        whole: Samples among them that are correct to the program's end.
        ran_on: Samples among the `whole` ones that continued past the program's end.
        unseen: Samples that ended before the program did, correct so far: truncated ones.
        without_steps: Other samples, without predicted steps.
        infra_error: Other samples, with an infrastructure error.
        unknown_length: Samples whose program has an unknown number of steps. They count as
            `reached` only up to their last observed step.
        steps: Steps that were predicted by samples correct until then.
        points: The curve at steps 1, 2, 4, 8 …
        risks: The steps at which predictions became incorrect.
    """

    samples: int
    diverged: int
    malformed: int
    whole: int
    ran_on: int
    unseen: int
    without_steps: int
    infra_error: int
    unknown_length: int
    steps: int
    points: tuple[SurvivalPoint, ...]
    risks: tuple[StepRisk, ...]

    def __repr__(self) -> str:
        return (
            f"Survival({self.samples} samples: {self.diverged} diverged, "
            f"{self.malformed} malformed, {self.whole} correct, {self.unseen} truncated)"
        )

    @property
    def lost(self) -> int:
        """Samples that became incorrect at some step."""
        return self.diverged + self.malformed

    @property
    def per_step(self) -> float | None:
        """The share of correct steps, of those predicted by samples correct until then."""
        return 1 - self.lost / self.steps if self.steps else None


@dataclass(frozen=True, slots=True)
class _Observation:
    """The observed steps of one sample.

    Attributes:
        correct_steps: Correct steps before the divergence.
        end: `diverged`, `malformed`, `whole` or `unseen`; see `Survival`.
        program_steps: Steps of the program, or the observed ones if these are unknown.
        is_length_known: Whether the number of steps of the program is known.
        continued_past_end: Whether the prediction continued past the program's end.
    """

    correct_steps: int
    end: str
    program_steps: int
    is_length_known: bool
    continued_past_end: bool

    @property
    def is_lost(self) -> bool:
        return self.end in ("diverged", "malformed")

    @property
    def observed_steps(self) -> int:
        """The correct steps, and the incorrect one if there is one."""
        return self.correct_steps + self.is_lost


def measure_survival(samples: Sequence[ScoredSample]) -> Survival:
    """Estimate the share of predictions without a divergence after 1, 2, 4, 8 … steps.

    Three programs of 4 steps: one prediction correct, one truncated after 2 steps, one wrong at
    step 3 -> survival 1.0 at 1 and 2, 0.5 at 4 (at step 3, two were at risk and one was lost)
    """
    graded = list(filter(is_graded, samples))
    observations = [
        observation for sample in graded if (observation := _observe_sample(sample)) is not None
    ]
    ends = Counter(observation.end for observation in observations)
    risks = _step_risks(observations)
    return Survival(
        samples=len(observations),
        diverged=ends["diverged"],
        malformed=ends["malformed"],
        whole=ends["whole"],
        ran_on=sum(observation.continued_past_end for observation in observations),
        unseen=ends["unseen"],
        without_steps=len(graded) - len(observations),
        infra_error=len(samples) - len(graded),
        unknown_length=sum(not observation.is_length_known for observation in observations),
        steps=sum(observation.observed_steps for observation in observations),
        points=_survival_points(observations, risks),
        risks=risks,
    )


def measure_survival_curve(samples: Sequence[ScoredSample]) -> tuple[CurvePoint, ...]:
    """Estimate the share of predictions without a divergence at every step.

    Three programs of 4 steps: one prediction correct, one truncated after 2 steps, one with its
    first divergence at step 2 -> 1.0 at step 0, 0.5 at step 2, 0.5 at step 3

    Returns:
        The first step, the steps at which the curve falls, and the last one. It is constant in
        between.
    """
    observations = [
        observation
        for sample in filter(is_graded, samples)
        if (observation := _observe_sample(sample)) is not None
    ]
    lengths = sorted(observation.observed_steps for observation in observations)
    if not lengths or not lengths[-1]:
        return ()
    lost = {risk.step: risk.lost for risk in _step_risks(observations)}
    points: list[CurvePoint] = []
    survival = 1.0
    for number in sorted({1, *lost, lengths[-1]}):
        at_risk = _count_at_least(lengths, number)
        survival *= 1 - lost.get(number, 0) / at_risk
        points.append(CurvePoint(number - 1, survival, at_risk))
    return tuple(points)


def _observe_sample(sample: ScoredSample) -> _Observation | None:
    """The observed steps of a sample; None if no steps were predicted."""
    correct_steps, program_steps = sample.matched_steps, sample.actual_steps
    if correct_steps is None:
        return None
    if program_steps is None and "steps" in sample.difficulty:
        program_steps = int(sample.difficulty["steps"])
    has_ended = program_steps is not None and correct_steps >= program_steps
    if has_ended or sample.outcome in _COMPLETE_OUTCOMES:
        end = "whole"
    elif sample.step is not None:
        end = "diverged"
    else:
        end = "malformed" if sample.outcome == "malformed" else "unseen"
    observed_steps = correct_steps + (end in ("diverged", "malformed"))
    return _Observation(
        correct_steps=correct_steps,
        end=end,
        program_steps=observed_steps if program_steps is None else program_steps,
        is_length_known=program_steps is not None,
        continued_past_end=has_ended and sample.step is not None,
    )


def _step_risks(observations: Sequence[_Observation]) -> tuple[StepRisk, ...]:
    lengths = sorted(observation.observed_steps for observation in observations)
    lost = Counter((o.observed_steps, o.end) for o in observations if o.is_lost)
    return tuple(
        StepRisk(
            step, _count_at_least(lengths, step), lost[step, "diverged"], lost[step, "malformed"]
        )
        for step in sorted({step for step, _ in lost})
    )


def _survival_points(
    observations: Sequence[_Observation], risks: Sequence[StepRisk]
) -> tuple[SurvivalPoint, ...]:
    lengths = sorted(o.observed_steps for o in observations)
    # Of each program, the steps that it has and that are correct.
    reached_steps = sorted(o.program_steps for o in observations)
    correct_steps = sorted(min(o.correct_steps, o.program_steps) for o in observations)
    lost_steps = sorted(o.observed_steps for o in observations if o.is_lost)
    lost_programs = sorted(o.program_steps for o in observations if o.is_lost)
    totals = [0, *accumulate(lengths)]
    points: list[SurvivalPoint] = []
    previous, observed_before, step = 0, 0, 1
    while lengths and step <= lengths[-1]:
        reached, at_risk = _count_at_least(reached_steps, step), _count_at_least(lengths, step)
        correct = _count_at_least(correct_steps, step)
        # A prediction is lost within its program, so that no shorter program is counted here.
        lost = bisect_right(lost_steps, step) - bisect_left(lost_programs, step)
        survival = 1.0
        for risk in risks:
            if risk.step <= step:
                survival *= 1 - risk.lost / risk.at_risk
        observed = totals[len(lengths) - at_risk] + at_risk * step
        points.append(
            SurvivalPoint(
                step=step,
                reached=reached,
                correct=correct,
                lost=lost,
                unseen=reached - correct - lost,
                at_risk=at_risk,
                survival=survival,
                steps=observed - observed_before,
                lost_since=sum(risk.lost for risk in risks if previous < risk.step <= step),
            )
        )
        previous, observed_before, step = step, observed, step * 2
    return tuple(points)


def _count_at_least(ordered: Sequence[int], minimum: int) -> int:
    """Count the numbers in a sorted sequence that are not below the minimum."""
    return len(ordered) - bisect_left(ordered, minimum)
