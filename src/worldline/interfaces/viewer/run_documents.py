"""JSON document of a report: the overview of each run, and the comparison of two.

viewer/src/api declares the same keys as TypeScript types.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import metadata, version
from statistics import median
from typing import Any

from worldline.analysis.diagnosis import LABELS
from worldline.analysis.interventions import INTERVENTIONS
from worldline.analysis.stats import Share, share
from worldline.evaluation.benchmarks import format_manifest_options
from worldline.evaluation.metrics import (
    Accuracy,
    InterventionResults,
    OperationResults,
    TokenCosts,
    accuracy,
    accuracy_by_group,
    measure_interventions,
    measure_one_step_accuracy,
    measure_survival_curve,
    pass_at_k_rates,
    summarize_distributions,
)
from worldline.evaluation.metrics.binning import power_of_two_bin
from worldline.evaluation.runs import (
    Manifest,
    ScoredSample,
    read_interventions,
    read_manifest,
    read_scores,
    sample_name,
)
from worldline.interfaces.report import (
    KINDS,
    WHERES,
    Summary,
    calibration_to_json,
    fix_lines,
    headline,
    one_step_accuracy_lines,
    operations_to_json,
    pass_line,
    read_calibration,
    run_lines,
    summarize_run,
)
from worldline.interfaces.viewer.comparison_document import build_comparison_document
from worldline.interfaces.viewer.diagnosed_run import DiagnosedRun
from worldline.interfaces.viewer.distribution_document import build_distribution_summary
from worldline.interfaces.viewer.example_failures import CAUSE_SENTENCES, build_example_failures
from worldline.interfaces.viewer.run_settings import import_note, method_sentences
from worldline.interfaces.viewer.run_trust import build_trust_document
from worldline.interfaces.viewer.sample_table import COLUMN_LABELS, Table, build_table

# Increased when keys change, so that a page refuses the data of another version.
FORMAT = 10
_LENGTH_MEASURES = ("steps", "iterations", "tokens")


def build_report_document(
    runs: Sequence[DiagnosedRun],
    costs: Mapping[str, TokenCosts] | None = None,
    operations: Mapping[str, OperationResults] | None = None,
) -> tuple[dict[str, Any], list[Table]]:
    """Build the report of one run, or of two runs and their comparison.

    Args:
        runs: The runs, with the samples that they had when they were read.
        costs: The token counts of the traces, by location, for the runs that were counted.
        operations: The accuracy by operation, by location, for the runs that were measured.

    Returns:
        The report (`ReportDocument` in viewer/src/api), and the sample table of each run.
    """
    tables = [build_table(run.rows, run.trust.by_question if run.trust else None) for run in runs]
    documents = [
        build_run_document(
            run, table, (costs or {}).get(run.location), (operations or {}).get(run.location)
        )
        for run, table in zip(runs, tables, strict=True)
    ]
    return {
        "format": FORMAT,
        "worldline": version("worldline"),
        "homepage": homepage(),
        **shown_labels(),
        "runs": documents,
        "comparison": build_comparison_document(*runs) if len(runs) == 2 else None,
    }, tables


def shown_labels() -> dict[str, Any]:
    """The words that the page shows for identifiers, and those that depend on the column."""
    return {
        "labels": dict(LABELS),
        "column_labels": {column: dict(words) for column, words in COLUMN_LABELS.items()},
    }


def homepage() -> str | None:
    """The project's address, from the package's metadata."""
    urls = dict(entry.split(", ", 1) for entry in metadata("worldline").get_all("Project-URL", []))
    return urls.get("Homepage") or urls.get("Source")


def build_run_document(
    run: DiagnosedRun,
    table: Table,
    costs: TokenCosts | None = None,
    operations: OperationResults | None = None,
) -> dict[str, Any]:
    """Build the overview of one run: `RunDocument` in viewer/src/api."""
    location, rows = run.location, run.rows
    manifest, attempts = read_manifest(location), read_interventions(location)
    interventions = measure_interventions(rows, attempts) if attempts else None
    summary = summarize_run(rows)
    has_steps = any(row.matched_steps is not None for row in rows)
    survival = measure_survival_curve(rows) if has_steps else ()
    calibration = read_calibration(location, manifest)
    distributions = list(run.distributions.values())
    compared = summarize_distributions(distributions)
    return {
        "name": location,
        "header": _header(manifest, location, rows),
        "method": method_sentences(run.settings, has_steps=has_steps),
        "headline": headline(rows),
        "import_note": import_note(manifest),
        "examples": build_example_failures(run),
        "accuracy": accuracy_document(accuracy(rows)),
        "outcomes": [{"name": name, "count": n} for name, n in summary.outcomes.items()],
        "causes": _causes(summary, interventions),
        "divergences": _divergences(summary),
        "lengths": _lengths(rows),
        "survival": [asdict(point) for point in survival],
        "one_step_accuracy": _one_step_accuracy(location, manifest),
        "calibration": calibration_to_json(calibration) if calibration else None,
        "distributions": build_distribution_summary(distributions, compared, _first_samples(rows))
        if compared
        else None,
        "trust": build_trust_document(run.trust) if run.trust else None,
        "token_usage": build_token_usage(run, costs),
        "operations": operations_to_json(operations) if operations else None,
        "can_measure_operations": False,
        "interventions": None if interventions is None else _interventions(interventions),
        "columns": [asdict(column) for column in table.columns],
    }


def _first_samples(rows: Sequence[ScoredSample]) -> Mapping[str, str]:
    """The name of the first sample of each question."""
    return {row.sample: sample_name(row) for row in reversed(rows)}


def _header(manifest: Manifest, location: str, rows: Sequence[ScoredSample]) -> list[str]:
    lines = list(run_lines(format_manifest_options(manifest), location, len(rows)))
    rates = pass_at_k_rates(rows)
    if rates:
        lines.append(pass_line(rates))
    return [line.plain for line in lines]


def accuracy_document(counts: Accuracy) -> dict[str, Any]:
    """Build the counted verdicts: `Accuracy` in viewer/src/api."""
    return {
        "questions": counts.samples,
        "samples": counts.asked,
        "correct": counts.correct,
        "incorrect": counts.incorrect,
        "no_answer": counts.no_answer,
        "truncated": counts.truncated,
        "infra_error": counts.infra_error,
        "of_all": asdict(counts.of_all),
        "of_answered": asdict(counts.of_answered),
    }


def _causes(summary: Summary, interventions: InterventionResults | None) -> list[dict[str, Any]]:
    confirmed = interventions.confirmed if interventions else {}
    refuted = interventions.refuted if interventions else {}
    return [
        {
            "name": cause,
            "count": count,
            "sentence": CAUSE_SENTENCES.get(cause, ""),
            "confirmed": _tested(cause, count, confirmed, summary.confirmed),
            "refuted": _tested(cause, count, refuted, summary.refuted),
        }
        for cause, count in summary.causes.items()
    ]


def _tested(
    cause: str, count: int, shares: Mapping[str, Share], recorded: Mapping[str, int]
) -> dict[str, Any] | None:
    """The share of a cause that is confirmed or refuted, by interventions or by recorded ones."""
    if cause in shares:
        return asdict(shares[cause])
    return asdict(share(recorded[cause], count)) if cause in recorded else None


def _divergences(summary: Summary) -> list[dict[str, Any]]:
    """The cells of the heat map that are not empty, in the order of the terminal's table."""
    return [
        {"where": where, "kind": kind, "count": summary.where_by_kind[where, kind]}
        for kind in (*KINDS, "-")
        for where in WHERES
        if (where, kind) in summary.where_by_kind
    ]


def _one_step_accuracy(location: str, manifest: Manifest) -> list[str]:
    if manifest.settings is None or manifest.settings.mode != "score":
        return []
    measured = measure_one_step_accuracy(read_scores(location))
    return [line.plain for line in one_step_accuracy_lines(measured)] if measured else []


def _lengths(rows: Sequence[ScoredSample]) -> list[dict[str, Any]]:
    """Accuracy by each measure of length of the actual executions."""
    groups = accuracy_by_group(rows, names=_LENGTH_MEASURES)
    bins_by_measure = {
        measure: [
            {"group": group.group, "share": asdict(group.accuracy.of_all)}
            for group in groups
            if group.source == "difficulty" and group.name == measure
        ]
        for measure in _LENGTH_MEASURES
    }
    return [{"by": measure, "bins": bins} for measure, bins in bins_by_measure.items() if bins]


def build_token_usage(run: DiagnosedRun, costs: TokenCosts | None) -> dict[str, Any]:
    """Build the token usage of a run: `TokenUsage` in viewer/src/api.

    Args:
        run: The run.
        costs: The token counts of the actual traces in every format, if they were counted.
    """
    rows = run.rows
    lengths = [row.completion_tokens for row in rows if row.completion_tokens is not None]
    return {
        "max_tokens": run.settings.max_tokens,
        "truncated": sum(row.verdict == "truncated" for row in rows),
        "completion_tokens": {
            "total": sum(lengths),
            "median": median(lengths),
            "max": max(lengths),
            "bins": _token_bins(rows),
        }
        if lengths
        else None,
        "formats": [
            {
                "codec": counts.codec,
                "tokens": counts.trace,
                "fitting": counts.within,
                "traces": costs.traces,
            }
            for counts in costs.formats
        ]
        if costs
        else [],
        "tokenizer": costs.tokenizer if costs else None,
        "can_count": False,
    }


def _token_bins(rows: Sequence[ScoredSample]) -> list[dict[str, Any]]:
    """Samples by completion tokens, in bins that end at powers of two."""
    counted = sorted(
        (row for row in rows if row.completion_tokens is not None),
        key=lambda row: row.completion_tokens or 0,
    )
    bins: dict[str, list[ScoredSample]] = {}
    for row in counted:
        bins.setdefault(power_of_two_bin(row.completion_tokens or 0), []).append(row)
    return [
        {
            "group": group,
            "samples": len(members),
            "correct": sum(row.verdict == "correct" for row in members),
            "tokens": sum(row.completion_tokens or 0 for row in members),
        }
        for group, members in bins.items()
    ]


def _interventions(interventions: InterventionResults) -> dict[str, Any]:
    return {
        "failures": interventions.failures,
        "effects": [
            {
                "intervention": effect.intervention,
                "description": INTERVENTIONS[effect.intervention].sentence,
                "needs_actual": INTERVENTIONS[effect.intervention].needs_actual,
                "cause": effect.cause,
                "recovered": asdict(effect.recovered),
                "tokens": effect.tokens.value,
            }
            for effect in interventions.effects
        ],
        "fixes": [line.plain for line in fix_lines(interventions)],
    }
