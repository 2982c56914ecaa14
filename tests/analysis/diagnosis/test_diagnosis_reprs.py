"""Reprs of samples and diagnoses: one short line, for traces of any size."""

import pickle

import pytest

from tests.support.predictions import predict, replaced, text_of
from worldline.analysis.diagnosis import Sample, diagnose_prediction
from worldline.core.trace import Program
from worldline.languages.python.recorder import PythonRecorder

LOOP = "def f(n):\n    s = ''\n    for i in range(n):\n        s += 'ab\\n' * 50\n    return s\n"
MAX_LENGTH = 120


@pytest.fixture(scope="module")
def sample(recorder: PythonRecorder) -> Sample:
    actual = recorder.record(Program(LOOP, "f(40)"))
    text = replaced('"s": "\'ab', '"s": "\'xb')(text_of(actual))
    prediction = predict(actual.program, text)
    return Sample(prediction, actual, diagnose_prediction(actual, prediction))


def test_reprs_are_one_short_line(sample: Sample) -> None:
    facts = sample.diagnosis.facts
    assert facts.divergence is not None
    objects = [
        sample, sample.diagnosis, sample.diagnosis.cause, facts, facts.alignment, facts.divergence,
        facts.divergence.differences[0], facts.value, facts.operation, facts.position,
    ]  # fmt: skip
    for value in objects:
        assert repr(value).startswith(f"{type(value).__name__}(")
        assert repr(value).isprintable()
        assert len(repr(value)) <= MAX_LENGTH, repr(value)


def test_the_repr_of_a_sample_shows_its_divergence(sample: Sample) -> None:
    divergence = sample.diagnosis.facts.divergence
    assert divergence is not None
    name = sample.prediction.id
    expected = f"Sample({name!r}, diverged at step {divergence.step} in state: s = 'xb"
    assert repr(sample).startswith(expected)


def test_causes_and_divergences_can_be_pickled(sample: Sample) -> None:
    for value in (sample.diagnosis.cause, sample.diagnosis.facts.divergence):
        assert pickle.loads(pickle.dumps(value)) == value
