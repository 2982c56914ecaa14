"""The recorder in C: the bytes of the reference, and nothing left behind."""

import ast
import os
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.recorders.methods import ROOT, build_core, python_of, recorder_of
from tests.recorders.same import Both, both_of
from tests.recorders.test_rendering import atoms, containers, keys
from worldline.errors import RecorderError, SandboxError
from worldline.generate import LEVELS
from worldline.generate.candidates import write_program
from worldline.recorders import PythonRecorder
from worldline.sandbox import Sandbox
from worldline.trace import Ending, Limits, Program

LONG = Limits(seconds=1, steps=10**9, trace_mb=10_000)
PATIENT = Limits(seconds=120, steps=1_000)


@pytest.fixture(scope="module", params=["3.11", "3.12", "3.13"])
def python(request: pytest.FixtureRequest) -> str:
    """The path of each version of Python that is supported, where it is there."""
    return python_of(request.param)


@pytest.fixture(scope="module")
def both(python: str) -> Iterator[Both]:
    with both_of(python) as both:
        yield both


def test_it_is_built_without_a_warning(python: str, tmp_path: Path) -> None:
    recorder_of(python, "core").close()
    built = build_core(ROOT, python=python, flags=["-Werror"], into=tmp_path)
    assert len(built) == 2
    assert all(path.exists() for path in built)


# -- the same bytes ------------------------------------------------------------------------------


@pytest.mark.data
def test_every_program_of_cruxeval(both: Both, cruxeval: list[dict[str, Any]]) -> None:
    found = [both.record(Program(row["code"], f"f({row['input']})")) for row in cruxeval]
    assert len(found) == 800
    assert sum(len(trace.steps) for trace in found) > 13_000


@pytest.mark.data
def test_every_program_of_humaneval_with_its_tests(
    both: Both, humaneval: list[dict[str, Any]]
) -> None:
    # Some of the tests draw numbers; of long ones the beginning is enough here.
    for row in humaneval:
        parts = ["import random", "random.seed(0)", row["prompt"] + row["canonical_solution"]]
        program = Program("\n".join([*parts, row["test"]]), f"check({row['entry_point']})")
        assert len(both.record(program, limits=PATIENT).steps) > 5


@pytest.mark.parametrize("level", LEVELS)
def test_generated_programs(both: Both, level: str) -> None:
    for number in range(25):
        assert both.record(write_program(31, level, number)).ending.is_complete


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.recursive(atoms | keys(), containers, max_leaves=20), max_size=30))
def test_values_have_the_text_of_the_reference(values: list[object]) -> None:
    assume(not any(map(is_ordered_by_address, values)))
    lines = [f"    v{number} = {source_of(value)}" for number, value in enumerate(values)]
    source = "\n".join(["from collections import deque", "def use():", *lines, "    return 1"])
    SHARED.record(Program(source, "use()"), limits=Limits(value_chars=200, seconds=60))


def is_ordered_by_address(value: object) -> bool:
    """Whether there is a set with something in it whose hash is another in every process."""
    if isinstance(value, set | frozenset):
        return any(word in repr(value) for word in ("None", "Ellipsis", "range", "nan"))
    inside: list[object] = []
    if isinstance(value, dict):
        inside = [*value, *value.values()]
    elif isinstance(value, list | tuple | deque):
        inside = list(value)
    return any(map(is_ordered_by_address, inside))


def source_of(value: object) -> str:
    """An expression that gives the value again."""
    return repr(value).replace("nan", "float('nan')").replace("inf", "float('inf')")


CHANGES = (
    "x[i] = 1",
    "x[i] = True",
    "x[i] = 1.0",
    "x[i] = -0.0",
    "x[i] = 0.0",
    "x[i] = 10**9 * 10",
    "x[i] = int('1' + '0' * 10)",
    "x[i] = [1]",
    "x[i] = [[True]]",
    "x[i] = (1,)",
    "x[i] = {1: [x[0]]}",
    "x[i] = {2, 3}",
    "x[i] = frozenset()",
    "x[i] = 'a' * 3",
    "x[i] = Thing()",
    "x[i] = deque([1])",
    "x[i] = x",
    "x[i] = len",
    "x[i] = use",
    "x[i] = Thing",
    "x[i] = iter([1])",
    "x[0].append(y)",
    "x[0].append(x[i])",
    "y[i] = x[i]",
    "y.pop(next(iter(y)), 0) if y else 0",
    "x.append(y)",
    "x.reverse()",
    "del x[1:3]; x += [None] * 3",
    "s.add(i * 7)",
    "s.discard(next(iter(s)))",
    "s = set(s)",
    "del s; s = {i}",
    "Thing.__qualname__ = f'T{i}'",
    "Thing.__module__ = f'M{i}'",
    "use.__qualname__ = f'q{i}'",
    "use.__qualname__ = 'q at 0x12345>'",
    "z = x[i]; z = y",
    "x[i].n = 1 if isinstance(x[i], Thing) else 0",
)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(st.sampled_from(CHANGES), st.integers(0, 3)), min_size=3, max_size=25))
def test_a_change_is_seen_where_the_reference_sees_one(changes: list[tuple[str, int]]) -> None:
    head = """
        from collections import deque
        class Thing:
            pass
        def use():
            x, y, s, z = [[0], 2, 'c', None], {}, {1, 'b'}, None
    """
    lines = []
    for change, i in changes:
        parts = "".join(f"        {part}\n" for part in change.split("; "))
        lines.append(f"    i = {i}\n    try:\n{parts}    except Exception:\n        pass")
    source = dedent(head) + "\n".join([*lines, "    return x"])
    ast.parse(source)
    SHARED.record(Program(source, "use()"), limits=Limits(value_chars=300, seconds=60))


class _Shared:
    """Both recorders of this Python, started when they are first needed."""

    def __init__(self) -> None:
        self.both: Both | None = None

    def record(self, program: Program, *, limits: Limits) -> None:
        if self.both is None:
            self.stack = both_of(python_of("3.11"))
            self.both = self.stack.__enter__()
        self.both.record(program, limits=limits)


SHARED = _Shared()


@pytest.fixture(scope="module", autouse=True)
def _closed() -> Iterator[None]:
    yield
    if SHARED.both is not None:
        SHARED.stack.__exit__(None, None, None)
        SHARED.both = None


# -- limits and endings --------------------------------------------------------------------------


@pytest.mark.parametrize("limits", [Limits(steps=7), Limits(trace_mb=1), Limits(value_chars=9)])
def test_limits_strike_at_the_same_step(both: Both, limits: Limits) -> None:
    source = """
        def use():
            text, items = "é" * 3_000, []
            for i in range(300):
                text += chr(300 + i)
                items.append((i, text[-2:]))
            return text
    """
    both.record(Program(dedent(source), "use()"), limits=limits)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("os._exit(0)", "killed"),
        ("os.kill(os.getpid(), 9)", "killed"),
        ("while True: sum(range(10**5))", "time_limit"),
    ],
)
def test_what_was_written_stands_however_the_process_ends(
    both: Both, body: str, reason: str
) -> None:
    source = f"import os, time\ndef use():\n    x = 41\n    x += 1\n    {body}\n"
    trace = both.core.record(Program(source, "use()"), limits=LONG)
    assert trace.ending.reason == reason
    assert [step.changed["x"] for step in trace.steps if "x" in step.changed] == ["41", "42"]


def test_a_process_of_the_program_writes_nothing(both: Both) -> None:
    source = """
        import os
        def use():
            x = 1
            if os.fork() == 0:
                x = 2
                return x
            os.wait()
            x = 3
            return x
    """
    trace = both.core.record(Program(dedent(source), "use()"))
    assert (trace.result, trace.ending) == ("3", Ending("finished"))
    assert "2" not in [step.changed.get("x") for step in trace.steps]


@pytest.mark.parametrize(
    ("written", "forged"),
    [(b'["epilogue",6,2]', b'["epilogue",7,2]'), (b'["epilogue",6,2]', b'["thread",99999]')],
)
def test_a_trace_that_is_not_what_its_last_row_says_is_refused(
    both: Both, monkeypatch: pytest.MonkeyPatch, written: bytes, forged: bytes
) -> None:
    read = os.pread

    def read_forged(fd: int, size: int, at: int) -> bytes:
        found = read(fd, size, at)
        assert at == 0 or found.count(written) == 1
        return found.replace(written, forged)

    monkeypatch.setattr(os, "pread", read_forged)
    ending = both.core.record(Program("def f(): return 1", "f()")).ending
    assert ending == Ending("tampered", "the recording is not what its own last row says")


# -- nothing is left behind ----------------------------------------------------------------------


def test_a_million_events_leave_nothing_behind(python: str) -> None:
    source = """
        import gc, re, sys
        class Thing:
            pass
        def held():
            gc.collect()
            status = open("/proc/self/status").read()
            return sys.getallocatedblocks(), int(re.search(r"RssAnon:\\s*(\\d+)", status)[1])
        def inner(a, b):
            c = [a, {b: (a, b)}, {a}, Thing()]
            c.append(str(a) * 3)
            return c
        def loop(n):
            for i in range(n):
                x = inner(i, i / 3)
                x[1][i] = 10**40 + i
                try:
                    del x[9]
                except IndexError as error:
                    y = error
        def use():
            loop(2_000)
            before = held()
            loop(90_000)
            after = held()
            return after[0] - before[0], after[1] - before[1]
    """
    limits = Limits(steps=10**7, seconds=300, trace_mb=4_000)
    recorder_of(python, "core").close()
    # Where it can be asked how much memory it has.
    with PythonRecorder(python=python, sandbox=Sandbox(frozenset({"limits"}))) as recorder:
        trace = recorder.record(Program(dedent(source), "use()"), limits=limits)
    assert trace.origin.recorder == "core"
    assert len(trace.steps) > 1_000_000
    assert trace.result is not None
    blocks, kilobytes = ast.literal_eval(trace.result)
    assert blocks < 1_000
    assert kilobytes < 2_000


def test_the_core_is_refused_where_it_is_not_built() -> None:
    with pytest.raises(RecorderError, match="was not built for"):
        PythonRecorder(
            python=python_of("3.10"), method="core", sandbox=Sandbox(is_reduced=True)
        ).record(Program("", None))


def test_without_it_the_reference_does_it() -> None:
    python, reduced = python_of("3.10"), Sandbox(is_reduced=True)
    with pytest.raises(SandboxError, match="no namespaces, disk, landlock, capabilities for /"):
        PythonRecorder(python=python).record(Program("", None))
    with (
        PythonRecorder(python=python, method="settrace", sandbox=reduced) as named,
        PythonRecorder(python=python, sandbox=reduced) as unnamed,
    ):
        assert (named.method, unnamed.method) == ("settrace", "settrace")
        trace = unnamed.record(Program("def f(): return 1", "f()"))
    assert trace.result == "1"
    without = "reduced sandbox: without namespaces, disk, landlock, capabilities"
    assert trace.notes == (without,)
