"""Operations of correct steps and of the diverging step: which are counted, and how."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.support.predictions import CWM, predict, replaced, text_of
from worldline.analysis.diagnosis import Sample, diagnose_prediction
from worldline.analysis.diagnosis.step_operations import OperationStep, operation_steps
from worldline.core.trace import Program
from worldline.languages.python.recorder import Recorder
from worldline.models.codecs import Codec
from worldline.models.prediction import Finish, GenerationRecord, Mode

STRIP = "def f(s):\n    t = s.strip('x')\n    return t\n"
LOOP = """\
def f(xs):
    n = 0
    for x in xs:
        if x > 2:
            n = n + x
    return n
"""


def sample_of(
    recorder: Recorder,
    source: str,
    call: str,
    edit: Callable[[str], str] = str,
    *,
    finish: Finish = "stop",
    codec: Codec = CWM,
) -> Sample:
    program = Program(source, call)
    actual = recorder.record(program)
    prediction = predict(program, edit(text_of(actual, codec)), finish=finish, codec=codec)
    return Sample(prediction, actual, diagnose_prediction(actual, prediction))


def observed(
    recorder: Recorder, source: str, call: str, edit: Callable[[str], str] = str
) -> list[OperationStep]:
    return list(operation_steps(sample_of(recorder, source, call, edit)))


def names(steps: list[OperationStep]) -> list[tuple[str, bool]]:
    return [
        (" ".join(each.name for each in step.operations), step.is_correct)
        for step in steps
        if step.operations[0].name != "copy"
    ]


def test_a_correct_operation_is_one_observation(recorder: Recorder) -> None:
    steps = observed(recorder, STRIP, "f('xax')")
    assert names(steps) == [("str.strip", True)]
    (strip,) = [step for step in steps if step.operations[0].name == "str.strip"]
    assert (strip.line, strip.is_single, strip.nesting) == (2, True, 1)
    assert strip.operations[0].arguments == "str"
    # 'xax' and 'x' with their quotes; the value is 'a'.
    assert (strip.operations[0].size, strip.read_size, strip.value_size) == (8, 8, 3)


def test_a_wrong_value_is_one_wrong_observation_and_nothing_after_it_counts(
    recorder: Recorder,
) -> None:
    source = "def f(s):\n    t = s.strip('x')\n    u = t.upper()\n    return u\n"
    steps = observed(recorder, source, "f('xax')", replaced('"t": "\'a\'"', '"t": "\'ax\'"'))
    assert names(steps) == [("str.strip", False)]


@pytest.mark.parametrize(
    ("expression", "expected", "is_single"),
    [
        ("s.replace('a', 'b')", "str.replace", True),
        ("s.strip().upper()", "str.strip str.upper", False),
        ("s + s[1:]", "str slice str +", False),
        ("len(s)", "len(str)", True),
        ("s[-1]", "str index", True),
        ("[s, s]", "copy", True),
        ("s.split()[0]", "str.split list index", False),
        ("s.split().index('a')", "str.split list.index", False),
        ("s.index('a')", "str.index", True),
        # The second operand of `and` may not have been evaluated: it is no observation.
        ("s and s.upper()", "and", False),
        ("s.isupper() and s.upper()", "str.isupper and", False),
        ("f'{s}!'", "f-string", True),
        ("'a' in s", "in str", True),
        ("math.floor(1.5)", "math.floor", True),
    ],
)
def test_operations_have_the_kind_of_what_they_are_applied_to(
    recorder: Recorder, expression: str, expected: str, is_single: bool
) -> None:
    source = f"import math\ndef f(s):\n    t = {expression}\n    return t\n"
    (step,) = [each for each in observed(recorder, source, "f('ab a')") if each.line == 3]
    assert " ".join(each.name for each in step.operations) == expected
    assert step.is_single is is_single


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("xs.append(1)", "list.append"),
        ("xs[0] = 5", "list item assignment"),
        ("xs[0] += 5", "list item assignment int +"),
        ("del xs[0]", "list item deletion"),
        ("xs.sort()", "list.sort"),
        ("n = 5", "copy"),
    ],
)
def test_changes_in_place_are_operations(recorder: Recorder, statement: str, expected: str) -> None:
    source = f"def f(xs):\n    {statement}\n    return xs\n"
    (step,) = [each for each in observed(recorder, source, "f([3, 2])") if each.line == 2]
    assert " ".join(each.name for each in step.operations) == expected


@pytest.mark.parametrize(
    "statement", ["print(s.upper())", "pass", "o.x = s.upper()", "it = iter(s)", "import os"]
)
def test_a_result_that_no_step_shows_is_no_observation(recorder: Recorder, statement: str) -> None:
    source = f"class O: pass\no = O()\ndef f(s):\n    {statement}\n    return 1\n"
    assert [each for each in observed(recorder, source, "f('a')") if each.line == 4] == []


def test_conditions_and_loops_are_observed_by_the_line_that_follows(recorder: Recorder) -> None:
    steps = observed(recorder, LOOP, "f([1, 3])")
    expected = [("for list", True), ("int >", True), ("for list", True), ("int >", True)]
    assert names(steps) == [*expected, ("int +", True), ("for list", True)]
    conditions = [step for step in steps if step.operations[0].name == "int >"]
    assert {step.value_size for step in conditions} == {None}


def test_a_wrong_branch_is_an_error_of_the_condition(recorder: Recorder) -> None:
    wrong = replaced("<|action_sep|>            n = n + x", "<|action_sep|>    for x in xs:")
    steps = observed(recorder, LOOP, "f([3, 1, 1])", wrong)
    assert names(steps) == [("for list", True), ("int >", False)]


def test_a_wrong_line_after_an_assignment_is_no_error_of_its_operation(
    recorder: Recorder,
) -> None:
    source = "def f(s):\n    t = s.strip('x')\n    u = 1\n    v = 2\n    return t\n"
    wrong = replaced("<|action_sep|>    u = 1", "<|action_sep|>    return t")
    sample = sample_of(recorder, source, "f('xax')", wrong)
    assert sample.diagnosis.where == "action"
    assert names(list(operation_steps(sample))) == []


def test_a_variable_that_the_line_does_not_write_says_nothing_about_it(
    recorder: Recorder,
) -> None:
    source = "def f(s):\n    a = 7\n    t = s.upper()\n    return t\n"
    wrong = replaced('"a": "..", "t"', '"a": "8", "t"')
    sample = sample_of(recorder, source, "f('x')", wrong)
    assert sample.diagnosis.facts.divergence is not None
    assert sample.diagnosis.facts.divergence.variable == "a"
    # The copied argument of the call, and `a = 7`.
    assert [each.line for each in operation_steps(sample)] == [7, 2]


def test_arguments_belong_to_the_call_and_are_not_counted_again(recorder: Recorder) -> None:
    source = "def g(x):\n    return x\ndef f(s):\n    t = g(s.strip()) + 'a'\n    return t\n"
    assert names(observed(recorder, source, "f(' b')")) == [("str.strip", True), ("str +", True)]


def test_a_comprehension_has_items_and_a_value(recorder: Recorder) -> None:
    source = "def f(xs):\n    ys = [x + 1 for x in xs if x > 0]\n    return ys\n"
    steps = observed(recorder, source, "f([1, -1])")
    items = [("for list", True)] * 2
    if sample_of(recorder, source, "f([1])").actual.origin.has_comprehension_frames:
        assert names(steps) == [*items, ("int + int > comprehension", True)]
        assert not steps[-2].is_single or steps[-2].operations[0].name == "copy"
    else:
        assert names(steps)[-1][0].endswith("comprehension")


def test_a_truncated_output_is_never_an_error(recorder: Recorder) -> None:
    sample = sample_of(
        recorder, STRIP, "f('xax')", lambda text: text[: text.index('"t"') + 6], finish="truncated"
    )
    assert sample.diagnosis.facts.outcome == "truncated"
    assert all(step.is_correct for step in operation_steps(sample))
    # Wrong already, but the step is not complete, and correct ones of that kind are not counted.
    text = replaced('"t": "\'a\'"', '"t": "\'bbbbbbbb')
    cut = sample_of(
        recorder,
        STRIP,
        "f('xax')",
        lambda whole: (edited := text(whole))[: edited.index("bbbb") + 6],
        finish="truncated",
    )
    assert cut.diagnosis.facts.divergence is not None
    assert cut.diagnosis.facts.divergence.is_within_truncated_step
    assert all(step.is_correct for step in operation_steps(cut))


def test_an_infrastructure_error_has_no_observations(recorder: Recorder) -> None:
    sample = sample_of(recorder, STRIP, "f('xax')")
    failed = replace(sample.prediction, finish="infra_error")
    diagnosis = diagnose_prediction(sample.actual, failed)
    assert list(operation_steps(Sample(failed, sample.actual, diagnosis))) == []


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("free", {"for list", "int >", "int +", "copy"}),
        ("force-actions", {"for list", "int +", "copy"}),
        ("force-state", {"int >"}),
        ("score", set()),
    ],
)
def test_what_the_model_was_given_is_not_counted(
    recorder: Recorder, mode: Mode, expected: set[str]
) -> None:
    sample = sample_of(recorder, LOOP, "f([3])")
    generation = GenerationRecord(mode, "cwm", 1000)
    given = replace(sample, prediction=replace(sample.prediction, generation=generation))
    assert {each.name for step in operation_steps(given) for each in step.operations} == expected


def test_the_first_steps_may_have_been_given(recorder: Recorder) -> None:
    sample = sample_of(recorder, LOOP, "f([3])")
    every = list(operation_steps(sample))
    start = every[2].step
    generation = GenerationRecord("free", "cwm", 1000, from_step=start)
    given = replace(sample, prediction=replace(sample.prediction, generation=generation))
    assert list(operation_steps(given)) == [step for step in every if step.step >= start]


def test_sizes_are_measured_in_any_unit(recorder: Recorder) -> None:
    sample = sample_of(recorder, STRIP, "f('xax')")
    halves = list(operation_steps(sample, measure=lambda value: 100 * len(value)))
    assert halves[1].value_size == 300
