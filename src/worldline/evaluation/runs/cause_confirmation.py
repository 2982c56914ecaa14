"""Confirmation of causes: which interventions made a failed sample correct."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from worldline.analysis.diagnosis import Sample
from worldline.analysis.interventions import (
    CONFIRMED_BY_EXECUTION,
    INTERVENTIONS_BY_CAUSE,
    InterventionName,
)
from worldline.evaluation.runs.intervention_selection import has_cause
from worldline.evaluation.runs.scored_sample import ScoredSample
from worldline.models.prediction import repeat_id


def confirmed_causes(
    base: Sequence[ScoredSample],
    interventions: Mapping[InterventionName, Sequence[ScoredSample]],
) -> dict[str, str]:
    """Find the samples whose cause is confirmed.

    Args:
        base: The samples of the run that was intervened on.
        interventions: The samples of each intervention.

    Returns:
        For each sample with a confirmed cause, by name: what confirmed it.
    """
    confirmed: dict[str, str] = {}
    is_correct = {name: _is_correct_by_sample(samples) for name, samples in interventions.items()}
    for sample in base:
        if not has_cause(sample):
            continue
        name = sample_name(sample)
        cause: Any = sample.cause
        if cause in CONFIRMED_BY_EXECUTION:
            confirmed[name] = "execution"
            continue
        for intervention in INTERVENTIONS_BY_CAUSE.get(cause, ()):
            if is_correct.get(intervention, {}).get(name):
                confirmed[name] = intervention
                break
    return confirmed


def _is_correct_by_sample(samples: Sequence[ScoredSample]) -> dict[str, bool]:
    """For each sample, whether at least half of its repeats are correct."""
    verdicts: dict[str, list[bool]] = {}
    for sample in samples:
        if sample.verdict != "infra_error":
            verdicts.setdefault(sample.sample, []).append(sample.verdict == "correct")
    return {name: 2 * sum(correct) >= len(correct) for name, correct in verdicts.items()}


def with_confirmed_cause(sample: Sample, confirmed: Mapping[str, str]) -> Sample:
    """Add to a sample what confirmed its cause, if anything did.

    Args:
        sample: The sample.
        confirmed: What confirmed each cause, from `confirmed_causes`.
    """
    cause, confirmed_by = sample.diagnosis.cause, confirmed.get(sample.prediction.id)
    if cause is None or confirmed_by is None:
        return sample
    diagnosis = replace(sample.diagnosis, cause=replace(cause, confirmed_by=confirmed_by))
    return replace(sample, diagnosis=diagnosis)


def sample_name(sample: ScoredSample) -> str:
    """The name of a sample in runs of interventions: with the number of its repeat."""
    return repeat_id(sample.sample, sample.repeat)
