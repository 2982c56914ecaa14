"""Reports as the text that a terminal shows."""

import io

from rich.console import Console, RenderableType


def printed(*parts: RenderableType, width: int = 200) -> str:
    """Print parts one below the other in a terminal of some width."""
    output = io.StringIO()
    console = Console(file=output, width=width)
    for part in parts:
        console.print(part)
    return output.getvalue()
