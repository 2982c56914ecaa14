"""Generated benchmarks are the same on every Python, whatever its hash seed, and so is what their
programs return."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.pythons import find_python, make_packages
from worldline.benchmarks.composition import composition
from worldline.benchmarks.permutation import permutation

# A change here changes what published figures were measured on.
HASHES = {
    "permutation()": "72daf2f04e378c52",
    "permutation(variables=3, lengths=[7, 64], reveal_every=2, seed=7)": "62484f0846eab022",
    "composition()": "13002b650383e7d3",
    "composition(depths=[1, 2, 11, 20], per_depth=2, atoms=2, seed=7)": "91dd12c364a2ba3e",
}
SCRIPT = f"""
from worldline.benchmarks.composition import composition
from worldline.benchmarks.permutation import permutation
for made in {list(HASHES)!r}:
    benchmark = eval(made)
    print(benchmark.hash)
    for question in benchmark.questions:
        names = {{}}
        exec(question.program.source, names)
        found = repr(eval(question.program.call, names))
        if found != question.expected:
            raise SystemExit(f"{{question.id}} returns {{found}}, not {{question.expected}}")
"""


@pytest.mark.parametrize("made", HASHES)
def test_the_questions_are_those_that_were_published(made: str) -> None:
    found = eval(made, {"permutation": permutation, "composition": composition})
    assert found.hash == HASHES[made]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A place to import from that has worldline and what it depends on."""
    return make_packages(tmp_path_factory.mktemp("packages"))


@pytest.mark.parametrize(
    ("version", "hash_seed"), [("3.11", "1"), ("3.11", "4242"), ("3.12", "1"), ("3.13", "4242")]
)
def test_every_python_makes_the_same_and_returns_it(
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
