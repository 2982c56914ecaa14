"""Fixtures for small runs: questions, a scripted model that answers them, a manifest."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.support.scripted_models import continue_actual_trace, engine_of
from worldline.core.trace import Program
from worldline.evaluation.runs import Manifest, RunWriter, ScoredSample, evaluate_into_run
from worldline.languages.python.recorder import Recorder
from worldline.models.engines import Engine
from worldline.models.prediction import PredictionSettings, Question

SOURCE = "def f(x):\n    y = x + 1\n    return y\n"


def questions(count: int) -> list[Question]:
    """f(0) = 1, f(1) = 2, …"""
    return [
        Question(f"s{n}", Program(SOURCE, f"f({n})"), str(n + 1), {"number": n})
        for n in range(count)
    ]


def knowing_engine(recorder: Recorder, asked: Sequence[Question]) -> Callable[[], Engine]:
    """A model that answers all questions correctly."""
    answer = continue_actual_trace(*(recorder.record(q.program) for q in asked))
    return lambda: engine_of(answer)


def is_expected(question: Question, answer: str) -> bool:
    """Whether an answer is exactly the expected text."""
    return question.expected == answer


def manifest_of(**changed: Any) -> Manifest:
    """The manifest of the runs in these tests."""
    known: dict[str, Any] = {"benchmark": "sums", "settings": PredictionSettings(max_tokens=400)}
    return Manifest(**known | {"facets": {"number": "int"}} | changed)


def fill(
    address: str | Path,
    asked: Sequence[Question],
    engine: Callable[[], Engine],
    recorder: Recorder,
    **changed: Any,
) -> list[ScoredSample]:
    """Predict the missing samples of a run, and return them."""
    with RunWriter(address) as run:
        manifest = manifest_of(**changed)
        return list(
            evaluate_into_run(run, asked, engine, recorder, manifest, is_correct=is_expected)
        )
