"""Regression tests: cases that were once diagnosed wrongly."""

from pathlib import Path

import pytest

from tests.languages.recorder.methods import recorder_of
from tests.support.predictions import CWM, diagnose_edit, predict, replaced, text_of
from worldline.analysis.alignment import align
from worldline.analysis.diagnosis import Diagnosis, diagnose_prediction, operation_facts
from worldline.core.errors import RecorderError
from worldline.core.trace import Limits, Program, Trace
from worldline.evaluation.runs import execute_and_diagnose
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import SpecialToken, decode_without_special_tokens
from worldline.models.prediction import prediction_from_row

PYTHONS = sorted(Path("~/.pyenv/versions").expanduser().glob("3.1[123].*/bin/python"))


def diagnosed(recorder: PythonRecorder, limits: Limits | None = None, **row: object) -> Diagnosis:
    """Diagnose one row of a prediction file."""
    prediction = prediction_from_row({"id": "x", **row}, CWM, "here")
    return execute_and_diagnose(prediction, recorder, limits=limits).diagnosis


def stripped(text_pieces: tuple[str, ...]) -> str:
    return "".join(piece for piece in text_pieces if not isinstance(piece, SpecialToken))


COMPREHENSIONS = [
    ("def f(xs):\n    y = [x for x in xs]\n    return y\n", "f([1, 2])"),
    ("def f():\n    x = 1\n    y = [x for x in [1, 2]]\n    return y\n", "f()"),
    ("def f(xs):\n    for x in xs:\n        y = [x for x in xs]\n    return y\n", "f([1, 1])"),
    ("def g(n):\n    return [n for i in range(1)]\ndef f():\n    return g(1) + g(2)\n", "f()"),
    ("def f(xs):\n    y = [\n        x\n        for x in xs\n    ]\n    return y\n", "f([1, 2])"),
    ("def f(xs):\n    return [1 // x for x in xs]\n", "f([1, 0])"),
    ("def f(xs):\n    return {x: [y for y in range(x)] for x in xs}\n", "f([1, 2])"),
    ("def g(x):\n    return x + 1\ndef f(xs):\n    return [g(x) for x in xs]\n", "f([1, 2])"),
]


@pytest.mark.skipif(len(PYTHONS) < 2, reason="needs interpreters from 3.11 to 3.13 in ~/.pyenv")
@pytest.mark.parametrize(("source", "call"), COMPREHENSIONS)
def test_the_same_execution_on_a_different_python_does_not_diverge(source: str, call: str) -> None:
    program = Program(source, call)
    traces = []
    for python in PYTHONS:
        with recorder_of(str(python), "core") as recorder:
            traces.append(recorder.record(program))
    for written in traces:
        pieces = CWM.encode(written)
        for actual in traces:
            for decoded in (
                CWM.decode("".join(pieces), program),
                decode_without_special_tokens(stripped(pieces), program),
            ):
                # Supported: the same Python, and text with comprehension frames on any Python.
                if written.origin.has_comprehension_frames or written.origin == actual.origin:
                    result = align(actual, decoded)
                    assert result.divergence is None, (written.origin, actual.origin)


def test_a_program_that_cannot_be_executed_is_an_infrastructure_error(
    recorder: PythonRecorder,
) -> None:
    output = "<|call_sep|>{}<|action_sep|>def main(): # << START_OF_TRACE\n<|frame_sep|>"
    for code in ("import no_such_module\n", "def f(:\n"):
        result = diagnosed(recorder, code=code, call="f(1)", output=output, finish_reason="stop")
        assert result.facts.outcome == "infra_error"
        assert "the program could not be executed" in result.facts.note
    slow = "import time\ndef f():\n    time.sleep(9)\n    return 1\n"
    text = text_of(recorder.record(Program(slow.replace("9", "0"), "f()"))).replace("(0)", "(9)")
    limits = Limits(seconds=0.5)
    result = diagnosed(recorder, limits, code=slow, call="f()", output=text, finish_reason="stop")
    assert result.facts.outcome == "infra_error"
    assert "time_limit" in result.facts.note
    assert result.cause is None


def test_a_program_that_turns_tracing_off(recorder: PythonRecorder) -> None:
    off = "sys.settrace(None)"
    source = f"import sys\ndef f():\n    {off}\n    return 1\n"
    text = text_of(recorder.record(Program(source.replace(off, "int(0)"), "f()")))
    result = diagnosed(recorder, code=source, call="f()", output=text.replace("int(0)", off))
    assert result.facts.outcome == "infra_error"


def test_a_tuple_is_not_mistaken_for_an_exception(recorder: PythonRecorder) -> None:
    program = Program("def f(d):\n    return (int, None)\n", "f(1)")
    trace = recorder.record(program)
    result = align(trace, decode_without_special_tokens(stripped(CWM.encode(trace)), program))
    assert result.is_complete


def test_an_exception_that_the_entry_point_may_catch(recorder: PythonRecorder) -> None:
    context = (
        "def main(): # << START_OF_TRACE\n    try:\n        return int('x')\n"
        "    except ValueError:\n        return 0\n"
    )
    program = Program.from_text(context)
    trace = recorder.record(program)
    text = text_of(trace)
    cut = text[
        : text.index("<|frame_sep|>", text.index("<|exception_sep|>")) + len("<|frame_sep|>")
    ]
    for piece in (cut, cut + "<|line_s"):
        result = diagnose_prediction(trace, predict(program, piece, finish="truncated")).facts
        assert result.outcome == "truncated"


@pytest.mark.parametrize(
    ("source", "call", "until"),
    [
        ("def f(s):\n    return [c for c in s]\n", "f('ab')", '".0": "<str'),
        ("def f(s):\n    t = {'y', 'x'} | s\n    return t\n", "f(set())", '"t": "{\''),
        ("def f(n):\n    s = 'ab' * n\n    return s\n", "f(10000)", '"s": "\'abab'),
    ],
)
def test_truncation_inside_a_correct_value_is_not_a_divergence(
    recorder: PythonRecorder, source: str, call: str, until: str
) -> None:
    program = Program(source, call)
    trace = recorder.record(program)
    text = text_of(trace)
    if until not in text:
        pytest.skip("this Python has no such step")
    facts = diagnose_prediction(
        trace, predict(program, text[: text.index(until) + len(until)], finish="truncated")
    ).facts
    assert facts.outcome == "truncated"


def test_prose_after_an_incomplete_trace_is_malformed(recorder: PythonRecorder) -> None:
    program = Program("def f(x):\n    return x\n", "f(1)")
    trace = recorder.record(program)
    frames = text_of(trace).split("<|frame_sep|>")[:3]
    text = "<|frame_sep|>".join(frames) + "<|frame_sep|>and so on, and so on"
    assert (
        diagnose_prediction(trace, predict(program, text, finish="truncated")).facts.outcome
        == "malformed"
    )


def test_an_answer_is_incorrect_if_the_program_raises(recorder: PythonRecorder) -> None:
    source = "def f(x):\n    return x.y\n"
    result = diagnose_edit(recorder, source, "f(1)", lambda t: t, expected="5", answer="5").facts
    assert (result.outcome, result.is_answer_correct) == ("reference_mismatch", False)


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("assert f(1) is None", "None"),
        ("assert f(1)", "True"),
        ("assert not f(1)", "False"),
        ("```python\nassert f(1) == 3\n```", "3"),
        ("-" * 100_000 + "1", None),
    ],
)
def test_answers_in_different_phrasings(answer: str, value: str | None) -> None:
    from worldline.models.codecs import parse_answer

    result = parse_answer(answer)
    assert result == value if value is not None else result is not None


def test_text_before_the_trace_is_skipped(recorder: PythonRecorder) -> None:
    program = Program("def f(x):\n    return x\n", "f(1)")
    trace = recorder.record(program)
    prompt = "".join(CWM.prompt(program))
    for before in ("\n", "Sure! Here is the trace:\n", prompt, "```\n"):
        assert (
            diagnose_prediction(trace, predict(program, before + text_of(trace))).facts.outcome
            == "correct"
        )


@pytest.mark.parametrize(
    "value", ["[" * 100_000, "0x" + "f" * 5_000, "-" * 500 + "2", "1" + "+1" * 900]
)
def test_values_that_break_parsers_are_incorrect(recorder: PythonRecorder, value: str) -> None:
    source = "def f(x):\n    return x + 1\n"
    result = diagnose_edit(
        recorder, source, "f(1)", replaced('<|arg_sep|>"2"', f'<|arg_sep|>"{value}"')
    )
    assert (result.facts.outcome, result.where) == ("diverged", "return")


def test_json_that_breaks_the_parser_is_malformed() -> None:
    program = Program("def f(x):\n    return x\n", "f(1)")
    start = "<|call_sep|>{}<|action_sep|>def main(): # << START_OF_TRACE\n<|frame_sep|>"
    text = start + "<|return_sep|><|action_sep|>    return f(1)\n<|arg_sep|>" + "[" * 100_000
    decoded = CWM.decode(text, program)
    assert len(decoded.steps) == 1


def test_code_that_imitates_the_program(recorder: PythonRecorder) -> None:
    source = (
        "def f():\n    exec(compile('\\n' * 50 + 'x = 1', '<program>', 'exec'), {})\n    return 1\n"
    )
    result = diagnose_edit(recorder, source, "f()", lambda text: text)
    assert result.facts.outcome in ("correct", "diverged", "malformed")


def test_a_global_statement_has_no_operations() -> None:
    facts = operation_facts("def f(a):\n    global c; a += 1\n    return a\n", 2)
    assert facts.writes == {"a"}
    assert facts.reads == {"a"}


@pytest.mark.parametrize(
    ("statement", "hidden"),
    [
        ("return a + b, a - b", 0),
        ("x, y = a + b, c - d", 0),
        ("xs = [a + 1, b * c + 1]", 1),
        ("d = {'a': x.upper(), 'b': y.lower()}", 0),
        ("a: list[int] = p", 0),
    ],
)
def test_values_of_a_displayed_container_are_not_hidden(statement: str, hidden: int) -> None:
    source = f"def f():\n    {statement}\n"
    assert operation_facts(source, 2).hidden_values == hidden


@pytest.mark.parametrize(
    ("loop", "expected"),
    [
        ("for x in xs:\n    xs += [x]\n", True),
        ("for x in self.xs:\n    self.xs.remove(x)\n", True),
        ("for row in grid:\n    grid[0].append(1)\n", False),
        ("for x in xs:\n    y = xs.pop\n", False),
    ],
)
def test_loops_that_mutate_what_they_iterate_over(loop: str, expected: bool) -> None:
    assert bool(operation_facts(loop, 2).mutated_iterables) == expected


def test_reading_a_variable_does_not_write_it(recorder: PythonRecorder) -> None:
    source = "def f(s):\n    n = len(s)\n    return n\n"
    edit = replaced('{"s": "..", "n": "2"}', '{"s": "\'ax\'", "n": "2"}')
    result = diagnose_edit(recorder, source, "f('ab')", edit)
    assert result.facts.value is not None
    assert result.facts.value.change == "carried_over"
    assert result.cause is not None
    assert result.cause.name == "copy_error"


def test_a_value_that_was_just_returned_is_a_copy(recorder: PythonRecorder) -> None:
    source = "def g(a):\n    return a + 1\ndef f(a):\n    b = g(a)\n    return b\n"
    result = diagnose_edit(recorder, source, "f(1)", replaced('"b": "2"', '"b": "3"'))
    assert result.cause is not None
    assert result.cause.name == "copy_error"


def test_a_difference_in_white_space_is_visible(recorder: PythonRecorder) -> None:
    from worldline.analysis.diagnosis import value_difference

    source = "def f(x):\n    y = x\n    return y\n"
    result = diagnose_edit(recorder, source, "f(1)", replaced("    y = x\n", "      y = x\n"))
    assert value_difference(result) == "'      y = x' instead of '    y = x'"


def test_alignment_time_is_linear_in_the_trace_length(recorder: PythonRecorder) -> None:
    """Once quadratic: a short prediction of a long trace, and many short scopes."""
    import time

    source = "def f(n):\n    return sorted(range(n), key=lambda p: -p)[0]\n"
    seconds = {}
    for size in (500, 4_000):
        program = Program(source, f"f({size})")
        trace = recorder.record(program)
        start = time.perf_counter()
        decoded = CWM.decode(text_of(trace), program)
        assert align(trace, decoded).is_complete
        wrong = CWM.decode(
            text_of(trace)[:400].replace("500", "501").replace("4000", "4001"), program
        )
        align(trace, wrong)
        seconds[size] = time.perf_counter() - start
    assert seconds[4_000] < 40 * max(seconds[500], 0.05)


def test_a_recorder_failure_is_an_infrastructure_error() -> None:
    class Failing:
        def record(self, program: Program, *, limits: Limits | None = None) -> Trace:
            raise RecorderError("out of processes")

    program = Program("def f(x):\n    return x\n", "f(1)")
    result = execute_and_diagnose(predict(program, "<|call_sep|>{}<|act"), Failing()).diagnosis
    assert result.facts.outcome == "infra_error"
    assert "out of processes" in result.facts.note


@pytest.mark.parametrize(
    ("cut", "kind"),
    [
        ('"n": "3"}<|action_sep|>    re', "loop_left_early"),
        ('"n": "3"}<|action_sep|>    zz', "line_invented"),
    ],
)
def test_a_truncated_line_is_not_an_invented_one(
    recorder: PythonRecorder, cut: str, kind: str
) -> None:
    source = "def f(n):\n    while n > 0:\n        n -= 1\n    return n\n"
    program = Program(source, "f(3)")
    trace = recorder.record(program)
    line = "<|action_sep|>        n"
    text = text_of(trace).replace('{"n": ".."}' + line, '{"n": "3"}' + line)
    text = text[: text.index('"n": "3"}<|action_sep|>        n')] + cut
    result = diagnose_prediction(trace, predict(program, text, finish="truncated")).facts
    assert result.outcome == "diverged"
    assert result.action is not None
    assert result.action.kind == kind


def test_truncation_after_a_wrong_event_gives_no_line(recorder: PythonRecorder) -> None:
    program = Program("def f(x):\n    y = x\n    return y\n", "f(1)")
    trace = recorder.record(program)
    text = text_of(trace)
    cut = text[: text.index("<|return_sep|>")] + "<|line_sep|>{"
    result = diagnose_prediction(trace, predict(program, cut, finish="truncated")).facts
    assert result.divergence is not None
    assert result.divergence.is_within_truncated_step
    assert result.action is not None
    assert (result.action.kind, result.action.is_legal) == ("unknown", None)
