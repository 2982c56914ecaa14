"""Summaries and diagnoses go in; tables and lines for a terminal come out."""

from collections.abc import Iterable

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from worldline.diagnose import Diagnosis, count, difference, place, why
from worldline.report.summary import KINDS, WHERES, Summary
from worldline.trace import printable

_COLOURS = {
    "correct": "green",
    "diverged": "red",
    "truncated": "yellow",
    "answer_lost": "magenta",
    "reference_wrong": "cyan",
    "error": "bright_black",
}


def summary_tables(summary: Summary) -> RenderableType:
    """What happened, and where and in what kind of value predictions diverged."""
    parts: list[RenderableType] = [
        Text(f"Outcomes of {count(summary.total, 'prediction')}", "bold"),
        outcome_table(summary),
    ]
    diverged = sum(summary.where_by_kind.values())
    if diverged:
        title = f"First divergence of {diverged}: where × kind of the real value"
        parts += [Text(title, "bold"), where_table(summary), _afterwards(summary)]
    if summary.causes:
        title = f"Causes of {sum(summary.causes.values())} (hypotheses)"
        parts += [Text(title, "bold"), cause_table(summary)]
    return Group(*parts)


def outcome_table(summary: Summary) -> Table:
    """Outcomes with counts and percentages; infrastructure errors are left out of the latter."""
    asked = summary.total - summary.outcomes.get("error", 0)
    table = Table()
    table.add_column("outcome")
    table.add_column("count", justify="right")
    table.add_column("%", justify="right")
    for outcome, number in summary.outcomes.items():
        share = "–" if outcome == "error" else _percent(number, asked)
        table.add_row(Text(outcome, _COLOURS.get(outcome, "")), str(number), share)
    return table


def where_table(summary: Summary) -> Table:
    """Where × value kind of the first divergence."""
    kinds = [k for k in (*KINDS, "-") if any(kind == k for _, kind in summary.where_by_kind)]
    total = sum(summary.where_by_kind.values())
    table = Table()
    table.add_column("where")
    for kind in kinds:
        table.add_column(kind, justify="right")
    table.add_column("all", justify="right")
    table.add_column("%", justify="right")
    for where in WHERES:
        row = [summary.where_by_kind.get((where, kind), 0) for kind in kinds]
        if sum(row):
            cells = [str(count) if count else "·" for count in row]
            table.add_row(where, *cells, str(sum(row)), _percent(sum(row), total))
    columns = [sum(n for (_, k), n in summary.where_by_kind.items() if k == kind) for kind in kinds]
    table.add_section()
    table.add_row("all", *map(str, columns), str(total), "100.0")
    return table


def cause_table(summary: Summary) -> Table:
    """Causes by name: hypotheses, until an intervention confirms them."""
    total = sum(summary.causes.values())
    table = Table()
    table.add_column("cause")
    table.add_column("count", justify="right")
    table.add_column("%", justify="right")
    for cause, number in summary.causes.items():
        table.add_row(cause, str(number), _percent(number, total))
    return table


def _afterwards(summary: Summary) -> Text:
    diverged = summary.outcomes.get("diverged", 0)
    return Text(
        f"Of the {diverged} that diverged, {summary.found_back} found back to the real execution "
        f"for at least two steps, and {summary.right_for_wrong_reasons} returned the right value "
        f"all the same. Of the {summary.cut} that were cut, {summary.diverged_before_cut} had "
        "already diverged.\n"
    )


def sample_lines(diagnoses: Iterable[Diagnosis], *, width: int) -> Iterable[Text]:
    """One line a sample: where, what instead of what, and why."""
    rows = list(diagnoses)
    longest = max((len(d.id) for d in rows), default=0)
    longest_place = min(34, max((len(place(d)) for d in rows), default=0))
    for d in rows:
        room = max(24, (width - longest - longest_place - 20) // 4)
        line = Text(no_wrap=True, overflow="ellipsis")
        line.append(printable(d.id).ljust(longest), "bold")
        line.append("  ")
        line.append(place(d).ljust(longest_place), _COLOURS.get(d.facts.outcome, ""))
        line.append("  ")
        line.append(difference(d, width=room))
        if d.cause is not None:
            line.append("  " + why(d), "italic")
        yield line


def _percent(count: int, total: int) -> str:
    return f"{100 * count / total:.1f}" if total else "–"
