"""JSON documents of a project page: its runs, trends over checkpoints, differences to a baseline.

viewer/src/api/project.ts declares the same keys as TypeScript types.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from importlib.metadata import version
from typing import Any

from worldline.analysis.diagnosis import OperationTallies
from worldline.analysis.stats import Difference, accuracy_difference
from worldline.evaluation.metrics import (
    Accuracy,
    accuracy,
    compare_operations,
    rank_runs,
)
from worldline.evaluation.metrics.pairing import answered_pairs, pair_runs
from worldline.evaluation.runs import Manifest, ScoredSample, parse_checkpoint
from worldline.interfaces.viewer.run_documents import FORMAT, accuracy_document, homepage


@dataclass(frozen=True)
class ListedRun:
    """A run of a project, with its verdicts.

    Attributes:
        id: Its path within the project.
        version: A value that changes when the run gets rows.
        manifest: The manifest.
        rows: The samples with nothing but their verdicts.
    """

    id: str
    version: object
    manifest: Manifest
    rows: Sequence[ScoredSample]

    @cached_property
    def accuracy(self) -> Accuracy:
        """The accuracy of the run."""
        return accuracy(self.rows)


def build_project_document(
    name: str,
    runs: Sequence[ListedRun],
    unreadable: Mapping[str, str] | None = None,
    *,
    baseline: str | None = None,
) -> dict[str, Any]:
    """Build the page of a project or of a leaderboard: `ProjectDocument` in the page's types.

    Args:
        name: The folder or address of the project.
        runs: Its runs.
        unreadable: Why folders that look like runs cannot be read, by path.
        baseline: Add the differences to this run.
    """
    return {
        "format": FORMAT,
        "worldline": version("worldline"),
        "homepage": homepage(),
        "name": name,
        "runs": [_run(run) for run in runs],
        "trends": _trends(runs),
        "unreadable": [{"run": run, "error": error} for run, error in (unreadable or {}).items()],
        "differences": None if baseline is None else build_differences(runs, baseline),
    }


def _run(run: ListedRun) -> dict[str, Any]:
    manifest, settings = run.manifest, run.manifest.settings
    checkpoint = parse_checkpoint(run.id, manifest)
    return {
        "id": run.id,
        "model": manifest.model,
        "benchmark": manifest.benchmark,
        "settings": f"{settings.mode} · {settings.codec}" if settings else "",
        "step": checkpoint.step if checkpoint else None,
        "evaluated_at": str(manifest.sessions[-1].get("at", "")) if manifest.sessions else "",
        "expected": manifest.questions * manifest.repeats,
        "accuracy": accuracy_document(run.accuracy),
    }


def _trends(runs: Sequence[ListedRun]) -> list[dict[str, Any]]:
    """The checkpoints of each model, on the same benchmark with the same settings."""
    series: dict[tuple[str, ...], list[tuple[int, ListedRun]]] = defaultdict(list)
    for run in runs:
        manifest, settings = run.manifest, run.manifest.settings
        checkpoint = parse_checkpoint(run.id, manifest)
        if checkpoint is not None:
            mode = (settings.mode, settings.codec) if settings else ("", "")
            series[checkpoint.series, manifest.benchmark, *mode].append((checkpoint.step, run))
    return [
        {"name": " · ".join(filter(None, key)), "points": _points(members)}
        for key, members in sorted(series.items())
        if len({step for step, _ in members}) > 1
    ]


def _points(members: Sequence[tuple[int, ListedRun]]) -> list[dict[str, Any]]:
    ordered = sorted(members, key=lambda member: (member[0], member[1].id))
    points = []
    for index, (step, run) in enumerate(ordered):
        change = None
        if index > 0:
            change = asdict(_answered_difference(ordered[index - 1][1], run))
        points.append(
            {
                "run": run.id,
                "step": step,
                "of_answered": asdict(run.accuracy.of_answered),
                "of_all": asdict(run.accuracy.of_all),
                "change": change,
            }
        )
    return points


def _answered_difference(before: ListedRun, after: ListedRun) -> Difference:
    pairs = answered_pairs(pair_runs(before.rows, after.rows).pairs)
    return accuracy_difference([pair.gain for pair in pairs])


def build_differences(runs: Sequence[ListedRun], baseline: str) -> dict[str, Any]:
    """Build the paired differences of all runs to a baseline: `Differences` in the page's types.

    Raises:
        InputError: There are fewer than two runs, or the baseline is not one of them.
    """
    board = rank_runs({run.id: run.rows for run in runs}, baseline=baseline)
    return {
        "baseline": board.baseline,
        "runs": [
            {"run": row.run, **asdict(row.difference)}
            for row in board.rows
            if row.difference is not None
        ],
    }


def build_operation_changes(a: OperationTallies, b: OperationTallies) -> list[dict[str, Any]]:
    """Build the changes of all operations: `OperationChange[]` in the page's types."""
    return [
        {
            "name": change.name,
            "a": {"correct": change.a[0], "of": change.a[1]},
            "b": {"correct": change.b[0], "of": change.b[1]},
            "difference": asdict(change.difference),
            "adjusted_p": change.adjusted_p,
        }
        for change in compare_operations(a, b)
    ]
