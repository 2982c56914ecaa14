"""Judged samples made up for tests."""

from collections.abc import Iterable
from typing import Any

from hypothesis import strategies as st

from worldline.runs.judged import VERDICTS, Judged, Verdict

LETTERS: dict[str, Verdict] = {
    "r": "right",
    "w": "wrong",
    "n": "no_answer",
    "c": "cut",
    "f": "failed",
}


def judged(sample: str, verdict: Verdict, *, repeat: int = 0, **more: Any) -> Judged:
    """One row; the outcome follows the verdict unless it is given."""
    outcome = "correct" if verdict == "right" else "diverged"
    return Judged(sample, repeat, verdict, **{"outcome": outcome, **more})


def composed(
    functions: str, verdict: Verdict, *, form: str = "nested", step: int | None = None
) -> Judged:
    """One row about a composition.

    "list_a list_b" -> of the data type list, two deep
    """
    facets: dict[str, str | int] = {
        "data_type": functions.split("_")[0],
        "depth": len(functions.split()),
        "form": form,
        "number": 0,
        "functions": functions,
    }
    return Judged("s", 0, verdict, "", step=step, facets=facets)


def run_of(*samples: str, **more: Any) -> list[Judged]:
    """A run in which each word is a sample, and each letter of it a repeat's verdict.

    "rw", "c" -> sample 0 is right, then wrong; sample 1 is cut
    """
    return [
        judged(f"s{n}", LETTERS[letter], repeat=repeat, **more)
        for n, letters in enumerate(samples)
        for repeat, letter in enumerate(letters)
    ]


@st.composite
def runs(draw: st.DrawFn, *, names: Iterable[int] = range(12)) -> list[Judged]:
    """A run with some of the samples, each in one to three repeats.

    What is known of a sample itself is the same in every run.
    """
    rows = []
    for n in draw(st.lists(st.sampled_from(sorted(names)), unique=True, max_size=12)):
        for repeat in range(draw(st.integers(1, 3))):
            verdict = draw(st.sampled_from(VERDICTS))
            rows.append(
                judged(
                    f"s{n}",
                    verdict,
                    repeat=repeat,
                    cause=draw(st.sampled_from([None, "miscopied", "arithmetic"])),
                    kind=draw(st.sampled_from([None, "int", "str"])),
                    matched_steps=draw(st.none() | st.integers(0, 30)),
                    written_tokens=draw(st.none() | st.integers(0, 400)),
                    true_steps=n * 7,
                    facets={"depth": n % 3, "name": f"n{n}"},
                    difficulty={"steps": n * 7, "kinds": " ".join(["int", "str", "list"][: n % 4])},
                )
            )
    return rows
