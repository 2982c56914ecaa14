"""Accuracy of a run as lines, tables and JSON."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from worldline.analysis.stats import Share
from worldline.core.trace import printable
from worldline.core.util.text import pluralize
from worldline.evaluation.metrics.grouped_accuracy import GroupAccuracy
from worldline.evaluation.metrics.pass_at_k import PassAtK
from worldline.evaluation.metrics.path_accuracy import PathAccuracy
from worldline.evaluation.metrics.run_accuracy import Accuracy
from worldline.interfaces.report.number_format import percent, share_cell, share_text


def accuracy_lines(accuracy: Accuracy) -> Iterator[Text]:
    """Yield the share of correct samples, of all and of those answered, and why others were not.

    correct of all       493 of 796: 61.9% (95% interval 58.5 to 65.2)
    """
    yield Text(f"correct of all       {share_text(accuracy.of_all)}", "bold")
    yield Text(f"correct of answered  {share_text(accuracy.of_answered)}")
    yield Text(
        f"not answered         {accuracy.truncated:,} truncated by the token limit, "
        f"{accuracy.no_answer:,} ended without an answer"
    )
    if accuracy.infra_error:
        yield Text(
            f"not counted          {pluralize(accuracy.infra_error, 'infrastructure error')}",
            "yellow",
        )
    if accuracy.asked > accuracy.samples:
        yield Text(
            f"{pluralize(accuracy.samples, 'sample')}, asked {accuracy.asked:,} times in all; "
            "the intervals allow for repeats of a sample being alike",
            "dim",
        )


def pass_line(rates: Sequence[PassAtK]) -> Text:
    """ "pass@1 34.2, pass@5 40.3, over 800 samples" """
    values = ", ".join(f"pass@{rate.k} {percent(rate.value)}" for rate in rates)
    fewest = min(rate.samples for rate in rates)
    largest = max(rate.samples for rate in rates)
    samples = (
        pluralize(largest, "sample") if fewest == largest else f"{fewest:,} to {largest:,} samples"
    )
    return Text(f"{values}, over {samples}")


def path_lines(result: PathAccuracy) -> Iterator[Text]:
    """Yield the share of functions with a correct answer on every path, and on the common one.

    every path correct   61 of 120: 50.8% (95% interval 42.0 to 59.6)
    """
    yield Text(f"every path correct   {share_text(result.understood)}")
    yield Text(f"common path correct  {share_text(result.common)}")
    left_out = f"; {result.left_out:,} with other paths are left out" if result.left_out else ""
    yield Text(
        f"{pluralize(result.functions, 'function')} with {result.paths:,} paths{left_out}", "dim"
    )


def breakdown_table(groups: Sequence[GroupAccuracy]) -> Table:
    """Table of accuracy with one row per group; a sample can be in several groups."""
    # Without lines between columns it fits a terminal of 80 columns.
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("group", overflow="fold")
    for title in ("correct\nof all, %", "correct\nof answered, %"):
        table.add_column(title, justify="right", no_wrap=True)
    for title in ("trun-\ncated", "no\nanswer", "infra\nerror"):
        table.add_column(title, justify="right", no_wrap=True)
    for (_, name), members in groupby(groups, key=lambda group: (group.source, group.name)):
        rows = list(members)
        if len(rows) == 1:
            # Every sample is in this group.
            continue
        table.add_row(Text(printable(group_name(rows[0].source, name)), "italic"))
        for row in rows:
            result = row.accuracy
            counts = result.truncated, result.no_answer, result.infra_error
            table.add_row(
                Text(f" {printable(row.group)}"),
                share_cell(result.of_all),
                share_cell(result.of_answered),
                *(str(number) if number else "·" for number in counts),
            )
    return table


def group_name(source: str, name: str) -> str:
    """The words for what samples are grouped by; a benchmark's own facets keep their names.

    "difficulty", "call_depth" -> "call depth"; "facets", "data_type" -> "data_type"
    """
    return name if source == "facets" else name.replace("_", " ")


def accuracy_to_json(accuracy: Accuracy, groups: Iterable[GroupAccuracy] = ()) -> dict[str, Any]:
    """Return counts and shares as plain JSON data, with those of each group."""
    return {
        **_to_json(accuracy),
        "groups": [
            {"source": g.source, "by": g.name, "group": g.group, **_to_json(g.accuracy)}
            for g in groups
        ],
    }


def _to_json(accuracy: Accuracy) -> dict[str, Any]:
    return {
        **asdict(accuracy),
        "of_answered": share_to_json(accuracy.of_answered),
        "of_all": share_to_json(accuracy.of_all),
    }


def share_to_json(share: Share) -> dict[str, Any]:
    """Return a share with its value, which is null if it is a share of nothing."""
    return {**asdict(share), "value": share.value}
