"""Attacks by Go programs, and by their compilation, on the sandbox: none may succeed."""

from dataclasses import replace
from pathlib import Path

import pytest

from worldline.core.trace import Limits, Program, Trace
from worldline.languages.go import go_recorder
from worldline.languages.go.go_recorder import GoRecorder

LIMITS = Limits(seconds=10, memory_mb=256, output_mb=1, steps=20_000)
IMPORTS = ("fmt", "net", "os", "os/exec", "syscall", "time")
USES = (
    "var _, _, _, _, _, _ = fmt.Sprint, net.Dial, os.Open, exec.Command, syscall.Getpid, time.Now\n"
)


def attack(recorder: GoRecorder, body: str, *, limits: Limits = LIMITS, before: str = "") -> Trace:
    """Record the body of a function."""
    imports = "; ".join(f'"{name}"' for name in IMPORTS)
    source = f"package main\nimport ({imports})\n{USES}{before}\nfunc attack() int {{\n{body}\n}}\n"
    return recorder.record(Program(source, "attack()", language="go"), limits=limits)


# Functions that succeed if they return no error; each is reported by its number.
ACTIONS = (
    'func() error { _, err := os.ReadFile("/etc/passwd"); return err }',
    'func() error { _, err := os.ReadFile("/etc/shadow"); return err }',
    'func() error { _, err := os.ReadFile("/proc/self/environ"); return err }',
    'func() error { _, err := os.ReadFile("SECRET"); return err }',
    'func() error { return os.WriteFile("/usr/new", nil, 0o600) }',
    'func() error { return os.WriteFile("PROGRAM", nil, 0o755) }',
    'func() error { _, err := os.ReadDir("/"); return err }',
    'func() error { _, err := net.DialTimeout("tcp", "127.0.0.1:80", time.Second); return err }',
    'func() error { _, err := net.Listen("tcp", "127.0.0.1:0"); return err }',
    'func() error { _, err := net.Listen("unix", "socket"); return err }',
    'func() error { _, err := net.LookupHost("localhost.example"); return err }',
    'func() error { return exec.Command("/bin/ls").Run() }',
    'func() error { return exec.Command("/bin/sh", "-c", "true").Run() }',
    'func() error { return exec.Command("PROGRAM").Run() }',
    'func() error { return syscall.Exec("PROGRAM", nil, nil) }',
    "func() error { return syscall.Setuid(0) }",
    "func() error { return syscall.Kill(1, syscall.SIGKILL) }",
    # The recording, the request and the filter.
    "func() error { _, err := syscall.Write(3, []byte{1}); return err }",
    "func() error { _, err := syscall.Write(4, []byte{1}); return err }",
    "func() error { _, err := syscall.Write(5, []byte{1}); return err }",
    'func() error { return os.Chmod("PROGRAM", 0o777) }',
)


def test_files_network_and_processes_are_out_of_reach(recorder: GoRecorder, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    assert recorder._folder is not None
    program = str(Path(recorder._folder.name) / "program")
    body = "".join(
        f"\tif ({action})() == nil {{ fmt.Println({number}) }}\n"
        for number, action in enumerate(ACTIONS)
    )
    # What is allowed is reported, too.
    body += '\tif _, err := os.Open("/dev/null"); err == nil { fmt.Print("allowed") }\n'
    body += '\tfor _, each := range os.Environ() { fmt.Print(" ", each) }\n'
    body = body.replace("SECRET", str(secret)).replace("PROGRAM", program)
    trace = attack(recorder, f"{body}\treturn 1")
    assert (trace.result, trace.stdout) == ("1", "allowed LC_ALL=C.UTF-8 TZ=UTC"), trace.ending


def test_code_before_main_has_the_filter_already(recorder: GoRecorder) -> None:
    before = (
        "var early = func() string {\n"
        '\tif exec.Command("/bin/ls").Run() == nil { return "executed" }\n'
        "\t_, _, failure := syscall.RawSyscall(syscall.SYS_SOCKET, 2, 1, 0)\n"
        '\treturn fmt.Sprint("failure ", int(failure))\n}()\n'
        'func init() { if early != "failure 1" { panic(early) } }\n'
    )
    assert attack(recorder, "\treturn len(early)", before=before).result == "9"


@pytest.mark.parametrize(("name", "number"), [("ptrace", 101), ("unshare", 272), ("bpf", 321)])
def test_calls_that_only_an_attack_needs_end_the_program(
    recorder: GoRecorder, name: str, number: int
) -> None:
    trace = attack(recorder, f"\tsyscall.RawSyscall({number}, 0, 0, 0)\n\treturn 1")
    assert (trace.ending.reason, trace.result) == ("forbidden_call", None), name


# On a busy machine, the limit on time can be the first that is reached.
@pytest.mark.parametrize(
    ("body", "reasons"),
    [
        ("\tfor {\n\t\tgo func() { select {} }()\n\t}", {"step_limit", "time_limit"}),
        ("\tfor {\n\t\tsyscall.RawSyscall(syscall.SYS_FORK, 0, 0, 0)\n\t}",
         {"step_limit", "time_limit"}),
        ("\tvar all [][]byte\n\tfor {\n\t\tall = append(all, make([]byte, 1<<24))\n\t\tcopy(all[len(all)-1], all[0])\n\t}",
         {"memory_limit", "step_limit", "time_limit"}),
        ("\ttext := make([]byte, 1<<16)\n\tfor {\n\t\tos.Stdout.Write(text)\n\t}", {"output_limit", "time_limit"}),
        ("\ttext := make([]byte, 1<<16)\n\tfor {\n\t\tsyscall.Write(2, text)\n\t}", {"output_limit", "time_limit"}),
        ("\tsyscall.Kill(syscall.Getppid(), syscall.SIGKILL)\n\ttime.Sleep(time.Second)\n\treturn 1", {"finished", "killed"}),
        ("\tsyscall.Kill(-1, syscall.SIGKILL)\n\ttime.Sleep(time.Second)\n\treturn 1", {"finished", "killed"}),
    ],
)  # fmt: skip
def test_bombs_end_at_a_limit(recorder: GoRecorder, body: str, reasons: set[str]) -> None:
    trace = attack(recorder, body, limits=replace(LIMITS, seconds=3, steps=2000))
    assert trace.ending.reason in reasons, trace.ending
    assert len(trace.stdout) <= LIMITS.output_mb * 1_000_000
    # The recorder is still usable.
    assert attack(recorder, "\treturn 1").result == "1"


def test_a_forked_process_does_not_write_into_the_recording(recorder: GoRecorder) -> None:
    # The child writes its steps while its parent, which has written more, waits.
    body = (
        "\tx := 1\n"
        "\tpid, _, _ := {fork}\n"
        "\tif pid == 0 {{\n\t\tpause(50)\n\t\tx = -1\n\t\tx = -2\n\t\tsyscall.Exit(0)\n\t}}\n"
        "\tfor i := 0; i < 50; i++ {{\n\t\tx += i\n\t}}\n"
        "\tpause(200)\n"
        "\treturn x"
    )
    before = (
        "func pause(ms int64) {\n"
        "\twait := syscall.NsecToTimespec(ms * 1_000_000)\n"
        "\tsyscall.Nanosleep(&wait, nil)\n}\n"
    )
    forks = "syscall.RawSyscall(syscall.SYS_FORK, 0, 0, 0)"
    trace = attack(recorder, body.format(fork=forks), before=before)
    assert (trace.ending.reason, trace.result) == ("finished", "1226")
    changes = {value for step in trace.steps for value in step.changed.values()}
    assert not changes & {"-1", "-2"}


def test_a_program_cannot_end_its_recording(recorder: GoRecorder) -> None:
    source = (
        'package main\nimport ("os"; "worldline/tracer")\n'
        "func f() int {\n\ttracer.Run(nil, nil, false, func() {})\n\tos.Exit(0)\n\treturn 1\n}\n"
    )
    trace = recorder.record(Program(source, "f()", language="go"))
    assert trace.ending.reason == "not_loaded"
    assert "worldline/tracer" in trace.ending.detail


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ('import "C"\nfunc f() int { return 1 }', "C"),
        ('// #include "/etc/passwd"\nimport "C"\nfunc f() int { return int(C.x) }', "C"),
        ('import _ "embed"\n//go:embed /etc/passwd\nvar text string\nfunc f() int { return len(text) }', "embed"),
        ('import _ "unsafe"\n//go:linkname x runtime.memhash\nfunc x()\nfunc f() int { return 1 }', "//go:linkname is not allowed"),
        ('//go:cgo_import_dynamic _ _ "libc.so.6"\nfunc f() int { return 1 }', "//go:cgo_ is not allowed"),
        ("func x() int\nfunc f() int { return x() }", "missing function body"),
        ('import "/etc/passwd"\nfunc f() int { return 1 }', "/etc/passwd"),
    ],
)  # fmt: skip
def test_the_compilation_uses_only_the_source(
    recorder: GoRecorder, source: str, message: str
) -> None:
    trace = recorder.record(Program(f"package main\n{source}\n", "f()", language="go"))
    assert trace.ending.reason == "not_loaded"
    assert message in trace.ending.detail
    assert "root:" not in trace.ending.detail


def test_go_generate_is_not_executed(recorder: GoRecorder, tmp_path: Path) -> None:
    target = tmp_path / "generated"
    source = f"package main\n//go:generate touch {target}\nfunc f() int {{ return 1 }}\n"
    assert recorder.record(Program(source, "f()", language="go")).result == "1"
    assert not target.exists()


@pytest.mark.parametrize(
    "source",
    [
        # An executable of 8 GB.
        "var x = [1 << 33]byte{1}\nfunc f() byte { return x[0] }",
        "const x = 1 << 100000\nfunc f() int { return len([x]int{}) }",
        # Types that double in size.
        "".join(f"type T{n} struct {{ a, b T{n - 1} }}\n" for n in range(1, 60))
        + "type T0 int\nfunc f() int { var t T59; _ = t; return 1 }",
    ],
)
def test_bombs_for_the_compiler_end_at_its_limits(
    recorder: GoRecorder, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = Limits(seconds=10, memory_mb=300, output_mb=20, trace_mb=1)
    monkeypatch.setattr(go_recorder, "COMPILER_LIMITS", limits)
    trace = recorder.record(Program(f"package main\n{source}\n", "f()", language="go"))
    assert (trace.ending.reason, trace.result) == ("not_loaded", None)
    assert attack(recorder, "\treturn 1").result == "1"
