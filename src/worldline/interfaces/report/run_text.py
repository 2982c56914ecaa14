"""Report of a run: accuracy, outcomes, causes, survival, and accuracy by group."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from worldline.evaluation.benchmarks import format_manifest_options
from worldline.evaluation.metrics import (
    FACETS,
    AnswerDistributions,
    AnswerSets,
    Calibration,
    InterventionResults,
    OnDemandResults,
    OneStepAccuracy,
    accuracy,
    accuracy_by_group,
    measure_answer_distributions,
    measure_answer_sets,
    measure_calibration,
    measure_composition,
    measure_executed_samples,
    measure_interventions,
    measure_one_step_accuracy,
    measure_paths,
    measure_survival,
    pass_at_k_rates,
)
from worldline.evaluation.runs import (
    Manifest,
    ScoredSample,
    read_answers,
    read_executed_samples,
    read_expected_answers,
    read_interventions,
    read_manifest,
    read_scored_samples,
    read_scores,
)
from worldline.interfaces.report.accuracy_text import (
    accuracy_lines,
    accuracy_to_json,
    breakdown_table,
    pass_line,
    path_lines,
)
from worldline.interfaces.report.answer_distribution_text import answer_distribution_lines
from worldline.interfaces.report.answer_set_text import answer_set_lines
from worldline.interfaces.report.calibration_text import calibration_lines, calibration_to_json
from worldline.interfaces.report.composition_text import composition_tables
from worldline.interfaces.report.diagnosis_summary import summarize_run, summary_to_json
from worldline.interfaces.report.intervention_text import (
    intervention_tables,
    interventions_to_json,
)
from worldline.interfaces.report.on_demand_text import on_demand_lines
from worldline.interfaces.report.outcome_tables import summary_tables
from worldline.interfaces.report.run_header import run_lines
from worldline.interfaces.report.run_headline import headline
from worldline.interfaces.report.step_score_text import one_step_accuracy_lines
from worldline.interfaces.report.survival_text import survival_tables


@dataclass(frozen=True, slots=True)
class RunResults:
    """What the report of a run is made from.

    Step scores, interventions, calibration, executed steps and distributions may be absent.
    """

    location: str
    manifest: Manifest
    samples: list[ScoredSample]
    one_step: OneStepAccuracy | None
    interventions: InterventionResults | None
    calibration: Calibration | None = None
    on_demand: OnDemandResults | None = None
    distributions: AnswerDistributions | None = None
    answer_sets: AnswerSets | None = None

    @property
    def has_steps(self) -> bool:
        """Whether any prediction has steps."""
        return any(sample.matched_steps is not None for sample in self.samples)

    @property
    def is_composition(self) -> bool:
        """Whether the run is of the composition benchmark, not of a file with its name."""
        manifest = self.manifest
        return manifest.benchmark == "composition" and manifest.facets.keys() >= set(FACETS)


def read_results(location: str | Path) -> RunResults:
    """Read what the report of a run needs. The run may be unfinished.

    Args:
        location: The run's folder or address.

    Raises:
        InputError: There is no run.
    """
    manifest, samples = read_manifest(location), read_scored_samples(location)
    tried = read_interventions(location)
    return RunResults(
        location=str(location),
        manifest=manifest,
        samples=samples,
        one_step=measure_one_step_accuracy(read_scores(location)),
        interventions=measure_interventions(samples, tried) if tried else None,
        calibration=read_calibration(location, manifest),
        on_demand=read_on_demand(location, manifest),
        distributions=read_answer_distributions(location, manifest),
        answer_sets=read_answer_sets(location, manifest),
    )


def read_calibration(location: str | Path, manifest: Manifest) -> Calibration | None:
    """Measure the calibration of a run; None if its questions have no repeats."""
    return measure_calibration(read_answers(location)) if manifest.repeats > 1 else None


def read_answer_distributions(
    location: str | Path, manifest: Manifest
) -> AnswerDistributions | None:
    """Compare repeated answers with the distributions that the questions expect, if they do."""
    if manifest.repeats <= 1:
        return None
    return measure_answer_distributions(read_expected_answers(location))


def read_answer_sets(location: str | Path, manifest: Manifest) -> AnswerSets | None:
    """Compare repeated answers with the results that are possible, if the questions have them."""
    return measure_answer_sets(read_expected_answers(location)) if manifest.repeats > 1 else None


def read_on_demand(location: str | Path, manifest: Manifest) -> OnDemandResults | None:
    """Measure how much of a run was executed; None in other modes than `on-demand`."""
    is_on_demand = manifest.settings is not None and manifest.settings.mode == "on-demand"
    return measure_executed_samples(read_executed_samples(location)) if is_on_demand else None


def run_report(results: RunResults, *, width: int) -> Iterator[RenderableType]:
    """Yield the lines and tables of a run's report.

    Args:
        results: The run.
        width: The columns of the terminal.
    """
    samples = results.samples
    yield from run_lines(format_manifest_options(results.manifest), results.location, len(samples))
    news = headline(samples)
    if news:
        yield Text(news, "bold")
    overall = accuracy(samples)
    yield from accuracy_lines(overall)
    rates = pass_at_k_rates(samples)
    if rates:
        yield pass_line(rates)
    functions = measure_paths(samples)
    if functions:
        yield from path_lines(functions)
    if results.calibration:
        yield from calibration_lines(results.calibration)
    if results.distributions:
        yield from answer_distribution_lines(results.distributions)
    if results.answer_sets:
        yield from answer_set_lines(results.answer_sets)
    if results.on_demand:
        yield from on_demand_lines(results.on_demand)
    if results.one_step:
        yield from one_step_accuracy_lines(results.one_step)
    if overall.of_all.of:
        yield from _tables(results, width)
    if results.interventions:
        yield intervention_tables(results.interventions, width=width)


def _tables(results: RunResults, width: int) -> Iterator[RenderableType]:
    yield summary_tables(summarize_run(results.samples))
    if results.has_steps:
        yield survival_tables(measure_survival(results.samples))
    if results.is_composition:
        yield composition_tables(measure_composition(results.samples), width=width)
    groups = accuracy_by_group(results.samples)
    if groups:
        yield Text("Accuracy by group (95% intervals)", "bold")
        yield breakdown_table(groups)


def run_report_to_json(results: RunResults) -> dict[str, Any]:
    """Return the numbers of a run's report as plain JSON data."""
    manifest, samples, tried = results.manifest, results.samples, results.interventions
    survival = measure_survival(samples) if results.has_steps else None
    composition = measure_composition(samples) if results.is_composition else None
    return {
        "benchmark": manifest.benchmark,
        "model": manifest.model,
        "samples": len(samples),
        "accuracy": accuracy_to_json(accuracy(samples), accuracy_by_group(samples)),
        "pass": [asdict(rate) for rate in pass_at_k_rates(samples)],
        "paths": asdict(functions) if (functions := measure_paths(samples)) else None,
        "calibration": calibration_to_json(results.calibration) if results.calibration else None,
        "distributions": asdict(results.distributions) if results.distributions else None,
        "answer_sets": asdict(results.answer_sets) if results.answer_sets else None,
        "summary": summary_to_json(summarize_run(samples)),
        "horizon": asdict(survival) if survival else None,
        "composition": asdict(composition) if composition else None,
        "scored": asdict(results.one_step) if results.one_step else None,
        "on_demand": asdict(results.on_demand) if results.on_demand else None,
        "interventions": interventions_to_json(tried) if tried else None,
    }
