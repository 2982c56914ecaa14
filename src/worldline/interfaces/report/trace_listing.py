"""Listing of a trace: one line per step, and how the execution ended."""

from collections import Counter
from collections.abc import Iterator

from rich.syntax import Syntax
from rich.text import Text

from worldline.core.language import get_language
from worldline.core.trace import (
    EVENT_MARKS,
    SCHEDULING,
    Program,
    Step,
    Trace,
    exception_text,
    printable,
    schedule_choices,
)
from worldline.core.util.text import pluralize, truncate_text
from worldline.interfaces.report.schedule_text import schedule_summary

# Before a step whose line has an assumed call.
ASSUMED_MARK = "≈"
# Threads whose lanes are columns; with more, only numbers are shown.
_MAX_LANES = 10


def trace_lines(trace: Trace, *, width: int, limit: int | None = None) -> Iterator[Text]:
    """Yield one line per step: number, thread, source line (indented by call depth), changes.

    Each thread has its lane, a column with its number.

    Args:
        trace: The trace.
        width: The columns of the terminal.
        limit: List at most this many steps.
    """
    highlighted = highlight(trace.program)
    digits = len(str(len(trace.steps)))
    source_width = max(24, min(60, (width - digits - 10) // 2))
    depths: Counter[int] = Counter()
    assumed = trace.assumed_steps
    lanes = max([step.thread for step in trace.steps], default=0) + 1
    for number, step in enumerate(trace.steps):
        if limit is not None and number >= limit:
            rest = pluralize(len(trace.steps) - limit, "more step")
            yield Text(f"… {rest}; list all with --all", "dim")
            break
        depths[step.thread] += step.event == "call"
        line = step_line(
            step, number, highlighted, digits, source_width, depths[step.thread], width, lanes
        )
        if assumed:
            mark = ASSUMED_MARK if number in assumed else " "
            line = Text.assemble((f"{mark} ", "bold yellow"), line, no_wrap=True)
            line.overflow = "ellipsis"
        yield line
        depths[step.thread] -= step.event == "return"


def step_line(
    step: Step,
    number: int,
    highlighted: list[Text],
    digits: int,
    source_width: int,
    depth: int,
    width: int,
    lanes: int,
) -> Text:
    """One step as one line."""
    line = Text(no_wrap=True, overflow="ellipsis")
    line.append(f"{number:>{digits}} ", "dim")
    if lanes > 1:
        line.append(f"{lane_mark(step.thread, lanes)} ", "magenta")
    line.append(
        f"{EVENT_MARKS[step.event]} ", "bold cyan" if step.event != "exception" else "bold red"
    )
    source = highlighted[step.line - 1].copy() if step.line <= len(highlighted) else Text("?")
    indent = Text("· " * max(0, depth - 1), "dim")
    shown = indent + source
    shown.truncate(source_width, overflow="ellipsis", pad=True)
    line.append(f"{step.line:>3} ", "dim")
    line.append_text(shown)
    line.append("  ")
    line.append_text(changes_text(step, width=max(20, width - source_width - digits - 10)))
    return line


def lane_mark(thread: int, lanes: int) -> str:
    """The number of a thread in its lane.

    1, 3 -> "·1·"; 12, 20 -> "[12]"
    """
    if lanes > _MAX_LANES:
        return f"[{thread}]".ljust(len(str(lanes)) + 2)
    return "·" * thread + str(thread) + "·" * (lanes - thread - 1)


def changes_text(step: Step, *, width: int) -> Text:
    """The locals that a step changed, or the value that it returned or raised."""
    text = Text()
    if step.event == "return":
        value = "left by the exception" if step.value is None else f"returns {step.value}"
        return text.append(
            truncate_text(value, width), "green" if step.value is not None else "red"
        )
    if step.event == "exception":
        return text.append(truncate_text(exception_text(step.value or ""), width), "red")
    each = max(16, width // max(1, len(step.changed)))
    for index, (name, value) in enumerate(step.changed.items()):
        text.append(", " if index else "")
        text.append(name, "bold")
        text.append(f" = {truncate_text(value, each)}")
    for name in step.gone:
        text.append(f"{', ' if len(text) else ''}{name} deleted", "dim")
    return text


def highlight(program: Program) -> list[Text]:
    """The source lines with the syntax highlighting of their language."""
    lexer = get_language(program.language).highlighting
    syntax = Syntax("", lexer, theme="ansi_dark", background_color="default")
    return [
        _without_line_break(syntax.highlight(printable(line.expandtabs(4))))
        for line in program.lines
    ]


def _without_line_break(text: Text) -> Text:
    text.rstrip()
    return text


def choice_lines(trace: Trace, *, width: int, limit: int | None = None) -> Iterator[Text]:
    """Yield one line per choice: step, call and value; nothing for a trace without choices.

    Choices between threads and of delays are listed together, as a schedule.
    """
    threads = schedule_choices(trace.choices)
    if threads:
        yield Text(f"schedule: {schedule_summary(threads)}")
    choices = [choice for choice in trace.choices if choice.name not in SCHEDULING]
    for number, choice in enumerate(choices):
        if limit is not None and number >= limit:
            rest = pluralize(len(choices) - limit, "more choice")
            yield Text(f"… {rest}; list all with --all", "dim")
            return
        step = "before the trace" if choice.step is None else f"step {choice.step}"
        line = Text(f"choice: {choice.expression} = {choice.value}", no_wrap=True)
        line.truncate(max(20, width - len(step) - 2), overflow="ellipsis")
        yield line.append(f"  {step}", "dim")


def assumption_summary(trace: Trace) -> str:
    """How much of a trace was executed: "9 steps executed, 2 of them with 3 assumed calls"."""
    calls = len(trace.assumptions.calls) if trace.assumptions else 0
    assumed = len(trace.assumed_steps)
    executed = f"{pluralize(len(trace.steps), 'step')} executed"
    if not calls:
        return f"{executed}, no call was assumed"
    return (
        f"{executed}, {assumed} of them with an assumed call ({ASSUMED_MARK}); "
        f"{pluralize(calls, 'assumed call')}"
    )


def assumption_lines(trace: Trace, *, width: int) -> Iterator[Text]:
    """Yield one line per assumed call: its step, the expression and its value."""
    for call in trace.assumptions.calls if trace.assumptions else ():
        where = "before the first step" if call.step is None else f"step {call.step}"
        line = Text(no_wrap=True, overflow="ellipsis")
        line.append(f"assumed at {where}: ", "yellow")
        verb = {"value": "→", "object": "→ object", "exception": "raises"}[call.kind]
        each = max(30, (width - 30) // 2)
        line.append(truncate_text(printable(call.expression), each))
        line.append(f" {verb} {truncate_text(printable(call.value), each)}", "bold")
        yield line


def runtime_name(trace: Trace) -> str:
    """What executed a program: "Python", "Node.js", "g++", "rustc"; else the language."""
    names = {"node": "Node.js", "cpp": "g++", "rust": "rustc"}
    for key in (trace.origin.recorder, trace.program.language):
        if key in names:
            return names[key]
    return get_language(trace.program.language).title


def ending_text(trace: Trace) -> Text:
    """How the execution ended, its result, notes and output."""
    ending = trace.ending
    colour = "green" if ending.reason == "finished" else "yellow" if ending.is_complete else "red"
    text = Text()
    text.append(f"{ending.reason.replace('_', ' ')}", colour)
    if trace.result is not None:
        text.append(f": {truncate_text(trace.result, 200)}")
    elif ending.detail:
        text.append(f": {truncate_text(ending.detail, 200)}")
    version = f"{runtime_name(trace)} {trace.origin.python}"
    text.append(f"  ({len(trace.steps)} steps, {version}, {trace.origin.recorder})", "dim")
    for note in trace.notes:
        text.append(f"\nnote: {note}", "yellow")
    if trace.assumptions:
        text.append(f"\n{assumption_summary(trace)}", "yellow")
    if trace.stdout:
        text.append(f"\nprinted: {truncate_text(trace.stdout.rstrip(), 200)}", "dim")
    return text
