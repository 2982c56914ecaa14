"""`Dockerfile` and the development container: what they run and copy exists.

They are not built here. What they say has to agree with the package and with `sandbox check`.
"""

import json
import os
import re
import tomllib

import pytest
from click.testing import CliRunner

from tests.support.paths import DOCS_FOLDER, PROJECT_ROOT
from worldline.interfaces.cli import main
from worldline.languages.sandbox.confinement import DOCKER_OPTIONS, KUBERNETES_OPTIONS

DOCKERFILE = (PROJECT_ROOT / "Dockerfile").read_text(encoding="utf-8")
PAGE = "src/worldline/interfaces/viewer/page"
TRACER = "src/worldline/languages/javascript/node/dist"
DEVELOPMENT = json.loads((PROJECT_ROOT / ".devcontainer" / "devcontainer.json").read_text())


def instructions(name: str) -> list[str]:
    """The arguments of an instruction, wherever it occurs; continued lines are joined."""
    joined = DOCKERFILE.replace("\\\n", " ")
    return re.findall(rf"^{name} (.+)$", joined, re.MULTILINE)


def stages() -> list[str]:
    return [stage.rpartition(" AS ")[2] for stage in instructions("FROM") if " AS " in stage]


def test_options_are_those_that_the_check_prints() -> None:
    assert DEVELOPMENT["runArgs"] == DOCKER_OPTIONS.split()
    page = (DOCS_FOLDER / "installation.md").read_text(encoding="utf-8")
    for text in (DOCKERFILE, page):
        assert f"docker run --rm {DOCKER_OPTIONS} worldline" in text
    assert KUBERNETES_OPTIONS in page


def test_copied_files_exist() -> None:
    for copied in instructions("COPY"):
        words = copied.split()
        if words[0].startswith("--from="):
            assert words[0].removeprefix("--from=") in stages()
            built = (f"/worldline/{PAGE}", f"/worldline/{TRACER}")
            assert words[1].startswith("/usr/local/") or words[1] in built
        else:
            assert (PROJECT_ROOT / words[0]).exists()
    build = (PROJECT_ROOT / "scripts" / "build-viewer").read_text()
    assert f"{PAGE}/index.html" in build


def test_packages_and_extras_exist() -> None:
    installed = set(re.findall(r"[\w-]+", " ".join(instructions("RUN"))))
    assert {"bubblewrap", "libseccomp2", "gcc"} <= installed
    project = tomllib.loads((PROJECT_ROOT / "pyproject.toml").read_text())
    (extras,) = re.findall(r"'\.\[(.+?)\]'", DOCKERFILE)
    assert set(extras.split(",")) <= project["project"]["optional-dependencies"].keys()
    assert DEVELOPMENT["build"]["target"] in stages()
    (group,) = re.findall(r"--group (\w+)", DEVELOPMENT["postCreateCommand"])
    assert group in project["dependency-groups"]


def commands() -> list[list[str]]:
    """The commands of worldline that the files run, or say to run."""
    default = [json.loads(text) for text in instructions("CMD")]
    shown = re.findall(r"^#     docker run .*? worldline ([^…\n]+)$", DOCKERFILE, re.MULTILINE)
    started = DEVELOPMENT["postStartCommand"].removeprefix("worldline ")
    return [*default, *(text.split() for text in (*shown, started))]


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_commands_exist(command: list[str]) -> None:
    result = CliRunner().invoke(main, [*command, "--help"])
    assert result.exit_code == 0, result.output


def test_scripts_can_be_executed() -> None:
    text = " ".join([DOCKERFILE, DEVELOPMENT["postCreateCommand"]])
    for name in set(re.findall(r"scripts/[\w-]+", text)):
        assert os.access(PROJECT_ROOT / name, os.X_OK)
