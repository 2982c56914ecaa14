"""Predictions for tests: the text of an actual trace, with one change."""

from collections.abc import Callable

from worldline.analysis.diagnosis import Diagnosis, diagnose_prediction
from worldline.core.trace import Program, Trace
from worldline.languages.python.recorder import Recorder
from worldline.models.codecs import Codec, get_codec
from worldline.models.prediction import Finish, Prediction, make_prediction
from worldline.models.tokenizers import Tokenizer

CWM = get_codec("cwm")


def text_of(trace: Trace, codec: Codec = CWM) -> str:
    """Text that a perfect model would write."""
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
    """Make a prediction with this text."""
    return make_prediction(
        "edited", program, text, codec, finish=finish, expected=expected, external_answer=answer
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
    return diagnose_prediction(trace, prediction, tokenizer=tokenizer)


def replaced(old: str, new: str, *, times: int = 1) -> Callable[[str], str]:
    """Make an edit that replaces a text, which must occur."""

    def edit(text: str) -> str:
        assert old in text, f"{old!r} is not in {text!r}"
        return text.replace(old, new, times)

    return edit
