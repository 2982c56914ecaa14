"""Predictions survive a round trip through a run."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.evaluation.runs.samples import is_expected, manifest_of
from tests.support.predictions import text_of
from worldline.analysis.diagnosis import Sample, diagnose_prediction
from worldline.core.trace import Program, Trace
from worldline.evaluation.runs import RunWriter, read_predictions
from worldline.evaluation.runs.manifest import FILE, manifest_to_json
from worldline.evaluation.runs.sample_rows import sample_to_row
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import get_codec
from worldline.models.engines import Usage
from worldline.models.prediction import (
    GenerationRecord,
    Mode,
    Prediction,
    Question,
    RowDecision,
    StepScore,
    make_prediction,
)

SOURCE = "def f(x):\n    y = x + input()\n    return y\n"
CONTEXT = "def f(x):\n    return x + 1\n\n\ndef main(): # << START_OF_TRACE\n    return f('é')\n"
SCRIPT = "function F(x) { this.x = x }\n"
PROGRAMS = (
    Program(SOURCE, "f('a')", "b"),
    Program(SOURCE, "f('a')"),
    Program.from_text(CONTEXT),
    Program(SCRIPT, "new F(1)", "b", "javascript"),
    Program.from_text(Program(SCRIPT, "F(1)", language="javascript").text, language="javascript"),
)

words = st.text(st.characters(codec="utf-8"), max_size=8)
counts = st.integers(0, 2**31 - 1)
floats = st.floats(allow_nan=False, allow_infinity=False)
pairs = st.tuples(counts, counts)
scores = st.builds(StepScore, counts, floats, st.booleans(), counts, floats, st.booleans())
decisions = st.builds(
    RowDecision, st.none() | counts, st.floats(0, 1), st.booleans(), st.booleans()
)
asked = st.builds(
    GenerationRecord,
    mode=st.sampled_from(get_args(Mode)),
    codec=st.just("cwm"),
    max_tokens=counts,
    temperature=st.floats(0, 10),
    seed=st.none() | st.integers(-(2**63), 2**63 - 1),
    repeat=st.integers(0, 3),
    from_step=counts,
    max_value_chars=st.none() | counts,
    prompt_tokens=st.none() | counts,
    prompt_ids=st.lists(counts, max_size=4).map(tuple),
    completion_ids=st.lists(counts, max_size=4).map(tuple),
    forced_spans=st.lists(pairs, max_size=3).map(tuple),
    scores=st.lists(scores, max_size=2).map(tuple),
    usage=st.builds(Usage, *[counts] * 5),
    seconds=st.integers(0, 10**6).map(lambda n: n / 1000),
    policy=st.none() | words.filter(bool),
    threshold=st.none() | st.floats(0, 1),
    decisions=st.lists(decisions, max_size=3).map(tuple),
    actual_rows=st.none() | counts,
)


@pytest.fixture(scope="module")
def actuals(recorder: PythonRecorder) -> list[Trace]:
    return [recorder.record(program) for program in PROGRAMS]


@given(data=st.data())
@settings(max_examples=60)
def test_any_prediction_survives_a_round_trip(actuals: list[Trace], data: st.DataObject) -> None:
    actual = data.draw(st.sampled_from(actuals))
    text = text_of(actual)
    how = data.draw(st.none() | asked)
    has_failed = data.draw(st.booleans())
    codec = data.draw(st.sampled_from(["cwm", "chat"]))
    how = how and replace(how, codec=codec)
    output = (
        "" if has_failed else data.draw(st.sampled_from([text, text[:90], "", "[ANSWER]"]) | words)
    )
    repeat = how.repeat if how else 0
    prediction = make_prediction(
        f"s#1{f'#{repeat}' if repeat else ''}",
        actual.program,
        output,
        get_codec(how.codec if how else "cwm"),
        finish="infra_error"
        if has_failed
        else data.draw(st.sampled_from(["stop", "truncated", "unknown"])),
        model=data.draw(words),
        expected=data.draw(st.none() | words),
        external_answer=data.draw(st.none() | words | st.just("None")),
        error=data.draw(words.filter(bool)) if has_failed else None,
        generation=how,
    )
    assert kept(actual, prediction) == prediction


def kept(actual: Trace, prediction: Prediction) -> Prediction:
    """Write a prediction into a run and read it back."""
    sample = Sample(prediction, actual, diagnose_prediction(actual, prediction))
    question = Question("s#1", prediction.program, prediction.expected)
    row = sample_to_row(
        question, prediction.generation.repeat if prediction.generation else 0, sample, is_expected
    )
    with TemporaryDirectory() as folder:
        with RunWriter(Path(folder, "run")) as run:
            # Not `begin`, which runs git.
            run.manifest = manifest_of()
            run.location.write(FILE, manifest_to_json(run.manifest))
            run.add(row)
        (result,) = read_predictions(Path(folder, "run"))
    return result
