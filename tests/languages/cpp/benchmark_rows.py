"""Record CRUXEval-X in C++, compare the results with the expected values, and diagnose edited traces.

python -m tests.languages.cpp.benchmark_rows ../shared/data --rows 733 --edits 200
"""

import argparse
import random
import statistics
import sys
import time

from tests.languages.javascript.edited_traces import EDITS, Edit, edited_prediction
from worldline.analysis.diagnosis import diagnose_prediction
from worldline.core.errors import RecorderError
from worldline.core.trace import Limits, Trace
from worldline.evaluation.benchmarks.cruxeval_x import cruxeval_x
from worldline.languages.cpp.gdb_recorder import GdbRecorder
from worldline.models.prediction import Prediction, Question

LIMITS = Limits(seconds=60)


def record_rows(recorder: GdbRecorder, questions: list[Question]) -> list[Trace]:
    """Record the programs; report those that do not return the expected value."""
    traces, equal, complete, failed = [], 0, 0, 0
    compiled, cached, steps = [], [], 0
    for question in questions:
        start = time.perf_counter()
        try:
            trace = recorder.record(question.program, limits=LIMITS)
        except RecorderError as error:
            sys.stdout.write(f"{question.id}: the recorder failed: {str(error)[-200:]}\n")
            failed += 1
            continue
        compiled.append(time.perf_counter() - start)
        # The second time, the executable is in the cache.
        start = time.perf_counter()
        again = recorder.record(question.program, limits=LIMITS)
        cached.append(time.perf_counter() - start)
        steps += len(trace.steps)
        is_equal = trace.result is not None and trace.program.values.is_reference_of(
            trace.result, question.expected or ""
        )
        complete += trace.is_complete
        equal += is_equal
        if again.steps != trace.steps:
            sys.stdout.write(f"{question.id}: another trace when it is recorded again\n")
        if not is_equal:
            line = f"{question.id}: {trace.ending!r}, {trace.result}, expected {question.expected}"
            sys.stdout.write(f"{line[:300]}\n")
        traces.append(trace)
    sys.stdout.write(
        f"{len(questions)} rows, {failed} failures of the recorder, {complete} recorded to the end, {equal} equal to the expected value; "
        f"{steps:,} steps; median {statistics.median(compiled):.2f} s with the compiler, "
        f"{statistics.median(cached):.2f} s from the cache\n"
    )
    return traces


def wrong_fact(trace: Trace, edit: Edit, prediction: Prediction) -> str:
    """How the diagnosis differs from the edit; "" if it is the edit."""
    facts = diagnose_prediction(trace, prediction).facts
    divergence = facts.divergence
    if divergence is None:
        return f"no divergence: {facts.outcome}"
    expected = (edit.step, edit.where, edit.variable, edit.actual, edit.predicted)
    diagnosed = (
        *(divergence.step, divergence.where, divergence.variable),
        *(divergence.actual, divergence.predicted),
    )
    if diagnosed != expected:
        return f"{diagnosed} instead of {expected}"
    kind = trace.program.values.value_kind(edit.actual)
    if facts.value is not None and facts.value.kind != kind:
        return f"kind {facts.value.kind} instead of {kind}"
    return ""


def diagnose_edits(traces: list[Trace], count: int) -> None:
    """Diagnose as many predictions with one edit each: a variable, a line or a return in turn."""
    rng, kinds, done, right = random.Random(0), list(EDITS), 0, 0
    for trace in rng.sample(traces, len(traces)):
        if done == count:
            break
        kind = kinds[done % len(kinds)]
        edited = edited_prediction(trace, kind, rng) if trace.is_complete else None
        if edited is None or trace.program.values.is_opaque(edited[0].actual):
            continue
        done += 1
        problem = wrong_fact(trace, *edited)
        right += not problem
        if problem:
            sys.stdout.write(f"{trace.program.call}, {kind}: {problem}\n")
    sys.stdout.write(f"{right} of {done} edits are diagnosed\n")


def main() -> None:
    """Record and diagnose."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data")
    parser.add_argument("--rows", type=int, default=733)
    parser.add_argument("--edits", type=int, default=200)
    arguments = parser.parse_args()
    questions = list(cruxeval_x(arguments.data, language="cpp").questions)[: arguments.rows]
    with GdbRecorder() as recorder:
        traces = record_rows(recorder, questions)
    diagnose_edits(traces, arguments.edits)


if __name__ == "__main__":
    main()
