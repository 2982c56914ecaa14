"""Tables and pictures of docs/findings/small-model.md, from the runs that its commands make.

`python scripts/small_model.py RUNS MODELS`: RUNS and MODELS are folders with the runs and models
that the page names. Prints Markdown, to be put into the page, and writes the PNG files beside it.
Needs matplotlib.
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from worldline.intervene import InterventionName
from worldline.measures import (
    GroupAccuracy,
    accuracy,
    breakdown,
    compare_runs,
    measure_interventions,
    measure_scores,
)
from worldline.runs import Judged, read_interventions, read_judged, read_scores
from worldline.stats import Difference, Share, mean_difference
from worldline.training import read_training

PAGE = Path(__file__).parent.parent / "docs" / "findings"
MODES = ("free", "force-actions", "guided")
# Up to 32 reassignments, and 64 and 128.
PERMUTATIONS = ("permutation", "long")
# Of which failures were asked again.
INTERVENED = ("generated", "permutation-short", "composition")


def main() -> None:
    """Print the tables and draw the pictures."""
    runs, models = map(Path, sys.argv[1:3])
    print(training_table(models))
    rows = {
        mode: [row for name in PERMUTATIONS for row in read_judged(runs / f"{name}-{mode}")]
        for mode in (*MODES, "score")
    }
    steps = scores_by_length(rows["score"], [runs / f"{name}-score" for name in PERMUTATIONS])
    print(permutation_table(rows, steps))
    print(first_divergences(rows))
    draw_permutation(rows, steps)
    held_out = read_judged(runs / "held-out")
    for facet in ("level", "kind", "steps"):
        print(held_out_table(held_out, facet))
    print(differing_kinds(held_out))
    for name in ("format", "programs"):
        print(pairs_table(*(read_judged(runs / f"{name}-{codec}") for codec in ("cwm", "delta"))))
    print(pairs_table(*(read_judged(runs / f"strings-{name}") for name in ("bpe", "bytes"))))
    print(interventions_tables([runs / name for name in INTERVENED]))


def training_table(models: Path) -> str:
    """What each model was trained with, by name."""
    found = {folder.name: read_training(folder) for folder in models.iterdir()}
    lines = [
        [
            name,
            f"{done.parameters / 1e6:.2f} M",
            f"{done.tokens / 1e6:.2f} M",
            f"{done.seen:,}",
            f"{done.seconds / 60:.0f} ({done.threads})",
            f"{done.tokens / done.seconds:,.0f}",
            f"{done.looks[-1].held_out.actions_right or 0:.2%}",
            f"{done.looks[-1].held_out.states_right or 0:.2%}",
        ]
        for name, done in sorted(found.items())
        if done is not None
    ]
    head = ["model", "parameters", "tokens", "programs", "minutes (threads)", "tokens/s"]
    return table([*head, "action tokens right", "state tokens right"], lines)


def by_length(rows: Iterable[Judged]) -> dict[int, list[Judged]]:
    """Samples by the number of reassignments."""
    found: dict[int, list[Judged]] = defaultdict(list)
    for row in rows:
        found[int(row.facets["length"])].append(row)
    return dict(sorted(found.items()))


def scores_by_length(rows: Iterable[Judged], runs: Iterable[Path]) -> dict[int, Any]:
    """One-step accuracy by the number of reassignments."""
    length = {row.sample: int(row.facets["length"]) for row in rows}
    groups: dict[int, list[Any]] = defaultdict(list)
    for run in runs:
        for sample, scores in read_scores(run):
            groups[length[sample]].append((sample, scores))
    return {n: measure_scores(group) for n, group in sorted(groups.items())}


def permutation_table(rows: dict[str, list[Judged]], steps: Mapping[int, Any]) -> str:
    """Right answers by length and mode, and single steps."""
    lines = []
    for length in by_length(rows["free"]):
        cells = [str(length)]
        cells += [cell(accuracy(by_length(rows[mode])[length]).of_all) for mode in MODES]
        cells += [cell(steps[length].actions, digits=1), cell(steps[length].states, digits=1)]
        lines.append(cells)
    return table(["N", *MODES, "score: actions", "score: states"], lines)


def first_divergences(rows: dict[str, list[Judged]]) -> str:
    """Where samples first part from the truth, and after how many right steps, by mode."""
    lines = []
    for mode in MODES:
        for length, found in by_length(rows[mode]).items():
            places = Counter(row.differs_in or row.outcome for row in found)
            actions = Counter(row.action for row in found if row.differs_in == "action")
            told = ", ".join(f"{number} {place}" for place, number in places.most_common())
            kinds = ", ".join(f"{number} {kind}" for kind, number in actions.most_common())
            matched = sum(row.matched_steps or 0 for row in found) / len(found)
            lines.append([mode, str(length), told, kinds, f"{matched:.1f}"])
    head = ["mode", "N", "outcome, or where it first differs", "wrong actions"]
    return table([*head, "right steps, mean"], lines)


def in_groups(rows: Sequence[Judged], facet: str) -> list[GroupAccuracy]:
    """The samples by a facet; steps as they were measured, the others as the generator has them."""
    source = "difficulty" if facet == "steps" else "facets"
    return [g for g in breakdown(rows) if g.name == facet and g.source == source]


def held_out_table(rows: Sequence[Judged], facet: str) -> str:
    """Right answers on held-out programs, by a facet: of all, and of those that were answered."""
    groups = in_groups(rows, facet)
    lines = [[g.group, cell(g.accuracy.of_all), cell(g.accuracy.of_answered)] for g in groups]
    whole = accuracy(rows)
    lines.append(["all", cell(whole.of_all), cell(whole.of_answered)])
    return table([facet, "right of all", "right of those that answered"], lines)


def differing_kinds(rows: Sequence[Judged]) -> str:
    """The kind of the value in which samples first differ, or where else they do."""
    found = Counter(
        "right" if r.verdict == "right" else r.kind or r.differs_in or r.outcome for r in rows
    )
    return table(["first differs in", "samples"], [[k, str(n)] for k, n in found.most_common()])


def pairs_table(one: Sequence[Judged], other: Sequence[Judged]) -> str:
    """Two models on the same programs: right answers, right steps, cut ones, tokens written."""
    found = compare_runs(one, other).overall
    first = {row.sample: row for row in one}
    pairs = [(first[row.sample], row) for row in other if row.sample in first]
    steps = mean_difference([(b.matched_steps or 0) - (a.matched_steps or 0) for a, b in pairs])
    ends = [f"{end or 0:+.1f}" for end in (steps.value, steps.low, steps.high)]
    told = [
        [
            cell(share),
            f"{sum(row.matched_steps or 0 for row in rows) / len(rows):.1f}",
            str(sum(row.is_cut for row in rows)),
            f"{sum(row.written_tokens or 0 for row in rows) / len(rows):.0f}",
        ]
        for share, rows in ((found.a, one), (found.b, other))
    ]
    more = [points(found.difference), f"{ends[0]} ({ends[1]} to {ends[2]})", "", ""]
    names = ("right", "right steps", "cut", "tokens written")
    return table(
        ["", "first", "second", "difference"],
        [[name, *cells] for name, *cells in zip(names, *told, more, strict=True)],
    )


def interventions_tables(runs: Sequence[Path]) -> str:
    """What was tried on the failures of several runs, together."""
    base = [row for run in runs for row in read_judged(run)]
    tried: dict[InterventionName, list[Judged]] = defaultdict(list)
    for run in runs:
        for name, rows in read_interventions(run).items():
            tried[name] += rows
    found = measure_interventions(base, tried)
    causes = [
        [cause, str(number), cell(found.confirmed[cause]), _confirmed_by(found.by, cause)]
        for cause, number in found.causes.items()
    ]
    causes.append(["all", str(found.failures), "", ""])
    effects = [
        [
            effect.intervention,
            effect.cause or "all",
            cell(effect.recovered),
            f"{effect.farther.value or 0:+.1f}",
            f"{effect.tokens.value or 0:.2f}",
        ]
        for effect in found.effects
        if effect.cause is None or effect.recovered.of >= 10
    ]
    contrasts = [
        [each.first, each.second, str(each.difference.of), points(each.difference)]
        for each in found.contrasts
    ]
    fixes = [
        [
            fix.intervention,
            cell(fix.recovered),
            cell(fix.broken),
            f"{100 * fix.gain:+.1f} ({100 * fix.low:+.1f} to {100 * fix.high:+.1f})",
            f"{fix.tokens.value or 0:.2f}",
        ]
        for fix in found.fixes
    ]
    return "\n".join(
        (
            table(["cause", "failures", "confirmed", "by"], causes),
            table(["tried", "on", "turned right", "more right steps", "tokens, times"], effects),
            table(["against", "", "failures", "turns right more often"], contrasts),
            table(["fix", "recovers", "breaks", "gain in points", "tokens, times"], fixes),
        )
    )


def _confirmed_by(counts: Mapping[tuple[str, str], int], cause: str) -> str:
    return ", ".join(f"{n} {by}" for (of, by), n in counts.items() if of == cause) or "–"


def points(difference: Difference) -> str:
    """ "+3.0 points (+1.0 to +5.0), p = 0.003" """
    ends = (difference.value, difference.low, difference.high)
    value, low, high = (100 * (end or 0.0) for end in ends)
    return f"{value:+.1f} points ({low:+.1f} to {high:+.1f}), p = {difference.p:.2g}"


def cell(share: Share, *, digits: int = 0) -> str:
    """ "31/40 78% (62–88)" """
    if share.value is None or share.low is None or share.high is None:
        return "–"
    low, high = (f"{100 * end:.{digits}f}" for end in (share.low, share.high))
    return f"{share.right:,}/{share.of:,} {100 * share.value:.{digits}f}% ({low}–{high})"


def table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    rule = ["---", *["--:"] * (len(head) - 1)]
    rows = [head, rule, *lines]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows).replace("| --- |", "|---|") + "\n"


def draw_permutation(rows: dict[str, list[Judged]], steps: Mapping[int, Any]) -> None:
    """Right answers against length, a line a mode; single steps beside."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.2))
    for number, (mode, style) in enumerate(zip(MODES, ("o-", "s-", "^--"), strict=True)):
        groups = by_length(rows[mode])
        shares = [accuracy(found).of_all for found in groups.values()]
        lengths = [length * 1.04 ** (number - 1) for length in groups]
        band(left, lengths, shares, style, mode)
    left.set(title="Right answers", ylabel="right of all, %", ylim=(-3, 103))
    lengths = list(map(float, steps))
    band(right, lengths, [found.states for found in steps.values()], "o-", "states")
    band(right, lengths, [found.actions for found in steps.values()], "s-", "actions")
    right.set(title="Single steps, the truth before them given (score)", ylabel="right, %")
    for axes in (left, right):
        axes.set_xscale("log", base=2)
        axes.set_xticks(list(steps), [str(length) for length in steps])
        axes.set_xlabel("N, reassignments of five variables")
        axes.grid(alpha=0.3)
        axes.legend()
    figure.tight_layout()
    figure.savefig(PAGE / "small-model-permutation.png", dpi=110)


def band(
    axes: Any, places: Sequence[float], shares: Sequence[Share], style: str, label: str
) -> None:
    """Points with 95% intervals."""
    share_of: Callable[[Share], float] = lambda share: 100 * (share.value or 0.0)  # noqa: E731
    middle = list(map(share_of, shares))
    low = [m - 100 * (share.low or 0.0) for m, share in zip(middle, shares, strict=True)]
    high = [100 * (share.high or 0.0) - m for m, share in zip(middle, shares, strict=True)]
    axes.errorbar(places, middle, yerr=[low, high], fmt=style, capsize=3, label=label)


if __name__ == "__main__":
    main()
