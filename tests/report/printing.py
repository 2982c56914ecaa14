"""What a report is made of goes in; the text that a terminal shows comes out."""

import io

from rich.console import Console, RenderableType


def printed(*parts: RenderableType, width: int = 200) -> str:
    """The parts below each other, in a terminal of that width."""
    output = io.StringIO()
    console = Console(file=output, width=width)
    for part in parts:
        console.print(part)
    return output.getvalue()
