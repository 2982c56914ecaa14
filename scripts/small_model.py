"""Print the tables and draw the figure of docs/findings/small-model.md.

    python scripts/small_model.py RUNS MODELS

RUNS and MODELS are folders with the runs and models that the page's commands create. The tables
are printed as Markdown, to be copied into the page; the figure is written next to it. This needs
matplotlib.
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from scripts.markdown_table import cell, points, table
from worldline.analysis.interventions import InterventionName
from worldline.analysis.stats import Share, mean_difference
from worldline.data.training import read_training_log
from worldline.evaluation.metrics import (
    GroupAccuracy,
    accuracy,
    accuracy_by_group,
    compare_runs,
    measure_interventions,
    measure_one_step_accuracy,
)
from worldline.evaluation.runs import (
    ScoredSample,
    read_interventions,
    read_scored_samples,
    read_scores,
)
from worldline.interfaces.api.run import Run
from worldline.interfaces.report.operation_text import ratio_text

PAGE = Path(__file__).parent.parent / "docs" / "findings"
MODES = ("free", "force-actions", "guided")
# Up to 32 reassignments, and 64 and 128.
PERMUTATIONS = ("permutation", "long")
# Runs whose failures had interventions.
INTERVENED = ("generated", "permutation-short", "composition")


def main() -> None:
    """Print the tables and draw the figure."""
    runs, models = map(Path, sys.argv[1:3])
    print(training_table(models))
    rows = {
        mode: [row for name in PERMUTATIONS for row in read_scored_samples(runs / f"{name}-{mode}")]
        for mode in (*MODES, "score")
    }
    steps = scores_by_length(rows["score"], [runs / f"{name}-score" for name in PERMUTATIONS])
    print(permutation_table(rows, steps))
    print(first_divergences(rows))
    draw_permutation(rows, steps)
    held_out = read_scored_samples(runs / "held-out")
    for facet in ("level", "kind", "steps"):
        print(held_out_table(held_out, facet))
    print(divergence_kinds(held_out))
    print(operations_tables(runs / "held-out"))
    for name in ("format", "programs"):
        print(
            paired_comparison_table(
                *(read_scored_samples(runs / f"{name}-{codec}") for codec in ("cwm", "delta"))
            )
        )
    print(
        paired_comparison_table(
            *(read_scored_samples(runs / f"strings-{name}") for name in ("bpe", "bytes"))
        )
    )
    print(interventions_tables_of_runs([runs / name for name in INTERVENED]))


def training_table(models: Path) -> str:
    """Training of each model, by name."""
    trainings = {folder.name: read_training_log(folder) for folder in models.iterdir()}
    lines = [
        [
            name,
            f"{done.parameters / 1e6:.2f} M",
            f"{done.tokens / 1e6:.2f} M",
            f"{done.seen:,}",
            f"{done.seconds / 60:.0f} ({done.threads})",
            f"{done.tokens / done.seconds:,.0f}",
            f"{done.evals[-1].held_out.action_accuracy or 0:.2%}",
            f"{done.evals[-1].held_out.state_accuracy or 0:.2%}",
        ]
        for name, done in sorted(trainings.items())
        if done is not None
    ]
    head = ["model", "parameters", "tokens", "programs", "minutes (threads)", "tokens/s"]
    return table([*head, "action tokens correct", "state tokens correct"], lines)


def by_length(rows: Iterable[ScoredSample]) -> dict[int, list[ScoredSample]]:
    """Group samples by the number of reassignments."""
    groups: dict[int, list[ScoredSample]] = defaultdict(list)
    for row in rows:
        groups[int(row.facets["length"])].append(row)
    return dict(sorted(groups.items()))


def scores_by_length(rows: Iterable[ScoredSample], runs: Iterable[Path]) -> dict[int, Any]:
    """One-step accuracy by the number of reassignments."""
    length = {row.sample: int(row.facets["length"]) for row in rows}
    groups: dict[int, list[Any]] = defaultdict(list)
    for run in runs:
        for sample, scores in read_scores(run):
            groups[length[sample]].append((sample, scores))
    return {n: measure_one_step_accuracy(group) for n, group in sorted(groups.items())}


def permutation_table(rows: dict[str, list[ScoredSample]], steps: Mapping[int, Any]) -> str:
    """Accuracy by length and mode, and one-step accuracy."""
    lines = []
    for length in by_length(rows["free"]):
        cells = [str(length)]
        cells += [cell(accuracy(by_length(rows[mode])[length]).of_all) for mode in MODES]
        cells += [cell(steps[length].actions, digits=1), cell(steps[length].states, digits=1)]
        lines.append(cells)
    return table(["N", *MODES, "score: actions", "score: states"], lines)


def first_divergences(rows: dict[str, list[ScoredSample]]) -> str:
    """First divergences and mean matched steps, by mode and length."""
    lines = []
    for mode in MODES:
        for length, group in by_length(rows[mode]).items():
            divergences = Counter(row.differs_in or row.outcome for row in group)
            actions = Counter(row.action_error for row in group if row.differs_in == "action")
            where = ", ".join(f"{number} {name}" for name, number in divergences.most_common())
            kinds = ", ".join(f"{number} {kind}" for kind, number in actions.most_common())
            matched_steps = sum(row.matched_steps or 0 for row in group) / len(group)
            lines.append([mode, str(length), where, kinds, f"{matched_steps:.1f}"])
    head = ["mode", "N", "outcome, or first divergence", "action errors"]
    return table([*head, "matched steps, mean"], lines)


def groups_by_facet(rows: Sequence[ScoredSample], facet: str) -> list[GroupAccuracy]:
    """Accuracy by a facet; `steps` is measured, the others come from the generator."""
    source = "difficulty" if facet == "steps" else "facets"
    return [g for g in accuracy_by_group(rows) if g.name == facet and g.source == source]


def held_out_table(rows: Sequence[ScoredSample], facet: str) -> str:
    """Accuracy on held-out programs by a facet: of all, and of those with an answer."""
    groups = groups_by_facet(rows, facet)
    lines = [[g.group, cell(g.accuracy.of_all), cell(g.accuracy.of_answered)] for g in groups]
    overall = accuracy(rows)
    lines.append(["all", cell(overall.of_all), cell(overall.of_answered)])
    return table([facet, "correct of all", "correct of those with an answer"], lines)


def divergence_kinds(rows: Sequence[ScoredSample]) -> str:
    """Kinds of the values in which samples first diverge, or other divergences."""
    kinds = Counter(
        "correct" if r.verdict == "correct" else r.kind or r.differs_in or r.outcome for r in rows
    )
    return table(["first divergence in", "samples"], [[k, str(n)] for k, n in kinds.most_common()])


def operations_tables(run: Path) -> str:
    """Accuracy by operation, and the odds ratios of the fitted model."""
    results = Run(run).operations()
    rates = [
        [rate.name, cell(rate.single, digits=1), cell(rate.shared, digits=1), str(rate.programs)]
        for rate in results.rates
        if rate.single.of >= 50
    ]
    head = ["operation", "correct, alone", "together with others", "programs"]
    if results.model is None:
        return f"{table(head, rates)}\n{results.note}\n"
    alone = {ratio.name: ratio_text(ratio) for ratio in results.model.alone}
    ratios = [
        [ratio.name, alone.get(ratio.name, "–"), ratio_text(ratio)]
        for ratio in results.model.adjusted
    ]
    titles = [
        f"compared with {results.model.reference}",
        "odds ratio",
        "at equal size and nesting",
    ]
    return "\n".join((table(head, rates), table(titles, ratios), *results.model.sentences()))


def paired_comparison_table(one: Sequence[ScoredSample], other: Sequence[ScoredSample]) -> str:
    """Two models on the same programs: accuracy, matched steps, truncated, completion tokens."""
    overall = compare_runs(one, other).overall
    first = {row.sample: row for row in one}
    pairs = [(first[row.sample], row) for row in other if row.sample in first]
    steps = mean_difference([(b.matched_steps or 0) - (a.matched_steps or 0) for a, b in pairs])
    ends = [f"{end or 0:+.1f}" for end in (steps.value, steps.low, steps.high)]
    columns = [
        [
            cell(share),
            f"{sum(row.matched_steps or 0 for row in rows) / len(rows):.1f}",
            str(sum(row.is_truncated for row in rows)),
            f"{sum(row.completion_tokens or 0 for row in rows) / len(rows):.0f}",
        ]
        for share, rows in ((overall.a, one), (overall.b, other))
    ]
    differences = [points(overall.difference), f"{ends[0]} ({ends[1]} to {ends[2]})", "", ""]
    names = ("correct", "matched steps", "truncated", "completion tokens")
    return table(
        ["", "first", "second", "difference"],
        [[name, *cells] for name, *cells in zip(names, *columns, differences, strict=True)],
    )


def interventions_tables_of_runs(runs: Sequence[Path]) -> str:
    """Interventions on the failures of several runs."""
    base = [row for run in runs for row in read_scored_samples(run)]
    tried: dict[InterventionName, list[ScoredSample]] = defaultdict(list)
    for run in runs:
        for name, rows in read_interventions(run).items():
            tried[name] += rows
    return interventions_tables(base, tried)


def interventions_tables(
    base: Sequence[ScoredSample], tried: Mapping[InterventionName, list[ScoredSample]]
) -> str:
    """Interventions on the failures among some samples."""
    measured = measure_interventions(base, tried)
    causes = [
        [
            cause,
            str(number),
            cell(measured.confirmed[cause]),
            _counts_by(measured.by, cause),
            cell(measured.refuted[cause]),
            _counts_by(measured.refuted_by, cause),
        ]
        for cause, number in measured.causes.items()
    ]
    causes.append(["all", str(measured.failures), "", "", "", ""])
    effects = [
        [
            effect.intervention,
            effect.cause or "all",
            cell(effect.recovered),
            f"{effect.farther.value or 0:+.1f}",
            f"{effect.tokens.value or 0:.2f}",
        ]
        for effect in measured.effects
        if effect.cause is None or effect.recovered.of >= 10
    ]
    contrasts = [
        [each.first, each.second, str(each.difference.of), points(each.difference)]
        for each in measured.contrasts
    ]
    fixes = [
        [
            fix.intervention,
            cell(fix.recovered),
            cell(fix.broken),
            f"{100 * fix.gain:+.1f} ({100 * fix.low:+.1f} to {100 * fix.high:+.1f})",
            f"{fix.tokens.value or 0:.2f}",
        ]
        for fix in measured.fixes
    ]
    return "\n".join(
        (
            table(["cause", "failures", "confirmed", "by", "refuted", "by"], causes),
            table(
                ["intervention", "cause", "turned correct", "more matched steps", "tokens, ratio"],
                effects,
            ),
            table(
                ["intervention", "compared with", "failures", "turns correct more often"], contrasts
            ),
            table(["fix", "recovers", "breaks", "gain in points", "tokens, ratio"], fixes),
        )
    )


def _counts_by(counts: Mapping[tuple[str, str], int], cause: str) -> str:
    return ", ".join(f"{n} {by}" for (of, by), n in counts.items() if of == cause) or "–"


def draw_permutation(rows: dict[str, list[ScoredSample]], steps: Mapping[int, Any]) -> None:
    """Plot accuracy and one-step accuracy against length."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.2))
    for number, (mode, style) in enumerate(zip(MODES, ("o-", "s-", "^--"), strict=True)):
        groups = by_length(rows[mode])
        shares = [accuracy(group).of_all for group in groups.values()]
        lengths = [length * 1.04 ** (number - 1) for length in groups]
        band(left, lengths, shares, style, mode)
    left.set(title="Accuracy", ylabel="correct of all, %", ylim=(-3, 103))
    lengths = list(map(float, steps))
    band(right, lengths, [accuracies.states for accuracies in steps.values()], "o-", "states")
    band(right, lengths, [accuracies.actions for accuracies in steps.values()], "s-", "actions")
    right.set(title="One-step accuracy (score mode)", ylabel="correct, %")
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
    """Draw points with 95% intervals."""
    share_of: Callable[[Share], float] = lambda share: 100 * (share.value or 0.0)  # noqa: E731
    middle = list(map(share_of, shares))
    low = [m - 100 * (share.low or 0.0) for m, share in zip(middle, shares, strict=True)]
    high = [100 * (share.high or 0.0) - m for m, share in zip(middle, shares, strict=True)]
    axes.errorbar(places, middle, yerr=[low, high], fmt=style, capsize=3, label=label)


if __name__ == "__main__":
    main()
