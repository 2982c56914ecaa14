"""The codec in which a model is asked, if none is named."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import worldline as wl
from tests.support.scripted_models import continue_actual_trace, engine_of
from worldline.core.errors import EngineError
from worldline.evaluation.runs import read_manifest
from worldline.interfaces.api.predicting import predict_into_file
from worldline.interfaces.api.sources import load_questions
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import CODECS
from worldline.models.engines import Capabilities, ScriptedEngine
from worldline.models.prediction import (
    CODEC_PREFERENCE,
    CodecChoice,
    EngineReport,
    PredictionSettings,
    check_engine,
    choose_codec,
    read_prediction_file,
    suggest_codec,
)

SOURCE = "def f(x):\n    return x + 1\n"
ANSWER = "[ANSWER] 1 [/ANSWER]"


def report(**reasons: str) -> EngineReport:
    codecs = {name.replace("_", "-"): reason for name, reason in reasons.items()}
    return EngineReport("m", Capabilities(frozenset()), codecs, {})


def chat_engine() -> ScriptedEngine:
    return ScriptedEngine(lambda prompt: ANSWER)


class Silent(ScriptedEngine):
    """An engine that can do nothing."""

    async def capabilities(self) -> Capabilities:
        return Capabilities(frozenset(), {"chat": "no chat", "tokenize": "no tokens"})


def test_the_best_codec_is_suggested() -> None:
    assert suggest_codec(report(cwm="", chat_trace="", chat="")) == "cwm"
    assert suggest_codec(report(cwm="no tokens", chat_trace="", chat="")) == "chat-trace"
    assert suggest_codec(report(cwm="no tokens", chat="")) == "chat"
    # A codec that a model must have been trained on is never chosen.
    with pytest.raises(EngineError, match="m supports no codec: no tokens; no chat"):
        suggest_codec(report(cwm="no tokens", delta="", chat="no chat"))


def test_the_preference_names_codecs() -> None:
    assert set(CODEC_PREFERENCE) <= set(CODECS)


def test_a_model_with_the_special_tokens_is_asked_for_a_trace() -> None:
    assert asyncio.run(choose_codec(engine_of(lambda prompt: ""))).name == "cwm"
    choice = asyncio.run(choose_codec(chat_engine()))
    assert choice.name == "chat-trace"
    assert "chat messages" in choice.reason
    with pytest.raises(EngineError, match="scripted supports no codec"):
        asyncio.run(choose_codec(Silent(str)))


def test_only_named_codecs_are_tested() -> None:
    tested = asyncio.run(check_engine(chat_engine(), codecs=["chat"]))
    assert dict(tested.codecs) == {"chat": ""}
    assert set(asyncio.run(check_engine(chat_engine())).codecs) == set(CODECS)


def test_the_chosen_codec_is_in_the_file_and_stays(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    questions, output = load_questions("permutation")[:2], tmp_path / "p.jsonl"
    choices: list[CodecChoice] = []
    # Asked in `chat` first, although it has the special tokens.
    settings = PredictionSettings(codec="chat")
    predict_into_file(questions[:1], chat_engine, output, settings=settings)
    knows = engine_of(lambda prompt: ANSWER)
    auto = replace(settings, codec="auto")
    totals = predict_into_file(
        questions, lambda: knows, output, settings=auto, on_codec=choices.append
    )
    assert (totals.skipped, totals.finishes["stop"]) == (1, 1)
    assert choices == [CodecChoice("chat", f"used by the predictions in {output}")]
    records = [prediction.generation for prediction in read_prediction_file(output)]
    assert [record.codec for record in records if record] == ["chat", "chat"]


def test_the_manifest_has_the_resolved_codec_and_a_resumed_run_keeps_it(tmp_path: Path) -> None:
    choices: list[CodecChoice] = []
    options: dict[str, Any] = {"output": tmp_path / "run", "on_codec": choices.append}
    wl.evaluate("permutation", chat_engine, first=1, codec="chat", **options)
    assert choices == []
    knows = engine_of(lambda prompt: ANSWER)
    wl.evaluate("permutation", lambda: knows, first=2, **options)
    assert [choice.name for choice in choices] == ["chat"]
    settings = read_manifest(tmp_path / "run").settings
    assert settings is not None
    assert settings.codec == "chat"
    wl.evaluate("permutation", chat_engine, first=1, output=tmp_path / "new")
    settings = read_manifest(tmp_path / "new").settings
    assert settings is not None
    assert settings.codec == "chat-trace"


def test_predict_without_a_codec(recorder: PythonRecorder) -> None:
    trace = recorder.record(wl.Program(SOURCE, "f(1)"))
    knows = engine_of(continue_actual_trace(trace))
    prediction = wl.predict(SOURCE, "f(1)", engine=lambda: knows)
    assert prediction.generation is not None
    assert prediction.generation.codec == "cwm"
    assert wl.diagnose(prediction).diagnosis.facts.outcome == "correct"
