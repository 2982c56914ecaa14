"""Control-flow graphs of JavaScript programs; implements `CfgBuilder`."""

from dataclasses import dataclass
from functools import lru_cache

from worldline.core.errors import ProgramError
from worldline.languages.control_flow.code_emitter import CodeEmitter
from worldline.languages.control_flow.control_flow_graph import ControlFlowGraph
from worldline.languages.control_flow.emitted_graph import (
    EmittedFunction,
    build_emitted_graph,
    build_emitted_instructions,
)
from worldline.languages.control_flow.instruction_nodes import ProgramInstructions
from worldline.languages.control_flow.syntax_tree import parse_program
from worldline.languages.javascript.javascript_callees import CalleeIndex
from worldline.languages.javascript.javascript_functions import find_functions
from worldline.languages.javascript.javascript_statement_code import JavaScriptStatements


@dataclass(frozen=True, slots=True)
class JavaScriptCfg:
    """Builds the graphs of a language: "javascript" or "typescript"."""

    language: str

    def build_cfg(self, text: str) -> ControlFlowGraph:
        """Build the control-flow graph of a program.

        Raises:
            ProgramError: It cannot be parsed.
        """
        return build_emitted_graph(_emit(text, self.language))

    def build_instruction_graph(self, text: str, graph: ControlFlowGraph) -> ProgramInstructions:
        """Build the instructions of a program, in the order of its graph."""
        return build_emitted_instructions(_emit(text, self.language))


@lru_cache(maxsize=8)
def _emit(text: str, language: str) -> tuple[EmittedFunction, ...]:
    """The code of all functions; the module is the first."""
    root = parse_program(text, language)
    try:
        functions = find_functions(root)
        callees = CalleeIndex(root, functions)
        code = CodeEmitter()
        module = JavaScriptStatements(code, callees)
        module.module(root)
        emitted = [
            EmittedFunction(
                "<module>", "<module>", "module", 1, 0, False, code, tuple(module.constructs)
            )
        ]
        for each in functions:
            code = CodeEmitter()
            statements = JavaScriptStatements(code, callees)
            statements.function(each.node)
            emitted.append(
                EmittedFunction(
                    name=each.name.rpartition(".")[2],
                    qualname=each.name,
                    kind="lambda" if each.node.type == "arrow_function" else "function",
                    line=each.line,
                    depth=each.depth,
                    is_generator=each.is_generator,
                    code=code,
                    constructs=tuple(statements.constructs),
                )
            )
    except RecursionError:
        raise ProgramError(
            "the program is nested too deeply; split its longest expression"
        ) from None
    return tuple(emitted)
