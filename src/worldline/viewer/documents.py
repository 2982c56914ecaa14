"""Runs go in; the documents that the page's overview is drawn from come out.

Their names and shapes are those of viewer/src/contract.ts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from statistics import median
from typing import Any

from worldline.benchmarks import as_typed
from worldline.diagnose import RULES, UNEXPLAINED
from worldline.intervene import INTERVENTIONS
from worldline.measures import (
    Accuracy,
    Interventions,
    RunComparison,
    TokenCosts,
    accuracy,
    breakdown,
    changed_settings,
    compare_runs,
    measure_horizon,
    measure_interventions,
    measure_scores,
    pass_rates,
)
from worldline.report import (
    KINDS,
    WHERES,
    Summary,
    comparison_headline,
    comparison_notes,
    fix_lines,
    pass_line,
    run_lines,
    scored_lines,
    settings_lines,
    summarize_run,
    where_note,
)
from worldline.runs import (
    Judged,
    Manifest,
    read_interventions,
    read_manifest,
    read_scores,
)
from worldline.stats import Share
from worldline.viewer.rows import Table, table_of

FORMAT = 1
_LENGTHS = ("steps", "iterations", "tokens")


def report_document(
    addresses: Sequence[str],
    judged: Sequence[Sequence[Judged]],
    costs: Mapping[str, TokenCosts] | None = None,
) -> tuple[dict[str, Any], list[Table]]:
    """The report of one run, or of two and what changed between them, and the table of each.

    `judged`: the rows of each, as they were read once; the run may have grown since. `costs`: what
    the traces of a run take in each format, where that was counted.
    """
    tables = [table_of(rows) for rows in judged]
    runs = [
        run_document(address, rows, table, (costs or {}).get(address))
        for address, rows, table in zip(addresses, judged, tables, strict=True)
    ]
    comparison = None
    if len(addresses) == 2:
        a, b = (as_typed(read_manifest(address)) for address in addresses)
        changed = settings_lines(changed_settings(a, b))
        comparison = comparison_document(compare_runs(*judged), list(changed))
    return {
        "format": FORMAT,
        "worldline": version("worldline"),
        "runs": runs,
        "comparison": comparison,
    }, tables


def run_document(
    address: str, rows: Sequence[Judged], table: Table, costs: TokenCosts | None = None
) -> dict[str, Any]:
    """One run: all but its samples."""
    manifest, tried = read_manifest(address), read_interventions(address)
    found = measure_interventions(rows, tried) if tried else None
    summary = summarize_run(rows)
    sentences = {str(rule.name): rule.sentence for rule in RULES}
    sentences[UNEXPLAINED.name] = UNEXPLAINED.sentence
    has_steps = any(row.matched_steps is not None for row in rows)
    rates = pass_rates(rows)
    told = [
        *run_lines(as_typed(manifest), address, len(rows)),
        *([pass_line(rates)] if rates else []),
    ]
    return {
        "name": address,
        "lines": [line.plain for line in told],
        "accuracy": _accuracy(accuracy(rows)),
        "outcomes": [{"name": name, "count": n} for name, n in summary.outcomes.items()],
        "causes": [
            {
                "name": cause,
                "count": number,
                "sentence": sentences.get(cause, ""),
                "confirmed": _share(found.confirmed[cause])
                if found and cause in found.confirmed
                else None,
            }
            for cause, number in summary.causes.items()
        ],
        "places": _places(summary),
        "lengths": _lengths(rows),
        "survival": [
            {"step": point.step, "survival": point.survival, "at_risk": point.at_risk}
            for point in measure_horizon(rows).points
        ]
        if has_steps
        else [],
        "scored": _scored(address, manifest),
        "budget": budget_document(manifest, rows, costs),
        "interventions": None if found is None else _interventions(found),
        "columns": [asdict(column) for column in table.columns],
    }


def _share(share: Share) -> dict[str, Any]:
    return {**asdict(share), "value": share.value}


def _accuracy(found: Accuracy) -> dict[str, Any]:
    shares = {"of_all": _share(found.of_all), "of_answered": _share(found.of_answered)}
    return {**asdict(found), **shares}


def _places(summary: Summary) -> list[dict[str, Any]]:
    """Where × kind, in the order of the terminal's table: what is read first stands first."""
    return [
        {"where": where, "kind": kind, "count": summary.where_by_kind[where, kind]}
        for kind in (*KINDS, "-")
        for where in WHERES
        if (where, kind) in summary.where_by_kind
    ]


def _scored(address: str, manifest: Manifest) -> list[str]:
    if manifest.settings is None or manifest.settings.mode != "score":
        return []
    found = measure_scores(read_scores(address))
    return [line.plain for line in scored_lines(found)] if found else []


def _lengths(rows: Sequence[Judged]) -> list[dict[str, Any]]:
    """Accuracy by what was measured on the real executions."""
    groups = [group for group in breakdown(rows) if group.source == "difficulty"]
    found = {
        by: [
            {"group": group.group, "share": _share(group.accuracy.of_all)}
            for group in groups
            if group.name == by
        ]
        for by in _LENGTHS
    }
    return [{"by": by, "bins": bins} for by, bins in found.items() if bins]


def budget_document(
    manifest: Manifest, rows: Sequence[Judged], costs: TokenCosts | None
) -> dict[str, Any]:
    """What the token budget did, and, where it was counted, what other formats would take of it."""
    written = [row.written_tokens for row in rows if row.written_tokens is not None]
    budget = manifest.settings.budget if manifest.settings else None
    return {
        "budget": budget,
        "cut": sum(row.verdict == "cut" for row in rows),
        "written_tokens": {"total": sum(written), "median": median(written), "most": max(written)}
        if written
        else None,
        "formats": [
            {
                "codec": each.codec,
                "tokens": each.trace,
                "fit": each.within,
                "of": costs.traces,
            }
            for each in costs.formats
        ]
        if costs
        else [],
        "vocabulary": costs.tokenizer if costs else None,
        "can_count": False,
    }


def _interventions(found: Interventions) -> dict[str, Any]:
    return {
        "failures": found.failures,
        "effects": [
            {
                "intervention": effect.intervention,
                "changes": INTERVENTIONS[effect.intervention].sentence,
                "needs_truth": INTERVENTIONS[effect.intervention].needs_truth,
                "cause": effect.cause,
                "recovered": _share(effect.recovered),
                "tokens": effect.tokens.value,
            }
            for effect in found.effects
        ],
        "fixes": [line.plain for line in fix_lines(found)],
    }


def comparison_document(comparison: RunComparison, settings: Sequence[str] = ()) -> dict[str, Any]:
    """What changed from the first run to the second; `settings`: what was asked otherwise."""
    overall = comparison.overall
    return {
        "headline": comparison_headline(comparison),
        "settings": list(settings),
        "notes": list(comparison_notes(comparison)),
        "a": _share(overall.a),
        "b": _share(overall.b),
        "difference": asdict(overall.difference),
        "gained": list(comparison.gained_samples),
        "lost": list(comparison.lost_samples),
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
        "groups_note": where_note(comparison.changes),
    }
