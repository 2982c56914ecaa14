"""The chance of an explanation is the share of random wrong values that are explained as well."""

import pytest

from tests.support.predictions import diagnose_edit, replaced
from worldline.analysis.alignment import Divergence
from worldline.analysis.diagnosis import Sample, value_kind
from worldline.analysis.explanations.explanation_chance import (
    ERROR_RATE,
    chance_of_explanation,
    chance_with_repeats,
)
from worldline.analysis.explanations.random_values import random_wrong_value
from worldline.core.trace import Program
from worldline.core.util.seeded_random import SeededRandom
from worldline.languages.python.recorder import Recorder
from worldline.models.codecs import get_codec
from worldline.models.prediction import make_prediction


def chance(recorder: Recorder, expression: str, predicted: str, values: set[str]) -> float:
    """The chance of a wrong return value of an expression."""
    source, call = f"def f(s):\n    return {expression}\n", "f('abc')"
    program = Program(source, call)
    actual = recorder.record(program)
    result = actual.result or ""
    diagnosis = diagnose_edit(recorder, source, call, replaced(f'"{result}"', f'"{predicted}"'))
    prediction = make_prediction("chance", program, "", get_codec("cwm"))
    divergence = diagnosis.facts.divergence
    assert divergence is not None
    return chance_of_explanation(Sample(prediction, actual, diagnosis), divergence, values)


@pytest.mark.parametrize(
    ("expression", "predicted", "values", "expected"),
    [
        # One of two, and two of ten integers at a distance of at most five.
        ("len(s)", "4", {"4"}, 0.1),
        ("len(s)", "4", {"4", "2"}, 0.2),
        # A hundred away: one of 200.
        ("len(s)", "103", {"103"}, 0.005),
        # There is only one other bool.
        ("s == 'abc'", "False", {"False"}, 1.0),
        # Random edits of a longer string do not hit.
        ("s * 5", "'xxabcabcabcabyy'", {"'xxabcabcabcabyy'"}, 0.001),
    ],
)
def test_chance_of_a_value(
    recorder: Recorder, expression: str, predicted: str, values: set[str], expected: float
) -> None:
    assert chance(recorder, expression, predicted, values) == pytest.approx(expected, abs=0.03)


def test_an_action_is_always_explained_by_chance(recorder: Recorder) -> None:
    program = Program("def f(s):\n    return s\n", "f(1)")
    actual = recorder.record(program)
    prediction = make_prediction("chance", program, "", get_codec("cwm"))
    diagnosis = diagnose_edit(recorder, "def f(s):\n    return s\n", "f(1)", str)
    divergence = Divergence(3, "action", "return", 2, 1, 2, "    return s", "x")
    sample = Sample(prediction, actual, diagnosis)
    assert chance_of_explanation(sample, divergence, {"<line 1>"}) == 1.0


def test_repeated_errors() -> None:
    assert chance_with_repeats(0.5, 0, 7) == 0.5
    assert chance_with_repeats(0.5, 1, 2) == pytest.approx(ERROR_RATE)
    assert chance_with_repeats(1.0, 1, 1000) == 1.0


@pytest.mark.parametrize(
    ("actual", "predicted", "kind"),
    [
        ("[1, 2, 3]", "[1, 2, 4]", "list"),
        ("{'a': 1, 'b': 2}", "{'a': 2}", "dict"),
        ("{1, 2, 3}", "{1}", "set"),
        ("('a', 'b')", "('b', 'a')", "tuple"),
        ("1.5", "2.5", "float"),
        # The predicted value has another kind.
        ("None", "[1, 2]", "list"),
        ("'abc'", "7", "int"),
    ],
)
def test_random_values_have_the_kind_of_the_prediction(
    actual: str, predicted: str, kind: str
) -> None:
    random = SeededRandom("test")
    drawn = [random_wrong_value(actual, predicted, ["abc"], random) for _ in range(100)]
    kinds = [value_kind(value) for value in drawn]
    assert kinds.count(kind) >= 90  # type: ignore[arg-type]
    assert len(set(drawn)) > 5
