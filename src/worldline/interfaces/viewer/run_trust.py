"""Trust in the results of a run, by a trust model."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from worldline.analysis.stats import RiskThreshold
from worldline.analysis.trust import Trust, TrustModel
from worldline.core.errors import InputError
from worldline.evaluation.metrics import TrustResults, measure_trust_model
from worldline.evaluation.runs import read_trust_cases

# Of the risk–coverage curve.
_MAX_POINTS = 40


@dataclass(frozen=True, slots=True)
class RunTrust:
    """Trust in the results of a run.

    Attributes:
        by_question: The trust in the result of each question that has one.
        results: The quality of the trust, on the programs that the model was not fitted on; None
            if it was fitted on all.
        threshold: The threshold of the trust model, and what it promises.
    """

    by_question: Mapping[str, Trust]
    results: TrustResults | None
    threshold: RiskThreshold


def read_run_trust(location: str, model: TrustModel) -> RunTrust:
    """Assess the results of a run.

    Raises:
        InputError: The model needs signals that the run does not have, or the mode of the run
            shows the model parts of the actual execution.
    """
    read = read_trust_cases(location)
    trust = {case.sample: model.assess(case.signals) for case in read.cases}
    try:
        results = measure_trust_model(read.cases, model, without_answer=read.without_answer)
    except InputError:
        results = None
    return RunTrust(trust, results, model.threshold)


def build_trust_document(trust: RunTrust) -> dict[str, Any]:
    """Build the quality of the trust: `RunTrust` in viewer/src/api."""
    results = trust.results
    return {
        "results": len(trust.by_question),
        "trusted": sum(each.is_trusted for each in trust.by_question.values()),
        "threshold": next((each.threshold for each in trust.by_question.values()), None),
        "max_wrong": trust.threshold.max_wrong,
        "confidence": trust.threshold.confidence,
        "measured": None
        if results is None
        else {
            "correct": asdict(results.correct),
            "correct_trusted": None if results.trusted is None else asdict(results.trusted),
            "auroc": None if results.risk is None else asdict(results.risk.auroc),
            "curve": _thinned(results.curve),
            "excluded": results.excluded,
            "without_answer": results.without_answer,
        },
    }


def _thinned(curve: Sequence[tuple[float, float]]) -> list[list[float]]:
    """Points that are spread evenly over the curve, the last included."""
    count = min(_MAX_POINTS, len(curve))
    numbers = [len(curve) * (n + 1) // count - 1 for n in range(count)]
    return [list(curve[number]) for number in numbers]
