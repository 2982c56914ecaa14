"""Traces of JavaScript and TypeScript programs: events, lines, variables and values."""

import subprocess
from pathlib import Path

import pytest

from worldline.analysis.alignment import align
from worldline.core.errors import ProgramError, RecorderError
from worldline.core.trace import Limits, Program, Step, Trace, trace_from_json, trace_to_json
from worldline.languages.javascript.node_recorder import NodeRecorder
from worldline.languages.javascript.node_runtime import find_node
from worldline.languages.program_recorder import ProgramRecorder
from worldline.models.codecs import ANSWER_CODECS, CODECS, get_codec

CONSTRUCTS = Path(__file__).parents[2] / "programs" / "javascript" / "constructs.js"
# Codecs that need the syntax tree.
PYTHON_CODECS = {"sparse"}


def record(recorder: NodeRecorder, source: str, call: str | None = None, **options: str) -> Trace:
    language = options.pop("language", "javascript")
    return recorder.record(Program(source, call, options.pop("stdin", ""), language))


def events(trace: Trace) -> list[str]:
    """The steps of the called function and below, as "event line changes"."""

    def text(step: Step) -> str:
        changed = " ".join(f"{name}={value}" for name, value in step.changed.items())
        gone = " ".join(f"-{name}" for name in step.gone)
        value = f"= {step.value}" if step.value is not None else ""
        return " ".join(filter(None, [step.event, str(step.line), changed, gone, value]))

    return [text(step) for step in trace.steps if step.scope > 0]


@pytest.mark.parametrize(
    ("source", "call", "expected"),
    [
        (
            "function f(n) {\n  let y = n * 2;\n  return y + 1;\n}",
            "f(3)",
            ["call 1 n=3", "line 2", "line 3 y=6", "return 3 = 7"],
        ),
        # Several statements on a line have one event; a loop has one for each test or update.
        (
            "function f() { let a = 1; a += 1; return a; }",
            "f()",
            ["call 1", "line 1", "return 1 = 2"],
        ),
        (
            "function f() {\n  for (let i = 0; i < 2; i++) {\n    g(i);\n  }\n}\nconst g = () => 1;",
            "f()",
            [
                *("call 1", "line 2", "line 3 i=0", "call 6", "line 6", "return 6 = 1"),
                *("line 2", "line 3 i=1", "call 6", "line 6", "return 6 = 1", "line 2"),
                "return 2 = undefined",
            ],
        ),
        # A loop variable is visible until the loop ends, a variable of its body until the body does.
        (
            "function f(xs) {\n  for (const x of xs) {\n    const y = x;\n  }\n  return 0;\n}",
            "f([1, 2])",
            [
                *("call 1 xs=[1, 2]", "line 2", "line 3 x=1", "line 2", "line 3 x=2", "line 2"),
                *("line 5 -x", "return 5 = 0"),
            ],
        ),
        (
            "function f() {\n  let k = 0;\n  while (k < 1)\n    k++;\n  do k--; while (k > 0)\n}",
            "f()",
            ["call 1", "line 2", "line 3 k=0", "line 4", "line 3 k=1"]
            + ["line 5", "line 5 k=0", "return 5 = undefined"],
        ),
        # Exceptions: in each function that they leave, and where they are caught.
        (
            "function g() {\n  throw new TypeError('no');\n}\n"
            "function f() {\n  try {\n    g();\n  } catch (e) {\n    return e.message;\n  }\n}",
            "f()",
            [
                *("call 4", "line 6", "call 1", "line 2", "exception 2 = new TypeError('no')"),
                *("return 2", "exception 6 = new TypeError('no')"),
                *("line 8 e=new TypeError('no')", "return 8 = 'no'"),
            ],
        ),
        # The value of a return is known before `finally`, the event comes after it.
        (
            "function f() {\n  let a = 1;\n  try {\n    return a;\n  } finally {\n    a = 2;\n  }\n}",
            "f()",
            ["call 1", "line 2", "line 4 a=1", "line 6", "return 6 = 1"],
        ),
        # A generator returns at each `yield`, and is called again.
        (
            "function* g() {\n  const x = yield 1;\n  return x;\n}\n"
            "function f() {\n  const it = g();\n  it.next();\n  return it.next(5).value;\n}",
            "f()",
            [
                *("call 5", "line 6", "line 7 it=[Generator]", "call 1", "line 2", "return 2 = 1"),
                *("line 8", "call 2", "line 3 x=5", "return 3 = 5", "return 8 = 5"),
            ],
        ),
        # `var` is hoisted, but shown from its declaration on; `let` is not read before it.
        (
            "function f() {\n  g();\n  var v = 1;\n  let w = v;\n  return w;\n}\nfunction g() {}",
            "f()",
            ["call 1", "line 2", "call 7", "return 7 = undefined", "line 3", "line 4 v=1"]
            + ["line 5 w=1", "return 5 = 1"],
        ),
    ],
)
def test_events(recorder: NodeRecorder, source: str, call: str, expected: list[str]) -> None:
    trace = record(recorder, source, call)
    assert trace.is_complete, trace.ending
    assert events(trace) == expected


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("'a\\n\\'\"'", "'a\\n\\'\"'"),
        ('"it\'s"', '"it\'s"'),
        ("'\\u2028\\ud800é😀'", "'\\u2028\\ud800é😀'"),
        ("[-0, 0.1 + 0.2, 1e21, NaN]", "[-0, 0.30000000000000004, 1e+21, NaN]"),
        ("[10n, true, null, undefined]", "[10n, true, null, undefined]"),
        ("[, 1, , ,]", "[<1 empty item>, 1, <2 empty items>]"),
        ("({a: 1, 'b-c': [2], 3: {}})", "{3: {}, a: 1, 'b-c': [2]}"),
        ("new Map([['a', new Set([1])]])", "new Map([['a', new Set([1])]])"),
        ("new Map()", "new Map()"),
        ("[() => 1, function g() {}, class A {}, Math.max]",
         "[[Function (anonymous)], [Function: g], [class A], [Function: max]]"),
        ("new (class Point { constructor() { this.x = 1; } })()", "Point {x: 1}"),
        ("Object.create(null)", "[Object: null prototype] {}"),
        ("new RangeError('no')", "new RangeError('no')"),
        ("[/a+/gi, new Date(0), Symbol('s')]",
         "[/a+/gi, new Date('1970-01-01T00:00:00.000Z'), Symbol(s)]"),
        ("new Uint8Array([1, 2])", "new Uint8Array([1, 2])"),
        ("({get x() { throw 1; }, set y(v) {}})", "{x: [Getter], y: [Setter]}"),
        ("new Proxy({}, {get() { throw 1; }})", "[Proxy]"),
        ("(() => { const a = [1]; a.push(a); return a; })()", "[1, [Circular]]"),
        ("(() => { const a = {}; return [a, a]; })()", "[{}, {}]"),
        ("Promise.resolve(1)", "Promise {}"),
        ("'ab'.match(/b/)", "['b', index: 1, input: 'ab', groups: undefined]"),
    ],
)  # fmt: skip
def test_values(recorder: NodeRecorder, expression: str, text: str) -> None:
    assert record(recorder, f"const f = () => {expression};", "f()").result == text


def test_a_long_value_is_shortened(recorder: NodeRecorder) -> None:
    program = Program("const f = n => 'x'.repeat(n);", "f(5000)", language="javascript")
    trace = recorder.record(program, limits=Limits(value_chars=100))
    assert trace.result == "'" + "x" * 99 + "… <cut: 5002 characters>"
    program = Program("const f = n => new Array(n).fill(7);", "f(500)", language="javascript")
    trace = recorder.record(program, limits=Limits(value_chars=100))
    assert trace.result is not None
    assert trace.result.endswith("… <cut: more than 100 characters>")


def test_every_construct_gives_the_result_of_plain_node(recorder: NodeRecorder) -> None:
    source = CONSTRUCTS.read_text()
    trace = record(recorder, source, "everything(3)")
    assert trace.is_complete, trace.ending
    script = f"{source}\nconsole.log(JSON.stringify(everything(3)))"
    plain = subprocess.run(
        [find_node().path, "-e", script], capture_output=True, text=True, check=True
    )
    shown = record(recorder, f"{source}\nconsole.log(JSON.stringify(everything(3)))")
    assert shown.stdout == plain.stdout
    assert trace_from_json(trace_to_json(trace)) == trace


@pytest.mark.parametrize(
    "name", [name for name in CODECS if name not in {*ANSWER_CODECS, *PYTHON_CODECS}]
)
def test_every_codec_reads_what_it_writes(recorder: NodeRecorder, name: str) -> None:
    trace = record(recorder, CONSTRUCTS.read_text(), "everything(3)")
    codec = get_codec(name)
    decoded = codec.decode("".join(codec.encode(trace)), trace.program)
    alignment = align(trace, decoded)
    assert alignment.is_complete, alignment
    assert alignment.matched_steps == len(trace.steps)


def test_typescript_keeps_its_lines(recorder: NodeRecorder) -> None:
    source = (
        "interface Point {\n  x: number;\n}\n"
        "function f<T extends Point>(p: T, n: number = 2): number {\n"
        "  const q = p as Point;\n  return q.x! * n;\n}\n"
    )
    trace = record(recorder, source, "f({x: 3})", language="typescript")
    assert events(trace) == ["call 4 p={x: 3} n=2", "line 5", "line 6 q={x: 3}", "return 6 = 6"]
    trace = record(recorder, "enum A { B }\n", "1", language="typescript")
    assert (trace.ending.reason, "enum" in trace.ending.detail) == ("not_loaded", True)


def test_a_script_reads_prints_and_imports(recorder: NodeRecorder) -> None:
    source = (
        "import { readFileSync } from 'node:fs';\n"
        "export const text = readFileSync(0, 'utf8');\n"
        "console.log(text.trim());\nsetTimeout(() => console.log('later'), 1);\n"
    )
    trace = record(recorder, source, stdin="in\n")
    assert (trace.ending.reason, trace.stdout) == ("finished", "in\nlater\n")
    assert trace.scopes[0].function == "<module>"


@pytest.mark.parametrize(
    ("source", "call", "reason", "detail"),
    [
        ("function f( {", "f()", "not_loaded", "SyntaxError: Unexpected"),
        ("function f() { return x; }", "f()", "raised", "ReferenceError: x is not defined"),
        ("throw new Error('top');", "1", "not_loaded", "Error: top"),
        ("const f = () => f();", "f()", "raised", "RangeError: Maximum call stack"),
        ("const f = () => process.exit(3);", "f()", "exited", "3"),
    ],
)
def test_endings(recorder: NodeRecorder, source: str, call: str, reason: str, detail: str) -> None:
    program = Program(source, call, language="javascript")
    trace = recorder.record(program, limits=Limits(steps=1_000_000, trace_mb=200, seconds=60))
    assert trace.ending.reason == reason
    assert trace.ending.detail.startswith(detail), trace.ending


def test_a_program_cannot_change_the_tracer(recorder: NodeRecorder) -> None:
    source = (
        "Array.prototype.push = JSON.stringify = Map.prototype.set = null;\n"
        "String.prototype.replace = Object.keys = () => { throw 1; };\n"
        "function f(x) {\n  let y = [x];\n  return y;\n}\n"
    )
    assert record(recorder, source, "f('a')").result == "['a']"


def test_one_recorder_records_all_languages(recorder: NodeRecorder) -> None:
    with ProgramRecorder() as every:
        assert every.record(Program("def f(): return [1]\n", "f()")).result == "[1]"
        javascript = Program("const f = () => [1];", "f()", language="javascript")
        assert every.record(javascript).origin.recorder == "node"
        with pytest.raises(ProgramError, match="there is no language 'php'"):
            every.record(Program("", "f()", language="php"))


def test_a_missing_node_says_what_to_install() -> None:
    with pytest.raises(RecorderError, match=r"there is no no-such-node: install Node.js 20"):
        find_node("no-such-node")
