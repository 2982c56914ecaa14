"""A server that fails in every way in the middle of 200 samples: none is lost, none is doubled.

Here it imitates vLLM; tests/live has the real one behind it.
"""

import time
from pathlib import Path

import pytest

from tests.faulty import (
    FAULTS,
    FIRST,
    FaultyServer,
    like_vllm,
    plan,
    predict_into,
    questions,
    running,
)
from worldline.engines import OpenAIEngine, Server
from worldline.predict import Settings, predict, read_recorded
from worldline.recorders import PythonRecorder


def test_200_samples_through_every_fault(tmp_path: Path, recorder: PythonRecorder) -> None:
    path = tmp_path / "p.jsonl"
    with running(FaultyServer(plan, answer=like_vllm, outage=3)) as server:
        finishes = predict_into(path, server.url, recorder, patience=60)
    # The imitation never ends by itself.
    assert finishes == {"length": 200}
    ids = [prediction.id for prediction in read_recorded(path)]
    assert len(ids) == len(set(ids)) == 200
    assert server.seen["die"] == 1
    assert all(server.seen[fault] >= 2 for fault in FAULTS), server.seen
    retries = sum(p.asked.usage.retries for p in read_recorded(path) if p.asked)
    assert retries >= sum(server.seen[fault] for fault in FAULTS)


def test_a_server_that_stays_down_leaves_errors_that_a_second_run_asks_again(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    path = tmp_path / "p.jsonl"
    with running(
        FaultyServer(lambda n: "die" if n == FIRST else None, answer=like_vllm, outage=3600)
    ) as server:
        began = time.monotonic()
        first = predict_into(path, server.url, recorder, patience=2)
        # Not two seconds of patience for each of those that are left.
        assert time.monotonic() - began < 30
    assert first["length"] + first["error"] == 200
    assert first["length"] > 0
    assert first["error"] > 100
    errors = [prediction for prediction in read_recorded(path) if prediction.finish == "error"]
    assert len(errors) == first["error"]
    assert all("without success" in (error.error or "") for error in errors)
    with running(FaultyServer(lambda n: None, answer=like_vllm)) as server:
        second = predict_into(path, server.url, recorder, patience=60)
    assert second == {"length": first["error"]}
    ids = [prediction.id for prediction in read_recorded(path)]
    assert len(ids) == len(set(ids)) == 200


@pytest.mark.parametrize("in_flight", [1, 3, 16])
def test_no_more_than_the_bound_is_in_flight(in_flight: int, recorder: PythonRecorder) -> None:
    with running(FaultyServer(lambda n: None, answer=like_vllm)) as server:
        list(
            predict(
                questions(40),
                lambda: OpenAIEngine(Server(server.url)),
                recorder,
                settings=Settings(budget=20),
                in_flight=in_flight,
            )
        )
        assert server.most_completions <= in_flight
        assert server.most_completions >= min(in_flight, 2)
