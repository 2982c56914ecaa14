"""Known error rates of a scripted model are recovered from its predictions."""

import random

from scripts.operation_rates import noisy_prediction
from worldline.analysis.diagnosis import Sample, diagnose_prediction
from worldline.core.trace import Program
from worldline.evaluation.metrics import OperationResults, measure_operations
from worldline.languages.python.recorder import PythonRecorder

RATES = {"": 0.0, "str.replace": 0.3, "str.upper": 0.05, "int +": 0.1}
PROGRAMS = 150


def measured(recorder: PythonRecorder) -> OperationResults:
    """Every program is another one: its constants differ."""
    rng = random.Random(11)
    samples = []
    for number in range(PROGRAMS):
        source = (
            f"def f(s):\n    a = s.upper()\n    n = len(a) + {number}\n    m = n + 1\n"
            "    b = a.replace('A', 'xy')\n    c = b.upper().replace('X', '')\n    return c\n"
        )
        program = Program(source, f"f({'ab' * rng.randint(1, 8)!r})")
        prediction = noisy_prediction(f"p{number}", program, recorder, rng, rates=RATES)
        actual = recorder.record(program)
        samples.append(Sample(prediction, actual, diagnose_prediction(actual, prediction)))
    return measure_operations(samples)


def test_known_rates_are_recovered(recorder: PythonRecorder) -> None:
    results = measured(recorder)
    rates = {rate.name: rate for rate in results.rates}
    for name in ("str.replace", "str.upper", "int +"):
        share, true = rates[name].single, 1 - RATES[name]
        assert share.low is not None
        assert share.high is not None
        assert share.low <= true <= share.high
        # Narrow enough to tell the operations apart.
        assert share.high - share.low < 0.2
    # Every divergence is counted, once.
    assert results.steps.of - results.steps.correct == results.diverged > 50
    # One operation after the other may fail: 1 - 0.95 * 0.7, and 1 - 0.9 for the sum.
    both = rates["str.upper"].shared
    assert (both.low or 0) <= 0.95 * 0.7 <= (both.high or 0)
    assert rates["len(str)"].single.of == 0
    assert (rates["len(str)"].shared.low or 0) <= 0.9 <= (rates["len(str)"].shared.high or 0)
    # Operations that never fail are not blamed for the steps of others.
    copy = rates["copy"].single
    assert copy.correct == copy.of
