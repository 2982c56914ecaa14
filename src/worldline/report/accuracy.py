"""The accuracy of a run goes in; lines, tables and JSON come out."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from worldline.diagnose import count
from worldline.measures.accuracy import Accuracy
from worldline.measures.breakdown import GroupAccuracy
from worldline.measures.passing import PassRate
from worldline.report.numbers import percent, share_cell, share_text
from worldline.stats import Share
from worldline.trace import printable


def accuracy_lines(accuracy: Accuracy) -> Iterator[Text]:
    """Right of all, right of those answered, and how many were not answered, and why.

    right of all       493 of 796: 61.9% (95% interval 58.5 to 65.2)
    """
    yield Text(f"right of all       {share_text(accuracy.of_all)}", "bold")
    yield Text(f"right of answered  {share_text(accuracy.of_answered)}")
    yield Text(
        f"not answered       {accuracy.cut:,} cut by the token budget, {accuracy.no_answer:,} "
        "ended without an answer"
    )
    if accuracy.failed:
        yield Text(
            f"outside of these   {accuracy.failed:,} that failed in the infrastructure", "yellow"
        )
    if accuracy.asked > accuracy.samples:
        yield Text(
            f"{count(accuracy.samples, 'sample')}, asked {accuracy.asked:,} times in all; repeats "
            "of one are alike, and the intervals are wider for it",
            "dim",
        )


def pass_line(rates: Sequence[PassRate]) -> Text:
    """ "pass@1 34.2, pass@5 40.3, over 800 samples" """
    said = ", ".join(f"pass@{rate.k} {percent(rate.value)}" for rate in rates)
    fewest = min(rate.samples for rate in rates)
    most = max(rate.samples for rate in rates)
    samples = count(most, "sample") if fewest == most else f"{fewest:,} to {most:,} samples"
    return Text(f"{said}, over {samples}")


def breakdown_table(groups: Sequence[GroupAccuracy]) -> Table:
    """Where a run is right, a row a group; a sample may be in several of them."""
    # Without lines between columns it fits a terminal of 80.
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("by and group", no_wrap=True)
    for name in ("right of all, %", "right of answered, %"):
        table.add_column(name, justify="right", no_wrap=True)
    for name in ("cut", "no answer", "failed"):
        table.add_column(name, justify="right")
    for (_, name), found_groups in groupby(groups, key=lambda group: (group.source, group.name)):
        some = list(found_groups)
        if len(some) == 1:
            # The same for all samples.
            continue
        table.add_row(Text(printable(name), "italic"))
        for group in some:
            found = group.accuracy
            numbers = found.cut, found.no_answer, found.failed
            table.add_row(
                Text(f" {printable(group.group)}"),
                share_cell(found.of_all),
                share_cell(found.of_answered),
                *(str(number) if number else "·" for number in numbers),
            )
    return table


def accuracy_to_json(accuracy: Accuracy, groups: Iterable[GroupAccuracy] = ()) -> dict[str, Any]:
    """The counts and shares as plain JSON data, with those of each group."""
    return {
        **_plain(accuracy),
        "groups": [
            {"source": g.source, "by": g.name, "group": g.group, **_plain(g.accuracy)}
            for g in groups
        ],
    }


def _plain(accuracy: Accuracy) -> dict[str, Any]:
    return {
        **asdict(accuracy),
        "of_answered": share_to_json(accuracy.of_answered),
        "of_all": share_to_json(accuracy.of_all),
    }


def share_to_json(share: Share) -> dict[str, Any]:
    """A share with its value; null where there is nothing."""
    return {**asdict(share), "value": share.value}
