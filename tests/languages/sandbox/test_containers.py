"""Commands in containers: they work, or say in one sentence why not and what to type."""

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.configurations import ORDINARY_USER, Workbench
from worldline.languages.sandbox import confinement
from worldline.languages.sandbox.confinement import DOCKER_OPTIONS, Facts, explain

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can imitate a container")
IN_CONTAINER = ["--sandbox", "container"]


@pytest.fixture(scope="module")
def workbench() -> Iterator[Workbench]:
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        yield Workbench(Path(folder))


@needs_root
@pytest.mark.parametrize("user", [0, ORDINARY_USER])
def test_the_check_in_docker_names_the_reason_and_the_options(
    workbench: Workbench, user: int
) -> None:
    result = workbench.run("Docker", user, ["sandbox", "check"])
    assert result.code == 1
    assert result.error == ""
    assert "a seccomp filter forbids namespaces" in result.output
    assert "(bwrap: No permissions to create new namespace" in result.output
    assert f"docker run {DOCKER_OPTIONS} …" in result.output
    assert "worldline --sandbox container …" in result.output
    for layer in ("limits", "landlock", "capabilities", "seccomp"):
        assert f"  yes  {layer}" in result.output


@needs_root
def test_the_check_of_the_level_container_needs_its_layers_only(workbench: Workbench) -> None:
    result = workbench.run("Docker", ORDINARY_USER, [*IN_CONTAINER, "sandbox", "check"])
    assert result.code == 0
    assert "the sandbox of the level container is complete" in result.output


@needs_root
@pytest.mark.parametrize("user", [0, ORDINARY_USER])
def test_the_options_for_docker_allow_the_full_sandbox(
    workbench: Workbench, user: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.support import configurations

    options = configurations.Configuration(tuple(DOCKER_OPTIONS.split()))
    monkeypatch.setitem(configurations.CONFIGURATIONS, "with options", options)
    result = workbench.run("with options", user, ["sandbox", "check", "--format", "json"])
    assert result.code == 0, result
    assert json.loads(result.output)["holds"] is True


@needs_root
@pytest.mark.parametrize(
    ("configuration", "user", "reason"),
    [
        ("Docker", ORDINARY_USER, "a seccomp filter forbids namespaces"),
        ("no user namespaces", ORDINARY_USER, "user.max_user_namespaces forbids user namespaces"),
        ("restricted pod", 0, "CAP_KILL, CAP_SETGID, CAP_SETUID: run worldline as another user"),
    ],
)
def test_a_refusal_is_one_sentence(
    workbench: Workbench, configuration: str, user: int, reason: str
) -> None:
    result = workbench.run(configuration, user, workbench.commands()["diagnose"])
    assert result.code == 2
    assert reason in result.error
    assert len(result.error.splitlines()) == 1


@needs_root
@pytest.mark.parametrize(
    ("configuration", "user"),
    [("Docker", 0), ("Docker", ORDINARY_USER), ("restricted pod", ORDINARY_USER)],
)
def test_programs_are_executed_at_the_level_container(
    workbench: Workbench, configuration: str, user: int
) -> None:
    commands = workbench.commands()
    diagnosed = workbench.run(configuration, user, [*IN_CONTAINER, *commands["diagnose"]])
    assert diagnosed.code == 0, diagnosed
    assert "diverged" in diagnosed.output.lower()
    traced = workbench.run(configuration, user, [*IN_CONTAINER, *commands["trace"]])
    assert traced.code == 0, traced
    assert "Traceback" not in traced.error


def test_the_reason_is_found_from_facts() -> None:
    docker = Facts("bwrap: No permissions to create new namespace", is_unshare_filtered=True)
    assert "seccomp filter" in explain(docker).reason
    off = (("user.max_user_namespaces", "0"),)
    assert explain(Facts("bwrap: Creating new namespace failed", sysctls=off)).remedies == (
        "on the host, sysctl -w user.max_user_namespaces=15000",
    )
    on = (("user.max_user_namespaces", "100"), ("kernel.unprivileged_userns_clone", "1"))
    assert explain(Facts("bwrap: other", sysctls=on)).reason == "bubblewrap failed"
    restricted = (("kernel.apparmor_restrict_unprivileged_userns", "1"),)
    assert "sysctl -w kernel.apparmor" in explain(Facts("bwrap: x", sysctls=restricted)).remedies[0]
    profile = Facts("bwrap: Failed to make / slave: Permission denied", apparmor="docker-default")
    assert "the AppArmor profile docker-default" in explain(profile).reason
    no_folder = Facts("bwrap: Failed to mount tmpfs: No such file or directory")
    assert "docker run --tmpfs /tmp …" in explain(no_folder).remedies
    closed = Facts("cannot create a mount namespace: Operation not permitted")
    assert "chmod o+x" in explain(closed).remedies[0]


@pytest.mark.skipif(
    "Seccomp:\t0" not in Path("/proc/self/status").read_text(), reason="there is a seccomp filter"
)
def test_without_a_filter_none_is_found() -> None:
    facts = confinement._read_facts("bwrap: x")
    assert not facts.is_unshare_filtered
    assert dict(facts.sysctls)["user.max_user_namespaces"] != "0"
