"""Tests of causes: which interventions confirmed the cause of a failed sample, or refuted it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from worldline.analysis.diagnosis import Sample
from worldline.analysis.interventions import (
    CONFIRMED_BY_EXECUTION,
    INTERVENTIONS_BY_CAUSE,
    InterventionName,
    is_rewrite,
)
from worldline.evaluation.runs.intervention_selection import has_cause
from worldline.evaluation.runs.scored_sample import ScoredSample
from worldline.models.prediction import repeat_id


@dataclass(frozen=True, slots=True)
class CauseTests:
    """The samples whose cause is confirmed, and those whose cause is refuted, by name.

    Attributes:
        confirmed: What confirmed the cause of each sample.
        refuted: The intervention that removed the cause of each sample and did not help.
    """

    confirmed: Mapping[str, str] = field(default_factory=dict)
    refuted: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"CauseTests({len(self.confirmed)} confirmed, {len(self.refuted)} refuted)"


def cause_tests(
    base: Sequence[ScoredSample],
    interventions: Mapping[InterventionName, Sequence[ScoredSample]],
) -> CauseTests:
    """Find the samples whose cause is confirmed or refuted.

    A cause is confirmed if an intervention that removes it makes the sample correct. It is refuted
    if all such interventions that were tried leave the sample wrong at the same place: at the same
    step of the same program, or in the same line if the program is rewritten. A prediction that
    gets further and is then wrong elsewhere says nothing about the cause; nor does an
    infrastructure error, or an output that is truncated.

    Args:
        base: The samples of the run that was intervened on.
        interventions: The samples of each intervention.
    """
    confirmed: dict[str, str] = {}
    refuted: dict[str, str] = {}
    repeats = {name: _repeats(samples) for name, samples in interventions.items()}
    for sample in base:
        if not has_cause(sample):
            continue
        name = sample_name(sample)
        cause: Any = sample.cause
        if cause in CONFIRMED_BY_EXECUTION:
            confirmed[name] = "execution"
            continue
        tried = {
            intervention: repeats[intervention][name]
            for intervention in INTERVENTIONS_BY_CAUSE.get(cause, ())
            if name in repeats.get(intervention, {})
        }
        successful = [each for each, after in tried.items() if _is_correct(after)]
        if successful:
            confirmed[name] = successful[0]
        elif tried and all(_is_no_help(each, sample, after) for each, after in tried.items()):
            refuted[name] = next(iter(tried))
        elif sample.confirmed_by:
            confirmed[name] = sample.confirmed_by
        elif sample.refuted_by and not tried:
            refuted[name] = sample.refuted_by
    return CauseTests(confirmed, refuted)


def _repeats(samples: Sequence[ScoredSample]) -> dict[str, list[ScoredSample]]:
    """The repeats of each sample, without infrastructure errors."""
    repeats: dict[str, list[ScoredSample]] = {}
    for sample in samples:
        if sample.verdict != "infra_error":
            repeats.setdefault(sample.sample, []).append(sample)
    return repeats


def _is_correct(after: Sequence[ScoredSample]) -> bool:
    """Whether at least half of the repeats are correct."""
    return 2 * sum(sample.verdict == "correct" for sample in after) >= len(after)


def _is_no_help(
    intervention: InterventionName, before: ScoredSample, after: Sequence[ScoredSample]
) -> bool:
    """Whether every repeat is wrong at the place where the sample was wrong before."""
    return all(
        sample.verdict in ("incorrect", "no_answer")
        and sample.outcome == "diverged"
        and not sample.is_truncated
        and _is_same_place(intervention, before, sample)
        for sample in after
    )


def _is_same_place(
    intervention: InterventionName, before: ScoredSample, after: ScoredSample
) -> bool:
    if is_rewrite(intervention):
        return after.executed_line in (0, before.executed_line)
    if before.matched_steps is None or after.matched_steps is None:
        return False
    # A patch gives the diverging step itself.
    return after.matched_steps <= before.matched_steps + (intervention == "patch")


def with_tested_cause(sample: Sample, tested: CauseTests) -> Sample:
    """Add to a sample what confirmed its cause, or refuted it, if anything did.

    Args:
        sample: The sample.
        tested: What confirmed and refuted causes, from `cause_tests`.
    """
    cause, name = sample.diagnosis.cause, sample.prediction.id
    confirmed_by, refuted_by = tested.confirmed.get(name), tested.refuted.get(name)
    if cause is None or (confirmed_by is None and refuted_by is None):
        return sample
    cause = replace(cause, confirmed_by=confirmed_by, refuted_by=refuted_by)
    return replace(sample, diagnosis=replace(sample.diagnosis, cause=cause))


def sample_name(sample: ScoredSample) -> str:
    """The name of a sample in runs of interventions: with the number of its repeat."""
    return repeat_id(sample.sample, sample.repeat)
