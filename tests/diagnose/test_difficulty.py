"""How hard an execution is to imagine: every measure raised by one program and not by another."""

import ast
from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.predictions import CWM, text_of
from worldline.codecs import Special, codec_named
from worldline.diagnose import (
    Difficulty,
    difficulty,
    difficulty_to_json,
    operation_facts,
    value_kind,
)
from worldline.recorders import PythonRecorder
from worldline.tokens import BytesTokenizer
from worldline.trace import Ending, Limits, Program, Step, Trace

PLAIN = "def f(x):\n    return x"


def measured(recorder: PythonRecorder, source: str, call: str) -> Difficulty:
    return difficulty(recorder.record(Program(source, call)))


def with_value(recorder: PythonRecorder, text: str) -> Trace:
    """A real trace in which one value is rendered as this text."""
    trace = recorder.record(Program(PLAIN, "f(1)"))
    steps = [replace(s, changed={"x": text}) if s.changed else s for s in trace.steps]
    return replace(trace, steps=tuple(step for step in steps if step.event != "return"))


def test_the_least_that_there_is(recorder: PythonRecorder) -> None:
    assert measured(recorder, PLAIN, "f(1)") == Difficulty(
        steps=6,
        iterations=0,
        call_depth=2,
        longest_string=0,
        kinds=("int",),
        nesting=1,
        hidden=0,
        chars=None,
        tokens=None,
        is_whole=True,
    )


@pytest.mark.parametrize(
    ("body", "iterations"),
    [
        # Each pair differs in nothing but that the loop turns.
        ("for i in range(3):\n    pass", 3),
        ("for i in range(0):\n    pass", 0),
        ("for i in range(3): pass", 3),
        ("while n:\n    n -= 1", 3),
        ("while n > 3:\n    n -= 1", 0),
        # Written on one line, a `while` hides one of its turns.
        ("while n: n -= 1", 2),
        ("for i in range(9):\n    if i == 3:\n        break", 4),
        ("for i in range(9):\n    return i", 1),
        ("for i in range(3):\n    continue\nelse:\n    n = 4", 3),
        ("while True:\n    n -= 1\n    if not n:\n        break", 3),
        ("while (n and\n       n > 1):\n    n -= 1", 2),
        ("for i in range(3):\n    for j in range(2):\n        n = j", 9),
        ("for i in range(3):\n    for j in range(0):\n        n = j", 3),
        ("for i in [\n    j for\n    j in range(3)\n]:\n    n = i", 3),
        ("for i in range(3):\n    @str\n    def g(): pass\n    n = g", 3),
        ("for i in range(3):\n    try:\n        n = 1 / (i - 1)\n    except Exception: n = 0", 3),
        # Expressions are no loops, and neither is what is called again.
        ("n = [i for i in range(3)]", 0),
        ("n = sum(i for i in range(3))", 0),
        ("n = 0 if not n else f(n - 1)", 0),
    ],
)
def test_iterations(recorder: PythonRecorder, body: str, iterations: int) -> None:
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    assert measured(recorder, f"def f(n):\n{lines}    return n", "f(3)").iterations == iterations


def test_the_iterations_of_every_scope_are_counted(recorder: PythonRecorder) -> None:
    source = """\
def g(n):
    while n:
        yield n
        n -= 1
def f(n):
    for i in g(n):
        for j in g(i):
            n = j
    return n"""
    # In f 3 and 3 + 2 + 1, and as many in g.
    assert measured(recorder, source, "f(3)").iterations == 18


@pytest.mark.parametrize(
    ("source", "call", "depth"),
    [
        (PLAIN, "f(1)", 2),
        (PLAIN, "f(f(f(1)))", 2),
        (PLAIN, "1", 1),
        ("def f(x):\n    return g(x)\ndef g(x):\n    return x", "f(1)", 3),
        ("def f(x):\n    return x and f(x - 1)", "f(7)", 9),
        ("def f(x):\n    return g(x) + g(x)\ndef g(x):\n    return x", "f(1)", 3),
        ("def g():\n    yield 1\n    yield 2\ndef f():\n    return list(g())", "f()", 3),
        ("def f(x):\n    try:\n        g(x)\n    except Exception:\n        return g\n"
         "def g(x):\n    return h(x)\ndef h(x):\n    return x[0]", "f(1)", 4),
    ],
)  # fmt: skip
def test_call_depth(recorder: PythonRecorder, source: str, call: str, depth: int) -> None:
    assert measured(recorder, source, call).call_depth == depth


def test_a_generator_that_is_thrown_into_is_left_again(recorder: PythonRecorder) -> None:
    """Up to 3.11, what is thrown through `yield from` returns more often than it is called."""
    source = """\
def inner():
    yield 1
def outer():
    try:
        yield from inner()
    except ValueError:
        yield 2
def f():
    for _ in range(3):
        a = outer()
        next(a)
        a.throw(ValueError)
    return 1"""
    assert measured(recorder, source, "f()").call_depth == 4


def test_scopes_without_a_return_do_not_pile_up(recorder: PythonRecorder) -> None:
    source = (
        "def f(x):\n    for i in range(9):\n        g(i)\n    return x\ndef g(x):\n    return x"
    )
    trace = recorder.record(Program(source, "f(1)"))
    steps = [s for s in trace.steps if s.event != "return" or s.scope < 2]
    assert difficulty(replace(trace, steps=tuple(steps))).call_depth == 3


@pytest.mark.parametrize(
    ("call", "longest"),
    [
        ("f('')", 0),
        ("f('abc')", 3),
        ("f(['a', ('abcd', {'x': 'yz'})])", 4),
        ("f({'abcde': 1})", 5),
        # Characters, not how they are written: two each take ten letters and more.
        ("f(['\\n\\'\"', '\\x00\\ud800', 'ab'])", 3),
        ("f('🜚')", 1),
        # Digits, names and bytes are no strings.
        ("f(123456)", 0),
        ("f([b'abc', bytearray(b'abc')])", 0),
        ("f([int, {str: None}])", 0),
        ("f(__import__('string'))", 0),
        ("f(['ab', int, 'abc'])", 3),
        ("f(__import__('collections').Counter(['ab']))", 2),
    ],
)
def test_longest_string(recorder: PythonRecorder, call: str, longest: int) -> None:
    assert measured(recorder, PLAIN, call).longest_string == longest


@pytest.mark.parametrize(
    ("body", "longest"),
    [
        ("x = 'ab' * 4\n    x = 1\n    return x", 8),
        ("return 'ab' * 4", 8),
        # Neither shown nor returned.
        ("return len('ab' * 4)", 0),
        # A message is no value.
        ("raise ValueError('ab' * 4)", 0),
    ],
)
def test_where_a_string_is_looked_for(recorder: PythonRecorder, body: str, longest: int) -> None:
    assert measured(recorder, f"def f(x):\n    {body}", "f(1)").longest_string == longest


def test_a_string_that_is_yielded_counts(recorder: PythonRecorder) -> None:
    source = "def g():\n    yield 'abcdef'\ndef f(x):\n    return len(next(g()))"
    assert measured(recorder, source, "f(1)").longest_string == 6


def test_of_a_string_that_was_cut_counts_what_was_kept(recorder: PythonRecorder) -> None:
    for call in ("f('\\n' * 500)", "f('a' * 500)", "f(['ab', 'a' * 500])"):
        trace = recorder.record(Program(PLAIN, call), limits=Limits(value_chars=21))
        kept = 10 if "\\n" in call else 20 if "[" not in call else 13
        assert difficulty(trace).longest_string == kept


@given(st.lists(st.text(), min_size=1))
def test_the_longest_string_of_any_is_found(recorder: PythonRecorder, texts: list[str]) -> None:
    for value in (max(texts, key=len), texts, {"": tuple(texts)}, [int, texts]):
        found = difficulty(with_value(recorder, repr(value))).longest_string
        assert found == max(map(len, texts))


@pytest.mark.parametrize(
    ("source", "call", "kinds"),
    [
        (PLAIN, "f(1)", ("int",)),
        (PLAIN, "f([1])", ("list",)),
        ("def f(x):\n    return str(x)", "f([1])", ("list", "str")),
        ("def f(x):\n    x = {1}\n    x = None\n    return True", "f(1.5)",
         ("None", "bool", "float", "set")),
        # What is raised is no value, and a scope that is left by it returns none.
        ("def f(x):\n    raise ValueError", "f(1)", ("int",)),
        ("def f(x):\n    return lambda: x", "f(1)", ("int", "object")),
        # The iterator inside a comprehension is Python's, not the program's.
        ("def f(x):\n    return [y for y in x]", "f([1])", ("int", "list")),
    ],
)  # fmt: skip
def test_kinds(recorder: PythonRecorder, source: str, call: str, kinds: tuple[str, ...]) -> None:
    assert measured(recorder, source, call).kinds == kinds


@pytest.mark.parametrize(
    ("body", "nesting", "hidden"),
    [
        ("return x", 1, 0),
        ("return x.strip().upper()", 2, 1),
        ("return y or x.ljust(len(x.strip()))", 4, 3),
        ("x = x.strip()\n    return x.upper()", 1, 0),
        # What is not executed is not imagined.
        ("return x\n    return x.strip().upper()", 1, 0),
        ("if y:\n        return x.strip().upper()\n    return x", 1, 0),
    ],
)
def test_nesting_and_hidden(recorder: PythonRecorder, body: str, nesting: int, hidden: int) -> None:
    found = measured(recorder, f"def f(x, y=0):\n    {body}", "f('a')")
    assert (found.nesting, found.hidden) == (nesting, hidden)


def test_chars_and_tokens_are_those_of_the_codec(recorder: PythonRecorder) -> None:
    trace = recorder.record(Program(PLAIN, "f('é')"))
    found = difficulty(trace, codec=CWM, tokenizer=BytesTokenizer())
    assert found.chars == len(text_of(trace)) > 300
    ordinary = [piece for piece in CWM.encode(trace) if not isinstance(piece, Special)]
    specials = len(CWM.encode(trace)) - len(ordinary)
    assert found.tokens == sum(len(piece.encode()) for piece in ordinary) + specials
    chat = codec_named("chat")
    assert difficulty(trace, codec=chat).chars == len("".join(chat.encode(trace))) < 60
    # Without a text there is nothing to split.
    assert difficulty(trace, tokenizer=BytesTokenizer()).tokens is None
    assert difficulty(trace, codec=CWM) == replace(found, tokens=None)


def test_an_execution_that_was_stopped_is_a_lower_bound(recorder: PythonRecorder) -> None:
    source = "def f(n):\n    for i in range(n):\n        n = i\n    return 'ab'"
    program = Program(source, "f(99)")
    part = difficulty(recorder.record(program, limits=Limits(steps=20)))
    whole = difficulty(recorder.record(program))
    assert (part.is_whole, whole.is_whole) == (False, True)
    assert (part.steps, whole.steps) == (20, 205)
    assert (part.iterations, whole.iterations) == (8, 99)
    assert (part.longest_string, whole.longest_string) == (0, 2)


@pytest.mark.parametrize("source", ["def f(x:\n    return x", "x = 1 / 0\ndef f(x): return x"])
def test_a_program_that_cannot_be_loaded_has_nothing(recorder: PythonRecorder, source: str) -> None:
    assert measured(recorder, source, "f(1)") == Difficulty(
        0, 0, 0, 0, (), 0, 0, None, None, is_whole=False
    )


def test_a_module_is_measured_too(recorder: PythonRecorder) -> None:
    source = "x = 'abc'\nfor i in range(4):\n    x += 'd'\n"
    found = difficulty(recorder.record(Program(source)))
    assert (found.iterations, found.call_depth, found.longest_string) == (4, 1, 7)


def test_as_json(recorder: PythonRecorder) -> None:
    trace = recorder.record(Program("def f(x):\n    return str(x)", "f(12)"))
    row = difficulty_to_json(difficulty(trace))
    assert row == {
        "steps": 6,
        "iterations": 0,
        "call_depth": 2,
        "longest_string": 2,
        "kinds": "int str",
        "nesting": 1,
        "hidden": 0,
        "is_whole": True,
    }
    full = difficulty_to_json(difficulty(trace, codec=CWM, tokenizer=BytesTokenizer()))
    assert full.items() > row.items()
    assert full.keys() - row.keys() == {"chars", "tokens"}
    assert difficulty_to_json(difficulty(with_value(recorder, "'a'")))["is_whole"] is False


# -- long values ----------------------------------------------------------------------------

LEAVES = st.one_of(st.integers(), st.text(), st.none(), st.floats(), st.binary(), st.just(int))
KEYS = st.one_of(st.integers(), st.text(), st.tuples(st.text(), st.text()))
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner),
        st.lists(inner).map(tuple),
        st.dictionaries(KEYS, inner),
        st.sets(KEYS),
        st.frozensets(KEYS),
    ),
)


@given(VALUES)
def test_a_long_value_is_of_the_kind_that_it_is(value: object) -> None:
    """Whatever its length, by its type: that long values are not parsed makes no difference."""
    kinds = {frozenset: "set", type(None): "None", bytes: "object", type: "object"}
    assert value_kind(repr(value)) == kinds.get(type(value), type(value).__name__)
    many: tuple[object, ...] = tuple(value for _ in range(300))
    assert value_kind(repr(many)) == "tuple"
    assert value_kind(repr(list(many))) == "list"
    assert value_kind(repr(dict.fromkeys(range(300), value))) == "dict"
    assert value_kind(repr({(n, repr(value)) for n in range(300)})) == "set"
    assert value_kind(f"Point({many!r})") == "object"
    assert value_kind(f"<Point {many!r}>") == "object"


def test_brackets_within_a_long_value_are_its_own() -> None:
    long = "x" * 300
    assert value_kind(f"{{('{long}', 1): 2}}") == "dict"
    assert value_kind(f"{{'a, b: {long}'}}") == "set"
    assert value_kind(f"{{<Point a: 1, b: '>{long}'>, 2}}") == "set"
    assert value_kind(f"{{<Point (a, b) {long}>: 2}}") == "dict"
    assert value_kind(f"('{long}')") == "str"
    assert value_kind("9" * 300) == value_kind("-" + "9" * 9_000) == "int"


# -- real programs --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def traces(recorder: PythonRecorder, cruxeval: list[dict[str, Any]]) -> list[Trace]:
    return [recorder.record(Program(row["code"], f"f({row['input']})")) for row in cruxeval]


def shown(step: Step) -> Iterator[str]:
    """The values that a step shows, by the book."""
    yield from (value for name, value in step.changed.items() if name != ".0")
    if step.event == "return" and step.value is not None:
        yield step.value


def strings_in(value: str) -> Iterator[str]:
    """The strings in a value, by Python's own parser."""
    try:
        nodes = list(ast.walk(ast.parse(value, mode="eval")))
    except SyntaxError:
        return
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


@pytest.mark.data
def test_all_of_cruxeval_is_measured_right(traces: list[Trace]) -> None:
    kinds: set[str] = set()
    for trace in traces:
        found = difficulty(trace, codec=CWM, tokenizer=BytesTokenizer())
        values = [value for step in trace.steps for value in shown(step)]
        calls = [(s.event == "call") - (s.event == "return") for s in trace.steps]
        lines = {step.line for step in trace.steps if step.event == "line"}
        operations = [operation_facts(trace.program.text, line) for line in lines]
        assert found == Difficulty(
            steps=len(trace.steps),
            iterations=found.iterations,
            call_depth=max(accumulate(calls)),
            longest_string=max((len(s) for v in values for s in strings_in(v)), default=0),
            kinds=tuple(sorted({value_kind(value) for value in values})),
            nesting=max(facts.depth for facts in operations),
            hidden=max(facts.hidden for facts in operations),
            chars=len(text_of(trace)),
            tokens=found.tokens,
            is_whole=True,
        ), trace.program.text
        assert found.tokens is not None
        assert found.chars is not None
        assert found.steps * 3 < found.tokens < found.chars
        kinds.update(found.kinds)
    assert kinds == {
        "None",
        "bool",
        "dict",
        "float",
        "int",
        "list",
        "object",
        "set",
        "str",
        "tuple",
    }


class Counting(ast.NodeTransformer):
    """Says at the start of every loop's body that it was begun."""

    def visit(self, node: ast.AST) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node, ast.For | ast.While):
            node.body.insert(0, ast.parse("print('\\0turn')").body[0])
        return node


@pytest.mark.data
def test_the_iterations_of_cruxeval_are_those_that_a_program_counts_itself(
    recorder: PythonRecorder, traces: list[Trace]
) -> None:
    turning = 0
    for trace in traces:
        program = trace.program
        counting = ast.unparse(Counting().visit(ast.parse(program.source)))
        counted = 0
        if counting != ast.unparse(ast.parse(program.source)):
            limits = Limits(seconds=30)
            again = recorder.record(Program(counting, program.call), limits=limits)
            assert again.result == trace.result
            counted = again.stdout.count("\0turn\n")
        assert difficulty(trace).iterations == counted, program.text
        turning += counted > 0
    assert turning == 332


def test_what_ended_the_recording_changes_nothing_else(recorder: PythonRecorder) -> None:
    trace = recorder.record(Program(PLAIN, "f('a')"))
    stopped = replace(trace, ending=Ending("time_limit"))
    assert difficulty(stopped) == replace(difficulty(trace), is_whole=False)
