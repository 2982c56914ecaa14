"""pass@k of a run with repeats."""

import json
from collections import Counter

import pytest

from tests.conftest import data_file
from tests.judged import judged, run_of
from worldline.measures import PassRate, pass_rates


def test_by_hand() -> None:
    assert pass_rates(run_of("rw", "rr")) == (PassRate(1, 0.75, 2, 0), PassRate(2, 1.0, 2, 0))
    assert pass_rates(run_of("rwwww")) == (
        PassRate(1, 0.2, 1, 0),
        PassRate(2, 0.4, 1, 0),
        PassRate(5, 1.0, 1, 0),
    )


def test_without_repeats_there_is_none() -> None:
    assert pass_rates(run_of(*"rwr")) == ()
    assert pass_rates([]) == ()


def test_what_failed_is_no_answer_and_a_cut_is_one_that_is_not_right() -> None:
    assert pass_rates(run_of("rf", "rc")) == (PassRate(1, 0.75, 2, 0), PassRate(2, 1.0, 1, 1))


@pytest.mark.data
def test_the_published_answers_of_code_llama() -> None:
    path = data_file("cruxeval_codellama7b_output_scored.json")
    scored = json.loads(path.read_text(encoding="utf-8"))
    rows = [
        judged(sample, "right" if is_right else "wrong", repeat=repeat)
        for sample, verdicts in scored["raw_scored_generations"].items()
        for repeat, is_right in enumerate(verdicts)
    ]
    assert Counter(row.sample for row in rows).most_common(1)[0][1] == 10
    found = {rate.k: 100 * rate.value for rate in pass_rates(rows)}
    assert found[1] == pytest.approx(34.2125)
    assert found[5] == pytest.approx(40.2867, abs=5e-5)
