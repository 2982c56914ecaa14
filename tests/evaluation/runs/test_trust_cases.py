"""Results of a run as trust cases: nothing but the verdict depends on the actual execution."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from worldline.analysis.trust import TrustCase, cross_validated_probabilities, fit_trust_model
from worldline.core.errors import InputError
from worldline.evaluation.metrics import measure_trust_cases
from worldline.evaluation.runs import (
    COLUMNS,
    assess_predictions,
    load_trust_model,
    rows_to_trust_cases,
    save_trust_model,
)
from worldline.evaluation.runs.sample_rows import row_to_prediction
from worldline.evaluation.runs.trust_cases import PREDICTION_COLUMNS

CODE = "def f(x):\n    y = x + 1\n    return y\n"
OUTPUT = """\
L1: def f(x): => enter; x = 1
L2: y = x + 1 => y = 2
L3: return y => 2
ANSWER: 2
"""
ROW: dict[str, Any] = {
    "sample": "s", "repeat": 0, "code": CODE, "call": "f(1)", "codec": "chat-trace", "mode": "free",
    "max_tokens": 100, "output": OUTPUT, "finish": "stop", "verdict": "correct",
}  # fmt: skip


def answered(value: str, **changed: Any) -> dict[str, Any]:
    return ROW | {"output": OUTPUT.replace("2\n", f"{value}\n")} | changed


def only_case(*rows: dict[str, Any]) -> TrustCase:
    (case,) = rows_to_trust_cases(rows).cases
    return case


def test_no_signal_depends_on_the_actual_execution() -> None:
    """Every column that is known only after the execution is changed, one by one and together."""
    known = {*PREDICTION_COLUMNS, "sample", "repeat"}
    types = {"int": 7, "float": 0.7, "bool": True, "text": '["7"]', "texts": ["7"], "ints": [7]}
    unknown = {c.name: types.get(c.type, 7) for c in COLUMNS if c.name not in known}
    assert {"verdict", "expected", "result", "trace", "actual_value", "is_legal"} <= set(unknown)
    signals = only_case(ROW).signals
    assert only_case(ROW | unknown).signals == signals
    for name, value in unknown.items():
        assert only_case(ROW | {name: value}).signals == signals, name
    assert only_case(ROW | {"verdict": "incorrect"}).is_correct is False
    # The test can fail: a column of the prediction changes the signals.
    assert only_case(answered("3")).signals != signals


def test_an_assessment_does_not_depend_on_the_expected_value() -> None:
    model = fit_trust_model(many_cases(), groups=["static", "flow", "values"])
    prediction = row_to_prediction(ROW, "s")
    others = [replace(prediction, expected=expected) for expected in ("2", "3", None)]
    assert len({assess_predictions([each], model) for each in (prediction, *others)}) == 1


def test_signals_of_the_log_probabilities() -> None:
    """Probabilities 1, 1/2 and 1/8 are 0, 1 and 3 bits; a half itself is not below a half."""
    logprobs = [0.0, math.log(1 / 2), math.log(1 / 8)]
    signals = only_case(ROW | {"logprobs": logprobs}).signals
    assert signals["output_bits"] == pytest.approx(4)
    assert signals["bits_per_token"] == pytest.approx(4 / 3)
    assert signals["largest_bits"] == pytest.approx(3)
    assert signals["uncertain_tokens"] == 1
    assert "output_bits" not in only_case(ROW).signals


def test_signals_of_steps_and_answers() -> None:
    signals = only_case(ROW).signals
    assert (signals["has_contradicted_step"], signals["has_illegal_step"]) == (0, 0)
    assert (signals["is_answer_int"], signals["is_answer_argument"]) == (1, 0)
    assert "agreement" not in signals
    assert only_case(answered("3")).signals["has_contradicted_step"] == 1
    assert only_case(answered("1")).signals["is_answer_argument"] == 1
    chat = ROW | {"codec": "chat", "output": "[ANSWER] 2 [/ANSWER]"}
    assert "steps" not in only_case(chat).signals


def test_the_most_frequent_answer_counts_with_its_own_verdict() -> None:
    rows = [
        answered("3", repeat=0, verdict="incorrect"),
        answered("2", repeat=1),
        answered("2", repeat=2),
        answered("2", repeat=3, finish="infra_error"),
        ROW | {"output": "", "repeat": 4, "verdict": "no_answer"},
    ]
    case = only_case(*rows)
    assert (case.answer, case.is_correct) == ("2", True)
    # The infrastructure error is no sample; the missing answer disagrees.
    assert case.signals["agreement"] == 0.5
    assert case.signals["distinct_answers"] == 3


def test_questions_without_an_answer_are_counted() -> None:
    found = rows_to_trust_cases([ROW | {"output": "", "finish": "truncated"}])
    assert (found.cases, found.without_answer) == ((), 1)


@pytest.mark.parametrize(
    "changed", [{"mode": "force-actions"}, {"mode": "score"}, {"from_step": 3}]
)
def test_predictions_that_contain_actual_steps_are_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="actual execution"):
        rows_to_trust_cases([ROW | changed])


def many_cases() -> list[TrustCase]:
    """120 programs; results that contradict their steps are wrong, except for every tenth."""
    cases = []
    for number in range(120):
        is_consistent = number % 3 > 0
        code = CODE.replace("def f(x):", f"def f(x):  # program {number}")
        row = answered("2" if is_consistent else "3", sample=f"s{number}", code=code)
        is_correct = is_consistent == (number % 10 > 0)
        cases.append(only_case(row | {"verdict": "correct" if is_correct else "incorrect"}))
    return cases


def test_a_model_separates_results_and_gives_reasons(tmp_path: Path) -> None:
    cases = many_cases()
    model = fit_trust_model(cases, max_wrong=0.3, fitted_on={"model": "m"})
    good, bad = (model.assess(only_case(row).signals) for row in (ROW, answered("3")))
    assert good.probability > 0.75 > 0.35 > bad.probability
    assert good.is_trusted
    assert not bad.is_trusted
    assert "a step contradicts its line: yes" in bad.reasons
    path = tmp_path / "trust.json"
    save_trust_model(model, path)
    assert load_trust_model(path) == model
    probabilities = cross_validated_probabilities(cases)
    results = measure_trust_cases(cases, probabilities)
    assert results.risk is not None
    assert results.risk.auroc.value > 0.75


def test_a_program_is_never_tested_by_a_model_that_saw_it() -> None:
    """Each program has one signal of its own luck: memorizing it must not help."""
    base = only_case(ROW)
    cases = [
        replace(
            base,
            program=f"p{number}",
            signals={**base.signals, "answer_chars": number},
            is_correct=(number * 7919) % 101 < 50,
        )
        for number in range(100)
        for _ in range(3)
    ]
    results = measure_trust_cases(cases, cross_validated_probabilities(cases))
    assert results.risk is not None
    assert 0.3 < results.risk.auroc.value < 0.7


def test_missing_signals_and_wrong_files_are_errors(tmp_path: Path) -> None:
    model = fit_trust_model(many_cases())
    with pytest.raises(InputError, match="flow and values"):
        model.assess(only_case(ROW | {"codec": "chat", "output": "[ANSWER] 2 [/ANSWER]"}).signals)
    for text in ("", "{}", "[]", '{"format": 9}'):
        (tmp_path / "wrong.json").write_text(text)
        with pytest.raises(InputError):
            load_trust_model(tmp_path / "wrong.json")
    with pytest.raises(InputError, match="too few"):
        fit_trust_model(many_cases()[:8])
