"""Side by side, steps that only one side has are opposite an empty cell."""

from tests.interfaces.report.printing import printed
from tests.support.predictions import predict, text_of
from worldline.analysis.diagnosis import Sample
from worldline.core.trace import Program
from worldline.evaluation.runs import execute_and_diagnose
from worldline.interfaces.report import side_by_side
from worldline.languages.python.recorder import PythonRecorder

SEPARATOR = "<|frame_sep|>"
LINES = "def f(a):\n    b = a + 1\n    c = b * 2\n    d = c - 3\n    e = d + b\n    return e\n"
WIDTH = 120


def edited_sample(recorder: PythonRecorder, *, removed: int = 0, copied: int = 0) -> Sample:
    """A sample whose prediction lacks step 5, or has it twice."""
    program = Program(LINES, "f(1)")
    steps = text_of(recorder.record(program)).split(SEPARATOR)
    steps = steps[:5] + steps[5:6] * copied + steps[5 + removed :]
    return execute_and_diagnose(predict(program, SEPARATOR.join(steps)), recorder)


def rows(sample: Sample) -> list[list[str]]:
    """The first words of each row of the table from step 4 on."""
    lines = printed(side_by_side(sample, width=WIDTH), width=WIDTH).splitlines()
    start = next(n for n, line in enumerate(lines) if line.split()[:1] == ["4"])
    end = next(n for n, line in enumerate(lines) if "diverges here" in line)
    return [line.split() for line in lines[start:end]]


def test_a_skipped_step_is_opposite_an_empty_cell(recorder: PythonRecorder) -> None:
    sample = edited_sample(recorder, removed=1)
    before, skipped, *after = rows(sample)
    assert before[0] == "4"
    assert skipped[:2] == ["5", "✗"]
    # Only the actual side has a source line.
    assert skipped.count("=") == 1
    assert [row[:2] for row in after] == [[str(n), "="] for n in range(6, 6 + len(after))]
    assert len(after) >= 3
    text = printed(side_by_side(sample, width=WIDTH), width=WIDTH)
    assert "1 step skipped, then" in text


def test_a_repeated_step_is_opposite_an_empty_cell(recorder: PythonRecorder) -> None:
    sample = edited_sample(recorder, copied=1)
    before, repeated, *after = rows(sample)
    # The first of the two equal steps matches; the other is the gap.
    assert [before[0], repeated[0]] == ["4", "5"]
    assert after[0][0] == "✗"
    assert {row[1] for row in after[1:]} == {"="}
