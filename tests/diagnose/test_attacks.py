"""Cases that were once diagnosed wrongly: each must stay right."""

from pathlib import Path

import pytest

from tests.predictions import CWM, diagnose_edit, predict, replaced, text_of
from tests.recorders.methods import recorder_of
from worldline.align import align
from worldline.codecs import Special, decode_stripped
from worldline.diagnose import Diagnosis, diagnose, operation_facts
from worldline.errors import RecorderError
from worldline.predict import prediction_from_row
from worldline.recorders import PythonRecorder
from worldline.runs import examine
from worldline.trace import Limits, Program, Trace

PYTHONS = sorted(Path("~/.pyenv/versions").expanduser().glob("3.1[123].*/bin/python"))


def diagnosed(recorder: PythonRecorder, limits: Limits | None = None, **row: object) -> Diagnosis:
    """A row of a file, examined."""
    prediction = prediction_from_row({"id": "x", **row}, CWM, "here")
    return examine(prediction, recorder, limits=limits).diagnosis


def stripped(text_pieces: tuple[str, ...]) -> str:
    return "".join(piece for piece in text_pieces if not isinstance(piece, Special))


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
def test_the_same_execution_on_another_python_is_no_divergence(source: str, call: str) -> None:
    program = Program(source, call)
    traces = []
    for python in PYTHONS:
        with recorder_of(str(python), "core") as recorder:
            traces.append(recorder.record(program))
    for written in traces:
        pieces = CWM.encode(written)
        for truth in traces:
            for decoded in (
                CWM.decode("".join(pieces), program),
                decode_stripped(stripped(pieces), program),
            ):
                # What is promised: the same Python, and text with frames against any Python.
                if written.origin.has_comprehension_frames or written.origin == truth.origin:
                    found = align(truth, decoded)
                    assert found.divergence is None, (written.origin, truth.origin)


def test_a_program_that_cannot_be_executed_is_no_fault_of_the_model(
    recorder: PythonRecorder,
) -> None:
    output = "<|call_sep|>{}<|action_sep|>def main(): # << START_OF_TRACE\n<|frame_sep|>"
    for code in ("import no_such_module\n", "def f(:\n"):
        found = diagnosed(recorder, code=code, call="f(1)", output=output, finish_reason="stop")
        assert found.facts.outcome == "error"
        assert "the program could not be executed" in found.facts.note
    slow = "import time\ndef f():\n    time.sleep(9)\n    return 1\n"
    text = text_of(recorder.record(Program(slow.replace("9", "0"), "f()"))).replace("(0)", "(9)")
    limits = Limits(seconds=0.5)
    found = diagnosed(recorder, limits, code=slow, call="f()", output=text, finish_reason="stop")
    assert found.facts.outcome == "error"
    assert "time_limit" in found.facts.note
    assert found.cause is None


def test_a_program_that_switches_tracing_off(recorder: PythonRecorder) -> None:
    off = "sys.settrace(None)"
    source = f"import sys\ndef f():\n    {off}\n    return 1\n"
    text = text_of(recorder.record(Program(source.replace(off, "int(0)"), "f()")))
    found = diagnosed(recorder, code=source, call="f()", output=text.replace("int(0)", off))
    assert found.facts.outcome == "error"


def test_a_tuple_is_not_taken_for_an_exception(recorder: PythonRecorder) -> None:
    program = Program("def f(d):\n    return (int, None)\n", "f(1)")
    trace = recorder.record(program)
    found = align(trace, decode_stripped(stripped(CWM.encode(trace)), program))
    assert found.is_whole


def test_an_exception_in_the_entry_point_that_it_may_catch(recorder: PythonRecorder) -> None:
    context = (
        "def main(): # << START_OF_TRACE\n    try:\n        return int('x')\n"
        "    except ValueError:\n        return 0\n"
    )
    program = Program(context, context=context)
    trace = recorder.record(program)
    text = text_of(trace)
    cut = text[
        : text.index("<|frame_sep|>", text.index("<|exception_sep|>")) + len("<|frame_sep|>")
    ]
    for piece in (cut, cut + "<|line_s"):
        found = diagnose(trace, predict(program, piece, finish="length")).facts
        assert found.outcome == "truncated"


@pytest.mark.parametrize(
    ("source", "call", "until"),
    [
        ("def f(s):\n    return [c for c in s]\n", "f('ab')", '".0": "<str'),
        ("def f(s):\n    t = {'y', 'x'} | s\n    return t\n", "f(set())", '"t": "{\''),
        ("def f(n):\n    s = 'ab' * n\n    return s\n", "f(10000)", '"s": "\'abab'),
    ],
)
def test_a_cut_inside_a_right_value_is_no_divergence(
    recorder: PythonRecorder, source: str, call: str, until: str
) -> None:
    program = Program(source, call)
    trace = recorder.record(program)
    text = text_of(trace)
    if until not in text:
        pytest.skip("this Python has no such step")
    facts = diagnose(
        trace, predict(program, text[: text.index(until) + len(until)], finish="length")
    ).facts
    assert facts.outcome == "truncated"


def test_prose_behind_a_trace_that_breaks_off_is_malformed(recorder: PythonRecorder) -> None:
    program = Program("def f(x):\n    return x\n", "f(1)")
    trace = recorder.record(program)
    frames = text_of(trace).split("<|frame_sep|>")[:3]
    text = "<|frame_sep|>".join(frames) + "<|frame_sep|>and so on, and so on"
    assert diagnose(trace, predict(program, text, finish="length")).facts.outcome == "malformed"


def test_an_answer_where_the_program_raises_is_wrong(recorder: PythonRecorder) -> None:
    source = "def f(x):\n    return x.y\n"
    found = diagnose_edit(recorder, source, "f(1)", lambda t: t, expected="5", answer="5").facts
    assert (found.outcome, found.is_answer_right) == ("reference_wrong", False)


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
def test_answers_in_other_words(answer: str, value: str | None) -> None:
    from worldline.codecs import answer_value

    found = answer_value(answer)
    assert found == value if value is not None else found is not None


def test_what_stands_before_the_trace_is_skipped(recorder: PythonRecorder) -> None:
    program = Program("def f(x):\n    return x\n", "f(1)")
    trace = recorder.record(program)
    prompt = "".join(CWM.prompt(program))
    for before in ("\n", "Sure! Here is the trace:\n", prompt, "```\n"):
        assert diagnose(trace, predict(program, before + text_of(trace))).facts.outcome == "correct"


@pytest.mark.parametrize(
    "value", ["[" * 100_000, "0x" + "f" * 5_000, "-" * 500 + "2", "1" + "+1" * 900]
)
def test_values_that_break_parsers_are_only_wrong(recorder: PythonRecorder, value: str) -> None:
    source = "def f(x):\n    return x + 1\n"
    found = diagnose_edit(
        recorder, source, "f(1)", replaced('<|arg_sep|>"2"', f'<|arg_sep|>"{value}"')
    )
    assert (found.facts.outcome, found.where) == ("diverged", "return")


def test_json_that_breaks_the_reader_is_damage() -> None:
    program = Program("def f(x):\n    return x\n", "f(1)")
    start = "<|call_sep|>{}<|action_sep|>def main(): # << START_OF_TRACE\n<|frame_sep|>"
    text = start + "<|return_sep|><|action_sep|>    return f(1)\n<|arg_sep|>" + "[" * 100_000
    decoded = CWM.decode(text, program)
    assert len(decoded.steps) == 1


def test_code_that_claims_to_be_the_program(recorder: PythonRecorder) -> None:
    source = (
        "def f():\n    exec(compile('\\n' * 50 + 'x = 1', '<program>', 'exec'), {})\n    return 1\n"
    )
    found = diagnose_edit(recorder, source, "f()", lambda text: text)
    assert found.facts.outcome in ("correct", "diverged", "malformed")


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
def test_values_side_by_side_are_shown(statement: str, hidden: int) -> None:
    source = f"def f():\n    {statement}\n"
    assert operation_facts(source, 2).hidden == hidden


@pytest.mark.parametrize(
    ("loop", "expected"),
    [
        ("for x in xs:\n    xs += [x]\n", True),
        ("for x in self.xs:\n    self.xs.remove(x)\n", True),
        ("for row in grid:\n    grid[0].append(1)\n", False),
        ("for x in xs:\n    y = xs.pop\n", False),
    ],
)
def test_what_changes_what_is_iterated(loop: str, expected: bool) -> None:
    assert operation_facts(loop, 2).iterates_mutated == expected


def test_reading_a_variable_does_not_write_it(recorder: PythonRecorder) -> None:
    source = "def f(s):\n    n = len(s)\n    return n\n"
    edit = replaced('{"s": "..", "n": "2"}', '{"s": "\'ax\'", "n": "2"}')
    found = diagnose_edit(recorder, source, "f('ab')", edit)
    assert found.facts.value is not None
    assert found.facts.value.change == "drift"
    assert found.cause is not None
    assert found.cause.name == "miscopied"


def test_a_value_that_was_just_returned_is_copied(recorder: PythonRecorder) -> None:
    source = "def g(a):\n    return a + 1\ndef f(a):\n    b = g(a)\n    return b\n"
    found = diagnose_edit(recorder, source, "f(1)", replaced('"b": "2"', '"b": "3"'))
    assert found.cause is not None
    assert found.cause.name == "miscopied"


def test_white_space_alone_is_shown(recorder: PythonRecorder) -> None:
    from worldline.diagnose import difference

    source = "def f(x):\n    y = x\n    return y\n"
    found = diagnose_edit(recorder, source, "f(1)", replaced("    y = x\n", "      y = x\n"))
    assert difference(found) == "'      y = x' instead of '    y = x'"


def test_long_traces_take_time_in_proportion(recorder: PythonRecorder) -> None:
    """Once quadratic: a short prediction of a long run, and many short-lived scopes."""
    import time

    source = "def f(n):\n    return sorted(range(n), key=lambda p: -p)[0]\n"
    seconds = {}
    for size in (500, 4_000):
        program = Program(source, f"f({size})")
        trace = recorder.record(program)
        start = time.perf_counter()
        decoded = CWM.decode(text_of(trace), program)
        assert align(trace, decoded).is_whole
        wrong = CWM.decode(
            text_of(trace)[:400].replace("500", "501").replace("4000", "4001"), program
        )
        align(trace, wrong)
        seconds[size] = time.perf_counter() - start
    assert seconds[4_000] < 40 * max(seconds[500], 0.05)


def test_a_recorder_that_fails_is_an_error_of_ours() -> None:
    class Failing:
        def record(self, program: Program, *, limits: Limits | None = None) -> Trace:
            raise RecorderError("out of processes")

    program = Program("def f(x):\n    return x\n", "f(1)")
    found = examine(predict(program, "<|call_sep|>{}<|act"), Failing()).diagnosis
    assert found.facts.outcome == "error"
    assert "out of processes" in found.facts.note


@pytest.mark.parametrize(
    ("cut", "kind"),
    [
        ('"n": "3"}<|action_sep|>    re', "loop_left_early"),
        ('"n": "3"}<|action_sep|>    zz', "line_invented"),
    ],
)
def test_a_line_that_breaks_off_is_not_an_invented_one(
    recorder: PythonRecorder, cut: str, kind: str
) -> None:
    source = "def f(n):\n    while n > 0:\n        n -= 1\n    return n\n"
    program = Program(source, "f(3)")
    trace = recorder.record(program)
    line = "<|action_sep|>        n"
    text = text_of(trace).replace('{"n": ".."}' + line, '{"n": "3"}' + line)
    text = text[: text.index('"n": "3"}<|action_sep|>        n')] + cut
    found = diagnose(trace, predict(program, text, finish="length")).facts
    assert found.outcome == "diverged"
    assert found.action is not None
    assert found.action.kind == kind


def test_a_cut_behind_a_wrong_event_names_no_line(recorder: PythonRecorder) -> None:
    program = Program("def f(x):\n    y = x\n    return y\n", "f(1)")
    trace = recorder.record(program)
    text = text_of(trace)
    cut = text[: text.index("<|return_sep|>")] + "<|line_sep|>{"
    found = diagnose(trace, predict(program, cut, finish="length")).facts
    assert found.divergence is not None
    assert found.divergence.is_within_cut
    assert found.action is not None
    assert (found.action.kind, found.action.is_legal) == ("unjudged", None)
