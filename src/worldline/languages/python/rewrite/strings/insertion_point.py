"""Line at which functions can be inserted into a program, and unused names for them."""

import ast
import re
import unicodedata

# Comments that must stay at the top: `#!` and the encoding.
_SPECIAL_COMMENT = re.compile(r"#!|#.*coding[:=]")


def find_insertion_line(tree: ast.Module, lines: tuple[str, ...]) -> int | None:
    """Find the first line after the docstring and the `__future__` imports.

    Returns:
        None if another statement begins on the same line.
    """
    header = 0
    for statement in tree.body:
        if _is_header(statement, tree):
            header = statement.end_lineno or 0
        elif statement.lineno <= header:
            return None
        else:
            break
    if header == 0:
        while header < min(2, len(lines)) and _SPECIAL_COMMENT.match(lines[header]):
            header += 1
    return header + 1


def _is_header(statement: ast.stmt, tree: ast.Module) -> bool:
    """Whether a statement must come before all others."""
    match statement:
        case ast.Expr(value=ast.Constant(value=str())):
            return statement is tree.body[0]
        case ast.ImportFrom(module="__future__"):
            return True
        case _:
            return False


class UniqueNames:
    """Names that do not occur in a text, not even in its strings; each is allocated once."""

    def __init__(self, text: str) -> None:
        self.taken = set(re.findall(r"\w+", unicodedata.normalize("NFKC", text)))

    def allocate(self, name: str) -> str:
        """Allocate a name, with underscores appended until it is unused."""
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name


def names_from_builtins(tree: ast.Module) -> frozenset[str]:
    """Names that a module of one function takes from the built-ins: len, range, str."""
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    bound = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    bound |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    return frozenset(node.id for node in names) - bound
