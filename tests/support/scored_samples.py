"""Scored samples for tests."""

from collections.abc import Iterable
from typing import Any

from hypothesis import strategies as st

from worldline.evaluation.runs.scored_sample import VERDICTS, ScoredSample, Verdict

LETTERS: dict[str, Verdict] = {
    "r": "correct",
    "w": "incorrect",
    "n": "no_answer",
    "c": "truncated",
    "f": "infra_error",
}


def make_scored_sample(
    sample: str, verdict: Verdict, *, repeat: int = 0, **more: Any
) -> ScoredSample:
    """Make a sample; the default outcome follows from the verdict."""
    outcome = "correct" if verdict == "correct" else "diverged"
    return ScoredSample(sample, repeat, verdict, **{"outcome": outcome, **more})


def composed(
    functions: str, verdict: Verdict, *, form: str = "nested", step: int | None = None
) -> ScoredSample:
    """Make a sample of the composition benchmark.

    "list_a list_b" -> data type list, depth 2
    """
    facets: dict[str, str | int] = {
        "data_type": functions.split("_")[0],
        "depth": len(functions.split()),
        "form": form,
        "number": 0,
        "functions": functions,
    }
    return ScoredSample("s", 0, verdict, "", step=step, facets=facets)


def run_of(*samples: str, **more: Any) -> list[ScoredSample]:
    """Make the samples of a run: a word per sample, a letter per repeat.

    "rw", "c" -> sample 0 is correct, then incorrect; sample 1 is truncated
    """
    return [
        make_scored_sample(f"s{n}", LETTERS[letter], repeat=repeat, **more)
        for n, letters in enumerate(samples)
        for repeat, letter in enumerate(letters)
    ]


@st.composite
def runs(draw: st.DrawFn, *, names: Iterable[int] = range(12)) -> list[ScoredSample]:
    """Strategy for runs with some of the samples, each in one to three repeats.

    The properties of a sample's program are the same in every run.
    """
    rows = []
    for n in draw(st.lists(st.sampled_from(sorted(names)), unique=True, max_size=12)):
        for repeat in range(draw(st.integers(1, 3))):
            verdict = draw(st.sampled_from(VERDICTS))
            rows.append(
                make_scored_sample(
                    f"s{n}",
                    verdict,
                    repeat=repeat,
                    cause=draw(st.sampled_from([None, "copy_error", "arithmetic"])),
                    kind=draw(st.sampled_from([None, "int", "str"])),
                    matched_steps=draw(st.none() | st.integers(0, 30)),
                    completion_tokens=draw(st.none() | st.integers(0, 400)),
                    actual_steps=n * 7,
                    facets={"depth": n % 3, "name": f"n{n}"},
                    difficulty={"steps": n * 7, "kinds": " ".join(["int", "str", "list"][: n % 4])},
                )
            )
    return rows
