"""Predictions through a server that fails in every way: no sample is lost or doubled.

The server is a fake; tests/live repeats this with a real vLLM server.
"""

import time
from pathlib import Path

import pytest

from tests.support.fake_server import (
    FAULTS,
    FIRST,
    FaultyServer,
    imitate_vllm,
    plan,
    predict_into,
    questions,
    running,
)
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.engines import OpenAIEngine, ServerPool
from worldline.models.prediction import PredictionSettings, predict_questions, read_prediction_file


def test_every_kind_of_fault_loses_and_doubles_no_sample(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    path = tmp_path / "p.jsonl"
    with running(FaultyServer(plan, answer=imitate_vllm, outage=3)) as server:
        finishes = predict_into(path, server.url, recorder, retry_timeout=60)
    # The fake model never ends its output.
    assert finishes == {"truncated": 200}
    ids = [prediction.id for prediction in read_prediction_file(path)]
    assert len(ids) == len(set(ids)) == 200
    assert server.seen["die"] == 1
    assert all(server.seen[fault] >= 2 for fault in FAULTS), server.seen
    retries = sum(p.generation.usage.retries for p in read_prediction_file(path) if p.generation)
    assert retries >= sum(server.seen[fault] for fault in FAULTS)


def test_errors_of_a_dead_server_are_predicted_again_by_a_second_run(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    path = tmp_path / "p.jsonl"
    with running(
        FaultyServer(lambda n: "die" if n == FIRST else None, answer=imitate_vllm, outage=3600)
    ) as server:
        began = time.monotonic()
        first = predict_into(path, server.url, recorder, retry_timeout=2)
        # The remaining samples do not retry for two seconds each.
        assert time.monotonic() - began < 30
    assert first["truncated"] + first["infra_error"] == 200
    assert first["truncated"] > 0
    assert first["infra_error"] > 100
    errors = [
        prediction
        for prediction in read_prediction_file(path)
        if prediction.finish == "infra_error"
    ]
    assert len(errors) == first["infra_error"]
    assert all("without success" in (error.error or "") for error in errors)
    with running(FaultyServer(lambda n: None, answer=imitate_vllm)) as server:
        second = predict_into(path, server.url, recorder, retry_timeout=60)
    assert second == {"truncated": first["infra_error"]}
    ids = [prediction.id for prediction in read_prediction_file(path)]
    assert len(ids) == len(set(ids)) == 200


@pytest.mark.parametrize("concurrency", [1, 3, 16])
def test_no_more_requests_than_the_concurrency_are_sent(
    concurrency: int, recorder: PythonRecorder
) -> None:
    with running(FaultyServer(lambda n: None, answer=imitate_vllm)) as server:
        list(
            predict_questions(
                questions(40),
                lambda: OpenAIEngine(ServerPool(server.url)),
                recorder,
                settings=PredictionSettings(max_tokens=20),
                concurrency=concurrency,
            )
        )
        assert server.most_completions <= concurrency
        assert server.most_completions >= min(concurrency, 2)
