"""The first step at which the executions of two versions differ."""

from collections.abc import Iterator

import pytest

from worldline.core.trace import Program
from worldline.interfaces.mcp.executed_lines import lines_of_trace
from worldline.interfaces.mcp.version_changes import first_difference, paired_lines
from worldline.languages.python.recorder import PythonRecorder

BEFORE = """\
def scale(x):
    y = x * 2
    return y

def total(n):
    result = 0
    for i in range(n):
        result += scale(i)
    return result
"""


@pytest.fixture(scope="module")
def recorder() -> Iterator[PythonRecorder]:
    with PythonRecorder() as recorder:
        yield recorder


def difference(recorder: PythonRecorder, after: str, call: str = "total(3)") -> str | None:
    programs = Program(BEFORE, call), Program(after, call)
    lines = [lines_of_trace(recorder.record(program)) for program in programs]
    found = first_difference(*programs, *lines)
    return None if found is None else found.words


def test_a_changed_value_is_found_where_it_arises(recorder: PythonRecorder) -> None:
    # Not at line 8, which calls `scale` and gets another value afterwards.
    assert difference(recorder, BEFORE.replace("x * 2", "x * 3")) == (
        "after line 2 `y = x * 2`, now line 2 `y = x * 3`: y = 3, was 2"
    )


def test_another_path(recorder: PythonRecorder) -> None:
    after = BEFORE.replace("        result += scale(i)\n", "        pass\n")
    assert difference(recorder, after) == (
        "the old version runs line 1 `def scale(x):`, where the new one finishes line 8 `pass`"
    )


def test_one_version_has_more_iterations(recorder: PythonRecorder) -> None:
    after = BEFORE.replace("range(n)", "range(n - 1)")
    # The old version takes one more item.
    assert difference(recorder, after) == (
        "after line 7 `for i in range(n):`, now line 7 `for i in range(n - 1):`: i = 1, was 2"
    )


def test_no_difference(recorder: PythonRecorder) -> None:
    after = BEFORE.replace("    y = x * 2\n", "    # Doubled.\n    y = x + x\n")
    assert difference(recorder, after) is None
    assert difference(recorder, BEFORE) is None
    assert difference(recorder, BEFORE.replace("y", "z")) is None


def test_only_the_new_version_raises(recorder: PythonRecorder) -> None:
    words = difference(recorder, BEFORE.replace("x * 2", "x // 0"))
    assert words is not None
    assert "only the new version raises here" in words


@pytest.mark.parametrize(
    ("before", "after", "pairs"),
    [
        ("a\nb\nc", "a\nx\nc", {1: 1, 2: 2, 3: 3}),
        ("a\nc", "a\nb\nc", {1: 1, 2: 3}),
        ("a\nb\nc", "c\na\nb", {1: 2, 2: 3}),
        ("x\nx\nx", "x\nx", {1: 1, 2: 2}),
        ("", "a", {}),
        ("a\nb\nd\ne", "a\nc\ne", {1: 1, 4: 3}),
    ],
)
def test_lines_are_paired(before: str, after: str, pairs: dict[int, int]) -> None:
    assert paired_lines(before, after) == pairs


def test_long_texts_are_paired_quickly() -> None:
    # A quadratic comparison would take minutes.
    before, after = "a\nb\n" * 25_000, "b\na\n" * 25_000
    assert len(paired_lines(before, after)) == 50_000
