"""Attacks in C++ on the sandbox, by the program and by its compilation: none may succeed."""

from dataclasses import replace
from pathlib import Path

import pytest

from worldline.core.trace import Limits, Program, Trace
from worldline.languages.cpp.gdb_recorder import GdbRecorder
from worldline.languages.native import native_recorder

LIMITS = Limits(seconds=10, memory_mb=256, output_mb=1, steps=20_000)
HEADERS = "".join(
    f"#include <{name}>\n"
    for name in (
        *("cerrno", "cstdio", "cstdlib", "cstring", "fcntl.h", "signal.h", "dirent.h", "unistd.h"),
        *("sys/ptrace.h", "sys/socket.h", "sys/stat.h", "sys/syscall.h", "sys/wait.h", "sched.h"),
    )
)


def attack(recorder: GdbRecorder, body: str, *, limits: Limits = LIMITS, before: str = "") -> Trace:
    """Record the body of a function."""
    source = f"{HEADERS}{before}\nint attack() {{\n{body}\n}}\n"
    return recorder.record(Program(source, "attack()", language="cpp"), limits=limits)


# Expressions that succeed if they are not negative and not null; each is reported by its number.
ACTIONS = (
    'open("/etc/passwd", O_RDONLY)',
    'open("/etc/shadow", O_RDONLY)',
    'open("/proc/self/environ", O_RDONLY)',
    'open("/usr/new", O_CREAT | O_WRONLY, 0600)',
    'opendir("/") ? 1 : -1',
    'open("SECRET", O_RDONLY)',
    "socket(AF_INET, SOCK_STREAM, 0)",
    "socket(AF_UNIX, SOCK_STREAM, 0)",
    "setuid(0)",
    "kill(1, SIGKILL)",
    'execl("/bin/ls", "ls", (char*)nullptr)',
    'execl("/bin/sh", "sh", (char*)nullptr)',
    'execl("PROGRAM", "program", (char*)nullptr)',
    'chmod("PROGRAM", 0777)',
    "(int)write(3, 0, 0)",
    "(int)write(4, 0, 0)",
    "(int)write(100, 0, 0)",
    "(int)write(101, 0, 0)",
    "sched_setscheduler(0, 1, nullptr)",
)


def test_files_network_and_processes_are_out_of_reach(
    recorder: GdbRecorder, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    assert recorder._folder is not None
    program = str(Path(recorder._folder.name) / "program")
    body = "".join(
        f'  if (({action}) >= 0) printf("{number}\\n");\n' for number, action in enumerate(ACTIONS)
    )
    # What is allowed is reported, too.
    body += '  if (open("/dev/null", O_RDONLY) >= 0) printf("allowed");\n'
    body = body.replace("SECRET", str(secret)).replace("PROGRAM", program)
    trace = attack(recorder, f"{body}  return 1;")
    assert (trace.result, trace.stdout) == ("1", "allowed"), trace.ending


def test_code_before_main_has_the_filter_already(recorder: GdbRecorder) -> None:
    before = (
        "static int result;\n"
        'static void early() { result = execl("/bin/ls", "ls", (char*)nullptr) < 0 ? errno : 0; }\n'
        '__attribute__((section(".preinit_array"), used)) static void (*start)() = early;\n'
    )
    assert attack(recorder, "  return result;", before=before).result in ("1", "2", "13")


@pytest.mark.parametrize(
    "call",
    ["ptrace(PTRACE_TRACEME, 0, 0, 0)", "unshare(CLONE_NEWUSER)", "syscall(SYS_bpf, 0, 0, 0)"],
)
def test_calls_that_only_an_attack_needs_end_the_program(recorder: GdbRecorder, call: str) -> None:
    trace = attack(recorder, f"  {call};\n  return 1;")
    assert (trace.ending.reason, trace.result) == ("forbidden_call", None)


# On a busy machine, the limit on time can be the first that is reached.
@pytest.mark.parametrize(
    ("body", "reasons"),
    [
        ("  for (;;);", {"step_limit", "time_limit"}),
        ("  char* a = 0; for (;;) if (!(a = (char*)malloc(1 << 20))) abort(); else memset(a, 1, 1 << 20);",
         {"killed", "time_limit", "step_limit"}),
        ("  static char a[1 << 16]; for (;;) write(1, a, sizeof a);", {"output_limit", "time_limit"}),
        ("  for (;;) fork();", {"step_limit", "time_limit", "killed"}),
        ("  for (;;) if (fork() == 0) for (;;);", {"step_limit", "time_limit", "killed"}),
        ("  kill(getppid(), SIGKILL); sleep(1); return 1;", {"killed"}),
        ("  kill(-1, SIGKILL); sleep(1); return 1;", {"killed"}),
    ],
)  # fmt: skip
def test_bombs_end_at_a_limit(recorder: GdbRecorder, body: str, reasons: set[str]) -> None:
    trace = attack(recorder, body, limits=replace(LIMITS, seconds=3, steps=2000))
    assert trace.ending.reason in reasons, trace.ending
    assert len(trace.stdout) <= LIMITS.output_mb * 1_000_000
    # The recorder is still usable.
    assert attack(recorder, "  return 1;").result == "1"


def test_a_program_does_not_see_the_environment(recorder: GdbRecorder) -> None:
    body = "  for (char** name = environ; *name; name++) puts(*name);\n  return 1;"
    names = {line.partition("=")[0] for line in attack(recorder, body).stdout.splitlines()}
    assert names >= {"LC_ALL", "TZ"}
    # gdb adds the size of a terminal.
    assert names <= {"LC_ALL", "TZ", "LINES", "COLUMNS"}


def test_memory_is_limited(recorder: GdbRecorder) -> None:
    trace = attack(recorder, "  return malloc(300 << 20) != nullptr;")
    assert trace.result == "0"
    trace = attack(recorder, "  return malloc(200 << 20) != nullptr;")
    assert trace.result == "1"


def test_a_script_for_gdb_in_the_program_is_not_executed(recorder: GdbRecorder) -> None:
    before = (
        'asm(".pushsection \\".debug_gdb_scripts\\", \\"MS\\",@progbits,1\\n"\n'
        '    ".byte 4\\n.ascii \\"gdb.inlined\\\\nimport os\\\\nos._exit(0)\\\\n\\"\\n.byte 0\\n.popsection");\n'
    )
    assert attack(recorder, "  return 7;", before=before).result == "7"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ('#include "/etc/shadow"', "/etc/shadow: No such file"),
        ('#include "/etc/passwd"', "/etc/passwd: No such file"),
        ('#include "/proc/self/environ"', "No such file"),
        ('asm(".incbin \\"/etc/passwd\\"");', "file not found: /etc/passwd"),
        ("template <int N> struct A { A<N + 1> a; }; A<0> a;", "template instantiation depth"),
    ],
)
def test_the_compiler_cannot_read_files_of_the_host(
    recorder: GdbRecorder, source: str, message: str
) -> None:
    trace = recorder.record(Program(f"{source}\nint f() {{ return 1; }}\n", "f()", language="cpp"))
    assert trace.ending.reason == "not_loaded"
    assert message in trace.ending.detail


@pytest.mark.parametrize(
    "source",
    [
        # 2 ** 40 instances of a template.
        "template <int N, int K> struct A { enum { v = A<N - 1, 2 * K>::v + A<N - 1, 2 * K + 1>::v }; };\n"
        "template <int K> struct A<0, K> { enum { v = 1 }; };\nint x = A<40, 1>::v;",
        '#include "/dev/zero"',
        # An executable of 8 GB.
        "char x[1l << 33] = {1};",
    ],
)
def test_bombs_for_the_compiler_end_at_its_limits(
    recorder: GdbRecorder, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = Limits(seconds=3, memory_mb=300, output_mb=20, trace_mb=1)
    monkeypatch.setattr(native_recorder, "COMPILER_LIMITS", limits)
    trace = recorder.record(Program(f"{source}\nint f() {{ return 1; }}\n", "f()", language="cpp"))
    assert (trace.ending.reason, trace.result) == ("not_loaded", None)
    assert attack(recorder, "  return 1;").result == "1"
