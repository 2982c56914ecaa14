"""What people read: counts that add up, and views that hold at any width."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.report.printing import printed
from worldline.demo import PREDICTIONS
from worldline.diagnose import Sample, shorten
from worldline.recorders import PythonRecorder
from worldline.report import (
    ending_text,
    sample_lines,
    side_by_side,
    summarize,
    summary_tables,
    summary_to_json,
    trace_lines,
)
from worldline.runs import diagnose_recorded
from worldline.trace import Limits, Program, printable


@pytest.fixture(scope="module")
def samples() -> list[Sample]:
    return list(diagnose_recorded(PREDICTIONS))


def test_counts_add_up(samples: list[Sample]) -> None:
    summary = summarize([sample.diagnosis for sample in samples])
    assert sum(summary.outcomes.values()) == summary.total == len(samples)
    assert sum(summary.where_by_kind.values()) == summary.outcomes["diverged"]
    assert (summary.cut, summary.diverged_before_cut) == (3, 2)
    assert (summary.found_back, summary.right_for_wrong_reasons) == (4, 3)
    explained = [s for s in samples if s.diagnosis.cause]
    assert sum(summary.causes.values()) == len(explained)
    assert summary_to_json(summary)["outcomes"] == summary.outcomes


def test_errors_of_the_infrastructure_are_outside_of_percentages(samples: list[Sample]) -> None:
    summary = summarize(
        [s.diagnosis for s in samples if s.diagnosis.id in ("correct", "engine_error")]
    )
    table = printed(summary_tables(summary), width=100)
    assert "100.0" in table
    assert "50.0" not in table


def test_nothing_at_all() -> None:
    assert "Outcomes of 0 predictions" in printed(summary_tables(summarize([])), width=80)


@pytest.mark.parametrize("width", [40, 80, 200])
def test_every_sample_is_shown_at_any_width(samples: list[Sample], width: int) -> None:
    for sample in samples:
        text = printed(side_by_side(sample, width=width), width=width)
        assert sample.diagnosis.id in text
        assert sample.diagnosis.facts.outcome in text
    lines = list(sample_lines([s.diagnosis for s in samples], width=width))
    assert len(lines) == len(samples)


def test_a_state_that_stays_wrong_is_not_marked_as_found_again(samples: list[Sample]) -> None:
    """Behind a wrong argument, lines are the same and the state is not."""
    wrong = next(s for s in samples if s.diagnosis.id == "wrong_argument")
    rows = printed(side_by_side(wrong, width=160), width=160).splitlines()
    marks = {row.split()[0]: row.split()[1] for row in rows if row.strip()[:1].isdigit()}
    assert marks["2"] == "✗"
    assert marks["3"] == "≠"


def test_a_trace_is_one_line_a_step(recorder: PythonRecorder) -> None:
    trace = recorder.record(
        Program("def f(n):\n    x = [n]\n    del x\n    raise KeyError(n)\n", "f(1)")
    )
    lines = [line.plain for line in trace_lines(trace, width=100)]
    assert len(lines) == len(trace.steps)
    assert "n = 1" in lines[2]
    assert "x = [1]" in lines[4]
    assert "x is gone" in lines[5]
    assert "raises KeyError(1)" in lines[6]
    assert "left by the exception" in lines[7]
    assert ending_text(trace).plain.startswith("raised: KeyError: 1")


def test_long_traces_are_cut_and_say_so(recorder: PythonRecorder) -> None:
    trace = recorder.record(Program("def f():\n    for i in range(50):\n        pass\n", "f()"))
    lines = [line.plain for line in trace_lines(trace, width=80, most=10)]
    assert len(lines) == 11
    assert lines[-1] == f"… {len(trace.steps) - 10} more steps; see them all with --all"


def test_a_limit_is_in_the_ending(recorder: PythonRecorder) -> None:
    program = Program("def f():\n    while True:\n        pass\n", "f()")
    trace = recorder.record(program, limits=Limits(steps=10))
    assert ending_text(trace).plain.startswith("step limit: more than 10 steps")


@given(st.text(), st.integers(5, 50), st.integers(0, 60))
def test_shortened_text_fits_and_shows_the_place(text: str, width: int, around: int) -> None:
    found = shorten(text, width, around)
    assert len(found) <= width
    assert found.isprintable()


@given(st.text())
def test_printable_text_is_what_a_terminal_shows(text: str) -> None:
    assert printable(text).isprintable()
    if text.isprintable():
        assert printable(text) == text
