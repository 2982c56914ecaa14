"""Causes: for each rule, an example that it matches and one that it does not."""

import pytest

from tests.support.predictions import diagnose_edit, replaced
from worldline.analysis.diagnosis import RULES, Diagnosis, diagnosis_to_json, find_cause
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import get_codec

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
HASH = "def f(n):\n    m = hash(n)\n    return m\n"
REPLACE = "def f(s):\n    t = s.replace('a', 'e')\n    return t\n"
DIGEST = "import hashlib\ndef f(s):\n    t = hashlib.md5(s).hexdigest()\n    return t\n"
GLOBAL = (
    "c = 0\ndef inc():\n    global c\n    c += 1\n"
    "def f(n):\n    for _ in range(n):\n        inc()\n    return c\n"
)
CONSTANT = "TABLE = 3\ndef f(n):\n    m = n * TABLE\n    return m\n"
ATTRIBUTE = (
    "class A:\n    pass\ndef f(n):\n    a = A()\n    a.v = n + 1\n    b = a.v\n    return b\n"
)
CLOSURE = (
    "def f():\n    c = 0\n    def inc():\n        nonlocal c\n        c += 1\n"
    "    inc()\n    return c\n"
)
ALIAS = "def f(xs):\n    ys = xs\n    ys.append(2)\n    return xs\n"
APPEND = "def f(xs):\n    xs.append(2)\n    return xs\n"
COPY = "def f(xs):\n    xs[:].reverse()\n    return xs\n"
NEGATIVE = "def f(xs, i):\n    y = xs[i - 1]\n    return y\n"
ARGUMENT = "def g(s):\n    return s\ndef f(s):\n    return g(s.strip())\n"
MAXIMUM = "def g(x):\n    return x + 1\ndef f(x):\n    y = max(3, g(x))\n    return y\n"
GENERATOR = "def f(s):\n    n = sum(c in 'aeiou' for c in s)\n    return n\n"
SUMMED = "def f(xs):\n    return 2 * sum([abs(x) for x in xs])\n"
ONE_LINE = "def f(xs):\n    c = [0] * 3\n    for x in xs: c[x] += 1\n    return c\n"
APPENDED = "def f(s):\n    out = []\n    out.append(s.rindex('a'))\n    return out\n"
ORDERED = "def f(xs):\n    xs.sort()\n    return xs\n"
ELEMENT = "def f(xs):\n    for i, x in enumerate(xs):\n        xs[i] = x + 1\n    return xs\n"
SHORT = (
    "def g(x):\n    return x > 2\ndef f(x):\n    if x > 1 and g(x):\n        x = 0\n    return x\n"
)
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
    ("mutation_while_iterating", SHRINK, "f([1, 2, 3])", '"x": "3"', '"x": "2"'),
    ("hidden_values", NESTED, "f(' Bab ')", '''"t": "'b'"''', '''"t": "'ba'"'''),
    ("string_semantics", STRIP, "f('xax')", '''"t": "'a'"''', '''"t": "'ax'"'''),
    ("character_slip", RAISES, "f('az')", '"i": "1"', '"i": "0"'),
    ("character_slip", REPLACE, "f('a rat, a cat')", "'e ret, e cet'", "'e ret, e ct'"),
    ("not_computable", DIGEST, "f(b'a')", '"t": "\'0cc1', '"t": "\'1cc1'),
    ("hidden_state", GLOBAL, "f(2)", '<|arg_sep|>"2"', '<|arg_sep|>"1"'),
    ("hidden_state", ATTRIBUTE, "f(3)", '"b": "4"', '"b": "3"'),
    (
        "hidden_state",
        CLOSURE,
        "f()",
        '"c": "1"}<|action_sep|>    return c',
        '"c": "0"}<|action_sep|>    return c',
    ),
    ("aliasing", ALIAS, "f([1])", '"xs": "[1, 2]"', '"xs": "[1]"'),
    (
        "aliasing",
        COPY,
        "f([6, 1])",
        '"xs": ".."}<|action_sep|>    return xs',
        '"xs": "[1, 6]"}<|action_sep|>    return xs',
    ),
    ("negative_index", NEGATIVE, "f([4, 5], 0)", '"y": "5"', '"y": "4"'),
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
        "string_semantics",
        STRIP,
        "f('xax')",
        '''"t": "'a'"''',
        '''"t": "'aaaaaa'"''',
    ),
    ("hallucinated_line", "branch_misjudged", BRANCH, "f(3)", "        n = 0\n", "    return n\n"),
    ("loop_miscounted", "wrong_loop_item", LOOP, "f([5, 6])", '"x": "6"', '"x": "7"'),
    ("branch_misjudged", "hallucinated_line", LINES, "f(1)", "    c = b\n", "    return c\n"),
    ("exception_error", "character_slip", RAISES, "f('az')", '"i": "1"', '"i": "2"'),
    (
        "call_error",
        "copy_error",
        CALLS,
        "f(1)",
        '<|call_sep|>{"x": "1"}',
        '<|call_sep|>{"x": "2"}',
    ),
    ("copy_error", "string_semantics", STRIP, "f('xax')", '''"t": "'a'"''', '''"t": "'xax'"'''),
    ("wrong_loop_item", "copy_error", LOOP, "f([5, 6])", '"last": "6"', '"last": "5"'),
    ("mutation_while_iterating", "container_handling", ITEMS, "f([2, 1])", "[1, 2]", "[1, 1]"),
    ("hidden_values", "string_semantics", STRIP, "f('xax')", '''"t": "'a'"''', '''"t": "'b'"'''),
    ("string_semantics", "arithmetic", COUNT, "f(3)", '"total": "3"', '"total": "2"'),
    ("comparison", "branch_misjudged", BRANCH, "f(3)", "        n = 0\n", "    return n\n"),
    ("arithmetic", "comparison", COMPARE, "f(1, 2)", '"c": "True"', '"c": "1"'),
    (
        "copy_error",
        "string_semantics",
        ARGUMENT,
        "f(' ab ')",
        '''"s": "'ab'"''',
        '''"s": "'ab '"''',
    ),
    ("copy_error", "arithmetic", MAXIMUM, "f(4)", '"y": "5"', '"y": "3"'),
    ("unexplained", "comparison", GENERATOR, "f('ab')", '<|arg_sep|>"True"', '<|arg_sep|>"False"'),
    ("hidden_values", "arithmetic", SUMMED, "f([1, -2])", '<|arg_sep|>"6"', '<|arg_sep|>"8"'),
    ("hidden_values", "arithmetic", ONE_LINE, "f([1, 1])", '"[0, 2, 0]"', '"[0, 1, 0]"'),
    ("container_handling", "character_slip", APPENDED, "f('cab')", '"out": "[1]"', '"out": "[2]"'),
    (
        "string_semantics",
        "container_handling",
        ORDERED,
        "f(['b', 'a'])",
        "\"xs\": \"['a', 'b']\"",
        "\"xs\": \"['b', 'a']\"",
    ),
    (
        "mutation_while_iterating",
        "arithmetic",
        ELEMENT,
        "f([1, 2])",
        '"xs": "[2, 3]"',
        '"xs": "[2, 2]"',
    ),
    (
        "hidden_values",
        "copy_error",
        COUNT,
        "f(2)",
        '"i": ".."}<|action_sep|>    return total',
        '"i": "2"}<|action_sep|>    return total',
    ),
    (
        "call_error",
        "branch_misjudged",
        SHORT,
        "f(3)",
        '<|call_sep|>{"x": "3"}<|action_sep|>def g(x):',
        '<|line_sep|>{"x": ".."}<|action_sep|>    return x',
    ),
    (
        "branch_misjudged",
        "call_error",
        SHORT,
        "f(2)",
        '<|call_sep|>{"x": "2"}<|action_sep|>def g(x):',
        '<|line_sep|>{"x": ".."}<|action_sep|>    return x',
    ),
    ("not_computable", "unexplained", HASH, "f(7)", '"m": "7"', '"m": "8"'),
    ("hidden_state", "arithmetic", CONSTANT, "f(2)", '"m": "6"', '"m": "5"'),
    ("aliasing", "container_handling", APPEND, "f([1])", '"xs": "[1, 2]"', '"xs": "[1]"'),
    ("negative_index", "arithmetic", NEGATIVE, "f([4, 5], 1)", '"y": "4"', '"y": "5"'),
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


ROWS = get_codec("chat-trace")


@pytest.mark.parametrize(
    ("call", "old", "new", "note"),
    [
        ("f(1)", "=> False\nL4: return n =>", "=> False\nL3: n = 0 =>", "False"),
        ("f(3)", "=> True\nL3: n = 0 =>", "=> True\nL4: return n =>", "True"),
    ],
)
def test_self_contradiction(
    recorder: PythonRecorder, call: str, old: str, new: str, note: str
) -> None:
    diagnosis = diagnose_edit(recorder, BRANCH, call, replaced(old, new), codec=ROWS)
    assert name_of(diagnosis) == "self_contradiction"
    assert diagnosis_to_json(diagnosis)["evidence"] == note


def test_self_contradiction_about_the_end_of_a_loop(recorder: PythonRecorder) -> None:
    edit = replaced("=> done\nL5: return total =>", "=> done\nL4: total += i =>")
    diagnosis = diagnose_edit(recorder, COUNT, "f(2)", edit, codec=ROWS)
    assert name_of(diagnosis) == "self_contradiction"


@pytest.mark.parametrize(
    ("call", "old", "new", "cause"),
    [
        # A wrong result that is followed.
        ("f(1)", "=> False\nL4: return n =>", "=> True\nL3: n = 0 =>", "branch_misjudged"),
        # A line that no result explains.
        ("f(1)", "=> False\nL4: return n =>", "=> False\nL2: if n > 2: =>", "hallucinated_line"),
        # No result.
        ("f(1)", "=> False\nL4: return n =>", "=>\nL3: n = 0 =>", "branch_misjudged"),
    ],
)
def test_no_self_contradiction(
    recorder: PythonRecorder, call: str, old: str, new: str, cause: str
) -> None:
    diagnosis = diagnose_edit(recorder, BRANCH, call, replaced(old, new), codec=ROWS)
    assert name_of(diagnosis) == cause


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
        "self_contradiction",
        # In tests/analysis/alignment/test_gaps.py.
        "steps_skipped",
        "steps_inserted",
        "steps_repeated",
    }
    assert {rule.name for rule in RULES} == tested


def test_a_correct_prediction_has_no_cause(recorder: PythonRecorder) -> None:
    right = diagnose_edit(recorder, STRIP, "f('xax')", lambda text: text)
    assert find_cause(right.facts) is None


def test_the_actual_trace_of_each_example_is_correct(recorder: PythonRecorder) -> None:
    for _, source, call, _, _ in MATCHING:
        assert diagnose_edit(recorder, source, call, lambda text: text).facts.outcome == "correct"
