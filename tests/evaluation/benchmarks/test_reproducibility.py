"""Generated benchmarks and their results are the same on every Python and with any hash seed."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.pythons import find_python, make_packages
from worldline.evaluation.benchmarks.composition import composition
from worldline.evaluation.benchmarks.permutation import permutation

# Published figures were measured on these questions.
HASHES = {
    "permutation()": "72daf2f04e378c52",
    "permutation(variables=3, lengths=[7, 64], reveal_every=2, seed=7)": "62484f0846eab022",
    "composition()": "13002b650383e7d3",
    "composition(depths=[1, 2, 11, 20], per_depth=2, atoms=2, seed=7)": "91dd12c364a2ba3e",
}
SCRIPT = f"""
from worldline.evaluation.benchmarks.composition import composition
from worldline.evaluation.benchmarks.permutation import permutation
for expression in {list(HASHES)!r}:
    benchmark = eval(expression)
    print(benchmark.hash)
    for question in benchmark.questions:
        names = {{}}
        exec(question.program.source, names)
        found = repr(eval(question.program.call, names))
        if found != question.expected:
            raise SystemExit(f"{{question.id}} returns {{found}}, not {{question.expected}}")
"""


@pytest.mark.parametrize("expression", HASHES)
def test_questions_have_the_published_hashes(expression: str) -> None:
    benchmark = eval(expression, {"permutation": permutation, "composition": composition})
    assert benchmark.hash == HASHES[expression]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with worldline and its dependencies to import."""
    return make_packages(tmp_path_factory.mktemp("packages"))


@pytest.mark.parametrize(
    ("version", "hash_seed"), [("3.11", "1"), ("3.11", "4242"), ("3.12", "1"), ("3.13", "4242")]
)
def test_questions_and_results_are_the_same_on_every_python(
    version: str, hash_seed: str, folder: Path
) -> None:
    python = find_python(version)
    if python is None:
        pytest.skip(f"no Python {version} on PATH or in ~/.pyenv/versions")
    env = {**os.environ, "PYTHONPATH": str(folder), "PYTHONHASHSEED": hash_seed}
    # -S: without the packages that are installed there.
    done = subprocess.run(
        [python, "-S", "-B", "-c", SCRIPT], env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == list(HASHES.values())
