"""Diagnose 200 traces of CRUXEval-X in Java with one edit each: a variable, a line or a return.

python -m tests.languages.java.edited_benchmark ../shared/data/cruxeval_x --count 200
"""

import argparse
import random
import sys

from tests.languages.javascript.edited_traces import EDITS, Edit, edited_prediction
from worldline.analysis.diagnosis import diagnose_prediction
from worldline.core.trace import Trace
from worldline.evaluation.benchmarks.cruxeval_x import cruxeval_x
from worldline.languages.java.jvm_recorder import JavaRecorder
from worldline.models.prediction import Prediction

# Edits of each program.
_EDITS = 5


def wrong_fact(trace: Trace, edit: Edit, prediction: Prediction) -> str:
    """How the diagnosis differs from the edit; "" if it does not."""
    facts = diagnose_prediction(trace, prediction).facts
    divergence = facts.divergence
    if divergence is None:
        return f"no divergence: {facts.outcome}"
    expected = (edit.step, edit.where, edit.variable, edit.actual, edit.predicted)
    diagnosed = (
        divergence.step,
        divergence.where,
        divergence.variable,
        divergence.actual,
        divergence.predicted,
    )
    if diagnosed != expected:
        return f"{diagnosed} instead of {expected}"
    kind = trace.program.values.value_kind(edit.actual)
    if facts.value is not None and facts.value.kind != kind:
        return f"kind {facts.value.kind} instead of {kind}"
    return ""


def main() -> None:
    """Edit and diagnose."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data")
    parser.add_argument("--count", type=int, default=200)
    arguments = parser.parse_args()
    rng = random.Random(0)
    questions = list(cruxeval_x(arguments.data, language="java").questions)
    rng.shuffle(questions)
    count = right = 0
    kinds = list(EDITS)
    with JavaRecorder() as recorder:
        for question in questions:
            if count == arguments.count:
                break
            trace = recorder.record(question.program)
            for _ in range(min(_EDITS, arguments.count - count)):
                kind = kinds[count % len(kinds)]
                edited = edited_prediction(trace, kind, rng)
                if edited is None or trace.program.values.is_opaque(edited[0].actual):
                    continue
                count += 1
                problem = wrong_fact(trace, *edited)
                right += not problem
                if problem:
                    sys.stdout.write(f"{question.id}, {kind}: {problem}\n")
    sys.stdout.write(f"{right} of {count} edits are diagnosed\n")


if __name__ == "__main__":
    main()
