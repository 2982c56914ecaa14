"""The actual and the predicted execution of a sample, side by side."""

from collections.abc import Mapping
from difflib import SequenceMatcher

from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from worldline.analysis.alignment import Alignment, Divergence, Gap
from worldline.analysis.diagnosis import (
    STEPS_AFTER,
    STEPS_BEFORE,
    Diagnosis,
    Sample,
    divergence_location,
    label,
)
from worldline.core.trace import Step, Trace, printable, states
from worldline.core.util.text import common_prefix_length, truncate_text
from worldline.interfaces.report.sample_facts_text import fact_texts, story_text
from worldline.interfaces.report.step_view import (
    States,
    first_wrong_local,
    is_same_step,
    step_pairs,
    step_result_text,
)
from worldline.interfaces.report.trace_listing import highlight
from worldline.models.codecs import Decoded

LEGEND = (
    "→ call  ← return  ! exception   ✗ diverges here  = same again  ≠ different  "
    "- skipped  + inserted"
)
_MARKS = {"call": "→ ", "line": "  ", "return": "← ", "exception": "! "}
# Columns for the source line next to a value that differs, if there is no room for both.
_SHORT_SOURCE = 7
# Steps of a gap that are shown.
_GAP_STEPS = 6
# Columns for the variable's name there.
_SHORT_NAME = 9


def side_by_side(
    sample: Sample, *, width: int, before: int = STEPS_BEFORE, after: int = STEPS_AFTER
) -> RenderableType:
    """Both executions around the divergence, and the facts of the diagnosis.

    Args:
        sample: The diagnosed prediction.
        width: The columns of the terminal.
        before: Steps to show before the divergence.
        after: Steps to show after it.
    """
    alignment = sample.diagnosis.facts.alignment
    actual = alignment.actual if alignment else sample.actual
    decoded = alignment.predicted if alignment else sample.prediction.decoded
    divergence = sample.diagnosis.facts.divergence
    centre = divergence.step if divergence else len(decoded.steps)
    first = max(0, centre - before)
    last = centre + after + 1
    parts: list[RenderableType] = [
        headline(sample.diagnosis, width=width),
        Text(),
        steps_table(actual, decoded, first, last, divergence, width, alignment),
        Text(LEGEND, "dim"),
        Text(),
    ]
    if divergence and divergence.where not in ("action", "end"):
        parts += [value_difference(divergence.actual, divergence.predicted, width=width), Text()]
    parts.append(facts_grid(sample))
    return Group(*parts)


def headline(diagnosis: Diagnosis, *, width: int) -> RenderableType:
    """The sample's name, its outcome and what went wrong."""
    text = Text()
    text.append(printable(diagnosis.id), "bold")
    text.append(f"  {label(diagnosis.facts.outcome)}", "bold red" if diagnosis.where else "bold")
    if diagnosis.where:
        text.append(f"  {divergence_location(diagnosis)}")
    return Group(text, Text(story_text(diagnosis, width=max(30, width // 3))), Rule())


def steps_table(
    actual: Trace,
    decoded: Decoded,
    first: int,
    last: int,
    divergence: Divergence | None,
    width: int,
    alignment: Alignment | None = None,
) -> Table:
    """Table with one row per step: the actual execution on the left, the predicted on the right.

    ✗ marks the divergence. After it, = marks a step with the same line and complete state, and ≠
    one that is different. Steps that only one side has are opposite an empty cell, and the steps
    after them are paired again.
    """
    table = Table(expand=False, pad_edge=False, box=None, show_header=True)
    table.add_column("step", justify="right", style="dim", no_wrap=True, min_width=4)
    table.add_column("", no_wrap=True, min_width=1)
    table.add_column("actual", no_wrap=True)
    table.add_column("predicted", no_wrap=True)
    half = max(20, (width - 14) // 2)
    colours = dict(zip(actual.program.lines, highlight(actual.program), strict=True))
    both = (list(actual.states()), list(states(decoded.steps)))
    if alignment is not None and alignment.gap is not None:
        return _add_rows_with_gap(
            table, alignment, alignment.gap, (first, last), half, colours, both
        )
    for index in range(first, min(last, max(len(actual.steps), len(decoded.steps)))):
        is_divergence = divergence is not None and index == divergence.step
        details = _details(actual, decoded, index)
        if divergence is not None and is_divergence:
            details = _differing_details(divergence, details, half)
        elif divergence is not None and index > divergence.step and details[0] != details[1]:
            details = _shorten_pair(*details, _detail_room(actual, index, half))
        least_source = _least_source(divergence, half) if is_divergence else half // 2
        sources = _sources(actual, decoded, index, colours)
        if is_divergence:
            sources = _differing_sources(sources, half - 2)
        left = right = Text("")
        if index < len(actual.steps):
            left = _cell(actual.steps[index], sources[0], details[0], half, least_source)
        if index < len(decoded.steps):
            right = _cell(decoded.steps[index], sources[1], details[1], half, least_source)
        elif index == len(decoded.steps):
            right = Text(printable(decoded.reason), "dim italic")
        mark = ""
        if divergence is not None and index >= divergence.step:
            is_same = is_same_step(actual, decoded, index, both)
            mark = "✗" if is_divergence else "=" if is_same else "≠"
            name = first_wrong_local(actual, decoded, index, both) if mark == "≠" else None
            if name is not None:
                _append_wrong_local(right, name, both[1][index][name], half)
        table.add_row(str(index), Text(mark, "red bold" if mark == "✗" else "dim"), left, right)
    return table


def _add_rows_with_gap(
    table: Table,
    alignment: Alignment,
    gap: Gap,
    window: tuple[int, int],
    half: int,
    colours: Mapping[str, Text],
    both: States,
) -> Table:
    """Add the rows of two executions of which one has steps that the other lacks."""
    actual, decoded, start = alignment.actual, alignment.predicted, alignment.matched_steps
    # Long gaps are shown by their first steps, so that the steps after them are visible.
    first, last = window
    pairs = step_pairs(alignment)
    gap_end = start + gap.steps
    rows = [
        *range(first, min(gap_end, start + _GAP_STEPS)),
        *range(gap_end, gap_end + last - start),
    ]
    for row in [row for row in rows if row < len(pairs)]:
        a, b = pairs[row]
        if row == gap_end and gap.steps > _GAP_STEPS:
            more = gap.steps - _GAP_STEPS
            note = Text(f"… {more} more", "dim")
            table.add_row("", "", *((note, "") if gap.shift > 0 else ("", note)))
        left = right = Text("")
        if a is not None:
            source = _lstrip(colours.get(actual.source_line(actual.steps[a]), Text("?")))
            left = _cell(actual.steps[a], source, _detail(actual.steps[a]), half, half // 2)
        if b is not None:
            line = decoded.step_texts[b].line
            source = _lstrip(colours.get(line, Text(printable(line.expandtabs(4)))))
            right = _cell(decoded.steps[b], source, _detail(decoded.steps[b]), half, half // 2)
        mark = ""
        if start <= row < gap_end:
            mark = "✗" if row == start else "-" if gap.shift > 0 else "+"
        elif row >= gap_end:
            is_same = row < gap_end + gap.steps_after or (
                a is not None
                and b is not None
                and is_same_step(actual, decoded, a, both, predicted_index=b)
            )
            mark = "=" if is_same else "≠"
        number = "" if a is None else str(a)
        table.add_row(number, Text(mark, "red bold" if mark == "✗" else "dim"), left, right)
    return table


def _detail(step: Step) -> str:
    return step_result_text(step) or _assignments(step.changed)


def _sources(
    actual: Trace, decoded: Decoded, index: int, colours: Mapping[str, Text]
) -> tuple[Text, Text]:
    """The source lines of the actual and of the predicted step, without indentation."""
    left = right = Text("?")
    if index < len(actual.steps):
        left = colours.get(actual.source_line(actual.steps[index]), left)
    if index < len(decoded.steps):
        line = decoded.step_texts[index].line
        right = colours.get(line, Text(printable(line.expandtabs(4))))
    return _lstrip(left), _lstrip(right)


def _differing_sources(sources: tuple[Text, Text], width: int) -> tuple[Text, Text]:
    """Two source lines; if they differ and are too long, shortened around the difference."""
    left, right = sources[0].plain, sources[1].plain
    if left == right or max(len(left), len(right)) <= width:
        return sources
    shortened = _shorten_pair(left, right, width)
    return Text(shortened[0]), Text(shortened[1])


def _details(actual: Trace, decoded: Decoded, index: int) -> tuple[str, str]:
    """What each of the two steps returns, raises or changes."""
    texts = []
    for steps in (actual.steps, decoded.steps):
        step = steps[index] if index < len(steps) else None
        texts.append(step_result_text(step) or _assignments(step.changed) if step else "")
    return texts[0], texts[1]


def _detail_room(actual: Trace, index: int, width: int) -> int:
    """Columns after the source line of a step, which takes at most half of the width."""
    is_step = index < len(actual.steps)
    source = actual.source_line(actual.steps[index]).strip() if is_step else ""
    return width - 4 - min(width // 2, len(source))


def _assignments(values: Mapping[str, str]) -> str:
    return "  ".join(f"{name}={value}" for name, value in values.items())


def _least_source(divergence: Divergence | None, width: int) -> int:
    """Columns that the source line keeps: all if it is what differs, few if a value is."""
    is_action = divergence is not None and divergence.where in ("action", "end")
    return width - 4 if is_action else _SHORT_SOURCE


def _differing_details(
    divergence: Divergence, details: tuple[str, str], width: int
) -> tuple[str, str]:
    """The values that differ, before any others, both shortened around the difference."""
    if divergence.where in ("action", "end"):
        return details
    room = width - 4 - _SHORT_SOURCE
    if not divergence.differences:
        return _shorten_pair(*details, room)
    pairs = [
        (d.name, d.actual or "nothing", d.predicted or "nothing") for d in divergence.differences
    ]
    pairs.sort(key=lambda pair: pair[0] != divergence.variable)
    texts = [
        "  ".join(f"{name}={(real, predicted)[side]}" for name, real, predicted in pairs)
        for side in (0, 1)
    ]
    if max(map(len, texts)) <= room:
        return texts[0], texts[1]
    name = printable(pairs[0][0])
    if len(name) + 1 + max(map(len, pairs[0][1:])) > room:
        name = truncate_text(name, _SHORT_NAME)
    values = _shorten_pair(pairs[0][1], pairs[0][2], room - len(name) - 1)
    return f"{name}={values[0]}", f"{name}={values[1]}"


def _shorten_pair(a: str, b: str, width: int) -> tuple[str, str]:
    """Two texts, shortened to the same window around their first difference.

    "abcdefghX", "abcdefghY", 5 -> "…ghX", "…ghY"
    """
    a, b = printable(a), printable(b)
    around = common_prefix_length(a, b) if max(len(a), len(b)) > width else 0
    # No room is wasted after the end of the longer text.
    around = min(around, max(len(a), len(b)) - width // 2)
    return truncate_text(a, width, around=around), truncate_text(b, width, around=around)


def _cell(step: Step, source: Text, detail: str, width: int, least_source: int) -> Text:
    """One step as a cell: event, source line, and what it returns, raises or changes.

    The source line is shortened first, but to no fewer than `least_source` columns.
    """
    text = Text(_MARKS[step.event], "bold cyan")
    detail = printable(detail)
    if detail:
        room = width - len(text) - 2
        source.truncate(max(least_source, room - len(detail)), overflow="ellipsis")
        detail = truncate_text(detail, max(1, room - len(source)))
    text.append_text(source)
    if detail and len(detail) > 1:
        text.append("  ")
        text.append(detail, "yellow")
    text.truncate(width, overflow="ellipsis")
    return text


def _append_wrong_local(cell: Text, name: str, value: str, width: int) -> None:
    """Add a local that still has a wrong value, which the step itself does not show."""
    name, value = printable(name), truncate_text(value, 30)
    room = width - 2 - _SHORT_SOURCE - len("  still =")
    if len(name) + len(value) > room:
        name = truncate_text(name, _SHORT_NAME)
        value = truncate_text(value, max(4, room - len(name)))
    text = f"  still {name}={value}"
    cell.truncate(max(2 + _SHORT_SOURCE, width - len(text)), overflow="ellipsis")
    cell.append(text, "dim")
    cell.truncate(width, overflow="ellipsis")


def _lstrip(text: Text) -> Text:
    spaces = len(text.plain) - len(text.plain.lstrip())
    return text[spaces:] if spaces < len(text.plain) else text.copy()


def value_difference(actual: str, predicted: str, *, width: int) -> Text:
    """The two values, one above the other, with the difference marked.

    Marks are characters below the text as well as colours, so that either is enough.
    """
    room = max(20, width - 12)
    actual, predicted = _shorten_pair(actual, predicted, room)
    blocks = SequenceMatcher(None, actual, predicted, autojunk=False).get_opcodes()
    above, below, marks = Text("actual     ", "bold"), Text("predicted  ", "bold"), Text(" " * 11)
    for kind, a, b, c, d in blocks:
        above.append(actual[a:b], "" if kind == "equal" else "green bold")
        below.append(predicted[c:d], "" if kind == "equal" else "red bold")
        marks.append((" " if kind == "equal" else "^") * max(d - c, int(kind == "delete")))
    return Text("\n").join([above, below, marks])


def facts_grid(sample: Sample) -> Table:
    """The facts of the diagnosis, each with its name; long ones wrap."""
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(min_width=10, no_wrap=True)
    grid.add_column(overflow="fold")
    for name, text in fact_texts(sample):
        grid.add_row(name, Text(printable(text)))
    return grid
