"""Patches of outputs in rows: the actual effect, or line, of the row that diverged."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.support.predictions import predict, text_of
from worldline.analysis.diagnosis import Sample, diagnose_prediction
from worldline.analysis.interventions import (
    modify_question,
    patched_prefix,
    prefix_before_divergence,
)
from worldline.core.trace import Program, Trace
from worldline.languages.python.expression_frames import without_expression_frames
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import ChatTraceCodec, get_codec
from worldline.models.prediction import PredictionSettings
from worldline.models.prediction.prediction_settings import make_generation_record

LOOP = Program(
    "def f(n):\n    s = 0\n    for i in range(n):\n        pass\n        s += i\n    return s\n",
    "f(3)",
)
CALLS = Program(
    "def g(x):\n    if x > 1:\n        raise ValueError('big')\n    return x\n\n\n"
    "def f(xs):\n    out = []\n    for x in xs:\n        try:\n            out.append(g(x))\n"
    "        except ValueError:\n            out.append(sum(y for y in [x, 1]))\n    return out\n",
    "f([0, 2, 1])",
)


def chat_trace(name: str = "chat-trace") -> ChatTraceCodec:
    codec = get_codec(name)
    assert isinstance(codec, ChatTraceCodec)
    return codec


def sample_of(actual: Trace, text: str, codec: ChatTraceCodec) -> Sample:
    prediction = predict(actual.program, text, codec=codec)
    return Sample(prediction, actual, diagnose_prediction(actual, prediction))


def patch_of(sample: Sample, codec: ChatTraceCodec) -> str | None:
    alignment = sample.diagnosis.facts.alignment
    assert alignment is not None
    return patched_prefix(sample.prediction, alignment, codec)


@pytest.mark.parametrize(
    ("old", "new", "end"),
    [
        # A wrong effect: the actual one, and the model writes the next line.
        ("L5: s += i => s = 1\n", "L5: s += i => s = 9\n", "L5: s += i => s = 1\n"),
        ("L4: pass =>\nL5", "L4: pass => s = 4\nL5", "L4: pass =>\n"),
        # A wrong line: the actual one, and the model writes its effect.
        ("=> i = 1\nL4: pass =>", "=> i = 1\nL6: return s => 0", "=> i = 1\nL4: pass =>"),
        # The model ended too early.
        ("=> done\nL6: return s => 3\n", "=> done\n", "=> done\nL6: return s =>"),
    ],
)
def test_the_divergence_is_patched(old: str, new: str, end: str, recorder: PythonRecorder) -> None:
    actual, codec = recorder.record(LOOP), chat_trace()
    whole = text_of(actual, codec)
    assert old in whole
    patch = patch_of(sample_of(actual, whole.replace(old, new, 1), codec), codec)
    assert patch is not None
    assert patch.endswith(end)
    assert whole.startswith(patch)


def test_an_answer_is_not_patched(recorder: PythonRecorder) -> None:
    actual, codec = recorder.record(LOOP), chat_trace()
    text = text_of(actual, codec).replace("return s => 3", "return s => 4")
    assert patch_of(sample_of(actual, text, codec), codec) is None


def corruptions(actual: Trace, codec: ChatTraceCodec) -> Iterator[str]:
    """The actual text with one row left out, or with a different effect, or on a different line."""
    rows = list(codec.encode_rows(actual))
    for index, row in enumerate(rows[:-1]):
        before = "".join(row.action + row.state for row in rows[:index])
        after = "".join(row.action + row.state for row in rows[index + 1 :])
        yield before + after
        yield f"{before}{row.action} nothing = 'else'\n{after}"
        yield f"{before}L1: def g(x): => enter; x = 77\n{row.action}{row.state}{after}"


@pytest.mark.parametrize("name", ["chat-trace", "chat-trace-states", "chat-trace-json"])
@pytest.mark.parametrize("program", [LOOP, CALLS])
def test_every_patch_is_the_beginning_of_the_actual_text(
    name: str, program: Program, recorder: PythonRecorder
) -> None:
    actual, codec = recorder.record(program), chat_trace(name)
    whole = text_of(without_expression_frames(actual), codec)
    patched = 0
    for text in corruptions(without_expression_frames(actual), codec):
        sample = sample_of(actual, text, codec)
        divergence = sample.diagnosis.facts.divergence
        patch = patch_of(sample, codec) if divergence is not None else None
        if divergence is None or patch is None:
            continue
        before = prefix_before_divergence(sample.prediction, divergence, codec)
        if not whole.startswith(before):
            # The effect of a line that calls shows only in the step after the call.
            continue
        assert whole.startswith(patch)
        assert len(before) < len(patch)
        patched += 1
    assert patched > 10


def test_interventions_apply_to_rows(recorder: PythonRecorder) -> None:
    actual = recorder.record(LOOP)
    for name, has_guided in (("chat-trace", True), ("chat-trace-json", False)):
        codec = chat_trace(name)
        text = text_of(actual, codec).replace("s = 1", "s = 9").replace('"1"', '"9"')
        prediction = predict(actual.program, text, codec=codec)
        record = make_generation_record(PredictionSettings(codec=name))
        prediction = replace(prediction, generation=record)
        sample = Sample(prediction, actual, diagnose_prediction(actual, prediction))
        names: Any = ("guided", "force-actions", "force-state", "patch", "resample")
        applied = {name for name in names if modify_question(name, sample) is not None}
        assert applied == set(names) - (set() if has_guided else {"guided"})
