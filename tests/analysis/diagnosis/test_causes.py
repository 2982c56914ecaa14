"""Causes: for each rule, an example that it matches and one that it does not."""

import pytest

from tests.support.predictions import diagnose_edit, replaced
from worldline.analysis.diagnosis import RULES, Diagnosis, find_cause
from worldline.languages.python.recorder import PythonRecorder

STRIP = "def f(s):\n    t = s.strip('x')\n    return t\n"
COUNT = "def f(n):\n    total = 0\n    for i in range(n):\n        total += i\n    return total\n"
BRANCH = "def f(n):\n    if n > 2:\n        n = 0\n    return n\n"
NESTED = "def f(s):\n    t = s.strip().lower().split('a')[0]\n    return t\n"
ITEMS = "def f(xs):\n    ys = sorted(xs)\n    return ys\n"
LOOP = "def f(xs):\n    last = None\n    for x in xs:\n        last = x\n    return last\n"
SHRINK = "def f(xs):\n    for x in xs:\n        xs.remove(x)\n    return xs\n"
CALLS = "def g(x):\n    return x + 1\ndef f(x):\n    y = g(x)\n    return y\n"
RAISES = "def f(s):\n    i = s.index('z')\n    return i\n"
COMPARE = "def f(a, b):\n    c = a < b\n    return c\n"
LINES = "def f(a):\n    b = a\n    c = b\n    return c\n"
AFTER = "<|end_of_text|>[ANSWER]assert f('xax') == {}[/ANSWER]"


def name_of(diagnosis: Diagnosis) -> str | None:
    return diagnosis.cause.name if diagnosis.cause else None


# cause, source, call, what is replaced, by what
MATCHING = [
    (
        "runaway_repetition",
        STRIP,
        "f('xax')",
        '''"t": "'a'"''',
        """"t": "'a""" + "ab" * 200 + "'\"",
    ),
    (
        "hallucinated_line",
        LINES,
        "f(1)",
        '"b": "1"}<|action_sep|>    c = b',
        '"b": "1"}<|action_sep|>    b = a',
    ),
    (
        "hallucinated_line",
        LINES,
        "f(1)",
        '"b": "1"}<|action_sep|>    c = b',
        '"b": "1"}<|action_sep|>    d = b',
    ),
    (
        "loop_miscounted",
        COUNT,
        "f(2)",
        '"i": "1"}<|action_sep|>        total += i',
        '"i": ".."}<|action_sep|>    return total',
    ),
    ("branch_misjudged", BRANCH, "f(3)", "        n = 0\n", "    return n\n"),
    (
        "exception_error",
        RAISES,
        "f('z')",
        '<|line_sep|>{"s": "..", "i": "0"}<|action_sep|>    return i\n<|frame_sep|>',
        "<|exception_sep|><|action_sep|>    i = s.index('z')\n<|arg_sep|>\"(<class 'ValueError'>, "
        "ValueError('no'), <traceback object>)\"<|frame_sep|>",
    ),
    (
        "call_error",
        CALLS,
        "f(1)",
        '<|call_sep|>{"x": "1"}<|action_sep|>def g(x):',
        '<|line_sep|>{"x": "1", "y": "2"}<|action_sep|>    return y',
    ),
    ("copy_error", STRIP, "f('xax')", '''"s": "'xax'"''', '''"s": "'xaax'"'''),
    ("copy_error", STRIP, "f('xax')", '''<|arg_sep|>"'a'"''', '''<|arg_sep|>"'b'"'''),
    ("copy_error", LINES, "f(1)", '"b": "1"', '"b": "2"'),
    ("wrong_loop_item", LOOP, "f([5, 6])", '"x": "6"', '"x": "5"'),
    ("mutation_while_iterating", SHRINK, "f([1, 2, 3])", '"xs": "[2, 3]"', '"xs": "[1, 3]"'),
    ("hidden_values", NESTED, "f(' Bab ')", '''"t": "'b'"''', '''"t": "'ba'"'''),
    ("string_handling", STRIP, "f('xax')", '''"t": "'a'"''', '''"t": "'ax'"'''),
    ("string_handling", RAISES, "f('az')", '"i": "1"', '"i": "0"'),
    ("comparison", COMPARE, "f(1, 2)", '"c": "True"', '"c": "False"'),
    ("arithmetic", COUNT, "f(3)", '"total": "3"', '"total": "4"'),
    ("container_handling", ITEMS, "f([2, 1])", '"ys": "[1, 2]"', '"ys": "[2, 1]"'),
]


@pytest.mark.parametrize(("cause", "source", "call", "old", "new"), MATCHING)
def test_the_rule_matches(
    recorder: PythonRecorder, cause: str, source: str, call: str, old: str, new: str
) -> None:
    result = diagnose_edit(recorder, source, call, replaced(old, new))
    assert name_of(result) == cause


# cause that must not be chosen, and the one that is
NOT_MATCHING = [
    (
        "runaway_repetition",
        "string_handling",
        STRIP,
        "f('xax')",
        '''"t": "'a'"''',
        '''"t": "'aaaaaa'"''',
    ),
    ("hallucinated_line", "branch_misjudged", BRANCH, "f(3)", "        n = 0\n", "    return n\n"),
    ("loop_miscounted", "wrong_loop_item", LOOP, "f([5, 6])", '"x": "6"', '"x": "7"'),
    ("branch_misjudged", "hallucinated_line", LINES, "f(1)", "    c = b\n", "    return c\n"),
    ("exception_error", "string_handling", RAISES, "f('az')", '"i": "1"', '"i": "2"'),
    (
        "call_error",
        "copy_error",
        CALLS,
        "f(1)",
        '<|call_sep|>{"x": "1"}',
        '<|call_sep|>{"x": "2"}',
    ),
    ("copy_error", "string_handling", STRIP, "f('xax')", '''"t": "'a'"''', '''"t": "'xax'"'''),
    ("wrong_loop_item", "copy_error", LOOP, "f([5, 6])", '"last": "6"', '"last": "5"'),
    ("mutation_while_iterating", "container_handling", ITEMS, "f([2, 1])", "[1, 2]", "[1, 1]"),
    ("hidden_values", "string_handling", STRIP, "f('xax')", '''"t": "'a'"''', '''"t": "'b'"'''),
    ("string_handling", "arithmetic", COUNT, "f(3)", '"total": "3"', '"total": "2"'),
    ("comparison", "branch_misjudged", BRANCH, "f(3)", "        n = 0\n", "    return n\n"),
    ("arithmetic", "comparison", COMPARE, "f(1, 2)", '"c": "True"', '"c": "1"'),
    ("container_handling", "wrong_loop_item", LOOP, "f([5, 6])", '"x": "5"', '"x": "6"'),
]


@pytest.mark.parametrize(("cause", "instead", "source", "call", "old", "new"), NOT_MATCHING)
def test_the_rule_does_not_match(
    recorder: PythonRecorder, cause: str, instead: str, source: str, call: str, old: str, new: str
) -> None:
    result = name_of(diagnose_edit(recorder, source, call, replaced(old, new)))
    assert result != cause
    assert result == instead


def test_truncated(recorder: PythonRecorder) -> None:
    cut = diagnose_edit(recorder, STRIP, "f('xax')", lambda text: text[:-120], finish="truncated")
    assert (cut.facts.outcome, name_of(cut)) == ("truncated", "truncated")
    whole = diagnose_edit(recorder, STRIP, "f('xax')", lambda text: text, finish="truncated")
    assert (whole.facts.outcome, name_of(whole)) == ("correct", None)


def test_answer_extraction(recorder: PythonRecorder) -> None:
    lost = diagnose_edit(
        recorder, STRIP, "f('xax')", replaced("<|end_of_text|>", AFTER.format("'x'"))
    )
    assert (lost.facts.outcome, name_of(lost)) == ("answer_mismatch", "answer_extraction")
    kept = diagnose_edit(
        recorder, STRIP, "f('xax')", replaced("<|end_of_text|>", AFTER.format("'a'"))
    )
    assert (kept.facts.outcome, name_of(kept)) == ("correct", None)


def test_wrong_reference(recorder: PythonRecorder) -> None:
    wrong = diagnose_edit(recorder, STRIP, "f('xax')", lambda text: text, expected="'xa'")
    assert (wrong.facts.outcome, name_of(wrong)) == ("reference_mismatch", "wrong_reference")
    right = diagnose_edit(recorder, STRIP, "f('xax')", lambda text: text, expected='"a"')
    assert (right.facts.outcome, name_of(right)) == ("correct", None)


def test_wrong_end(recorder: PythonRecorder) -> None:
    result = diagnose_edit(
        recorder, LINES, "f(1)", lambda text: "<|frame_sep|>".join(text.split("<|frame_sep|>")[:4])
        + "<|frame_sep|><|end_of_text|>"
    )  # fmt: skip
    assert (result.where, name_of(result)) == ("end", "wrong_end")


def test_unexplained(recorder: PythonRecorder) -> None:
    """A wrong number without an operation that a rule knows."""
    source = "def f(n):\n    m = hash(n)\n    return m\n"
    result = diagnose_edit(recorder, source, "f(7)", replaced('"m": "7"', '"m": "8"'))
    assert name_of(result) == "unexplained"


def test_every_rule_has_an_example() -> None:
    tested = {row[0] for row in MATCHING} | {
        "truncated",
        "answer_extraction",
        "wrong_reference",
        "wrong_end",
    }
    assert {rule.name for rule in RULES} == tested


def test_a_correct_prediction_has_no_cause(recorder: PythonRecorder) -> None:
    right = diagnose_edit(recorder, STRIP, "f('xax')", lambda text: text)
    assert find_cause(right.facts) is None


def test_the_actual_trace_of_each_example_is_correct(recorder: PythonRecorder) -> None:
    for _, source, call, _, _ in MATCHING:
        assert diagnose_edit(recorder, source, call, lambda text: text).facts.outcome == "correct"
