"""The facts of a diagnosis, one by one."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.predictions import diagnose_edit, predict, replaced, text_of
from worldline.diagnose import diagnose, diagnosis_to_json, operation_facts, value_kind
from worldline.diagnose.values import edit_distance, first_leaf, is_runaway, moved
from worldline.predict import Asked, Prediction
from worldline.recorders import PythonRecorder
from worldline.tokens import BytesTokenizer
from worldline.trace import Program


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
    ("true", "predicted", "leaf", "kind"),
    [
        ("[1, {'a': 'x'}]", "[1, {'a': 'y'}]", "[1]['a']", "str"),
        ("[1, 2]", "[1, 2, 3]", "", "list"),
        ("{'a': 1}", "{'b': 1}", "", "dict"),
        ("(1, [2.5])", "(1, [2])", "[1][0]", "float"),
        ("'a'", "'b'", "", "str"),
        ("[1, <f>]", "[2, <f>]", "", "list"),
    ],
)
def test_first_leaf(true: str, predicted: str, leaf: str, kind: str) -> None:
    assert first_leaf(true, predicted) == (leaf, kind)


def slow_distance(a: str, b: str) -> int:
    if not a or not b:
        return len(a) + len(b)
    same = slow_distance(a[1:], b[1:]) + (a[0] != b[0])
    return min(same, slow_distance(a[1:], b) + 1, slow_distance(a, b[1:]) + 1)


@given(st.text("ab", max_size=5), st.text("ab", max_size=5))
def test_edit_distance(a: str, b: str) -> None:
    assert edit_distance(a, b) == slow_distance(a, b)


def test_edit_distance_gives_up_on_what_is_too_long() -> None:
    assert edit_distance("a" * 2_000, "b" * 2_000) is None
    assert edit_distance("a" * 9_000 + "x", "a" * 9_000 + "y") == 1


def test_runaway() -> None:
    assert is_runaway("'ab'", "'" + "xy " * 100)
    assert not is_runaway("'ab'", "'" + "".join(map(str, range(200))))
    assert not is_runaway("'" + "ab" * 100 + "'", "'" + "ab" * 120 + "'")


@pytest.mark.parametrize(
    ("true", "predicted", "expected"),
    [([1, 2, 3, 4], [1, 9, 4], 2), ([1], [1], 0), ([], [1, 2], 2), ([1, 1], [1, 1, 1], 1)],
)
def test_moved_tokens(true: list[int], predicted: list[int], expected: int) -> None:
    assert moved(true, predicted) == expected


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
    assert (facts.operations, facts.depth, facts.hidden) == (operations, depth, hidden)


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
        ("for k in d.keys():", "d[k] = 1", True),
        ("for x in list(xs):", "xs.remove(x)", False),
        ("for x in xs[:]:", "xs.remove(x)", False),
        ("for x in xs:", "ys.append(x)", False),
    ],
)
def test_mutation_of_what_is_iterated(header: str, body: str, expected: bool) -> None:
    assert operation_facts(f"{header}\n    {body}\n", 2).iterates_mutated == expected


SOURCE = """def g(s):
    out = ''
    for c in s:
        out += c.upper()
    return out
def f(s):
    return g(s)
"""


def test_horizon_and_tokens(recorder: PythonRecorder) -> None:
    found = diagnose_edit(
        recorder, SOURCE, "f('abc')", replaced("\"out\": \"'AB'\"", "\"out\": \"'Ab'\""),
        tokenizer=BytesTokenizer(),
    ).facts  # fmt: skip
    assert found.horizon is not None
    assert found.value is not None
    assert found.horizon.iteration == 2
    assert found.horizon.call_depth == 3
    assert found.horizon.tokens_before == found.horizon.chars_before
    assert (found.value.change, found.value.edit_distance, found.value.moved_tokens) == (
        "update",
        1,
        1,
    )
    assert (found.value.true_tokens, found.value.true_chars) == (4, 4)


def test_drift_is_a_variable_that_the_line_does_not_write(recorder: PythonRecorder) -> None:
    source = "def f(a):\n    b = 2\n    c = 3\n    return c\n"
    edit = replaced('{"a": "..", "b": "..", "c": "3"}', '{"a": "9", "b": "..", "c": "3"}')
    found = diagnose_edit(recorder, source, "f(1)", edit).facts
    assert found.value is not None
    assert found.value.change == "drift"
    assert found.divergence is not None
    assert found.divergence.variable == "a"


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
def test_wrong_turns(
    recorder: PythonRecorder, old: str, new: str | None, kind: str | None, is_legal: bool | None
) -> None:
    edit = replaced(old, new) if new is not None else lambda text: text
    found = diagnose_edit(recorder, ACTIONS, "f(3)", edit).facts
    assert (found.action.kind if found.action else None) == kind
    assert (found.action.is_legal if found.action else None) == is_legal


def test_missing_a_return_on_the_line_of_an_if_is_a_branch(recorder: PythonRecorder) -> None:
    text = '<|return_sep|><|action_sep|>        if n == 1: return n\n<|arg_sep|>"1"<|frame_sep|>'
    goes_on = '<|line_sep|>{"n": ".."}<|action_sep|>    while n > 0:\n<|frame_sep|>'
    found = diagnose_edit(recorder, ACTIONS, "f(3)", replaced(text, goes_on)).facts
    assert found.action is not None
    assert (found.action.kind, found.action.is_legal) == ("branch_misjudged", True)


def test_engine_errors_and_silence_are_no_divergences(recorder: PythonRecorder) -> None:
    program = Program("def f(x):\n    return x\n", "f(1)")
    trace = recorder.record(program)
    silent = predict(program, "")
    assert diagnose(trace, silent).facts.outcome == "no_output"
    failed = Prediction("x", program, "", silent.decoded, silent.after, "error", error="HTTP 503")
    facts = diagnose(trace, failed).facts
    assert (facts.outcome, facts.note, facts.alignment) == ("error", "HTTP 503", None)
    talk = diagnose(trace, predict(program, "I think it returns 1.")).facts
    assert talk.outcome == "malformed"


def test_a_cut_after_a_divergence_is_a_divergence(recorder: PythonRecorder) -> None:
    source = "def f(x):\n    y = x + 1\n    z = y + 1\n    return z\n"
    found = diagnose_edit(
        recorder,
        source,
        "f(1)",
        lambda t: t.replace('"y": "2"', '"y": "5"')[:-150],
        finish="length",
    ).facts
    assert (found.outcome, found.is_cut) == ("diverged", True)


def test_json_has_every_facet_and_is_plain(recorder: PythonRecorder) -> None:
    import json

    edit = replaced('"out": "\'AB\'"', '"out": "\'Ab\'"')
    found = diagnosis_to_json(diagnose_edit(recorder, SOURCE, "f('abc')", edit))
    assert json.loads(json.dumps(found)) == found
    assert (found["outcome"], found["where"], found["variable"]) == ("diverged", "state", "out")
    assert (found["true"], found["predicted"]) == ("'AB'", "'Ab'")
    assert (found["kind"], found["cause"]) == ("str", "string_handling")
    right = diagnosis_to_json(diagnose_edit(recorder, SOURCE, "f('abc')", lambda text: text))
    assert right.keys() == found.keys()


def test_the_budget_is_known_where_we_asked(recorder: PythonRecorder) -> None:
    program = Program(SOURCE, "f('abc')")
    truth = recorder.record(program)
    text = text_of(truth).replace('"out": "\'AB\'"', '"out": "\'Ab\'"')
    recorded = predict(program, text)
    asked = replace(recorded, asked=Asked("free", "cwm", 777))
    for prediction, budget in ((recorded, None), (asked, 777)):
        found = diagnose(truth, prediction)
        assert found.facts.horizon is not None
        assert found.facts.horizon.budget == budget
        assert diagnosis_to_json(found)["budget"] == budget
