"""JSON document of the comparison of two runs: `Comparison` in viewer/src/api."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import PurePath
from typing import Any

from worldline.analysis.stats import Difference, MedianChange, Share
from worldline.core.util.text import pluralize, truncate_text
from worldline.evaluation.benchmarks import format_manifest_options
from worldline.evaluation.metrics import RunComparison, changed_settings, compare_runs
from worldline.evaluation.metrics.run_comparison import NumberComparison
from worldline.evaluation.runs import ScoredSample, read_manifest
from worldline.interfaces.report import (
    comparison_headline,
    groups_note,
    sample_text,
    settings_lines,
)
from worldline.interfaces.report.comparison_text import is_repeated
from worldline.interfaces.report.language_comparison_text import language_lines
from worldline.interfaces.report.number_format import interval_text, p_text, signed
from worldline.interfaces.viewer.diagnosed_run import DiagnosedRun
from worldline.interfaces.viewer.run_settings import changed_settings_lines, mode_note

# Characters of the name of a run.
_NAME_CHARS = 60


def build_comparison_document(a: DiagnosedRun, b: DiagnosedRun) -> dict[str, Any]:
    """Build the comparison of two runs: `Comparison` in viewer/src/api."""
    comparison = compare_runs(a.rows, b.rows)
    overall, note = comparison.overall, mode_note(a.settings, b.settings)
    # The note names the modes.
    settings = [line for line in _settings_lines(a, b) if not (note and line.startswith("mode: "))]
    return {
        "headline": comparison_headline(comparison, names=_names(a.location, b.location)),
        "settings": settings,
        "mode_note": note,
        "quantities": list(_quantities(comparison)) if overall.samples else [],
        "notes": list(_notes(comparison)),
        "a": asdict(overall.a),
        "b": asdict(overall.b),
        "difference": asdict(overall.difference),
        "gained": _changed_samples(comparison.gained_samples, a.rows, b.rows),
        "lost": _changed_samples(comparison.lost_samples, a.rows, b.rows),
        "verdicts": [{"a": a, "b": b, "count": n} for (a, b), n in comparison.verdicts.items()],
        "groups": [
            {
                "by": change.name,
                "is_of_failures": change.source == "diagnosis",
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


def _names(a: str, b: str) -> tuple[str, str]:
    """The last parts of the runs' locations; all of each if the last parts are the same."""
    names = (PurePath(a).name or a, PurePath(b).name or b)
    shown = (a, b) if names[0] == names[1] else names
    return truncate_text(shown[0], _NAME_CHARS), truncate_text(shown[1], _NAME_CHARS)


def _settings_lines(a: DiagnosedRun, b: DiagnosedRun) -> list[str]:
    """A line for each setting that differs; of imported predictions, those of their rows."""
    before, after = (format_manifest_options(read_manifest(run.location)) for run in (a, b))
    if before.settings is None or after.settings is None:
        return changed_settings_lines(a.settings, b.settings)
    return list(settings_lines(changed_settings(before, after)))


def _quantities(comparison: RunComparison) -> Iterator[dict[str, str]]:
    """Each quantity that is compared, with at most one interval."""
    overall, answered = comparison.overall, comparison.answered
    yield {
        "name": f"Correct, of {pluralize(overall.samples, 'shared sample')}",
        **_share_cells(overall.a, overall.b, overall.difference),
    }
    if answered.samples and answered.samples < overall.samples:
        yield {
            "name": f"Correct, of {pluralize(answered.samples, 'sample')} that both answered",
            **_share_cells(answered.a, answered.b, answered.difference),
        }
    steps, tokens = comparison.steps, comparison.tokens
    if steps.samples:
        yield {
            "name": f"Steps before the first divergence, {pluralize(steps.samples, 'sample')}",
            "a": "",
            "b": f"later in {steps.more:,}, earlier in {steps.less:,}",
            **median_cells(steps.change, "step"),
        }
    if tokens.samples:
        yield {
            "name": f"Completion tokens, {pluralize(tokens.samples, 'sample')}",
            "a": f"{tokens.total_a:,.0f}",
            "b": f"{tokens.total_b:,.0f}",
            **_ratio_cells(tokens),
        }


def _share_cells(a: Share, b: Share, difference: Difference) -> dict[str, str]:
    return {
        "a": _percent(a),
        "b": _percent(b),
        "change": f"{signed(100 * (difference.value or 0))} points",
        "interval": interval_text(difference, scale=100),
        "p": p_text(difference.p).removeprefix("= "),
    }


def _percent(share: Share) -> str:
    return "–" if share.value is None else f"{100 * share.value:.1f}%"


def median_cells(change: MedianChange, noun: str) -> dict[str, str]:
    """The median change; an interval of one value says nothing more, and is left out."""
    if change.value is None:
        return {"change": "the same in all", "interval": "", "p": ""}
    has_interval = change.low is not None and change.low != change.high
    return {
        "change": f"{signed(change.value)} {noun}s (median where it differs)",
        "interval": f"{signed(change.low or 0)} to {signed(change.high or 0)}"
        if has_interval
        else "",
        "p": p_text(change.p).removeprefix("= "),
    }


def _ratio_cells(tokens: NumberComparison) -> dict[str, str]:
    ratio = tokens.ratio
    if ratio.value is None or not (tokens.more or tokens.less):
        return {"change": "the same in all", "interval": "", "p": ""}
    has_interval = ratio.low is not None and ratio.low != ratio.high
    return {
        "change": f"× {ratio.value:.3f}",
        "interval": f"{ratio.low:.3f} to {ratio.high:.3f}" if has_interval else "",
        "p": p_text(tokens.change.p).removeprefix("= "),
    }


def _notes(comparison: RunComparison) -> Iterator[str]:
    """What there is to say in addition to the table, a sentence each."""
    yield from (line.strip() for line in language_lines(comparison))
    if is_repeated(comparison):
        yield (
            f"Asked up to {pluralize(comparison.repeats_a, 'time')} in A and "
            f"{comparison.repeats_b} in B; gained: correct more often; lost: less often; each "
            "sample counts once."
        )
    reasons = (
        (comparison.left_out, "shared but with an infrastructure error in either run"),
        (comparison.only_a, "only in A"),
        (comparison.only_b, "only in B"),
    )
    parts = [f"{number:,} {reason}" for number, reason in reasons if number]
    if parts:
        yield f"Samples not compared: {', '.join(parts)}."


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
