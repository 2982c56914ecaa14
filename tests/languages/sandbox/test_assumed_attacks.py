"""Attacks on the sandbox of hybrid executions: none may succeed."""

from collections.abc import Iterator

import pytest

from tests.languages.sandbox.attacks import (
    FALSIFICATIONS,
    NETWORK,
    READS,
    SYSCALLS,
    WRITES,
    Attack,
)
from tests.languages.sandbox.battery import Battery, battery
from worldline.core.trace import AssumedCall, Assumptions, Program
from worldline.languages.python.recorder import PythonRecorder

ASSUMPTIONS = Assumptions(("m", "missing"), "model", (AssumedCall("m.g()", "value", "1"),))
# Every third attack of each kind but bombs: the sandbox is the same as without assumptions.
CHOSEN = (*READS[::3], *WRITES[::3], *NETWORK[::3], *SYSCALLS[::3], *FALSIFICATIONS[::3])


@pytest.fixture(scope="module")
def attack_battery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Battery]:
    folder = tmp_path_factory.mktemp("battery")
    folder.chmod(0o755)
    with battery(folder) as prepared:
        yield prepared
        prepared.close()


@pytest.mark.parametrize("attack", CHOSEN, ids=lambda attack: attack.name)
def test_no_attack_succeeds(attack_battery: Battery, attack: Attack) -> None:
    trace, has_succeeded = attack_battery.run(attack, assumptions=ASSUMPTIONS)
    assert not has_succeeded, (trace.ending, trace.result, trace.notes)


@pytest.mark.parametrize(
    "body",
    [
        "m._assumed_session.finish('finished', '')",
        "m._assumed_session.finish('assumption_needed', '{')",
        "m._assumed_session.finish('assumption_needed', '[1, [], {}]')",
        "m._assumed_session.finish('assumption_needed', '[\"x\", \"\", [1]]')",
    ],
)
def test_no_false_ending(recorder: PythonRecorder, body: str) -> None:
    program = Program(f"import m\ndef f():\n    m.g()\n    {body}\n    return 'true'\n", "f()")
    trace, call = recorder.record_assuming(program, ASSUMPTIONS)
    assert call is None
    assert trace.result is None
    assert not trace.is_complete
