"""Curves of the mode `on-demand`: accuracy against the share of steps that were executed."""

from collections.abc import Iterable
from pathlib import Path

from worldline.core.errors import InputError
from worldline.evaluation.metrics import (
    ExecutionPoint,
    OnDemandResults,
    execution_points,
    measure_executed_samples,
)
from worldline.evaluation.runs import ExecutedSample, read_executed_samples
from worldline.interfaces.api.run import Run


def measure_on_demand(run: Run | str | Path) -> OnDemandResults:
    """Measure accuracy and executed steps of a run in the mode `on-demand`.

    Args:
        run: The run, or its location.

    Raises:
        InputError: The run has another mode, or no samples.
    """
    location = _location(run)
    results = measure_executed_samples(_read(location))
    if results is None:
        raise InputError(f"all samples of {location} are infrastructure errors; ask them again")
    return results


def execution_curve(
    runs: Iterable[Run | str | Path], *, baseline: str = "random"
) -> list[ExecutionPoint]:
    """Compare policies of the mode `on-demand` at equal cost.

    The cost is the share of the steps of the actual executions that were executed. The runs with
    the policies `none` and `all` are the ends of the baseline's curve.

    Args:
        runs: Runs of the same questions with different policies and thresholds.
        baseline: The policy that the others are compared with.

    Returns:
        One point for each run, by policy and cost, with the paired difference to the baseline where
        that executes as many steps.

    Raises:
        InputError: A run has another mode, or no samples.
    """
    locations = [_location(run) for run in runs]
    return execution_points({each: _read(each) for each in locations}, baseline=baseline)


def _location(run: Run | str | Path) -> str:
    return run.location if isinstance(run, Run) else str(run)


def _read(location: str) -> list[ExecutedSample]:
    samples = read_executed_samples(location)
    if not samples:
        raise InputError(
            f"{location} has no samples of the mode on-demand; create some with worldline bench "
            "--mode on-demand"
        )
    return samples
