"""Tables and pictures of docs/findings/small-model.md, from the runs that its commands make.

`python scripts/small_model.py RUNS MODELS`: RUNS has `permutation-free`, `-force-actions`,
`-guided` and `-score`, and `held-out-bpe` and `held-out-bytes`; MODELS has `model-bpe` and
`model-bytes`; both perhaps `bpe-same`, a model trained on as many programs as `bytes`. Prints
Markdown, to be put into the page, and writes the PNG files beside it. Needs matplotlib.
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from worldline.measures import accuracy, breakdown, compare_runs, measure_scores
from worldline.runs import Judged, read_judged, read_scores
from worldline.stats import Share
from worldline.training import read_training

PAGE = Path(__file__).parent.parent / "docs" / "findings"
MODES = ("free", "force-actions", "guided")
VOCABULARIES = {"bpe": "BPE", "bpe-same": "BPE, as many programs", "bytes": "bytes"}


def main() -> None:
    """Print the tables and draw the pictures."""
    runs, models = map(Path, sys.argv[1:3])
    print(training_table(models))
    rows = {mode: read_judged(runs / f"permutation-{mode}") for mode in (*MODES, "score")}
    print(permutation_table(rows, runs / "permutation-score"))
    print(first_divergences(rows))
    draw_permutation(rows, runs / "permutation-score")
    held_out = {name: read_judged(runs / f"held-out-{name}") for name in made(models)}
    for facet in ("level", "kind", "steps"):
        print(held_out_table(held_out, facet))
    print(differing_kinds(held_out))
    draw_held_out(held_out)
    for name in held_out.keys() - {"bytes"}:
        only = {n: [r for r in rs if r.facets["level"] == "strings"] for n, rs in held_out.items()}
        print(paired(only[name], only["bytes"], f"strings: {VOCABULARIES[name]} → bytes"))
        print(paired(held_out[name], held_out["bytes"], f"all: {VOCABULARIES[name]} → bytes"))


def made(models: Path) -> list[str]:
    """The vocabularies that there is a model of."""
    return [name for name in VOCABULARIES if (models / f"model-{name}").exists()]


def training_table(models: Path) -> str:
    """What each model was trained with."""
    lines = []
    for name in made(models):
        done = read_training(models / f"model-{name}")
        assert done is not None
        look = done.looks[-1].held_out
        cells = [
            VOCABULARIES[name],
            f"{done.parameters / 1e6:.2f} M",
            f"{done.tokens / 1e6:.2f} M",
            f"{done.seen:,}",
            f"{done.seconds / 60:.0f} ({done.threads})",
            f"{done.tokens / done.seconds:,.0f}",
            f"{look.actions_right or 0:.2%}",
            f"{look.states_right or 0:.2%}",
        ]
        lines.append(cells)
    head = ["vocabulary", "parameters", "tokens", "programs", "minutes (threads)", "tokens/s"]
    return table([*head, "action tokens right", "state tokens right"], lines)


def by_length(rows: Iterable[Judged]) -> dict[int, list[Judged]]:
    """Samples by the number of reassignments."""
    found: dict[int, list[Judged]] = defaultdict(list)
    for row in rows:
        found[int(row.facets["length"])].append(row)
    return dict(sorted(found.items()))


def scores_by_length(rows: Iterable[Judged], run: Path) -> dict[int, Any]:
    """One-step accuracy by the number of reassignments."""
    length = {row.sample: int(row.facets["length"]) for row in rows}
    groups: dict[int, list[Any]] = defaultdict(list)
    for sample, scores in read_scores(run):
        groups[length[sample]].append((sample, scores))
    return {n: measure_scores(group) for n, group in sorted(groups.items())}


def permutation_table(rows: dict[str, list[Judged]], scored: Path) -> str:
    """Right answers by length and mode, and single steps."""
    steps = scores_by_length(rows["score"], scored)
    lines = []
    for length in by_length(rows["free"]):
        cells = [str(length)]
        cells += [cell(accuracy(by_length(rows[mode])[length]).of_all) for mode in MODES]
        cells += [cell(steps[length].actions, digits=2), cell(steps[length].states, digits=2)]
        lines.append(cells)
    return table(["N", *MODES, "score: actions", "score: states"], lines)


def first_divergences(rows: dict[str, list[Judged]]) -> str:
    """Where samples first part from the truth, by mode."""
    lines = []
    for mode in MODES:
        for length, found in by_length(rows[mode]).items():
            places = Counter(row.differs_in or row.outcome for row in found)
            actions = Counter(row.action for row in found if row.differs_in == "action")
            told = ", ".join(f"{number} {place}" for place, number in places.most_common())
            kinds = ", ".join(f"{number} {kind}" for kind, number in actions.most_common())
            lines.append([mode, str(length), told, kinds])
    return table(["mode", "N", "outcome, or where it first differs", "wrong actions"], lines)


def held_out_table(runs: dict[str, list[Judged]], facet: str) -> str:
    """Right answers on held-out programs, by a facet, a column a model."""
    groups = {
        name: {g.group: g.accuracy.of_all for g in breakdown(rows) if g.name == facet}
        for name, rows in runs.items()
    }
    every = list(dict.fromkeys(group for found in groups.values() for group in found))
    lines = [
        [group, *(cell(found[group]) if group in found else "–" for found in groups.values())]
        for group in every
    ]
    lines.append(["all", *(cell(accuracy(rows).of_all) for rows in runs.values())])
    return table([facet, *(VOCABULARIES[name] for name in runs)], lines)


def differing_kinds(runs: dict[str, list[Judged]]) -> str:
    """The kind of the value in which samples first differ, or where else they do."""
    found = {
        name: Counter(
            "right" if r.verdict == "right" else r.kind or r.differs_in or r.outcome for r in rows
        )
        for name, rows in runs.items()
    }
    every = sorted({kind for counts in found.values() for kind in counts})
    lines = [[kind, *(str(counts[kind]) for counts in found.values())] for kind in every]
    return table(["first differs in", *(VOCABULARIES[name] for name in runs)], lines)


def paired(one: Sequence[Judged], other: Sequence[Judged], title: str) -> str:
    """Two models on the same programs."""
    found = compare_runs(one, other).overall
    difference = found.difference
    ends = (difference.value, difference.low, difference.high)
    value, low, high = (100 * (end or 0.0) for end in ends)
    return (
        f"{title}: {cell(found.a)} → {cell(found.b)}, {value:+.1f} points "
        f"({low:+.1f} to {high:+.1f}, p = {difference.p:.3g}), {found.gained} gained, "
        f"{found.lost} lost"
    )


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


def draw_permutation(rows: dict[str, list[Judged]], scored: Path) -> None:
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
    steps = scores_by_length(rows["score"], scored)
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


def draw_held_out(runs: dict[str, list[Judged]]) -> None:
    """Right answers by the number of steps, a line a model; by kind of value beside."""
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.2))
    styles = ("o-", "^--", "s-")
    kinds = [k for k, _ in Counter(str(r.facets["kind"]) for r in runs["bpe"]).most_common(6)]
    for number, (name, rows) in enumerate(runs.items()):
        groups = {g.group: g.accuracy.of_all for g in breakdown(rows) if g.name == "steps"}
        band(
            left,
            list(range(len(groups))),
            list(groups.values()),
            styles[number],
            VOCABULARIES[name],
        )
        left.set_xticks(range(len(groups)), list(groups))
        shares = [accuracy([r for r in rows if r.facets["kind"] == kind]).of_all for kind in kinds]
        band(
            right,
            [place + 0.15 * (number - 1) for place in range(len(kinds))],
            shares,
            styles[number][0],
            VOCABULARIES[name],
        )
    left.set(title="By steps of the program", ylabel="right of all, %", xlabel="steps")
    right.set(title="By kind of the result", xlabel="kind")
    right.set_xticks(range(len(kinds)), kinds)
    for axes in (left, right):
        axes.set_ylim(-3, 103)
        axes.grid(alpha=0.3)
        axes.legend()
    figure.tight_layout()
    figure.savefig(PAGE / "small-model-held-out.png", dpi=110)


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
