"""Alignment of a result without steps."""

from worldline.analysis.alignment import align_result
from worldline.core.trace import Program
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import get_codec


def test_the_last_of_two_equal_steps_is_the_result(recorder: PythonRecorder) -> None:
    text = (
        "def main(): # << START_OF_TRACE\n    for i in (0, 1):\n        try:\n"
        "            1 // 0\n        except ZeroDivisionError:\n            if i:\n"
        "                raise\n"
    )
    program = Program.from_text(text)
    actual = recorder.record(program)
    raised = [n for n, step in enumerate(actual.steps) if step.event == "exception"]
    assert len(raised) > 1
    decoded = get_codec("chat").decode("", program)
    divergence = align_result(actual, decoded, "4").divergence
    assert divergence is not None
    assert (divergence.where, divergence.step) == ("exception", raised[-1])
