"""Predictions of many questions: question files, replayed outputs, errors and concurrency."""

import asyncio
import itertools
import json
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.predictions import text_of
from tests.support.scripted_models import ask, continue_actual_trace, engine_of
from worldline.analysis.diagnosis import diagnose_prediction
from worldline.core.errors import EngineError, InputError
from worldline.core.trace import Program
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import STEP_CODECS
from worldline.models.engines import Reply, Request, ScriptedEngine
from worldline.models.prediction import (
    PredictionSettings,
    Question,
    load_recorded_engine,
    predict_questions,
    prediction_to_row,
    read_prediction_file,
    read_questions,
)

PROGRAM = Program("def f(x):\n    return x + 1\n", "f(3)")
# Text that looks like an entry point.
START = "y = '''\ndef main(): # << START_OF_TRACE\n'''\n"


def write_rows(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_rows_with_a_call_and_rows_of_cruxeval_are_read(tmp_path: Path) -> None:
    rows = (
        {"id": "a", "code": "def g(): return 1", "call": "g()", "expected": "1"},
        {"id": "b", "code": "def f(x, y): return x", "input": "1, 2", "output": "1"},
    )
    assert list(read_questions(write_rows(tmp_path / "q.jsonl", *rows))) == [
        Question("a", Program("def g(): return 1", "g()"), "1"),
        Question("b", Program("def f(x, y): return x", "f(1, 2)"), "1"),
    ]


def test_a_prediction_file_is_a_question_file(tmp_path: Path) -> None:
    row = {"id": "a", "code": "def f(): return 1", "call": "f()", "output": "said", "expected": "1"}
    (question,) = read_questions(write_rows(tmp_path / "q.jsonl", row))
    assert question.expected == "1"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"code": "x", "call": "f()"}, "needs 'id'"),
        ({"id": "a", "code": "def f(): pass"}, "needs 'call'"),
        ({"id": "a", "code": "def f(): pass", "call": "f("}, "not one Python expression"),
        ({"id": "a", "code": 3, "call": "f()"}, "'code' must be a string"),
    ],
)
def test_an_invalid_row_is_an_error(tmp_path: Path, row: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=f"line 1 of .*{message}"):
        list(read_questions(write_rows(tmp_path / "q.jsonl", row)))


def test_a_duplicate_id_is_an_error(tmp_path: Path) -> None:
    row = {"id": "a", "code": "def f(): pass", "call": "f()"}
    with pytest.raises(InputError, match=r"line 2 of .*'a' is taken by line 1"):
        list(read_questions(write_rows(tmp_path / "q.jsonl", row, row)))


@pytest.mark.parametrize("is_reversed", [False, True])
@pytest.mark.parametrize(
    ("ids_and_repeats", "name"),
    [
        ([("a", 1), ("a#1", 0)], "a#1"),
        ([("a", 12), ("a#12", 0)], "a#12"),
        ([("a#1", 2), ("a#1#2", 0)], "a#1#2"),
        # Ids that are only similar.
        ([("a", 0), ("a", 1), ("a#2", 0), ("a#2", 1), ("a#", 1), ("#1", 0), ("a#01", 0)], None),
        ([("a", 0), ("a#1", 0), ("a#2", 0)], None),
        ([("a", 2), ("a#1", 0), ("a#1", 1)], None),
    ],
)
def test_a_repeat_with_the_id_of_another_question_is_an_error(
    ids_and_repeats: list[tuple[str, int]],
    name: str | None,
    is_reversed: bool,
    recorder: PythonRecorder,
) -> None:
    engine = engine_of(continue_actual_trace(recorder.record(PROGRAM)))
    questions = [(Question(id, PROGRAM), repeat) for id, repeat in ids_and_repeats]
    predictions = predict_questions(
        questions[::-1] if is_reversed else questions, lambda: engine, recorder
    )
    if name is None:
        assert len({prediction.id for prediction in predictions}) == len(ids_and_repeats)
    else:
        message = f"a repeat of {ids_and_repeats[0][0]!r} has the name {name!r}, .*another id"
        with pytest.raises(InputError, match=message):
            list(predictions)


@pytest.mark.parametrize("mode", ["free", "force-actions", "guided", "score"])
def test_a_prediction_survives_a_round_trip(
    tmp_path: Path, mode: Any, recorder: PythonRecorder
) -> None:
    engine = engine_of(continue_actual_trace(recorder.record(PROGRAM)))
    prediction = ask(engine, recorder, PROGRAM, PredictionSettings(mode=mode, temperature=0.5))
    path = write_rows(tmp_path / "p.jsonl", prediction_to_row(prediction))
    (read,) = read_prediction_file(path)
    assert read.generation is not None
    assert prediction.generation is not None
    assert read.generation.seconds == round(prediction.generation.seconds, 3)
    assert json.dumps(prediction_to_row(read)) == json.dumps(prediction_to_row(prediction))
    assert (read.text, read.decoded, read.finish) == (
        prediction.text,
        prediction.decoded,
        prediction.finish,
    )


def test_an_infrastructure_error_survives_a_round_trip(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    class Broken(ScriptedEngine):
        async def generate(self, request: Any) -> Any:
            raise EngineError("out of order")

    engine = Broken(lambda text: "", special_tokens=tuple(engine_of(str)._special_ids))
    prediction = ask(engine, recorder, PROGRAM, PredictionSettings())
    assert (prediction.finish, prediction.error) == ("infra_error", "out of order")
    (read,) = read_prediction_file(write_rows(tmp_path / "p.jsonl", prediction_to_row(prediction)))
    assert (read.finish, read.error) == ("infra_error", "out of order")
    assert diagnose_prediction(recorder.record(PROGRAM), read).facts.outcome == "infra_error"


@pytest.mark.parametrize(
    "change",
    [{"mode": "telepathy"}, {"max_tokens": "much"}, {"scores": [{"a": 1}]}, {"usage": {"x": 1}}],
)
def test_an_invalid_generation_record_is_an_error(
    tmp_path: Path, change: dict[str, Any], recorder: PythonRecorder
) -> None:
    engine = engine_of(continue_actual_trace(recorder.record(PROGRAM)))
    row = prediction_to_row(ask(engine, recorder, PROGRAM, PredictionSettings()))
    with pytest.raises(InputError, match="line 1 of"):
        list(read_prediction_file(write_rows(tmp_path / "p.jsonl", row | change)))


def test_a_recorded_engine_replays_its_outputs(tmp_path: Path, recorder: PythonRecorder) -> None:
    engine = engine_of(continue_actual_trace(recorder.record(PROGRAM)))
    prediction = ask(engine, recorder, PROGRAM, PredictionSettings())
    path = write_rows(tmp_path / "p.jsonl", prediction_to_row(prediction))
    other = Program("def f(x):\n    return x\n", "f(3)")
    questions = [Question("same", PROGRAM), Question("other", other)]
    predictions = {
        p.id: p for p in predict_questions(questions, lambda: load_recorded_engine(path), recorder)
    }
    assert predictions["same"].text == prediction.text
    assert predictions["same"].model == "scripted"
    assert predictions["other"].error == (
        "there is no recorded reply to this prompt: its program, codec or seed is not in the "
        "recording; use its --codec and --seed, or a model"
    )


@pytest.mark.parametrize(("index", "count"), [(0, 120), (1, 62)], ids=["cruxeval", "humaneval"])
def test_the_recorded_failures_of_cwm_can_be_replayed(
    index: int, count: int, recorded_files: list[Path], recorder: PythonRecorder
) -> None:
    file = recorded_files[index]
    predictions = predict_questions(
        read_questions(file), lambda: load_recorded_engine(file), recorder
    )
    by_id = {prediction.id: prediction for prediction in predictions}
    assert len(by_id) == count
    for recorded in read_prediction_file(file):
        replayed = by_id[recorded.id]
        assert (replayed.text, replayed.is_truncated) == (recorded.text, recorded.is_truncated)
        assert replayed.error is None


@pytest.mark.parametrize("mode", ["force-actions", "force-state", "guided", "score"])
def test_a_mode_that_an_engine_does_not_support_is_an_error(
    mode: Any, tmp_path: Path, recorder: PythonRecorder
) -> None:
    path = write_rows(tmp_path / "p.jsonl")
    predictions = predict_questions(
        [Question("a", PROGRAM)],
        lambda: load_recorded_engine(path),
        recorder,
        settings=PredictionSettings(mode=mode),
    )
    with pytest.raises(EngineError, match=f"the mode {mode} needs capabilities that"):
        list(predictions)


def test_a_model_without_the_special_tokens_of_a_codec_is_an_error(
    recorder: PythonRecorder,
) -> None:
    engine = ScriptedEngine(lambda text: "", special_tokens=["<|begin_of_text|>"])
    with pytest.raises(
        EngineError, match=r"scripted does not speak the cwm format: .*--codec chat"
    ):
        ask(engine, recorder, PROGRAM, PredictionSettings())


def test_a_program_that_cannot_be_executed_is_an_infrastructure_error(
    recorder: PythonRecorder,
) -> None:
    broken = Program("def f(x:\n    return x\n", "f(3)")
    prediction = ask(engine_of(str), recorder, broken, PredictionSettings(mode="force-actions"))
    assert prediction.finish == "infra_error"
    assert prediction.error is not None
    assert "could not be executed" in prediction.error


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (Program("def f(x:\n    return x\n", "f(3)"), "does not compile"),
        (Program.from_text("x = 1\n" + START), "no function 'main' to start in"),
    ],
    ids=["syntax", "no entry"],
)
def test_a_program_without_a_control_flow_graph_does_not_stop_the_others(
    program: Program, message: str, recorder: PythonRecorder
) -> None:
    engine = engine_of(continue_actual_trace(recorder.record(PROGRAM)))
    questions = [Question("broken", program), Question("fine", PROGRAM)]
    predictions = predict_questions(
        questions, lambda: engine, recorder, settings=PredictionSettings(mode="guided")
    )
    by_id = {prediction.id: prediction for prediction in predictions}
    assert (by_id["broken"].finish, by_id["fine"].finish) == ("infra_error", "stop")
    assert message in (by_id["broken"].error or "")


@pytest.mark.parametrize("mode", ["free", "force-actions", "force-state", "guided"])
def test_from_step_after_the_last_step_is_an_error(mode: Any, recorder: PythonRecorder) -> None:
    actual = recorder.record(PROGRAM)
    steps = len(actual.steps)
    engine = engine_of(continue_actual_trace(actual))
    last = ask(engine, recorder, PROGRAM, PredictionSettings(mode=mode, from_step=steps))
    assert (last.finish, last.text) == ("stop", text_of(actual))
    engine.requests.clear()
    beyond = ask(engine, recorder, PROGRAM, PredictionSettings(mode=mode, from_step=steps + 1))
    assert beyond.finish == "infra_error"
    assert f"has only {steps} steps" in (beyond.error or "")
    assert engine.requests == []


@pytest.mark.parametrize("mode", ["free", "force-actions", "guided", "score"])
def test_half_a_surrogate_pair_is_an_infrastructure_error(
    mode: Any, recorder: PythonRecorder
) -> None:
    program = Program("def f(x):\n    return '\ud800'\n", "f(3)")
    prediction = ask(engine_of(str), recorder, program, PredictionSettings(mode=mode))
    assert (prediction.finish, "surrogate pair" in (prediction.error or "")) == (
        "infra_error",
        True,
    )


def test_the_mode_score_does_not_support_from_step(recorder: PythonRecorder) -> None:
    with pytest.raises(EngineError, match="omit --from-step"):
        ask(engine_of(str), recorder, PROGRAM, PredictionSettings(mode="score", from_step=2))


def test_closing_the_generator_stops_the_requests(recorder: PythonRecorder) -> None:
    engine = engine_of(lambda text: "{}")
    questions = [Question(str(n), PROGRAM) for n in range(500)]
    predictions = predict_questions(questions, lambda: engine, recorder, concurrency=2)
    assert len(list(itertools.islice(predictions, 5))) == 5
    predictions.close()
    assert len(engine.requests) < 50


@pytest.mark.parametrize("concurrency", [1, 4])
def test_closing_the_generator_in_a_notebook_stops_the_thread(
    concurrency: int, recorder: PythonRecorder
) -> None:
    engine = engine_of(lambda text: "{}")
    questions = [Question(str(n), PROGRAM) for n in range(500)]

    async def notebook_cell() -> None:
        predictions = predict_questions(
            questions, lambda: engine, recorder, concurrency=concurrency
        )
        next(predictions)
        time.sleep(0.1)
        predictions.close()

    asyncio.run(notebook_cell())
    assert "worldline-predict" not in {thread.name for thread in threading.enumerate()}
    assert len(engine.requests) < 100


def test_predictions_inside_a_running_event_loop(recorder: PythonRecorder) -> None:
    engine = engine_of(continue_actual_trace(recorder.record(PROGRAM)))
    questions = [Question(str(n), PROGRAM) for n in range(20)]

    async def notebook_cell() -> set[str]:
        return {p.id for p in predict_questions(questions, lambda: engine, recorder, concurrency=3)}

    async def stop_early() -> str:
        predictions = predict_questions(questions, lambda: engine, recorder, concurrency=3)
        first = next(predictions).id
        predictions.close()
        return first

    async def predict_with_unsupported_settings() -> None:
        list(
            predict_questions(
                questions,
                lambda: engine,
                recorder,
                settings=PredictionSettings(codec="chat", mode="score"),
            )
        )

    assert asyncio.run(notebook_cell()) == {str(n) for n in range(20)}
    assert asyncio.run(stop_early()) in {str(n) for n in range(20)}
    with pytest.raises(EngineError, match="--mode free"):
        asyncio.run(predict_with_unsupported_settings())


class UnsureEngine(ScriptedEngine):
    """A scripted engine whose tokens all have the log-probability -0.5."""

    def __init__(self, answer: str) -> None:
        tokens = STEP_CODECS["cwm"].special_tokens
        super().__init__(lambda _: answer, special_tokens=tuple(tokens))

    async def generate(self, request: Request) -> Reply:
        reply = await super().generate(request)
        return replace(reply, logprobs=(-0.5,) * len(reply.logprobs))


@pytest.mark.parametrize("codec", ["cwm", "chat", "chat-trace"])
@pytest.mark.parametrize("is_asked", [True, False])
def test_log_probabilities_are_stored_if_asked_for(
    codec: str, is_asked: bool, tmp_path: Path, recorder: PythonRecorder
) -> None:
    engine = UnsureEngine("ANSWER: 4")
    settings = PredictionSettings(codec=codec, logprobs=is_asked)
    (prediction,) = predict_questions(
        [Question("a", PROGRAM)], lambda: engine, recorder, settings=settings
    )
    assert prediction.generation is not None
    expected = (-0.5,) * len("ANSWER: 4") if is_asked else ()
    assert prediction.generation.logprobs == expected
    path = write_rows(tmp_path / "predictions.jsonl", prediction_to_row(prediction))
    (again,) = read_prediction_file(path)
    assert again.generation is not None
    assert again.generation.logprobs == expected


def test_log_probabilities_are_for_the_mode_free(recorder: PythonRecorder) -> None:
    engine = UnsureEngine("")
    settings = PredictionSettings("guided", logprobs=True)
    with pytest.raises(EngineError, match="--logprobs is for the mode free"):
        list(
            predict_questions([Question("a", PROGRAM)], lambda: engine, recorder, settings=settings)
        )
