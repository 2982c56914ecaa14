"""Selection of failed samples for interventions, and the questions to predict again."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from worldline.analysis.diagnosis import Sample
from worldline.analysis.interventions import (
    INTERVENTIONS,
    INTERVENTIONS_BY_CAUSE,
    InterventionName,
    modify_question,
)
from worldline.core.errors import InputError
from worldline.evaluation.runs.diagnose_predictions import execute_and_diagnose
from worldline.evaluation.runs.manifest import Manifest
from worldline.evaluation.runs.run_reader import read_manifest, read_run
from worldline.evaluation.runs.sample_rows import row_to_prediction, row_to_scored_sample
from worldline.evaluation.runs.scored_sample import ScoredSample
from worldline.languages.python.recorder import Recorder
from worldline.models.prediction import Question


@dataclass(frozen=True, slots=True)
class Failures:
    """The samples of a run to intervene on.

    Attributes:
        manifest: The manifest of the run.
        failed: Failed samples with a cause.
        correct: Some correct samples, to measure what an intervention breaks.
        left_out: The number of failed samples without a cause, by outcome.
    """

    manifest: Manifest
    failed: tuple[Sample, ...]
    correct: tuple[Sample, ...] = ()
    left_out: Counter[str] = field(default_factory=Counter)

    def __repr__(self) -> str:
        return (
            f"Failures({len(self.failed)} failed, {len(self.correct)} correct, "
            f"{self.left_out.total()} left out)"
        )


def find_failures(address: str | Path, recorder: Recorder, *, correct: int = 0) -> Failures:
    """Execute and diagnose the failed samples of a run again.

    Args:
        address: The location of the run.
        recorder: Executes the programs.
        correct: The number of correct samples to include.

    Raises:
        InputError: The run was not predicted freely, from the beginning, at temperature 0.
    """
    manifest = read_manifest(address)
    settings = manifest.settings
    if settings is None or settings.mode != "free" or settings.from_step or settings.temperature:
        raise InputError(
            f"{address} was not predicted with --mode free, --temperature 0 and --from-step 0, so "
            "the effect of an intervention could not be separated from that of the mode or of "
            "chance; predict it again with worldline bench"
        )
    rows = read_run(address)
    scored = list(map(row_to_scored_sample, rows))
    failed = [n for n, sample in enumerate(scored) if has_cause(sample)]
    left_out = Counter(
        sample.outcome for sample in scored if sample.verdict != "correct" and not has_cause(sample)
    )
    all_correct = [n for n, sample in enumerate(scored) if sample.verdict == "correct"]
    stride = max(1, len(all_correct) // correct) if correct else 1
    chosen = all_correct[::stride][:correct]

    def diagnose(indices: Iterable[int]) -> tuple[Sample, ...]:
        return tuple(_diagnose_again(rows[n], address, recorder, manifest) for n in indices)

    return Failures(manifest, diagnose(failed), diagnose(chosen), left_out)


def has_cause(sample: ScoredSample) -> bool:
    """Whether a sample failed, and its cause is known or assumed."""
    return sample.verdict not in ("correct", "infra_error") and sample.cause is not None


def _diagnose_again(
    row: dict[str, Any], address: str | Path, recorder: Recorder, manifest: Manifest
) -> Sample:
    prediction = row_to_prediction(row, f"{row['sample']} in {address}")
    return execute_and_diagnose(prediction, recorder, limits=manifest.limits, is_measured=True)


def intervention_questions(
    name: InterventionName,
    failures: Failures,
    *,
    is_all: bool = False,
    unconfirmed: frozenset[str],
) -> list[Question]:
    """Choose the samples for an intervention, and modify their questions.

    Args:
        name: The intervention.
        failures: The samples to choose from. Correct ones are included if the intervention does
            not need the actual execution.
        is_all: Choose all samples to which the intervention applies, not only those with
            a cause that it can confirm.
        unconfirmed: The names of the samples without a confirmed cause.
    """
    chosen = [
        sample
        for sample in failures.failed
        if is_all
        or (sample.prediction.id in unconfirmed and name in confirming_interventions(sample))
    ]
    if not INTERVENTIONS[name].needs_actual and (chosen or is_all):
        chosen += failures.correct
    questions = (modify_question(name, sample) for sample in chosen)
    return [question for question in questions if question is not None]


def confirming_interventions(sample: Sample) -> tuple[InterventionName, ...]:
    """The interventions that would confirm the cause of a sample."""
    cause = sample.diagnosis.cause
    return INTERVENTIONS_BY_CAUSE.get(cause.name, ()) if cause else ()
