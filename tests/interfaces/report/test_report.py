"""Summaries, listings and side-by-side views at any width."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.interfaces.report.printing import printed
from tests.support.predictions import predict, replaced, text_of
from worldline.analysis.diagnosis import Sample, label
from worldline.core.trace import Limits, Program, printable
from worldline.core.util.text import truncate_text
from worldline.evaluation.runs import diagnose_file, execute_and_diagnose
from worldline.interfaces.demo import PREDICTIONS
from worldline.interfaces.report import (
    ending_text,
    make_console,
    natural_key,
    sample_lines,
    side_by_side,
    summarize,
    summary_tables,
    summary_to_json,
    trace_lines,
)
from worldline.languages.python.recorder import PythonRecorder


@pytest.fixture(scope="module")
def samples() -> list[Sample]:
    return list(diagnose_file(PREDICTIONS))


def test_counts_add_up(samples: list[Sample]) -> None:
    summary = summarize([sample.diagnosis for sample in samples])
    assert sum(summary.outcomes.values()) == summary.total == len(samples)
    assert sum(summary.where_by_kind.values()) == summary.outcomes["diverged"]
    assert (summary.truncated, summary.diverged_before_truncation) == (3, 2)
    assert (summary.reconverged, summary.superficially_correct) == (4, 3)
    explained = [s for s in samples if s.diagnosis.cause]
    assert sum(summary.causes.values()) == len(explained)
    assert summary_to_json(summary)["outcomes"] == summary.outcomes


def test_percentages_exclude_infrastructure_errors(samples: list[Sample]) -> None:
    summary = summarize(
        [s.diagnosis for s in samples if s.diagnosis.id in ("correct", "infra_error")]
    )
    table = printed(summary_tables(summary), width=100)
    assert "100.0" in table
    assert "50.0" not in table


def test_no_predictions() -> None:
    assert "Outcomes of 0 predictions" in printed(summary_tables(summarize([])), width=80)


@pytest.mark.parametrize("width", [40, 80, 200])
def test_every_sample_is_shown_at_any_width(samples: list[Sample], width: int) -> None:
    for sample in samples:
        text = printed(side_by_side(sample, width=width), width=width)
        assert sample.diagnosis.id in text
        assert label(sample.diagnosis.facts.outcome) in text
    lines = list(sample_lines([s.diagnosis for s in samples], width=width))
    assert len(lines) == len(samples)


def test_a_state_that_stays_wrong_is_not_marked_as_reconverged(samples: list[Sample]) -> None:
    """After a wrong argument, the lines are the same but the state is not."""
    wrong = next(s for s in samples if s.diagnosis.id == "wrong_argument")
    rows = printed(side_by_side(wrong, width=160), width=160).splitlines()
    marks = {row.split()[0]: row.split()[1] for row in rows if row.strip()[:1].isdigit()}
    assert marks["2"] == "✗"
    assert marks["3"] == "≠"


def test_a_listing_has_one_line_per_step(recorder: PythonRecorder) -> None:
    trace = recorder.record(
        Program("def f(n):\n    x = [n]\n    del x\n    raise KeyError(n)\n", "f(1)")
    )
    lines = [line.plain for line in trace_lines(trace, width=100)]
    assert len(lines) == len(trace.steps)
    assert "n = 1" in lines[2]
    assert "x = [1]" in lines[4]
    assert "x deleted" in lines[5]
    assert "raises KeyError(1)" in lines[6]
    assert "left by the exception" in lines[7]
    assert ending_text(trace).plain.startswith("raised: KeyError: 1")


def test_a_long_listing_ends_with_the_number_of_further_steps(recorder: PythonRecorder) -> None:
    trace = recorder.record(Program("def f():\n    for i in range(50):\n        pass\n", "f()"))
    lines = [line.plain for line in trace_lines(trace, width=80, limit=10)]
    assert len(lines) == 11
    assert lines[-1] == f"… {len(trace.steps) - 10} more steps; list all with --all"


def test_a_limit_is_in_the_ending(recorder: PythonRecorder) -> None:
    program = Program("def f():\n    while True:\n        pass\n", "f()")
    trace = recorder.record(program, limits=Limits(steps=10))
    assert ending_text(trace).plain.startswith("step limit: more than 10 steps")


@given(st.text(), st.integers(5, 50), st.integers(0, 60))
def test_truncated_text_fits_and_is_printable(text: str, width: int, around: int) -> None:
    result = truncate_text(text, width, around=around)
    assert len(result) <= width
    assert result.isprintable()


@given(st.text())
def test_printable_text_is_what_a_terminal_shows(text: str) -> None:
    assert printable(text).isprintable()
    if text.isprintable():
        assert printable(text) == text


def diagnosed(program: Program, old: str, new: str, recorder: PythonRecorder) -> Sample:
    """A prediction that is correct but for one replaced text."""
    text = replaced(old, new)(text_of(recorder.record(program)))
    return execute_and_diagnose(predict(program, text), recorder)


def test_the_values_that_differ_are_shown_at_80_columns(recorder: PythonRecorder) -> None:
    source = "def f(long_parameter_name):\n    return long_parameter_name.upper()\n"
    program = Program(source, f"f({'x' * 40 + 'a' + 'y' * 40!r})")
    value = f'"long_parameter_name": "\'{"x" * 40}'
    sample = diagnosed(program, f"{value}a", f"{value}b", recorder)
    lines = printed(side_by_side(sample, width=80), width=80).splitlines()
    (row,) = [line for line in lines if "✗" in line and "diverges here" not in line]
    actual, predicted = row[:46], row[46:]
    assert "xxa" in actual
    assert "xxb" in predicted
    assert all(len(line) <= 80 for line in lines)
    (line,) = sample_lines([sample.diagnosis], width=80)
    assert len(line.plain) <= 80
    assert "xxb" in line.plain
    assert "xxa" in line.plain
    assert line.plain.endswith("Copy error")


def test_the_lines_that_differ_are_shown_at_80_columns(recorder: PythonRecorder) -> None:
    source = f"def f():\n    x = {'x' * 60 + 'a'!r}\n    return x\n"
    sample = diagnosed(Program(source, "f()"), "xxxa", "xxxb", recorder)
    lines = printed(side_by_side(sample, width=80), width=80).splitlines()
    (row,) = [line for line in lines if "✗" in line and "diverges here" not in line]
    assert "xxa" in row
    assert "xxb" in row


def test_long_names_take_a_second_line(samples: list[Sample]) -> None:
    lines = [line.plain for line in sample_lines([s.diagnosis for s in samples], width=80)]
    (line,) = [line for line in lines if line.startswith("diverged_before_truncation")]
    first, second = line.split("\n")
    assert first.split() == ["diverged_before_truncation", "step", "10", "state", "counts"]
    assert second.startswith("    {'to': 2, 'be': 1} instead of {'to': 1, 'be': 1}")


def test_piped_output_has_100_columns_and_no_trailing_blanks(
    samples: list[Sample], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    file = io.StringIO()
    console = make_console(file)
    assert console.width == 100
    console.print(summary_tables(summarize([s.diagnosis for s in samples])))
    console.print(side_by_side(samples[1], width=console.width))
    lines = file.getvalue().splitlines()
    assert max(map(len, lines)) <= 100
    assert [line for line in lines if line != line.rstrip()] == []


def test_numbers_within_names_are_ordered_by_value() -> None:
    names = ["s10", "s9", "s1_b", "t", "s9#2", "s9#10"]
    assert sorted(names, key=natural_key) == ["s1_b", "s9", "s9#2", "s9#10", "s10", "t"]
