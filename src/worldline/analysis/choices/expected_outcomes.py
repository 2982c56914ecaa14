"""Expected outcomes: all correct answers to a question, as the text of its expected value.

They have their probabilities if the results of the program have a distribution. Those of a program
with threads have none.
"""

import json
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache

from worldline.analysis.choices.distribution import Distribution

_PREFIX = "one of "


def outcomes_to_text(distribution: Distribution) -> str:
    """The expected value of a question with several correct answers.

    {"7": 1/6, "6": 5/36} -> 'one of {"7": "1/6", "6": "5/36"}'
    """
    shares = {text: str(share) for text, share in distribution.probabilities.items()}
    return _PREFIX + json.dumps(shares, ensure_ascii=False)


def outcomes_from_text(text: str | None) -> Mapping[str, Fraction] | None:
    """The outcomes and their probabilities; None if the text is an ordinary value or has none."""
    parsed = _parse(text) if text is not None and text.startswith(_PREFIX) else None
    return parsed if isinstance(parsed, Mapping) else None


def results_to_text(results: Iterable[str]) -> str:
    """The expected value of a question whose correct answers have no probabilities.

    ["1", "deadlock"] -> 'one of ["1", "deadlock"]'
    """
    return _PREFIX + json.dumps(list(results), ensure_ascii=False)


def results_from_text(text: str | None) -> tuple[str, ...] | None:
    """The correct answers without probabilities; None if the text is another value."""
    parsed = _parse(text) if text is not None and text.startswith(_PREFIX) else None
    return parsed if isinstance(parsed, tuple) else None


def expected_answers(text: str | None) -> tuple[str, ...]:
    """All correct answers of an expected value with several; () if it is an ordinary value.

    'one of {"7": "1/6", "6": "5/6"}' -> ("7", "6"); 'one of ["1"]' -> ("1",); "7" -> ()
    """
    return tuple(outcomes_from_text(text) or results_from_text(text) or ())


@lru_cache(maxsize=256)
def _parse(text: str) -> Mapping[str, Fraction] | tuple[str, ...] | None:
    try:
        value = json.loads(text.removeprefix(_PREFIX))
        if isinstance(value, list):
            return tuple(value) if all(isinstance(each, str) for each in value) else None
        return {outcome: Fraction(share) for outcome, share in value.items()}
    except (ValueError, ArithmeticError, AttributeError, TypeError):
        return None
