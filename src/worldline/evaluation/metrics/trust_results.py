"""Quality of trust: how well probabilities separate correct results from wrong ones."""

from collections.abc import Sequence
from dataclasses import dataclass

from worldline.analysis.stats import (
    RiskThreshold,
    SelectiveRisk,
    Share,
    measure_selective_risk,
    optimal_aurc,
    risk_coverage_curve,
    share,
)
from worldline.analysis.trust import TrustCase, TrustModel
from worldline.core.errors import InputError

# Shares of the surest results whose accuracy is reported.
_COVERAGES = (0.2, 0.5)


@dataclass(frozen=True, slots=True)
class TrustResults:
    """The quality of the probabilities of a run's results.

    Attributes:
        correct: The share of correct results, which is the accuracy if all are trusted.
        risk: AUROC, AURC, Brier score and calibration error, with intervals by program; None if
            not both correct and wrong results occur.
        optimal_aurc: The AURC if all correct results came first. In random order the AURC is the
            share of wrong results.
        curve: The risk–coverage curve: share of trusted results, and share of wrong ones of them.
        surest: The share of correct results among the surest fifth and half.
        threshold: The threshold of the trust model; None in a cross-validation.
        trusted: The share of correct results above the threshold; None without a threshold.
        excluded: The number of results of programs that the model was fitted on.
        without_answer: The number of questions without an answer.
    """

    correct: Share
    risk: SelectiveRisk | None
    optimal_aurc: float
    curve: tuple[tuple[float, float], ...]
    surest: tuple[tuple[float, Share], ...]
    threshold: RiskThreshold | None = None
    trusted: Share | None = None
    excluded: int = 0
    without_answer: int = 0

    @property
    def random_aurc(self) -> float:
        """The AURC in random order."""
        return 1 - self.correct.correct / self.correct.of


def measure_trust_model(
    cases: Sequence[TrustCase], model: TrustModel, *, without_answer: int = 0
) -> TrustResults:
    """Measure a trust model on the results of programs that it was not fitted on.

    Args:
        cases: The results of a run.
        model: The trust model.
        without_answer: The number of questions without an answer.

    Raises:
        InputError: The model was fitted on all of the programs, or needs signals that the results
            do not have.
    """
    others = [case for case in cases if case.program not in model.programs]
    if not others:
        raise InputError(
            "the trust model was fitted on all programs of the run; test it on a run of other "
            "programs, or cross-validate the run without --model"
        )
    return measure_trust_cases(
        others,
        [model.probability(case.signals) for case in others],
        threshold=model.threshold,
        is_trusted=[model.assess(case.signals).is_trusted for case in others],
        excluded=len(cases) - len(others),
        without_answer=without_answer,
    )


def measure_trust_cases(
    cases: Sequence[TrustCase],
    probabilities: Sequence[float],
    *,
    threshold: RiskThreshold | None = None,
    is_trusted: Sequence[bool] = (),
    excluded: int = 0,
    without_answer: int = 0,
) -> TrustResults:
    """Measure the probabilities of results; they must come from models fitted on other programs.

    Args:
        cases: The results, at least one.
        probabilities: The probability of each.
        threshold: The threshold of the trust model.
        is_trusted: Whether each result is above it.
        excluded: The number of results that were left out because the model was fitted on them.
        without_answer: The number of questions without an answer.
    """
    outcomes = [case.is_correct for case in cases]
    order = sorted(range(len(cases)), key=lambda number: -probabilities[number])
    surest = []
    for coverage in _COVERAGES:
        count = max(1, round(coverage * len(cases)))
        surest.append((coverage, share(sum(outcomes[n] for n in order[:count]), count)))
    trusted = [o for o, is_above in zip(outcomes, is_trusted, strict=False) if is_above]
    return TrustResults(
        correct=share(sum(outcomes), len(outcomes)),
        risk=measure_selective_risk(probabilities, outcomes, [case.program for case in cases]),
        optimal_aurc=optimal_aurc(sum(outcomes), len(outcomes)),
        curve=tuple(risk_coverage_curve(probabilities, outcomes)),
        surest=tuple(surest),
        threshold=threshold,
        trusted=None if threshold is None else share(sum(trusted), len(trusted)),
        excluded=excluded,
        without_answer=without_answer,
    )
