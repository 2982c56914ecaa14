"""Predictions made from real traces by changing one thing."""

from collections.abc import Callable

from worldline.codecs import Codec, codec_named
from worldline.diagnose import Diagnosis, diagnose
from worldline.predict import Finish, Prediction, make_prediction
from worldline.recorders import Recorder
from worldline.tokens import Tokenizer
from worldline.trace import Program, Trace

CWM = codec_named("cwm")


def text_of(trace: Trace, codec: Codec = CWM) -> str:
    """What a perfect model would write."""
    return "".join(codec.encode(trace))


def predict(
    program: Program,
    text: str,
    *,
    finish: Finish = "stop",
    expected: str | None = None,
    answer: str | None = None,
    codec: Codec = CWM,
) -> Prediction:
    """A prediction with this text."""
    return make_prediction(
        "made", program, text, codec, finish=finish, expected=expected, taken_answer=answer
    )


def diagnose_edit(
    recorder: Recorder,
    source: str,
    call: str,
    edit: Callable[[str], str],
    *,
    finish: Finish = "stop",
    expected: str | None = None,
    answer: str | None = None,
    tokenizer: Tokenizer | None = None,
    codec: Codec = CWM,
) -> Diagnosis:
    """Record a program, change the text of its trace, and diagnose that as a prediction."""
    program = Program(source, call)
    trace = recorder.record(program)
    text = edit(text_of(trace, codec))
    prediction = predict(
        program, text, finish=finish, expected=expected, answer=answer, codec=codec
    )
    return diagnose(trace, prediction, tokenizer=tokenizer)


def replaced(old: str, new: str, *, times: int = 1) -> Callable[[str], str]:
    """An edit that must find what it replaces."""

    def edit(text: str) -> str:
        assert old in text, f"{old!r} is not in {text!r}"
        return text.replace(old, new, times)

    return edit
