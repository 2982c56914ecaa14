"""A trace goes in; what a person would like to read of it comes out."""

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.syntax import Syntax
from rich.text import Text

from worldline.diagnose import shorten
from worldline.trace import MARKS, Step, Trace, printable


def trace_lines(trace: Trace, *, width: int, most: int | None = None) -> Iterator[Text]:
    """A line a step: its number, its thread if it is not the main one, the source line (indented
    by call depth), what changed."""
    highlighted = highlight(trace.program.lines)
    digits = len(str(len(trace.steps)))
    source_width = max(24, min(60, (width - digits - 10) // 2))
    depths: Counter[int] = Counter()
    for number, step in enumerate(trace.steps):
        if most is not None and number >= most:
            yield Text(f"… {len(trace.steps) - most} more steps; see them all with --all", "dim")
            break
        depths[step.thread] += step.event == "call"
        yield step_line(step, number, highlighted, digits, source_width, depths[step.thread], width)
        depths[step.thread] -= step.event == "return"


def step_line(
    step: Step,
    number: int,
    highlighted: list[Text],
    digits: int,
    source_width: int,
    depth: int,
    width: int,
) -> Text:
    """One step on one line."""
    line = Text(no_wrap=True, overflow="ellipsis")
    line.append(f"{number:>{digits}} ", "dim")
    if step.thread:
        line.append(f"[{step.thread}] ", "magenta")
    line.append(f"{MARKS[step.event]} ", "bold cyan" if step.event != "exception" else "bold red")
    source = highlighted[step.line - 1].copy() if step.line <= len(highlighted) else Text("?")
    indent = Text("· " * max(0, depth - 1), "dim")
    shown = indent + source
    shown.truncate(source_width, overflow="ellipsis", pad=True)
    line.append(f"{step.line:>3} ", "dim")
    line.append_text(shown)
    line.append("  ")
    line.append_text(changes_text(step, width=max(20, width - source_width - digits - 10)))
    return line


def changes_text(step: Step, *, width: int) -> Text:
    """What a step tells: the locals that changed, or the value returned or raised."""
    text = Text()
    if step.event == "return":
        value = "left by the exception" if step.value is None else f"returns {step.value}"
        return text.append(shorten(value, width), "green" if step.value is not None else "red")
    if step.event == "exception":
        return text.append(shorten(exception_text(step.value or ""), width), "red")
    each = max(16, width // max(1, len(step.changed)))
    for index, (name, value) in enumerate(step.changed.items()):
        text.append(", " if index else "")
        text.append(name, "bold")
        text.append(f" = {shorten(value, each)}")
    for name in step.gone:
        text.append(f"{', ' if len(text) else ''}{name} is gone", "dim")
    return text


def exception_text(value: str) -> str:
    """What a recorded exception says.

    "(<class 'ValueError'>, ValueError('no'), <traceback object>)" -> "raises ValueError('no')"
    """
    inside = value.removesuffix(", <traceback object>)").partition(">, ")[2]
    return f"raises {inside or value}"


def highlight(lines: Sequence[str]) -> list[Text]:
    """The source lines, coloured as Python."""
    syntax = Syntax("", "python", theme="ansi_dark", background_color="default")
    return [_plain(syntax.highlight(printable(line))) for line in lines]


def _plain(text: Text) -> Text:
    text.rstrip()
    return text


def ending_text(trace: Trace) -> Text:
    """How the program ended, and anything a reader should know."""
    ending = trace.ending
    colour = "green" if ending.reason == "finished" else "yellow" if ending.is_complete else "red"
    text = Text()
    text.append(f"{ending.reason.replace('_', ' ')}", colour)
    if trace.result is not None:
        text.append(f": {shorten(trace.result, 200)}")
    elif ending.detail:
        text.append(f": {shorten(ending.detail, 200)}")
    version = trace.origin.python
    text.append(f"  ({len(trace.steps)} steps, Python {version}, {trace.origin.recorder})", "dim")
    for note in trace.notes:
        text.append(f"\nnote: {note}", "yellow")
    if trace.stdout:
        text.append(f"\nprinted: {shorten(trace.stdout.rstrip(), 200)}", "dim")
    return text
