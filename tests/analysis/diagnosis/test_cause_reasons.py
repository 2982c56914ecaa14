"""Reasons of causes: the rule that chose a cause, and the facts that it matched."""

import pytest

from tests.analysis.diagnosis.test_causes import AFTER, BRANCH, LINES, MATCHING, ROWS, STRIP
from tests.support.predictions import diagnose_edit, replaced
from worldline.analysis.diagnosis import (
    RULES,
    UNEXPLAINED,
    CauseReason,
    Diagnosis,
    find_reason,
)
from worldline.analysis.diagnosis.cause_reasons import _FACTS
from worldline.languages.python.recorder import PythonRecorder

# In the order of MATCHING: the first fact of the reason.
FIRST_FACTS = (
    "the predicted value repeats itself: 401 characters instead of 1",
    "the predicted line, b = a, is in the program, but cannot come next",
    "the predicted line, d = b, is not in the program",
    "the predicted line, return total, is after the loop, which had another iteration",
    "the predicted line, return n, is the other branch: the control flow allows it, the values "
    "do not",
    "exception invented after line 2",
    "call skipped after line 4",
    "line 6 has no operation: s is only copied",
    "line 3 has no operation: the value is only copied",
    "line 2 has no operation: b is only copied",
    "line 3 binds x to the next item",
    "the loop had added items to what it iterates over, or removed some: xs",
    "line 2 computes 3 values that no step shows, 3 of them one from the other",
    "the value that differs is of kind str",
    "a position or length in a string is off by one or two",
    "the string is correct but for one or two characters: 11 characters instead of 12",
    "in line 3: .hexdigest()",
    "in line 8: global c",
    "in line 6: attribute a.v",
    "in line 6: nonlocal c",
    "in line 3: xs is changed through another name",
    "in line 2: xs[:] is a copy",
    "in line 2: xs[i - 1] has index -1",
    "the value that differs is of kind bool",
    "the value that differs is of kind int",
    "the value that differs is of kind int, in [0] of a list",
)


def reason_of(diagnosis: Diagnosis) -> CauseReason:
    assert diagnosis.cause is not None
    return find_reason(diagnosis.facts, diagnosis.cause)


@pytest.mark.parametrize(
    ("example", "fact"), [(MATCHING[n], fact) for n, fact in enumerate(FIRST_FACTS)]
)
def test_the_facts_of_a_reason_are_those_that_its_rule_matched(
    recorder: PythonRecorder, example: tuple[str, str, str, str, str], fact: str
) -> None:
    cause, source, call, old, new = example
    diagnosis = diagnose_edit(recorder, source, call, replaced(old, new))
    reason = reason_of(diagnosis)
    assert reason.facts[0] == fact
    assert reason.rule is not None
    assert RULES[reason.rule - 1].name == cause
    # No rule before it matches, and the later ones that match are named.
    assert not any(rule.matches(diagnosis.facts) for rule in RULES[: reason.rule - 1])
    later = [rule.name for rule in RULES[reason.rule :] if rule.matches(diagnosis.facts)]
    assert list(reason.also_matching) == [name for name in later if name != cause]


def test_every_example_has_its_fact() -> None:
    assert len(FIRST_FACTS) == len(MATCHING)
    assert set(_FACTS) == {rule.name for rule in RULES}


def test_a_later_rule_that_matches_is_named(recorder: PythonRecorder) -> None:
    edit = replaced('''"s": "'xax'"''', '''"s": "'xaax'"''')
    reason = reason_of(diagnose_edit(recorder, STRIP, "f('xax')", edit))
    assert reason.also_matching == ("character_slip", "string_semantics")


def test_reasons_without_a_divergence(recorder: PythonRecorder) -> None:
    cut = diagnose_edit(recorder, STRIP, "f('xax')", lambda text: text[:-120], finish="truncated")
    assert reason_of(cut).facts == (
        "the token limit ended the output",
        f"{cut.facts.predicted_steps} steps before its end, all correct",
    )
    edit = replaced("<|end_of_text|>", AFTER.format("'x'"))
    lost = diagnose_edit(recorder, STRIP, "f('xax')", edit)
    assert reason_of(lost).facts[1] == "the answer in the text is not what the program returns, 'a'"
    wrong = diagnose_edit(recorder, STRIP, "f('xax')", lambda text: text, expected="'xa'")
    assert reason_of(wrong).facts[1].endswith("another value than the program returns, 'a'")


def test_reasons_of_skipped_steps_and_contradictions(recorder: PythonRecorder) -> None:
    source = "def f(a):\n    b = a\n    pass\n    d = 1\n    e = 2\n    g = 3\n    return g\n"
    edit = replaced('<|line_sep|>{"a": "..", "b": ".."}<|action_sep|>    d = 1\n<|frame_sep|>', "")
    skipped = diagnose_edit(recorder, source, "f(1)", edit)
    assert skipped.cause is not None
    assert skipped.cause.name == "steps_skipped"
    assert reason_of(skipped).facts == (
        "1 step skipped, then 5 steps correct",
        "no branch, loop, call or exception explains them",
    )
    edit = replaced("=> False\nL4: return n =>", "=> False\nL3: n = 0 =>")
    contradiction = diagnose_edit(recorder, BRANCH, "f(1)", edit, codec=ROWS)
    assert reason_of(contradiction).facts[0] == (
        "the prediction writes “False” after line 2, which is correct"
    )


def test_the_reason_of_a_wrong_end_counts_the_steps(recorder: PythonRecorder) -> None:
    result = diagnose_edit(
        recorder, LINES, "f(1)", lambda text: "<|frame_sep|>".join(text.split("<|frame_sep|>")[:4])
        + "<|frame_sep|><|end_of_text|>"
    )  # fmt: skip
    facts = result.facts
    assert f"{facts.predicted_steps} predicted steps, {facts.actual_steps} actual ones" in (
        reason_of(result).facts
    )


def test_an_unexplained_divergence_has_no_rule(recorder: PythonRecorder) -> None:
    source = "def f(n):\n    m = hash(n)\n    return m\n"
    result = diagnose_edit(recorder, source, "f(7)", replaced('"m": "7"', '"m": "8"'))
    assert result.cause == UNEXPLAINED
    assert reason_of(result) == CauseReason(None, (), ())
