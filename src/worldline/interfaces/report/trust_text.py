"""Trust models and their quality as lines, tables and JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from worldline.analysis.stats import Estimate, RiskThreshold
from worldline.analysis.trust import SIGNALS, Trust, TrustCase, TrustModel
from worldline.core.util.text import pluralize, printable, truncate_text
from worldline.evaluation.metrics import TrustResults
from worldline.interfaces.report.accuracy_text import share_to_json
from worldline.interfaces.report.number_format import share_text

_METRICS = {
    "auroc": "AUROC",
    "aurc": "AURC",
    "excess_aurc": "excess AURC",
    "calibration_error": "calibration error",
    "brier": "Brier score",
}
# Coverages of the risk–coverage curve in the terminal; JSON has all points.
_COVERAGES = tuple(number / 10 for number in range(1, 11))


def trust_model_lines(model: TrustModel) -> Iterator[RenderableType]:
    """Yield the threshold of a model, and its signals by their effect."""
    yield Text(
        f"Trust model: {pluralize(len(model.signals), 'signal')}, "
        f"{pluralize(len(model.programs), 'program')}",
        "bold",
    )
    yield Text(threshold_text(model.threshold))
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("signal", overflow="fold")
    table.add_column("group", no_wrap=True)
    table.add_column("effect", justify="right", no_wrap=True)
    pairs = zip(model.signals, model.fit.coefficients, strict=True)
    for name, coefficient in sorted(pairs, key=lambda pair: -abs(pair[1])):
        table.add_row(SIGNALS[name].label, SIGNALS[name].group, f"{coefficient:+.2f}")
    yield table
    yield Text(
        "effect: change of the log-odds of a correct result by one standard deviation", "dim"
    )


def threshold_text(threshold: RiskThreshold) -> str:
    """The threshold in words.

    "trusted from probability 0.81 on: at most 10% wrong, with 90% confidence (2 of 61 ...)"
    """
    goal = f"at most {100 * threshold.max_wrong:.0f}% wrong"
    confidence = f"with {100 * threshold.confidence:.0f}% confidence"
    if threshold.score is None:
        return (
            f"nothing can be trusted: no threshold has {goal} {confidence}, on "
            f"{pluralize(threshold.of, 'program')} held out"
        )
    return (
        f"trusted from probability {threshold.score:.2f} on: {goal}, {confidence} "
        f"({threshold.wrong} of {threshold.trusted} wrong, of {threshold.of} programs held out)"
    )


def trust_report(results: TrustResults) -> Iterator[RenderableType]:
    """Yield the metrics, the risk–coverage curve and the effect of the threshold."""
    yield Text(f"Trust in {pluralize(results.correct.of, 'result')}", "bold")
    yield Text(f"correct  {share_text(results.correct)}")
    if results.without_answer:
        yield Text(f"{pluralize(results.without_answer, 'question')} without an answer left out")
    if results.excluded:
        yield Text(
            f"{pluralize(results.excluded, 'result')} left out: the model was fitted on the program"
        )
    if results.risk is None:
        yield Text("no metrics: they need correct and wrong results", "yellow")
        return
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("metric", no_wrap=True)
    table.add_column("value (95% interval, by program)", justify="right", no_wrap=True)
    for field, name in _METRICS.items():
        table.add_row(name, estimate_text(getattr(results.risk, field)))
    yield table
    yield Text(
        f"AURC of the optimal order {results.optimal_aurc:.3f}, of a random one "
        f"{results.random_aurc:.3f}",
        "dim",
    )
    curve = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    curve.add_column("trusted", justify="right", no_wrap=True)
    curve.add_column("wrong among them", justify="right", no_wrap=True)
    for coverage in _COVERAGES:
        part, wrong = next(point for point in results.curve if point[0] >= coverage - 1e-9)
        curve.add_row(f"{100 * part:.0f}%", f"{100 * wrong:.0f}%")
    yield curve
    if results.threshold is not None and results.trusted is not None:
        yield Text(threshold_text(results.threshold))
        yield Text(f"correct among the trusted  {share_text(results.trusted)}")


def estimate_text(estimate: Estimate) -> str:
    """ "0.803 (0.770 to 0.835)" """
    return f"{estimate.value:.3f} ({estimate.low:.3f} to {estimate.high:.3f})"


def trust_table(cases: Sequence[tuple[TrustCase, Trust]]) -> Table:
    """The probability of each result, the surest first, with what lowers it."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("sample", no_wrap=True)
    table.add_column("probability", justify="right", no_wrap=True)
    table.add_column("trusted", no_wrap=True)
    table.add_column("answer", overflow="fold")
    table.add_column("lowered by", overflow="fold")
    for case, trust in sorted(cases, key=lambda pair: -pair[1].probability):
        table.add_row(
            Text(printable(case.sample)),
            f"{trust.probability:.2f}",
            "yes" if trust.is_trusted else "no",
            Text(truncate_text(printable(case.answer), 30)),
            Text("; ".join(trust.reasons)),
        )
    return table


def trust_results_to_json(results: TrustResults) -> dict[str, Any]:
    """Return the quality of trust as plain JSON data."""
    return {
        "correct": share_to_json(results.correct),
        "without_answer": results.without_answer,
        "excluded": results.excluded,
        "metrics": None if results.risk is None else asdict(results.risk),
        "optimal_aurc": results.optimal_aurc,
        "random_aurc": results.random_aurc,
        "curve": [{"coverage": part, "wrong": wrong} for part, wrong in results.curve],
        "surest": [
            {"coverage": coverage, **share_to_json(each)} for coverage, each in results.surest
        ],
        "threshold": None if results.threshold is None else asdict(results.threshold),
        "trusted": None if results.trusted is None else share_to_json(results.trusted),
    }


def trust_to_json(case: TrustCase, trust: Trust) -> dict[str, Any]:
    """Return the trust in one result as plain JSON data."""
    return {"sample": case.sample, "answer": case.answer, **asdict(trust)}
