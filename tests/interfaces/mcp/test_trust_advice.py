"""Trust in predictions through the server: run the call, or trust the value."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.interfaces.mcp.connections import data_of, in_memory, text_of
from tests.interfaces.mcp.test_predictions import IMPOSSIBLE, RIGHT, SOURCE
from worldline.analysis.trust import TrustCase, TrustModel, fit_trust_model, trust_signals
from worldline.core.errors import InputError
from worldline.core.trace import Program
from worldline.evaluation.runs import load_trust_model, save_trust_model
from worldline.interfaces.cli import main
from worldline.interfaces.mcp.service import ToolService
from worldline.models.codecs import get_codec
from worldline.models.engines import ScriptedEngine
from worldline.models.prediction import PredictionSettings

# The value of line 2 does not follow from x = 4.
CONTRADICTED = RIGHT.replace("y = 8", "y = 7").replace("return 8", "return 7").replace(": 8", ": 7")
FITTED_ON = {"benchmark": "doubles", "model": "scripted", "mode": "free", "codec": "chat-trace"}


def fitted(*, has_repeats: bool = False) -> TrustModel:
    """A trust model that is fitted on programs of which a third was predicted wrong."""
    codec, cases = get_codec("chat-trace"), []
    for number in range(240):
        is_correct = number % 3 > 0
        text, program = RIGHT if is_correct else CONTRADICTED, Program(SOURCE, "f(4)")
        answer = "8" if is_correct else "7"
        answers = [answer] * 3 if has_repeats else ()
        signals = trust_signals(
            program, answer, decoded=codec.decode(text, program), answers=answers
        )
        cases.append(TrustCase(str(number), str(number), answer, signals, is_correct))
    return fit_trust_model(cases, fitted_on=FITTED_ON)


@pytest.fixture(scope="module")
def trust_model() -> TrustModel:
    return fitted()


def call(
    tool: str, reply: str, model: TrustModel | None, codec: str = "chat-trace"
) -> tuple[dict[str, Any], str]:
    service = ToolService(
        engine=lambda: ScriptedEngine(lambda prompt: reply),
        settings=PredictionSettings(codec=codec),
        trust_model=model,
    )

    async def run() -> tuple[dict[str, Any], str]:
        async with in_memory(service) as client:
            result = await client.call_tool(tool, {"code": SOURCE, "call": "f(4)"})
            return data_of(result), text_of(result)

    return asyncio.run(run())


def test_a_value_that_can_be_trusted(trust_model: TrustModel) -> None:
    data, text = call("should_i_run", RIGHT, trust_model)
    assert (data["advice"], data["value"]) == ("trust", "8")
    assert data["probability"] >= data["threshold"] > 0.5
    found = trust_model.threshold
    assert f"{found.wrong} of {found.trusted} values were wrong" in data["summary"]
    assert "with 90% confidence, at most 10%" in data["summary"]
    assert text.startswith("Trust it. scripted predicts that f(4) returns 8.")


def test_a_value_that_cannot(trust_model: TrustModel) -> None:
    data, text = call("should_i_run", CONTRADICTED, trust_model)
    assert (data["advice"], data["value"]) == ("run", "7")
    assert data["probability"] < data["threshold"]
    assert any("contradict" in reason for reason in data["reasons"])
    assert data["weakest_step"]["reason"] == "contradicted"
    assert data["weakest_step"]["line"] == 3
    assert "is below the threshold" in data["summary"]
    assert "does not follow from the predicted state before it" in text


def test_an_impossible_step_comes_first(trust_model: TrustModel) -> None:
    data, _ = call("should_i_run", IMPOSSIBLE, trust_model)
    assert data["weakest_step"]["reason"] == "impossible"


def test_no_trust_model() -> None:
    data, _ = call("should_i_run", RIGHT, None)
    assert (data["advice"], data["probability"], data["threshold"]) == ("run", None, None)
    assert "worldline trust fit RUN -o trust.json" in data["summary"]
    assert "--trust trust.json" in data["summary"]


def test_no_value(trust_model: TrustModel) -> None:
    data, _ = call("should_i_run", "I do not know.", trust_model)
    assert (data["advice"], data["value"], data["probability"]) == ("run", None, None)
    assert "There is no value to trust." in data["summary"]


def test_nothing_can_be_trusted(trust_model: TrustModel) -> None:
    nothing = replace(trust_model, threshold=replace(trust_model.threshold, score=None))
    data, _ = call("should_i_run", RIGHT, nothing)
    assert (data["advice"], data["threshold"]) == ("run", None)
    assert "No value can be trusted" in data["summary"]


def test_a_trust_model_of_another_model(trust_model: TrustModel) -> None:
    other = replace(trust_model, fitted_on={**FITTED_ON, "model": "tuned"})
    for tool in ("should_i_run", "predict_execution"):
        data, _ = call(tool, RIGHT, other)
        assert data["probability"] is None
        words = data["summary"] if tool == "should_i_run" else data["trust"]
        assert "fitted on predictions with model tuned, not scripted" in words
    assert call("should_i_run", RIGHT, other)[0]["advice"] == "run"


def test_a_prediction_has_a_probability(trust_model: TrustModel) -> None:
    data, text = call("predict_execution", RIGHT, trust_model)
    assert data["probability"] == call("should_i_run", RIGHT, trust_model)[0]["probability"]
    assert f"right with probability {data['probability']:.2f}" in data["trust"]
    assert data["trust"] in text
    low, _ = call("predict_execution", CONTRADICTED, trust_model)
    assert low["probability"] < data["probability"]
    assert low["weakest_step"]["reason"] == "contradicted"


def test_trust_models_with_repeats_are_refused() -> None:
    with pytest.raises(InputError, match="--signals static --signals flow"):
        ToolService(engine="recorded:x", trust_model=fitted(has_repeats=True))


def test_the_option(tmp_path: Path, trust_model: TrustModel) -> None:
    file = tmp_path / "trust.json"
    save_trust_model(trust_model, file)
    assert load_trust_model(file) == trust_model
    result = CliRunner().invoke(main, ["mcp", "--trust", str(file)], env={"WORLDLINE_ENGINE": ""})
    assert result.exit_code != 0
    assert "--engine" in f"{result.output}{result.exception}"
