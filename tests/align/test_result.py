"""A result without steps, put beside the real execution."""

from worldline.align import align_result
from worldline.codecs import codec_named
from worldline.recorders import PythonRecorder
from worldline.trace import Program


def test_of_two_steps_that_are_alike_the_last_is_the_result(recorder: PythonRecorder) -> None:
    text = (
        "def main(): # << START_OF_TRACE\n    for i in (0, 1):\n        try:\n"
        "            1 // 0\n        except ZeroDivisionError:\n            if i:\n"
        "                raise\n"
    )
    program = Program(text, context=text)
    truth = recorder.record(program)
    raised = [n for n, step in enumerate(truth.steps) if step.event == "exception"]
    assert len(raised) > 1
    said = codec_named("chat").decode("", program)
    divergence = align_result(truth, said, "4").divergence
    assert divergence is not None
    assert (divergence.where, divergence.step) == ("exception", raised[-1])
