"""One-line `repr` of the public dataclasses of models."""

import pickle
from typing import Any

import pytest

from worldline.core.trace import Program
from worldline.models.codecs import Fragment, RoleSegments, SpecialToken, StepText, get_codec
from worldline.models.engines import (
    Capabilities,
    EngineFactory,
    EngineOptions,
    Message,
    Reply,
    Request,
    Scores,
    Throughput,
    TokenScore,
    Usage,
)
from worldline.models.prediction import (
    EngineReport,
    GenerationRecord,
    PredictionSettings,
    Question,
    StepScore,
    make_prediction,
)

LONG = "x = '\n'\x1b" * 500
PROGRAM = Program("def f(x):\n    return x\n", "f(1)")
STEP = "<|call_sep|>{}<|action_sep|>def main(): # << START_OF_TRACE\n<|frame_sep|>"
PREDICTION = make_prediction("sample_33", PROGRAM, STEP, get_codec("cwm"))
CAPABILITIES = Capabilities(frozenset({"chat"}), {"grammar": LONG}, 4096)
USAGE = Usage(1_000_000, 1_000_000, 1_000_000, 1_000, 10)
VALUES = [
    PREDICTION,
    make_prediction(LONG, PROGRAM, LONG, get_codec("cwm")),
    PREDICTION.decoded,
    PREDICTION.after,
    Question(LONG, Program(LONG, LONG)),
    PredictionSettings(),
    GenerationRecord("force-actions", "sparse-8", 4096, prompt_ids=(1,) * 500, usage=USAGE),
    StepScore(1, 0.5, True, 12, 3.25, False),
    StepText(LONG, {"x": LONG}, 0, 9),
    Fragment("line", {"x": LONG}, "y", LONG, LONG),
    RoleSegments("action", (LONG, SpecialToken("<|frame_sep|>"))),
    Message("user", LONG),
    Request((1,) * 500, 10),
    Request((Message("user", LONG),), 10),
    Reply(LONG, "stop", (1,) * 500),
    Scores((TokenScore(-0.5, 2, 7),) * 500),
    TokenScore(-0.5, 2, 7),
    Throughput(4, 12.5),
    CAPABILITIES,
    EngineReport("model", CAPABILITIES, {"cwm": LONG}, {"free": ""}),
    USAGE,
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_repr_is_one_short_line(value: Any) -> None:
    text = repr(value)
    assert text.startswith(f"{type(value).__name__}(")
    assert text.isprintable()
    assert len(text) <= 130


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_equality_and_pickling_include_all_fields(value: Any) -> None:
    assert pickle.loads(pickle.dumps(value)) == value


def test_the_repr_of_a_prediction() -> None:
    assert repr(PREDICTION) == "Prediction('sample_33', 1 step, truncated)"


def test_the_repr_of_a_factory_shows_its_usage() -> None:
    factory = EngineFactory(lambda name, options: NotImplemented, "recorded:FILE")
    assert repr(factory) == "EngineFactory('recorded:FILE', is_server=False)"


def test_a_repr_does_not_show_the_api_key() -> None:
    assert "secret" not in repr(EngineOptions("m", "secret"))
