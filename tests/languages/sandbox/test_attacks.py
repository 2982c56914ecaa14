"""Attacks on the sandbox: none may succeed, and each layer stops one of them."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.languages.sandbox.attacks import (
    ATTACKS,
    BOMBS,
    FALSIFICATIONS,
    NETWORK,
    READS,
    SYSCALLS,
    WRITES,
    Attack,
)
from tests.languages.sandbox.battery import LIMITS, Battery, battery
from worldline.core.errors import SandboxError
from worldline.languages.python.recorder import PythonRecorder
from worldline.languages.sandbox import LAYERS, Layer, Sandbox

# A recording is killed at its time limit; a busy machine may take longer.
EXTRA_SECONDS = 60


@pytest.fixture(scope="module")
def attack_battery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Battery]:
    folder = tmp_path_factory.mktemp("battery")
    folder.chmod(0o755)
    with battery(folder) as prepared:
        yield prepared
        prepared.close()


def test_there_are_enough_attacks() -> None:
    assert len(ATTACKS) >= 75
    assert len({attack.name for attack in ATTACKS}) >= len(ATTACKS) - 8


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_no_attack_succeeds(attack_battery: Battery, attack: Attack) -> None:
    start = time.monotonic()
    trace, has_succeeded = attack_battery.run(attack)
    assert not has_succeeded, (trace.ending, trace.result, trace.notes)
    assert time.monotonic() - start < LIMITS.seconds + EXTRA_SECONDS


# For each layer, the layers to switch off and an attack that then succeeds.
STOPPED_BY: dict[str, tuple[set[Layer], Attack]] = {
    "limits": ({"limits"}, next(a for a in BOMBS if a.name == "descriptors")),
    "disk": ({"disk", "limits"}, next(a for a in BOMBS if a.name == "inodes")),
    "landlock": ({"landlock"}, next(a for a in READS if a.name == "the root")),
    "seccomp": ({"seccomp"}, next(a for a in SYSCALLS if a.name == "call: a memfd")),
    "bubblewrap": (
        # Without bubblewrap, the user of `capabilities` may not be able to read the interpreter.
        {"bubblewrap", "namespaces", "disk", "landlock", "capabilities"},
        next(a for a in READS if a.name == "passwords"),
    ),
}


@pytest.mark.parametrize("layer", STOPPED_BY)
def test_each_layer_stops_an_attack_that_no_other_layer_stops(layer: str, tmp_path: Path) -> None:
    off, attack = STOPPED_BY[layer]
    with battery(tmp_path, sandbox=Sandbox(frozenset(LAYERS) - off)) as prepared:
        _, has_succeeded = prepared.run(attack)
        prepared.close()
    assert has_succeeded


def test_there_are_enough_attacks_of_each_kind() -> None:
    for kind in (BOMBS, FALSIFICATIONS, NETWORK, READS, SYSCALLS, WRITES):
        assert len(kind) >= 10


def test_nothing_is_executed_without_bubblewrap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SandboxError, match="bubblewrap is not installed: apt install bubblewrap"):
        PythonRecorder().backend  # noqa: B018
