"""The same request gives the same bytes on every Python, with any hash seed and workers."""

import hashlib
import os
import subprocess
from pathlib import Path

import pytest

from tests.languages.recorder.methods import python_of
from tests.support.pythons import make_packages
from worldline.data.generation import DecontaminationIndex, GenerationRequest, generate_file
from worldline.data.generation.candidates import write_program
from worldline.data.generation.levels import LEVELS
from worldline.languages.python.recorder import PythonRecorder

COUNT = 120
# A new digest means that generated training data and benchmarks change.
DIGEST = "c6b0d84983ec31e8"
SCRIPT = f"""
import hashlib, sys
from pathlib import Path
from worldline.data.generation import DecontaminationIndex, GenerationRequest, generate_file
if __name__ == "__main__":
    path = Path(sys.argv[1])
    request = GenerationRequest({COUNT}, seed=5)
    generate_file(path, request, DecontaminationIndex(), workers=int(sys.argv[2]))
"""


@pytest.fixture(scope="module")
def digest(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("generated") / "programs.jsonl"
    generate_file(path, GenerationRequest(COUNT, seed=5), DecontaminationIndex())
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages with worldline and its dependencies."""
    return make_packages(tmp_path_factory.mktemp("packages"))


def test_the_programs_are_unchanged(digest: str) -> None:
    assert digest[:16] == DIGEST


@pytest.mark.parametrize(
    ("version", "hash_seed", "workers"),
    [("3.11", "4242", "2"), ("3.12", "1", "1"), ("3.13", "4242", "2")],
)
def test_every_python_generates_the_same_file(
    version: str, hash_seed: str, workers: str, folder: Path, tmp_path: Path, digest: str
) -> None:
    python = python_of(version)
    script, output = tmp_path / "make.py", tmp_path / "made.jsonl"
    script.write_text(SCRIPT, encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": str(folder), "PYTHONHASHSEED": hash_seed}
    # -S: without the packages of that Python.
    done = subprocess.run(
        [python, "-S", "-B", str(script), str(output), workers],
        env=env,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert hashlib.sha256(output.read_bytes()).hexdigest() == digest


@pytest.mark.parametrize("version", ["3.12", "3.13"])
def test_every_python_records_the_same_traces(version: str, recorder: PythonRecorder) -> None:
    python = python_of(version)
    with PythonRecorder(python=python) as other:
        for level in LEVELS:
            programs = [write_program(21, level, number) for number in range(40)]
            traces = zip(other.record_group(programs), recorder.record_group(programs), strict=True)
            for program, (actual, expected) in zip(programs, traces, strict=True):
                # Generated programs can share a process.
                assert actual is not None
                assert expected is not None
                assert actual.steps == expected.steps, program
