"""Facts of a diagnosis."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.predictions import diagnose_edit, predict, replaced, text_of
from worldline.analysis.diagnosis import (
    diagnose_prediction,
    diagnosis_to_json,
    operation_facts,
    value_kind,
)
from worldline.analysis.diagnosis.value_differences import (
    content_length,
    count_changed_tokens,
    edit_distance,
    is_runaway,
)
from worldline.core.trace import Program
from worldline.languages.python.recorder import PythonRecorder
from worldline.languages.python.value_kinds import first_leaf
from worldline.models.prediction import GenerationRecord, Prediction
from worldline.models.tokenizers import BytesTokenizer


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("'a'", "str"), ("-1", "int"), ("1.5", "float"), ("-inf", "float"), ("nan", "float"),
        ("True", "bool"), ("None", "None"), ("[]", "list"), ("{}", "dict"), ("{1}", "set"),
        ("set()", "set"), ("frozenset({1})", "set"), ("()", "tuple"), ("(1,)", "tuple"),
        ("<f object>", "object"), ("Point(x=1)", "object"), ("", "missing"), ("b'a'", "object"),
    ],
)  # fmt: skip
def test_value_kind(value: str, kind: str) -> None:
    assert value_kind(value) == kind


@pytest.mark.parametrize(
    ("actual", "predicted", "leaf", "kind"),
    [
        ("[1, {'a': 'x'}]", "[1, {'a': 'y'}]", "[1]['a']", "str"),
        ("[1, 2]", "[1, 2, 3]", "", "list"),
        ("{'a': 1}", "{'b': 1}", "", "dict"),
        ("(1, [2.5])", "(1, [2])", "[1][0]", "float"),
        ("'a'", "'b'", "", "str"),
        ("[1, <f>]", "[2, <f>]", "", "list"),
    ],
)
def test_first_leaf(actual: str, predicted: str, leaf: str, kind: str) -> None:
    found = first_leaf(actual, predicted)
    assert (found.path, found.kind) == (leaf, kind)


def slow_distance(a: str, b: str) -> int:
    if not a or not b:
        return len(a) + len(b)
    same = slow_distance(a[1:], b[1:]) + (a[0] != b[0])
    return min(same, slow_distance(a[1:], b) + 1, slow_distance(a, b[1:]) + 1)


@given(st.text("ab", max_size=5), st.text("ab", max_size=5))
def test_edit_distance(a: str, b: str) -> None:
    assert edit_distance(a, b) == slow_distance(a, b)


def test_edit_distance_of_long_texts_is_unknown() -> None:
    assert edit_distance("a" * 2_000, "b" * 2_000) is None
    assert edit_distance("a" * 9_000 + "x", "a" * 9_000 + "y") == 1


@pytest.mark.parametrize(
    ("value", "length"),
    [("'ab'", 2), ("''", 0), ("'a\\n'", 2), ("'ab", 2), ("[1, 2]", 6), ("12", 2), ("", 0)],
)
def test_characters_of_a_string_are_counted_without_its_quotes(value: str, length: int) -> None:
    assert content_length(value, Program("").values) == length


def test_runaway_repetition() -> None:
    assert is_runaway("'ab'", "'" + "xy " * 100)
    assert not is_runaway("'ab'", "'" + "".join(map(str, range(200))))
    assert not is_runaway("'" + "ab" * 100 + "'", "'" + "ab" * 120 + "'")


@pytest.mark.parametrize(
    ("actual", "predicted", "expected"),
    [([1, 2, 3, 4], [1, 9, 4], 2), ([1], [1], 0), ([], [1, 2], 2), ([1, 1], [1, 1, 1], 1)],
)
def test_changed_tokens(actual: list[int], predicted: list[int], expected: int) -> None:
    assert count_changed_tokens(actual, predicted) == expected


@pytest.mark.parametrize(
    ("source", "line", "operations", "depth", "hidden"),
    [
        ("x = s.strip().upper()", 1, (".strip()", ".upper()"), 2, 1),
        ("x = a + b", 1, ("+",), 1, 0),
        ("x = a + b * c", 1, ("*", "+"), 2, 1),
        ("x += f(y)[0]", 1, ("f()", "index", "+"), 3, 2),
        ("if a < b < c and not d:\n    pass", 1, ("< <", "not", "and"), 2, 2),
        ("for x in y.split():\n    z(x)", 1, (".split()",), 1, 1),
        ("for x in y.split():\n    z(x)", 2, ("z()",), 1, 0),
        ("while n > 0:\n    n -= 1", 1, (">",), 1, 0),
        ("x = y", 1, (), 0, 0),
        ("x = -1", 1, (), 0, 0),
        ("x = -y", 1, ("-",), 1, 0),
        ("x = y[1:2]", 1, ("slice",), 1, 0),
        ("x = [i for i in y if i]", 1, ("comprehension",), 1, 0),
        ("x = f'{a}'", 1, ("f-string",), 1, 0),
        ("x = a if b else c", 1, ("conditional",), 1, 0),
        ("def g(a):\n    return a\nx = g(g(1))", 3, ("g()", "g()"), 2, 0),
        ("x = f(\n    a,\n    b.c(),\n)", 3, (".c()", "f()"), 2, 1),
        ("del x[0]", 1, (), 0, 0),
        ("assert x == 1", 1, ("==",), 1, 0),
        ("x = 1; y = a.b()", 1, (".b()",), 1, 0),
    ],
)
def test_operations(
    source: str, line: int, operations: tuple[str, ...], depth: int, hidden: int
) -> None:
    facts = operation_facts(source, line)
    assert (facts.operations, facts.nesting, facts.hidden_values) == (operations, depth, hidden)


@pytest.mark.parametrize(
    ("source", "writes"),
    [
        ("x = y", {"x"}),
        ("x, (y, *z) = w", {"x", "y", "z"}),
        ("x[0] = y", {"x"}),
        ("x.y.z = 1", {"x"}),
        ("x.append(y)", {"x"}),
        ("x += 1", {"x"}),
        ("for x in y: pass", {"x"}),
        ("with a as b: pass", {"b"}),
        ("import os.path", {"os"}),
        ("(x := y)", {"x"}),
        ("del x", {"x"}),
        ("y.upper()", set()),
        ("f(x)", {"x"}),
        ("def g(): pass", {"g"}),
    ],
)
def test_writes(source: str, writes: set[str]) -> None:
    assert operation_facts(source, 1).writes == writes


@pytest.mark.parametrize(
    ("header", "body", "expected"),
    [
        ("for x in xs:", "xs.remove(x)", True),
        ("for x in xs:", "del xs[0]", True),
        ("for i, x in enumerate(xs):", "xs.pop()", True),
        ("for i in range(3):", "xs.pop()", False),
        ("for k in d.keys():", "d.pop(k)", True),
        ("for i, x in enumerate(xs):", "xs[i] = x", False),
        ("for x in list(xs):", "xs.remove(x)", False),
        ("for x in xs[:]:", "xs.remove(x)", False),
        ("for x in xs:", "ys.append(x)", False),
    ],
)
def test_mutation_of_the_iterated_container(header: str, body: str, expected: bool) -> None:
    found = operation_facts(f"{header}\n    {body}\n", 2).mutated_iterables
    assert bool(found) == expected


SOURCE = """def g(s):
    out = ''
    for c in s:
        out += c.upper()
    return out
def f(s):
    return g(s)
"""


def test_position_and_token_counts(recorder: PythonRecorder) -> None:
    facts = diagnose_edit(
        recorder, SOURCE, "f('abc')", replaced("\"out\": \"'AB'\"", "\"out\": \"'Ab'\""),
        tokenizer=BytesTokenizer(),
    ).facts  # fmt: skip
    assert facts.position is not None
    assert facts.value is not None
    assert facts.position.iteration == 2
    assert facts.position.call_depth == 3
    assert facts.position.tokens_before == facts.position.chars_before
    assert (facts.value.change, facts.value.edit_distance, facts.value.changed_tokens) == (
        "written",
        1,
        1,
    )
    assert (facts.value.actual_tokens, facts.value.actual_chars) == (4, 4)


def test_a_variable_that_the_line_does_not_write_is_carried_over(recorder: PythonRecorder) -> None:
    source = "def f(a):\n    b = 2\n    c = 3\n    return c\n"
    edit = replaced('{"a": "..", "b": "..", "c": "3"}', '{"a": "9", "b": "..", "c": "3"}')
    facts = diagnose_edit(recorder, source, "f(1)", edit).facts
    assert facts.value is not None
    assert facts.value.change == "carried_over"
    assert facts.divergence is not None
    assert facts.divergence.variable == "a"


ACTIONS = """def g(n):
    while n > 0:
        n -= 1
        if n == 1: return n
    return -1
def f(n):
    a = [x for x in range(n)]
    return g(n)
"""


@pytest.mark.parametrize(
    ("old", "new", "kind", "is_legal"),
    [
        ("        n -= 1\n", "    return -1\n", "loop_left_early", True),
        ("        n -= 1\n", "    while n > 0:\n", "line_hallucinated", False),
        ("        n -= 1\n", "        n += 1\n", "line_invented", False),
        ('<|line_sep|>{"n": "2"}<|action_sep|>        if n == 1: return n', None, None, None),
    ],
)
def test_action_errors(
    recorder: PythonRecorder, old: str, new: str | None, kind: str | None, is_legal: bool | None
) -> None:
    edit = replaced(old, new) if new is not None else lambda text: text
    facts = diagnose_edit(recorder, ACTIONS, "f(3)", edit).facts
    assert (facts.action.kind if facts.action else None) == kind
    assert (facts.action.is_legal if facts.action else None) == is_legal


def test_a_missed_return_on_the_line_of_an_if_is_a_branch_error(recorder: PythonRecorder) -> None:
    text = '<|return_sep|><|action_sep|>        if n == 1: return n\n<|arg_sep|>"1"<|frame_sep|>'
    goes_on = '<|line_sep|>{"n": ".."}<|action_sep|>    while n > 0:\n<|frame_sep|>'
    facts = diagnose_edit(recorder, ACTIONS, "f(3)", replaced(text, goes_on)).facts
    assert facts.action is not None
    assert (facts.action.kind, facts.action.is_legal) == ("branch_misjudged", True)


def test_engine_errors_and_empty_outputs_are_not_divergences(recorder: PythonRecorder) -> None:
    program = Program("def f(x):\n    return x\n", "f(1)")
    trace = recorder.record(program)
    silent = predict(program, "")
    assert diagnose_prediction(trace, silent).facts.outcome == "empty_output"
    failed = Prediction(
        "x", program, "", silent.decoded, silent.after, "infra_error", error="HTTP 503"
    )
    facts = diagnose_prediction(trace, failed).facts
    assert (facts.outcome, facts.note, facts.alignment) == ("infra_error", "HTTP 503", None)
    talk = diagnose_prediction(trace, predict(program, "I think it returns 1.")).facts
    assert talk.outcome == "malformed"


def test_truncation_after_a_divergence_is_a_divergence(recorder: PythonRecorder) -> None:
    source = "def f(x):\n    y = x + 1\n    z = y + 1\n    return z\n"
    facts = diagnose_edit(
        recorder,
        source,
        "f(1)",
        lambda t: t.replace('"y": "2"', '"y": "5"')[:-150],
        finish="truncated",
    ).facts
    assert (facts.outcome, facts.is_truncated) == ("diverged", True)


def test_json_contains_every_fact(recorder: PythonRecorder) -> None:
    import json

    edit = replaced('"out": "\'AB\'"', '"out": "\'Ab\'"')
    facts = diagnosis_to_json(diagnose_edit(recorder, SOURCE, "f('abc')", edit))
    assert json.loads(json.dumps(facts)) == facts
    assert (facts["outcome"], facts["differs_in"], facts["variable"]) == (
        "diverged",
        "state",
        "out",
    )
    assert (facts["actual_value"], facts["predicted_value"]) == ("'AB'", "'Ab'")
    assert (facts["kind"], facts["cause"]) == ("str", "string_semantics")
    right = diagnosis_to_json(diagnose_edit(recorder, SOURCE, "f('abc')", lambda text: text))
    assert right.keys() == facts.keys()


def test_the_token_limit_is_known_for_our_own_predictions(recorder: PythonRecorder) -> None:
    program = Program(SOURCE, "f('abc')")
    actual = recorder.record(program)
    text = text_of(actual).replace('"out": "\'AB\'"', '"out": "\'Ab\'"')
    recorded = predict(program, text)
    asked = replace(recorded, generation=GenerationRecord("free", "cwm", 777))
    for prediction, max_tokens in ((recorded, None), (asked, 777)):
        diagnosis = diagnose_prediction(actual, prediction)
        assert diagnosis.facts.position is not None
        assert diagnosis.facts.position.max_tokens == max_tokens
        assert diagnosis_to_json(diagnosis)["max_tokens"] == max_tokens


COUNTS = "def f(xs):\n    d = {}\n    for x in xs:\n        d[x] = len(x)\n    return d\n"
SUM = "def f(n):\n    t = 0\n    for i in range(n):\n        t += i\n    return t\n"
BIGGER = "def f(x):\n    return x > 1\n"
EQUAL = [
    (COUNTS, "f(['b', 'aa'])", "{'b': 1, 'aa': 2}", "{'aa': 2, 'b': 1}"),
    (SUM, "f(4)", "6", "6.0"),
    (BIGGER, "f(2)", "True", "1"),
]


@pytest.mark.parametrize(("source", "call", "_result", "value"), EQUAL)
def test_answers_and_references_are_compared_as_python_values(
    recorder: PythonRecorder, source: str, call: str, _result: str, value: str
) -> None:
    answered = diagnose_edit(recorder, source, call, str, answer=value).facts
    assert (answered.outcome, answered.is_answer_correct) == ("correct", True)
    expected = diagnose_edit(recorder, source, call, str, expected=value).facts
    assert (expected.outcome, expected.is_reference_correct) == ("correct", True)
    wrong = diagnose_edit(recorder, source, call, str, expected="'6'", answer="'6'").facts
    assert (wrong.outcome, wrong.is_answer_correct) == ("reference_mismatch", False)


@pytest.mark.parametrize(("source", "call", "result", "value"), EQUAL)
def test_states_are_compared_strictly(
    recorder: PythonRecorder, source: str, call: str, result: str, value: str
) -> None:
    diagnosis = diagnose_edit(
        recorder, source, call, replaced(f'<|arg_sep|>"{result}"', f'<|arg_sep|>"{value}"', times=2)
    )
    # A different value is returned at the divergence, but it equals the actual one.
    assert (diagnosis.facts.outcome, diagnosis.where) == ("diverged", "return")
    assert diagnosis.facts.is_superficially_correct
