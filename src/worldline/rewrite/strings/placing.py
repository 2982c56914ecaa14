"""A program goes in; the line before which functions can be put, and names for them, come out."""

import ast
import re
import unicodedata

# Lines that mean something only where they stand: `#!` and the encoding.
FIRST = re.compile(r"#!|#.*coding[:=]")


def place_for(tree: ast.Module, lines: tuple[str, ...]) -> int | None:
    """The first line behind docstring and `from __future__`; none where something else begins on
    the same line.
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
        while header < min(2, len(lines)) and FIRST.match(lines[header]):
            header += 1
    return header + 1


def _is_header(statement: ast.stmt, tree: ast.Module) -> bool:
    """Whether a statement must stand before all others."""
    match statement:
        case ast.Expr(value=ast.Constant(value=str())):
            return statement is tree.body[0]
        case ast.ImportFrom(module="__future__"):
            return True
        case _:
            return False


class Names:
    """Names that stand nowhere in a text, not even in its strings: each is given once."""

    def __init__(self, text: str) -> None:
        self.taken = set(re.findall(r"\w+", unicodedata.normalize("NFKC", text)))

    def free(self, wanted: str) -> str:
        """The wanted name, with as many underscores behind it as it takes."""
        while wanted in self.taken:
            wanted += "_"
        self.taken.add(wanted)
        return wanted


def free_variables(tree: ast.Module) -> frozenset[str]:
    """The names that a module of one function takes from Python: len, range, str."""
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    bound = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    bound |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    return frozenset(node.id for node in names) - bound
