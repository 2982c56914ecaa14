"""Accuracy by operation as tables, lines and JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from worldline.analysis.stats import OddsRatio, Share
from worldline.core.trace import printable
from worldline.core.util.text import pluralize
from worldline.evaluation.metrics import OperationModel, OperationRate, OperationResults
from worldline.interfaces.report.accuracy_text import share_to_json

# Rows of a table in the terminal; JSON has all of them.
_MAX_ROWS = 40


def operation_report(
    results: OperationResults, *, operation: str | None = None
) -> Iterator[RenderableType]:
    """Yield the lines and tables of the accuracy by operation.

    Args:
        results: The measured operations.
        operation: The only operation that was counted, if it was one.
    """
    what = f"steps with {operation}" if operation else "steps"
    yield Text(f"Operations in the correct part of {_count(results.predictions)}", "bold")
    yield Text(printable(f"{what} correct  {share_of_steps(results.steps)}"))
    wrong = results.steps.of - results.steps.correct
    yield Text(
        f"{pluralize(wrong, 'wrong step')} of {pluralize(results.diverged, 'prediction')} that "
        f"diverged, in {pluralize(results.programs, 'program')}; 95% intervals, clustered by "
        "program"
    )
    if not results.rates:
        return
    yield _rate_table(results.rates)
    hidden = len(results.rates) - _MAX_ROWS
    if hidden > 0:
        yield Text(f"{pluralize(hidden, 'rarer operation')} not shown; see --format json", "dim")
    for by, groups in groupby(results.groups, key=lambda group: group.by):
        rows = [(group.group, group.share) for group in groups]
        if by == "arguments" and operation is None:
            continue
        if len(rows) > 1:
            yield _group_table(_group_title(by, results.unit), rows)
    yield from model_lines(results.model, results.note)


def _count(number: int) -> str:
    return pluralize(number, "prediction")


def share_of_steps(share: Share) -> str:
    """The share of correct steps as a table cell: "83% (71–91) of 412"."""
    if share.value is None or share.low is None or share.high is None:
        return "·"
    digits = 0 if share.low < 0.95 else 1
    numbers = [f"{100 * number:.{digits}f}" for number in (share.value, share.low, share.high)]
    return f"{numbers[0]}% ({numbers[1]}–{numbers[2]}) of {share.of:,}"


def _rate_table(rates: Sequence[OperationRate]) -> Table:
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("operation", overflow="fold")
    table.add_column("correct, if it decides the step alone", justify="right", no_wrap=True)
    table.add_column("together with others", justify="right", no_wrap=True)
    table.add_column("programs", justify="right", no_wrap=True)
    for rate in rates[:_MAX_ROWS]:
        table.add_row(
            Text(printable(rate.name)),
            share_of_steps(rate.single),
            share_of_steps(rate.shared),
            str(rate.programs),
        )
    return table


def _group_title(by: str, unit: str) -> str:
    """ "value size, in characters" """
    return f"{by}, in {unit}" if by.endswith("size") else by


def _group_table(title: str, rows: Sequence[tuple[str, Share]]) -> Table:
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column(title, overflow="fold")
    table.add_column("correct", justify="right", no_wrap=True)
    for name, share in rows[:_MAX_ROWS]:
        table.add_row(Text(printable(name)), share_of_steps(share))
    return table


def model_lines(model: OperationModel | None, note: str) -> Iterator[RenderableType]:
    """Yield the odds ratios of the fitted model, and what they show; or why there is no model."""
    if model is None:
        yield Text(note, "yellow")
        return
    yield Text("Odds of a correct step (logistic regression, 95% intervals)", "bold")
    alone = {ratio.name: ratio for ratio in model.alone}
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column(f"compared with {printable(model.reference)}", overflow="fold")
    table.add_column("odds ratio", justify="right", no_wrap=True)
    table.add_column("at equal size and nesting", justify="right", no_wrap=True)
    for ratio in model.adjusted:
        before = alone.get(ratio.name)
        table.add_row(
            Text(printable(ratio.name)),
            "·" if before is None else ratio_text(before),
            ratio_text(ratio),
        )
    yield table
    yield Text(
        f"{pluralize(model.steps, 'step')}, {model.wrong:,} wrong, in "
        f"{pluralize(model.programs, 'program')}; cluster-robust intervals",
        "dim",
    )
    for sentence in model.sentences():
        yield Text(printable(f"- {sentence}"))


def ratio_text(ratio: OddsRatio) -> str:
    """ "0.41 (0.22–0.77)" """
    return f"{ratio.value:.2g} ({ratio.low:.2g}–{ratio.high:.2g})"


def operations_to_json(results: OperationResults) -> dict[str, Any]:
    """Return the accuracy by operation as plain JSON data."""
    model = results.model
    return {
        "unit": results.unit,
        "predictions": results.predictions,
        "programs": results.programs,
        "diverged": results.diverged,
        "steps": share_to_json(results.steps),
        "operations": [
            {
                "name": rate.name,
                "single": share_to_json(rate.single),
                "shared": share_to_json(rate.shared),
                "programs": rate.programs,
            }
            for rate in results.rates
        ],
        "groups": [
            {"by": group.by, "group": group.group, **share_to_json(group.share)}
            for group in results.groups
        ],
        "model": None if model is None else {**asdict(model), "sentences": model.sentences()},
        "note": results.note,
    }
