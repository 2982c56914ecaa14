"""Traces of C++ programs: events, lines, variables and values."""

import subprocess
from pathlib import Path

import pytest

from worldline.analysis.alignment import align
from worldline.core.errors import RecorderError
from worldline.core.trace import Limits, Program, Step, Trace, trace_from_json, trace_to_json
from worldline.languages.cpp.cpp_compiler import find_compiler
from worldline.languages.cpp.gdb_recorder import GdbRecorder
from worldline.languages.native.gdb_runtime import find_gdb
from worldline.models.codecs import ANSWER_CODECS, CODECS, get_codec
from worldline.models.codecs.example_traces import MAX_SHOTS, example_traces

CONSTRUCTS = Path(__file__).parents[2] / "programs" / "cpp" / "constructs.cpp"
# Codecs that need the syntax tree.
PYTHON_CODECS = {"sparse"}


def record(recorder: GdbRecorder, source: str, call: str | None = None, stdin: str = "") -> Trace:
    return recorder.record(Program(source, call, stdin, "cpp"))


def events(trace: Trace, *, first_scope: int = 1) -> list[str]:
    """The steps of the called function and below, as "event line changes"."""

    def text(step: Step) -> str:
        changed = " ".join(f"{name}={value}" for name, value in step.changed.items())
        gone = " ".join(f"-{name}" for name in step.gone)
        value = f"= {step.value}" if step.value is not None else ""
        return " ".join(filter(None, [step.event, str(step.line), changed, gone, value]))

    return [text(step) for step in trace.steps if step.scope >= first_scope]


@pytest.mark.parametrize(
    ("source", "call", "expected"),
    [
        (
            "int f(int n) {\n  int y = n * 2;\n  return y + 1;\n}",
            "f(3)",
            ["call 1 n=3", "line 2", "line 3 y=6", "return 3 = 7"],
        ),
        # Several statements on a line have one event; a loop has one for each test.
        (
            "int g(int i) { return i; }\nvoid f() {\n  for (int i = 0; i < 2; i++) {\n    g(i);\n  }\n"
            "  int k = 0; while (k < 2) k++;\n}",
            "f()",
            [
                *("call 2", "line 3", "line 4 i=0", "call 1 i=0", "line 1", "return 1 = 0"),
                *("line 3", "line 4 i=1", "call 1 i=1", "line 1", "return 1 = 1", "line 3"),
                *("line 6 -i", "line 6 k=1", "line 6 k=2", "return 6 = void"),
            ],
        ),
        # A statement of several lines is one event; variables of a block vanish with it.
        (
            "int f(int a) {\n  int b = a +\n    1;\n  if (b > 0)\n  {\n    int c = b;\n    b += c;\n"
            "  }\n  return\n    b;\n}",
            "f(1)",
            [
                *("call 1 a=1", "line 2", "line 4 b=2", "line 6", "line 7 c=2", "line 9 b=4 -c"),
                "return 9 = 4",
            ],
        ),
        # Exceptions: in each function that they leave, and where they are caught; destructors run.
        (
            "struct D {\n  ~D() {\n    n = 0;\n  }\n  int n = 5;\n};\n"
            "int g() {\n  D d;\n  throw 7;\n}\n"
            "int f() {\n  try {\n    g();\n  } catch (int e) {\n    return e;\n  }\n  return 0;\n}",
            "f()",
            [
                *("call 11", "line 13", "call 7", "line 8", "line 9 d=D{.n = 5}"),
                *("exception 9 = 7", "call 2 this=D{.n = 5}", "line 3"),
                *("return 3 = void", "return 9", "exception 13 = 7", "line 15 e=7"),
                "return 15 = 7",
            ],
        ),
        # A handler that is reached shows its variable; one that nothing reaches was left out.
        (
            '#include <stdexcept>\nint g() noexcept { return 1; }\nint f() {\n  try {\n    throw std::runtime_error("no");\n'
            "  } catch (const std::exception& e) {\n    try {\n      return g();\n    } catch (const std::exception& x) {\n"
            "      return -1;\n    }\n  }\n}",
            "f()",
            [
                *("call 3", "line 5", 'exception 5 = std::runtime_error("no")'),
                *('line 8 e=std::runtime_error("no")', "call 2", "line 2", "return 2 = 1"),
                "return 8 = 1",
            ],
        ),
    ],
)
def test_events(recorder: GdbRecorder, source: str, call: str, expected: list[str]) -> None:
    trace = record(recorder, source, call)
    assert trace.is_complete, trace.ending
    assert events(trace) == expected


# Declarations, and the texts of the values.
VALUES = {
    "int un;": "<uninitialized>",
    "bool bo = true;": "true",
    "char ch = '\\'';": "'\\''",
    "unsigned char uc = 200;": "200",
    "long lo = -5;": "-5",
    "unsigned long ul = -1;": "18446744073709551615",
    "double do_ = 0.1 + 0.2;": "0.30000000000000004",
    "float fl = 0.1f;": "0.1",
    "double in = -INFINITY;": "-inf",
    'std::string st = "a\\n\\"\\\\\\x01é";': '"a\\n\\"\\\\\\001é"',
    "std::string lg(40, 'x');": '"' + "x" * 40 + '"',
    'const char* cs = "c";': '"c"',
    "int* np = nullptr;": "nullptr",
    "std::vector<int> ve = {1, 2};": "{1, 2}",
    "std::vector<bool> vb = {true, false};": "{true, false}",
    'std::vector<std::vector<std::string>> vv = {{"a"}, {}};': '{{"a"}, {}}',
    "std::array<int, 2> ar = {1, 2};": "{1, 2}",
    "int ca[2][2] = {{1, 2}, {3, 4}};": "{{1, 2}, {3, 4}}",
    "std::deque<int> dq(300, 1);": "{" + ", ".join(["1"] * 300) + "}",
    'std::list<std::string> li = {"a", "b"};': '{"a", "b"}',
    "std::set<int> se = {3, 1, 2};": "std::set{1, 2, 3}",
    'std::map<std::string, double> ma = {{"b", 2}, {"a", 1.5}};': 'std::map{{"a", 1.5}, {"b", 2.0}}',
    "std::map<char, int> me;": "std::map{}",
    'std::unordered_map<std::string, int> um = {{"k", 1}};': 'std::unordered_map{{"k", 1}}',
    'std::pair<std::string, int> pa = {"q", 1};': 'std::pair{"q", 1}',
    "std::tuple<int, char, bool> tu = {1, 'c', false};": "std::tuple{1, 'c', false}",
    "std::optional<int> op = 3, on;": "3",
    "std::unique_ptr<int> up = std::make_unique<int>(5);": "&5",
    'std::variant<int, std::string> va = "v";': '"v"',
    "std::stack<int> sk; sk.push(1); sk.push(2);": "std::stack{1, 2}",
    'Point po{1, "n", Color::green};': 'Point{.x = 1, .name = "n", .color = Color::green}',
    "auto la = [&]() { return un; };": "<lambda>",
    "auto it = ve.begin();": "<iterator>",
    "std::function<int()> fu = la;": "<function>",
    'std::out_of_range ex("no");': 'std::out_of_range("no")',
}


def test_values(recorder: GdbRecorder) -> None:
    source = (
        "#include <bits/stdc++.h>\nenum class Color { red, green };\n"
        "struct Point { int x; std::string name; Color color; };\nvoid f() {\n  "
        + "\n  ".join(VALUES)
        + "\n  return;\n}\n"
    )
    trace = record(recorder, source, "f()")
    assert trace.ending.reason == "finished", trace.ending
    shown = next(
        state
        for step, state in zip(reversed(trace.steps), reversed(list(trace.states())), strict=True)
        if step.event == "line" and step.scope == 1
    )
    names = [name for name in shown if name != "on"]
    assert dict(zip(VALUES, (shown[name] for name in names), strict=True)) == VALUES
    assert shown["on"] == "std::nullopt"
    for text in shown.values():
        assert trace.program.values.compare_values(text, text).is_same


RETURNS = {
    "Small": ("Small{1.5f, 7}", "Small{.a = 1.5, .b = 7}"),
    "double": ("0.5", "0.5"),
    "bool": ("true", "true"),
    "std::pair<int, int>": ("{3, 4}", "std::pair{3, 4}"),
    "std::tuple<int, int>": ("{3, 4}", "std::tuple{3, 4}"),
    "std::optional<int>": ("std::nullopt", "std::nullopt"),
    "std::vector<int>": ("{1, 2, 3}", "{1, 2, 3}"),
    "const char*": ('"text"', '"text"'),
    "long double": ("2.5L", "2.5"),
}


def test_returned_values(recorder: GdbRecorder) -> None:
    functions = [
        f"{type} f{number}() {{ return {value}; }}"
        for number, (type, (value, _)) in enumerate(RETURNS.items())
    ]
    calls = "".join(f"f{number}(); " for number in range(len(RETURNS)))
    source = (
        "#include <optional>\n#include <tuple>\n#include <vector>\n"
        "struct Small { float a; int b; };\n"
        + "\n".join(functions)
        + f"\nvoid all() {{\n  {calls}\n}}\n"
    )
    trace = record(recorder, source, "all()")
    returned = [step.value for step in trace.steps if step.event == "return"]
    assert returned[: len(RETURNS)] == [text for _, text in RETURNS.values()]


def test_a_long_value_is_shortened(recorder: GdbRecorder) -> None:
    source = (
        "#include <string>\n#include <vector>\nstd::vector<int> f() {\n"
        "  std::string s(5000, 'x');\n  return std::vector<int>(500, 7);\n}\n"
    )
    trace = recorder.record(Program(source, "f()", language="cpp"), limits=Limits(value_chars=100))
    assert trace.steps[4].changed["s"] == '"' + "x" * 99 + "… <cut: 5002 characters>"
    assert trace.result is not None
    assert trace.result.endswith("… <cut: more than 100 characters>")


@pytest.fixture(scope="module")
def constructs(recorder: GdbRecorder) -> Trace:
    return record(recorder, CONSTRUCTS.read_text(), "everything(3)")


def test_every_construct_gives_the_result_of_the_plain_program(
    constructs: Trace, tmp_path: Path
) -> None:
    assert constructs.is_complete, constructs.ending
    source = tmp_path / "plain.cpp"
    main = '\n#include <cstdio>\nint main() { for (int n : everything(3)) printf("%d ", n); }\n'
    source.write_text(CONSTRUCTS.read_text() + main)
    program = tmp_path / "plain"
    subprocess.run(
        [find_compiler().path, "-std=c++20", str(source), "-o", str(program)], check=True
    )
    plain = subprocess.run([str(program)], capture_output=True, text=True, check=True)
    assert constructs.result == f"{{{', '.join(plain.stdout.split())}}}"
    assert trace_from_json(trace_to_json(constructs)) == constructs


def test_calls_are_on_the_lines_of_the_functions_in_the_text(constructs: Trace) -> None:
    lines = {
        function.line for function in constructs.program.syntax.functions(constructs.program.text)
    }
    assert {step.line for step in constructs.steps if step.event == "call"} <= lines
    names = {scope.function for scope in constructs.scopes}
    assert {"Counter::Counter", "Counter::~Counter", "Counter::operator<", "largest"} <= names
    assert "<lambda>" in names


def test_objects_of_derived_classes_and_arrays(constructs: Trace) -> None:
    (scope,) = [n for n, scope in enumerate(constructs.scopes) if scope.function == "measure"]
    shown = [dict(step.changed) for step in constructs.steps if step.scope == scope]
    unset = "<uninitialized>"
    assert shown[:4] == [
        {"shape": "Square{.side = 2}"},
        {"calls": "0"},
        {"calls": "1"},
        {"last": f"{{{unset}, {unset}}}"},
    ]
    assert [step["last"] for step in shown[4:] if "last" in step] == [f"{{4, {unset}}}", "{4, 4}"]


@pytest.mark.parametrize(
    "name", [name for name in CODECS if name not in {*ANSWER_CODECS, *PYTHON_CODECS}]
)
def test_every_codec_reads_what_it_writes(constructs: Trace, name: str) -> None:
    codec = get_codec(name)
    decoded = codec.decode("".join(codec.encode(constructs)), constructs.program)
    alignment = align(constructs, decoded)
    assert alignment.is_complete, alignment
    assert alignment.matched_steps == len(constructs.steps)


def test_the_stored_examples_are_what_the_recorder_records(recorder: GdbRecorder) -> None:
    for trace in example_traces(MAX_SHOTS, "cpp"):
        recorded = recorder.record(trace.program)
        assert (recorded.steps, recorded.ending) == (trace.steps, trace.ending)


def test_a_program_with_main_reads_and_prints(recorder: GdbRecorder) -> None:
    source = '#include <cstdio>\nint main() {\n  int n;\n  scanf("%d", &n);\n  printf("%d\\n", n * 2);\n}\n'
    trace = record(recorder, source, stdin="21\n")
    assert (trace.ending.reason, trace.result, trace.stdout) == ("finished", "0", "42\n")
    assert events(trace, first_scope=0) == [
        *("call 2", "line 3", "line 4 n=<uninitialized>", "line 5 n=21", "return 5 = 0")
    ]
    # The same main is not executed if there is a call.
    source = f"int f() {{ return 1; }}\n{source}"
    assert record(recorder, source, "f()").stdout == ""


# One executable: the number comes from the input.
ENDINGS = """\
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <vector>
int number() {
  int k;
  scanf("%d", &k);
  return k;
}
int f(int k) {
  std::vector<int> v{1};
  switch (k) {
    case 0: return v.at(5);
    case 1: assert(k == 2);
    case 2: std::exit(3);
    case 3: std::abort();
    case 4: return *(volatile int*)nullptr;
    case 5: return f(5);
    case 6: return std::vector<char>(2000000000)[1];
  }
  return 0;
}
"""


@pytest.mark.parametrize(
    ("number", "reason", "detail"),
    [
        (0, "raised", 'std::out_of_range("vector::_M_range_check'),
        (1, "raised", "assert(k == 2)"),
        (2, "exited", "3"),
        (3, "killed", "SIGABRT"),
        (4, "killed", "SIGSEGV"),
        (5, "step_limit", "more than 500 steps"),
        (6, "memory_limit", "more than 256 MB"),
    ],
)
def test_endings(recorder: GdbRecorder, number: int, reason: str, detail: str) -> None:
    trace = recorder.record(
        Program(ENDINGS, "f(number())", str(number), "cpp"),
        limits=Limits(steps=500, memory_mb=256, seconds=60),
    )
    assert trace.ending.reason == reason, trace.ending
    assert trace.ending.detail.startswith(detail)
    assert trace.is_complete == (reason == "raised")


def test_a_program_that_does_not_compile(recorder: GdbRecorder) -> None:
    trace = record(recorder, "int f() {\n  return x;\n}", "f()")
    assert trace.ending.reason == "not_loaded"
    assert "program.cpp:2:10: error: 'x' was not declared" in trace.ending.detail


def test_a_missing_tool_says_what_to_install() -> None:
    with pytest.raises(RecorderError, match=r"there is no no-such-gdb: pip install 'worldline"):
        find_gdb("no-such-gdb")
    with pytest.raises(RecorderError, match=r"there is no no-such-g\+\+: install g\+\+ 12"):
        find_compiler("no-such-g++")
