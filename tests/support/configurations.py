"""Commands of worldline in configurations of a machine: what they print there.

    python -m tests.support.configurations [CONFIGURATION...]

Each configuration is imitated with real means (`tests/support/container.py`), so this needs root.
"""

import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import click

import worldline
from tests.interfaces.viewer.small_runs import make_recorded_run
from tests.support.paths import PROJECT_ROOT
from tests.support.pythons import find_python, write_metadata
from worldline.interfaces.demo import PREDICTIONS
from worldline.languages.python.recorder import PythonRecorder
from worldline.languages.sandbox.extension_files import SUPPORTED_VERSIONS
from worldline.models.prediction import read_prediction_file

ORDINARY_USER = 64_000
USERS = {"root": 0, "user": ORDINARY_USER}
CONTAINER = PROJECT_ROOT / "tests" / "support" / "container.py"
SECONDS = 600
TRACEBACK = "a traceback"


@dataclass(frozen=True)
class Configuration:
    """A configuration of a machine.

    Attributes:
        options: Options of the imitated container.
        environment: Variables of the environment.
        has_terminal: Whether commands are run in a terminal.
        has_extensions: Whether the C extensions are built.
        python: The version of Python that runs worldline; "" for that of this process.
    """

    options: tuple[str, ...] = ("--privileged",)
    environment: dict[str, str] = field(default_factory=dict)
    has_terminal: bool = False
    has_extensions: bool = True
    python: str = ""


def _libseccomp() -> list[str]:
    return [
        option
        for path in Path("/usr/lib").glob("*-linux-gnu/libseccomp.so.2.*")
        for option in ("--hide", str(path))
    ]


CONFIGURATIONS = {
    "full": Configuration(has_terminal=True),
    "no user namespaces": Configuration(("--privileged", "--no-user-namespaces")),
    "Docker": Configuration(()),
    "no bubblewrap": Configuration(("--privileged", "--hide", shutil.which("bwrap") or "bwrap")),
    "no libseccomp": Configuration(("--privileged", *_libseccomp())),
    "no compiler": Configuration(has_extensions=False),
    "read-only HOME and /tmp": Configuration(("--privileged", "--read-only")),
    "LC_ALL=C": Configuration(
        environment={"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    ),
    "no terminal": Configuration(),
    **{f"Python {version}": Configuration(python=version) for version in SUPPORTED_VERSIONS},
    # A pod as the restricted profile of Kubernetes demands it, without a volume for /tmp.
    "restricted pod": Configuration(
        ("--cap-drop=ALL", "--security-opt=no-new-privileges", "--read-only", "--no-tmp")
    ),
}


@dataclass(frozen=True)
class Result:
    """What a command has printed.

    Attributes:
        code: Its exit code.
        output: Standard output.
        error: The error output; "" in a terminal, where both are one.
    """

    code: int
    output: str
    error: str

    @property
    def cell(self) -> str:
        """The entry of a table: "works", or the sentence that says why not."""
        if "Traceback" in self.output + self.error:
            return TRACEBACK
        if self.code == 0:
            return "works"
        lines = (self.error or self.output).strip().splitlines() or [f"exit code {self.code}"]
        sentence = lines[-1].removeprefix("worldline: ").replace(sys.executable, "python")
        sentence = re.sub(r"/\S*/python-[\d.]+/bin/python", "python", sentence)
        # Each version of bubblewrap has other words.
        sentence = re.sub(r"\(bwrap: .*\):", "(bwrap: …):", sentence)
        return re.sub(r"\s+", " ", sentence)


class Workbench:
    """A folder with the inputs of commands that every user can write to."""

    def __init__(self, folder: Path) -> None:
        """Prepare the folder; it must not be in /tmp."""
        self.folder = folder
        folder.chmod(0o777)
        self.programs = folder / "programs.jsonl"
        self.programs.write_text('{"code": "def f(x):\\n    return x + 1\\n", "call": "f(1)"}\n')

    def make_run(self) -> str:
        """Store the failures of the demo as a run, on this machine."""
        folder = self.folder / "run"
        with PythonRecorder() as recorder:
            return make_recorded_run(folder, list(read_prediction_file(PREDICTIONS)), recorder)

    def commands(self, run: str = "") -> dict[str, list[str]]:
        """The arguments of each command; those that read a run, only if there is one."""
        found = {
            "demo": ["demo"],
            "diagnose": ["diagnose", str(PREDICTIONS)],
            "trace": ["trace", str(self.programs), "--workers", "1", "--restart", "-o", "store"],
        }
        if run:
            found["show RUN"] = ["show", run, "wrong_string"]
            found["report -o"] = ["report", run, "-o", "report.html"]
        return found

    def run(self, name: str, user: int, arguments: list[str]) -> Result:
        """Run a command in a configuration."""
        configuration = CONFIGURATIONS[name]
        home = self.folder / f"home-{user}"
        work = self.folder / f"work-{user}"
        for folder in (home, work):
            folder.mkdir(exist_ok=True)
            os.chown(folder, user, user)
        command = [
            *(sys.executable, str(CONTAINER), *configuration.options),
            *("--volume", str(work), "--user", f"{user}:{user}", "--"),
            *(self._python(configuration.python), "-m", "worldline", *arguments),
        ]
        environment = {
            **{name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ},
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "TERM": "xterm",
            "WORLDLINE_DATA": "/none",
            **configuration.environment,
        }
        if not configuration.has_extensions:
            environment["PYTHONPATH"] = str(self._copy_without_extensions())
        if configuration.python:
            environment["PYTHONPATH"] = str(PROJECT_ROOT / "src")
        if configuration.has_terminal:
            return _run_in_terminal(command, environment, work)
        done = subprocess.run(
            command,
            cwd=work,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            start_new_session=True,
        )
        return Result(done.returncode, done.stdout, done.stderr)

    def _python(self, version: str) -> str:
        """An interpreter with the packages that worldline needs."""
        if not version:
            return sys.executable
        environment = self.folder / f"python-{version}"
        python = str(environment / "bin" / "python")
        if not environment.exists():
            base = find_python(version)
            assert base is not None, f"there is no Python {version}"
            project = tomllib.loads((PROJECT_ROOT / "pyproject.toml").read_text())["project"]
            extras = project["optional-dependencies"]
            needed = [*project["dependencies"], *extras["runs"], *extras["trace"]]
            subprocess.run([base, "-m", "venv", str(environment)], check=True)
            subprocess.run([python, "-m", "pip", "install", "-qq", *needed], check=True)
            (site_packages,) = environment.glob("lib/python*/site-packages")
            write_metadata(site_packages)
        return python

    def _copy_without_extensions(self) -> Path:
        """A copy of the package as it is after an installation without a compiler."""
        target = self.folder / "without-extensions"
        if not target.exists():
            package = Path(worldline.__file__).parent
            ignored = shutil.ignore_patterns("*.so", "__pycache__")
            shutil.copytree(package, target / "worldline", ignore=ignored)
        return target


def _run_in_terminal(command: list[str], environment: dict[str, str], folder: Path) -> Result:
    """Run a command in a terminal of its own."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdin=slave, stdout=slave, stderr=slave
    )
    os.close(slave)
    parts = []
    while True:
        try:
            part = os.read(master, 1 << 16)
        except OSError:  # all ends of the terminal are closed
            break
        if not part:
            break
        parts.append(part)
    os.close(master)
    return Result(process.wait(SECONDS), b"".join(parts).decode(errors="replace"), "")


def print_matrix(names: Sequence[str]) -> bool:
    """Run all commands in some configurations as both users, and print a table.

    Returns:
        Whether no command has printed a traceback.
    """
    cells: dict[tuple[str, str], dict[str, str]] = {}
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        workbench = Workbench(Path(folder))
        commands = workbench.commands(workbench.make_run())
        for name in names:
            for user, number in USERS.items():
                row = cells.setdefault((name, user), {})
                for command, arguments in commands.items():
                    result = workbench.run(name, number, arguments)
                    row[command] = result.cell
                    click.echo(f"{name}, {user}, {command}: {result.cell}", err=True)
                    if result.cell == TRACEBACK:
                        click.echo(result.output + result.error, err=True)
    click.echo("\n".join(table_of_matrix(cells)))
    return not any(TRACEBACK in row.values() for row in cells.values())


def table_of_matrix(cells: Mapping[tuple[str, str], Mapping[str, str]]) -> list[str]:
    """A table in Markdown; the sentences are numbered, and follow it.

    Args:
        cells: The outcome of each command, by configuration and user.
    """
    commands = list(dict.fromkeys(command for row in cells.values() for command in row))
    sentences = list(
        dict.fromkeys(cell for row in cells.values() for cell in row.values() if cell != "works")
    )
    lines = [f"| configuration | {' | '.join(commands)} |", f"|---|{'---|' * len(commands)}"]
    for (name, user), row in cells.items():
        shown = [
            "works" if row[each] == "works" else f"({sentences.index(row[each]) + 1})"
            for each in commands
        ]
        lines.append(f"| {name}, {user} | {' | '.join(shown)} |")
    return [*lines, "", *(f"{n}. {text}" for n, text in enumerate(sentences, 1))]


if __name__ == "__main__":
    sys.exit(not print_matrix(sys.argv[1:] or list(CONFIGURATIONS)))
