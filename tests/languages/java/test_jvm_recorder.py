"""Traces of Java programs: events, lines, variables and values."""

import subprocess
from pathlib import Path

import pytest

from worldline.analysis.alignment import align
from worldline.core.errors import RecorderError
from worldline.core.trace import Limits, Program, Step, Trace, trace_from_json, trace_to_json
from worldline.languages.java.jvm_recorder import JavaRecorder
from worldline.languages.java.jvm_runtime import find_java
from worldline.models.codecs import ANSWER_CODECS, CODECS, get_codec

PROGRAMS = Path(__file__).parents[2] / "programs" / "java"
CONSTRUCTS = PROGRAMS / "Constructs.java"
# Codecs that need the syntax tree.
PYTHON_CODECS = {"sparse"}


def record(
    recorder: JavaRecorder, source: str, call: str | None = None, *, stdin: str = ""
) -> Trace:
    return recorder.record(Program(source, call, stdin, "java"))


def step_text(step: Step) -> str:
    changed = " ".join(f"{name}={value}" for name, value in step.changed.items())
    gone = " ".join(f"-{name}" for name in step.gone)
    value = f"= {step.value}" if step.value is not None else ""
    return " ".join(filter(None, [step.event, str(step.line), changed, gone, value]))


def events(trace: Trace, function: str) -> list[str]:
    """The steps of the first activation of a function, as "event line changes"."""
    names = [scope.function for scope in trace.scopes]
    scope = names.index(f"Events.{function}")
    return [step_text(step) for step in trace.steps if step.scope == scope]


@pytest.fixture(scope="module")
def trace(recorder: JavaRecorder) -> Trace:
    return record(recorder, (PROGRAMS / "Events.java").read_text(), "all()")


@pytest.fixture(scope="module")
def constructs(recorder: JavaRecorder) -> Trace:
    return record(recorder, CONSTRUCTS.read_text(), "everything(3)")


ERROR = 'new IllegalStateException("no")'
OUTER = 'new IllegalArgumentException("java.lang.IllegalStateException: no")'


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        ("twice", ["call 5 n=3", "line 6", "line 7 y=6", "return 7 = 7"]),
        # Several statements on a line have one event; a loop has one for each test or update.
        ("oneLine", ["call 10", "line 10", "return 10 = 2"]),
        (
            "forLoop",
            ["call 12", "line 13", "line 14 i=0", "line 13", "line 14 i=1", "line 13"]
            + ["return 13 = null"],
        ),
        # The variable of a `for` over items is visible in its body.
        (
            "forEach",
            ["call 18 xs=[1, 2]", "line 19", "line 20 x=1", "line 19 -x", "line 20 x=2"]
            + ["line 19 -x", "line 22", "return 22 = 0"],
        ),
        (
            "whileLoops",
            ["call 25", "line 26", "line 27 k=0", "line 28", "line 27 k=1", "line 29"]
            + ["line 30 k=0", "line 30 i=1", "line 30 k=1 i=2", "return 30 = null"],
        ),
        # Exceptions: in each method that they leave, and where they are caught.
        ("fail", ["call 33", "line 34", f"exception 34 = {ERROR}", "return 34"]),
        (
            "caught",
            ["call 37", "line 39", f"exception 39 = {ERROR}", "line 40", f"line 41 e={ERROR}"]
            + ['return 41 = "no"'],
        ),
        (
            "rethrown",
            ["call 72", "line 75", f"exception 75 = {ERROR}", "line 77", "line 79"]
            + [f"line 80 e={ERROR}", f"exception 80 = {OUTER}", "return 80"],
        ),
        # The value of a return is known before `finally`, the event comes after it.
        (
            "withFinally",
            ["call 46", "line 47", "line 49 a=1", "line 51", "line 49 a=2", "return 49 = 1"],
        ),
        # A variable without a value is not shown.
        ("unassigned", ["call 55 flag=true", "line 57", "line 58", "line 61 x=1", "return 61 = 1"]),
        # Variables that a lambda captures are its own.
        ("<lambda>", ["call 65 n=4 x=1", "line 66", "line 67 z=5", "return 67 = 5"]),
    ],
)
def test_events(trace: Trace, function: str, expected: list[str]) -> None:
    assert trace.is_complete, trace.ending
    assert events(trace, function) == expected


VALUES = {
    '"a\\n\\"\'"': '"a\\n\\"\'"',
    '"\\u2028\\ud800é😀"': '"\\u2028\\ud800é😀"',
    "'\\''": "'\\''",
    "(byte) 1": "1",
    "1L << 40": "1099511627776",
    "new double[] {-0.0, 0.1 + 0.2, 1e21, 0.0 / 0}": "[-0.0, 0.30000000000000004, 1.0E21, NaN]",
    "1f / 3": "0.33333334",
    "new Object[] {true, null, 'c'}": "[true, null, 'c']",
    "new int[][] {{1}, {}}": "[[1], []]",
    'List.of("a", List.of())': '["a", []]',
    'new TreeMap<>(Map.of("b", 1, "a", 2))': '{"a"=2, "b"=1}',
    "new LinkedHashSet<>(List.of(2, 1))": "Set[2, 1]",
    "new ArrayDeque<>(List.of(1))": "[1]",
    "new HashMap<>() {{ put(1, 2); }}": "{1=2}",
    'Map.entry("a", 1)': '"a"=1',
    "Optional.of(1)": "Optional[1]",
    "OptionalInt.empty()": "OptionalInt.empty",
    'new StringBuilder("ab")': 'new StringBuilder("ab")',
    "new java.util.concurrent.atomic.AtomicInteger(3)": "new AtomicInteger(3)",
    'new java.math.BigDecimal("1.50")': 'new BigDecimal("1.50")',
    "java.math.BigInteger.TEN": "10",
    "new Point(1, List.of(2))": "Point[x=1, y=[2]]",
    "new Loud()": "Loud{count=0}",
    "new OwnList()": "OwnList{size=2}",
    "Color.RED": "Color.RED",
    "new Own()": 'new Own("inner")',
    "String.class": "String.class",
    "(Runnable) () -> {}": "<lambda>",
    "new Random(1)": "<Random>",
    "circular()": "[1, <circular>]",
    "twice(List.of())": "[[], []]",
}
VALUES_SOURCE = """
import java.util.*;
class Values {
    enum Color { RED }
    record Point(int x, Object y) {
        public Object y() { throw new IllegalStateException("not called"); }
    }
    static class Loud {
        static int calls;
        int count;
        public String toString() { calls++; count++; throw new IllegalStateException(); }
        public int hashCode() { calls++; return 1; }
        public boolean equals(Object other) { calls++; return false; }
    }
    static class OwnList extends AbstractList<Integer> {
        int size = 2;
        public int size() { return size++; }
        public Integer get(int index) { return size++; }
    }
    static class Own extends RuntimeException {
        Own() { super("inner"); }
        public String getMessage() { throw new IllegalStateException("not called"); }
    }
    static Object circular() {
        List<Object> a = new ArrayList<>(List.of(1));
        a.add(a);
        return a;
    }
    static Object twice(Object value) { return Arrays.asList(value, value); }
    static Object show(Object value) { return value; }
    static Object all() {
%s
        return Loud.calls;
    }
}
"""


def test_values_are_shown_without_code_of_the_program(recorder: JavaRecorder) -> None:
    calls = "\n".join(f"        show({expression});" for expression in VALUES)
    trace = record(recorder, VALUES_SOURCE % calls, "all()")
    assert trace.is_complete, trace.ending
    scopes = [n for n, scope in enumerate(trace.scopes) if scope.function == "Values.show"]
    shown = {s.scope: s.value for s in trace.steps if s.event == "return"}
    assert dict(zip(VALUES, (shown[scope] for scope in scopes), strict=True)) == VALUES
    assert trace.result == "0"


def test_a_long_value_is_shortened(recorder: JavaRecorder) -> None:
    # Methods without a class; they are called on an instance.
    source = (
        "String f(int n) {\n  Object xs = new int[500];\n  return g(xs, n);\n}\n"
        'String g(Object xs, int n) {\n  return "x".repeat(n);\n}\n'
    )
    program = Program(source, "f(5000)", language="java")
    trace = recorder.record(program, limits=Limits(value_chars=100))
    assert trace.result == '"' + "x" * 99 + "… <cut: 5002 characters>"
    (xs,) = {step.changed["xs"] for step in trace.steps if "xs" in step.changed}
    assert xs.endswith("… <cut: more than 100 characters>")
    assert trace.scopes[1].function == "Program.f"
    assert trace.program.line(trace.scopes[1].line) == "String f(int n) {"


def test_every_construct_gives_the_result_of_plain_java(
    recorder: JavaRecorder, constructs: Trace
) -> None:
    assert constructs.is_complete, constructs.ending
    assert trace_from_json(trace_to_json(constructs)) == constructs
    script = record(recorder, CONSTRUCTS.read_text())
    command = [find_java().java, str(CONSTRUCTS)]
    plain = subprocess.run(command, capture_output=True, text=True, check=True)
    assert script.stdout == plain.stdout
    assert (script.result, script.scopes[0].function) == ("null", "Constructs.main")


def test_calls_are_on_the_lines_of_functions(constructs: Trace) -> None:
    syntax = constructs.program.syntax.functions(constructs.program.text)
    lines = {each.line: each for each in syntax}
    for step in constructs.steps:
        if step.event != "call":
            continue
        scope = constructs.scopes[step.scope]
        text = constructs.source_line(step)
        name = scope.function.rpartition(".")[2]
        # A lambda within a line, and the short form of a constructor, have no function.
        if step.line not in lines:
            assert name == "<lambda>" or "Point {" in text or "{" in text
        elif name != "<lambda>":
            parameters = set(scope.variables[: scope.parameters]) - {"this"}
            assert parameters == lines[step.line].parameters


@pytest.mark.parametrize(
    "name", [name for name in CODECS if name not in {*ANSWER_CODECS, *PYTHON_CODECS}]
)
def test_every_codec_reads_what_it_writes(constructs: Trace, name: str) -> None:
    codec = get_codec(name)
    decoded = codec.decode("".join(codec.encode(constructs)), constructs.program)
    alignment = align(constructs, decoded)
    assert alignment.is_complete, alignment
    assert alignment.matched_steps == len(constructs.steps)


def test_a_program_is_compiled_once(recorder: JavaRecorder) -> None:
    source = "class A {\n  static int f(int n) {\n    return n + 1;\n  }\n}\n"
    first = record(recorder, source, "f(1)")
    assert recorder._compiled[first.program.hash]
    assert record(recorder, source, "f(1)") == first
    other = Program(source.replace("+ 1", "+ 2"), "f(1)", language="java")
    assert other.hash not in recorder._compiled


def test_a_program_reads_prints_and_has_threads(recorder: JavaRecorder) -> None:
    source = """
import java.util.*;
public class Script {
    static int work(int n) {
        return n + 1;
    }
    static int sort(int n) {
        // A frame of the JDK between any two of the program.
        return List.of(1).stream().mapToInt(each -> sort(n + each)).sum();
    }
    public static void main(String[] args) throws Exception {
        Scanner in = new Scanner(System.in);
        System.out.println(in.nextLine() + "é");
        Thread thread = new Thread(() -> work(1));
        thread.start();
        thread.join();
        Thread deep = new Thread(() -> {
            try {
                sort(0);
            } catch (StackOverflowError e) {
                System.out.println("full");
            }
        });
        deep.start();
        deep.join();
        Thread.currentThread().interrupt();
        System.out.println(work(2));
    }
}
"""
    trace = record(recorder, source, stdin="in\n")
    assert (trace.ending.reason, trace.stdout) == ("finished", "iné\nfull\n3\n")
    # A full stack interrupts the tracer, too; it leaves no incomplete row.
    assert trace.is_complete
    assert {step.thread for step in trace.steps if step.value == "2"} == {1}


@pytest.mark.parametrize(
    ("source", "call", "reason", "detail"),
    [
        ("class A { static int f() { return 1 } }", "f()", "not_loaded", "line 1: ';' expected"),
        ('class A { static int f() { return "a"; } }', "f()", "not_loaded", "line 1: incompat"),
        (
            "class A { static int f() { return new int[] {}[1]; } }",
            "f()",
            "raised",
            "java.lang.ArrayIndexOutOfBoundsException: Index 1 out of bounds for length 0",
        ),
        ("class A { static int x = 1 / 0; }", "1", "not_loaded", "java.lang.ArithmeticException: "),
        ("class A { static int f() { return f(); } }", "f()", "raised", "java.lang.StackOverflow"),
        ("class A { static int f() { System.exit(3); return 1; } }", "f()", "exited", "3"),
        ("class A { }", None, "not_loaded", "there is no method static void main(String[])"),
    ],
)
def test_endings(
    recorder: JavaRecorder, source: str, call: str | None, reason: str, detail: str
) -> None:
    trace = record(recorder, source, call)
    assert trace.ending.reason == reason
    assert trace.ending.detail.startswith(detail), trace.ending


def test_a_missing_jdk_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RecorderError, match=r"there is no no-such-javac: install a JDK"):
        find_java("no-such-javac")
