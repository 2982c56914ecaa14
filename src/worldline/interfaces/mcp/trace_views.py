"""The executed lines that matter: changes, the history of a variable or a line, exceptions."""

import re
from collections.abc import Callable, Iterable, Sequence

from worldline.core.trace import Program, Step, Trace, exception_text, printable, state_at
from worldline.core.util.text import pluralize, truncate_text
from worldline.interfaces.mcp.answers import Line
from worldline.interfaces.mcp.executed_lines import ExecutedLine
from worldline.interfaces.mcp.text_limits import (
    MAX_TEXT_BYTES,
    NAME_CHARS,
    SOURCE_CHARS,
    byte_length,
    middle_left_out,
    short_value,
    short_variables,
)

# Executed lines in one answer: a screenful.
MAX_LINES = 40
# Bytes of their structured form.
MAX_LINES_BYTES = 8_000
_NAME = re.compile(r"[^\W\d]\w*")


def variable_history(lines: Sequence[ExecutedLine], name: str) -> list[ExecutedLine]:
    """The lines that changed or removed a variable, in any function."""
    return [line for line in lines if name in line.changed or name in line.gone]


def line_history(lines: Sequence[ExecutedLine], number: int) -> list[ExecutedLine]:
    """Every execution of one line."""
    return [line for line in lines if line.line == number]


def effective_lines(lines: Sequence[ExecutedLine]) -> list[ExecutedLine]:
    """The lines that changed, returned or raised something."""
    return [line for line in lines if line.has_effect]


def exception_path(steps: Sequence[Step], lines: Sequence[ExecutedLine]) -> list[ExecutedLine]:
    """The lines that the exception which ended an execution passed through, the innermost first.

    Empty if no exception left the entry point.
    """
    rows: dict[tuple[int, int], ExecutedLine] = {}
    for line in lines:
        if line.raised:
            rows[line.scope, line.line] = line
    path: list[ExecutedLine] = []
    end = len(steps) - 1
    while end > 0 and steps[end].event == "return" and steps[end].value is None:
        scope = steps[end].scope
        raised = end - 1
        # A `finally` block runs between the exception and the end of the function.
        while raised >= 0 and (steps[raised].scope, steps[raised].event) != (scope, "exception"):
            raised -= 1
        if raised < 0:
            break
        row = rows.get((scope, steps[raised].line))
        if row is not None:
            path.append(row)
        end = raised - 1
    return path[::-1]


def shown_line(
    program: Program, line: ExecutedLine, *, steps: Sequence[Step] | None = None
) -> Line:
    """An executed line as part of an answer.

    Args:
        program: The program.
        line: The executed line.
        steps: Also show the variables that the line uses, before it, from these steps.
    """
    source = program.line(line.line)
    before: dict[str, str] = {}
    if steps is not None and line.kind == "line":
        used = set(_NAME.findall(source))
        state = state_at(steps, line.step)
        before = {name: value for name, value in state.items() if name in used}
    return Line(
        step=line.step,
        line=line.line,
        source=truncate_text(source.strip(), SOURCE_CHARS),
        event=line.kind,
        function=truncate_text(line.function, NAME_CHARS),
        depth=line.depth,
        before=short_variables(before),
        changed=short_variables(line.changed),
        gone=[truncate_text(name, NAME_CHARS) for name in line.gone[:8]],
        returned=None if line.returned is None else short_value(line.returned),
        raised=short_value(exception_text(line.raised[-1]).removeprefix("raises "))
        if line.raised
        else None,
    )


def select_lines(
    lines: Sequence[ExecutedLine],
    show: Callable[[ExecutedLine], Line],
    *,
    max_lines: int = MAX_LINES,
    max_bytes: int = MAX_LINES_BYTES,
) -> tuple[list[Line], int]:
    """The first and the last of some lines, as many as an answer has room for.

    Returns:
        The lines as parts of an answer, and how many between them were left out.
    """
    half = max_lines // 2
    is_long = len(lines) > max_lines
    candidates = [*lines[:half], *lines[-half:]] if is_long else list(lines)
    shown = [show(line) for line in candidates]
    first, last = middle_left_out(
        [byte_length(line.model_dump_json()) for line in shown], max_bytes
    )
    kept = [*shown[:first], *shown[len(shown) - last :]]
    return kept, len(lines) - len(kept)


def line_text(line: Line) -> str:
    """One line of a listing.

    "  12  line 5  total += i   i = 2 → total = 3"
    """
    parts = [f"{name} = {value}" for name, value in line.changed.items()]
    parts += [f"{name} deleted" for name in line.gone]
    if line.raised is not None:
        parts.append(f"raises {line.raised}")
    if line.returned is not None:
        parts.append(f"returns {line.returned}")
    before = ", ".join(f"{name} = {value}" for name, value in line.before.items())
    effect = ", ".join(parts)
    call = f"call {line.function}: " if line.event == "call" else ""
    facts = f"{before} → {effect}" if before and effect else before or effect
    indent = "  " * min(line.depth, 8)
    head = f"{line.step:>5}  L{line.line:<3} {indent}{call}{line.source}"
    return f"{head}   ⟶  {facts}" if facts else head


def listing(lines: Sequence[Line], left_out: int = 0) -> list[str]:
    """Lines of a listing; where some were left out, it says how many."""
    texts = [line_text(line) for line in lines]
    if left_out:
        # A gap between two shown lines is where the middle was left out.
        middle = (len(lines) + 1) // 2
        texts.insert(middle, f"       … {pluralize(left_out, 'line')} not shown")
    return texts


def fitted_text(parts: Iterable[str]) -> str:
    """Join lines to a text that is not too long for an answer."""
    texts = list(parts)
    first, last = middle_left_out([byte_length(text) + 1 for text in texts], MAX_TEXT_BYTES - 60)
    left_out = len(texts) - first - last
    if not left_out:
        return "\n".join(texts)
    shown = [*texts[:first], f"… {pluralize(left_out, 'line')} of text not shown"]
    return "\n".join([*shown, *texts[len(texts) - last :]])


def ending_summary(trace: Trace) -> str:
    """How an execution ended, in one sentence.

    "f(3) returned 6 after 25 steps."
    """
    call = truncate_text(trace.program.call or "the program", 80)
    ending, steps = trace.ending, pluralize(len(trace.steps), "step")
    if trace.result is not None:
        return f"{call} returned {short_value(trace.result)} after {steps}."
    detail = short_value(ending.detail, width=300)
    match ending.reason:
        case "finished":
            return f"{call} finished after {steps}, but not all of its steps were recorded."
        case "raised":
            return f"{call} raised {detail} after {steps}."
        case "exited":
            return f"{call} ended the interpreter after {steps}: {detail}."
        case "not_loaded":
            return f"The code could not be loaded: {detail}"
    reason = ending.reason.replace("_", " ")
    return f"{call} was stopped after {steps}: {reason}, {detail}."


def exception_of(trace: Trace) -> str | None:
    """The exception that ended an execution."""
    is_raised = trace.ending.reason in ("raised", "not_loaded", "exited")
    return short_value(trace.ending.detail, width=300) if is_raised else None


def printed_text(trace: Trace, *, width: int = 400) -> str:
    """The beginning of what a program printed, with its line breaks."""
    if not trace.stdout:
        return ""
    text = "\n".join(printable(line) for line in trace.stdout[: 2 * width].splitlines())
    return text if len(trace.stdout) <= width else f"{text[:width]}…"
