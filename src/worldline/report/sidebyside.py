"""A sample goes in; the real and the imagined execution side by side come out."""

from collections.abc import Mapping
from difflib import SequenceMatcher

from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from worldline.align import Divergence
from worldline.codecs import Decoded
from worldline.diagnose import (
    AFTER,
    BEFORE,
    Diagnosis,
    Sample,
    common_start,
    place,
    shorten,
)
from worldline.report.facts import told_facts, told_story
from worldline.report.lanes import is_same_step, step_tells, still_wrong
from worldline.report.recording import highlight
from worldline.trace import Step, Trace, printable, states

LEGEND = "→ call  ← return  ! exception   ✗ here they part  = the same again  ≠ not the same"


def side_by_side(
    sample: Sample, *, width: int, before: int = BEFORE, after: int = AFTER
) -> RenderableType:
    """Both executions around the place where they part, and what is known about it."""
    alignment = sample.diagnosis.facts.alignment
    truth = alignment.truth if alignment else sample.truth
    decoded = alignment.predicted if alignment else sample.prediction.decoded
    divergence = sample.diagnosis.facts.divergence
    centre = divergence.step if divergence else len(decoded.steps)
    first = max(0, centre - before)
    last = centre + after + 1
    parts: list[RenderableType] = [
        headline(sample.diagnosis, width=width),
        Text(),
        steps_table(truth, decoded, first, last, divergence, width),
        Text(LEGEND, "dim"),
        Text(),
    ]
    if divergence and divergence.where not in ("action", "end"):
        parts += [value_difference(divergence.true, divergence.predicted, width=width), Text()]
    parts.append(facts_text(sample))
    return Group(*parts)


def headline(diagnosis: Diagnosis, *, width: int) -> RenderableType:
    """The sample, its outcome and its one-line story."""
    text = Text()
    text.append(printable(diagnosis.id), "bold")
    text.append(f"  {diagnosis.facts.outcome}", "bold red" if diagnosis.where else "bold")
    if diagnosis.where:
        text.append(f"  {place(diagnosis)}")
    return Group(text, Text(told_story(diagnosis, width=max(30, width // 3))), Rule())


def steps_table(
    truth: Trace, decoded: Decoded, first: int, last: int, parting: Divergence | None, width: int
) -> Table:
    """A row a step: what is real on the left, what was imagined on the right.

    ✗ marks where they part; behind it, = marks a step that is the same again, whole state and
    all, and ≠ one that is not.
    """
    table = Table(expand=False, pad_edge=False, box=None, show_header=True)
    table.add_column("step", justify="right", style="dim", no_wrap=True, min_width=4)
    table.add_column("", no_wrap=True, min_width=1)
    table.add_column("real", no_wrap=True)
    table.add_column("imagined", no_wrap=True)
    half = max(20, (width - 14) // 2)
    colours = dict(zip(truth.program.lines, highlight(truth.program.lines), strict=True))
    both = (list(truth.states()), list(states(decoded.steps)))
    written = [Text(printable(w.line)) for w in decoded.written]
    for index in range(first, min(last, max(len(truth.steps), len(decoded.steps)))):
        real = imagined = Text("")
        if index < len(truth.steps):
            step = truth.steps[index]
            real = _cell(step, colours.get(truth.source_line(step), Text("?")), step.changed, half)
        if index < len(decoded.steps):
            line = decoded.written[index].line
            step = decoded.steps[index]
            shown = dict(step.changed)
            if parting is not None and index == parting.step:
                shown |= {d.name: d.predicted or "nothing" for d in parting.differences}
            imagined = _cell(step, colours.get(line, written[index]), shown, half)
        elif index == len(decoded.steps):
            imagined = Text(printable(decoded.reason), "dim italic")
        mark = ""
        if parting is not None and index >= parting.step:
            is_same = is_same_step(truth, decoded, index, both)
            mark = "✗" if index == parting.step else "=" if is_same else "≠"
            name = still_wrong(truth, decoded, index, both) if mark == "≠" else None
            if name is not None:
                unseen = f"  still {printable(name)}={shorten(both[1][index][name], 30)}"
                imagined.truncate(max(half // 2, half - len(unseen)), overflow="ellipsis")
                imagined.append(unseen, "dim")
                imagined.truncate(half, overflow="ellipsis")
        colour = "red bold" if mark == "✗" else "dim"
        table.add_row(str(index), Text(mark, colour), real, imagined)
    return table


def _cell(step: Step, source: Text, changed: Mapping[str, str], width: int) -> Text:
    """One step in one cell: event, line, and what it tells."""
    mark = {"call": "→ ", "line": "  ", "return": "← ", "exception": "! "}[step.event]
    text = Text(mark, "bold cyan")
    text.append_text(_lstrip(source))
    tells = step_tells(step) or "  ".join(f"{name}={value}" for name, value in changed.items())
    if tells:
        room = max(12, width - min(len(text), width // 2) - 3)
        text.truncate(max(width // 2, width - len(tells) - 3), overflow="ellipsis")
        text.append("  ")
        text.append(shorten(tells, room), "yellow")
    text.truncate(width, overflow="ellipsis")
    return text


def _lstrip(text: Text) -> Text:
    spaces = len(text.plain) - len(text.plain.lstrip())
    return text[spaces:] if spaces < len(text.plain) else text


def value_difference(true: str, predicted: str, *, width: int) -> Text:
    """The two values, one above the other, with what differs marked.

    Marks are signs under the text as well as colours, so that neither is needed alone.
    """
    true, predicted = printable(true), printable(predicted)
    start = common_start(true, predicted)
    room = max(20, width - 12)
    around = start if max(len(true), len(predicted)) > room else 0
    true, predicted = shorten(true, room, around), shorten(predicted, room, around)
    blocks = SequenceMatcher(None, true, predicted, autojunk=False).get_opcodes()
    real, imagined, marks = Text("real      ", "bold"), Text("imagined  ", "bold"), Text(" " * 10)
    for kind, a, b, c, d in blocks:
        real.append(true[a:b], "" if kind == "equal" else "green bold")
        imagined.append(predicted[c:d], "" if kind == "equal" else "red bold")
        marks.append((" " if kind == "equal" else "^") * max(d - c, int(kind == "delete")))
    return Text("\n").join([real, imagined, marks])


def facts_text(sample: Sample) -> Text:
    """The facts of the diagnosis in words."""
    return Text("\n".join(f"{word:<10} {printable(told)}" for word, told in told_facts(sample)))
