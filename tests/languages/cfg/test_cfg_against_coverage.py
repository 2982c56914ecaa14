"""Comparison of the graph with that of coverage.py, which is built from the syntax tree."""

import ast
from collections import Counter
from typing import Any

import pytest
from coverage.parser import PythonParser

from worldline.core.trace import Program
from worldline.languages.control_flow import ControlFlowGraph, FunctionGraph, build_cfg

Arc = tuple[int, int]


def parse_with_coverage(text: str) -> PythonParser:
    parser = PythonParser(text=text)
    parser.parse_source()
    return parser


def graph_arcs(graph: ControlFlowGraph, parser: PythonParser) -> set[Arc]:
    """Arcs of our graph in coverage's terms.

    Lines are first lines of statements, -n is the outside of function n, and coverage's own
    `translate_arcs` removes the return to the line of a `with` statement when it is left.
    """
    arcs: set[Arc] = set()
    for function in graph.functions:
        for line in function.lines:
            targets = function.successors[line] | function.exception_successors[line]
            arcs |= {(line, target) for target in targets}
        arcs |= {(-function.first_line, line) for line in function.entry}
        arcs |= {(line, -function.first_line) for line in function.exits}
    return parser.translate_arcs(arcs)


def statement_arc(parser: PythonParser, line: int, target: int) -> Arc:
    return parser.first_line(line), parser.first_line(target)


def raise_lines(text: str) -> set[int]:
    return {node.lineno for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Raise)}


def reason_missing_in_coverage(
    function: FunctionGraph, parser: PythonParser, line: int, target: int
) -> str:
    """Reason for a transition that coverage does not have; there are two."""
    if function.kind == "comprehension":
        return "in the frame of a comprehension or generator expression"
    if parser.first_line(line) == parser.first_line(target):
        return "within one statement"
    return f"line {line} to {target}"


@pytest.mark.data
def test_cruxeval_graphs_have_every_arc_of_coverage_and_few_more(
    cruxeval: list[dict[str, Any]],
) -> None:
    total, raise_exits = 0, 0
    counts: Counter[str] = Counter()
    for row in cruxeval:
        text = Program(row["code"], f"f({row['input']})").text
        parser, graph = parse_with_coverage(text), build_cfg(text)
        arcs = parser.arcs()
        missing = arcs - graph_arcs(graph, parser)
        # Coverage counts a `raise` as an exit of the function; our exits are returns.
        raised = {arc for arc in missing if arc[1] < 0 and arc[0] in raise_lines(text)}
        assert missing == raised, row["id"]
        total += len(arcs)
        raise_exits += len(raised)
        for function in graph.functions:
            for line, targets in function.successors.items():
                for target in targets:
                    if statement_arc(parser, line, target) in arcs:
                        counts["both"] += 1
                    else:
                        counts[reason_missing_in_coverage(function, parser, line, target)] += 1
    assert total > 6_500
    assert raise_exits == 1
    assert set(counts) == {
        "both",
        "in the frame of a comprehension or generator expression",
        "within one statement",
    }
    assert counts["both"] > 4_000
    assert counts.total() - counts["both"] < 0.03 * counts.total()


CONSTRUCTS = """\
def f(x):
    for y in x:
        if y:
            continue
        elif x:
            break
        while y:
            y -= 1
        else:
            return 1
    else:
        x = 2
    match x:
        case 1:
            x = 3
        case [y]:
            x = 4
    try:
        g(x)
    except ValueError:
        x = 5
    else:
        x = 6
    finally:
        h(x)
    with x as y:
        g(y)
    return y

async def k(x):
    async for y in x:
        await y
    async with x:
        g(x)
"""


def test_each_construct_has_every_arc_of_coverage() -> None:
    parser = parse_with_coverage(CONSTRUCTS)
    arcs = parser.arcs()
    ours = graph_arcs(build_cfg(CONSTRUCTS), parser)
    assert len(arcs) >= 36
    assert arcs - ours == set()


def test_impossible_arcs_are_in_neither_graph() -> None:
    parser = parse_with_coverage(CONSTRUCTS)
    both = parser.arcs() | graph_arcs(build_cfg(CONSTRUCTS), parser)
    assert not both & {(2, 4), (3, 6), (8, 11), (14, 17), (4, 5), (6, 7)}
