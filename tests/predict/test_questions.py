"""Files of programs, engines that replay, rows that are read back, and what cannot be asked."""

import asyncio
import itertools
import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.oracle import ask, engine_of, knowing
from tests.predictions import text_of
from worldline.diagnose import diagnose
from worldline.engines import ScriptedEngine
from worldline.errors import EngineError, InputError
from worldline.predict import (
    Question,
    Settings,
    predict,
    prediction_to_row,
    read_questions,
    read_recorded,
    recorded_engine,
)
from worldline.recorders import PythonRecorder
from worldline.trace import Program

PROGRAM = Program("def f(x):\n    return x + 1\n", "f(3)")
# Looks like an entry point, and is text.
START = "y = '''\ndef main(): # << START_OF_TRACE\n'''\n"


def write_rows(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_rows_with_a_call_and_rows_of_cruxeval(tmp_path: Path) -> None:
    rows = (
        {"id": "a", "code": "def g(): return 1", "call": "g()", "expected": "1"},
        {"id": "b", "code": "def f(x, y): return x", "input": "1, 2", "output": "1"},
    )
    assert list(read_questions(write_rows(tmp_path / "q.jsonl", *rows))) == [
        Question("a", Program("def g(): return 1", "g()"), "1"),
        Question("b", Program("def f(x, y): return x", "f(1, 2)"), "1"),
    ]


def test_predictions_can_be_asked_again(tmp_path: Path) -> None:
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
def test_a_row_that_is_no_question(tmp_path: Path, row: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=f"line 1 of .*{message}"):
        list(read_questions(write_rows(tmp_path / "q.jsonl", row)))


def test_an_id_is_taken_once(tmp_path: Path) -> None:
    row = {"id": "a", "code": "def f(): pass", "call": "f()"}
    with pytest.raises(InputError, match=r"line 2 of .*'a' is taken by line 1"):
        list(read_questions(write_rows(tmp_path / "q.jsonl", row, row)))


@pytest.mark.parametrize("is_turned", [False, True])
@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ([("a", 1), ("a#1", 0)], "a#1"),
        ([("a", 12), ("a#12", 0)], "a#12"),
        ([("a#1", 2), ("a#1#2", 0)], "a#1#2"),
        # Names that only look alike.
        ([("a", 0), ("a", 1), ("a#2", 0), ("a#2", 1), ("a#", 1), ("#1", 0), ("a#01", 0)], None),
        ([("a", 0), ("a#1", 0), ("a#2", 0)], None),
        ([("a", 2), ("a#1", 0), ("a#1", 1)], None),
    ],
)
def test_a_repeat_never_has_the_name_of_another_question(
    asked: list[tuple[str, int]], name: str | None, is_turned: bool, recorder: PythonRecorder
) -> None:
    engine = engine_of(knowing(recorder.record(PROGRAM)))
    questions = [(Question(id, PROGRAM), repeat) for id, repeat in asked]
    predictions = predict(questions[::-1] if is_turned else questions, lambda: engine, recorder)
    if name is None:
        assert len({prediction.id for prediction in predictions}) == len(asked)
    else:
        message = f"a repeat of {asked[0][0]!r} has the name {name!r}, .*another id"
        with pytest.raises(InputError, match=message):
            list(predictions)


@pytest.mark.parametrize("mode", ["free", "force-actions", "guided", "score"])
def test_a_prediction_is_the_same_read_back(
    tmp_path: Path, mode: Any, recorder: PythonRecorder
) -> None:
    engine = engine_of(knowing(recorder.record(PROGRAM)))
    made = ask(engine, recorder, PROGRAM, Settings(mode=mode, temperature=0.5))
    path = write_rows(tmp_path / "p.jsonl", prediction_to_row(made))
    (found,) = read_recorded(path)
    assert found.asked is not None
    assert made.asked is not None
    assert found.asked.seconds == round(made.asked.seconds, 3)
    assert json.dumps(prediction_to_row(found)) == json.dumps(prediction_to_row(made))
    assert (found.text, found.decoded, found.finish) == (made.text, made.decoded, made.finish)


def test_a_failure_is_read_back_as_one(tmp_path: Path, recorder: PythonRecorder) -> None:
    class Broken(ScriptedEngine):
        async def generate(self, request: Any) -> Any:
            raise EngineError("out of order")

    engine = Broken(lambda text: "", specials=tuple(engine_of(str)._specials))
    made = ask(engine, recorder, PROGRAM, Settings())
    assert (made.finish, made.error) == ("error", "out of order")
    (found,) = read_recorded(write_rows(tmp_path / "p.jsonl", prediction_to_row(made)))
    assert (found.finish, found.error) == ("error", "out of order")
    assert diagnose(recorder.record(PROGRAM), found).facts.outcome == "error"


@pytest.mark.parametrize(
    "change",
    [{"mode": "telepathy"}, {"budget": "much"}, {"scores": [{"a": 1}]}, {"usage": {"x": 1}}],
)
def test_a_row_that_was_asked_for_badly(
    tmp_path: Path, change: dict[str, Any], recorder: PythonRecorder
) -> None:
    engine = engine_of(knowing(recorder.record(PROGRAM)))
    row = prediction_to_row(ask(engine, recorder, PROGRAM, Settings()))
    with pytest.raises(InputError, match="line 1 of"):
        list(read_recorded(write_rows(tmp_path / "p.jsonl", row | change)))


def test_a_recording_answers_as_it_was_recorded(tmp_path: Path, recorder: PythonRecorder) -> None:
    engine = engine_of(knowing(recorder.record(PROGRAM)))
    made = ask(engine, recorder, PROGRAM, Settings())
    path = write_rows(tmp_path / "p.jsonl", prediction_to_row(made))
    other = Program("def f(x):\n    return x\n", "f(3)")
    questions = [Question("same", PROGRAM), Question("other", other)]
    found = {p.id: p for p in predict(questions, lambda: recorded_engine(path), recorder)}
    assert found["same"].text == made.text
    assert found["same"].model == "scripted"
    assert found["other"].error == "there is no recorded reply to this prompt"


@pytest.mark.parametrize(("place", "count"), [(0, 120), (1, 62)], ids=["cruxeval", "humaneval"])
def test_the_recorded_failures_of_cwm_can_be_replayed(
    place: int, count: int, recorded_files: list[Path], recorder: PythonRecorder
) -> None:
    file = recorded_files[place]
    asked = predict(read_questions(file), lambda: recorded_engine(file), recorder)
    found = {prediction.id: prediction for prediction in asked}
    assert len(found) == count
    for recorded in read_recorded(file):
        again = found[recorded.id]
        assert (again.text, again.is_cut) == (recorded.text, recorded.is_cut)
        assert again.error is None


@pytest.mark.parametrize("mode", ["force-actions", "force-state", "guided", "score"])
def test_a_mode_that_an_engine_cannot_serve_is_refused_in_a_sentence(
    mode: Any, tmp_path: Path, recorder: PythonRecorder
) -> None:
    path = write_rows(tmp_path / "p.jsonl")
    asked = predict(
        [Question("a", PROGRAM)],
        lambda: recorded_engine(path),
        recorder,
        settings=Settings(mode=mode),
    )
    with pytest.raises(EngineError, match=f"the mode {mode} needs abilities that"):
        list(asked)


def test_a_model_without_the_tokens_of_a_format_is_told_apart(recorder: PythonRecorder) -> None:
    engine = ScriptedEngine(lambda text: "", specials=["<|begin_of_text|>"])
    with pytest.raises(
        EngineError, match=r"scripted does not speak the cwm format: .*--codec chat"
    ):
        ask(engine, recorder, PROGRAM, Settings())


def test_a_program_that_cannot_run_is_a_failure_of_ours(recorder: PythonRecorder) -> None:
    broken = Program("def f(x:\n    return x\n", "f(3)")
    made = ask(engine_of(str), recorder, broken, Settings(mode="force-actions"))
    assert made.finish == "error"
    assert made.error is not None
    assert "could not be executed" in made.error


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (Program("def f(x:\n    return x\n", "f(3)"), "does not compile"),
        (Program("", None, context="x = 1\n" + START), "no function 'main' to start with"),
    ],
    ids=["syntax", "no entry"],
)
def test_a_program_without_a_control_flow_graph_does_not_end_the_asking(
    program: Program, message: str, recorder: PythonRecorder
) -> None:
    engine = engine_of(knowing(recorder.record(PROGRAM)))
    questions = [Question("broken", program), Question("fine", PROGRAM)]
    asked = predict(questions, lambda: engine, recorder, settings=Settings(mode="guided"))
    found = {prediction.id: prediction for prediction in asked}
    assert (found["broken"].finish, found["fine"].finish) == ("error", "stop")
    assert message in (found["broken"].error or "")


@pytest.mark.parametrize("mode", ["free", "force-actions", "force-state", "guided"])
def test_behind_the_last_step_there_is_nothing_to_predict(
    mode: Any, recorder: PythonRecorder
) -> None:
    truth = recorder.record(PROGRAM)
    steps = len(truth.steps)
    engine = engine_of(knowing(truth))
    last = ask(engine, recorder, PROGRAM, Settings(mode=mode, from_step=steps))
    assert (last.finish, last.text) == ("stop", text_of(truth))
    engine.requests.clear()
    beyond = ask(engine, recorder, PROGRAM, Settings(mode=mode, from_step=steps + 1))
    assert beyond.finish == "error"
    assert f"has only {steps} steps" in (beyond.error or "")
    assert engine.requests == []


@pytest.mark.parametrize("mode", ["free", "force-actions", "guided", "score"])
def test_half_a_character_cannot_be_asked_about(mode: Any, recorder: PythonRecorder) -> None:
    program = Program("def f(x):\n    return '\ud800'\n", "f(3)")
    made = ask(engine_of(str), recorder, program, Settings(mode=mode))
    assert (made.finish, "surrogate pair" in (made.error or "")) == ("error", True)


def test_a_score_is_about_every_step(recorder: PythonRecorder) -> None:
    with pytest.raises(EngineError, match="leave --from-step out"):
        ask(engine_of(str), recorder, PROGRAM, Settings(mode="score", from_step=2))


def test_whoever_stops_reading_stops_the_asking(recorder: PythonRecorder) -> None:
    engine = engine_of(lambda text: "{}")
    questions = [Question(str(n), PROGRAM) for n in range(500)]
    asked = predict(questions, lambda: engine, recorder, in_flight=2)
    assert len(list(itertools.islice(asked, 5))) == 5
    asked.close()
    assert len(engine.requests) < 50


@pytest.mark.parametrize("in_flight", [1, 4])
def test_whoever_stops_reading_in_a_notebook_leaves_no_thread(
    in_flight: int, recorder: PythonRecorder
) -> None:
    engine = engine_of(lambda text: "{}")
    questions = [Question(str(n), PROGRAM) for n in range(500)]

    async def cell() -> None:
        asked = predict(questions, lambda: engine, recorder, in_flight=in_flight)
        next(asked)
        time.sleep(0.1)
        asked.close()

    asyncio.run(cell())
    assert "worldline-predict" not in {thread.name for thread in threading.enumerate()}
    assert len(engine.requests) < 100


def test_inside_a_running_loop_as_in_a_notebook(recorder: PythonRecorder) -> None:
    engine = engine_of(knowing(recorder.record(PROGRAM)))
    questions = [Question(str(n), PROGRAM) for n in range(20)]

    async def cell() -> set[str]:
        return {p.id for p in predict(questions, lambda: engine, recorder, in_flight=3)}

    async def stopped() -> str:
        asked = predict(questions, lambda: engine, recorder, in_flight=3)
        first = next(asked).id
        asked.close()
        return first

    async def failing() -> None:
        list(
            predict(
                questions, lambda: engine, recorder, settings=Settings(codec="chat", mode="score")
            )
        )

    assert asyncio.run(cell()) == {str(n) for n in range(20)}
    assert asyncio.run(stopped()) in {str(n) for n in range(20)}
    with pytest.raises(EngineError, match="--mode free"):
        asyncio.run(failing())
