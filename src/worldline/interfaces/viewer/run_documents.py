"""JSON documents of the overview and of the comparison of two runs.

viewer/src/api declares the same keys as TypeScript types.
"""

from collections import Counter
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
    RunComparison,
    TokenCosts,
    accuracy,
    accuracy_by_group,
    changed_settings,
    compare_runs,
    measure_interventions,
    measure_one_step_accuracy,
    measure_survival,
    pass_at_k_rates,
)
from worldline.evaluation.metrics.binning import power_of_two_bin
from worldline.evaluation.runs import (
    Manifest,
    ScoredSample,
    read_interventions,
    read_manifest,
    read_scores,
)
from worldline.interfaces.report import (
    KINDS,
    WHERES,
    Summary,
    calibration_to_json,
    comparison_headline,
    comparison_notes,
    fix_lines,
    groups_note,
    headline,
    one_step_accuracy_lines,
    operations_to_json,
    pass_line,
    read_calibration,
    run_lines,
    sample_text,
    settings_lines,
    summarize_run,
)
from worldline.interfaces.viewer.diagnosed_run import DiagnosedRun
from worldline.interfaces.viewer.example_failures import CAUSE_SENTENCES, build_example_failures
from worldline.interfaces.viewer.run_trust import build_trust_document
from worldline.interfaces.viewer.sample_table import Table, build_table

# Increased when keys change, so that a page refuses the data of another version.
FORMAT = 7
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
    comparison = None
    if len(runs) == 2:
        a, b = (format_manifest_options(read_manifest(run.location)) for run in runs)
        changes = settings_lines(changed_settings(a, b))
        compared = compare_runs(*(run.rows for run in runs))
        comparison = build_comparison_document(compared, list(changes), [run.rows for run in runs])
    return {
        "format": FORMAT,
        "worldline": version("worldline"),
        "homepage": homepage(),
        "labels": dict(LABELS),
        "runs": documents,
        "comparison": comparison,
    }, tables


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
    survival = measure_survival(rows).points if has_steps else ()
    calibration = read_calibration(location, manifest)
    return {
        "name": location,
        "header": _header(manifest, location, rows),
        "headline": headline(rows),
        "examples": build_example_failures(run),
        "accuracy": accuracy_document(accuracy(rows)),
        "outcomes": [{"name": name, "count": n} for name, n in summary.outcomes.items()],
        "causes": _causes(summary, interventions),
        "divergences": _divergences(summary),
        "lengths": _lengths(rows),
        "survival": [
            {"step": point.step, "survival": point.survival, "at_risk": point.at_risk}
            for point in survival
        ],
        "one_step_accuracy": _one_step_accuracy(location, manifest),
        "calibration": calibration_to_json(calibration) if calibration else None,
        "trust": build_trust_document(run.trust) if run.trust else None,
        "token_usage": build_token_usage(manifest, rows, costs),
        "operations": operations_to_json(operations) if operations else None,
        "can_measure_operations": False,
        "interventions": None if interventions is None else _interventions(interventions),
        "columns": [asdict(column) for column in table.columns],
    }


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


def build_token_usage(
    manifest: Manifest, rows: Sequence[ScoredSample], costs: TokenCosts | None
) -> dict[str, Any]:
    """Build the token usage of a run: `TokenUsage` in viewer/src/api.

    Args:
        manifest: The manifest of the run.
        rows: The samples of the run.
        costs: The token counts of the actual traces in every format, if they were counted.
    """
    lengths = [row.completion_tokens for row in rows if row.completion_tokens is not None]
    return {
        "max_tokens": manifest.settings.max_tokens if manifest.settings else None,
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


def build_comparison_document(
    comparison: RunComparison,
    settings: Sequence[str],
    rows: Sequence[Sequence[ScoredSample]],
) -> dict[str, Any]:
    """Build the comparison of two runs: `Comparison` in viewer/src/api.

    Args:
        comparison: The runs' samples, paired.
        settings: A line for each setting that differs between the runs.
        rows: The samples of both runs.
    """
    overall = comparison.overall
    return {
        "headline": comparison_headline(comparison),
        "settings": list(settings),
        "notes": list(comparison_notes(comparison)),
        "a": asdict(overall.a),
        "b": asdict(overall.b),
        "difference": asdict(overall.difference),
        "gained": _changed_samples(comparison.gained_samples, *rows),
        "lost": _changed_samples(comparison.lost_samples, *rows),
        "verdicts": [{"a": a, "b": b, "count": n} for (a, b), n in comparison.verdicts.items()],
        "groups": [
            {
                "by": change.name,
                "group": change.group,
                "pairs": change.pairs,
                "gained": change.gained,
                "lost": change.lost,
                "difference": asdict(change.difference),
                "adjusted_p": change.adjusted_p,
            }
            for change in comparison.changes
            if change.adjusted_p is not None
        ],
        "groups_note": groups_note(comparison.changes),
    }


def _changed_samples(
    names: Sequence[str], a: Sequence[ScoredSample], b: Sequence[ScoredSample]
) -> list[dict[str, Any]]:
    """What changed in each sample, the most frequent cause first; of repeats, the first."""
    changed = set(names)
    first_a, first_b = (
        {row.sample: row for row in reversed(rows) if row.sample in changed} for rows in (a, b)
    )
    causes = {name: first_a[name].cause or first_b[name].cause or "" for name in names}
    frequency = Counter(causes.values())
    ordered = sorted(names, key=lambda name: (-frequency[causes[name]], causes[name]))
    return [
        {
            "id": name,
            "cause": causes[name] or None,
            "a": sample_text(first_a[name]),
            "b": sample_text(first_b[name]),
        }
        for name in ordered
    ]
