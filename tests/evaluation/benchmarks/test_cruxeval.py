"""CRUXEval: all samples are questions, and scores agree with the published scorer."""

import json
from statistics import fmean
from typing import Any

import pytest

from tests.conftest import data_file
from worldline.analysis.stats.pass_at_k_estimator import pass_at_k
from worldline.evaluation.benchmarks.cruxeval import cruxeval

pytestmark = pytest.mark.data


def read(name: str) -> Any:
    return json.loads(data_file(name).read_text(encoding="utf-8"))


def test_every_published_sample_is_a_question() -> None:
    path = data_file("cruxeval.jsonl")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    benchmark = cruxeval(path)
    assert (benchmark.name, len(benchmark.questions), benchmark.skipped) == ("cruxeval", 800, ())
    assert [
        (question.id, question.program.source, question.program.call, question.expected)
        for question in benchmark.questions
    ] == [(row["id"], row["code"], f"f({row['input']})", row["output"]) for row in rows]
    assert cruxeval(path.parent).hash == benchmark.hash


def test_published_answers_get_the_published_scores() -> None:
    benchmark = cruxeval(data_file("cruxeval.jsonl"))
    answers = read("cruxeval_codellama7b_output_generations.json")
    scored = read("cruxeval_codellama7b_output_scored.json")
    verdicts = scored["raw_scored_generations"]
    ours = {
        question.id: [benchmark.is_correct(question, answer) for answer in answers[question.id]]
        for question in benchmark.questions
    }
    assert sum(map(len, ours.values())) == 8000
    assert ours == verdicts
    for k, published in ((1, 34.2125), (5, 40.2867)):
        result = 100 * fmean(pass_at_k(k, sum(each), len(each)) for each in ours.values())
        assert result == pytest.approx(scored[f"pass_at_{k}"], abs=1e-9)
        assert round(result, 4) == published
