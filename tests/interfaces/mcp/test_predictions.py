"""Predictions of a model through the server; the model is scripted."""

import asyncio
from typing import Any

import pytest

from tests.interfaces.mcp.connections import data_of, in_memory, text_of
from worldline.core.errors import InputError
from worldline.core.trace import Program
from worldline.interfaces.mcp.model_predictions import first_impossible_step
from worldline.interfaces.mcp.service import ToolService
from worldline.models.codecs import get_codec
from worldline.models.engines import ScriptedEngine
from worldline.models.prediction import PredictionSettings

SOURCE = "def f(x):\n    y = x * 2\n    return y\n"
RIGHT = """\
L1: def f(x): => enter, x = 4
L2: y = x * 2 => y = 8
L3: return y => return 8
ANSWER: 8
"""
# Line 2 follows line 2, which no execution does.
IMPOSSIBLE = RIGHT.replace("L3: return y => return 8\n", "L2: y = x * 2 => y = 16\n" * 2)


def service(reply: str, codec: str = "chat-trace") -> ToolService:
    return ToolService(
        engine=lambda: ScriptedEngine(lambda prompt: reply),
        settings=PredictionSettings(codec=codec),
    )


def predict(reply: str, codec: str = "chat-trace") -> tuple[dict[str, Any], str]:
    async def run() -> tuple[dict[str, Any], str]:
        async with in_memory(service(reply, codec)) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            assert "predict_execution" in names
            assert "should_i_run" in names
            result = await client.call_tool("predict_execution", {"code": SOURCE, "call": "f(4)"})
            return data_of(result), text_of(result)

    return asyncio.run(run())


def test_a_predicted_value() -> None:
    data, text = predict(RIGHT)
    assert data["value"] == "8"
    assert data["finish"] == "stop"
    assert data["summary"] == "scripted predicts that f(4) returns 8. Nothing was executed."
    assert {"y": "8"} in [line["changed"] for line in data["lines"]]
    # There is no probability without a calibration.
    assert "No trust model was given" in data["trust"]
    assert not any(isinstance(value, float) for value in data.values())
    assert "No trust model was given" in text


def test_an_impossible_step_is_the_weakest() -> None:
    data, text = predict(IMPOSSIBLE)
    assert data["weakest_step"]["reason"] == "impossible"
    assert data["weakest_step"]["line"] == 2
    assert "Impossible: the control-flow graph has no path with" in text
    codec, program = get_codec("chat-trace"), Program(SOURCE, "f(4)")
    assert first_impossible_step(program, codec.decode(RIGHT, program)) is None
    assert first_impossible_step(program, codec.decode(IMPOSSIBLE, program)) is not None


def test_a_result_without_steps() -> None:
    data, _ = predict("[ANSWER]\nassert f(4) == 9\n[/ANSWER]", codec="chat")
    assert (data["value"], data["steps"], data["weakest_step"]) == ("9", 0, None)


def test_no_value() -> None:
    data, _ = predict("I do not know.", codec="chat")
    assert data["value"] is None
    assert data["summary"].startswith("scripted gave no value for f(4)")


def test_predicted_changes() -> None:
    async def run() -> dict[str, Any]:
        arguments = {"before": SOURCE, "after": SOURCE, "call": "f(4)", "predicted": True}
        async with in_memory(service(RIGHT)) as client:
            return data_of(await client.call_tool("what_changes", arguments))

    data = asyncio.run(run())
    assert (data["source"], data["is_same"]) == ("predicted", True)
    assert data["before"]["ending"] == "predicted"
    assert data["summary"].startswith("Predicted, not executed: ")


def test_modes_that_execute_are_refused() -> None:
    with pytest.raises(InputError, match="free or guided"):
        ToolService(engine="recorded:x", settings=PredictionSettings(mode="score"))
