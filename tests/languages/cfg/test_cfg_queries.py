"""Queries of a control-flow graph: functions on a line, branches, loop exits, callees, errors."""

import ast
import sys
from collections.abc import Iterable
from typing import Any

import pytest

from worldline.core.errors import ProgramError
from worldline.core.trace import Program, Scope
from worldline.languages.control_flow import Branch, ControlFlowGraph, FunctionGraph, build_cfg

HAS_COMPREHENSION_FRAMES = sys.version_info < (3, 12)

NESTED = """\
def outer(x):
    def inner(y): return (lambda z: z + y)(x)
    return inner(x)

class A:
    size = 3
    def area(self):
        return self.size ** 2
"""


def names(functions: Iterable[FunctionGraph]) -> list[str]:
    return [function.qualname for function in functions]


def test_functions_are_listed_outermost_first() -> None:
    graph = build_cfg(NESTED)
    assert names(graph.functions) == [
        "<module>",
        "outer",
        "outer.<locals>.inner",
        "outer.<locals>.inner.<locals>.<lambda>",
        "A",
        "A.area",
    ]
    assert [function.depth for function in graph.functions] == [0, 1, 2, 3, 1, 2]
    kinds = ["module", "function", "function", "lambda", "class", "function"]
    assert [function.kind for function in graph.functions] == kinds
    assert graph.python == sys.version_info[:2]


def test_functions_at_a_line_have_the_innermost_last() -> None:
    graph = build_cfg(NESTED)
    assert names(graph.functions_at(2)) == [
        "outer",
        "outer.<locals>.inner",
        "outer.<locals>.inner.<locals>.<lambda>",
    ]
    assert names(graph.functions_at(3)) == ["outer"]
    assert names(graph.functions_at(7)) == ["A"]
    assert names(graph.functions_at(8)) == ["A.area"]
    assert graph.functions_at(4) == ()
    assert graph.functions_at(99) == ()


def test_functions_of_a_scope_match_name_and_first_line() -> None:
    graph = build_cfg(NESTED)
    assert names(graph.functions_of(Scope("A.area", 7, ("self",), 1))) == ["A.area"]
    assert graph.functions_of(Scope("A.area", 8, ("self",), 1)) == ()
    two = build_cfg("f = [lambda: 1, lambda: 2]\n")
    assert len(two.functions_of(Scope("<lambda>", 1, (), 0))) == 2


def test_successors_include_all_functions_on_the_line() -> None:
    graph = build_cfg("f = lambda: g(\n    1)\nx = 1\n")
    assert graph.successors(1) == {2, 3}
    assert graph.successors(3) == frozenset()
    assert graph.successors(77) == frozenset()


def test_a_line_is_legal_only_in_its_own_function() -> None:
    graph = build_cfg("def f(x):\n    x = 1\n    return x\ndef g(x):\n    x = 2\n    return x\n")
    f, g = graph.functions[1:]
    assert graph.is_legal(f, 2, 3)
    assert not graph.is_legal(f, 2, 2)
    assert not graph.is_legal(f, 2, 6)
    assert not graph.is_legal(g, 2, 3)
    assert not graph.is_legal(f, 99, 2)


def test_a_handler_is_legal_only_after_an_exception() -> None:
    graph = build_cfg(
        "def f(x):\n    try:\n        g(x)\n    except E:\n        x = 1\n    return x\n"
    )
    f = graph.functions[1]
    assert not graph.is_legal(f, 3, 4)
    assert graph.is_legal(f, 3, 4, after_exception=True)
    assert graph.is_legal(f, 3, 6)
    # An exception step does not always lead to a handler: the end of an iterator is one too.
    assert graph.is_legal(f, 3, 6, after_exception=True)
    assert not graph.is_legal(f, 3, 5, after_exception=True)


# -- branches and loops ---------------------------------------------------------------------

BRANCHES = """\
def f(x, y):
    if x:
        y = 1
    elif y:
        y = 2
    else:
        y = 3
    while x:
        x -= 1
    else:
        x = 4
    for z in y:
        if z > 1 and x: continue
        x = 1 if z else 2
    while True:
        if 1 < x < 3:
            break
        assert x
    match y:
        case 1:
            return 1
        case _:
            return 2
"""


def branches(text: str, name: str = "f") -> dict[int, list[Branch]]:
    (result,) = [f for f in build_cfg(text).functions if f.name == name]
    return {line: list(some) for line, some in result.branches.items()}


def test_branches_have_a_kind_and_targets() -> None:
    def branch(kind: Any, inside: set[int], outside: set[int]) -> Branch:
        return Branch(kind, frozenset(inside), frozenset(outside))

    assert branches(BRANCHES) == {
        2: [branch("if", {3}, {4})],
        4: [branch("if", {5}, {7})],
        8: [branch("while", {9}, {11})],
        12: [branch("for", {13}, {15})],
        13: [branch("boolean", set(), {12, 14}), branch("if", set(), {12, 14})],
        14: [branch("ternary", set(), {12})],
        15: [branch("while", {16}, set())],
        16: [branch("comparison", set(), {17, 18}), branch("if", {17}, {18})],
        18: [branch("assert", set(), {15})],
        20: [branch("match", {21}, {22})],
    }


def test_branches_of_exceptions_and_contexts() -> None:
    text = (
        "def f(x):\n    try:\n        with x:\n            g()\n    except E:\n        return 1\n"
    )
    result = {line: [branch.kind for branch in some] for line, some in branches(text).items()}
    assert result == {3: ["with"], 5: ["except"]}
    assert branches(text)[5][0].inside == {6}


def test_branches_belong_to_the_function_that_executes_them() -> None:
    text = "def f(x):\n    if g(lambda y: y or x):\n        return 1\n"
    assert [branch.kind for branch in branches(text)[2]] == ["if"]
    assert [branch.kind for branch in branches(text, "<lambda>")[2]] == ["boolean"]


def test_the_first_iterable_of_a_comprehension_belongs_to_the_enclosing_scope() -> None:
    text = "def f(x, y):\n    return {z for z in x or y}\n"
    result = [branch.kind for branch in branches(text)[2]]
    assert result == ["boolean"] if HAS_COMPREHENSION_FRAMES else ["boolean", "comprehension"]


LOOPS = """\
def f(x):
    for y in x:
        x = y
    while x: x -= 1
    for y in x: g(y)
    while (x and
           y):
        x = 0
    for y in [z for z in x]:
        while True:
            break
    else:
        x = 1
    return x
"""


@pytest.mark.parametrize(
    ("line", "next_line", "expected"),
    [
        (2, 3, "stays"),
        (2, 4, "leaves"),
        (3, 2, None),  # the body does not decide
        (2, 9, None),  # cannot follow
        (4, 4, "stays"),
        (4, 5, "leaves"),
        (5, 5, "stays"),
        (5, 6, "leaves"),
        (6, 7, "stays"),
        (6 if HAS_COMPREHENSION_FRAMES else 7, 8, "stays"),
        (9, 10, "stays"),
        (9, 13, "leaves"),
        (10, 11, "stays"),
        (14, 2, None),
        (99, 1, None),
    ],
)
def test_loop_exit(line: int, next_line: int, expected: str | None) -> None:
    assert build_cfg(LOOPS).loop_exit(line, next_line) == expected


def test_a_nested_loop_exits_to_the_enclosing_loop() -> None:
    graph = build_cfg("for x in y:\n    for z in x:\n        g(z)\nh()\n")
    assert graph.loop_exit(2, 3) == "stays"
    assert graph.loop_exit(2, 1) == "leaves"
    assert graph.loop_exit(1, 2) == "stays"
    assert graph.loop_exit(1, 4) == "leaves"


def test_comprehension_is_a_loop() -> None:
    graph = build_cfg("def f(x):\n    y = [z for z in x]\n    return y\n")
    assert graph.loop_exit(2, 2) == "stays"
    # With a frame of its own it is left by a return, not by a line step.
    assert graph.loop_exit(2, 3) == (None if HAS_COMPREHENSION_FRAMES else "leaves")


# -- callees --------------------------------------------------------------------------------

CALLS = """\
def g(x):
    return x

class A:
    def __init__(self, x):
        self.x = x
    def size(self):
        return self.x
    def __add__(self, other):
        return A(self.x + other)

def f(x):
    y = g(x)
    a = A(y)
    n = a.size()
    a + 1
    k = len(x)
    return n
"""


def callees(text: str, line: int) -> set[str]:
    return set(names(build_cfg(text).callees(line)))


def test_callees_by_name_method_class_and_operator() -> None:
    assert callees(CALLS, 2) == set()
    assert callees(CALLS, 4) == {"A", "A.__init__", "A.__add__"}
    assert callees(CALLS, 13) == {"g"}
    assert callees(CALLS, 14) == {"A.__init__", "A.__add__"}
    assert callees(CALLS, 15) == {"A.size", "A.__add__"}
    assert callees(CALLS, 16) == {"A.__add__"}
    assert callees(CALLS, 17) == {"A.__add__"}
    assert callees(CALLS, 18) == set()


def test_callees_are_the_same_on_all_lines_of_a_statement() -> None:
    text = "def g(x): return x\ny = sorted(\n    [1],\n    key=g,\n)\nz = 1\n"
    assert [callees(text, line) for line in range(2, 7)] == [{"g"}] * 4 + [set()]


def test_a_function_used_as_a_value_may_be_called_by_unknown_code() -> None:
    text = "def g(x): return x\ndef h(x): return x\ndef f(x):\n    y = g\n    return y(x)\n"
    assert callees(text, 5) == {"g"}
    lazy = "def g(x): return x\ny = map(g, [1])\nfor z in y:\n    z += 1\n"
    assert callees(lazy, 3) == {"g"}


def test_a_decorated_function_may_be_called_through_its_wrapper() -> None:
    text = (
        "def twice(g):\n    def inner(x): return g(g(x))\n    return inner\n"
        "@twice\ndef f(x):\n    return x\ny = f(1)\n"
    )
    assert callees(text, 7) == {"f", "twice.<locals>.inner"}
    assert "twice" in callees(text, 4)


def test_lambdas_and_comprehensions_may_run_where_they_are_defined() -> None:
    text = (
        "def f(x):\n    y = sum(z for z in x)\n    w = [z for z in x]\n    return (lambda: y)()\n"
    )
    assert callees(text, 2) >= {"f.<locals>.<genexpr>"}
    in_frame = {"f.<locals>.<listcomp>"} if HAS_COMPREHENSION_FRAMES else set()
    assert callees(text, 3) >= in_frame
    assert callees(text, 4) == {"f.<locals>.<lambda>", "f.<locals>.<genexpr>"}


def test_a_suspended_generator_may_run_wherever_it_is_deleted() -> None:
    text = "def g():\n    yield 1\ndef f():\n    x = g()\n    next(x)\n    x = 1\n    return x\n"
    assert callees(text, 6) == {"g"}
    used_up = "def f(x):\n    y = sum(z for z in x)\n    x = 1\n    return x\n"
    assert callees(used_up, 3) == set()


def test_reflection_may_reach_every_function() -> None:
    text = "def g(): pass\ndef f(x):\n    return globals()[x]()\n"
    assert callees(text, 3) == {"g", "f"}


def test_an_external_base_class_may_call_any_method() -> None:
    text = "class A(set):\n    def hook(self): pass\nx = A()\nx |= x\n"
    assert callees(text, 4) == {"A.hook"}
    own = "class A:\n    def hook(self): pass\nx = A()\nx |= x\n"
    assert callees(own, 4) == set()
    through = "class B(A):\n    def hook(self): pass\nclass A(set): pass\nx = B()\nx |= x\n"
    assert callees(through, 5) == {"B.hook"}


# -- programs that are not --------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["def f(:\n    pass\n", "x = \0\n", "return 1\n", "x = '\udc80'\n"]
)
def test_a_program_that_does_not_compile_is_rejected_with_a_reason(text: str) -> None:
    with pytest.raises(ProgramError, match=r"does not compile: .*; correct it"):
        build_cfg(text)


def test_the_compile_error_names_the_line() -> None:
    with pytest.raises(ProgramError, match=r"^line 2 of the program does not compile: "):
        build_cfg("x = 1\ny = = 2\n")


def test_a_too_deeply_nested_program_is_rejected() -> None:
    with pytest.raises(ProgramError):
        build_cfg("x = " + "(" * 5000 + ")" * 5000)
    with pytest.raises(ProgramError, match="nested too deeply"):
        build_cfg("x = " + "-" * 20_000 + "1")


def test_a_long_sum_is_accepted() -> None:
    graph = build_cfg("x = " + " + ".join(["y"] * 900) + "\nz = 1\n")
    assert graph.successors(1) == {2}


def test_warnings_of_the_program_are_suppressed(recwarn: pytest.WarningsRecorder) -> None:
    build_cfg("x = '\\d'\nassert (x, 1)\n")
    assert list(recwarn) == []


def test_an_empty_program_has_a_module() -> None:
    graph: ControlFlowGraph = build_cfg("")
    assert names(graph.functions) == ["<module>"]


# -- what holds for every graph ----------------------------------------------------------------


@pytest.mark.data
def test_graphs_of_cruxeval_are_closed(cruxeval: list[dict[str, Any]]) -> None:
    unique = total = 0
    for row in cruxeval:
        text = Program(row["code"], f"f({row['input']})").text
        graph, parts = build_cfg(text), lines_of_multi_line_expressions(text)
        for function in graph.functions:
            reached = function.entry.union(
                *function.successors.values(), *function.exception_successors.values()
            )
            assert reached == function.lines == set(function.exception_successors)
            assert function.exits <= function.lines
            assert function.yields.keys() <= function.lines
            for line, result in function.branches.items():
                for branch in result:
                    assert branch.inside | branch.outside == function.successors[line]
                    assert not branch.inside & branch.outside
            for line, after in function.successors.items():
                total += 1
                unique += len(after) + (line in function.exits) == 1
                is_choice = len(after - {line}) > 1
                assert not is_choice or line in function.branches or line in parts, row["id"]
    assert unique / total > 0.8


def lines_of_multi_line_expressions(text: str) -> set[int]:
    """Lines of expressions over several lines: their order needs no branch."""
    expressions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.expr)]
    return {
        line
        for node in expressions
        if node.end_lineno != node.lineno
        for line in range(node.lineno, (node.end_lineno or 0) + 1)
    }
