"""Prompt about one expression: the program, its last steps, and an interpreter session."""

from collections.abc import Sequence

from worldline.core.trace import AssumedCall, Trace, step_mark, step_text
from worldline.core.util.text import truncate_text
from worldline.languages.python.recorder import OpenCall

# Characters of the program, and assumed calls before the question, that the prompt contains.
MAX_PROGRAM_CHARS = 8_000
MAX_EARLIER_CALLS = 20
_MAX_VALUE_CHARS = 120
_TASK = (
    "A Python program is executed where some of its modules cannot be used. Continue the "
    "interactive session at the end: write exactly what Python prints for its last line, and "
    "nothing else. For None, write None. For an exception, write the last line of its traceback."
)


def instructions(trace: Trace, *, steps: int) -> str:
    """The task, the program and the last steps of its execution.

    Args:
        trace: The execution up to the question.
        steps: The number of steps to list.
    """
    program = truncate_text(trace.program.text.rstrip(), MAX_PROGRAM_CHARS)
    parts = [_TASK, f"The program:\n```python\n{program}\n```"]
    listed = step_lines(trace, steps)
    if listed:
        listing = "\n".join(listed)
        parts.append(f"Its last steps (line, source, changed variables):\n{listing}")
    return "\n\n".join(parts)


def step_lines(trace: Trace, count: int) -> list[str]:
    """The last steps, one line each: "7  total += x  # total=3"."""
    lines = []
    for step in trace.steps[-count:] if count else ():
        source = trace.source_line(step).strip()
        changes = truncate_text(step_text(step), _MAX_VALUE_CHARS)
        note = f"  # {changes}" if changes else ""
        lines.append(f"{step.line} {step_mark(step)} {source}{note}")
    return lines


def build_session(calls: Sequence[AssumedCall], question: OpenCall) -> str:
    """The interpreter session up to the question.

    All statements and objects are in it, and the last ones of the other calls.

    Examples:
        >>> match = AssumedCall("re.match('a', 'abc')", "object", "<re.Match>", 1, ("import re",))
        >>> build_session([match], OpenCall("obj1.end()", "", (), 2)).splitlines()[-3:]
        ['>>> obj1', '<re.Match>', '>>> obj1.end()']
    """
    lines: list[str] = []
    objects = 0
    first_shown = len(calls) - MAX_EARLIER_CALLS
    for number, call in enumerate(calls):
        lines += [f">>> {statement}" for statement in call.statements]
        if call.kind == "object":
            objects += 1
            # The object itself is shown once: later calls may change it.
            lines += [f">>> obj{objects} = {call.expression}", f">>> obj{objects}", call.value]
        elif number >= first_shown or call.expression.startswith("obj"):
            lines.append(f">>> {call.expression}")
            lines += [call.value] if call.value != "None" else []
    lines += [f">>> {statement}" for statement in question.statements]
    return "\n".join([*lines, f">>> {question.expression}"]) + "\n"
