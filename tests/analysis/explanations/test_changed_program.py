"""Changed programs keep their lines, and their steps are those of the original lines."""

import ast

import pytest

from worldline.analysis.explanations.changed_program import (
    Variant,
    changed_text,
    execute_variants,
)
from worldline.analysis.explanations.misconception import Change, Source, parse_program
from worldline.core.trace import Limits, Program
from worldline.languages.python.recorder import Recorder


def parse(program: Program) -> Source:
    source = parse_program(program.text)
    assert source is not None
    return source


def first_call(source: Source, name: str) -> ast.Call:
    return next(
        node
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call) and source.segment(node.func).endswith(name)
    )


def test_a_change_of_several_lines_keeps_the_number_of_lines() -> None:
    program = Program("def f(s):\n    return max(\n        s,\n        3)\n", "f(1)")
    source = parse(program)
    change = Change(first_call(source, "max"), "0", "max", "…")
    text = changed_text(source, Variant(change))
    assert text is not None
    assert text.split("\n")[5:] == [*program.lines[5:], ""]
    assert len(text.split("\n")) == len(program.lines) + 1


def test_characters_that_are_not_ascii_do_not_move_the_place() -> None:
    source = parse(Program("def f(s):\n    return 'é' + s.upper() + 'ü'\n", "f('a')"))
    change = Change(first_call(source, "upper"), "s", ".upper", "…")
    text = changed_text(source, Variant(change))
    assert text is not None
    assert text.split("\n")[1] == "    return 'é' + (s) + 'ü'"


@pytest.mark.parametrize("count", [1, 3])
def test_steps_of_appended_functions_are_removed(recorder: Recorder, count: int) -> None:
    program = Program("def f(a):\n    b = a % 3\n    return b\n", "f(-7)")
    source = parse(program)
    (node,) = [n for n in ast.walk(source.tree) if isinstance(n, ast.BinOp)]
    change = Change(node, "_misread_modulo(a, 3)", "%", "…")
    executions = execute_variants(
        program, source, [Variant(change)] * count, recorder, limits=Limits(), steps=10
    )
    assert len(executions) == count
    for execution in executions:
        assert execution is not None
        trace = execution.trace
        assert trace.is_complete
        assert trace.result == "-1"
        assert [step.line for step in trace.steps] == [5, 6, 1, 2, 3, 3, 6]
        assert trace.program is program


def test_evaluations_are_counted_and_chosen(recorder: Recorder) -> None:
    source_text = "def f(xs):\n    t = 0\n    for x in xs:\n        t += abs(x)\n    return t\n"
    program = Program(source_text, "f([-1, -2, -4])")
    source = parse(program)
    change = Change(first_call(source, "abs"), "x", "abs", "…")
    variants = [Variant(change, 1, 1), Variant(change, 1), Variant(change, 1, 0)]
    executions = execute_variants(program, source, variants, recorder, limits=Limits(), steps=30)
    results = [execution.trace.result for execution in executions if execution]
    assert results == ["3", "-5", "7"]
    assert [len(execution.evaluations) for execution in executions if execution] == [3, 3, 3]


def test_a_program_that_raises_or_exits_does_not_end_the_batch(recorder: Recorder) -> None:
    program = Program("def f(a):\n    return abs(a)\n", "f(-7)")
    source = parse(program)
    node = first_call(source, "abs")
    texts = ["1 / 0", "exit(3)", "a"]
    variants = [Variant(Change(node, text, "abs", "…")) for text in texts]
    executions = execute_variants(program, source, variants, recorder, limits=Limits(), steps=9)
    traces = [execution.trace for execution in executions if execution]
    assert [trace.result for trace in traces] == [None, None, "-7"]
    assert traces[0].ending.reason == "raised"
