"""A prediction that was put into a run comes back as it was, whatever it is."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.predictions import text_of
from tests.runs.samples import is_expected, manifest_of
from worldline.codecs import codec_named
from worldline.diagnose import Sample, diagnose
from worldline.engines import Usage
from worldline.predict import Asked, Mode, Prediction, Question, StepScore, make_prediction
from worldline.recorders import PythonRecorder
from worldline.runs import Run, read_predictions
from worldline.runs.manifest import FILE, manifest_to_json
from worldline.runs.rows import sample_to_row
from worldline.trace import Program, Trace

SOURCE = "def f(x):\n    y = x + input()\n    return y\n"
CONTEXT = "def f(x):\n    return x + 1\n\n\ndef main(): # << START_OF_TRACE\n    return f('é')\n"
PROGRAMS = (
    Program(SOURCE, "f('a')", "b"),
    Program(SOURCE, "f('a')"),
    Program(CONTEXT, None, "", context=CONTEXT),
)

words = st.text(st.characters(codec="utf-8"), max_size=8)
counts = st.integers(0, 2**31 - 1)
floats = st.floats(allow_nan=False, allow_infinity=False)
pairs = st.tuples(counts, counts)
scores = st.builds(StepScore, counts, floats, st.booleans(), counts, floats, st.booleans())
asked = st.builds(
    Asked,
    mode=st.sampled_from(get_args(Mode)),
    codec=st.just("cwm"),
    budget=counts,
    temperature=st.floats(0, 10),
    seed=st.none() | st.integers(-(2**63), 2**63 - 1),
    repeat=st.integers(0, 3),
    from_step=counts,
    longest_value=st.none() | counts,
    prompt_tokens=st.none() | counts,
    prompt_ids=st.lists(counts, max_size=4).map(tuple),
    ids=st.lists(counts, max_size=4).map(tuple),
    given=st.lists(pairs, max_size=3).map(tuple),
    scores=st.lists(scores, max_size=2).map(tuple),
    usage=st.builds(Usage, *[counts] * 5),
    seconds=st.integers(0, 10**6).map(lambda n: n / 1000),
)


@pytest.fixture(scope="module")
def truths(recorder: PythonRecorder) -> list[Trace]:
    return [recorder.record(program) for program in PROGRAMS]


@given(data=st.data())
@settings(max_examples=60)
def test_any_prediction_comes_back_from_a_run(truths: list[Trace], data: st.DataObject) -> None:
    truth = data.draw(st.sampled_from(truths))
    text = text_of(truth)
    how = data.draw(st.none() | asked)
    has_failed = data.draw(st.booleans())
    codec = data.draw(st.sampled_from(["cwm", "chat"]))
    how = how and replace(how, codec=codec)
    said = (
        "" if has_failed else data.draw(st.sampled_from([text, text[:90], "", "[ANSWER]"]) | words)
    )
    repeat = how.repeat if how else 0
    prediction = make_prediction(
        f"s#1{f'#{repeat}' if repeat else ''}",
        truth.program,
        said,
        codec_named(how.codec if how else "cwm"),
        finish="error" if has_failed else data.draw(st.sampled_from(["stop", "length", "unknown"])),
        model=data.draw(words),
        expected=data.draw(st.none() | words),
        taken_answer=data.draw(st.none() | words | st.just("None")),
        error=data.draw(words.filter(bool)) if has_failed else None,
        asked=how,
    )
    assert kept(truth, prediction) == prediction


def kept(truth: Trace, prediction: Prediction) -> Prediction:
    """The prediction, put into a run and read back."""
    sample = Sample(prediction, truth, diagnose(truth, prediction))
    question = Question("s#1", prediction.program, prediction.expected)
    row = sample_to_row(
        question, prediction.asked.repeat if prediction.asked else 0, sample, is_expected
    )
    with TemporaryDirectory() as folder:
        with Run(Path(folder, "run")) as run:
            # Not `begin`, which asks git.
            run.manifest = manifest_of()
            run.place.write(FILE, manifest_to_json(run.manifest))
            run.add(row)
        (found,) = read_predictions(Path(folder, "run"))
    return found
