"""Over a hundred attacks on the sandbox, of which none may succeed; and what each layer is there for."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sandbox.attacks import ATTACKS, BOMBS, CALLS, LIES, NETWORK, READS, WRITES, Attack
from tests.sandbox.battery import LIMITS, Battery, battery
from worldline.errors import SandboxError
from worldline.recorders import PythonRecorder
from worldline.sandbox import LAYERS, Layer, Sandbox

# A recording that is over its time is ended at once; what takes longer is the machine.
PATIENCE = 60


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Battery]:
    folder = tmp_path_factory.mktemp("battery")
    folder.chmod(0o755)
    with battery(folder) as made:
        yield made
        made.close()


def test_there_are_enough() -> None:
    assert len(ATTACKS) >= 75
    assert len({attack.name for attack in ATTACKS}) >= len(ATTACKS) - 8


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_no_attack_succeeds(held: Battery, attack: Attack) -> None:
    began = time.monotonic()
    trace, has_succeeded = held.run(attack)
    assert not has_succeeded, (trace.ending, trace.result, trace.notes)
    assert time.monotonic() - began < LIMITS.seconds + PATIENCE


# What gets out where one layer is switched off, one example each: what that layer alone had stopped.
ALONE: dict[str, tuple[set[Layer], Attack]] = {
    "limits": ({"limits"}, next(a for a in BOMBS if a.name == "descriptors")),
    "disk": ({"disk", "limits"}, next(a for a in BOMBS if a.name == "inodes")),
    "landlock": ({"landlock"}, next(a for a in READS if a.name == "the root")),
    "seccomp": ({"seccomp"}, next(a for a in CALLS if a.name == "call: a memfd")),
    "bubblewrap": (
        {"bubblewrap", "namespaces", "disk", "landlock"},
        next(a for a in READS if a.name == "passwords"),
    ),
}


@pytest.mark.parametrize("layer", ALONE)
def test_each_layer_stops_something(layer: str, tmp_path: Path) -> None:
    off, attack = ALONE[layer]
    with battery(tmp_path, sandbox=Sandbox(frozenset(LAYERS) - off)) as made:
        _, has_succeeded = made.run(attack)
        made.close()
    assert has_succeeded


def test_every_kind_of_attack_is_there() -> None:
    for kind in (BOMBS, CALLS, LIES, NETWORK, READS, WRITES):
        assert len(kind) >= 10


def test_without_what_is_needed_nothing_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SandboxError, match="bubblewrap is not here: install it"):
        PythonRecorder().method  # noqa: B018
