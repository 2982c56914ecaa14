"""Steps and texts go in; how they are shown comes out. Whatever a program says is text."""

from collections.abc import Iterable, Sequence
from html import escape

from worldline.trace.step import Step

MARKS = {"call": "→", "line": " ", "return": "←", "exception": "!"}
# Steps that a notebook shows, and characters of a cell.
MOST_STEPS, _WIDTH = 200, 120
_CELL = "text-align:left;white-space:pre;font-family:monospace;padding:0 0.8em 0 0"


def step_text(step: Step) -> str:
    """What a step tells beside its line: what changed, or its value."""
    if step.event in ("return", "exception"):
        return "" if step.value is None else f"= {step.value}"
    return "  ".join(f"{name}={value}" for name, value in step.changed.items())


def step_mark(step: Step) -> str:
    """What kind of step it is, and of which thread if not the main one."""
    return f"[{step.thread}] {MARKS[step.event]}" if step.thread else MARKS[step.event]


def table_html(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of plain text."""
    return "".join(
        (
            '<table style="border:0">',
            _row("th", head),
            *(_row("td", row) for row in rows),
            "</table>",
        )
    )


def _row(tag: str, cells: Sequence[str]) -> str:
    told = "".join(f'<{tag} style="{_CELL}">{text_html(cell)}</{tag}>' for cell in cells)
    return f"<tr>{told}</tr>"


def text_html(text: str) -> str:
    """Text that a browser shows as it is, whatever is in it: control and invisible characters as
    escapes, long text cut.

    "<b>\\x1b" -> "&lt;b&gt;\\\\x1b"
    """
    return escape(printable(text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"))


def printable(text: str) -> str:
    """The text with everything that a terminal would act on, or not show, written as an escape.

    "a\x1b[31m\n" -> "a\\x1b[31m\\n"
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
