"""A model that predicts while the user steps: one request a step, and states that are changed."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.dap_client import DapClient, in_process, write_program
from tests.support.predictions import replaced, text_of
from tests.support.replay_programs import NESTED
from tests.support.scripted_models import continue_actual_trace, engine_of
from worldline.core.errors import EngineError
from worldline.core.trace import Program, Trace
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import get_codec
from worldline.models.engines import ScriptedEngine

CALL = "total([1, 2])"
ROWS = get_codec("chat-trace")


@contextmanager
def live_client(
    engine: ScriptedEngine, folder: Path, **launch: Any
) -> Iterator[tuple[DapClient, dict[str, Any]]]:
    with in_process(lambda: engine) as client:
        arguments = {"program": write_program(folder, NESTED), "call": CALL, **launch}
        yield client, client.start(**{"codec": "cwm", **arguments})


@pytest.fixture
def trace(recorder: PythonRecorder) -> Trace:
    return recorder.record(Program(NESTED, CALL))


def test_a_step_is_asked_for_when_it_is_needed(trace: Trace, tmp_path: Path) -> None:
    engine = engine_of(continue_actual_trace(trace))
    with live_client(engine, tmp_path, stopOnEntry=True) as (client, _):
        asked = len(engine.requests)
        for number in range(1, 6):
            client.run("stepIn", threadId=2)
            assert len(engine.requests) == asked + number
        assert client.stack(1) == client.stack(2)
        assert client.stack(2)[0] == ("total", 8)
        # Steps that are known are not asked for again.
        client.run("stepBack", threadId=2)
        client.run("stepIn", threadId=2)
        assert len(engine.requests) == asked + 5
        client.run("next", threadId=2)
        assert client.stack(2)[0] == ("total", 7)
        assert client.run("continue")["reason"] == "end"
        assert client.scopes(2)["Predicted"] == {"(return)": "5"}
        assert client.scopes(1)["Actual"] == {"(return)": "5"}


def test_a_live_session_can_start_in_the_file(trace: Trace, tmp_path: Path) -> None:
    engine = engine_of(continue_actual_trace(trace))
    launch = {"stopOnEntry": True, "startInFile": True}
    with live_client(engine, tmp_path, **launch) as (client, stop):
        assert stop["reason"] == "entry"
        # The model was asked for the steps before it.
        assert client.stack(1)[0] == client.stack(2)[0] == ("total (call)", 5)
        assert "the model is asked for each step" in client.output()
        assert "no divergence" not in client.output()


def test_a_malformed_second_step_does_not_end_the_search_for_the_file(
    trace: Trace, tmp_path: Path
) -> None:
    """The model is finished without a new step: the rest of the actual rows appears."""
    answer = continue_actual_trace(trace)
    engine = engine_of(lambda text: "no idea" if "<|line_sep|>" in text else answer(text))
    launch = {"stopOnEntry": True, "startInFile": True}
    with live_client(engine, tmp_path, **launch) as (client, stop):
        assert stop["reason"] == "entry"
        assert client.stack(1)[0] == ("total (call)", 5)


def test_the_divergence_stops_a_running_prediction(trace: Trace, tmp_path: Path) -> None:
    wrong = replaced('"s": "5"', '"s": "6"')
    engine = engine_of(continue_actual_trace(trace, edit=wrong))
    with live_client(engine, tmp_path) as (client, stop):
        assert stop["description"] == "Paused on divergence"
        assert client.scopes(2)["Differences"] == {"s": "6 instead of 5"}
        # Nothing after the divergence was asked for.
        assert len(engine.requests[-1].prompt) < len(text_of(trace)) + 500
        breakpoints = client.body(
            "setBreakpoints",
            source={"path": str(tmp_path / "program.py")},
            breakpoints=[{"line": 9}],
        )
        assert breakpoints["breakpoints"][0]["verified"]
        assert client.run("continue", threadId=2)["reason"] == "breakpoint"


def test_a_changed_variable_is_what_the_model_continues(trace: Trace, tmp_path: Path) -> None:
    follow = continue_actual_trace(trace)

    def answer(text: str) -> str:
        # A model that returns what s is in the text, if it was changed.
        if '"s": "40"' in text:
            known = text.replace('"s": "40"', '"s": "1"').replace("44", "5")
            return follow(known).replace("5", "44")
        return follow(text)

    engine = engine_of(answer)
    with live_client(engine, tmp_path, stopOnEntry=True) as (client, _):
        client.body("setExceptionBreakpoints", filters=[])
        client.body("setDataBreakpoints", breakpoints=[{"dataId": "*/*/s"}])
        while client.scopes(2)["Predicted"].get("s") != "1":
            client.run("stepIn", threadId=2)
        reference = client.reference("Predicted", 2)
        changed = client.body("setVariable", variablesReference=reference, name="s", value="40")
        assert changed["value"] == "40"
        client.wait("stopped")
        assert client.scopes(2)["Predicted"]["s"] == "40"
        assert client.scopes(1)["Actual"]["s"] == "1"
        client.body("setDataBreakpoints", breakpoints=[])
        assert client.run("continue", threadId=2)["reason"] == "end"
        assert client.scopes(2)["Predicted"]["(return)"] == "44"
        assert client.scopes(1)["Actual"]["(return)"] == "5"


def test_actual_variables_cannot_be_changed(trace: Trace, tmp_path: Path) -> None:
    engine = engine_of(continue_actual_trace(trace))
    with live_client(engine, tmp_path, stopOnEntry=True) as (client, _):
        for _ in range(4):
            client.run("stepIn", threadId=2)
        reference = client.reference("Actual", 1)
        message = client.error("setVariable", variablesReference=reference, name="xs", value="[]")
        assert "only the predicted variables" in message


def test_rows_of_a_chat_model(recorder: PythonRecorder, tmp_path: Path) -> None:
    trace = recorder.record(Program(NESTED, CALL))
    rows = "".join(ROWS.encode(trace))

    def answer(text: str) -> str:
        # What was written is at the end of the prompt.
        for length in range(len(rows), -1, -1):
            if text.endswith(rows[:length]):
                return rows[length:]
        return rows

    engine = ScriptedEngine(answer)
    with live_client(engine, tmp_path, codec="chat-trace", stopOnEntry=True) as (client, _):
        asked = len(engine.requests)
        for _ in range(6):
            client.run("stepIn", threadId=2)
        assert asked < len(engine.requests) <= asked + 8
        assert client.stack(1) == client.stack(2)
        while client.scopes(2).get("Predicted", {}).get("s") != "1":
            client.run("stepIn", threadId=2)
        reference = client.reference("Predicted", 2)
        client.body("setVariable", variablesReference=reference, name="s", value="7")
        client.wait("stopped")
        assert client.scopes(2)["Predicted"]["s"] == "7"


def test_without_the_actual_execution(trace: Trace, tmp_path: Path) -> None:
    engine = engine_of(continue_actual_trace(trace))
    with live_client(engine, tmp_path, recordActual=False) as (client, stop):
        assert (stop["reason"], stop["threadId"]) == ("end", 2)
        assert client.body("threads")["threads"] == [{"id": 2, "name": "predicted"}]
        assert client.scopes(2)["Locals"] == {"(return)": "5"}


def test_a_model_that_writes_no_step(tmp_path: Path) -> None:
    with in_process(lambda: engine_of(lambda text: "no idea")) as client:
        client.body("initialize")
        program = write_program(tmp_path, NESTED)
        message = client.error("launch", program=program, call=CALL, codec="cwm")
        assert "has not written a step" in message


def test_a_format_without_steps_is_refused(tmp_path: Path) -> None:
    with in_process(lambda: engine_of(lambda text: "1")) as client:
        client.body("initialize")
        program = write_program(tmp_path, NESTED)
        message = client.error("launch", program=program, call=CALL, codec="chat")
        assert "has no steps to stop at" in message


def test_a_server_that_fails_in_the_middle(trace: Trace, tmp_path: Path) -> None:
    follow = continue_actual_trace(trace)
    has_failed: list[bool] = []

    def answer(text: str) -> str:
        if '"s": "0"' in text and not has_failed:
            has_failed.append(True)
            raise EngineError("the server is gone")
        return follow(text)

    with live_client(engine_of(answer), tmp_path, stopOnEntry=True) as (client, _):
        stops = [client.run("stepIn", threadId=2) for _ in range(6)]
        assert [stop["reason"] for stop in stops].count("pause") == 1
        assert "the server is gone" in client.output("stderr")
        # The next try continues where it was.
        assert client.run("continue", threadId=2)["reason"] == "end"
        assert client.scopes(2)["Predicted"]["(return)"] == "5"


def test_disconnect_while_the_model_predicts(trace: Trace, tmp_path: Path) -> None:
    follow = continue_actual_trace(trace)

    class SlowEngine(ScriptedEngine):
        async def generate(self, request: Any) -> Any:
            if len(self.requests) > 3:
                await asyncio.sleep(600)
            return await super().generate(request)

    slow = engine_of(follow)
    slow.__class__ = SlowEngine
    with live_client(slow, tmp_path, stopOnEntry=True) as (client, _):
        client.body("continue", threadId=2)
        assert client.ask("pause", threadId=2)["success"]
        assert client.stops[-1]["reason"] == "pause"
        client.body("continue", threadId=2)
        assert client.ask("disconnect")["success"]
