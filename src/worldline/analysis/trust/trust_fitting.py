"""Fit, calibrate and cross-validate trust models, on disjoint parts of the programs."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Literal

from worldline.analysis.stats import (
    LogisticFit,
    RiskThreshold,
    fit_isotonic,
    fit_ridge_logistic,
    fit_risk_threshold,
)
from worldline.analysis.trust.signals import SIGNALS, SignalGroup, scaled_signal
from worldline.analysis.trust.trust_model import TrustCase, TrustModel, available_signals
from worldline.core.errors import InputError

Calibration = Literal["logistic", "isotonic"]
GROUPS: tuple[SignalGroup, ...] = ("static", "agreement", "flow", "values", "likelihood")
# Of standardized signals. In trials with 5 and 20, AUROC with all signals differed by up to 0.013.
_PENALTY = 10.0
_MIN_OUTCOMES = 5
_NO_THRESHOLD = RiskThreshold(0.1, 0.9, None, 0, 0, 0)


def fit_trust_model(
    cases: Sequence[TrustCase],
    *,
    groups: Sequence[SignalGroup] = GROUPS,
    calibration: Calibration = "logistic",
    max_wrong: float = 0.1,
    confidence: float = 0.9,
    seed: int = 0,
    fitted_on: Mapping[str, str] | None = None,
) -> TrustModel:
    """Fit a trust model on one half of the programs, and calibrate it on the other half.

    Args:
        cases: Predicted results with their signals.
        groups: The groups of signals to use; those that some cases lack are left out.
        calibration: "logistic" for the probabilities of the logistic regression, "isotonic" to map
            them to the shares of correct results in the calibration half.
        max_wrong: The largest accepted share of wrong results among the trusted ones.
        confidence: The confidence that their share is at most `max_wrong`.
        seed: The seed by which programs are divided.
        fitted_on: What the cases are from, to be stored with the model.

    Raises:
        InputError: A half has too few correct or wrong results.
    """
    fitting = [case for case in cases if _fraction(case.program, seed) < 0.5]
    held_out = [case for case in cases if _fraction(case.program, seed) >= 0.5]
    model = _fit(fitting, _names(cases, groups))
    _check_outcomes(held_out)
    scores = {id(case): model.score(case.signals) for case in held_out}
    # Results of one program are not independent: only the first of each counts.
    single = list({case.program: case for case in reversed(held_out)}.values())
    threshold = fit_risk_threshold(
        [scores[id(case)] for case in single],
        [case.is_correct for case in single],
        max_wrong=max_wrong,
        confidence=confidence,
    )
    steps: tuple[tuple[float, float], ...] = ()
    if calibration == "isotonic":
        steps = fit_isotonic(
            [scores[id(case)] for case in held_out], [case.is_correct for case in held_out]
        )
    return TrustModel(
        signals=model.signals,
        means=model.means,
        scales=model.scales,
        fit=model.fit,
        calibration=steps,
        threshold=threshold,
        programs=frozenset(case.program for case in cases),
        fitted_on=dict(fitted_on or {}),
    )


def cross_validated_probabilities(
    cases: Sequence[TrustCase],
    *,
    groups: Sequence[SignalGroup] = GROUPS,
    tested: Sequence[TrustCase] | None = None,
    folds: int = 10,
    seed: int = 0,
) -> list[float]:
    """The probability of each case by a model that was fitted on other programs.

    Args:
        cases: The cases to fit on.
        groups: The groups of signals to use.
        tested: The cases to compute probabilities for; by default those that are fitted on.
        folds: The number of folds; each program is in one of them.
        seed: The seed by which programs are divided.

    Returns:
        The probabilities, in the order of the tested cases.

    Raises:
        InputError: There are too few correct or wrong results.
    """
    targets = cases if tested is None else tested
    names = _names([*cases, *targets], groups)
    fold_of = {
        case.program: int(folds * _fraction(case.program, seed)) for case in (*cases, *targets)
    }
    models = {
        fold: _fit([case for case in cases if fold_of[case.program] != fold], names)
        for fold in sorted({fold_of[case.program] for case in targets})
    }
    return [models[fold_of[case.program]].score(case.signals) for case in targets]


def _names(cases: Sequence[TrustCase], groups: Sequence[SignalGroup]) -> tuple[str, ...]:
    names = tuple(name for name in available_signals(cases) if SIGNALS[name].group in groups)
    if not names:
        raise InputError(f"no result has signals of {' or '.join(groups)}")
    return names


def _fraction(program: str, seed: int) -> float:
    """Pseudo-random number from 0 to 1 that depends only on the program and the seed."""
    digest = hashlib.sha256(f"{seed}:{program}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def _check_outcomes(cases: Sequence[TrustCase]) -> None:
    correct = sum(case.is_correct for case in cases)
    if min(correct, len(cases) - correct) < _MIN_OUTCOMES:
        raise InputError(
            f"too few results for a trust model: {correct} correct and {len(cases) - correct} "
            f"wrong in a part of the programs, of at least {_MIN_OUTCOMES} each"
        )


def _fit(cases: Sequence[TrustCase], names: tuple[str, ...]) -> TrustModel:
    """A model without calibration and threshold."""
    _check_outcomes(cases)
    columns = [[scaled_signal(name, case.signals[name]) for case in cases] for name in names]
    means = [sum(column) / len(column) for column in columns]
    scales = []
    for column, mean in zip(columns, means, strict=True):
        variance = sum((value - mean) ** 2 for value in column) / len(column)
        # A signal that never varies has no effect.
        scales.append(variance**0.5 if variance > 1e-12 else 1.0)
    standardized = [
        [(value - mean) / scale for value in column]
        for column, mean, scale in zip(columns, means, scales, strict=True)
    ]
    fit: LogisticFit = fit_ridge_logistic(
        list(zip(*standardized, strict=True)),
        [case.is_correct for case in cases],
        penalty=_PENALTY,
    )
    return TrustModel(names, tuple(means), tuple(scales), fit, (), _NO_THRESHOLD, frozenset(), {})
