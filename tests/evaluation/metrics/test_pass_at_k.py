"""pass@k of a run with repeats."""

import json
from collections import Counter

import pytest

from tests.conftest import data_file
from tests.support.scored_samples import make_scored_sample, run_of
from worldline.evaluation.metrics import PassAtK, pass_at_k_rates


def test_pass_at_k_by_hand() -> None:
    assert pass_at_k_rates(run_of("rw", "rr")) == (PassAtK(1, 0.75, 2, 0), PassAtK(2, 1.0, 2, 0))
    assert pass_at_k_rates(run_of("rwwww")) == (
        PassAtK(1, 0.2, 1, 0),
        PassAtK(2, 0.4, 1, 0),
        PassAtK(5, 1.0, 1, 0),
    )


def test_without_repeats_there_is_no_pass_at_k() -> None:
    assert pass_at_k_rates(run_of(*"rwr")) == ()
    assert pass_at_k_rates([]) == ()


def test_infrastructure_errors_are_left_out_and_truncated_answers_are_incorrect() -> None:
    assert pass_at_k_rates(run_of("rf", "rc")) == (PassAtK(1, 0.75, 2, 0), PassAtK(2, 1.0, 1, 1))


@pytest.mark.data
def test_pass_at_k_of_published_answers_of_code_llama() -> None:
    path = data_file("cruxeval_codellama7b_output_scored.json")
    scored = json.loads(path.read_text(encoding="utf-8"))
    rows = [
        make_scored_sample(sample, "correct" if is_correct else "incorrect", repeat=repeat)
        for sample, verdicts in scored["raw_scored_generations"].items()
        for repeat, is_correct in enumerate(verdicts)
    ]
    assert Counter(row.sample for row in rows).most_common(1)[0][1] == 10
    result = {rate.k: 100 * rate.value for rate in pass_at_k_rates(rows)}
    assert result[1] == pytest.approx(34.2125)
    assert result[5] == pytest.approx(40.2867, abs=5e-5)
