"""The measurements of programs with choices, at a small size."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from tests.analysis.choices.distribution_measurements import p_value
from tests.analysis.choices.replay_measurements import record_traces, replay_traces
from tests.support.chance_programs import chance_program
from worldline.analysis.choices import Distribution, NotFiniteError, result_distribution
from worldline.languages.python.recorder import PythonRecorder


def test_replays_are_the_same(tmp_path: Path) -> None:
    path = tmp_path / "traces.jsonl"
    assert record_traces(15, path, first_seed=5_000) > 15
    assert replay_traces(path, None) == []
    first, *others = map(json.loads, path.read_text().splitlines())
    changed = first["choices"][0]
    changed[2] = next(text for text in ("1", "0", "[0]", "[1]") if text != changed[2])
    path.write_text("".join(json.dumps(each) + "\n" for each in (first, *others)))
    assert len(replay_traces(path, None)) == 1


def test_samples_agree_with_the_enumeration() -> None:
    p_values = []
    with PythonRecorder() as recorder:
        for seed in range(6_000, 6_030):
            try:
                exact = result_distribution(chance_program(seed), recorder, max_executions=300)
            except NotFiniteError:
                continue
            sampled = result_distribution(chance_program(seed), recorder, draws=1_000, seed=seed)
            assert sampled.probabilities.keys() <= exact.probabilities.keys()
            p_values.append(p_value(exact, sampled))
            if len(p_values) == 5:
                break
    assert len(p_values) == 5
    assert min(p_values) > 1e-4


def test_a_wrong_distribution_is_rejected() -> None:
    half = Fraction(1, 2)
    fair = Distribution({"0": half, "1": half}, 2, is_exact=True)
    biased = Distribution({"0": half / 2, "1": half * 3 / 2}, 1_000, is_exact=False)
    assert p_value(fair, biased) == pytest.approx(0, abs=1e-9)
