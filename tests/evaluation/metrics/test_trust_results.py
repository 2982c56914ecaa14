"""Quality of trust on results with known outcomes, and on published answers."""

import json
from collections import Counter

import pytest

from tests.conftest import data_file
from worldline.analysis.stats import RiskThreshold
from worldline.analysis.trust import TrustCase, answer_key
from worldline.evaluation.metrics import measure_trust_cases


def case(name: str, *, is_correct: bool) -> TrustCase:
    return TrustCase(name, name, "1", {}, is_correct)


def test_results_by_hand() -> None:
    cases = [case(str(number), is_correct=number < 5) for number in range(10)]
    probabilities = [1 - number / 10 for number in range(10)]
    threshold = RiskThreshold(0.2, 0.9, 0.5, 20, 1, 40)
    results = measure_trust_cases(
        cases, probabilities, threshold=threshold, is_trusted=[p >= 0.5 for p in probabilities]
    )
    assert (results.correct.correct, results.correct.of) == (5, 10)
    assert results.random_aurc == 0.5
    assert results.risk is not None
    # All correct results come first, so that the order is optimal.
    assert results.risk.aurc.value == pytest.approx(results.optimal_aurc)
    assert results.risk.auroc.value == 1
    # Six results have a probability of at least 0.5; five of them are correct.
    assert results.trusted is not None
    assert (results.trusted.correct, results.trusted.of) == (5, 6)
    assert [(part, each.correct, each.of) for part, each in results.surest] == [
        (0.2, 2, 2),
        (0.5, 5, 5),
    ]


def test_only_correct_results_have_a_curve_and_no_metrics() -> None:
    results = measure_trust_cases([case("a", is_correct=True)], [0.7])
    assert results.risk is None
    assert results.curve == ((1.0, 0.0),)
    assert results.trusted is None


@pytest.mark.data
def test_agreement_of_published_answers_of_code_llama() -> None:
    path = data_file("cruxeval_codellama7b_output_scored.json")
    scored = json.loads(path.read_text(encoding="utf-8"))
    cases, agreement = [], []
    for sample, answers in scored["raw_generations"].items():
        keys = [answer_key(answer) for answer in answers]
        key, count = Counter(keys).most_common(1)[0]
        verdicts = scored["raw_scored_generations"][sample]
        cases.append(case(sample, is_correct=verdicts[keys.index(key)]))
        agreement.append(count / len(keys))
    results = measure_trust_cases(cases, agreement)
    unanimous = [c.is_correct for c, share in zip(cases, agreement, strict=True) if share == 1]
    assert sum(unanimous) / len(unanimous) == pytest.approx(0.549, abs=5e-4)
    assert results.optimal_aurc == pytest.approx(0.287, abs=5e-4)
    assert results.random_aurc == pytest.approx(0.654, abs=5e-4)
    assert results.risk is not None
    assert results.risk.auroc.value == pytest.approx(0.737, abs=5e-4)
    assert results.risk.aurc.value == pytest.approx(0.509, abs=5e-4)
    assert results.risk.calibration_error.value == pytest.approx(0.467, abs=5e-4)
