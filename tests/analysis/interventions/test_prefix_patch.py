"""Prefixes to continue from: the output before the divergence, with one value or line patched."""

import random
from collections import Counter
from typing import Any

from tests.support.predictions import predict, replaced, text_of
from tests.support.scripted_models import STEPS
from worldline.analysis.alignment import Divergence
from worldline.analysis.diagnosis import Sample, diagnose_prediction
from worldline.analysis.interventions import patched_prefix, prefix_before_divergence
from worldline.core.trace import Program
from worldline.languages.python.recorder import PythonRecorder

LOOP = Program(
    "def f(n):\n    s = 0\n    for i in range(n):\n        s += i\n    return s\n", "f(3)"
)


def sample_of(recorder: PythonRecorder, program: Program, old: str, new: str) -> Sample:
    actual = recorder.record(program)
    prediction = predict(program, replaced(old, new)(text_of(actual)))
    return Sample(prediction, actual, diagnose_prediction(actual, prediction))


def patched(sample: Sample) -> str | None:
    alignment = sample.diagnosis.facts.alignment
    assert alignment is not None
    return patched_prefix(sample.prediction, alignment, STEPS)


def test_a_wrong_value_is_patched_without_its_line(
    recorder: PythonRecorder,
) -> None:
    sample = sample_of(recorder, LOOP, '"s": "1", "i": ".."', '"s": "2", "i": ".."')
    before = prefix_before_divergence(sample.prediction, divergence_of(sample), STEPS)
    assert text_of(sample.actual).startswith(before)
    text = patched(sample)
    assert text is not None
    assert text.removeprefix(before) == '<|line_sep|>{"n": "..", "s": "1", "i": ".."}<|action_sep|>'
    assert text_of(sample.actual).startswith(text)


def test_a_wrong_line_is_patched_as_a_complete_step(recorder: PythonRecorder) -> None:
    sample = sample_of(
        recorder,
        LOOP,
        '"s": "0"}<|action_sep|>    for i in range(n):',
        '"s": "0"}<|action_sep|>    return s',
    )
    assert sample.diagnosis.where == "action"
    text = patched(sample)
    assert text is not None
    assert text.endswith('"s": "0"}<|action_sep|>    for i in range(n):\n<|frame_sep|>')
    assert text_of(sample.actual).startswith(text)


def test_a_wrong_event_is_patched_alone(recorder: PythonRecorder) -> None:
    sample = sample_of(
        recorder, LOOP, '<|call_sep|>{"n": "3"}<|action_sep|>def f(n):',
        '<|line_sep|>{"n": "3"}<|action_sep|>def f(n):',
    )  # fmt: skip
    text = patched(sample)
    assert text is not None
    assert text.endswith("<|frame_sep|><|call_sep|>")
    assert text_of(sample.actual).startswith(text)


def test_a_prediction_that_stopped_early_is_patched_with_the_next_event(
    recorder: PythonRecorder,
) -> None:
    actual = recorder.record(LOOP)
    whole = text_of(actual)
    cut = whole[: whole.index("<|line_sep|>", 400)] + "<|end_of_text|>"
    prediction = predict(LOOP, cut)
    sample = Sample(prediction, actual, diagnose_prediction(actual, prediction))
    assert sample.diagnosis.where == "end"
    text = patched(sample)
    assert text == cut.removesuffix("<|end_of_text|>") + "<|line_sep|>"


def test_a_patch_never_contains_the_answer(recorder: PythonRecorder) -> None:
    returned = '    return s\n<|arg_sep|>"3"'
    sample = sample_of(recorder, LOOP, returned, returned.replace("3", "4"))
    assert sample.diagnosis.where == "return"
    assert patched(sample) is None


def test_a_patched_prefix_is_a_prefix_of_the_actual_trace(
    cruxeval: list[dict[str, Any]], recorder: PythonRecorder
) -> None:
    chance = random.Random(0)
    places: Counter[str | None] = Counter()
    for row in cruxeval[::8]:
        actual = recorder.record(Program(row["code"], f"f({row['input']})"))
        text = text_of(actual)
        # Change a digit or letter of a step, or omit a step.
        spots = [n for n in range(60, len(text)) if text[n].isalnum()]
        spot = chance.choice(spots)
        steps = [n for n in range(60, len(text)) if text.startswith("<|line_sep|>", n)]
        if chance.random() < 0.3 and len(steps) > 2:
            number = chance.randrange(len(steps) - 1)
            changed = text[: steps[number]] + text[steps[number + 1] :]
        else:
            changed = text[:spot] + ("7" if text[spot] != "7" else "8") + text[spot + 1 :]
        prediction = predict(actual.program, changed)
        sample = Sample(prediction, actual, diagnose_prediction(actual, prediction))
        if sample.diagnosis.facts.alignment is None:
            continue
        prefix = patched(sample)
        if prefix is not None:
            assert text.startswith(prefix), row["id"]
            assert len(prefix) > len(
                prefix_before_divergence(prediction, divergence_of(sample), STEPS)
            )
            places[sample.diagnosis.where] += 1
    assert places["state"] > 10
    assert places["action"] > 10


def divergence_of(sample: Sample) -> Divergence:
    divergence = sample.diagnosis.facts.divergence
    assert divergence is not None
    return divergence
