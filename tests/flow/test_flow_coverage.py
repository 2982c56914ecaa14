"""The graph held against coverage.py's, which is made from the syntax tree instead of bytecode."""

import ast
from collections import Counter
from typing import Any

import pytest
from coverage.parser import PythonParser

from worldline.flow import FlowGraph, FunctionFlow, flow_graph
from worldline.trace import Program

Arc = tuple[int, int]


def parsed(text: str) -> PythonParser:
    parser = PythonParser(text=text)
    parser.parse_source()
    return parser


def arcs_of(graph: FlowGraph, parser: PythonParser) -> set[Arc]:
    """Our graph in coverage's terms.

    Lines are first lines of statements, -n is what is outside function n, and (coverage's own
    `translate_arcs`) the way back through the line of a `with` when it is left is taken out.
    """
    found: set[Arc] = set()
    for function in graph.functions:
        for line in function.lines:
            after = function.successors[line] | function.exceptional[line]
            found |= {(line, there) for there in after}
        found |= {(-function.first_line, line) for line in function.entry}
        found |= {(line, -function.first_line) for line in function.exits}
    return parser.translate_arcs(found)


def as_arc(parser: PythonParser, line: int, there: int) -> Arc:
    return parser.first_line(line), parser.first_line(there)


def raise_lines(text: str) -> set[int]:
    return {node.lineno for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Raise)}


def why_coverage_lacks(function: FunctionFlow, parser: PythonParser, line: int, there: int) -> str:
    """Our transitions are finer than coverage's in two ways, and in no other."""
    if function.kind == "comprehension":
        return "in the frame of a comprehension or generator expression"
    if parser.first_line(line) == parser.first_line(there):
        return "within one statement"
    return f"line {line} to {there}"


@pytest.mark.data
def test_cruxeval_has_all_that_coverage_has_and_little_more(cruxeval: list[dict[str, Any]]) -> None:
    total, left_by_raising = 0, 0
    ours: Counter[str] = Counter()
    for row in cruxeval:
        text = Program(row["code"], f"f({row['input']})").text
        parser, graph = parsed(text), flow_graph(text)
        arcs = parser.arcs()
        missing = arcs - arcs_of(graph, parser)
        # Coverage counts a `raise` as a way out of the function; our exits are returns.
        raised = {arc for arc in missing if arc[1] < 0 and arc[0] in raise_lines(text)}
        assert missing == raised, row["id"]
        total += len(arcs)
        left_by_raising += len(raised)
        for function in graph.functions:
            for line, after in function.successors.items():
                for there in after:
                    if as_arc(parser, line, there) in arcs:
                        ours["both"] += 1
                    else:
                        ours[why_coverage_lacks(function, parser, line, there)] += 1
    assert total > 6_500
    assert left_by_raising == 1
    assert set(ours) == {
        "both",
        "in the frame of a comprehension or generator expression",
        "within one statement",
    }
    assert ours["both"] > 4_000
    assert ours.total() - ours["both"] < 0.03 * ours.total()


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


def test_each_construct_has_all_that_coverage_has() -> None:
    parser = parsed(CONSTRUCTS)
    arcs = parser.arcs()
    ours = arcs_of(flow_graph(CONSTRUCTS), parser)
    assert len(arcs) >= 36
    assert arcs - ours == set()


def test_what_is_not_in_the_program_is_in_neither() -> None:
    parser = parsed(CONSTRUCTS)
    both = parser.arcs() | arcs_of(flow_graph(CONSTRUCTS), parser)
    assert not both & {(2, 4), (3, 6), (8, 11), (14, 17), (4, 5), (6, 7)}
