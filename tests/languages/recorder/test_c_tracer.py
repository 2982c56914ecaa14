"""Tracer in C: the same traces as the reference tracer, and no memory leaks."""

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

from tests.languages.recorder.both_recorders import BothRecorders, both_recorders
from tests.languages.recorder.methods import (
    ROOT,
    VERSIONS,
    build_extensions,
    python_of,
    recorder_of,
    share_of,
)
from tests.languages.recorder.test_bounded_repr import atoms, containers, keys
from worldline.core.errors import RecorderError, SandboxError
from worldline.core.trace import Ending, Limits, Program
from worldline.data.generation import LEVELS
from worldline.data.generation.candidates import write_program
from worldline.languages.python.recorder import PythonRecorder
from worldline.languages.sandbox import Sandbox

LONG = Limits(seconds=1, steps=10**9, trace_mb=10_000)
FEW_STEPS = Limits(seconds=120, steps=1_000)


@pytest.fixture(scope="module", params=VERSIONS)
def python(request: pytest.FixtureRequest) -> str:
    """The path of each supported version of Python that is installed."""
    return python_of(request.param)


@pytest.fixture(scope="module")
def both(python: str) -> Iterator[BothRecorders]:
    with both_recorders(python) as both:
        yield both


def test_the_extensions_compile_without_warnings(python: str, tmp_path: Path) -> None:
    recorder_of(python, "core").close()
    built = build_extensions(ROOT, python=python, flags=["-Werror"], into=tmp_path)
    names = {path.name.partition(".")[0] for path in built if path.exists()}
    assert names == {"_tracer", "_sandbox_layers", "_exec_filter"}


# -- the same bytes ------------------------------------------------------------------------------


@pytest.mark.data
def test_both_tracers_agree_on_cruxeval(
    both: BothRecorders, python: str, cruxeval: list[dict[str, Any]]
) -> None:
    rows = share_of(cruxeval, python)
    traces = [both.record(Program(row["code"], f"f({row['input']})")) for row in rows]
    assert len(traces) >= 266
    assert sum(len(trace.steps) for trace in traces) > 4_000


@pytest.mark.data
def test_both_tracers_agree_on_humaneval(
    both: BothRecorders, python: str, humaneval: list[dict[str, Any]]
) -> None:
    # Some tests use random numbers. Of long traces, the first steps are enough here.
    for row in share_of(humaneval, python):
        parts = ["import random", "random.seed(0)", row["prompt"] + row["canonical_solution"]]
        program = Program("\n".join([*parts, row["test"]]), f"check({row['entry_point']})")
        assert len(both.record(program, limits=FEW_STEPS).steps) > 5


@pytest.mark.parametrize("level", LEVELS)
def test_both_tracers_agree_on_generated_programs(
    both: BothRecorders, python: str, level: str
) -> None:
    for number in share_of(range(45), python):
        assert both.record(write_program(31, level, number)).ending.is_complete


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.recursive(atoms | keys(), containers, max_leaves=20), max_size=30))
def test_both_tracers_agree_on_the_text_of_values(values: list[object]) -> None:
    assume(not any(map(is_ordered_by_address, values)))
    lines = [f"    v{number} = {source_of(value)}" for number, value in enumerate(values)]
    source = "\n".join(["from collections import deque", "def use():", *lines, "    return 1"])
    SHARED.record(Program(source, "use()"), limits=Limits(value_chars=200, seconds=60))


def is_ordered_by_address(value: object) -> bool:
    """Whether it contains a set of objects whose hash differs between processes."""
    if isinstance(value, set | frozenset):
        return any(word in repr(value) for word in ("None", "Ellipsis", "range", "nan"))
    inside: list[object] = []
    if isinstance(value, dict):
        inside = [*value, *value.values()]
    elif isinstance(value, list | tuple | deque):
        inside = list(value)
    return any(map(is_ordered_by_address, inside))


def source_of(value: object) -> str:
    """An expression with this value."""
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
def test_both_tracers_agree_on_changes_of_values(changes: list[tuple[str, int]]) -> None:
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
    """Both recorders of one Python, started at the first use."""

    def __init__(self) -> None:
        self.both: BothRecorders | None = None

    def record(self, program: Program, *, limits: Limits) -> None:
        if self.both is None:
            self.stack = both_recorders(python_of("3.11"))
            self.both = self.stack.__enter__()
        self.both.record(program, limits=limits)


SHARED = _Shared()


@pytest.fixture(scope="module", autouse=True)
def _close_shared() -> Iterator[None]:
    yield
    if SHARED.both is not None:
        SHARED.stack.__exit__(None, None, None)
        SHARED.both = None


# -- limits and endings --------------------------------------------------------------------------


@pytest.mark.parametrize("limits", [Limits(steps=7), Limits(trace_mb=1), Limits(value_chars=9)])
def test_both_tracers_reach_a_limit_at_the_same_step(both: BothRecorders, limits: Limits) -> None:
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
def test_written_steps_are_kept_however_the_process_ends(
    both: BothRecorders, body: str, reason: str
) -> None:
    source = f"import os, time\ndef use():\n    x = 41\n    x += 1\n    {body}\n"
    trace = both.c.record(Program(source, "use()"), limits=LONG)
    assert trace.ending.reason == reason
    assert [step.changed["x"] for step in trace.steps if "x" in step.changed] == ["41", "42"]


def test_a_fork_of_the_program_is_not_recorded(both: BothRecorders) -> None:
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
    trace = both.c.record(Program(dedent(source), "use()"))
    assert (trace.result, trace.ending) == ("3", Ending("finished"))
    assert "2" not in [step.changed.get("x") for step in trace.steps]


@pytest.mark.parametrize(
    ("written", "forged"),
    [(b'["epilogue",6,2]', b'["epilogue",7,2]'), (b'["epilogue",6,2]', b'["thread",99999]')],
)
def test_a_recording_with_wrong_counts_is_tampered(
    both: BothRecorders, monkeypatch: pytest.MonkeyPatch, written: bytes, forged: bytes
) -> None:
    read = os.pread

    def read_forged(fd: int, size: int, offset: int) -> bytes:
        data = read(fd, size, offset)
        assert offset == 0 or data.count(written) == 1
        return data.replace(written, forged)

    monkeypatch.setattr(os, "pread", read_forged)
    ending = both.c.record(Program("def f(): return 1", "f()")).ending
    assert ending == Ending("tampered", "the recording is not what its own last row says")


# -- memory and fallback -------------------------------------------------------------------------


def test_many_events_leak_no_memory(python: str) -> None:
    source = """
        import gc, re, sys
        class Thing:
            pass
        def used_memory():
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
            before = used_memory()
            loop(10_000)
            after = used_memory()
            return after[0] - before[0], after[1] - before[1]
    """
    limits = Limits(steps=10**7, seconds=300, trace_mb=4_000)
    recorder_of(python, "core").close()
    # A sandbox in which the program can read /proc.
    with PythonRecorder(python=python, sandbox=Sandbox(frozenset({"limits"}))) as recorder:
        trace = recorder.record(Program(dedent(source), "use()"), limits=limits)
    assert trace.origin.recorder == "core"
    assert len(trace.steps) > 120_000
    assert trace.result is not None
    blocks, kilobytes = ast.literal_eval(trace.result)
    # One block in 25 iterations, and 82 bytes in each.
    assert blocks < 400
    assert kilobytes < 800


def test_the_c_tracer_is_refused_if_it_was_not_built() -> None:
    with pytest.raises(RecorderError, match="was not built for"):
        PythonRecorder(
            python=python_of("3.10"), backend="core", sandbox=Sandbox(allow_reduced=True)
        ).record(Program("", None))


def test_the_reference_tracer_is_used_if_the_c_tracer_was_not_built() -> None:
    python, reduced = python_of("3.10"), Sandbox(allow_reduced=True)
    with pytest.raises(SandboxError, match=r"does not support Python 3\.10 .*--python python3\."):
        PythonRecorder(python=python).record(Program("", None))
    with (
        PythonRecorder(python=python, backend="settrace", sandbox=reduced) as explicit,
        PythonRecorder(python=python, sandbox=reduced) as default,
    ):
        assert (explicit.backend, default.backend) == ("settrace", "settrace")
        trace = default.record(Program("def f(): return 1", "f()"))
    assert trace.result == "1"
    note = "reduced sandbox: without namespaces, disk, landlock, capabilities"
    assert trace.notes == (note,)
