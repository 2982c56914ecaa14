"""Formats that write choices: round trips, and the text."""

from collections import defaultdict
from collections.abc import Iterator

import pytest

from tests.support.chance_programs import chance_program
from worldline.core.trace import Program, Trace
from worldline.languages.python.recorder import PythonRecorder, parse_literal
from worldline.models.codecs import STEP_CODECS, get_codec

NAMES = [name for name in STEP_CODECS if name.endswith("-choices")]
SOURCE = """\
import random


def draw():
    yield random.randint(1, 3)
    yield random.choice("ab")


def f():
    total = 0
    for _ in range(2):
        total += random.randint(1, 6) + random.randint(1, 6)
    items = list(draw())
    while random.random() < 0.5:
        total += 1
    return random.randrange(total)
"""


@pytest.fixture(scope="module")
def recorder() -> Iterator[PythonRecorder]:
    with PythonRecorder() as recorder:
        yield recorder


def stated(trace: Trace) -> dict[int, list[object]]:
    """The values of the choices of each step."""
    values: dict[int, list[object]] = defaultdict(list)
    for choice in trace.choices:
        if choice.step is not None:
            values[choice.step].append(parse_literal(choice.value))
    return dict(values)


def check_round_trip(trace: Trace, name: str) -> None:
    codec, base = STEP_CODECS[name], STEP_CODECS[name.removesuffix("-choices")]
    text = "".join(codec.encode(trace))
    decoded = codec.decode(text, trace.program)
    plain = base.decode("".join(base.encode(trace)), trace.program)
    assert (decoded.stop, decoded.steps) == ("complete", plain.steps)
    assert decoded.steps == trace.steps
    assert [each.locals for each in decoded.step_texts] == [
        each.locals for each in plain.step_texts
    ]
    assert {n: parse_literal(each) for n, each in decoded.choices.items()} == stated(trace)


@pytest.mark.parametrize("name", NAMES)
def test_round_trips_with_choices(recorder: PythonRecorder, name: str) -> None:
    programs = [
        Program(SOURCE, "f()"),
        *(chance_program(seed, is_finite=False) for seed in range(25)),
    ]
    for program in programs:
        trace = recorder.record(program)
        assert trace.choices
        check_round_trip(trace, name)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cwm-choices", '{"total": "..", ".choice": "[3]"}<|action_sep|>    total += random'),
        ("delta-choices", "<|line_sep|>.choice=[3]<|action_sep|>    total += random"),
    ],
)
def test_the_text_states_the_value(recorder: PythonRecorder, name: str, text: str) -> None:
    source = (
        "import random\n\ndef f():\n    total = 0\n    x = 1\n    total += random.randint(3, 3)\n"
    )
    source = source.replace("    x = 1\n", "    pass\n")
    trace = recorder.record(Program(source, "f()"))
    assert text in "".join(get_codec(name).encode(trace))


@pytest.mark.parametrize("name", NAMES)
def test_a_trace_without_choices_is_written_as_before(recorder: PythonRecorder, name: str) -> None:
    trace = recorder.record(Program("def f(x):\n    y = x + 1\n    return y\n", "f(1)"))
    assert get_codec(name).encode(trace) == get_codec(name.removesuffix("-choices")).encode(trace)
