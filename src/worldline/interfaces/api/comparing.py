"""Check a new run against a base run, and rank several runs."""

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from worldline.core.errors import InputError
from worldline.evaluation.metrics import (
    GateResult,
    Leaderboard,
    check_conditions,
    parse_condition,
    rank_runs,
)
from worldline.evaluation.runs import read_manifest, read_scored_samples
from worldline.interfaces.api.run import Run, check_html_output
from worldline.interfaces.viewer import (
    ListedRun,
    build_project_document,
    operation_tallies,
    write_project_page,
)
from worldline.languages.program_recorder import ProgramRecorder


def check_gate(
    base: Run | str | Path,
    new: Run | str | Path,
    fail_if: Sequence[str],
    *,
    on_sample: Callable[[], None] | None = None,
) -> GateResult:
    """Check whether a new run is worse than a base run, as a step of a training pipeline.

    Args:
        base: The run that is compared with, or its location.
        new: The new run, or its location.
        fail_if: The conditions under which the gate fails, such as "accuracy<-2:significant".
        on_sample: Called after each sample that is diagnosed, which only conditions on operations
            need.

    Returns:
        For each condition the measured change, its interval and test; `has_passed` is False if one
        of the conditions is met or cannot be measured.

    Raises:
        InputError: A condition cannot be parsed, or one of the two is not a run.

    Examples:
        >>> check_gate("runs/base", "runs/new", ["accuracy is lower"])
        Traceback (most recent call last):
        ...
        worldline.core.errors.InputError: 'accuracy is lower' is not a condition; ...
    """
    conditions = [parse_condition(text) for text in fail_if]
    locations = [_location(run) for run in (base, new)]
    samples = [read_scored_samples(location) for location in locations]
    operations = None
    if any(condition.measure == "operation" for condition in conditions):
        # A recorder starts at its first use: if all traces are stored, nothing is executed.
        with closing(ProgramRecorder()) as recorder:
            first, second = (
                operation_tallies(location, recorder, on_sample=on_sample or (lambda: None))
                for location in locations
            )
            operations = first, second
    return check_conditions(conditions, samples[0], samples[1], operations=operations)


def leaderboard(
    runs: Sequence[Run | str | Path], *, baseline: Run | str | Path | None = None
) -> Leaderboard:
    """Rank runs by the share of correct answers, with paired differences to a baseline.

    Args:
        runs: Two or more runs, or their locations.
        baseline: One of them; by default the first.

    Returns:
        The runs, the most accurate first.

    Raises:
        InputError: There are fewer than two runs, one of them is not a run, or the baseline is not
            one of them.
    """
    locations = [_location(run) for run in runs]
    if len(set(locations)) < len(locations):
        raise InputError("a run is given twice; give each run once")
    chosen = None if baseline is None else _location(baseline)
    return rank_runs({name: read_scored_samples(name) for name in locations}, baseline=chosen)


def write_leaderboard(
    runs: Sequence[Run | str | Path],
    output: str | Path,
    *,
    baseline: Run | str | Path | None = None,
) -> Path:
    """Write the leaderboard of runs as one HTML file.

    Args:
        runs: Two or more runs, or their locations.
        output: The file to write. A file that is not a report is not replaced.
        baseline: One of the runs; by default the first.

    Returns:
        The file's path.

    Raises:
        InputError: As for `leaderboard`, or the file cannot be written.
    """
    path = Path(output)
    check_html_output(path)
    board = leaderboard(runs, baseline=baseline)
    listed = [
        ListedRun(name, None, read_manifest(name), read_scored_samples(name))
        for name in map(_location, runs)
    ]
    title = f"{len(listed)} runs"
    write_project_page(build_project_document(title, listed, baseline=board.baseline), path)
    return path


def _location(run: Run | str | Path) -> str:
    return run.location if isinstance(run, Run) else str(run)
