"""Every misconception explains its own example, and not the prediction next to it."""

import pytest

from worldline.analysis.diagnosis import Sample, diagnose_prediction
from worldline.analysis.explanations import (
    MISCONCEPTIONS,
    Example,
    ExplanationSearch,
    Misconception,
    find_explanations,
)
from worldline.languages.python.recorder import Recorder
from worldline.models.codecs import get_codec
from worldline.models.prediction import make_prediction


def search(example: Example, misconception: Misconception, recorder: Recorder) -> ExplanationSearch:
    text = f"[ANSWER] {example.predicted} [/ANSWER]"
    prediction = make_prediction("example", example.program, text, get_codec("chat"))
    actual = recorder.record(example.program)
    sample = Sample(prediction, actual, diagnose_prediction(actual, prediction))
    assert sample.diagnosis.facts.outcome == "diverged", actual.result
    return find_explanations(sample, recorder, misconceptions=[misconception])


@pytest.mark.parametrize("misconception", MISCONCEPTIONS.values(), ids=lambda m: str(m.name))
def test_a_misconception_explains_its_example_only(
    misconception: Misconception, recorder: Recorder
) -> None:
    explained = search(misconception.explains, misconception, recorder)
    assert {each.misconception for each in explained.explanations} == {misconception.name}
    rejected = search(misconception.rejects, misconception, recorder)
    assert rejected.explanations == ()
    assert rejected.tried > 0


def test_sentences_are_plain_and_names_unique() -> None:
    sentences = [misconception.sentence for misconception in MISCONCEPTIONS.values()]
    assert len(set(sentences)) == len(sentences) >= 60
    assert all(sentence.endswith(".") and len(sentence) < 100 for sentence in sentences)
