"""HTML tables of plain text."""

from collections.abc import Iterable, Sequence
from html import escape

from worldline.core.util.text import printable

# Characters of a cell.
_WIDTH = 120
_CELL_STYLE = "text-align:left;white-space:pre;font-family:monospace;padding:0 0.8em 0 0"


def table_html(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """An HTML table of plain text."""
    return "".join(
        (
            '<table style="border:0">',
            _row("th", head),
            *(_row("td", row) for row in rows),
            "</table>",
        )
    )


def _row(tag: str, cells: Sequence[str]) -> str:
    columns = "".join(f'<{tag} style="{_CELL_STYLE}">{text_html(cell)}</{tag}>' for cell in cells)
    return f"<tr>{columns}</tr>"


def text_html(text: str) -> str:
    """The text as HTML: truncated, escaped, and with control characters as escapes.

    "<b>\\x1b" -> "&lt;b&gt;\\\\x1b"
    """
    return escape(printable(text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"))
