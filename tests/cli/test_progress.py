"""How a run is coming along, in terminals of several widths."""

import io
import re

import pytest
from rich.console import Console
from rich.text import Text

from tests.judged import run_of
from worldline.cli.progress import RunProgress, make_bar


@pytest.mark.parametrize("width", [80, 120])
def test_the_bar_fits(width: int) -> None:
    console = Console(file=io.StringIO(), width=width, force_terminal=True)
    bar = make_bar(console)
    bar.add_task("cruxeval", total=800, state="")
    progress = RunProgress(800, bar=bar)
    for row in run_of(*("r" * 7 + "w" * 9 + "c" * 3 + "f"), written_tokens=300):
        progress.advance(row)
    with console.capture() as shown:
        console.print(bar.make_tasks_table(bar.tasks))
    (line,) = Text.from_ansi(shown.get()).plain.splitlines()
    assert line.startswith("cruxeval ")
    assert " 20/800 right 36.8% (19–59) · 1 failed · 3 cut · " in line
    assert re.search(r" \d:\d\d:\d\d$", line)
