"""A text to go on from: all before the divergence, and the one thing that was wrong put right."""

import random
from collections import Counter
from typing import Any

from tests.oracle import STEPS
from tests.predictions import predict, replaced, text_of
from worldline.align import Divergence
from worldline.diagnose import Sample, diagnose
from worldline.intervene import patch, text_before
from worldline.recorders import PythonRecorder
from worldline.trace import Program

LOOP = Program(
    "def f(n):\n    s = 0\n    for i in range(n):\n        s += i\n    return s\n", "f(3)"
)


def sample_of(recorder: PythonRecorder, program: Program, old: str, new: str) -> Sample:
    truth = recorder.record(program)
    prediction = predict(program, replaced(old, new)(text_of(truth)))
    return Sample(prediction, truth, diagnose(truth, prediction))


def patched(sample: Sample) -> str | None:
    alignment = sample.diagnosis.facts.alignment
    assert alignment is not None
    return patch(sample.prediction, alignment, STEPS)


def test_a_wrong_value_is_put_right_and_its_line_left_to_the_model(
    recorder: PythonRecorder,
) -> None:
    sample = sample_of(recorder, LOOP, '"s": "1", "i": ".."', '"s": "2", "i": ".."')
    before = text_before(sample.prediction, divergence_of(sample))
    assert text_of(sample.truth).startswith(before)
    text = patched(sample)
    assert text is not None
    assert text.removeprefix(before) == '<|line_sep|>{"n": "..", "s": "1", "i": ".."}<|action_sep|>'
    assert text_of(sample.truth).startswith(text)


def test_a_wrong_line_is_put_right_as_a_whole_step(recorder: PythonRecorder) -> None:
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
    assert text_of(sample.truth).startswith(text)


def test_of_another_event_only_the_event_is_put_right(recorder: PythonRecorder) -> None:
    sample = sample_of(
        recorder, LOOP, '<|call_sep|>{"n": "3"}<|action_sep|>def f(n):',
        '<|line_sep|>{"n": "3"}<|action_sep|>def f(n):',
    )  # fmt: skip
    text = patched(sample)
    assert text is not None
    assert text.endswith("<|frame_sep|><|call_sep|>")
    assert text_of(sample.truth).startswith(text)


def test_what_stopped_early_is_told_the_next_event(recorder: PythonRecorder) -> None:
    truth = recorder.record(LOOP)
    whole = text_of(truth)
    cut = whole[: whole.index("<|line_sep|>", 400)] + "<|end_of_text|>"
    prediction = predict(LOOP, cut)
    sample = Sample(prediction, truth, diagnose(truth, prediction))
    assert sample.diagnosis.where == "end"
    text = patched(sample)
    assert text == cut.removesuffix("<|end_of_text|>") + "<|line_sep|>"


def test_nothing_is_patched_that_would_be_the_answer(recorder: PythonRecorder) -> None:
    returned = '    return s\n<|arg_sep|>"3"'
    sample = sample_of(recorder, LOOP, returned, returned.replace("3", "4"))
    assert sample.diagnosis.where == "return"
    assert patched(sample) is None


def test_a_patched_text_is_always_the_beginning_of_the_truth(
    cruxeval: list[dict[str, Any]], recorder: PythonRecorder
) -> None:
    chance = random.Random(0)
    places: Counter[str | None] = Counter()
    for row in cruxeval[::8]:
        truth = recorder.record(Program(row["code"], f"f({row['input']})"))
        text = text_of(truth)
        # A digit or letter in it becomes another, or a step is left out.
        spots = [n for n in range(60, len(text)) if text[n].isalnum()]
        spot = chance.choice(spots)
        steps = [n for n in range(60, len(text)) if text.startswith("<|line_sep|>", n)]
        if chance.random() < 0.3 and len(steps) > 2:
            number = chance.randrange(len(steps) - 1)
            changed = text[: steps[number]] + text[steps[number + 1] :]
        else:
            changed = text[:spot] + ("7" if text[spot] != "7" else "8") + text[spot + 1 :]
        prediction = predict(truth.program, changed)
        sample = Sample(prediction, truth, diagnose(truth, prediction))
        if sample.diagnosis.facts.alignment is None:
            continue
        found = patched(sample)
        if found is not None:
            assert text.startswith(found), row["id"]
            assert len(found) > len(text_before(prediction, divergence_of(sample)))
            places[sample.diagnosis.where] += 1
    assert places["state"] > 10
    assert places["action"] > 10


def divergence_of(sample: Sample) -> Divergence:
    divergence = sample.diagnosis.facts.divergence
    assert divergence is not None
    return divergence
