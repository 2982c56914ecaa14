"""Comparison of two runs as text and as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from worldline.analysis.diagnosis import label
from worldline.analysis.stats import Ratio
from worldline.core.trace import printable
from worldline.core.util.text import pluralize
from worldline.evaluation.metrics.changes_by_group import GroupChange
from worldline.evaluation.metrics.run_comparison import (
    NumberComparison,
    PairedAccuracy,
    RunComparison,
)
from worldline.evaluation.runs.scored_sample import VERDICTS
from worldline.interfaces.report.accuracy_text import group_name, share_to_json
from worldline.interfaces.report.language_comparison_text import language_lines
from worldline.interfaces.report.number_format import (
    interval_text,
    natural_key,
    p_text,
    share_text,
    signed,
)

# Samples and groups that the text lists; JSON lists all.
_LISTED_SAMPLES = 8
_LISTED_GROUPS = 12
# An adjusted p below this is marked.
_SIGNIFICANT = 0.05


def comparison_story(comparison: RunComparison, *, all_groups: bool = False) -> RenderableType:
    """What changed between two runs: accuracy, verdicts, groups and lengths.

    Args:
        comparison: The comparison.
        all_groups: List every group, not only the 12 with the smallest p.
    """
    overall = comparison.overall
    parts: list[RenderableType] = [Text(comparison_headline(comparison), "bold")]
    if overall.samples:
        parts += [
            Text(f"A correct on {share_text(overall.a)}"),
            Text(f"B correct on {share_text(overall.b)}"),
        ]
        parts += pair_lines(comparison)
        parts += [Text(line) for line in language_lines(comparison)]
        parts += [Text("\nVerdicts: from A (rows) to B (columns)", "bold")]
        parts += [verdict_table(comparison)]
        parts += changed_sample_lines(comparison)
        parts += group_parts(comparison.changes, all_groups=all_groups)
    return Group(*parts, *length_lines(comparison))


def settings_lines(changed: Mapping[str, tuple[Any, Any]]) -> Iterator[str]:
    """Yield the settings that differ: "mode: free in A, guided in B"."""
    return (f"{name}: {a} in A, {b} in B" for name, (a, b) in changed.items())


def comparison_headline(comparison: RunComparison, *, names: tuple[str, str] | None = None) -> str:
    """What changed, in one sentence.

    B is correct on 23 more of 796 shared samples (+2.9 points, 95% interval +1.0 to +4.9; 41
    gained, 18 lost; McNemar's exact p = 0.004)

    Args:
        comparison: The comparison.
        names: The names of the runs, which define A and B: "forced (B) is correct on 23 more of 796
            shared samples than free (A)". By default, A and B are defined elsewhere.
    """
    overall = comparison.overall
    a, b = (f"{names[0]} (A)", f"{names[1]} (B)") if names else ("A", "B")
    if not overall.gained and not overall.lost:
        return _no_difference_text(comparison, a, b)
    shared, net = pluralize(overall.samples, "shared sample"), overall.gained - overall.lost
    if is_repeated(comparison):
        value = overall.difference.value or 0
        often = "more often" if value > 0 else "less often" if value < 0 else "as often"
        sentence = f"{b} is correct {often} on {shared}"
    elif net:
        sentence = f"{b} is correct on {abs(net):,} {'more' if net > 0 else 'fewer'} of {shared}"
    else:
        sentence = f"{b} is correct on as many of {shared}"
    if names:
        is_equal = not overall.difference.value if is_repeated(comparison) else not net
        sentence += f" {'as' if is_equal else 'than'} {a}"
    return f"{sentence} ({_evidence(overall, is_repeated(comparison))})"


def _no_difference_text(comparison: RunComparison, a: str, b: str) -> str:
    overall = comparison.overall
    if not overall.samples and comparison.left_out:
        failed = pluralize(comparison.left_out, "shared sample")
        return f"Nothing to compare: each of {failed} has an infrastructure error in a run"
    if not overall.samples:
        return f"Nothing to compare: the two runs share no sample{_unpaired_text(comparison)}"
    shared = pluralize(overall.samples, "shared sample")
    which = f"on the same {overall.both_correct:,} of {shared}"
    if is_repeated(comparison):
        which = f"equally often on each of {shared}"
    return (
        f"Nothing differs: {a} and {b} are correct {which} (95% interval of the difference "
        f"{interval_text(overall.difference, scale=100)} points)"
    )


def _unpaired_text(comparison: RunComparison) -> str:
    a, b = comparison.unpaired
    if a is None or b is None:
        return ""
    return (
        f". Samples are paired by their names, such as {printable(a)!r} in A and {printable(b)!r} "
        "in B; compare runs of one benchmark, or of cruxeval and cruxeval-x, which have the same "
        "names"
    )


def _evidence(accuracy: PairedAccuracy, is_repeated: bool) -> str:
    test = "sign-flip" if is_repeated else "McNemar's exact"
    return (
        f"{signed(100 * (accuracy.difference.value or 0))} points, 95% interval "
        f"{interval_text(accuracy.difference, scale=100)}; {accuracy.gained:,} gained, "
        f"{accuracy.lost:,} lost; {test} p {p_text(accuracy.difference.p)}"
    )


def is_repeated(comparison: RunComparison) -> bool:
    """Whether either run has several repeats of a sample."""
    return max(comparison.repeats_a, comparison.repeats_b) > 1


def pair_lines(comparison: RunComparison) -> Iterator[Text]:
    """Yield how many samples are correct in both runs, and the accuracy where both answered."""
    overall, answered = comparison.overall, comparison.answered
    repeated = is_repeated(comparison)
    if overall.bootstrap is not None:
        low, high = (signed(100 * end) for end in overall.bootstrap)
        yield Text(f"bootstrap over samples: {low} to {high} points", "dim")
    alike = f", {overall.alike:,} sometimes" if repeated else ""
    yield Text(
        f"in both runs: {overall.both_correct:,} {'always ' if repeated else ''}correct, "
        f"{overall.both_incorrect:,} {'never' if repeated else 'not'} correct{alike}"
    )
    if repeated:
        yield Text(
            f"asked up to {pluralize(comparison.repeats_a, 'time')} in A and "
            f"{comparison.repeats_b} in B; gained: correct more often; lost: less often; each "
            "sample counts once",
            "dim",
        )
    if answered.samples and answered.samples < overall.samples:
        yield Text(f"where both answered, {pluralize(answered.samples, 'sample')}:", "dim")
        yield Text(f"A correct on {share_text(answered.a)}")
        yield Text(f"B correct on {share_text(answered.b)}")
        yield Text(f"({_evidence(answered, repeated)})")


def changed_sample_lines(comparison: RunComparison) -> Iterator[Text]:
    """Yield the names of the first gained and lost samples."""
    changed = (("gained", comparison.gained_samples), ("lost", comparison.lost_samples))
    for word, samples in changed:
        if samples:
            ordered = sorted(samples, key=natural_key)
            names = ", ".join(map(printable, ordered[:_LISTED_SAMPLES]))
            rest = len(samples) - _LISTED_SAMPLES
            yield Text(f"{word}: {names}{f' and {rest:,} more' if rest > 0 else ''}")


def verdict_table(comparison: RunComparison) -> Table:
    """Table of samples by their verdict in A and in B."""
    verdicts = comparison.verdicts
    shown = [v for v in VERDICTS if any(v in change for change in verdicts)]
    table = Table()
    table.add_column("A ↓  B →")
    for verdict in (*shown, "all"):
        table.add_column(label(verdict), justify="right")
    for before in shown:
        row = [verdicts.get((before, after), 0.0) for after in shown]
        table.add_row(label(before), *map(_sample_count, row), _sample_count(sum(row)))
    table.add_section()
    columns = [sum(verdicts.get((before, v), 0.0) for before in shown) for v in shown]
    table.add_row("all", *map(_sample_count, columns), _sample_count(sum(columns)))
    return table


def _sample_count(number: float) -> str:
    """A number of samples, fractional with repeats: 2 -> "2", 0.5 -> "0.5", 0 -> "·" """
    if number < 0.05:
        return "·"
    return f"{number:,.0f}" if abs(number - round(number)) < 1e-6 else f"{number:,.1f}"


def group_parts(
    changes: Sequence[GroupChange], *, all_groups: bool = False
) -> Iterator[RenderableType]:
    """Yield the groups in which samples were gained or lost, smallest p first."""
    tested = [change for change in changes if change.adjusted_p is not None]
    if not tested:
        return
    ordered = sorted(tested, key=lambda change: (change.adjusted_p, -change.pairs))
    listed = ordered if all_groups else ordered[:_LISTED_GROUPS]
    title = f"Groups in which B gained or lost: {len(listed)} of {len(tested)}, smallest p first"
    yield Text(f"\n{title}", "bold")
    yield group_table(listed)
    yield Text(groups_note(changes), "dim")
    if len(listed) < len(tested):
        yield Text("--all-groups lists every group.", "dim")
    yield Text()


def groups_note(changes: Sequence[GroupChange]) -> str:
    """How to read the table of groups."""
    values = [change.adjusted_p for change in changes if change.adjusted_p is not None]
    significant = sum(p < _SIGNIFICANT for p in values)
    number = "none is" if not significant else "1 is" if significant == 1 else f"{significant} are"
    return (
        f"p is adjusted for {pluralize(len(values), 'group')} (Benjamini–Hochberg): "
        f"{number} below {_SIGNIFICANT}. Groups by outcome, by what differs, by kind of value and "
        "by cause count only samples with an answer that is not correct in at least one run, by "
        "the diagnosis of that answer. Samples with a correct answer after a wrong execution are "
        "not among them."
    )


def group_table(changes: Sequence[GroupChange]) -> Table:
    """Table of changes with one row per group."""
    # Without lines between columns it fits a terminal of 80 columns.
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("group", overflow="fold")
    for title in ("pairs", "gained", "lost", "points", "95% interval", "adj. p"):
        table.add_column(title, justify="right", no_wrap=True)
    for change in changes:
        is_significant = change.adjusted_p is not None and change.adjusted_p < _SIGNIFICANT
        table.add_row(*_change_cells(change), style="bold" if is_significant else "")
    return table


def _change_cells(change: GroupChange) -> Iterator[RenderableType]:
    group = label(change.group) if change.source == "diagnosis" else change.group
    name = "place of divergence" if change.name == "differs_in" else change.name
    yield Text(printable(f"{group_name(change.source, name)}: {group}"))
    yield str(change.pairs)
    yield str(change.gained or "·")
    yield str(change.lost or "·")
    yield signed(100 * (change.difference.value or 0))
    yield interval_text(change.difference, scale=100)
    yield "–" if change.adjusted_p is None else p_text(change.adjusted_p).removeprefix("= ")


def steps_line(steps: NumberComparison) -> str:
    """How many steps the predicted executions match before they diverge."""
    if not steps.samples:
        return "First divergence: no sample has steps in both runs"
    if not steps.more and not steps.less:
        return (
            f"First divergence: at the same step in all {steps.samples:,} samples with steps in "
            "both runs"
        )
    return (
        f"First divergence: of {pluralize(steps.samples, 'sample')} with steps in both runs, later "
        f"in B in {steps.more:,} and earlier in {steps.less:,}; {_median_text(steps, 'steps')}"
    )


def tokens_line(comparison: RunComparison) -> str:
    """How many tokens the two runs wrote."""
    tokens = comparison.tokens
    if not tokens.samples:
        return "Completion tokens: counted for no sample in both runs"
    averaged = ", the mean over repeats" if is_repeated(comparison) else ""
    totals = (
        f"Completion tokens{averaged}: {tokens.total_a:,.0f} in A and {tokens.total_b:,.0f} in B "
        f"for {pluralize(tokens.samples, 'sample')}"
    )
    if not tokens.more and not tokens.less:
        return f"{totals}, the same for each"
    return (
        f"{totals}{_ratio_text(tokens.ratio)}; more in {tokens.more:,}, fewer in {tokens.less:,}; "
        f"{_median_text(tokens, 'tokens')}"
    )


def _ratio_text(ratio: Ratio) -> str:
    if ratio.value is None:
        return ""
    text = f", × {ratio.value:.3f}"
    if ratio.low is None or ratio.high is None:
        return text
    return f"{text} (95% interval {ratio.low:.3f} to {ratio.high:.3f})"


def _median_text(numbers: NumberComparison, noun: str) -> str:
    change = numbers.change
    interval = ""
    if change.low is not None and change.high is not None:
        interval = f"95% interval {signed(change.low)} to {signed(change.high)}; "
    return (
        f"median change {signed(change.value or 0)} {noun} where it differs ({interval}sign test "
        f"p {p_text(change.p)})"
    )


def length_lines(comparison: RunComparison) -> Iterator[Text]:
    """Yield the comparison of steps and tokens, and the number of samples that are not compared."""
    if comparison.overall.samples:
        # The same problem has other steps in another language.
        if not comparison.is_across_languages:
            yield Text(steps_line(comparison.steps))
        yield Text(tokens_line(comparison))
    parts = [
        f"{number:,} {reason}"
        for number, reason in (
            (comparison.left_out, "shared but with an infrastructure error in either run"),
            (comparison.only_a, "only in A"),
            (comparison.only_b, "only in B"),
        )
        if number
    ]
    if parts:
        yield Text(f"Samples not compared: {', '.join(parts)}", "yellow")


def comparison_to_json(comparison: RunComparison) -> dict[str, Any]:
    """Return the comparison as plain JSON data."""
    return {
        **asdict(comparison),
        "headline": comparison_headline(comparison),
        "overall": _accuracy_to_json(comparison.overall),
        "answered": _accuracy_to_json(comparison.answered),
        "verdicts": [
            {"a": a, "b": b, "samples": number}
            for (a, b), number in sorted(comparison.verdicts.items())
        ],
        "changes": [asdict(change) for change in comparison.changes],
    }


def _accuracy_to_json(accuracy: PairedAccuracy) -> dict[str, Any]:
    return {
        **asdict(accuracy),
        "a": share_to_json(accuracy.a),
        "b": share_to_json(accuracy.b),
    }
