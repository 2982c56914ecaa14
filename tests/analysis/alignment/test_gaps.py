"""Gaps: skipped, inserted and repeated steps, and what is not one."""

from collections.abc import Callable

import pytest

from tests.support.predictions import diagnose_edit, replaced
from worldline.languages.python.recorder import PythonRecorder

SEPARATOR = "<|frame_sep|>"
LINES = "def f(a):\n    b = a + 1\n    c = b * 2\n    d = c - 3\n    e = d + b\n    return e\n"
EXTRA_STEP = '<|line_sep|>{"a": ".."}<|action_sep|>    d = c - 3\n'
LOOP = "def f(n):\n    t = 0\n    for i in range(n):\n        t = i * i\n    return t\n"


def without_steps(first: int, count: int) -> Callable[[str], str]:
    """Make an edit that removes steps."""

    def edit(text: str) -> str:
        steps = text.split(SEPARATOR)
        return SEPARATOR.join(steps[:first] + steps[first + count :])

    return edit


def with_copy(first: int, count: int) -> Callable[[str], str]:
    """Make an edit that writes steps twice."""

    def edit(text: str) -> str:
        steps = text.split(SEPARATOR)
        return SEPARATOR.join(steps[: first + count] + steps[first:])

    return edit


def with_step(first: int, step: str) -> Callable[[str], str]:
    """Make an edit that inserts a step."""

    def edit(text: str) -> str:
        steps = text.split(SEPARATOR)
        return SEPARATOR.join([*steps[:first], step, *steps[first:]])

    return edit


@pytest.mark.parametrize(
    ("source", "call", "edit", "kind", "steps", "cause"),
    [
        (LINES, "f(1)", without_steps(5, 1), "steps_skipped", 1, "steps_skipped"),
        (LINES, "f(1)", without_steps(4, 2), "steps_skipped", 2, "steps_skipped"),
        (LINES, "f(1)", with_copy(5, 1), "steps_repeated", 1, "steps_repeated"),
        (LINES, "f(1)", with_step(4, EXTRA_STEP), "steps_inserted", 1, "steps_inserted"),
        # One iteration: the body, and the header again.
        (LOOP, "f(5)", without_steps(8, 2), "steps_skipped", 2, "wrong_loop_item"),
    ],
)
def test_steps_that_only_one_side_has(
    recorder: PythonRecorder,
    source: str,
    call: str,
    edit: Callable[[str], str],
    kind: str,
    steps: int,
    cause: str,
) -> None:
    result = diagnose_edit(recorder, source, call, edit)
    alignment = result.facts.alignment
    assert alignment is not None
    assert alignment.gap is not None
    assert (alignment.gap.kind, alignment.gap.steps) == (kind, steps)
    assert result.cause is not None
    assert result.cause.name == cause
    # The prediction is correct after the gap, up to its end.
    assert alignment.reconvergence is not None
    assert alignment.reconvergence.decisive_step is None


def test_a_wrong_value_is_not_a_gap(recorder: PythonRecorder) -> None:
    result = diagnose_edit(recorder, LINES, "f(1)", replaced('"c": "4"', '"c": "5"'))
    alignment = result.facts.alignment
    assert alignment is not None
    assert alignment.gap is None
    assert result.cause is not None
    assert result.cause.name == "arithmetic"


def test_the_decisive_divergence_is_the_last_one(recorder: PythonRecorder) -> None:
    """One step is skipped, which is harmless; later the result is wrong for good."""

    def edit(text: str) -> str:
        shortened = without_steps(8, 2)(text)
        assert shortened.count('<|arg_sep|>"16"') == 2
        return shortened.replace('<|arg_sep|>"16"', '<|arg_sep|>"17"')

    result = diagnose_edit(recorder, LOOP, "f(5)", edit)
    alignment = result.facts.alignment
    assert alignment is not None
    assert alignment.reconvergence is not None
    assert alignment.matched_steps == 8
    assert alignment.reconvergence.decisive_step == len(alignment.predicted.steps) - 2
