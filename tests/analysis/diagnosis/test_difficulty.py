"""Difficulty: for each measure, programs that increase it and programs that do not."""

import ast
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.predictions import CWM, text_of
from worldline.analysis.diagnosis import (
    Difficulty,
    difficulty_to_json,
    measure_difficulty,
    operation_facts,
    value_kind,
)
from worldline.core.trace import Ending, Limits, Program, Step, Trace
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import SpecialToken, get_codec
from worldline.models.tokenizers import BytesTokenizer

PLAIN = "def f(x):\n    return x"


def measured(recorder: PythonRecorder, source: str, call: str) -> Difficulty:
    return measure_difficulty(recorder.record(Program(source, call)))


@cache
def plain_trace(recorder: PythonRecorder) -> Trace:
    """The trace of the plain program, recorded once for all examples of a property."""
    return recorder.record(Program(PLAIN, "f(1)"))


def with_value(recorder: PythonRecorder, text: str) -> Trace:
    """A recorded trace in which one value has this text."""
    trace = plain_trace(recorder)
    steps = [replace(s, changed={"x": text}) if s.changed else s for s in trace.steps]
    return replace(trace, steps=tuple(step for step in steps if step.event != "return"))


def test_the_simplest_program(recorder: PythonRecorder) -> None:
    assert measured(recorder, PLAIN, "f(1)") == Difficulty(
        steps=6,
        iterations=0,
        call_depth=2,
        longest_string=0,
        kinds=("int",),
        nesting=1,
        hidden_values=0,
        chars=None,
        tokens=None,
        is_complete=True,
    )


@pytest.mark.parametrize(
    ("body", "iterations"),
    [
        # The programs of a pair differ only in the number of iterations.
        ("for i in range(3):\n    pass", 3),
        ("for i in range(0):\n    pass", 0),
        ("for i in range(3): pass", 3),
        ("while n:\n    n -= 1", 3),
        ("while n > 3:\n    n -= 1", 0),
        # A `while` on one line counts one iteration less.
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
        # Comprehensions and recursion are not loops.
        ("n = [i for i in range(3)]", 0),
        ("n = sum(i for i in range(3))", 0),
        ("n = 0 if not n else f(n - 1)", 0),
    ],
)
def test_iterations(recorder: PythonRecorder, body: str, iterations: int) -> None:
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    assert measured(recorder, f"def f(n):\n{lines}    return n", "f(3)").iterations == iterations


def test_iterations_are_counted_in_every_scope(recorder: PythonRecorder) -> None:
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
    # 3 and 3 + 2 + 1 in f, and as many in g.
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


def test_throwing_into_a_generator_does_not_increase_the_depth(recorder: PythonRecorder) -> None:
    """Up to 3.11, a throw through `yield from` gives more returns than calls."""
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


def test_scopes_without_a_return_do_not_accumulate(recorder: PythonRecorder) -> None:
    source = (
        "def f(x):\n    for i in range(9):\n        g(i)\n    return x\ndef g(x):\n    return x"
    )
    trace = recorder.record(Program(source, "f(1)"))
    steps = [s for s in trace.steps if s.event != "return" or s.scope < 2]
    assert measure_difficulty(replace(trace, steps=tuple(steps))).call_depth == 3


@pytest.mark.parametrize(
    ("call", "longest"),
    [
        ("f('')", 0),
        ("f('abc')", 3),
        ("f(['a', ('abcd', {'x': 'yz'})])", 4),
        ("f({'abcde': 1})", 5),
        # Characters are counted, not their escape sequences.
        ("f(['\\n\\'\"', '\\x00\\ud800', 'ab'])", 3),
        ("f('🜚')", 1),
        # Digits, names and bytes are not strings.
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
        # Neither a local nor returned.
        ("return len('ab' * 4)", 0),
        # The message of an exception is not a value.
        ("raise ValueError('ab' * 4)", 0),
    ],
)
def test_strings_are_found_in_all_values(recorder: PythonRecorder, body: str, longest: int) -> None:
    assert measured(recorder, f"def f(x):\n    {body}", "f(1)").longest_string == longest


def test_yielded_strings_count(recorder: PythonRecorder) -> None:
    source = "def g():\n    yield 'abcdef'\ndef f(x):\n    return len(next(g()))"
    assert measured(recorder, source, "f(1)").longest_string == 6


def test_of_a_shortened_string_the_kept_characters_count(recorder: PythonRecorder) -> None:
    for call in ("f('\\n' * 500)", "f('a' * 500)", "f(['ab', 'a' * 500])"):
        trace = recorder.record(Program(PLAIN, call), limits=Limits(value_chars=21))
        kept = 10 if "\\n" in call else 20 if "[" not in call else 13
        assert measure_difficulty(trace).longest_string == kept


@given(st.lists(st.text(), min_size=1))
def test_the_longest_of_any_strings_is_found(recorder: PythonRecorder, texts: list[str]) -> None:
    for value in (max(texts, key=len), texts, {"": tuple(texts)}, [int, texts]):
        difficulty = measure_difficulty(with_value(recorder, repr(value))).longest_string
        assert difficulty == max(map(len, texts))


@pytest.mark.parametrize(
    ("source", "call", "kinds"),
    [
        (PLAIN, "f(1)", ("int",)),
        (PLAIN, "f([1])", ("list",)),
        ("def f(x):\n    return str(x)", "f([1])", ("list", "str")),
        ("def f(x):\n    x = {1}\n    x = None\n    return True", "f(1.5)",
         ("None", "bool", "float", "set")),
        # An exception is not a value, and a scope that it leaves returns none.
        ("def f(x):\n    raise ValueError", "f(1)", ("int",)),
        ("def f(x):\n    return lambda: x", "f(1)", ("int", "object")),
        # The iterator of a comprehension is not a variable of the program.
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
        # Lines that are not executed do not count.
        ("return x\n    return x.strip().upper()", 1, 0),
        ("if y:\n        return x.strip().upper()\n    return x", 1, 0),
    ],
)
def test_nesting_and_hidden_values(
    recorder: PythonRecorder, body: str, nesting: int, hidden: int
) -> None:
    difficulty = measured(recorder, f"def f(x, y=0):\n    {body}", "f('a')")
    assert (difficulty.nesting, difficulty.hidden_values) == (nesting, hidden)


def test_chars_and_tokens_are_those_of_the_codec(recorder: PythonRecorder) -> None:
    trace = recorder.record(Program(PLAIN, "f('é')"))
    difficulty = measure_difficulty(trace, codec=CWM, tokenizer=BytesTokenizer())
    assert difficulty.chars == len(text_of(trace)) > 300
    ordinary = [piece for piece in CWM.encode(trace) if not isinstance(piece, SpecialToken)]
    special_tokens = len(CWM.encode(trace)) - len(ordinary)
    assert difficulty.tokens == sum(len(piece.encode()) for piece in ordinary) + special_tokens
    chat = get_codec("chat")
    assert measure_difficulty(trace, codec=chat).chars == len("".join(chat.encode(trace))) < 60
    # Without a codec there is no text to tokenize.
    assert measure_difficulty(trace, tokenizer=BytesTokenizer()).tokens is None
    assert measure_difficulty(trace, codec=CWM) == replace(difficulty, tokens=None)


def test_an_incomplete_execution_gives_lower_bounds(recorder: PythonRecorder) -> None:
    source = "def f(n):\n    for i in range(n):\n        n = i\n    return 'ab'"
    program = Program(source, "f(99)")
    part = measure_difficulty(recorder.record(program, limits=Limits(steps=20)))
    whole = measure_difficulty(recorder.record(program))
    assert (part.is_complete, whole.is_complete) == (False, True)
    assert (part.steps, whole.steps) == (20, 205)
    assert (part.iterations, whole.iterations) == (8, 99)
    assert (part.longest_string, whole.longest_string) == (0, 2)


@pytest.mark.parametrize("source", ["def f(x:\n    return x", "x = 1 / 0\ndef f(x): return x"])
def test_a_program_that_cannot_be_loaded_has_no_difficulty(
    recorder: PythonRecorder, source: str
) -> None:
    assert measured(recorder, source, "f(1)") == Difficulty(
        0, 0, 0, 0, (), 0, 0, None, None, is_complete=False
    )


def test_modules_are_measured(recorder: PythonRecorder) -> None:
    source = "x = 'abc'\nfor i in range(4):\n    x += 'd'\n"
    difficulty = measure_difficulty(recorder.record(Program(source)))
    assert (difficulty.iterations, difficulty.call_depth, difficulty.longest_string) == (4, 1, 7)


def test_difficulty_as_json(recorder: PythonRecorder) -> None:
    trace = recorder.record(Program("def f(x):\n    return str(x)", "f(12)"))
    row = difficulty_to_json(measure_difficulty(trace))
    assert row == {
        "steps": 6,
        "iterations": 0,
        "call_depth": 2,
        "longest_string": 2,
        "kinds": "int str",
        "nesting": 1,
        "hidden_values": 0,
        "is_complete": True,
    }
    full = difficulty_to_json(measure_difficulty(trace, codec=CWM, tokenizer=BytesTokenizer()))
    assert full.items() > row.items()
    assert full.keys() - row.keys() == {"chars", "tokens"}
    assert (
        difficulty_to_json(measure_difficulty(with_value(recorder, "'a'")))["is_complete"] is False
    )


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
def test_kinds_of_long_values(value: object) -> None:
    """The kind does not depend on the length, although long values are not parsed."""
    kinds = {frozenset: "set", type(None): "None", bytes: "object", type: "object"}
    assert value_kind(repr(value)) == kinds.get(type(value), type(value).__name__)
    # At least 300 characters: values of more than 200 are not parsed.
    many: tuple[object, ...] = tuple(value for _ in range(100))
    assert value_kind(repr(many)) == "tuple"
    assert value_kind(repr(list(many))) == "list"
    assert value_kind(repr(dict.fromkeys(range(100), value))) == "dict"
    assert value_kind(repr({(n, repr(value)) for n in range(100)})) == "set"
    assert value_kind(f"Point({many!r})") == "object"
    assert value_kind(f"<Point {many!r}>") == "object"


def test_brackets_inside_a_long_value_are_ignored() -> None:
    long = "x" * 300
    assert value_kind(f"{{('{long}', 1): 2}}") == "dict"
    assert value_kind(f"{{'a, b: {long}'}}") == "set"
    assert value_kind(f"{{<Point a: 1, b: '>{long}'>, 2}}") == "set"
    assert value_kind(f"{{<Point (a, b) {long}>: 2}}") == "dict"
    assert value_kind(f"('{long}')") == "str"
    assert value_kind("9" * 300) == value_kind("-" + "9" * 9_000) == "int"


# -- real programs --------------------------------------------------------------------------


def shown(step: Step) -> Iterator[str]:
    """The values of a step, by its definition."""
    yield from (value for name, value in step.changed.items() if name != ".0")
    if step.event == "return" and step.value is not None:
        yield step.value


def strings_in(value: str) -> Iterator[str]:
    """The strings in a value, according to Python's parser."""
    try:
        nodes = list(ast.walk(ast.parse(value, mode="eval")))
    except SyntaxError:
        return
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


@pytest.mark.data
def test_cruxeval_is_measured_correctly(cruxeval_traces: list[Trace]) -> None:
    kinds: set[str] = set()
    for trace in cruxeval_traces:
        difficulty = measure_difficulty(trace, codec=CWM, tokenizer=BytesTokenizer())
        values = [value for step in trace.steps for value in shown(step)]
        calls = [(s.event == "call") - (s.event == "return") for s in trace.steps]
        lines = {step.line for step in trace.steps if step.event == "line"}
        operations = [operation_facts(trace.program.text, line) for line in lines]
        assert difficulty == Difficulty(
            steps=len(trace.steps),
            iterations=difficulty.iterations,
            call_depth=max(accumulate(calls)),
            longest_string=max((len(s) for v in values for s in strings_in(v)), default=0),
            kinds=tuple(sorted({value_kind(value) for value in values})),
            nesting=max(facts.nesting for facts in operations),
            hidden_values=max(facts.hidden_values for facts in operations),
            chars=len(text_of(trace)),
            tokens=difficulty.tokens,
            is_complete=True,
        ), trace.program.text
        assert difficulty.tokens is not None
        assert difficulty.chars is not None
        assert difficulty.steps * 3 < difficulty.tokens < difficulty.chars
        kinds.update(difficulty.kinds)
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
    """Insert a counter at the start of every loop body."""

    def visit(self, node: ast.AST) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node, ast.For | ast.While):
            node.body.insert(0, ast.parse("print('\\0turn')").body[0])
        return node


@pytest.mark.data
def test_iterations_of_cruxeval_agree_with_instrumented_programs(
    recorder: PythonRecorder, cruxeval_traces: list[Trace]
) -> None:
    turning = 0
    instrumented = [
        Program(ast.unparse(Counting().visit(ast.parse(source))), trace.program.call)
        for trace in cruxeval_traces
        for source in [trace.program.source]
    ]
    limits = Limits(seconds=30)
    grouped = recorder.record_group(instrumented, limits=limits)
    for trace, counting, together in zip(cruxeval_traces, instrumented, grouped, strict=True):
        again = together or recorder.record(counting, limits=limits)
        assert again.result == trace.result
        counted = again.stdout.count("\0turn\n")
        assert measure_difficulty(trace).iterations == counted, trace.program.text
        turning += counted > 0
    assert turning == 332


def test_the_ending_changes_only_is_complete(recorder: PythonRecorder) -> None:
    trace = recorder.record(Program(PLAIN, "f('a')"))
    stopped = replace(trace, ending=Ending("time_limit"))
    assert measure_difficulty(stopped) == replace(measure_difficulty(trace), is_complete=False)
