"""Traces of Go programs: events, lines, variables, values and endings."""

from pathlib import Path

import pytest

from worldline.analysis.alignment import align
from worldline.core.trace import Limits, Program, Step, Trace, trace_from_json, trace_to_json
from worldline.languages.go.go_recorder import GoRecorder
from worldline.models.codecs import ANSWER_CODECS, CODECS, get_codec

EVENTS = (Path(__file__).parents[2] / "programs" / "go" / "events.go").read_text()
# Codecs that need the syntax tree.
PYTHON_CODECS = {"sparse"}


def record(
    recorder: GoRecorder,
    source: str,
    call: str | None = None,
    *,
    stdin: str = "",
    limits: Limits | None = None,
) -> Trace:
    return recorder.record(Program(source, call, stdin, "go"), limits=limits)


def step_text(step: Step) -> str:
    changed = " ".join(f"{name}={value}" for name, value in step.changed.items())
    gone = " ".join(f"-{name}" for name in step.gone)
    value = f"= {step.value}" if step.value is not None else ""
    return " ".join(filter(None, [step.event, str(step.line), changed, gone, value]))


def events(trace: Trace, function: str, *, activation: int = 0) -> list[str]:
    """The steps of an activation of a function, as "event line changes"."""
    scopes = [n for n, scope in enumerate(trace.scopes) if scope.function == function]
    return [step_text(step) for step in trace.steps if step.scope == scopes[activation]]


@pytest.fixture(scope="module")
def trace(recorder: GoRecorder) -> Trace:
    return record(recorder, EVENTS, "all()")


INDEX = 'runtime.Error("runtime error: index out of range [3] with length 0")'


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        ("twice", ["call 9 n=3", "line 10", "line 11 y=6", "return 11 = 7"]),
        # Several statements on a line have one event.
        ("oneLine", ["call 14", "line 14", "return 14 = 2"]),
        # A loop has one before each test.
        (
            "forLoop",
            ["call 16", "line 17", "line 18 i=0", "line 17", "line 18 i=1", "line 17"]
            + ["return 17 = void"],
        ),
        # The variables of a `range` are visible in its body; `continue` goes to the loop.
        (
            "forEach",
            ["call 22 xs=[]int{1, 2, 3}", "line 23", "line 24 sum=0", "line 25 i=0 x=1"]
            + ["line 28", "line 24 sum=1 -i -x", "line 25 i=1 x=2", "line 26", "line 24 -i -x"]
            + ["line 25 i=2 x=3", "line 28", "line 24 sum=4 -i -x", "line 30", "return 30 = 4"],
        ),
        (
            "whileLoops",
            ["call 33", "line 34", "line 35 k=0", "line 36", "line 35 k=1", "line 36"]
            + ["line 35 k=2", "line 38", "line 39", "line 42", "line 39 k=3", "line 40"]
            + ["line 44", "return 44 = 3"],
        ),
        # Cases are tested one after the other; a `switch` without a value has no event.
        (
            "branches",
            ["call 47 n=4", "line 48", "line 50 m=1", "line 51", "line 55 n=5 -m", "line 56"]
            + ["line 58", "line 59", "line 62 n=20", "line 64", "line 65", 'return 65 = "large"'],
        ),
        # A variable hides another one of the same name in its block.
        (
            "shadows",
            ["call 71 x=1", "line 72", "line 73", 'line 74 x="inner"', "line 76 x=1"]
            + ["return 76 = 1"],
        ),
        # The variables that a function literal captures are its parameters.
        ("closures.func1", ["call 80 x=1 n=4", "line 81", "line 82 z=5", "return 82 = 5"]),
        # A panic: in each function that it leaves, and where deferred functions begin.
        ("fail", ["call 87", "line 88", "line 89 xs=[]int(nil)", f"exception 89 = {INDEX}"]
            + ["return 89"]),
        (
            "recovered",
            ["call 92", 'line 93 text=""', "line 98", f"exception 98 = {INDEX}"]
            + ['return 98 = "recovered: runtime error: index out of range [3] with length 0"'],
        ),
        (
            "results",
            ["call 102 n=3", "line 103 half=0 err=nil", "line 104"]
            + ['return 104 = (0, errors.New("odd"))'],
        ),
        # The order of a map is that of its keys.
        (
            "counts",
            ['call 110 words=map[string]int{"a": 1, "b": 2, "c": 3}', "line 111"]
            + ["line 112 keys=[]string(nil)", 'line 113 key="a" count=1', "line 112 -key -count"]
            + ['line 113 key="b" count=2', "line 114", 'line 112 keys=[]string{"b"} -key -count']
            + ['line 113 key="c" count=3', "line 114"]
            + ['line 112 keys=[]string{"b", "c"} -key -count', "line 117"]
            + ['return 117 = []string{"b", "c"}'],
        ),
        (
            "labels",
            ["call 120", "line 121", "line 123 n=0", "line 124 i=0", "line 125 j=0", "line 128"]
            + ["line 124 n=1", "line 125 j=1", "line 126", "line 123 -j", "line 124 i=1"]
            + ["line 125 j=0", "line 128", "line 124 n=2", "line 125 j=1", "line 126"]
            + ["line 123 -j", "line 131 -i", "return 131 = 2"],
        ),
        ("kinds", ["call 134 value=1", "line 135", "line 137 v=1", 'return 137 = "2"']),
        (
            "(*Stack).Push",
            ["call 148 s=&Stack{items: []int(nil)} n=5", "line 149", "return 149 = void"],
        ),
        ("First", ['call 152 xs=[]string{"a"}', "line 153", 'return 153 = "a"']),
    ],
)  # fmt: skip
def test_events(trace: Trace, function: str, expected: list[str]) -> None:
    assert trace.is_complete, trace.ending
    assert events(trace, function) == expected


def test_deferred_functions_follow_the_panic(trace: Trace) -> None:
    names = [scope.function for scope in trace.scopes]
    scopes = {name: names.index(name) for name in ("recovered", "recovered.func1")}
    steps = [(step.event, step.scope) for step in trace.steps]
    panic = steps.index(("exception", scopes["recovered"]))
    assert steps.index(("call", scopes["recovered.func1"])) == panic + 1


def test_goroutines_have_a_thread_of_their_own(recorder: GoRecorder) -> None:
    trace = record(recorder, EVENTS, "threads()")
    assert trace.result == "7"
    names = [scope.function for scope in trace.scopes]
    scope = names.index("threads.func1")
    assert {step.thread for step in trace.steps if step.scope == scope} == {1}
    assert {step.thread for step in trace.steps if step.scope != scope} == {0}


def test_codecs_and_files_keep_a_trace(trace: Trace) -> None:
    assert trace_from_json(trace_to_json(trace)) == trace
    for name in sorted(set(CODECS) - PYTHON_CODECS - set(ANSWER_CODECS)):
        codec = get_codec(name)
        decoded = codec.decode("".join(codec.encode(trace)), trace.program)
        alignment = align(trace, decoded)
        assert alignment.is_complete, (name, alignment)
        assert alignment.matched_steps == len(trace.steps)


VALUES = {
    '"a\\n\\"é\\x00"': '"a\\n\\"é\\x00"',
    '"\\xff"': '"\\xff"',
    "'a'": "rune(97)",
    "int8(-1)": "int8(-1)",
    "[]float64{1, 0.30000000000000004, 1e21, math.Inf(1), math.NaN()}": "[]float64{1.0, 0.30000000000000004, 1e+21, +Inf, NaN}",
    "float32(1) / 3": "float32(0.33333334)",
    "[2]bool{true}": "[2]bool{true, false}",
    "[][]int{{1}, nil, {}}": "[][]int{{1}, nil, {}}",
    '[]byte("ab")': "[]byte{97, 98}",
    '[]rune("é")': "[]rune{233}",
    'map[string][]int{"b": {1}, "a": nil}': 'map[string][]int{"a": nil, "b": {1}}',
    "map[string]int(nil)": "map[string]int(nil)",
    '[]any{1, "a", nil, 2.0, int64(3)}': '[]any{1, "a", nil, 2.0, int64(3)}',
    "Point{1, 2}": "Point{X: 1, Y: 2}",
    "[]Point{{1, 2}}": "[]Point{{X: 1, Y: 2}}",
    "&Point{1, 2}": "&Point{X: 1, Y: 2}",
    "struct{ A int }{1}": "struct{A int}{A: 1}",
    "(*Point)(nil)": "nil",
    "cycle()": "&Node{Next: <circular>}",
    'errors.New("no")': 'errors.New("no")',
    'fmt.Errorf("no: %w", errors.New("x"))': 'fmt.Errorf("no: x")',
    "Color(2)": "Color(2)",
    "func() {}": "<func>",
    "make(chan int)": "<chan int>",
    "&sync.Mutex{}": "&<sync.Mutex>",
    "builder()": 'strings.Builder("ab")',
    "complex(1, -2)": "(1-2i)",
    "time.Second": "time.Duration(1000000000)",
    "Secret{1}": "Secret{n: 1}",
}


def test_values(recorder: GoRecorder) -> None:
    calls = "\n".join(f"\tshow({expression})" for expression in VALUES)
    source = f"""package main
import ("errors"; "fmt"; "math"; "strings"; "sync"; "time")
type Point struct {{ X, Y int }}
type Node struct {{ Next *Node }}
type Color int
type Secret struct {{ n int }}
func (s Secret) String() string {{ panic("not called") }}
func cycle() *Node {{ n := &Node{{}}; n.Next = n; return n }}
func builder() strings.Builder {{ var b strings.Builder; b.WriteString("ab"); return b }}
func show(value any) {{}}
func f() {{
{calls}
}}
"""
    trace = record(recorder, source, "f()")
    assert trace.is_complete, trace.ending
    names = [scope.function for scope in trace.scopes]
    shown = [
        step.changed["value"]
        for step in trace.steps
        if step.event == "call" and names[step.scope] == "show"
    ]
    assert dict(zip(VALUES, shown, strict=True)) == VALUES


ENDINGS = """package main
import ("bufio"; "fmt"; "os")
type failure struct { code int }
func (f failure) Error() string { return fmt.Sprint("code ", f.code) }
func raised() { panic(failure{3}) }
func divided(n int) int { return 1 / n }
func left() { fmt.Println("bye"); os.Exit(3) }
func locked() { <-make(chan int) }
func endless() { for { } }
func deep(n int) int { return deep(n + 1) + 1 }
func large() int { xs := [][]byte{}; for { xs = append(xs, make([]byte, 1 << 24)); for i := range xs[len(xs)-1] { xs[len(xs)-1][i] = 1; i += 1000 } } }
func printed() { text := make([]byte, 1 << 16); for { fmt.Println(string(text)) } }
func input() string { line, _ := bufio.NewReader(os.Stdin).ReadString('\\n'); return line }
func thread() { done := make(chan int); go func() { panic("in a goroutine") }(); <-done }
func choose(name string) any {
	switch name {
	case "raised": raised()
	case "divided": return divided(0)
	case "left": left()
	case "locked": locked()
	case "endless": endless()
	case "deep": return deep(0)
	case "large": return large()
	case "printed": printed()
	case "input": return input()
	case "thread": thread()
	}
	return nil
}
"""


@pytest.mark.parametrize(
    ("name", "reason", "detail"),
    [
        ("raised", "raised", "code 3"),
        ("divided", "raised", "runtime error: integer divide by zero"),
        ("left", "exited", "3"),
        ("locked", "raised", "fatal error: all goroutines are asleep - deadlock!"),
        ("endless", "step_limit", "more than 2,000 steps"),
        ("deep", "step_limit", "more than 2,000 steps"),
        ("printed", "output_limit", "more than 1 MB printed"),
        ("thread", "raised", "in a goroutine"),
    ],
)
def test_endings(recorder: GoRecorder, name: str, reason: str, detail: str) -> None:
    source = ENDINGS.replace("choose(name string)", "choose()").replace(
        "switch name", f'switch "{name}"'
    )
    limits = Limits(steps=2000, output_mb=1, seconds=20)
    trace = record(recorder, source, "choose()", limits=limits)
    assert (trace.ending.reason, trace.ending.detail) == (reason, detail)
    assert len(trace.steps) > 3
    assert trace.stdout == "bye\n" or name != "left"


def test_memory_and_time_are_limited(recorder: GoRecorder) -> None:
    source = "package main\nfunc f() int {\n\txs := make([]byte, 1<<30)\n\tfor i := 0; i < len(xs); i += 4096 { xs[i] = 1 }\n\treturn 1\n}\n"
    trace = record(recorder, source, "f()", limits=Limits(memory_mb=200, steps=10_000_000))
    assert trace.ending.reason == "memory_limit", trace.ending
    source = 'package main\nimport "time"\nfunc f() { time.Sleep(time.Hour) }\n'
    trace = record(recorder, source, "f()", limits=Limits(seconds=0.5))
    assert trace.ending.reason == "time_limit"
    assert [step.event for step in trace.steps] == ["call", "line", "call", "line"]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("package main\nfunc f() int { return }\n", "program.go:2:"),
        ("package main\nfunc f() int {\n\tx := 1\n\treturn 2\n}\n", "declared"),
        ('package main\nimport "fmt"\nfunc f() {}\n', '"fmt" imported'),
        ("package main\nfunc f( {\n", "syntax error"),
        ('package main\nimport "example.com/x"\nfunc f() { x.Y() }\n', "example.com/x"),
    ],
)
def test_errors_of_the_compiler_are_reported(
    recorder: GoRecorder, source: str, message: str
) -> None:
    trace = record(recorder, source, "f()")
    assert trace.ending.reason == "not_loaded"
    assert message in trace.ending.detail
    assert "wl_" not in trace.ending.detail


def test_a_whole_program_and_one_without_a_package(recorder: GoRecorder) -> None:
    source = 'import "fmt"\n\nfunc main() {\n\tvar n int\n\tfmt.Scan(&n)\n\tfmt.Println(n * 2)\n}\n'
    trace = record(recorder, source, stdin="21\n")
    assert (trace.ending.reason, trace.stdout) == ("finished", "42\n")
    assert [step.line for step in trace.steps] == [3, 4, 5, 6, 6]
