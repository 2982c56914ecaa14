"""Token costs by codec, step and variable, and token churn."""

import pytest

from tests.support.predictions import text_of
from worldline.core.trace import Program, Trace
from worldline.evaluation.metrics import CONTEXT_LENGTHS, measure_token_churn, measure_tokens
from worldline.interfaces.report import tokens_to_json
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import ANSWER_CODECS, CODECS, STEP_CODECS, SpecialToken
from worldline.models.tokenizers import BytesTokenizer, count_segment_tokens

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
    assert [one.codec for one in costs.formats] == [
        name for name in CODECS if name not in ANSWER_CODECS
    ]
    for one in costs.formats:
        result = CODECS[one.codec]
        sizes = [
            count_segment_tokens(result.encode(trace), SpecialToken, BYTES) for _, trace in traces
        ]
        prompts = [
            count_segment_tokens(result.prompt(t.program), SpecialToken, BYTES) for _, t in traces
        ]
        assert (one.trace, one.prompt) == (sum(sizes), sum(prompts))
        assert one.lengths.longest == max(sizes)
        both = [a + b for a, b in zip(sizes, prompts, strict=True)]
        assert one.fitting == {budget: sum(n <= budget for n in both) for budget in CONTEXT_LENGTHS}
        if one.actions is not None and one.states is not None:
            assert one.actions + one.states == one.trace
        if one.codec == codec:
            # Except for the token that ends each trace.
            assert sum(step.tokens for step in costs.costly_steps) == one.trace - len(traces)
    tokens = [step.tokens for step in costs.costly_steps]
    assert tokens == sorted(tokens, reverse=True)
    assert costs.steps == sum(len(trace.steps) for _, trace in traces)


def test_the_most_costly_variable(traces: list[tuple[str, Trace]]) -> None:
    costs = measure_tokens(traces[:1], BYTES, codec="numbers")
    first = costs.costly_variables[0]
    # '', 'ab', 'abab', 'ababab', 'abababab' after `text=`.
    assert (first.name, first.times) == ("text", 5)
    assert first.tokens == 5 * len("text=''") + 2 + 4 + 6 + 8
    assert "the variable text alone takes" in tokens_to_json(costs)["dominant"]


def test_modules_are_left_out_and_counted(recorder: PythonRecorder) -> None:
    costs = measure_tokens([("module", recorder.record(Program("x = 1\n")))], BYTES)
    assert (costs.traces, costs.left_out) == (0, 1)


def test_with_a_byte_tokenizer_a_character_is_a_token(traces: list[tuple[str, Trace]]) -> None:
    result = {one.operation: one for one in measure_token_churn(traces, BYTES)}
    assert (result[""].changes, result[""].characters, result[""].tokens) == (4, 8, 8)
    assert result[""].ratio == 1
    assert set(result) == {"", "+"}


def test_token_counts_are_those_of_the_encoded_trace(traces: list[tuple[str, Trace]]) -> None:
    _, trace = traces[1]
    text = text_of(trace, CODECS["numbers"])
    special_tokens = sum(text.count(special) for special in CODECS["numbers"].special_tokens)
    letters = len(text) - sum(
        len(special) * text.count(special) for special in CODECS["numbers"].special_tokens
    )
    costs = measure_tokens([("add", trace)], BYTES)
    assert next(o for o in costs.formats if o.codec == "numbers").trace == special_tokens + letters
