"""Control-flow graphs of Java programs; implements `CfgBuilder`."""

from functools import lru_cache

from worldline.core.errors import ProgramError
from worldline.languages.control_flow.control_flow_graph import ControlFlowGraph
from worldline.languages.control_flow.emitted_graph import (
    EmittedFunction,
    build_emitted_graph,
    build_emitted_instructions,
)
from worldline.languages.control_flow.instruction_nodes import ProgramInstructions
from worldline.languages.control_flow.syntax_tree import parse_program
from worldline.languages.java.java_callees import JavaCallees
from worldline.languages.java.java_functions import find_functions
from worldline.languages.java.java_source import source_lines
from worldline.languages.java.java_statement_code import JavaStatements
from worldline.languages.java.javac_code import JavacCode


def build_cfg(text: str) -> ControlFlowGraph:
    """Build the control-flow graph of a program.

    Raises:
        ProgramError: It cannot be parsed.
    """
    return build_emitted_graph(_emit(text))


def build_instruction_graph(text: str, graph: ControlFlowGraph) -> ProgramInstructions:
    """Build the instructions of a program, in the order of its graph."""
    return build_emitted_instructions(_emit(text))


@lru_cache(maxsize=8)
def _emit(text: str) -> tuple[EmittedFunction, ...]:
    root = parse_program(text, "java")
    lines = source_lines(text)
    emitted = []
    try:
        functions = find_functions(root)
        callees = JavaCallees(root, functions)
        for each in functions:
            code = JavacCode(lines)
            statements = JavaStatements(code, callees)
            statements.function(each)
            emitted.append(
                EmittedFunction(
                    name=each.name,
                    qualname=each.qualname,
                    kind="lambda" if each.name == "<lambda>" else "function",
                    line=each.line,
                    depth=each.depth,
                    is_generator=False,
                    code=code,
                    constructs=tuple(statements.constructs),
                )
            )
    except RecursionError:
        raise ProgramError(
            "the program is nested too deeply; split its longest expression"
        ) from None
    return tuple(emitted)
