"""Progress bars and lines of JSON."""

import io
import json
import re

import pytest
from rich.console import Console
from rich.text import Text

from tests.support.scored_samples import run_of
from worldline.interfaces.cli.progress import (
    ProgressReporter,
    RunProgress,
    make_bar,
    report_progress,
)


@pytest.mark.parametrize("width", [80, 120])
def test_the_bar_fits_the_terminal(width: int) -> None:
    console = Console(file=io.StringIO(), width=width, force_terminal=True)
    bar = make_bar(console)
    bar.add_task("cruxeval", total=800, state="")
    progress = RunProgress(800, ProgressReporter(bar=bar))
    for row in run_of(*("r" * 7 + "w" * 9 + "c" * 3 + "f"), completion_tokens=300):
        progress.advance(row)
    with console.capture() as shown:
        console.print(bar.make_tasks_table(bar.tasks))
    (line,) = Text.from_ansi(shown.get()).plain.splitlines()
    assert line.startswith("cruxeval ")
    assert " 20/800 correct 36.8% (19–59) · 1 error · 3 truncated · " in line
    assert re.search(r" \d:\d\d:\d\d$", line)


def test_lines_of_json_are_written_at_intervals(capsys: pytest.CaptureFixture[str]) -> None:
    seldom = ProgressReporter(every=3600)
    seldom.count(1, 3)
    seldom.advance()
    seldom.update(2, total=3, state=lambda: "unused")
    assert capsys.readouterr().err == ""
    seldom.update(3, numbers=lambda: {"done": 3}, is_last=True)
    often = ProgressReporter(every=0)
    often.count(1, 3)
    often.count(2, 3)
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert lines == [{"done": 3}, {"done": 1, "total": 3}, {"done": 2, "total": 3}]


def test_a_pipe_gets_no_bar(capsys: pytest.CaptureFixture[str]) -> None:
    with report_progress("executing", 2) as reporter:
        reporter.advance()
        reporter.advance()
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "")


def test_an_update_keeps_what_it_does_not_change() -> None:
    bar = make_bar(Console(file=io.StringIO(), force_terminal=True))
    bar.add_task("export", total=None, state="starting")
    reporter = ProgressReporter(bar=bar, every=0)
    reporter.update(2, total=8, numbers=lambda: pytest.fail("a bar needs no numbers"))
    (task,) = bar.tasks
    assert (task.completed, task.total, task.fields["state"]) == (2, 8, "starting")
    reporter.update(3, state=lambda: "quick")
    reporter.advance()
    assert (task.completed, task.total, task.fields["state"]) == (4, 8, "quick")
    reporter.count(5, 9)
    assert (task.completed, task.total, task.fields["state"]) == (5, 9, "quick")
