"""Tables of outcomes, divergences and causes, and one line per sample."""

from collections.abc import Iterable, Iterator

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from worldline.analysis.diagnosis import (
    Diagnosis,
    divergence_location,
    explain_divergence,
    label,
    value_difference,
)
from worldline.core.trace import printable
from worldline.core.util.text import pluralize, truncate_text
from worldline.interfaces.report.diagnosis_summary import KINDS, WHERES, Summary

_COLOURS = {
    "correct": "green",
    "diverged": "red",
    "truncated": "yellow",
    "answer_mismatch": "magenta",
    "reference_mismatch": "cyan",
    "infra_error": "bright_black",
}
# Most columns for a sample's name, and for its place of divergence (in a narrow terminal).
_NAME, _PLACE, _NARROW_PLACE = 40, 34, 22
# Fewest columns for the difference and the cause, and for each of two values.
_ROOM, _VALUE = 36, 6
# Columns from which on causes are sentences instead of labels.
_SENTENCES = 80


def summary_tables(summary: Summary) -> RenderableType:
    """Tables of outcomes, of divergences by place and kind of value, and of causes."""
    parts: list[RenderableType] = [
        Text(f"Outcomes of {pluralize(summary.total, 'prediction')}", "bold"),
        outcome_table(summary),
    ]
    diverged = sum(summary.where_by_kind.values())
    if diverged:
        title = f"First divergence of {diverged}: where × kind of the actual value"
        parts += [Text(title, "bold"), where_table(summary), _afterwards(summary)]
    if summary.causes:
        title = f"Causes of {sum(summary.causes.values())} (hypotheses)"
        parts += [Text(title, "bold"), cause_table(summary)]
    return Group(*parts)


def outcome_table(summary: Summary) -> Table:
    """Table of outcomes with counts and percentages, which exclude infrastructure errors."""
    asked = summary.total - summary.outcomes.get("infra_error", 0)
    table = Table()
    table.add_column("outcome")
    table.add_column("count", justify="right")
    table.add_column("%", justify="right")
    for outcome, number in summary.outcomes.items():
        share = "–" if outcome == "infra_error" else _percent(number, asked)
        table.add_row(Text(label(outcome), _COLOURS.get(outcome, "")), str(number), share)
    return table


def where_table(summary: Summary) -> Table:
    """Table of first divergences by place and kind of value."""
    kinds = [k for k in (*KINDS, "-") if any(kind == k for _, kind in summary.where_by_kind)]
    total = sum(summary.where_by_kind.values())
    # Without lines between columns it fits a terminal of 80 columns.
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("where", no_wrap=True)
    for title in (*kinds, "all", "%"):
        table.add_column(title, justify="right", no_wrap=True)
    for where in WHERES:
        row = [summary.where_by_kind.get((where, kind), 0) for kind in kinds]
        if sum(row):
            cells = [str(count) if count else "·" for count in row]
            table.add_row(label(where), *cells, str(sum(row)), _percent(sum(row), total))
    columns = [sum(n for (_, k), n in summary.where_by_kind.items() if k == kind) for kind in kinds]
    table.add_section()
    table.add_row("all", *map(str, columns), str(total), "100.0")
    return table


def cause_table(summary: Summary) -> Table:
    """Table of causes, which are hypotheses until an intervention confirms or refutes them."""
    total = sum(summary.causes.values())
    is_tested = bool(summary.confirmed or summary.refuted)
    table = Table()
    table.add_column("cause")
    for title in ("count", "%", *(("confirmed", "refuted") if is_tested else ())):
        table.add_column(title, justify="right")
    for cause, number in summary.causes.items():
        counts = [summary.confirmed.get(cause, 0), summary.refuted.get(cause, 0)]
        tested = [str(count) if count else "·" for count in counts] if is_tested else []
        table.add_row(label(cause), str(number), _percent(number, total), *tested)
    return table


def _afterwards(summary: Summary) -> Text:
    diverged = summary.outcomes.get("diverged", 0)
    return Text(
        f"Of the {diverged} that diverged, {summary.reconverged} re-converged with the actual "
        f"execution for at least two steps, and {summary.superficially_correct} returned the "
        f"correct value all the same. Of the {summary.truncated} that were truncated, "
        f"{summary.diverged_before_truncation} had already diverged.\n"
    )


def sample_lines(diagnoses: Iterable[Diagnosis], *, width: int) -> Iterator[Text]:
    """Yield one line per sample: name, place of divergence, difference and cause.

    If the width is too small, the cause is its label instead of its sentence, and both values are
    shortened around their difference. If it is still too small, a sample takes two lines.
    """
    rows = list(diagnoses)
    widest_place = _PLACE if width >= 100 else _NARROW_PLACE
    name_width = min(_NAME, max((len(printable(d.id)) for d in rows), default=0))
    place_width = min(widest_place, max((len(divergence_location(d)) for d in rows), default=0))
    is_one_line = name_width + place_width + 4 + _ROOM <= width
    if not is_one_line:
        place_width = _PLACE
    for d in rows:
        line = Text(no_wrap=True, overflow="ellipsis")
        line.append(truncate_text(d.id, name_width).ljust(name_width), "bold")
        line.append("  ")
        shown_place = truncate_text(divergence_location(d), place_width)
        line.append(shown_place, _COLOURS.get(d.facts.outcome, ""))
        indent = 4 if not is_one_line else name_width + place_width + 4
        text, cause = _difference_and_cause(d, width - indent)
        if text or cause:
            line.append("\n    " if not is_one_line else " " * (indent - len(line)))
            line.append(text)
            line.append(f"  {cause}" if text and cause else cause, "italic")
        yield line


def _difference_and_cause(diagnosis: Diagnosis, room: int) -> tuple[str, str]:
    """The difference and the cause, the most complete that fits the room."""
    text, sentence = (
        value_difference(diagnosis, width=max(24, room // 3)),
        explain_divergence(diagnosis),
    )
    if room >= _SENTENCES and len(text) + 2 + len(sentence) <= room:
        return text, sentence
    cause = _cause_label(diagnosis)
    room -= len(cause) + 2 if cause else 0
    if diagnosis.facts.divergence is None:
        return truncate_text(text, max(_VALUE, room)), cause
    text = value_difference(diagnosis, width=room)
    for words in (" instead of ", " not "):
        each = max(_VALUE, (room - len(words)) // 2)
        if len(text) > room and (each >= 2 * _VALUE or words == " not "):
            text = value_difference(diagnosis, width=each).replace(" instead of ", words, 1)
    return text, cause


def _cause_label(diagnosis: Diagnosis) -> str:
    """The label of the cause, unless it says the same as the outcome."""
    cause = diagnosis.cause
    if cause is None or cause.name == diagnosis.facts.outcome:
        return ""
    tested = " (confirmed)" if cause.confirmed_by else " (refuted)" if cause.refuted_by else ""
    return f"{label(cause.name)}{tested}"


def _percent(count: int, total: int) -> str:
    return f"{100 * count / total:.1f}" if total else "–"
