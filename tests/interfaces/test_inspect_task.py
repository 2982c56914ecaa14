"""The Inspect task is evaluated by Inspect itself, and its log is read back."""

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from worldline.core.errors import InputError
from worldline.evaluation.runs import read_scored_samples
from worldline.interfaces.api.diagnosing import diagnose_predictions
from worldline.interfaces.api.sources import load_predictions
from worldline.languages.python.recorder import PythonRecorder

pytest.importorskip(
    "inspect_ai", reason="inspect_ai is not installed: pip install 'worldline[inspect]'"
)

ROWS = [
    {"id": "right", "code": "def f(x):\n    return x + 1", "input": "1", "output": "2"},
    {"id": "wrong", "code": "def f(s):\n    return s + 'b'", "input": "'a'", "output": "'ab'"},
    {"id": "silent", "code": "def f():\n    return []", "input": "", "output": "[]"},
    {"id": "broken", "code": "def f(:", "input": "", "output": "1"},
]
REPLIES = {
    "f(1)": "x is 1.\n[ANSWER]\nassert f(1) == 2\n[/ANSWER]",
    "f('a')": "[ANSWER]\nassert f('a') == 'ba'\n[/ANSWER]",
    "f()": "I do not know.",
}


def register_scripted_model() -> None:
    """Register a model that answers from `REPLIES`; Inspect's own mock model needs a download."""
    from inspect_ai.model import ModelAPI, ModelOutput, ModelUsage, modelapi

    class ScriptedModel(ModelAPI):  # type: ignore[misc]  # inspect_ai is not typed here
        async def generate(self, input: Any, *_: Any, **__: Any) -> Any:
            call = input[-1].text.partition("[CALL]\n")[2].partition("\n[/CALL]")[0]
            output = ModelOutput.from_content("scripted", REPLIES[call])
            output.usage = ModelUsage(input_tokens=30, output_tokens=7, total_tokens=37)
            return output

    modelapi(name="scripted")(ScriptedModel)


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The log of an evaluation with two epochs."""
    from inspect_ai import eval as evaluate

    from worldline.interfaces.inspect_task import cruxeval_trace

    folder = tmp_path_factory.mktemp("inspect")
    folder.chmod(0o755)
    data = folder / "cruxeval.jsonl"
    data.write_text("".join(f"{json.dumps(row)}\n" for row in ROWS))
    register_scripted_model()
    (log,) = evaluate(
        cruxeval_trace(data=str(data)),
        model="scripted/small",
        epochs=2,
        log_dir=str(folder / "logs"),
        display="none",
    )
    assert log.status == "success", log.error
    return log


def scores_by_id(log: Any) -> dict[str, Any]:
    return {s.id: s.scores["execution_scorer"] for s in log.samples if s.epoch == 1}


def test_scores_have_the_answer_and_the_diagnosis(log: Any) -> None:
    scores = scores_by_id(log)
    right, wrong, silent = scores["right"], scores["wrong"], scores["silent"]
    assert (right.value, right.answer, right.metadata["outcome"]) == ("C", "2", "correct")
    assert right.metadata["first_divergence"] is None
    assert (wrong.value, wrong.answer, wrong.metadata["outcome"]) == ("I", "'ba'", "diverged")
    assert (wrong.metadata["differs_in"], wrong.metadata["first_divergence"]) == ("return", 5)
    assert "cause" in wrong.metadata
    assert wrong.explanation.startswith("step 5 return: 'ba' instead of 'ab'")
    assert (silent.value, silent.answer) == ("I", None)
    assert silent.metadata["verdict"] == "no_answer"
    # The chat format has no steps to match.
    assert wrong.metadata["matched_steps"] is None


def test_a_program_that_cannot_be_executed_is_not_scored(log: Any) -> None:
    broken = scores_by_id(log)["broken"]
    assert broken.value != broken.value  # NaN
    assert broken.metadata["outcome"] == "infra_error"


def test_metrics_leave_unscored_samples_out(log: Any) -> None:
    metrics = {n: m.value for score in log.results.scores for n, m in score.metrics.items()}
    assert metrics["accuracy"] == pytest.approx(1 / 3)
    assert "stderr" in metrics
    shares = {n: v for n, v in metrics.items() if n not in ("accuracy", "stderr")}
    assert shares == {name: pytest.approx(1 / 3) for name in ("correct", "diverged", "malformed")}


def test_the_log_is_read_as_predictions(log: Any, tmp_path: Path) -> None:
    path = Path(log.location.removeprefix("file://"))
    predictions = load_predictions(path)
    assert len(predictions) == 8
    by_id = {prediction.id: prediction for prediction in predictions}
    assert set(by_id) == {f"{row['id']}{suffix}" for row in ROWS for suffix in ("", "#1")}
    wrong = by_id["wrong#1"]
    assert (wrong.answer, wrong.expected, wrong.finish) == ("'ba'", "'ab'", "stop")
    assert (wrong.program.call, wrong.model) == ("f('a')", "scripted/small")
    assert wrong.generation is not None
    assert (wrong.generation.usage.completion, wrong.generation.repeat) == (7, 1)
    diagnose_predictions([path], output=tmp_path / "run")
    verdicts = {(s.sample, s.repeat): s.verdict for s in read_scored_samples(tmp_path / "run")}
    assert {verdicts[name, 0] for name in ("right", "wrong", "silent")} == {
        "correct", "incorrect", "no_answer",
    }  # fmt: skip
    assert verdicts["right", 1] == "correct"


def test_logs_in_json_are_read_alike(log: Any, tmp_path: Path) -> None:
    from inspect_ai.log import read_eval_log, write_eval_log

    path = tmp_path / "log.json"
    write_eval_log(log, str(path))
    assert len(read_eval_log(str(path)).samples) == 8
    eval_path = Path(log.location.removeprefix("file://"))
    assert load_predictions(path) == load_predictions(eval_path)


def test_inspects_own_frame_has_the_scores(log: Any) -> None:
    pytest.importorskip("pandas")
    from inspect_ai.analysis import samples_df

    frame = samples_df(log.location)
    assert list(frame[frame["id"] == "wrong"]["score_execution_scorer"]) == ["I", "I"]


def test_a_log_of_another_task_says_what_it_needs(log: Any, tmp_path: Path) -> None:
    from inspect_ai.log import write_eval_log

    samples = [sample.model_copy(update={"metadata": {}}) for sample in log.samples]
    path = tmp_path / "other.eval"
    write_eval_log(log.model_copy(update={"samples": samples}), str(path))
    with pytest.raises(InputError, match="metadata names no program"):
        load_predictions(path)
    errors: list[Exception] = []
    assert load_predictions(path, on_invalid=errors.append) == []
    assert len(errors) == 8


def test_a_file_that_is_no_log_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.eval").write_text("not a log")
    with pytest.raises(InputError, match=r"cannot read .* as a log of Inspect"):
        load_predictions(tmp_path / "x.eval")


def test_programs_are_executed_outside_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    import anyio
    from inspect_ai.model import ModelName, ModelOutput
    from inspect_ai.scorer import Target
    from inspect_ai.solver import TaskState

    from worldline.interfaces.inspect_task import execution_scorer

    threads: list[int] = []
    record = PythonRecorder.record

    def noted(self: PythonRecorder, *arguments: Any, **options: Any) -> Any:
        threads.append(threading.get_ident())
        return record(self, *arguments, **options)

    monkeypatch.setattr(PythonRecorder, "record", noted)
    state = TaskState(
        model=ModelName("scripted/small"), sample_id="a", epoch=1, input="?", messages=[],
        output=ModelOutput.from_content("scripted", "[ANSWER] 3 [/ANSWER]"),
        metadata={"code": "def f(x): return x", "call": "f(3)"},
    )  # fmt: skip
    score = anyio.run(execution_scorer(), state, Target("3"))
    assert score.value == "C"
    assert threads
    assert threading.get_ident() not in threads


def test_a_codec_that_is_not_for_chat_models_is_refused() -> None:
    from worldline.interfaces.inspect_task import cruxeval_trace

    with pytest.raises(InputError, match="codec 'cwm' is for text completion"):
        cruxeval_trace(codec="cwm")
