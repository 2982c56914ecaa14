"""Expressions over recorded values: what is evaluated, and what is refused."""

import pytest

from worldline.analysis.replay import evaluate, parse_expression
from worldline.analysis.replay.expression import is_true
from worldline.core.errors import ExpressionError
from worldline.core.trace import Program

STATE = {
    "i": "7",
    "xs": "[1, 2, 3]",
    "d": "{'a': [4, 5], 1: 'one', '1': 'text'}",
    "s": "'abc'",
    "p": "Point(x=1, y=[2, 3])",
    "o": "<program.P object>",
    "none": "None",
    "big": "[1, 2, … <cut: 12345>",
}
PYTHON = Program("")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("i", "7"),
        ("i == 7", "True"),
        ("i > 7 or xs[0] == 1", "True"),
        ("not i", "False"),
        ("1 < i <= 7", "True"),
        ("i // 2 + i % 2 - -1", "5"),
        ("xs[-1]", "3"),
        ("xs[1:]", "[2, 3]"),
        ("len(xs) + len(s)", "6"),
        ("sum(xs) / max(xs)", "2.0"),
        ("'b' in s and 9 not in xs", "True"),
        ("d['a'][1]", "5"),
        ("d[1]", "'one'"),
        ("d['1']", "'text'"),
        ("p.y[0] + p.x", "3"),
        ("p", "Point(x=1, y=[2, 3])"),
        ("o", "<program.P object>"),
        ("none is None", "True"),
        ("i is not None", "True"),
        ("'yes' if i == 7 else 'no'", "'yes'"),
        ("(i, [i], {i: 1}, {i})", "(7, [7], {7: 1}, {7})"),
        ("big[1]", "2"),
        ("sorted(xs) == xs", "True"),
    ],
)
def test_evaluated(text: str, expected: str) -> None:
    assert evaluate(text, STATE, PYTHON) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("f(1)", "would execute code"),
        ("__import__('os').system('true')", "would execute code"),
        ("s.upper()", "would execute code"),
        ("(lambda: 1)()", "would execute code"),
        ("[x for x in xs]", "is not evaluated"),
        ("i.__class__", "was not recorded"),
        ("s.__class__.__mro__", "was not recorded"),
        ("missing", "there is no variable missing here; known: i, xs"),
        ("o == 1", "known as text only"),
        ("xs[9]", "fails: IndexError"),
        ("i / 0", "fails: ZeroDivisionError"),
        ("i + s", "fails: TypeError"),
        ("xs * 1000000", "more than 100,000 items"),
        ("2 ** 99999999", "operator Pow is not evaluated"),
        ("1 << 99999999", "operator LShift is not evaluated"),
        ("'%99999999d' % 1", "not formatted"),
        ("i =", "is no expression"),
        ("i; i", "is no expression"),
        ("", "is no expression"),
        ("(" * 500 + ")" * 500, "no expression"),
        ("i +" * 1000 + "i", "more than 2,000 characters"),
        ("(i := 3)", "is not evaluated"),
        ("f'{i}'", "is not evaluated"),
        ("i is 7", "identity of objects"),
        ("xs is s", "identity of objects"),
    ],
)
def test_refused_in_a_sentence(text: str, reason: str) -> None:
    with pytest.raises(ExpressionError, match=reason.replace("(", r"\(")):
        evaluate(text, STATE, PYTHON)


@pytest.mark.parametrize(
    ("language", "text", "value", "expected"),
    [
        ("javascript", "i === 7 && !(i !== 7)", "7", "True"),
        ("javascript", "i == null", "null", "True"),
        ("javascript", "i.length > 1 || false", "[1, 2]", "True"),
        ("javascript", "i == 'a && b'", "'a && b'", "True"),
        ("javascript", "i.x", "Point {x: 'a'}", "'a'"),
        ("cpp", "i.size() == 2 && i[0] != 2", "{1, 2}", "True"),
        ("java", "i == null", "null", "True"),
        ("java", "i['a'] == 1", '{"a"=1}', "True"),
        ("rust", "i.len() == 2", "[1, 2]", "True"),
        ("go", "i != nil && i[1] == 2", "[]int{1, 2}", "True"),
    ],
)
def test_operators_of_other_languages(language: str, text: str, value: str, expected: str) -> None:
    assert evaluate(text, {"i": value}, Program("", None, "", language)) == expected


def test_a_condition_that_cannot_be_evaluated_is_false() -> None:
    condition = parse_expression("later > 1")
    assert not is_true(condition, {}, PYTHON)
    assert is_true(condition, {"later": "2"}, PYTHON)
