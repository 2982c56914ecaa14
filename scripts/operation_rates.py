"""Check `worldline report --by operation` where the true rates are known.

    python scripts/operation_rates.py coverage [--runs N]
    python scripts/operation_rates.py noisy RUN [--programs N] [--seed N]

`coverage` simulates steps of programs that differ in difficulty, and prints how often the 95%
intervals contain the true rate. `noisy` writes a run of a scripted model that executes generated
programs correctly, except that each operation fails with a known rate, and prints the true rates
next to the measured ones.

For a trained model: train it as docs/findings/small-model.md says, evaluate it on generated
programs (`worldline bench`), and print `worldline report RUN --by operation`.
"""

import argparse
import json
import math
import random
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy

from worldline.analysis.diagnosis import OperationStep, Sample, diagnose_prediction, operation_steps
from worldline.core.trace import Program, Trace, state_at
from worldline.data.generation import generate_programs
from worldline.interfaces.api.diagnosing import diagnose_predictions
from worldline.interfaces.api.run import Run
from worldline.languages.python.recorder import PythonRecorder, Recorder
from worldline.languages.python.value_kinds import value_kind
from worldline.models.codecs import get_codec
from worldline.models.prediction import Prediction, make_prediction, prediction_to_row

# The simulation of the tests is used here, too.
sys.path.insert(0, str(Path(__file__).parent.parent))
from tests.support.simulated_operations import SIMULATIONS

CODEC = get_codec("cwm")
# The rates at which the scripted model fails; an operation that is not listed has the rate of "".
RATES: Mapping[str, float] = {"": 0.004, "copy": 0.001, "int +": 0.02, "str +": 0.05, "int *": 0.06}
_WRONG = {"list": ("[0]", "[]"), "tuple": ("(0,)", "()"), "dict": ("{0: 0}", "{}")}


def main() -> None:
    """Read the arguments and run one of the two checks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    coverage = commands.add_parser("coverage")
    coverage.add_argument("--runs", type=int, default=1000)
    noisy = commands.add_parser("noisy")
    noisy.add_argument("run", type=Path)
    noisy.add_argument("--programs", type=int, default=2000)
    noisy.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    if arguments.command == "coverage":
        for line in coverage_lines(arguments.runs):
            print(line, flush=True)
    else:
        for line in noisy_lines(arguments.run, arguments.programs, arguments.seed):
            print(line, flush=True)


def coverage_lines(runs: int) -> Iterator[str]:
    """Yield the coverage for several numbers of programs, rates and differences of programs."""
    yield "programs  rate   spread  coverage  width   wrong steps"
    for simulation in SIMULATIONS:
        generator = numpy.random.default_rng(7)
        truth = simulation.true_rate()
        hits, width, wrong = 0, 0.0, 0
        for _ in range(runs):
            share = simulation.measured(generator)
            assert share.low is not None
            assert share.high is not None
            hits += share.low <= truth <= share.high
            width += share.high - share.low
            wrong += share.of - share.correct
        yield (
            f"{simulation.programs:8}  {truth:.3f}  {simulation.spread:6.1f}  {hits / runs:8.3f}  "
            f"{width / runs:.3f}  {wrong / runs:8.1f}"
        )


def noisy_lines(run: Path, programs: int, seed: int) -> Iterator[str]:
    """Write the run of the scripted model, and yield true and measured rates."""
    file = run.with_suffix(".jsonl")
    with PythonRecorder() as recorder, file.open("w") as output:
        questions = generate_programs(count=programs, seed=seed)
        for number, question in enumerate(questions):
            rng = random.Random(f"{seed}/{number}")
            prediction = noisy_prediction(question.id, question.program, recorder, rng)
            output.write(json.dumps(prediction_to_row(prediction)) + "\n")
    diagnose_predictions([file], output=run, restart=True)
    results = Run(run).operations()
    yield f"{results!r}"
    for rate in results.rates:
        share = rate.single
        if share.of >= 50 and share.low is not None and share.high is not None:
            true = 1 - RATES.get(rate.name, RATES[""])
            mark = "" if share.low <= true <= share.high else "  outside"
            yield (
                f"{rate.name:24} true {true:.3f}  measured {share.value:.3f} "
                f"({share.low:.3f}–{share.high:.3f}) of {share.of}{mark}"
            )


def noisy_prediction(
    name: str,
    program: Program,
    recorder: Recorder,
    rng: random.Random,
    *,
    rates: Mapping[str, float] = RATES,
    per_doubling: float = 0.0,
) -> Prediction:
    """The output of a model that executes a program correctly up to its first wrong operation.

    Args:
        name: The name of the sample.
        program: The program.
        recorder: Executes it.
        rng: Decides which operations fail.
        rates: The rate at which each operation fails, `""` for all others. Conditions never fail.
        per_doubling: Added to the log-odds of a failure for every doubling of the size.
    """
    actual = recorder.record(program)
    perfect = make_prediction(name, program, "".join(CODEC.encode(actual)), CODEC, finish="stop")
    sample = Sample(perfect, actual, diagnose_prediction(actual, perfect))
    for step in operation_steps(sample):
        if step.value_size is None:
            continue
        failed = [
            _fails(rates.get(each.name, rates[""]), per_doubling, step, rng)
            for each in step.operations
        ]
        if any(failed):
            text = "".join(CODEC.encode(_corrupt(actual, step)))
            return make_prediction(name, program, text, CODEC, finish="stop")
    return perfect


def _fails(rate: float, per_doubling: float, step: OperationStep, rng: random.Random) -> bool:
    if rate <= 0:
        return False
    size = math.log2(1 + step.read_size + (step.value_size or 0))
    odds = rate / (1 - rate) * math.exp(per_doubling * (size - 5))
    return rng.random() < odds / (1 + odds)


def _corrupt(actual: Trace, step: OperationStep) -> Trace:
    """The trace with a wrong value in one step."""
    steps = list(actual.steps)
    original = steps[step.step]
    if original.value is not None:
        steps[step.step] = replace(original, value=wrong_value(original.value))
    else:
        name = step.variables[0]
        value = wrong_value(state_at(actual.steps, step.step)[name])
        steps[step.step] = replace(original, changed={**original.changed, name: value})
    return replace(actual, steps=tuple(steps))


def wrong_value(value: str) -> str:
    """A different value of the same kind: "3" -> "4"; "'a'" -> "'a?'"; "[]" -> "[0]"."""
    kind = value_kind(value)
    if kind == "bool":
        return "False" if value == "True" else "True"
    if kind == "int":
        return str(int(value) + 1)
    if kind == "float":
        return repr(float(value) + 1)
    if kind == "str":
        return f"{value[:-1]}?{value[-1]}"
    if kind in _WRONG:
        filled, empty = _WRONG[kind]
        return filled if value == empty else empty
    return "None" if value != "None" else "0"


if __name__ == "__main__":
    main()
