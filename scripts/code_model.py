"""Print the tables of docs/findings/qwen2.5-coder-1.5b.md.

    python -m scripts.code_model RUNS

RUNS is the folder with the runs that the page's commands create, each named by its mode or, for the
comparison of notations, by its codec. The tables are printed as Markdown, to be copied into the
page. Runs that are missing are left out.
"""

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from scripts.small_model import cell, interventions_tables, points, table
from worldline.analysis.stats import Share, clustered_share
from worldline.evaluation.metrics import accuracy, compare_runs
from worldline.evaluation.runs import ScoredSample, is_run, read_scored_samples

MODES = ("chat", "free", "guided", "force-actions", "force-state")
NOTATIONS = ("chat-trace", "chat-trace-states", "chat-trace-json")
# Pairs of modes that are compared sample by sample.
COMPARED = (
    ("chat", "free"),
    ("free", "guided"),
    ("free", "force-actions"),
    ("guided", "force-actions"),
)


def main() -> None:
    """Print the tables."""
    folder = Path(sys.argv[1])
    runs = {
        name: read_scored_samples(folder / name)
        for name in (*MODES, *NOTATIONS)
        if is_run(folder / name)
    }
    modes = {mode: runs[mode] for mode in MODES if mode in runs}
    print(mode_table(modes))
    print(comparison_table(modes))
    print(divergence_table(modes))
    print(cause_table(modes))
    print(mode_table({name: runs[name] for name in NOTATIONS if name in runs}))
    print(interventions_tables([folder / "free"]))


def mode_table(runs: dict[str, list[ScoredSample]]) -> str:
    """Answers, steps, superficial executions and tokens by mode."""
    lines = []
    for name, samples in runs.items():
        overall = accuracy(samples)
        traced = [s for s in samples if s.matched_steps is not None and s.actual_steps]
        superficial = sum(is_superficial(sample) for sample in samples)
        lines.append(
            [
                name,
                cell(overall.of_all),
                cell(overall.of_answered),
                str(sum(sample.outcome == "correct" for sample in samples)) if traced else "–",
                str(superficial) if traced else "–",
                cell(matched_share(traced)) if traced else "–",
                str(sum(sample.is_truncated for sample in samples)),
                f"{sum(sample.completion_tokens or 0 for sample in samples) / len(samples):.0f}",
            ]
        )
    head = ["", "correct of all", "of those with an answer", "correct executions"]
    return table(
        [*head, "superficial executions", "steps before the divergence", "truncated", "tokens"],
        lines,
    )


def is_superficial(sample: ScoredSample) -> bool:
    """Whether an answer is correct although the execution before it is not."""
    return sample.verdict == "correct" and sample.outcome == "diverged" and sample.step is not None


def matched_share(samples: Sequence[ScoredSample]) -> Share:
    """The share of all steps that come before the first divergence."""
    return clustered_share(
        [sample.matched_steps or 0 for sample in samples],
        [sample.actual_steps or 0 for sample in samples],
    )


def comparison_table(runs: dict[str, list[ScoredSample]]) -> str:
    """Pairs of modes on the same samples."""
    lines = []
    for first, second in COMPARED:
        if first in runs and second in runs:
            overall = compare_runs(runs[first], runs[second]).overall
            lines.append([first, second, str(overall.a.of), points(overall.difference)])
    return table(["first", "second", "samples", "second is correct more often"], lines)


def divergence_table(runs: dict[str, list[ScoredSample]]) -> str:
    """Where the modes first diverge."""
    places = ("action", "state", "return", "exception", "end")
    lines = []
    for name, samples in runs.items():
        counts = Counter(sample.differs_in for sample in samples if sample.differs_in)
        lines.append([name, *(str(counts[place]) for place in places), str(counts.total())])
    return table(["", *places, "all"], lines)


def cause_table(runs: dict[str, list[ScoredSample]]) -> str:
    """Causes of the first divergences by mode."""
    counts = {name: Counter(s.cause for s in samples if s.cause) for name, samples in runs.items()}
    total: Counter[str] = sum(counts.values(), Counter())
    lines = [
        [cause, *(str(counts[name][cause]) for name in runs)] for cause, _ in total.most_common()
    ]
    return table(["cause", *runs], lines)


if __name__ == "__main__":
    main()
