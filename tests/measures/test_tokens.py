"""Tokens of traces: counted once each, by format, step and variable; and how stable strings are."""

import pytest

from tests.predictions import text_of
from worldline.codecs import CODECS, STEP_CODECS, Special
from worldline.measures import BUDGETS, measure_stability, measure_tokens
from worldline.recorders import PythonRecorder
from worldline.report import tokens_to_json
from worldline.tokens import BytesTokenizer, count_pieces
from worldline.trace import Program, Trace

LOOP = Program(
    "def f(n):\n    text = ''\n    for i in range(n):\n        text += 'ab'\n    return text\n",
    "f(4)",
)
ADD = Program("def f(a, b):\n    c = a + b\n    return c\n", "f(1, 3)")
BYTES = BytesTokenizer()


@pytest.fixture
def traces(recorder: PythonRecorder) -> list[tuple[str, Trace]]:
    return [("loop", recorder.record(LOOP)), ("add", recorder.record(ADD))]


@pytest.mark.parametrize("codec", STEP_CODECS)
def test_every_token_is_counted_once(codec: str, traces: list[tuple[str, Trace]]) -> None:
    costs = measure_tokens(traces, BYTES, codec=codec, most=10_000)
    assert [one.codec for one in costs.formats] == [n for n, c in CODECS.items() if not c.is_chat]
    for one in costs.formats:
        found = CODECS[one.codec]
        sizes = [count_pieces(found.encode(trace), Special, BYTES) for _, trace in traces]
        prompts = [count_pieces(found.prompt(t.program), Special, BYTES) for _, t in traces]
        assert (one.trace, one.prompt) == (sum(sizes), sum(prompts))
        assert one.lengths.longest == max(sizes)
        both = [a + b for a, b in zip(sizes, prompts, strict=True)]
        assert one.fitting == {budget: sum(n <= budget for n in both) for budget in BUDGETS}
        if one.actions is not None and one.states is not None:
            assert one.actions + one.states == one.trace
        if one.codec == codec:
            # But for the token that ends each trace.
            assert sum(step.tokens for step in costs.costly_steps) == one.trace - len(traces)
    tokens = [step.tokens for step in costs.costly_steps]
    assert tokens == sorted(tokens, reverse=True)
    assert costs.steps == sum(len(trace.steps) for _, trace in traces)


def test_the_variable_that_costs_the_most(traces: list[tuple[str, Trace]]) -> None:
    costs = measure_tokens(traces[:1], BYTES, codec="numbers")
    first = costs.costly_variables[0]
    # '', 'ab', 'abab', 'ababab', 'abababab' behind `text=`.
    assert (first.name, first.times) == ("text", 5)
    assert first.tokens == 5 * len("text=''") + 2 + 4 + 6 + 8
    assert "the variable text alone takes" in tokens_to_json(costs)["dominant"]


def test_a_module_is_left_out_and_said_so(recorder: PythonRecorder) -> None:
    costs = measure_tokens([("module", recorder.record(Program("x = 1\n")))], BYTES)
    assert (costs.traces, costs.left_out) == (0, 1)


def test_in_bytes_a_character_is_a_token(traces: list[tuple[str, Trace]]) -> None:
    found = {one.operation: one for one in measure_stability(traces, BYTES)}
    assert (found[""].changes, found[""].characters, found[""].tokens) == (4, 8, 8)
    assert found[""].ratio == 1
    assert set(found) == {"", "+"}


def test_the_text_of_a_trace_is_what_is_counted(traces: list[tuple[str, Trace]]) -> None:
    _, trace = traces[1]
    text = text_of(trace, CODECS["numbers"])
    specials = sum(text.count(special) for special in CODECS["numbers"].specials)
    letters = len(text) - sum(
        len(special) * text.count(special) for special in CODECS["numbers"].specials
    )
    costs = measure_tokens([("add", trace)], BYTES)
    assert next(o for o in costs.formats if o.codec == "numbers").trace == specials + letters
