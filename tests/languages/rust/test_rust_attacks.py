"""Attacks in Rust on the sandbox, by the program and by its compilation: none may succeed."""

from dataclasses import replace
from pathlib import Path

import pytest

from worldline.core.trace import Limits, Program, Trace
from worldline.languages.native import native_recorder
from worldline.languages.rust.rust_recorder import RustRecorder

LIMITS = Limits(seconds=20, memory_mb=256, output_mb=1, steps=20_000)
HEAD = """\
use std::{fs, io, io::Write, net, os::unix::net::UnixStream, process::Command};
extern "C" {
    fn fork() -> i32;
    fn kill(pid: i32, signal: i32) -> i32;
    fn ptrace(request: i64, ...) -> i64;
    fn unshare(flags: i32) -> i32;
    fn getppid() -> i32;
    fn write(fd: i32, data: *const u8, size: usize) -> isize;
}
"""


def attack(
    recorder: RustRecorder, body: str, *, limits: Limits = LIMITS, before: str = ""
) -> Trace:
    """Record the body of a function."""
    source = f"{HEAD}{before}\nfn attack() -> i32 {{\n{body}\n}}\n"
    return recorder.record(Program(source, "attack()", language="rust"), limits=limits)


# Expressions that are true if the attack succeeds; each is reported by its number.
ACTIONS = (
    'fs::read("/etc/passwd").is_ok()',
    'fs::read("/etc/shadow").is_ok()',
    'fs::read("/proc/self/environ").is_ok()',
    'fs::write("/usr/new", "a").is_ok()',
    'fs::read_dir("/").is_ok()',
    'fs::read("SECRET").is_ok()',
    'net::TcpStream::connect("127.0.0.1:80").map_or_else(|e| e.kind() == io::ErrorKind::ConnectionRefused, |_| true)',
    'net::TcpListener::bind("127.0.0.1:0").is_ok()',
    'net::UdpSocket::bind("0.0.0.0:0").is_ok()',
    'UnixStream::connect("/run/socket").map_or_else(|e| e.kind() == io::ErrorKind::NotFound, |_| true)',
    'Command::new("/bin/ls").output().is_ok()',
    'Command::new("/bin/sh").spawn().is_ok()',
    'Command::new("PROGRAM").spawn().is_ok()',
    'fs::remove_file("PROGRAM").is_ok()',
    "unsafe { kill(1, 9) } == 0",
    "unsafe { write(3, std::ptr::null(), 0) } >= 0",
    "unsafe { write(4, std::ptr::null(), 0) } >= 0",
    "unsafe { write(100, std::ptr::null(), 0) } >= 0",
    "unsafe { write(101, std::ptr::null(), 0) } >= 0",
)


def test_files_network_and_processes_are_out_of_reach(
    recorder: RustRecorder, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    assert recorder._folder is not None
    program = str(Path(recorder._folder.name) / "program")
    body = "".join(
        f'    if {action} {{ println!("{number}"); }}\n' for number, action in enumerate(ACTIONS)
    )
    # What is allowed is reported, too.
    body += '    if fs::File::open("/dev/null").is_ok() { print!("allowed"); }\n    1'
    body = body.replace("SECRET", str(secret)).replace("PROGRAM", program)
    trace = attack(recorder, body)
    assert (trace.result, trace.stdout) == ("1", "allowed"), trace.ending


@pytest.mark.parametrize("call", ["ptrace(0, 0, 0, 0)", "unshare(0x10000000) as i64"])
def test_calls_that_only_an_attack_needs_end_the_program(recorder: RustRecorder, call: str) -> None:
    trace = attack(recorder, f"    unsafe {{ {call} }};\n    1")
    assert (trace.ending.reason, trace.result) == ("forbidden_call", None)


# On a busy machine, the limit on time can be the first that is reached.
@pytest.mark.parametrize(
    ("body", "reasons"),
    [
        ("    loop { std::hint::spin_loop(); }", {"step_limit", "time_limit"}),
        ("    let mut all = vec![]; loop { all.push(vec![1u8; 1 << 20]); }", {"memory_limit", "time_limit", "step_limit"}),
        ("    let data = [b'a'; 65536]; loop { io::stdout().write_all(&data).unwrap(); }", {"output_limit", "time_limit"}),
        ("    loop { unsafe { fork() }; }", {"step_limit", "time_limit", "killed"}),
        ("    loop { if unsafe { fork() } == 0 { loop {} } }", {"step_limit", "time_limit", "killed"}),
        ("    unsafe { kill(getppid(), 9) }; std::thread::sleep(std::time::Duration::from_secs(1)); 1", {"killed", "time_limit"}),
    ],
)  # fmt: skip
def test_bombs_end_at_a_limit(recorder: RustRecorder, body: str, reasons: set[str]) -> None:
    trace = attack(recorder, body, limits=replace(LIMITS, seconds=4, steps=2000))
    assert trace.ending.reason in reasons, trace.ending
    assert len(trace.stdout) <= LIMITS.output_mb * 1_000_000


def test_a_program_does_not_see_the_environment(recorder: RustRecorder) -> None:
    body = '    for (name, _) in std::env::vars() { println!("{name}"); }\n    1'
    names = set(attack(recorder, body).stdout.splitlines())
    # gdb adds the size of a terminal.
    assert {"LC_ALL", "TZ"} <= names <= {"LC_ALL", "TZ", "LINES", "COLUMNS"}


def test_memory_is_limited(recorder: RustRecorder) -> None:
    body = "    let mut v: Vec<u8> = Vec::new();\n    v.try_reserve_exact(MB << 20).is_ok() as i32"
    assert attack(recorder, body.replace("MB", "300")).result == "0"
    assert attack(recorder, body.replace("MB", "200")).result == "1"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ('const A: &str = include_str!("/etc/shadow");', "couldn't read"),
        ('const A: &str = include_str!("/etc/passwd");', "couldn't read"),
        ('const A: &[u8] = include_bytes!("/proc/self/environ");', "couldn't read"),
        ('#[path = "/etc/passwd"] mod secret;', "couldn't read"),
        ('const A: &str = env!("HOME");', "not defined"),
        ('const A: &str = env!("USER");', "not defined"),
        ("macro_rules! m { ($($t:tt)*) => { m!($($t)* a); }; }\nm!();", "recursion limit"),
        ("const fn f(n: u64) -> u64 { f(n + 1) }\nconst A: u64 = f(0);", "reached the configured maximum"),
    ],
)  # fmt: skip
def test_the_compiler_cannot_read_files_and_variables_of_the_host(
    recorder: RustRecorder, source: str, message: str
) -> None:
    trace = recorder.record(Program(f"{source}\nfn g() -> i32 {{ 1 }}\n", "g()", language="rust"))
    assert trace.ending.reason == "not_loaded"
    assert message in trace.ending.detail


@pytest.mark.parametrize(
    "source",
    [
        # A constant that takes for ever to compute.
        "const A: u64 = { let mut n = 0u64; while n < u64::MAX { n += 1; } n };\nfn g() -> u64 { A }",
        # 2 ** 40 tokens.
        "#![recursion_limit = \"100000\"]\nmacro_rules! m { (a $($t:tt)*) => { m!($($t)*) + m!($($t)*) }; () => { 1 }; }\n"
        f"fn g() -> i32 {{ m!({'a ' * 40}) }}",
        # An executable of 8 GB.
        "static A: [u8; 1 << 33] = [1; 1 << 33];\nfn g() -> u8 { A[5] }",
    ],
)  # fmt: skip
def test_bombs_for_the_compiler_end_at_its_limits(
    recorder: RustRecorder, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = Limits(seconds=4, memory_mb=600, output_mb=20, trace_mb=1)
    monkeypatch.setattr(native_recorder, "COMPILER_LIMITS", limits)
    trace = recorder.record(Program(source, "g()", language="rust"))
    assert (trace.ending.reason, trace.result) == ("not_loaded", None)


def test_the_recorder_is_still_usable(recorder: RustRecorder) -> None:
    assert attack(recorder, "    1").result == "1"
