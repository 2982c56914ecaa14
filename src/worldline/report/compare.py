"""A comparison of two runs goes in; its story for a terminal and its JSON come out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from worldline.diagnose import count
from worldline.measures.changes import Change
from worldline.measures.compare import NumberComparison, PairedAccuracy, RunComparison
from worldline.report.accuracy import share_to_json
from worldline.report.numbers import interval_text, p_text, share_text, signed
from worldline.runs.judged import VERDICTS
from worldline.stats import Ratio
from worldline.trace import printable

# So many samples are named; JSON has all.
_NAMED = 8
# Below this an adjusted p is marked.
_CLEAR = 0.05


def comparison_story(comparison: RunComparison) -> RenderableType:
    """What changed, from which verdict to which, where, and what was left out."""
    found = comparison.overall
    parts: list[RenderableType] = [Text(comparison_headline(comparison), "bold")]
    if found.samples:
        parts += [
            Text(f"A right on {share_text(found.a)}"),
            Text(f"B right on {share_text(found.b)}"),
        ]
        parts += pair_lines(comparison)
        parts += [Text("\nVerdicts: from A, in rows, to B", "bold"), verdict_table(comparison)]
        parts += sample_lines_of(comparison)
        parts += where_parts(comparison.changes)
    return Group(*parts, *length_lines(comparison))


def comparison_notes(comparison: RunComparison) -> Iterator[str]:
    """What there is to say beside the shares, the verdicts and the groups: a line each."""
    lines = [*(pair_lines(comparison) if comparison.overall.samples else ())]
    return (line.plain for line in (*lines, *length_lines(comparison)))


def settings_lines(changed: Mapping[str, tuple[Any, Any]]) -> Iterator[str]:
    """What is not the same in the two runs: "mode: free in A, guided in B"."""
    return (f"{name}: {a} in A, {b} in B" for name, (a, b) in changed.items())


def comparison_headline(comparison: RunComparison) -> str:
    """What changed, in a sentence.

    B is right on 23 more of 796 shared samples (+2.9 points, 95% interval +1.0 to +4.9; 41 gained,
    18 lost; McNemar's exact p = 0.004)
    """
    found = comparison.overall
    if not found.gained and not found.lost:
        return _nothing_differs(comparison)
    shared, net = count(found.samples, "shared sample"), found.gained - found.lost
    if is_repeated(comparison):
        value = found.difference.value or 0
        often = "more often" if value > 0 else "less often" if value < 0 else "as often"
        said = f"B is right {often} on {shared}"
    elif net:
        said = f"B is right on {abs(net):,} {'more' if net > 0 else 'fewer'} of {shared}"
    else:
        said = f"B is right on as many of {shared}"
    return f"{said} ({_evidence(found, is_repeated(comparison))})"


def _nothing_differs(comparison: RunComparison) -> str:
    found = comparison.overall
    if not found.samples and comparison.left_out:
        failed = count(comparison.left_out, "shared sample")
        return f"Nothing to compare: each of {failed} failed in a run"
    if not found.samples:
        return "Nothing to compare: the two runs share no sample"
    shared = count(found.samples, "shared sample")
    said = f"on the same {found.both_right:,} of {shared}"
    if is_repeated(comparison):
        said = f"equally often on each of {shared}"
    return (
        f"Nothing differs: A and B are right {said} (95% interval of the difference "
        f"{interval_text(found.difference, scale=100)} points)"
    )


def _evidence(found: PairedAccuracy, is_repeated: bool) -> str:
    test = "sign-flip" if is_repeated else "McNemar's exact"
    return (
        f"{signed(100 * (found.difference.value or 0))} points, 95% interval "
        f"{interval_text(found.difference, scale=100)}; {found.gained:,} gained, {found.lost:,} "
        f"lost; {test} p {p_text(found.difference.p)}"
    )


def is_repeated(comparison: RunComparison) -> bool:
    """Either run asked some sample more than once."""
    return max(comparison.repeats_a, comparison.repeats_b) > 1


def pair_lines(comparison: RunComparison) -> Iterator[Text]:
    """On how many samples both runs are right or not, and how often on those that both answered."""
    found, answered = comparison.overall, comparison.answered
    repeated = is_repeated(comparison)
    if found.bootstrap is not None:
        low, high = (signed(100 * end) for end in found.bootstrap)
        yield Text(f"bootstrap over samples: {low} to {high} points", "dim")
    alike = f", {found.alike:,} now and then" if repeated else ""
    yield Text(
        f"in both: {found.both_right:,} right{' always' if repeated else ''}, "
        f"{found.both_wrong:,} not right{' ever' if repeated else ''}{alike}"
    )
    if repeated:
        yield Text(
            f"asked up to {count(comparison.repeats_a, 'time')} in A and {comparison.repeats_b} in "
            "B; gained is right more often, lost is less often, and each sample counts once",
            "dim",
        )
    if answered.samples and answered.samples < found.samples:
        yield Text(f"where both answered, {count(answered.samples, 'sample')}:", "dim")
        yield Text(f"A right on {share_text(answered.a)}")
        yield Text(f"B right on {share_text(answered.b)}")
        yield Text(f"({_evidence(answered, repeated)})")


def sample_lines_of(comparison: RunComparison) -> Iterator[Text]:
    """The names of samples that were gained and lost, the first of them."""
    changed = (("gained", comparison.gained_samples), ("lost", comparison.lost_samples))
    for word, samples in changed:
        if samples:
            names = ", ".join(map(printable, samples[:_NAMED]))
            more = f" and {len(samples) - _NAMED:,} more" if len(samples) > _NAMED else ""
            yield Text(f"{word}: {names}{more}")


def verdict_table(comparison: RunComparison) -> Table:
    """From which verdict to which, in samples."""
    verdicts = comparison.verdicts
    shown = [v for v in VERDICTS if any(v in change for change in verdicts)]
    table = Table()
    table.add_column("A ↓  B →")
    for verdict in (*shown, "all"):
        table.add_column(verdict, justify="right")
    for before in shown:
        row = [verdicts.get((before, after), 0.0) for after in shown]
        table.add_row(before, *map(_samples, row), _samples(sum(row)))
    table.add_section()
    columns = [sum(verdicts.get((before, v), 0.0) for before in shown) for v in shown]
    table.add_row("all", *map(_samples, columns), _samples(sum(columns)))
    return table


def _samples(number: float) -> str:
    """With repeats a sample can be split: 2 -> "2", 0.5 -> "0.5", 0 -> "·" """
    if number < 0.05:
        return "·"
    return f"{number:,.0f}" if abs(number - round(number)) < 1e-6 else f"{number:,.1f}"


def where_parts(changes: Sequence[Change]) -> Iterator[RenderableType]:
    """In which groups samples were gained and lost, where any were."""
    tried = [change for change in changes if change.adjusted_p is not None]
    if not tried:
        return
    yield Text(f"\nWhere B gained and lost, in {count(len(tried), 'group')}", "bold")
    yield where_table(changes)
    yield Text(f"{where_note(changes)}\n", "dim")


def where_note(changes: Sequence[Change]) -> str:
    """How the groups are to be read."""
    tried = [change.adjusted_p for change in changes if change.adjusted_p is not None]
    clear = sum(p < _CLEAR for p in tried)
    return (
        f"p is adjusted for {count(len(tried), 'group')} (Benjamini and Hochberg): "
        f"{'none is' if not clear else f'{clear} are' if clear > 1 else '1 is'} below {_CLEAR}. "
        "Outcome, differs_in, kind and cause are those of the side that is right less often."
    )


def where_table(changes: Sequence[Change]) -> Table:
    """A row a group, below the name of what it is by, for everything by which anything changed."""
    table = Table()
    table.add_column("by and group", no_wrap=True)
    for name in ("pairs", "gained", "lost", "points", "95% interval", "adj. p"):
        table.add_column(name, justify="right", no_wrap=True)
    for (_, name), group in groupby(changes, key=lambda change: (change.source, change.name)):
        some = list(group)
        if any(change.adjusted_p is not None for change in some):
            table.add_row(Text(printable(name), "italic"))
            for change in some:
                is_clear = change.adjusted_p is not None and change.adjusted_p < _CLEAR
                table.add_row(*_change_cells(change), style="bold" if is_clear else "")
            table.add_section()
    return table


def _change_cells(change: Change) -> Iterator[RenderableType]:
    yield Text(f" {printable(change.group)}")
    yield str(change.pairs)
    yield str(change.gained or "·")
    yield str(change.lost or "·")
    yield signed(100 * (change.difference.value or 0))
    yield interval_text(change.difference, scale=100)
    yield "–" if change.adjusted_p is None else p_text(change.adjusted_p).removeprefix("= ")


def steps_line(steps: NumberComparison) -> str:
    """How far the imagined executions go before they first leave the real one."""
    if not steps.samples:
        return "First divergence: no sample has steps in both runs"
    if not steps.more and not steps.less:
        return f"First divergence: as far in all {steps.samples:,} samples with steps in both runs"
    return (
        f"First divergence: of {count(steps.samples, 'sample')} with steps in both runs, B goes "
        f"further in {steps.more:,} and less far in {steps.less:,}; {_mean(steps, 'steps')}"
    )


def tokens_line(comparison: RunComparison) -> str:
    """What the two runs wrote."""
    tokens = comparison.tokens
    if not tokens.samples:
        return "Tokens written: counted for no sample in both runs"
    averaged = ", the mean over repeats" if is_repeated(comparison) else ""
    totals = (
        f"Tokens written{averaged}: {tokens.total_a:,.0f} in A and {tokens.total_b:,.0f} in B for "
        f"{count(tokens.samples, 'sample')}"
    )
    if not tokens.more and not tokens.less:
        return f"{totals}, the same for each"
    return (
        f"{totals}{_times(tokens.ratio)}; more in {tokens.more:,}, fewer in {tokens.less:,}; "
        f"{_mean(tokens, 'tokens')}"
    )


def _times(ratio: Ratio) -> str:
    if ratio.value is None:
        return ""
    times = f", × {ratio.value:.3f}"
    if ratio.low is None or ratio.high is None:
        return times
    return f"{times} (95% interval {ratio.low:.3f} to {ratio.high:.3f})"


def _mean(numbers: NumberComparison, noun: str) -> str:
    difference = numbers.difference
    return (
        f"{signed(difference.value or 0)} {noun} a sample (95% interval "
        f"{interval_text(difference)}; sign-flip p {p_text(difference.p)})"
    )


def length_lines(comparison: RunComparison) -> Iterator[Text]:
    """How far each run goes and what it writes, where they share samples; what is in no count."""
    if comparison.overall.samples:
        yield Text(steps_line(comparison.steps))
        yield Text(tokens_line(comparison))
    parts = [
        f"{number:,} {what}"
        for number, what in (
            (comparison.left_out, "shared but failed in the infrastructure in either run"),
            (comparison.only_a, "only in A"),
            (comparison.only_b, "only in B"),
        )
        if number
    ]
    if parts:
        yield Text(f"Left out, samples: {', '.join(parts)}", "yellow")


def comparison_to_json(comparison: RunComparison) -> dict[str, Any]:
    """All that was compared, as plain JSON data."""
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


def _accuracy_to_json(found: PairedAccuracy) -> dict[str, Any]:
    return {**asdict(found), "a": share_to_json(found.a), "b": share_to_json(found.b)}
