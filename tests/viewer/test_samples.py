"""What the page steps through is what was executed and what was imagined, to the last variable."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from worldline.demo import PREDICTIONS
from worldline.diagnose import Sample
from worldline.predict import read_recorded
from worldline.recorders import PythonRecorder
from worldline.runs import StoredPredictions, examine, read_predictions
from worldline.tokens import load_tokenizer
from worldline.trace import Program, states
from worldline.viewer import sample_document
from worldline.viewer.examined import ExaminedRun

RECURSIVE = "def f(n):\n    if n == 0:\n        raise ValueError('end')\n    return f(n - 1)\n"


def replayed(steps: list[dict[str, Any]]) -> Iterator[dict[str, str]]:
    """The variables at each step, from what the page is told."""
    state: dict[str, str] = {}
    for step in steps:
        state = {name: value for name, value in state.items() if name not in step["unset"]}
        state |= step["set"]
        yield dict(state)


def stacks(steps: list[dict[str, Any]]) -> Iterator[list[str]]:
    stack: list[str] = []
    for step in steps:
        if "stack" in step:
            stack = [frame["function"] for frame in step["stack"]]
        yield stack


def documents(run: str, recorder: PythonRecorder) -> Iterator[tuple[Sample, dict[str, Any]]]:
    examined = ExaminedRun(run, recorder)
    for name in examined.names:
        yield examined.sample(name), examined.document(name)


def test_states_add_up_to_those_of_the_executions(demo_run: str, recorder: PythonRecorder) -> None:
    compared = 0
    for sample, document in documents(demo_run, recorder):
        alignment = sample.diagnosis.facts.alignment
        truth = alignment.truth if alignment else sample.truth
        decoded = alignment.predicted if alignment else sample.prediction.decoded
        assert list(replayed(document["real"]["steps"])) == list(truth.states())
        assert list(replayed(document["imagined"]["steps"])) == list(states(decoded.steps))
        assert [step["text"] for step in document["imagined"]["steps"]] == [
            written.line for written in decoded.written
        ]
        compared += len(truth.steps)
    assert compared > 100


def test_the_divergence_is_the_diagnosis_own(demo_run: str, recorder: PythonRecorder) -> None:
    diverged = 0
    for sample, document in documents(demo_run, recorder):
        parting = sample.diagnosis.facts.divergence
        if parting is None:
            assert document["divergence"] is None
            assert document["same_again"] == []
            continue
        diverged += 1
        assert document["divergence"]["step"] == parting.step
        imagined = document["imagined"]["steps"]
        assert len(document["same_again"]) == max(0, len(imagined) - parting.step)
        assert not any(document["same_again"][:1])
    assert diverged > 5


def test_the_stack_grows_by_calls_and_shrinks_by_returns(recorder: PythonRecorder) -> None:
    sample = imagined(recorder, Program(RECURSIVE, "f(2)"))
    steps = sample_document(sample, verdict="wrong")["real"]["steps"]
    found = list(stacks(steps))
    assert max(map(len, found)) == 4
    assert found[0] == ["main"]
    assert ["main", "f", "f", "f"] in found
    # Each scope is left by the exception, the innermost first.
    assert [len(stack) for stack in found][-4:] == [2, 2, 1, 1]


def test_a_lone_surrogate_survives(recorder: PythonRecorder) -> None:
    program = Program("def f(x):\n    return x\n", "f('\\ud800</script>')")
    document = sample_document(imagined(recorder, program), verdict="wrong")
    assert json.loads(json.dumps(document)) == document
    assert "\\ud800</script>" in document["source"]


def test_values_are_cut_where_the_vocabulary_cuts(demo_run: str, recorder: PythonRecorder) -> None:
    examined = ExaminedRun(demo_run, recorder, tokenizer=load_tokenizer("bytes"))
    cuts: list[Mapping[str, Any]] = []
    for name in examined.names:
        document = examined.document(name)
        if document["cuts"] is not None:
            assert "".join(document["cuts"]["true"]) == document["divergence"]["true"]
            cuts.append(document["cuts"])
    assert len(cuts) > 5


def test_a_prediction_is_found_without_the_others(demo_run: str) -> None:
    stored = StoredPredictions(demo_run)
    for prediction in read_predictions(demo_run):
        assert prediction.id in stored
        found = stored[prediction.id]
        assert (found.program, found.text, found.decoded) == (
            prediction.program,
            prediction.text,
            prediction.decoded,
        )
    assert "nobody" not in stored


def imagined(recorder: PythonRecorder, program: Program) -> Sample:
    """A program beside a prediction that breaks off at once."""
    first = next(iter(read_recorded(PREDICTIONS)))
    return examine(replace(first, program=program), recorder)
