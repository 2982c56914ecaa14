"""Measurement: predicted steps of generated programs with threads, against enumerated schedules.

python -m tests.analysis.choices.thread_possibility_measurements other 300
python -m tests.analysis.choices.thread_possibility_measurements edited 300
python -m tests.analysis.choices.thread_possibility_measurements joined 300

`other`: executions with random schedules, as predictions that name the thread of each step and as
ones that do not. `edited`: the same with one value edited. `joined`: the first steps of one
execution, and then those of an execution with another schedule, which a third schedule may give.
The reference executes every schedule that agrees with the prediction, without leaving out switches
that cannot give the next step.
"""

import random
import re
import sys
from collections import Counter
from dataclasses import replace

from tests.analysis.choices.possibility_measurements import edit
from tests.support.thread_programs import thread_program
from worldline.analysis.alignment import first_divergence
from worldline.analysis.choices import find_possibility
from worldline.analysis.stats import share
from worldline.core.trace import THREAD, Choice, Trace
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import get_codec
from worldline.models.prediction import Prediction, make_prediction

# Executions of the reference, after which an edit is left out.
_MAX_REFERENCE = 400
_NAMED = {name: get_codec(name) for name in ("cwm-choices", "delta-choices")}


def predicted(trace: Trace, name: str) -> Prediction:
    """A prediction of exactly this trace; in `cwm`, it does not name the threads."""
    if name in _NAMED:
        codec = _NAMED[name]
        return make_prediction("a", trace.program, "".join(codec.encode(trace)), codec)
    text = "".join(_NAMED["cwm-choices"].encode(trace))
    text = re.sub(r'(, )?"\.thread": "\d+"', "", text)
    text = re.sub(r'"\.thread \d+: ', '"', text)
    return make_prediction("a", trace.program, text, get_codec("cwm"))


def enumerate_matching(
    recorder: PythonRecorder, prediction: Prediction
) -> tuple[str, int | None] | None:
    """The outcome and the step of a prediction, by enumeration; None if that takes too long."""
    pending: list[tuple[Choice, ...]] = [()]
    executions, best = 0, -1
    while pending:
        if executions >= _MAX_REFERENCE:
            return None
        prefix = pending.pop()
        trace, _ = recorder.record_choosing(
            prediction.program, prefix, is_systematic=True, has_threads=True
        )
        executions += 1
        _, matched, divergence = first_divergence(trace, prediction.decoded)
        if divergence is None:
            return "possible", None
        best = max(best, matched)
        for number in range(len(prefix), len(trace.choices)):
            choice = trace.choices[number]
            if choice.name != THREAD or (choice.step is not None and choice.step >= matched):
                continue
            threads = choice.domain.partition("(")[2].rstrip(")").split(", ")
            pending += [
                (
                    *trace.choices[:number],
                    Choice(
                        choice.name,
                        choice.arguments,
                        thread,
                        choice.domain,
                        choice.line,
                        choice.step,
                    ),
                )
                for thread in threads
                if thread != choice.value
            ]
    return "impossible", best


def measure_other(recorder: PythonRecorder, count: int) -> None:
    """Executions with other schedules are all possible."""
    for name in (*_NAMED, "cwm"):
        outcomes: Counter[str] = Counter()
        executions = 0
        for seed in range(count):
            trace = recorder.record_scheduled(thread_program(seed), seed=seed)
            result = find_possibility(predicted(trace, name), recorder, has_threads=True)
            outcomes[result.outcome] += 1
            executions += result.executions
            if result.outcome != "possible":
                sys.stdout.write(f"program {seed}: {result}\n")
        possible = share(outcomes["possible"], count)
        sys.stdout.write(f"{name}: {dict(outcomes)}, {possible}, {executions} executions\n")
        sys.stdout.flush()


def join(trace: Trace, other: Trace, rng: random.Random) -> Trace | None:
    """The first steps of a trace, and the last ones of another; None if that is one of them."""
    count = min(len(trace.steps), len(other.steps))
    differing = [n for n in range(count) if trace.steps[n] != other.steps[n]]
    if len(differing) < 2:
        return None
    cut = rng.randrange(differing[0] + 1, differing[-1] + 1)
    steps = (*trace.steps[:cut], *other.steps[cut:])
    return None if steps in (trace.steps, other.steps) else replace(trace, steps=steps)


def measure_changed(recorder: PythonRecorder, count: int, *, is_joined: bool) -> None:
    """Executions that were changed are judged as the reference does."""
    rng = random.Random(0)
    tallies: Counter[str] = Counter()
    done = same = skipped = executions = 0
    seed = -1
    while done < count:
        seed += 1
        name = ("cwm-choices", "delta-choices")[seed % 2]
        trace = recorder.record_scheduled(thread_program(seed), seed=seed)
        if is_joined:
            other = recorder.record_scheduled(trace.program, seed=seed + 1)
            changed = join(trace, other, rng)
        else:
            changed = edit(trace, rng)
        if changed is None:
            continue
        prediction = predicted(changed, name)
        expected = enumerate_matching(recorder, prediction)
        if expected is None:
            skipped += 1
            continue
        result = find_possibility(prediction, recorder, has_threads=True)
        done += 1
        executions += result.executions
        is_same = (result.outcome, result.step) == expected
        same += is_same
        first = next(
            n for n, (a, b) in enumerate(zip(trace.steps, changed.steps, strict=False)) if a != b
        )
        where = "at the first changed step" if expected[1] == first else "at another step"
        tallies[f"{expected[0]} {where if expected[1] is not None else ''}".strip()] += 1
        if not is_same:
            sys.stdout.write(f"program {seed}: expected {expected}, {result}\n")
        if done % 25 == 0:
            sys.stderr.write(f"{done}: {same} the same, {dict(tallies)}\n")
    sys.stdout.write(
        f"{done} changes ({skipped} left out): {dict(tallies)}; "
        f"as enumerated: {share(same, done)}; "
        f"{executions} executions\n"
    )


if __name__ == "__main__":
    with PythonRecorder() as opened:
        if sys.argv[1] == "other":
            measure_other(opened, int(sys.argv[2]))
        else:
            measure_changed(opened, int(sys.argv[2]), is_joined=sys.argv[1] == "joined")
