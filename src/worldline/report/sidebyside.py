"""A sample goes in; the real and the imagined execution side by side come out."""

from collections.abc import Mapping
from difflib import SequenceMatcher

from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from worldline.align import Divergence, canonical
from worldline.codecs import Decoded
from worldline.diagnose import (
    Diagnosis,
    Sample,
    common_start,
    count,
    difference,
    place,
    printable,
    shorten,
    why,
)
from worldline.report.recording import exception_text, highlight
from worldline.trace import Step, Trace, states

BEFORE, AFTER = 4, 6
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
    story = difference(diagnosis, width=max(30, width // 3))
    return Group(
        text, Text(f"{story}{': ' if story and diagnosis.cause else ''}{why(diagnosis)}"), Rule()
    )


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
            imagined = Text(decoded.reason, "dim italic")
        mark = ""
        if parting is not None and index >= parting.step:
            is_same = _is_same(truth, decoded, index, both)
            mark = "✗" if index == parting.step else "=" if is_same else "≠"
            if mark == "≠" and real.plain == imagined.plain:
                unseen = _unseen(both[0][index], both[1][index])
                imagined.truncate(max(half // 2, half - len(unseen)), overflow="ellipsis")
                imagined.append(unseen, "dim")
                imagined.truncate(half, overflow="ellipsis")
        colour = "red bold" if mark == "✗" else "dim"
        table.add_row(str(index), Text(mark, colour), real, imagined)
    return table


def _is_same(
    truth: Trace,
    decoded: Decoded,
    index: int,
    both: tuple[list[dict[str, str]], list[dict[str, str]]],
) -> bool:
    """Whether both sides are on the same line with the same whole state, or value."""
    if index >= min(len(truth.steps), len(decoded.steps)):
        return False
    real, imagined = truth.steps[index], decoded.steps[index]
    written = decoded.written[index]
    if truth.source_line(real) != written.line or written.number not in (None, real.line):
        return False
    if not written.shows_state:
        return real.event == imagined.event
    if real.has_locals and imagined.has_locals:
        return _canonical(both[0][index]) == _canonical(both[1][index])
    if real.event != imagined.event or real.value is None or imagined.value is None:
        return real.event == imagined.event
    return canonical(real.value) == canonical(imagined.value)


def _canonical(state: Mapping[str, str]) -> dict[str, str]:
    return {name: canonical(value) for name, value in state.items()}


def _unseen(real: Mapping[str, str], imagined: Mapping[str, str]) -> str:
    """The first local that differs where neither side writes it."""
    for name, value in imagined.items():
        if canonical(real.get(name, "")) != canonical(value):
            return f"  still {name}={shorten(value, 30)}"
    return ""


def _cell(step: Step, source: Text, changed: Mapping[str, str], width: int) -> Text:
    """One step in one cell: event, line, and what it tells."""
    mark = {"call": "→ ", "line": "  ", "return": "← ", "exception": "! "}[step.event]
    text = Text(mark, "bold cyan")
    text.append_text(_lstrip(source))
    if step.event == "exception":
        tells = exception_text(step.value or "")
    elif step.event == "return":
        tells = "left by the exception" if step.value is None else f"= {step.value}"
    else:
        tells = "  ".join(f"{name}={value}" for name, value in changed.items())
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


def _tokens(number: int | None) -> str:
    return "" if number is None else f" ({count(number, 'token')})"


def facts_text(sample: Sample) -> Text:
    """The facts of the diagnosis in words."""
    facts, cause = sample.diagnosis.facts, sample.diagnosis.cause
    lines: list[str] = []
    if facts.operation and facts.operation.source:
        hidden = facts.operation.hidden
        lines.append(
            f"executed   line {facts.operation.line}: {facts.operation.source}"
            + (f"   ({count(hidden, 'hidden value')})" if hidden else "")
        )
    if facts.value:
        leaf = f" at {facts.value.leaf} ({facts.value.leaf_kind})" if facts.value.leaf else ""
        change = f", {facts.value.change}" if facts.value.change else ""
        moved = facts.value.moved_tokens
        tokens = "" if moved is None else f", {count(moved, 'token')} moved"
        lines.append(f"value      {facts.value.kind}{leaf}{change}{tokens}")
    if facts.action:
        legal = {True: "allowed", False: "not allowed", None: "not known"}[facts.action.is_legal]
        lines.append(f"action     {facts.action.kind}: {legal} by the control flow")
    if facts.horizon:
        lines.append(
            f"horizon    step {facts.horizon.step}, iteration {facts.horizon.iteration}, "
            f"call depth {facts.horizon.call_depth}, "
            f"{count(facts.horizon.chars_before, 'character')} written"
            + _tokens(facts.horizon.tokens_before)
            + (f", budget {facts.horizon.budget:,} tokens" if facts.horizon.budget else "")
        )
    recovery = facts.alignment.recovery if facts.alignment else None
    if recovery:
        result = {True: "right", False: "wrong", None: "not reached"}[recovery.is_result_right]
        lines.append(
            f"afterwards found back {count(recovery.times, 'time')} "
            f"({count(recovery.steps, 'step')}); result {result}"
        )
    if cause:
        status = (
            f" (confirmed by {cause.confirmed_by})" if cause.confirmed_by else " (a hypothesis)"
        )
        is_fact = facts.divergence is None
        lines.append(f"cause      {cause.name}: {cause.sentence}{'' if is_fact else status}")
    if facts.is_answer_right is False:
        answer = shorten(sample.prediction.answer or "", 60)
        result = shorten(facts.result or "no value", 60)
        lines.append(f"answer     {answer} was taken from the text; the program returns {result}")
    if facts.is_reference_right is False:
        expected = shorten(sample.prediction.expected or "", 60)
        lines.append(f"reference  {expected} is not what the program returns")
    if facts.note:
        lines.append(f"note       {facts.note}")
    return Text("\n".join(lines))
