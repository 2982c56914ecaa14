"""Measurement: enumerated distributions of generated programs against samples.

python -m tests.analysis.choices.distribution_measurements 200 10000
"""

import sys

from scipy.stats import chi2

from tests.support.chance_programs import chance_program
from worldline.analysis.choices import Distribution, NotFiniteError, result_distribution
from worldline.languages.python.recorder import PythonRecorder

MIN_EXPECTED = 5


def p_value(exact: Distribution, sampled: Distribution) -> float:
    """Pearson's chi-squared test; rare outcomes are counted together."""
    draws = sampled.executions
    pairs = [
        (float(probability) * draws, float(sampled.probabilities.get(text, 0)) * draws)
        for text, probability in exact.probabilities.items()
    ]
    rare = [pair for pair in pairs if pair[0] < MIN_EXPECTED]
    cells = [pair for pair in pairs if pair[0] >= MIN_EXPECTED]
    if rare:
        cells.append((sum(a for a, _ in rare), sum(b for _, b in rare)))
    if len(cells) < 2:
        return 1.0
    statistic = sum((seen - expected) ** 2 / expected for expected, seen in cells)
    return float(chi2.sf(statistic, len(cells) - 1))


def measure(programs: int, draws: int) -> None:
    """Print how many programs could be enumerated, and the p-values of the samples."""
    p_values: list[float] = []
    unexpected = skipped = seed = 0
    with PythonRecorder() as recorder:
        while len(p_values) < programs:
            seed += 1
            program = chance_program(seed)
            try:
                exact = result_distribution(program, recorder, max_executions=5000)
            except NotFiniteError:
                skipped += 1
                continue
            assert sum(exact.probabilities.values()) == 1
            sampled = result_distribution(program, recorder, draws=draws, seed=seed)
            unexpected += len(sampled.probabilities.keys() - exact.probabilities.keys())
            p_values.append(p_value(exact, sampled))
    below = {limit: sum(p < limit for p in p_values) for limit in (0.05, 0.01, 0.001)}
    sys.stdout.write(
        f"{programs} programs, {draws} draws each, {skipped} not enumerated; outcomes that were "
        f"not enumerated: {unexpected}; p-values below: {below}, smallest {min(p_values):.5f}\n"
    )


if __name__ == "__main__":
    measure(int(sys.argv[1]), int(sys.argv[2]))
