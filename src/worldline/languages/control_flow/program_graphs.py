"""Graphs of a program, built by its language."""

from worldline.core.errors import ProgramError
from worldline.core.language import CfgBuilder, get_language, missing_feature
from worldline.core.trace import Program
from worldline.languages.control_flow.control_flow_graph import ControlFlowGraph
from worldline.languages.control_flow.instruction_nodes import ProgramInstructions


def build_cfg(text: str, *, language: str = "python") -> ControlFlowGraph:
    """Build the control-flow graph of a program.

    "def f(x):\\n    if x:\\n        x = 1\\n    return x" -> the module, with successors {1: {}},
    and f, with entry {2}, successors {2: {3, 4}, 3: {4}, 4: {}}, exits {4}

    Args:
        text: The source of the program.
        language: Its language.

    Raises:
        ProgramError: The program cannot be parsed, or its language has no control-flow graph.
    """
    graph = _builder(language).build_cfg(text)
    assert isinstance(graph, ControlFlowGraph)
    return graph


def build_instructions(program: Program, graph: ControlFlowGraph) -> ProgramInstructions:
    """Build the instructions of a program, in the order of the functions of its graph."""
    instructions = _builder(program.language).build_instruction_graph(program.text, graph)
    assert isinstance(instructions, ProgramInstructions)
    return instructions


def _builder(language: str) -> CfgBuilder:
    builder = get_language(language).cfg
    if builder is None or missing_feature(language, "cfg"):
        raise ProgramError(f"{missing_feature(language, 'cfg')}; use another language")
    return builder
