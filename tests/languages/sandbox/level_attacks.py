"""Attacks on a level of the sandbox, in an imitated container.

    python -m tests.languages.sandbox.level_attacks LEVEL [KIND...] [--attack=NAME]
        [--landlock=VERSION] [--without=LAYER] [--modules=FOLDER]

prints a JSON line for each attack: its kind, its name and whether it has succeeded. It is to run
as the only process of a process namespace: a successful attack may end all others.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.languages.sandbox.attacks import KINDS
from tests.languages.sandbox.battery import battery
from tests.support.paths import PROJECT_ROOT
from worldline.languages.python.recorder import fork_server_client
from worldline.languages.sandbox import LEVELS, Sandbox

# What succeeds at the level `container`, by kind and name. The table in
# docs/explanation/sandbox.md says the same.
SUCCESSFUL_IN_CONTAINERS = {
    ("read", "whether a file is there"),
    ("read", "the host's name"),
    ("read", "the recorder's files"),
}


def run_attacks(
    level: str, options: Sequence[str], *, user: int = 0, modules: Path | None = None
) -> tuple[int, set[tuple[str, str]]]:
    """Run attacks in a container with Docker's default confinement.

    Args:
        level: The level of the sandbox.
        options: Options and kinds, as on the command line.
        user: The user of the container.
        modules: A folder with the compiled extension module.

    Returns:
        How many attacks were made, and those that succeeded.
    """
    container = [sys.executable, "-m", "tests.support.container", "--user", f"{user}:{user}"]
    script = [sys.executable, "-m", "tests.languages.sandbox.level_attacks", level, *options]
    if modules is not None:
        script.append(f"--modules={modules}")
    process = subprocess.run(
        [*container, "--tmpfs", "/tmp", "--", *script],
        cwd=PROJECT_ROOT,
        env={**os.environ, "HOME": "/tmp"},
        capture_output=True,
        text=True,
        timeout=1800,
    )
    rows = [json.loads(line) for line in process.stdout.splitlines()]
    if process.returncode:
        raise AssertionError(f"after {rows[-1:]}: {process.stderr}")
    return len(rows), {(kind, name) for kind, name, has_succeeded in rows if has_succeeded}


def main() -> None:
    """Run the attacks of the command line, and print their results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("level", choices=LEVELS)
    parser.add_argument("kinds", nargs="*", help="; ".join(KINDS))
    parser.add_argument("--attack", help="make only the attack of this name")
    parser.add_argument("--landlock", help="use Landlock as of this version")
    parser.add_argument("--without", action="append", default=[], help="switch a layer off")
    parser.add_argument("--modules", type=Path)
    options = parser.parse_args()
    if options.landlock:
        script = fork_server_client._START_SCRIPT
        fork_server_client._START_SCRIPT = script.replace(
            "LANDLOCK, flush", f"{options.landlock}, flush"
        )
    sandbox = Sandbox.of_level(options.level)
    sandbox = Sandbox(sandbox.layers - set(options.without), allow_reduced=sandbox.allow_reduced)
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        with battery(
            Path(folder), sandbox=sandbox, modules=options.modules, is_alone=True
        ) as attacker:
            for kind in options.kinds or KINDS:
                for attack in KINDS[kind]:
                    if options.attack not in (None, attack.name):
                        continue
                    has_succeeded = attacker.run(attack)[1]
                    sys.stdout.write(f"{json.dumps([kind, attack.name, has_succeeded])}\n")
                    sys.stdout.flush()
            attacker.close()


if __name__ == "__main__":
    main()
