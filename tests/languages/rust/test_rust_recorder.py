"""Traces of Rust programs: events, lines, variables and values."""

from dataclasses import replace
from pathlib import Path

import pytest

from worldline.analysis.alignment import align
from worldline.core.errors import RecorderError
from worldline.core.trace import Limits, Program, Step, Trace, trace_from_json, trace_to_json
from worldline.core.util.cache_folder import cache_folder
from worldline.languages.rust.rust_compiler import find_compiler
from worldline.languages.rust.rust_recorder import RustRecorder
from worldline.languages.rust.rust_values import parse_literal
from worldline.models.codecs import ANSWER_CODECS, CODECS, get_codec
from worldline.models.codecs.example_traces import MAX_SHOTS, example_traces

PROGRAMS = Path(__file__).parents[2] / "programs" / "rust"
# Codecs that need the syntax tree.
PYTHON_CODECS = {"sparse"}


def record(recorder: RustRecorder, source: str, call: str | None = None, stdin: str = "") -> Trace:
    return recorder.record(Program(source, call, stdin, "rust"), limits=Limits(seconds=60))


def events(trace: Trace, *, first_scope: int = 1) -> list[str]:
    """The steps of the called function and below, as "event line changes"."""

    def text(step: Step) -> str:
        changed = " ".join(f"{name}={value}" for name, value in step.changed.items())
        gone = " ".join(f"-{name}" for name in step.gone)
        value = f"= {step.value}" if step.value is not None else ""
        return " ".join(filter(None, [step.event, str(step.line), changed, gone, value]))

    return [text(step) for step in trace.steps if step.scope >= first_scope]


@pytest.fixture(scope="module")
def constructs(recorder: RustRecorder) -> Trace:
    return record(recorder, (PROGRAMS / "constructs.rs").read_text(), "everything(3)")


def steps_of(trace: Trace, function: str, activation: int = 0) -> list[str]:
    """The steps of an activation of a function, without those of the functions that it calls."""
    scopes = [n for n, scope in enumerate(trace.scopes) if scope.function == function]
    scope = scopes[activation]
    return [
        line
        for line, step in zip(events(trace, first_scope=0), trace.steps, strict=True)
        if step.scope == scope
    ]


def test_loops_branches_and_variables(constructs: Trace) -> None:
    assert constructs.result == "[4, 15, -1, 4, 3, 3, 2, 5, 0, 4]"
    assert steps_of(constructs, "loops") == [
        *("call 65 n=3", "line 66", "line 67 sum=0", "line 68 i=0", "line 71", "line 67"),
        *("line 68 i=1", "line 67", "line 68 i=2", "line 71", "line 67 sum=2", "line 73 -i"),
        *("line 75 k=3", "line 76 k=2", "line 75", "line 76 k=1", "line 75", "line 76 k=0"),
        *("line 80", "line 80 k=1", "line 80 k=2", "line 82", "line 84"),
        # The guard of an arm on the same line as an assignment: see docs/reference/rust.md.
        *("line 86 label=<uninitialized>", "line 87 sum=12", 'line 91 label="two"', "return 91 = 15"),
    ]  # fmt: skip


def test_a_variable_whose_value_was_moved_is_gone(constructs: Trace) -> None:
    assert steps_of(constructs, "group")[:5] == [
        *("call 94 values=[1, 2, 3]", "line 95", "line 96 groups={}", "line 97 value=1 -values"),
        'line 98 key="odd"',
    ]


def test_methods_closures_and_generic_functions(constructs: Trace) -> None:
    assert steps_of(constructs, "Square::area") == [
        "call 35 self=Square { side: 2 }",
        "line 36",
        "return 36 = 4",
    ]
    assert steps_of(constructs, "Counter::add") == [
        'call 14 self=Counter { total: 1, name: "a" } k=3',
        *("line 15", 'line 16 self=Counter { total: 4, name: "a" }', "return 16 = 4"),
    ]
    assert steps_of(constructs, "largest")[-3:] == ["line 42", "line 47 -item", "return 47 = 3"]
    assert steps_of(constructs, "<closure>", 2) == [
        "call 104 value=1",
        "line 105 limit=2",
        "return 105 = false",
    ]
    assert steps_of(constructs, "parse", 1) == [
        *('call 115 text="x"', "line 116", "return 116 = Err(ParseIntError { kind: InvalidDigit })")
    ]


def test_a_panic_leaves_functions_and_is_caught(constructs: Trace) -> None:
    text = 'panic!("attempt to divide by zero")'
    assert steps_of(constructs, "divide") == [
        "call 50 a=3 b=0",
        "line 51",
        f"exception 51 = {text}",
        "return 51",
    ]
    assert steps_of(constructs, "<closure>")[-2:] == [f"exception 57 = {text}", "return 57"]
    assert steps_of(constructs, "safely")[-3:] == [
        "line 59 result=Err(<dyn Any>)",
        "line 61",
        "return 61 = -1",
    ]


def test_values_are_written_as_by_debug(recorder: RustRecorder) -> None:
    """The program prints each value itself."""
    source = (PROGRAMS / "values.rs").read_text()
    trace = record(recorder, source, "returns()")
    returned = [step.value for step in trace.steps if step.event == "return"]
    assert returned[:-2] == trace.stdout.splitlines()
    assert len(returned) == 27
    trace = record(recorder, source, "locals()")
    assert len(trace.stdout.splitlines()) > 25
    values = {value for step in trace.steps for value in step.changed.values()}
    assert set(trace.stdout.splitlines()) <= values


def test_a_trace_survives_storage_and_is_the_same_again(
    recorder: RustRecorder, constructs: Trace
) -> None:
    assert trace_from_json(trace_to_json(constructs)) == constructs
    again = recorder.record(constructs.program, limits=constructs.limits)
    assert again.steps == constructs.steps
    assert constructs.origin.recorder == "gdb"
    assert constructs.origin.python == find_compiler().version


def test_the_order_of_a_hash_map_does_not_change(recorder: RustRecorder) -> None:
    source = "use std::collections::HashMap;\nfn f() -> Vec<i32> {\n    let m: HashMap<i32, ()> = (0..9).map(|n| (n, ())).collect();\n    m.into_keys().collect()\n}\n"
    results = {record(recorder, source, "f()").result for _ in range(3)}
    assert len(results) == 1
    assert sorted(parse_literal(results.pop() or "")) == list(range(9))


@pytest.mark.parametrize(
    "name", [name for name in CODECS if name not in {*ANSWER_CODECS, *PYTHON_CODECS}]
)
def test_every_codec_reads_what_it_writes(constructs: Trace, name: str) -> None:
    codec = get_codec(name)
    decoded = codec.decode("".join(codec.encode(constructs)), constructs.program)
    alignment = align(constructs, decoded)
    assert alignment.is_complete, alignment
    assert alignment.matched_steps == len(constructs.steps)


def test_the_stored_examples_are_what_the_recorder_records(recorder: RustRecorder) -> None:
    for trace in example_traces(MAX_SHOTS, "rust"):
        recorded = recorder.record(trace.program)
        assert (recorded.steps, recorded.ending) == (trace.steps, trace.ending)


def test_a_program_with_main_reads_and_prints(recorder: RustRecorder) -> None:
    source = 'fn main() {\n    let mut s = String::new();\n    std::io::stdin().read_line(&mut s).unwrap();\n    print!("{}", s.trim().parse::<i32>().unwrap() * 2);\n}\n'
    trace = record(recorder, source, stdin="21\n")
    assert (trace.ending.reason, trace.result, trace.stdout) == ("finished", "()", "42")
    assert events(trace, first_scope=0) == [
        *("call 1", "line 2", 'line 3 s=""', 'line 4 s="21\\n"', "return 4 = ()")
    ]
    # The same main is not executed if there is a call.
    assert record(recorder, f"fn f() -> i32 {{ 1 }}\n{source}", "f()").stdout == ""


# One executable: the number comes from the input.
ENDINGS = """\
fn f(k: i32) -> i32 {
    match k {
        0 => [1, 2][std::hint::black_box(5)],
        1 => i32::MAX + k,
        2 => std::process::exit(3),
        3 => Vec::<u8>::with_capacity(1 << 40).len() as i32,
        4 => f(4) + 1,
        5 => { assert_eq!(k, 6, "no {}", "way"); 1 }
        6 => std::panic::panic_any(5),
        7 => std::thread::spawn(|| 2).join().unwrap(),
        _ => std::process::abort(),
    }
}
fn main() {
    let mut s = String::new();
    std::io::stdin().read_line(&mut s).unwrap();
    f(s.trim().parse().unwrap());
}
"""


@pytest.mark.parametrize(
    ("number", "reason", "detail"),
    [
        (0, "raised", 'panic!("index out of bounds: the len is 2 but the index is 5")'),
        (1, "raised", 'panic!("attempt to add with overflow")'),
        (2, "exited", "3"),
        (3, "memory_limit", "1,024 MB"),
        (4, "step_limit", ""),
        (5, "raised", 'panic!("assertion `left == right` failed: no way\\n  left: 5\\n right: 6")'),
        (6, "raised", "panic!(<value>)"),
        (7, "finished", ""),
        (8, "killed", "SIGABRT"),
    ],
)
def test_endings(recorder: RustRecorder, number: int, reason: str, detail: str) -> None:
    limits = Limits(seconds=60, steps=300)
    trace = recorder.record(Program(ENDINGS, None, f"{number}\n", "rust"), limits=limits)
    assert trace.ending.reason == reason
    assert detail in trace.ending.detail
    if number == 7:
        assert "threads were started; their steps were not recorded" in trace.notes


def test_a_program_that_does_not_compile(recorder: RustRecorder) -> None:
    trace = record(recorder, 'fn f() -> i32 { "a" }', "f()")
    assert (trace.ending.reason, trace.steps) == ("not_loaded", ())
    assert "mismatched types" in trace.ending.detail
    assert "program.rs:1:" in trace.ending.detail


def test_executables_are_linked_by_the_linker_of_the_toolchain(recorder: RustRecorder) -> None:
    compiler = find_compiler()
    if not compiler.linker:
        pytest.skip("this toolchain has no LLD")
    assert "link-arg=-fuse-ld=lld" in compiler.compile_command("program.rs")
    assert record(recorder, "fn f() -> i32 { 70 }", "f()").result == "70"
    programs = (cache_folder() / "rust" / "programs").iterdir()
    newest = max(programs, key=lambda file: file.stat().st_mtime)
    assert b"Linker: LLD" in newest.read_bytes()
    without = replace(compiler, linker="")
    assert "link-arg=-fuse-ld=lld" not in without.compile_command("program.rs")
    assert without.links == {}


def test_a_missing_tool_is_named() -> None:
    with pytest.raises(RecorderError, match=r"there is no no-such-rustc: install Rust 1\.70"):
        find_compiler("no-such-rustc")
    with pytest.raises(RecorderError, match=r"Rust programs need gdb, but .*worldline\[rust\]"):
        RustRecorder(gdb="no-such-gdb")._find_gdb()
