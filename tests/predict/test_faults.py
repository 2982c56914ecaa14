"""A server that fails in every way in the middle of 200 samples: none is lost, none is doubled.

Here it imitates vLLM; tests/live has the real one behind it.
"""

import time
from collections import Counter
from pathlib import Path

import pytest

from tests.faulty import FaultyServer, like_vllm, running
from worldline.engines import OpenAIEngine, Server
from worldline.predict import Question, Settings, predict, read_recorded
from worldline.recorders import PythonRecorder
from worldline.runs import PredictionFile
from worldline.trace import Program

FAULTS = ("429", "500", "hang", "cut", "no_ids", "garbage")
# The probe asks some two dozen times first; faults begin in the middle of the samples.
FIRST = 60


def plan(number: int) -> str | None:
    """Every fourth request fails, in turn in each way; one of them takes the server down."""
    if number < FIRST or number % 4:
        return None
    if number == FIRST + 40:
        return "die"
    return FAULTS[number // 4 % len(FAULTS)]


def questions(count: int) -> list[Question]:
    source = "def f(x):\n    return x + 1\n"
    return [Question(f"sample_{n}", Program(source, f"f({n})")) for n in range(count)]


def predict_into(
    path: Path, url: str, recorder: PythonRecorder, *, patience: float, timeout: float = 0.5
) -> Counter[str]:
    """Ask about what is not in the file yet, as the command does; how the samples finished."""
    finishes: Counter[str] = Counter()
    with PredictionFile(path) as file:
        wanted = [question for question in questions(200) if question.id not in file.done]
        found = predict(
            wanted,
            lambda: OpenAIEngine(Server(url, timeout=timeout, patience=patience)),
            recorder,
            settings=Settings(budget=20),
            in_flight=16,
        )
        for prediction in found:
            file.add(prediction)
            finishes[prediction.finish] += 1
    return finishes


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
