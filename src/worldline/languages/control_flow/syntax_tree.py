"""Syntax trees of programs in languages other than Python; the only home of tree-sitter."""

from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from worldline.core.errors import ProgramError
from worldline.core.util.optional_imports import optional_import

if TYPE_CHECKING:
    from tree_sitter import Node as Node
    from tree_sitter import Parser

EXTRA = "cfg"
_GRAMMARS = {
    "javascript": "tree_sitter_javascript",
    "typescript": "tree_sitter_typescript",
    "java": "tree_sitter_java",
}


def has_parser(language: str) -> bool:
    """Whether the parser of a language is installed."""
    return all(find_spec(name) is not None for name in ("tree_sitter", _GRAMMARS[language]))


def parse_program(text: str, language: str) -> "Node":
    """Parse a program; the root of its syntax tree.

    Args:
        text: The program.
        language: "javascript", "typescript" or "java".

    Raises:
        ProgramError: It cannot be parsed, or the parser is not installed.
    """
    root = _parser(language).parse(text.encode()).root_node
    if root.has_error:
        line = next((node.start_point.row + 1 for node in walk(root) if _is_error(node)), 1)
        raise ProgramError(f"line {line} of the program cannot be parsed; correct it")
    return root


def _is_error(node: "Node") -> bool:
    return node.is_error or node.is_missing


def walk(node: "Node") -> Iterator["Node"]:
    """A node and all nodes below it, in the order of the source."""
    pending = [node]
    while pending:
        each = pending.pop()
        yield each
        pending += reversed(each.children)


def node_text(node: "Node | None") -> str:
    """The source of a node; "" for none."""
    return "" if node is None or node.text is None else node.text.decode()


def first_line(node: "Node") -> int:
    """The line on which a node begins, from 1."""
    return node.start_point.row + 1


def last_line(node: "Node") -> int:
    """The line on which a node ends, from 1."""
    return node.end_point.row + 1


def parts(node: "Node") -> list["Node"]:
    """The named nodes directly below a node, without comments."""
    return [each for each in node.named_children if not each.type.endswith("comment")]


def part(node: "Node", name: str) -> "Node":
    """A field that the grammar requires."""
    child = node.child_by_field_name(name)
    if child is None:
        raise ProgramError(f"line {first_line(node)} of the program has no {name}; correct it")
    return child


@cache
def _parser(language: str) -> "Parser":
    purpose = f"control-flow graphs of {language} need tree-sitter; install it with"
    with optional_import(purpose, extra=EXTRA, error=ProgramError):
        from tree_sitter import Language, Parser
    return Parser(Language(_grammar(language, purpose)))


def _grammar(language: str, purpose: str) -> object:
    with optional_import(purpose, extra=EXTRA, error=ProgramError):
        if language == "java":
            import tree_sitter_java

            return tree_sitter_java.language()
        if language == "typescript":
            import tree_sitter_typescript

            return tree_sitter_typescript.language_typescript()
        import tree_sitter_javascript

        return tree_sitter_javascript.language()
