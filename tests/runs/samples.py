"""Small runs to test with: programs, a scripted model that knows them, a manifest."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.oracle import engine_of, knowing
from worldline.engines import Engine
from worldline.predict import Question, Settings
from worldline.recorders import Recorder
from worldline.runs import Judged, Manifest, Run, ask_into
from worldline.trace import Program

SOURCE = "def f(x):\n    y = x + 1\n    return y\n"


def questions(count: int) -> list[Question]:
    """f(0) = 1, f(1) = 2, …"""
    return [
        Question(f"s{n}", Program(SOURCE, f"f({n})"), str(n + 1), {"number": n})
        for n in range(count)
    ]


def knowing_engine(recorder: Recorder, asked: Sequence[Question]) -> Callable[[], Engine]:
    """A model that is right about all of them."""
    answer = knowing(*(recorder.record(q.program) for q in asked))
    return lambda: engine_of(answer)


def is_expected(question: Question, answer: str) -> bool:
    """Right is what the question expects, to the letter."""
    return question.expected == answer


def manifest_of(**changed: Any) -> Manifest:
    """What the runs of these tests are of."""
    known: dict[str, Any] = {"benchmark": "sums", "settings": Settings(budget=400)}
    return Manifest(**known | {"facets": {"number": "int"}} | changed)


def fill(
    address: str | Path,
    asked: Sequence[Question],
    engine: Callable[[], Engine],
    recorder: Recorder,
    **changed: Any,
) -> list[Judged]:
    """Ask into a run what it does not have; its new samples."""
    with Run(address) as run:
        manifest = manifest_of(**changed)
        return list(ask_into(run, asked, engine, recorder, manifest, is_right=is_expected))
