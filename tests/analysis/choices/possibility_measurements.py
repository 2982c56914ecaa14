"""Measurement: predictions of generated programs with choices, against complete enumeration.

python -m tests.analysis.choices.possibility_measurements other 2000
python -m tests.analysis.choices.possibility_measurements edited 2000
"""

import random
import sys
from collections import Counter
from dataclasses import replace

from tests.support.chance_programs import chance_program
from worldline.analysis.alignment import first_divergence
from worldline.analysis.choices import find_possibility, parse_domain
from worldline.core.trace import Choice, Program, Step, Trace
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import get_codec
from worldline.models.prediction import Prediction, make_prediction

CODEC = get_codec("cwm")
# Programs with more executions are skipped, and edits of one program.
MAX_LEAVES = 60
EDITS = 20


def predicted(trace: Trace) -> Prediction:
    """A prediction of exactly this trace."""
    return make_prediction("a", trace.program, "".join(CODEC.encode(trace)), CODEC)


def all_executions(recorder: PythonRecorder, program: Program) -> list[Trace] | None:
    """Every execution of a program; None if there are too many, or the domains are not finite."""
    pending: list[tuple[Choice, ...]] = [()]
    traces: list[Trace] = []
    while pending:
        prefix = pending.pop()
        trace, _ = recorder.record_choosing(program, prefix, is_systematic=True)
        traces.append(trace)
        if len(traces) + len(pending) > MAX_LEAVES:
            return None
        for number in range(len(prefix), len(trace.choices)):
            choice = trace.choices[number]
            domain = parse_domain(choice.domain)
            if domain.size is None or domain.size > MAX_LEAVES:
                return None
            pending += [
                (*trace.choices[:number], replace(choice, value=repr(value)))
                for value in domain.values()
                if repr(value) != choice.value
            ]
    return traces


def edit(trace: Trace, rng: random.Random) -> Trace | None:
    """The trace with one value changed at one step."""
    chosen = [n for n, step in enumerate(trace.steps) if step.changed or step.value is not None]
    number = rng.choice(chosen)
    step = trace.steps[number]
    value = rng.choice(("-99", "0", "1", "2", "3", "5", "'ab'", "[1, 2]"))
    if step.changed:
        name = rng.choice(list(step.changed))
        if step.changed[name] == value:
            return None
        new = replace(step, changed={**step.changed, name: value})
    else:
        if step.value == value:
            return None
        new = replace(step, value=value)
    steps: tuple[Step, ...] = (*trace.steps[:number], new, *trace.steps[number + 1 :])
    return replace(trace, steps=steps)


def measure_other(recorder: PythonRecorder, count: int) -> None:
    """Predictions that are executions with other choices."""
    outcomes: Counter[str] = Counter()
    executions = 0
    for seed in range(count):
        trace = recorder.record(chance_program(seed, is_finite=False))
        result = find_possibility(predicted(trace), recorder)
        outcomes[result.outcome] += 1
        executions += result.executions
        if result.outcome != "possible":
            sys.stdout.write(f"program {seed}: {result}\n")
    sys.stdout.write(f"{count} other executions: {dict(outcomes)}, {executions} executions\n")


def measure_edited(recorder: PythonRecorder, count: int) -> None:
    """Predictions with one edited value, against all executions."""
    rng = random.Random(0)
    tallies: Counter[str] = Counter()
    seed = programs = done = 0
    while done < count:
        seed += 1
        traces = all_executions(recorder, chance_program(seed))
        if traces is None:
            continue
        programs += 1
        for _ in range(EDITS):
            trace = edit(rng.choice(traces), rng)
            if trace is None or done >= count:
                continue
            done += 1
            prediction = predicted(trace)
            comparisons = [first_divergence(each, prediction.decoded)[1:] for each in traces]
            is_possible = any(divergence is None for _, divergence in comparisons)
            expected = "possible" if is_possible else "impossible"
            step = None if is_possible else max(matched for matched, _ in comparisons)
            result = find_possibility(prediction, recorder)
            is_right = (result.outcome, result.step) == (expected, step)
            tallies[f"{expected} {'as enumerated' if is_right else f'but {result.outcome}'}"] += 1
            if not is_right:
                sys.stdout.write(f"program {seed}: expected {expected} {step}, {result}\n")
    sys.stdout.write(f"{done} edits of {programs} programs: {dict(tallies)}\n")


if __name__ == "__main__":
    with PythonRecorder() as opened:
        {"other": measure_other, "edited": measure_edited}[sys.argv[1]](opened, int(sys.argv[2]))
