"""Hostile programs: they get their own results, and the recording is correct."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from tests.languages.recorder.methods import VERSIONS, python_of, recorder_of
from tests.support.processes import process_tree
from worldline.core.errors import RecorderError
from worldline.core.trace import Ending, Limits, Program, Trace
from worldline.languages.python.recorder import PythonRecorder
from worldline.languages.python.recorder.fork_server_client import ForkServerClient

ENVIRONMENT = {"PATH": os.environ["PATH"], "PYTHONHASHSEED": "0", "PYTHONUTF8": "1"}
# Calls the program from a module, as a script does, and writes its result to a file.
CALL_SCRIPT = """
import os, sys
folder = sys.argv.pop(1)
sys.path.insert(0, folder)
import program
out = f"{program.main()!r}".encode()
os.write(os.open(folder + "/result", os.O_WRONLY | os.O_CREAT), out)
"""


@pytest.fixture(scope="module", params=VERSIONS)
def python(request: pytest.FixtureRequest) -> str:
    """The path of each supported version of Python that is installed."""
    return python_of(request.param)


@pytest.fixture(scope="module", params=["core", "settrace"])
def recorder(python: str, request: pytest.FixtureRequest) -> Iterator[PythonRecorder]:
    with recorder_of(python, request.param) as recorder:
        yield recorder


def make_program(source: str) -> Program:
    """A program from an indented text, with the call `use()`."""
    return Program(dedent(source), "use()")


def run_unrecorded(python: str, program: Program, folder: Path) -> tuple[str, str]:
    """The result and the output of a program without the recorder."""
    (folder / "program.py").write_text(program.text, encoding="utf-8")
    ran = subprocess.run(
        [python, "-c", CALL_SCRIPT, str(folder)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=ENVIRONMENT,
        check=True,
    )
    return (folder / "result").read_text(), ran.stdout.decode()


def texts_of(trace: Trace, name: str) -> list[str]:
    """All texts of a variable, in order."""
    return [step.changed[name] for step in trace.steps if name in step.changed]


GOOD = make_program("""
    def use():
        return "good"
""")

# -- hostile __repr__ ----------------------------------------------------------------------------

BODIES = {
    "raises": ("raise ValueError(1)", "<unrenderable: ValueError>"),
    "exits": ("raise SystemExit(1)", "<unrenderable: SystemExit>"),
    "hangs": ("while True: pass", "<unrenderable: no answer>"),
    "prints": ("print('seen'); os.write(1, b'raw'); return 'printed'", "printed"),
    "changes_state": ("self.n += 100; SEEN.append(1); return 'changed'", "changed"),
    "recurses": ("return repr(self)", "<unrenderable: RecursionError>"),
    "is_long": ("return 'x' * 10**6", "x" * 10_000 + "… <cut: more than 640000 characters>"),
    "is_no_string": ("return 5", "<unrenderable: TypeError>"),
    "ends_the_process": ("os._exit(3)", "<unrenderable: the process died>"),
    "kills_the_process": ("os.kill(os.getpid(), 9)", "<unrenderable: the process died>"),
    "deletes_itself": ("del Hostile.__repr__; return 'once'", "once"),
    "closes_all_files": (
        "os.closerange(0, 4096); return 'closed'",
        "<unrenderable: the process died>",
    ),
    "holds_a_null": (r"return 'a\0b'", r"a\x00b"),
    "is_half_a_pair": (r"return '\ud800'", "\ud800"),
}


@pytest.mark.parametrize("name", BODIES)
def test_a_hostile_repr_does_not_affect_the_program(
    recorder: PythonRecorder, python: str, tmp_path: Path, name: str
) -> None:
    body, text = BODIES[name]
    program = make_program(f"""
        import os, time
        SEEN, HOLDS = [], {text.startswith("<unrenderable")}
        class Hostile:
            def __init__(self):
                self.n = 0
            def __repr__(self):
                {body}
        class Kind:
            def __repr__(self):
                return "kind"
        def use():
            h = Hostile()
            k = Kind()
            both = [1, h if HOLDS else k]
            h.n += 1
            print("n", h.n)
            return h.n, len(SEEN), "__repr__" in vars(Hostile)
    """)
    trace = recorder.record(program)
    assert (trace.result, trace.stdout) == run_unrecorded(python, program, tmp_path)
    assert trace.ending == Ending("finished")
    assert trace.notes == ()
    assert texts_of(trace, "h") == [text]
    assert texts_of(trace, "k") == ["kind"]
    assert texts_of(trace, "both") == [text if text.startswith("<unrenderable") else "[1, kind]"]


def test_a_repr_that_hangs_is_called_only_once() -> None:
    program = make_program("""
        class Hang:
            def __repr__(self):
                while True: pass
        class Kind:
            def __repr__(self):
                return "kind"
        def use():
            a, b, c, d = Kind(), Hang(), [Hang()], (Kind(), 1)
            for i in range(5):
                e = [d, b]
            return i
    """)
    with PythonRecorder() as recorder:
        recorder.record(GOOD)
        start = time.monotonic()
        trace = recorder.record(program)
        # Not once for each of its seven occurrences.
        assert time.monotonic() - start < 5
    assert trace.result == "4"
    assert texts_of(trace, "a") == ["kind"]
    assert texts_of(trace, "b") == ["<unrenderable: no answer>"]
    assert texts_of(trace, "c") == ["<unrenderable: no answer>"]
    assert texts_of(trace, "d") == ["(kind, 1)"]


def test_rendering_calls_no_method_of_the_program(
    recorder: PythonRecorder, python: str, tmp_path: Path
) -> None:
    program = make_program("""
        calls = []
        class Meta(type):
            def __hash__(cls):
                calls.append("meta hash")
                raise ValueError
            def __getattribute__(cls, name):
                calls.append("meta get " + name)
                return super().__getattribute__(name)
        class Key(metaclass=Meta):
            def __hash__(self):
                calls.append("hash")
                return 1
            def __eq__(self, other):
                calls.append("eq")
                return self is other
            def __bool__(self):
                calls.append("bool")
                return False
            def __len__(self):
                calls.append("len")
                return 0
        def use():
            a, b = Key(), Key()
            table = {a: 1, b: [a]}
            group = {a, b}
            both = [table, group, (a,)]
            return calls
    """)
    trace = recorder.record(program)
    assert (trace.result, trace.stdout) == run_unrecorded(python, program, tmp_path)
    assert texts_of(trace, "table") == [
        "{<program.Key object>: 1, <program.Key object>: [<program.Key object>]}"
    ]


def test_a_repr_of_an_imported_module_does_not_affect_the_program(
    python: str, tmp_path: Path
) -> None:
    (tmp_path / "inner.py").write_text(
        "class Loud:\n    def __repr__(self):\n        print('loud')\n        return 'Loud'\n"
    )
    program = make_program("""
        import inner
        def use():
            x = inner.Loud()
            return 1
    """)
    with PythonRecorder(python=python, import_from=[tmp_path]) as recorder:
        trace = recorder.record(program)
    assert (trace.result, trace.stdout) == ("1", "")
    assert texts_of(trace, "x") == ["Loud"]


def test_the_str_of_an_exception_is_called_but_not_recorded(recorder: PythonRecorder) -> None:
    trace = recorder.record(
        make_program("""
            class Odd(Exception):
                def __str__(self):
                    return "text"
            def use():
                raise Odd
        """)
    )
    assert trace.ending == Ending("raised", "Odd: text")
    assert "Odd.__str__" not in {scope.function for scope in trace.scopes}


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("raise ValueError", "<unrenderable: ValueError>"),
        ("return 5", "<unrenderable: TypeError>"),
        ("return Text('of its own')", "of its own"),
    ],
)
def test_an_exception_whose_str_fails_has_a_placeholder(
    recorder: PythonRecorder, body: str, text: str
) -> None:
    program = make_program(f"""
        class Text(str):
            pass
        class Bad(Exception):
            def __str__(self):
                {body}
        def use():
            raise Bad
    """)
    assert recorder.record(program).ending == Ending("raised", f"Bad: {text}")
    leaving = Program(program.source.replace("raise Bad", "raise SystemExit(Bad())"), "use()")
    assert recorder.record(leaving).ending == Ending("exited", text)


@pytest.mark.parametrize(
    ("make", "levels", "text"),
    [
        ("[value]", 3, "[[[()]]]"),
        ("[value]", 20_000, "[" * 100 + "… <cut: more than 6400 characters>"),
        ("[value, value]", 2, "[[(), ()], [(), ()]]"),
        ("[value, value]", 99, "[" * 99 + "(… <cut: more than 6400 characters>"),
        ("{1: (value,), (2,): value}", 1, "{1: ((),), (2,): ()}"),
    ],
)
def test_deep_and_shared_values_are_rendered_and_shortened(
    recorder: PythonRecorder, make: str, levels: int, text: str
) -> None:
    # Built in one step, by code that is not recorded.
    program = make_program(f"""
        class Kind:
            def __repr__(self):
                return "kind"
        def use():
            space = dict(levels={levels}, value=())
            exec("for _ in range(levels): value = {make}", space)
            value = space.pop("value")
            return 1
    """)
    trace = recorder.record(program, limits=Limits(value_chars=100))
    assert trace.ending == Ending("finished")
    assert texts_of(trace, "value") == [text]


# -- limits --------------------------------------------------------------------------------------

LOOP = make_program("""
    def use():
        print("before")
        n = 0
        while True:
            n += 1
""")


def test_the_step_limit_keeps_the_steps_and_the_output(recorder: PythonRecorder) -> None:
    trace = recorder.record(LOOP, limits=Limits(steps=50))
    assert trace.ending == Ending("step_limit", "more than 50 steps")
    assert len(trace.steps) == 50
    assert trace.stdout == "before\n"
    assert trace.result is None
    more = recorder.record(LOOP, limits=Limits(steps=1_234))
    assert more.ending.detail == "more than 1,234 steps"
    assert more.steps[:50] == trace.steps


def test_a_trace_of_exactly_the_step_limit_is_complete(recorder: PythonRecorder) -> None:
    program = make_program("""
        def use():
            return 1
    """)
    steps = len(recorder.record(program).steps)
    assert recorder.record(program, limits=Limits(steps=steps)).ending == Ending("finished")
    assert recorder.record(program, limits=Limits(steps=steps - 1)).ending.reason == "step_limit"


@pytest.mark.parametrize("wait", ["sum(range(10**15))", "time.sleep(99)", "signal.pause()"])
def test_the_time_limit_keeps_the_steps(recorder: PythonRecorder, wait: str) -> None:
    program = make_program(f"""
        import signal, time
        def use():
            x = 1
            {wait}
    """)
    trace = recorder.record(program, limits=Limits(seconds=0.5))
    assert trace.ending == Ending("time_limit", "more than 0.5 s")
    assert trace.source_line(trace.steps[-1]).strip() == wait
    assert texts_of(trace, "x") == ["1"]


def test_the_time_limit_may_be_reached_while_a_long_row_is_written(
    recorder: PythonRecorder,
) -> None:
    program = make_program("""
        import time
        def use():
            text = "a" * 2_000_000
            while True:
                text += "b"
    """)
    limits = Limits(seconds=0.6, value_chars=3_000_000, trace_mb=10_000)
    trace = recorder.record(program, limits=limits)
    assert trace.ending == Ending("time_limit", "more than 0.6 s")
    assert texts_of(trace, "text")[0] == repr("a" * 2_000_000)


@pytest.mark.parametrize("fill", ["bytearray(10**9)", "list(range(10**8))", "'x' * 10**9"])
def test_the_memory_limit_keeps_the_steps(recorder: PythonRecorder, fill: str) -> None:
    program = make_program(f"""
        def use():
            print("before")
            block = {fill}
            return 1
    """)
    trace = recorder.record(program, limits=Limits(memory_mb=200))
    assert trace.ending == Ending("memory_limit", "more than 200 MB of memory")
    assert trace.source_line(trace.steps[3]).strip() == 'print("before")'
    assert trace.stdout == "before\n"


def test_a_program_may_catch_its_memory_error(recorder: PythonRecorder) -> None:
    program = make_program("""
        def use():
            try:
                bytearray(10**9)
            except MemoryError:
                return "caught"
    """)
    assert recorder.record(program, limits=Limits(memory_mb=200)).result == "'caught'"


def test_the_memory_limit_may_be_reached_inside_the_recorder(recorder: PythonRecorder) -> None:
    program = make_program("""
        def use():
            small = "x" * 100_000
            large = "x" * 60_000_000
            return 1
    """)
    limits = Limits(memory_mb=120, value_chars=10**8, trace_mb=1_000)
    trace = recorder.record(program, limits=limits)
    assert trace.ending == Ending("memory_limit", "more than 120 MB of memory")
    assert trace.steps[-1].changed == {"small": repr("x" * 100_000)}


def test_a_long_value_is_shortened_and_has_its_length(recorder: PythonRecorder) -> None:
    program = make_program("""
        def use():
            text = "abc" * 100
            items = list(range(1000))
            big = 10**5000
            return text
    """)
    trace = recorder.record(program, limits=Limits(value_chars=20))
    assert texts_of(trace, "text") == ["'" + "abc" * 6 + "a… <cut: 302 characters>"]
    assert texts_of(trace, "items") == ["[0, 1, 2, 3, 4, 5, 6… <cut: more than 1280 characters>"]
    assert texts_of(trace, "big") == ["1" + "0" * 19 + "… <cut: more than 1280 characters>"]
    assert trace.result == "'" + "abc" * 6 + "a… <cut: 302 characters>"


def test_the_trace_limit_keeps_the_steps(recorder: PythonRecorder) -> None:
    program = make_program("""
        def use():
            text = "a" * 9_000
            while True:
                text += "b"
    """)
    trace = recorder.record(program, limits=Limits(trace_mb=1))
    assert trace.ending == Ending("trace_limit", "more than 1 MB of trace")
    texts = texts_of(trace, "text")
    assert 100 < len(texts) < 112
    assert texts[100] == repr("a" * 9_000 + "b" * 100)


def test_the_output_limit_keeps_the_steps(recorder: PythonRecorder) -> None:
    program = make_program("""
        def use():
            n = 0
            while True:
                n += 1
                print(f"{n:>9999}")
    """)
    trace = recorder.record(program, limits=Limits(output_mb=1))
    assert trace.ending == Ending("output_limit", "more than 1 MB printed")
    assert len(trace.stdout) == 1_000_000
    assert trace.stdout.startswith(f"{1:>9999}\n{2:>9999}\n")
    assert texts_of(trace, "n")[:3] == ["0", "1", "2"]


# -- processes -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("act", "detail"),
    [
        ("os.kill(os.getpid(), signal.SIGKILL)", "SIGKILL"),
        ("os.abort()", "SIGABRT"),
        ("os.kill(os.getpid(), 40)", "signal 40"),
        ("os._exit(3)", "the process ended itself with status 3"),
        ("os._exit(0)", "the process ended itself with status 0"),
    ],
)
def test_the_steps_of_a_program_that_kills_itself_are_kept(
    recorder: PythonRecorder, act: str, detail: str
) -> None:
    program = make_program(f"""
        import os, signal
        def use():
            x = 1
            {act}
    """)
    trace = recorder.record(program)
    assert trace.ending == Ending("killed", detail)
    assert trace.source_line(trace.steps[-1]).strip() == act
    assert texts_of(trace, "x") == ["1"]


@pytest.mark.parametrize("signum", ["SIGKILL", "SIGSTOP", "SIGSEGV"])
def test_a_program_cannot_kill_the_fork_server(signum: str) -> None:
    program = make_program(f"""
        import os, signal
        def use():
            try:
                os.kill(os.getppid(), signal.{signum})
            except PermissionError:
                return os.getppid()
    """)
    with PythonRecorder() as recorder:
        server = recorder._server
        assert recorder.record(program).result == "1"
        assert recorder.record(GOOD).result == "'good'"
        assert recorder._server is server


@pytest.mark.parametrize("signum", [signal.SIGKILL, signal.SIGSTOP])
def test_a_program_is_executed_again_if_the_fork_server_dies(
    monkeypatch: pytest.MonkeyPatch, signum: signal.Signals
) -> None:
    monkeypatch.setattr("worldline.languages.python.recorder.fork_server_client.GRACE_SECONDS", 0.5)
    program = make_program("""
        import time
        def use():
            time.sleep(1)
            return "slept"
    """)
    with PythonRecorder() as recorder:
        first = recorder._server
        assert first is not None
        before = process_tree(first._process.pid)
        timer = threading.Timer(0.3, send, [signum, before])
        timer.start()
        trace = recorder.record(program, limits=Limits(seconds=2))
        timer.join()
        assert trace.result == "'slept'"
        assert recorder._server is not first
        deadline = time.monotonic() + 20
        while any(Path(f"/proc/{pid}").exists() for pid in before):
            assert time.monotonic() < deadline
            time.sleep(0.05)


def send(signum: signal.Signals, pids: list[int]) -> None:
    """Send a signal to each of these processes."""
    for pid in pids:
        os.kill(pid, signum)


def count_processes(recorder: PythonRecorder) -> int:
    """The number of processes of a recorder."""
    assert recorder.backend
    assert recorder._server is not None
    return len(process_tree(recorder._server._process.pid))


def test_a_fork_server_that_died_between_programs_is_replaced() -> None:
    with PythonRecorder() as recorder:
        assert recorder.record(GOOD).result == "'good'"
        assert recorder._server is not None
        for pid in process_tree(recorder._server._process.pid):
            # The others end with the first.
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        assert recorder.record(GOOD).result == "'good'"


def test_a_program_is_recorded_although_the_fork_server_died_before_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    record, servers = ForkServerClient.record, []

    def kill_then_record(server: ForkServerClient, *arguments: Any) -> Any:
        servers.append(server)
        if len(servers) == 1:
            # As if the machine had no memory for a fork.
            os.kill(server._process.pid, signal.SIGKILL)
            os.waitid(os.P_PID, server._process.pid, os.WEXITED | os.WNOWAIT)
        return record(server, *arguments)

    monkeypatch.setattr(ForkServerClient, "record", kill_then_record)
    with PythonRecorder() as recorder:
        assert recorder.record(GOOD).result == "'good'"
    assert len(servers) == 2


def test_processes_of_the_program_are_killed_and_not_recorded(recorder: PythonRecorder) -> None:
    program = make_program("""
        import os, time
        def child():
            while True:
                with open("beat", "a") as file: file.write("x")
                time.sleep(0.01)
        def use():
            for _ in range(2):
                if os.fork() == 0:
                    os.setsid()
                    child()
            while not os.path.exists("beat") or not os.path.getsize("beat"):
                time.sleep(0.01)
            return "parent"
    """)
    before = count_processes(recorder)
    trace = recorder.record(program)
    assert trace.result == "'parent'"
    assert trace.notes == ("the program started processes: only the first is recorded",)
    assert "child" not in {scope.function for scope in trace.scopes}
    assert count_processes(recorder) == before


def test_a_forked_child_ends_as_without_the_recorder(
    recorder: PythonRecorder, python: str, tmp_path: Path
) -> None:
    program = make_program("""
        import os, sys
        def use():
            statuses = []
            for act in (0, 1, 2):
                if pid := os.fork():
                    statuses.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
                elif act == 0:
                    os.write(1, b"child\\n")
                    os._exit(0)
                elif act == 1:
                    sys.exit(7)
                else:
                    raise ValueError
            return statuses
    """)
    trace = recorder.record(program)
    assert trace.result == "[0, 7, 1]"
    assert (trace.result, trace.stdout) == run_unrecorded(python, program, tmp_path)
    assert [step.line for step in trace.steps if step.event == "exception"] == []


def test_processes_started_while_loading_are_not_recorded(recorder: PythonRecorder) -> None:
    program = make_program("""
        import os
        child = os.fork()
        def use():
            if child:
                os.waitpid(child, 0)
            return "parent" if child else "child"
    """)
    trace = recorder.record(program)
    assert trace.result == "'parent'"
    assert [step.event for step in trace.steps].count("return") == 2
    assert trace.notes == ("the program started processes: only the first is recorded",)


# -- what a program can remove -------------------------------------------------------------------

REMOVALS = {
    "all_files": "os.closerange(0, 4096)",
    "all_files_one_by_one": "for n in range(90, 110): close(n)",
    "stdout": "sys.stdout = None",
    "stdout_deleted": "del sys.stdout",
    "stdout_closed": "sys.stdout.close()",
    "stdout_detached": "sys.stdout.detach()",
    "repr": "builtins.repr = lambda value: 'patched'",
    "types": "builtins.dict = builtins.list = builtins.str = builtins.type = None",
    "functions": "builtins.len = builtins.isinstance = builtins.map = builtins.iter = None",
    "json": "json.dumps = json.loads = json.encoder.encode_basestring_ascii = None",
    "os": "os.write = os.fork = os._exit = os.pipe = os.read = os.waitpid = None",
    "sys": "sys.settrace = sys.gettrace = sys._getframe = sys.modules = None",
    "recursion": "sys.setrecursionlimit = sys.getrecursionlimit = None",
    "others": "select.poll = functools.partial = _thread.interrupt_main = inspect.isclass = None",
    "exit": "threading._shutdown = atexit._run_exitfuncs = None",
}


@pytest.mark.parametrize("name", REMOVALS)
def test_the_recorder_needs_nothing_that_a_program_can_remove(
    recorder: PythonRecorder, name: str
) -> None:
    program = make_program(f"""
        import _thread, atexit, builtins, functools, inspect, json, os, select, sys, threading
        class Kind:
            def __repr__(self):
                return "kind"
        def close(n):
            try:
                os.close(n)
            except OSError:
                pass
        def use():
            print("before", flush=True)
            {REMOVALS[name]}
            x = {{1.5: [2, Kind()], "a": (None,)}}
            try:
                raise ValueError("b")
            except ValueError:
                return x
    """)
    trace = recorder.record(program)
    assert trace.ending == Ending("finished")
    assert texts_of(trace, "x") == ["{1.5: [2, kind], 'a': (None,)}"]
    assert trace.result == "{1.5: [2, kind], 'a': (None,)}"
    raised = [step.value for step in trace.steps if step.event == "exception"]
    assert raised[-1] == "(<class 'ValueError'>, ValueError('b'), <traceback object>)"
    assert trace.stdout == "before\n"


def test_a_program_that_closes_all_files_cannot_write_to_the_recording(
    recorder: PythonRecorder,
) -> None:
    program = make_program("""
        import os
        def use():
            os.closerange(3, 4096)
            files = [open(f"{n}", "w") for n in range(9)]
            numbers = [file.fileno() for file in files]
            return numbers, {os.path.getsize(name) for name in os.listdir()}
    """)
    trace = recorder.record(program)
    assert trace.result == "([3, 4, 5, 6, 7, 8, 9, 10, 11], {0})"


def test_invalid_rows_written_by_the_program_are_ignored(recorder: PythonRecorder) -> None:
    program = make_program("""
        import os
        def use():
            os.write(100, b'noise\\n["line", 1, 99, {}, [], null]\\n["jump"]\\n')
            return 1
    """)
    trace = recorder.record(program)
    if recorder.backend == "core":
        # It has no file descriptor that a program could write to.
        assert trace.ending == Ending("raised", "OSError: [Errno 9] Bad file descriptor")
    else:
        assert trace.result == "1"
        assert trace.notes == ("a line of the recording was damaged and left out",) * 3


def test_tracing_that_is_switched_off_is_noted(recorder: PythonRecorder) -> None:
    program = make_program("""
        import sys
        def use():
            x = 1
            sys.settrace(None)
            x = 2
            return x
    """)
    trace = recorder.record(program)
    assert trace.ending == Ending("finished")
    assert texts_of(trace, "x") == ["1"]
    assert trace.notes == (
        "tracing was switched off, by the program or a full stack: steps may be missing",
    )


def test_output_before_a_redirection_is_kept_at_a_limit(recorder: PythonRecorder) -> None:
    program = make_program("""
        import contextlib, io
        def use():
            print("before")
            with contextlib.redirect_stdout(io.StringIO()):
                n = 0
                while True:
                    n += 1
    """)
    trace = recorder.record(program, limits=Limits(steps=100))
    assert trace.ending.reason == "step_limit"
    assert trace.stdout == "before\n"


def test_standard_streams_are_those_without_the_recorder(
    recorder: PythonRecorder, python: str, tmp_path: Path
) -> None:
    program = make_program("""
        import sys
        def use():
            sys.__stdout__.write("first ")
            print("lost", file=sys.stderr)
            print("second \\udc80")
            return [sys.stdin, sys.stdout, sys.stdin.errors, sys.stdout.errors, sys.stdin.newlines]
    """)
    trace = recorder.record(program)
    (tmp_path / "program.py").write_text(program.text)
    ran = subprocess.run(
        [python, "-c", CALL_SCRIPT, str(tmp_path)], capture_output=True, env=ENVIRONMENT
    )
    assert trace.result == (tmp_path / "result").read_text()
    assert trace.stdout == ran.stdout.decode("utf-8", "surrogateescape")


# -- the stack -----------------------------------------------------------------------------------

RECURSIONS = {
    "plain": "return dive(0)",
    "raised_limit": "sys.setrecursionlimit(1_200); return dive(0)",
    "lowered_limit": "sys.setrecursionlimit(60); return dive(0)",
    "twice": "sys.setrecursionlimit(150); return dive(0), dive(0)",
    "after_throws": "sys.setrecursionlimit(90); throw(); return dive(0)",
    "through_a_library": "sys.setrecursionlimit(150); return decorated(0)",
    "in_a_library": "return nested()",
}


@pytest.mark.parametrize("name", RECURSIONS)
def test_the_recursion_limit_is_that_without_the_recorder(
    recorder: PythonRecorder, python: str, tmp_path: Path, name: str
) -> None:
    program = make_program(f"""
        import contextlib, copy, sys
        def dive(n):
            try:
                return dive(n + 1)
            except RecursionError:
                return n
        @contextlib.contextmanager
        def manager():
            yield
        deepest = 0
        @manager()
        def step(n):
            global deepest
            deepest = n
            step(n + 1)
        def decorated(n):
            try:
                step(0)
            except RecursionError:
                return deepest // 10
        def nested():
            for depth in (300, 480, 490, 500, 510, 600):
                space = dict(depth=depth, value=[])
                exec("for _ in range(depth): value = [value]", space)
                try:
                    copy.deepcopy(space.pop("value"))
                except RecursionError:
                    return depth
                space = None
        def numbers():
            try:
                yield 1
            except ValueError:
                yield 2
        def throw():
            for _ in range(50):
                g = numbers()
                next(g)
                g.throw(ValueError)
        def use():
            {RECURSIONS[name]}
    """)
    trace = recorder.record(program, limits=Limits(value_chars=100, seconds=30, steps=200_000))
    assert trace.result == run_unrecorded(python, program, tmp_path)[0]
    assert trace.notes == ()


def test_a_recursion_limit_that_python_refuses_is_refused(recorder: PythonRecorder) -> None:
    program = make_program("""
        import sys
        def refused(limit):
            try:
                sys.setrecursionlimit(limit)
            except (ValueError, TypeError, RecursionError) as error:
                return type(error).__name__
        def use():
            return refused(0), refused("9"), refused(1), refused(500), sys.getrecursionlimit()
    """)
    expected = "('ValueError', 'TypeError', 'RecursionError', None, 500)"
    assert recorder.record(program).result == expected


# -- signals and lifetimes -----------------------------------------------------------------------


def test_a_signal_handler_interrupts_the_program_not_the_recorder(
    recorder: PythonRecorder,
) -> None:
    program = make_program("""
        import signal
        class Late(Exception):
            pass
        def on_alarm(signum, frame):
            raise Late
        def use():
            before = signal.signal(signal.SIGALRM, on_alarm)
            same = signal.getsignal(signal.SIGALRM) is on_alarm
            for _ in range(3):
                signal.setitimer(signal.ITIMER_REAL, 0.01)
                try:
                    while True:
                        x = [1] * 50
                except Late:
                    pass
            return same, signal.signal(signal.SIGALRM, before) is on_alarm
    """)
    trace = recorder.record(program)
    assert trace.ending == Ending("finished")
    assert trace.result == "(True, True)"
    raised = [step for step in trace.steps if step.event == "exception" and step.value]
    assert sum("Late" in (step.value or "") for step in raised) >= 3


def test_an_object_that_the_program_drops_is_freed_at_once(
    recorder: PythonRecorder, python: str, tmp_path: Path
) -> None:
    program = make_program("""
        import weakref
        class Thing:
            pass
        def use():
            thing = Thing()
            seen = weakref.ref(thing)
            alive = seen() is not None
            del thing; dead = seen() is None
            other = Thing(); seen = weakref.ref(other); other = None; gone = seen() is None
            names = sorted(locals())
            return alive, dead, gone, names
    """)
    trace = recorder.record(program)
    assert trace.result == run_unrecorded(python, program, tmp_path)[0]


# -- the interpreter -----------------------------------------------------------------------------


def test_an_unusable_interpreter_is_refused() -> None:
    with pytest.raises(RecorderError, match="cannot start /nowhere/python"):
        PythonRecorder(python="/nowhere/python").record(GOOD)
    with pytest.raises(RecorderError, match="cannot run the recorder"):
        PythonRecorder(python="true").record(GOOD)


# -- forged replies -----------------------------------------------------------------------------

FORGERY = """
    import gc, os, socket, time
    def use():
        numbers = [d["number"] for d in gc.get_objects() if type(d) is dict and "number" in d]
        rows = b'["scope", "forged", 1, [], 0]\\n["line", 1, 0]\\n["end", "finished", "", []]\\n'
        for number in (*numbers, "0" * 16, 1):
            for fd in range(3, 256):
                try:
                    ends = f'\\n["exit", {number!r}, 0]\\n'.replace("'", '"').encode()
                    os.write(fd, ends + rows + b'["started", "x"]\\n' + rows + b"[")
                    with socket.socket(fileno=os.dup(fd)) as found:
                        socket.send_fds(found, [b"\\n"], [0])
                except OSError:
                    pass
        time.sleep(60)
"""


def test_a_program_cannot_forge_the_end_of_another(recorder: PythonRecorder) -> None:
    good = recorder.record(GOOD)
    for _ in range(3):
        # About itself it may lie, if the tracer is in Python.
        recorder.record(make_program(FORGERY), limits=Limits(seconds=1))
        assert recorder.record(GOOD) == good
