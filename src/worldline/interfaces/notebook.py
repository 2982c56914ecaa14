"""HTML for notebooks: what Jupyter shows of a trace.

Importing the module registers its functions with `worldline.core.display`.
"""

from collections.abc import Iterable, Sequence
from html import escape

from worldline.core.display import register_html
from worldline.core.trace import Trace, step_mark, step_text
from worldline.core.util.text import printable

# Steps to show of a trace, and characters to show of a table cell.
_MAX_STEPS, _MAX_CHARS = 200, 120
_CELL_STYLE = "text-align:left;white-space:pre;font-family:monospace;padding:0 0.8em 0 0"


def trace_html(trace: Trace) -> str:
    """A table with one row per step, and the ending."""
    steps = trace.steps[:_MAX_STEPS]
    rows = [
        (str(number), f"{step_mark(step)} {trace.source_line(step)}", step_text(step))
        for number, step in enumerate(steps)
    ]
    omitted = len(trace.steps) - len(steps)
    ending = f"{trace.ending.reason.replace('_', ' ')}  {trace.result or trace.ending.detail}"
    more = f"<p>… {omitted:,} more steps</p>" if omitted else ""
    return f"{table_html(('step', 'line', ''), rows)}{more}<p>{text_html(ending.rstrip())}</p>"


def table_html(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of plain text."""
    return "".join(
        (
            '<table style="border:0">',
            _row_html("th", head),
            *(_row_html("td", row) for row in rows),
            "</table>",
        )
    )


def _row_html(tag: str, cells: Sequence[str]) -> str:
    columns = "".join(f'<{tag} style="{_CELL_STYLE}">{text_html(cell)}</{tag}>' for cell in cells)
    return f"<tr>{columns}</tr>"


def text_html(text: str) -> str:
    """Plain text as HTML: truncated, with control characters as escapes.

    "<b>\\x1b" -> "&lt;b&gt;\\\\x1b"
    """
    return escape(printable(text if len(text) <= _MAX_CHARS else f"{text[: _MAX_CHARS - 1]}…"))


register_html(Trace, trace_html)
