"""Time from a wheel to a diagnosed failure, in an empty environment."""

import resource
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Stage:
    """One command and what it took.

    Attributes:
        name: What it does.
        seconds: From its start to its end.
        cpu_seconds: Its processor time, which does not depend on other processes.
        output: What it printed.
    """

    name: str
    seconds: float
    cpu_seconds: float
    output: str


def first_minute(wheel: Path, python: str, folder: Path) -> list[Stage]:
    """Install a wheel in a new environment and diagnose failures: stored, and executed.

    Args:
        wheel: The wheel.
        python: The interpreter of the environment.
        folder: The folder of the environment; it must not exist.

    Raises:
        CalledProcessError: A command failed.
    """
    subprocess.run([python, "-m", "venv", str(folder)], check=True)
    command = folder / "bin" / "worldline"
    packages = next((folder / "lib").glob("python3*")) / "site-packages"
    predictions = packages / "worldline" / "interfaces" / "demo" / "predictions.jsonl"
    return [
        _run("pip install WHEEL", str(folder / "bin" / "pip"), "install", "-q", str(wheel)),
        _run("worldline demo wrong_string", str(command), "demo", "wrong_string"),
        _run("worldline diagnose FILE", str(command), "diagnose", str(predictions)),
    ]


def _run(name: str, *command: str) -> Stage:
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    process = subprocess.run(command, capture_output=True, text=True)
    after, seconds = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - start
    process.check_returncode()
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Stage(name, seconds, cpu, process.stdout)
