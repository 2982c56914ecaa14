"""Trust model: the probability that a predicted result is correct, from its signals."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from worldline.analysis.stats import LogisticFit, RiskThreshold, isotonic_value
from worldline.analysis.trust.signals import SIGNALS, describe_signal, scaled_signal
from worldline.core.errors import InputError

_MAX_REASONS = 3
# Smallest effect on the logit that is named as a reason.
_MIN_EFFECT = 0.1


@dataclass(frozen=True, slots=True)
class TrustCase:
    """A predicted result with its signals, and whether it is correct.

    Attributes:
        sample: The name of the question.
        program: The hash of the source without its call; results of one program are alike.
        answer: The predicted result.
        signals: What is known without executing the program.
        is_correct: Whether the result is correct; only for fitting and measuring.
    """

    sample: str
    program: str
    answer: str
    signals: Mapping[str, float]
    is_correct: bool


@dataclass(frozen=True, slots=True)
class Trust:
    """How far a predicted result can be trusted.

    Attributes:
        probability: The probability that it is correct.
        threshold: The lowest trusted probability; None if no result can be trusted.
        is_trusted: Whether the result is above the threshold.
        reasons: The signals that lower the probability most, in words.
    """

    probability: float
    threshold: float | None
    is_trusted: bool
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TrustModel:
    """A fitted trust model.

    Attributes:
        signals: The names of the signals, in the order of the coefficients.
        means: The mean of each signal, on its scale.
        scales: The standard deviation of each signal.
        fit: The coefficients of the standardized signals.
        calibration: Steps of an isotonic regression that replaces the logistic probability; empty
            without one.
        threshold: The threshold above which results are trusted, as a probability of the logistic
            regression.
        programs: Hashes of the programs that it was fitted or calibrated on.
        fitted_on: The run that it was fitted on: its benchmark, model, mode, codec and so on.
    """

    signals: tuple[str, ...]
    means: tuple[float, ...]
    scales: tuple[float, ...]
    fit: LogisticFit
    calibration: tuple[tuple[float, float], ...]
    threshold: RiskThreshold
    programs: frozenset[str]
    fitted_on: Mapping[str, str]

    def __repr__(self) -> str:
        return f"TrustModel({len(self.signals)} signals, {len(self.programs)} programs)"

    def score(self, signals: Mapping[str, float]) -> float:
        """The probability by the logistic regression, before the calibration.

        Raises:
            InputError: A signal is missing that the model was fitted with.
        """
        return 1 / (1 + math.exp(-self.fit.intercept - sum(self._effects(signals).values())))

    def probability(self, signals: Mapping[str, float]) -> float:
        """The probability that a result with these signals is correct."""
        score = self.score(signals)
        return isotonic_value(self.calibration, score) if self.calibration else score

    def assess(self, signals: Mapping[str, float]) -> Trust:
        """The probability that a result is correct, the threshold, and what lowers it.

        Raises:
            InputError: A signal is missing that the model was fitted with.
        """
        effects = sorted(self._effects(signals).items(), key=lambda item: item[1])
        reasons = [
            describe_signal(name, signals[name])
            for name, effect in effects[:_MAX_REASONS]
            if effect <= -_MIN_EFFECT
        ]
        threshold = self.threshold.score
        is_trusted = threshold is not None and self.score(signals) >= threshold
        if threshold is not None and self.calibration:
            threshold = isotonic_value(self.calibration, threshold)
        return Trust(self.probability(signals), threshold, is_trusted, tuple(reasons))

    def _effects(self, signals: Mapping[str, float]) -> dict[str, float]:
        """The effect of each signal on the logit, relative to the mean."""
        missing = [name for name in self.signals if name not in signals]
        if missing:
            groups = sorted({SIGNALS[name].group for name in missing})
            raise InputError(
                f"the trust model needs signals of {' and '.join(groups)}, which this prediction "
                "does not have; fit a model on predictions of the same mode, codec and repeats"
            )
        columns = zip(self.signals, self.means, self.scales, self.fit.coefficients, strict=True)
        return {
            name: coefficient * (scaled_signal(name, signals[name]) - mean) / scale
            for name, mean, scale, coefficient in columns
        }


def available_signals(cases: Sequence[TrustCase]) -> tuple[str, ...]:
    """The signals that all cases have, in the order of the table."""
    return tuple(name for name in SIGNALS if all(name in case.signals for case in cases))
