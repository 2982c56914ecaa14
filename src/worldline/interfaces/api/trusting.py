"""Fit, measure and apply trust models."""

from collections.abc import Sequence
from pathlib import Path

from worldline.analysis.trust import (
    GROUPS,
    Calibration,
    SignalGroup,
    TrustModel,
    cross_validated_probabilities,
    fit_trust_model,
)
from worldline.evaluation.metrics import (
    TrustResults,
    measure_trust_cases,
    measure_trust_model,
)
from worldline.evaluation.runs import load_trust_model, read_manifest, read_trust_cases
from worldline.interfaces.api.run import Run


def fit_trust(
    run: Run | str | Path,
    *,
    signals: Sequence[SignalGroup] = GROUPS,
    calibration: Calibration = "logistic",
    max_wrong: float = 0.1,
    confidence: float = 0.9,
    seed: int = 0,
) -> TrustModel:
    """Fit a model of the probability that a predicted result is correct.

    The model is fitted on one half of the programs. On the other half the threshold is calibrated:
    results with at least this probability are trusted. Store the model with `save_trust_model`.

    Args:
        run: A run of the mode `free` or `guided`.
        signals: The groups of signals to use: "static", "agreement", "flow", "values",
            "likelihood".
        calibration: "logistic", or "isotonic" for runs with several hundred programs.
        max_wrong: The largest accepted share of wrong results among the trusted ones.
        confidence: The confidence that their share is at most `max_wrong`.
        seed: The seed by which programs are divided.

    Raises:
        InputError: The run has too few correct or wrong results, or the mode shows the model parts
            of the actual execution.
    """
    location = _location(run)
    manifest = read_manifest(location)
    settings = manifest.settings
    return fit_trust_model(
        read_trust_cases(location).cases,
        groups=signals,
        calibration=calibration,
        max_wrong=max_wrong,
        confidence=confidence,
        seed=seed,
        fitted_on={
            "benchmark": manifest.benchmark,
            "model": manifest.model,
            "mode": settings.mode if settings else "",
            "codec": settings.codec if settings else "",
        },
    )


def measure_trust(
    run: Run | str | Path,
    model: TrustModel | str | Path | None = None,
    *,
    signals: Sequence[SignalGroup] = GROUPS,
) -> TrustResults:
    """Measure how well a trust model separates the correct results of a run from the wrong ones.

    Args:
        run: A run of the mode `free` or `guided`.
        model: A trust model, or its file. Results of programs that it was fitted on are left out.
            Without a model, the run is cross-validated: each result has its probability from a
            model that was fitted on other programs of the run.
        signals: The groups of signals to use in the cross-validation.

    Raises:
        InputError: The model was fitted on all programs of the run, needs signals that the run
            does not have, or there are too few results to cross-validate.
    """
    location = _location(run)
    run_cases = read_trust_cases(location)
    if model is None:
        probabilities = cross_validated_probabilities(run_cases.cases, groups=signals)
        return measure_trust_cases(
            run_cases.cases, probabilities, without_answer=run_cases.without_answer
        )
    fitted = model if isinstance(model, TrustModel) else load_trust_model(model)
    return measure_trust_model(run_cases.cases, fitted, without_answer=run_cases.without_answer)


def _location(run: Run | str | Path) -> str:
    return run.location if isinstance(run, Run) else str(run)
