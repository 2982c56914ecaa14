"""Runs that stop because the model does not write the format."""

from collections.abc import Callable
from pathlib import Path

import pytest

import worldline as wl
from tests.support.predictions import CWM
from worldline.core.errors import MalformedRepliesError
from worldline.core.trace import Program
from worldline.interfaces.api.predicting import predict_into_file
from worldline.models.codecs import get_codec
from worldline.models.engines import ScriptedEngine
from worldline.models.prediction import (
    Finish,
    GenerationRecord,
    MalformedReplyGuard,
    Mode,
    Prediction,
    PredictionSettings,
    Question,
    is_malformed,
    make_prediction,
    read_prediction_file,
)

PROGRAM = Program("def f(x):\n    return x + 1\n", "f(1)")
CHAT = PredictionSettings(codec="chat")


def prediction(
    text: str, *, codec: str = "chat", finish: Finish = "stop", mode: Mode = "free"
) -> Prediction:
    record = GenerationRecord(mode, codec, 100)
    return make_prediction("a", PROGRAM, text, get_codec(codec), finish=finish, generation=record)


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (prediction("I would rather talk."), True),
        (prediction(""), True),
        (prediction("", codec="cwm"), True),
        (prediction("Sure! Here is the trace:", codec="cwm"), True),
        # A wrong answer is a prediction.
        (prediction("[ANSWER] 77 [/ANSWER]"), False),
        (prediction("So, to begin", finish="truncated"), False),
        (prediction("okokok", codec="cwm", finish="truncated"), False),
        (prediction("", finish="infra_error"), False),
        # Nothing was generated, or an action that is not possible.
        (prediction("okok", codec="cwm", mode="score"), False),
        (prediction("okok", codec="cwm", mode="force-state"), False),
    ],
)
def test_what_is_malformed(made: Prediction, expected: bool) -> None:
    assert is_malformed(made) is expected


def test_a_step_is_readable(recorder: wl.PythonRecorder) -> None:
    text = "".join(CWM.encode(recorder.record(PROGRAM)))
    assert not is_malformed(prediction(text, codec="cwm"))
    assert not is_malformed(prediction(text[: len(text) // 2] + "garbage", codec="cwm"))


BAD, GOOD, CUT = (
    prediction("bad"),
    prediction("[ANSWER] 1 [/ANSWER]"),
    prediction("cut", finish="truncated"),
)


@pytest.mark.parametrize(
    ("limit", "replies", "stops_after"),
    [
        (3, [BAD] * 5, 3),
        (3, [BAD, CUT, BAD, CUT, BAD], 5),
        (3, [BAD, BAD, GOOD] * 20, None),
        (3, [GOOD, *[BAD] * 29], None),
        (3, [GOOD, *[BAD] * 30], 31),
        (1, [BAD], 1),
        (0, [BAD] * 100, None),
    ],
)
def test_when_a_run_stops(limit: int, replies: list[Prediction], stops_after: int | None) -> None:
    guard = MalformedReplyGuard(limit)
    stops = [n for n, reply in enumerate(replies, 1) if guard.is_exceeded(reply)]
    assert (stops[0] if stops else None) == stops_after


def questions(count: int) -> list[Question]:
    return [Question(f"s{n}", Program(PROGRAM.source, f"f({n})")) for n in range(count)]


def talks(text: str) -> Callable[[], ScriptedEngine]:
    return lambda: ScriptedEngine(lambda prompt: text)


def test_the_error_shows_the_text_and_what_was_done_is_kept(tmp_path: Path) -> None:
    output = tmp_path / "p.jsonl"
    text = "Sorry, " + "blah " * 100
    with pytest.raises(MalformedRepliesError) as caught:
        predict_into_file(questions(9), talks(text), output, settings=CHAT, concurrency=1)
    message = str(caught.value)
    assert message.startswith("3 replies in a row have nothing of the chat format in them")
    assert text[:300] in message
    assert text[:301] not in message
    assert "max_malformed=0 in Python" in message
    assert len(list(read_prediction_file(output))) == 3
    # The rest is asked when the model is better.
    totals = predict_into_file(
        questions(9), talks("[ANSWER] 1 [/ANSWER]"), output, settings=CHAT, concurrency=1
    )
    assert (totals.skipped, totals.finishes["stop"]) == (3, 6)


def test_the_codec_that_suits_the_engine_is_suggested(tmp_path: Path) -> None:
    engine = lambda: ScriptedEngine(lambda prompt: "", special_tokens=())  # noqa: E731
    settings = PredictionSettings(codec="folded")
    tokens = tuple(get_codec("folded").special_tokens)
    trained = lambda: ScriptedEngine(lambda prompt: "", special_tokens=tokens)  # noqa: E731
    with pytest.raises(MalformedRepliesError, match=r"they are empty\. This model can be asked"):
        predict_into_file(
            questions(5), trained, tmp_path / "a.jsonl", settings=settings, concurrency=1
        )
    with pytest.raises(MalformedRepliesError, match="can be asked with --codec chat-trace"):
        predict_into_file(questions(5), engine, tmp_path / "b.jsonl", settings=CHAT, concurrency=1)


def test_nothing_stops_after_the_last_reply_or_without_a_limit(tmp_path: Path) -> None:
    totals = predict_into_file(
        questions(3), talks("no"), tmp_path / "a.jsonl", settings=CHAT, concurrency=1
    )
    assert totals.finishes["stop"] == 3
    totals = predict_into_file(
        questions(9), talks("no"), tmp_path / "b.jsonl", settings=CHAT, max_malformed=0
    )
    assert totals.finishes["stop"] == 9


def test_an_evaluation_stops_and_resumes(tmp_path: Path) -> None:
    options = {"codec": "chat", "output": tmp_path / "run", "first": 8, "concurrency": 1}
    with pytest.raises(MalformedRepliesError):
        wl.evaluate("permutation", talks("no"), **options)  # type: ignore[arg-type]
    assert len(wl.Run(tmp_path / "run")) == 3
    asked: list[wl.ScoredSample] = []
    run = wl.evaluate(
        "permutation",
        talks("[ANSWER] 1 [/ANSWER]"),
        on_sample=asked.append,
        **options,  # type: ignore[arg-type]
    )
    assert (len(run), len(asked)) == (8, 5)
