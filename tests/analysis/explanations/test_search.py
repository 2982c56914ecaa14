"""The search finds the change that made a prediction wrong, and says when it applies."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.support.predictions import predict, text_of
from worldline.analysis.diagnosis import Sample, diagnose_prediction
from worldline.analysis.explanations import (
    MISCONCEPTIONS,
    ExplanationSearch,
    explanation_to_json,
    find_explanations,
)
from worldline.core.trace import Program, Trace
from worldline.languages.python.recorder import Recorder


def explain_wrong(
    recorder: Recorder,
    source: str,
    call: str,
    wrong: Callable[[str], str],
    *,
    only: tuple[str, ...] = (),
) -> ExplanationSearch:
    """Explain the execution of a wrong source, taken as a prediction for the correct one."""
    program = Program(source, call)
    predicted = recorder.record(Program(wrong(source), call))
    return explain(recorder, program, replace(predicted, program=program), only=only)


def explain(
    recorder: Recorder, program: Program, predicted: Trace, *, only: tuple[str, ...] = ()
) -> ExplanationSearch:
    actual = recorder.record(program)
    prediction = predict(program, text_of(predicted))
    sample = Sample(prediction, actual, diagnose_prediction(actual, prediction))
    misconceptions = [MISCONCEPTIONS[name] for name in only] if only else None
    return find_explanations(sample, recorder, misconceptions=misconceptions)


def test_the_wrong_operation_and_the_following_steps_are_found(recorder: Recorder) -> None:
    search = explain_wrong(
        recorder,
        "def f(s):\n    a, _, b = s.rpartition('-')\n    c = a.upper()\n    return c + b\n",
        "f('one-two-three')",
        lambda source: source.replace("rpartition", "partition"),
    )
    best = search.best
    assert best is not None
    assert (best.misconception, best.line, best.occurrence) == ("partition_side", 2, "always")
    # The two lines after it, and two returns.
    assert best.steps_after == 3
    assert search.summary() == (
        "explained if `.rpartition` were `.partition` "
        f"(also the next 3 steps; odds 1:{search.odds})"
    )
    assert search.odds is not None
    assert search.odds >= 20
    row = explanation_to_json(search)
    assert row["is_explained"] is True
    assert row["explanations"][0]["before"] == "s.rpartition"


def test_an_error_at_one_iteration_is_explained_there_only(recorder: Recorder) -> None:
    source = (
        "def f(xs):\n    t = ''\n    for x in xs:\n        t = x.replace('a', 'b')\n    return t\n"
    )
    program = Program(source, "f(['xaxa', 'yaya'])")
    actual = recorder.record(program)
    steps = tuple(
        replace(step, changed={"t": "'ybya'"}) if step.changed.get("t") == "'ybyb'" else step
        for step in actual.steps
    )
    search = explain(recorder, program, replace(actual, steps=steps))
    best = search.explanations[0]
    assert best.clause == "`.replace` replaced only the first match"
    assert best.occurrence == "once"
    assert ", here only," in search.summary()


def test_changes_with_the_same_execution_are_counted(recorder: Recorder) -> None:
    search = explain_wrong(
        recorder,
        "def f(s):\n    t = s.rstrip('xyz')\n    return t\n",
        "f('some text yx')",
        lambda source: source.replace(".rstrip('xyz')", ""),
        only=("not_applied", "strip_side", "strip_as_affix"),
    )
    names = [explanation.misconception for explanation in search.explanations]
    assert sorted(names) == ["not_applied", "strip_as_affix", "strip_side"]
    assert search.summary().endswith("2 other changes yield the same)")


def test_an_alias_is_found_on_an_earlier_line(recorder: Recorder) -> None:
    search = explain_wrong(
        recorder,
        "def f(xs):\n    ys = xs\n    ys.append(7)\n    return xs\n",
        "f([1, 2])",
        lambda source: source.replace("ys = xs", "ys = xs[:]"),
    )
    assert search.explanations[0].misconception == "copy_for_alias"
    assert search.explanations[0].line == 2


def test_repeated_errors_make_an_action_unlikely_by_chance(recorder: Recorder) -> None:
    loop = "    for x in xs:\n        if x < 5:\n            n += x\n"
    source = f"def f(xs):\n    n = 0\n{loop}    return n\n"

    def at_most(text: str) -> str:
        return text.replace("x < 5", "x <= 5")

    once = explain_wrong(recorder, source, "f([5, 1, 9])", at_most)
    assert once.explanations
    assert once.chance == 1.0
    assert once.best is None
    assert once.summary().startswith("not explained: no better than chance if")
    thrice = explain_wrong(recorder, source, "f([5, 1, 5, 9, 5, 2, 5])", at_most)
    assert thrice.best is not None
    assert thrice.best.clause == "`<` were `<=`"


def test_a_program_that_never_ends_does_not_hide_the_others(recorder: Recorder) -> None:
    loop = "    while n > 0:\n        n -= 2\n        t = t * 3 ** n\n"
    search = explain_wrong(
        recorder,
        f"def f(n):\n    t = 1\n{loop}    return t\n",
        "f(7)",
        lambda source: source.replace("3 ** n", "(3 * n)"),
    )
    assert search.explanations[0].clause == "`**` were `*`"


@pytest.mark.parametrize("is_wrong", [False, True])
def test_what_cannot_be_explained_says_why(recorder: Recorder, is_wrong: bool) -> None:
    program = Program("def f(s):\n    return s.upper()\n", "f('ab')")
    actual = recorder.record(program)
    steps = actual.steps
    if is_wrong:
        steps = (*steps[:-2], *(replace(step, value="'qq'") for step in steps[-2:]))
    search = explain(recorder, program, replace(actual, steps=steps))
    assert search.explanations == ()
    assert search.best is None
    expected = "changes yields the prediction" if is_wrong else "no wrong value or action"
    assert expected in search.summary()


def test_the_search_is_deterministic(recorder: Recorder) -> None:
    def search() -> ExplanationSearch:
        return explain_wrong(
            recorder,
            "def f(s):\n    t = s[2:5]\n    return t\n",
            "f('abcdefgh')",
            lambda source: source.replace("2:5", "2:6"),
        )

    assert explanation_to_json(search()) == explanation_to_json(search())
