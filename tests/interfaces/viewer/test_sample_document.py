"""Sample document: its steps and states are those of the two executions."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from worldline.analysis.diagnosis import Sample
from worldline.core.trace import Program, states
from worldline.evaluation.runs import StoredPredictions, execute_and_diagnose, read_predictions
from worldline.interfaces.demo import PREDICTIONS
from worldline.interfaces.viewer import build_sample_document
from worldline.interfaces.viewer.diagnosed_run import DiagnosedRun
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.prediction import read_prediction_file
from worldline.models.tokenizers import load_tokenizer

RECURSIVE = "def f(n):\n    if n == 0:\n        raise ValueError('end')\n    return f(n - 1)\n"


def replayed(steps: list[dict[str, Any]]) -> Iterator[dict[str, str]]:
    """The variables at each step, from the changes in the document."""
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
    diagnosed = DiagnosedRun(run, recorder)
    for name in diagnosed.names:
        yield diagnosed.diagnose(name), diagnosed.document(name)


def test_changes_add_up_to_the_states_of_the_executions(
    demo_run: str, recorder: PythonRecorder
) -> None:
    compared = 0
    for sample, document in documents(demo_run, recorder):
        alignment = sample.diagnosis.facts.alignment
        actual = alignment.actual if alignment else sample.actual
        decoded = alignment.predicted if alignment else sample.prediction.decoded
        assert list(replayed(document["actual"]["steps"])) == list(actual.states())
        assert list(replayed(document["predicted"]["steps"])) == list(states(decoded.steps))
        assert [step["text"] for step in document["predicted"]["steps"]] == [
            step_text.line for step_text in decoded.step_texts
        ]
        compared += len(actual.steps)
    assert compared > 100


def test_divergence_is_that_of_the_diagnosis(demo_run: str, recorder: PythonRecorder) -> None:
    diverged = 0
    for sample, document in documents(demo_run, recorder):
        divergence = sample.diagnosis.facts.divergence
        if divergence is None:
            assert document["divergence"] is None
            assert document["matches_after_divergence"] == []
            continue
        diverged += 1
        assert document["divergence"]["step"] == divergence.step
        assert document["divergence"]["executed_line"] == divergence.executed_line
        steps = document["predicted"]["steps"]
        assert len(document["matches_after_divergence"]) == max(0, len(steps) - divergence.step)
        assert not any(document["matches_after_divergence"][:1])
    assert diverged > 5


def test_call_stack_grows_by_calls_and_shrinks_by_returns(recorder: PythonRecorder) -> None:
    sample = diagnosed_sample(recorder, Program(RECURSIVE, "f(2)"))
    steps = build_sample_document(sample, verdict="incorrect")["actual"]["steps"]
    call_stacks = list(stacks(steps))
    assert max(map(len, call_stacks)) == 4
    assert call_stacks[0] == ["main"]
    assert ["main", "f", "f", "f"] in call_stacks
    # The exception leaves each scope, the innermost first.
    assert [len(stack) for stack in call_stacks][-4:] == [2, 2, 1, 1]


def test_a_lone_surrogate_survives_json(recorder: PythonRecorder) -> None:
    program = Program("def f(x):\n    return x\n", "f('\\ud800</script>')")
    document = build_sample_document(diagnosed_sample(recorder, program), verdict="incorrect")
    assert json.loads(json.dumps(document)) == document
    assert "\\ud800</script>" in document["source"]


def test_value_tokens_add_up_to_the_value(demo_run: str, recorder: PythonRecorder) -> None:
    diagnosed = DiagnosedRun(demo_run, recorder, tokenizer=load_tokenizer("bytes"))
    diverged = 0
    for name in diagnosed.names:
        document = diagnosed.document(name)
        if document["value_tokens"] is not None:
            tokens = document["value_tokens"]["actual"]
            assert "".join(tokens) == document["divergence"]["actual"]
            diverged += 1
    assert diverged > 5


def test_stored_predictions_are_read_by_name(demo_run: str) -> None:
    stored = StoredPredictions(demo_run)
    for prediction in read_predictions(demo_run):
        assert prediction.id in stored
        read = stored[prediction.id]
        assert (read.program, read.text, read.decoded) == (
            prediction.program,
            prediction.text,
            prediction.decoded,
        )
    assert "missing" not in stored


def diagnosed_sample(recorder: PythonRecorder, program: Program) -> Sample:
    """A sample of a program, with a prediction of another program."""
    first = next(iter(read_prediction_file(PREDICTIONS)))
    return execute_and_diagnose(replace(first, program=program), recorder)
