"""Small versions of the measurements of `scripts/bench explanations`."""

from collections import Counter

from tests.analysis.explanations.explanation_measurements import (
    make_predictions,
    measure_made,
    shuffled_values,
)
from worldline.core.trace import Program
from worldline.languages.python.recorder import Recorder

PROGRAMS = [
    Program(f"def f({name}):\n{body}", f"f({value})")
    for name, value, body in (
        ("s", "'ab-cd-efg'", "    head, _, tail = s.rpartition('-')\n    return tail + head\n"),
        ("s", "'  some Text here '", "    t = s.strip()\n    u = t.title()\n    return u[1:9]\n"),
        ("xs", "[4, 9, 2, 9]", "    ys = sorted(xs)\n    ys.insert(1, 7)\n    return ys\n"),
        ("n", "-17", "    q = n // 5\n    r = n % 5\n    return [q, r, n / 4]\n"),
        (
            "xs",
            "[3, 1, 2]",
            "    t = []\n    for x in xs:\n        t.append(x * x)\n    return t\n",
        ),
        ("d", "{'a': 3, 'b': 5}", "    d['c'] = 4\n    return [k for k in d.values() if k > 3]\n"),
    )
]


def test_predictions_of_wrong_programs_are_explained(recorder: Recorder) -> None:
    made = list(make_predictions(PROGRAMS, recorder, count=6, seed=1))
    assert len(made) == 6
    assert max(Counter(each.candidate.misconception.name for each in made).values()) == 1
    result, searched = measure_made(made, recorder)
    assert result.total == 6
    assert result.found == 6
    assert result.first >= 5
    assert shuffled_values(searched)[2] == 0
