"""Text of a slice: its statements in order, without docstrings and unused imports."""

import ast
import itertools
from collections.abc import Collection, Iterator, Sequence

from worldline.data.harvest.module_index import TopLevelStatement

_FUTURE = "from __future__ import annotations"
_DOCUMENTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def write_slice(
    text: str, statements: Sequence[TopLevelStatement], names: Collection[str], *, future: bool
) -> str:
    """Write the statements of a module as a module of its own.

    Docstrings are removed: doctests in them tell the results of calls.

    Args:
        text: The module's source.
        statements: The statements to write, in their order.
        names: The names that are used; other names of imports are left out.
        future: Whether annotations must not be evaluated.
    """
    lines = text.encode().splitlines(keepends=True)
    blocks = [_FUTURE] if future else []
    for each in statements:
        node = each.node
        if isinstance(node, ast.Import | ast.ImportFrom):
            blocks.append(ast.unparse(_used_part(node, names)))
        else:
            own_lines = each.source.encode().splitlines(keepends=True)
            blocks.append(_statement_text(own_lines or lines, node))
    return _join(blocks) + "\n"


def _join(blocks: list[str]) -> str:
    """Join statements; definitions have two empty lines around them, as is usual."""
    result = blocks[0]
    for before, after in itertools.pairwise(blocks):
        is_long = "\n" in before or "\n" in after or after.startswith(("def ", "class ", "@"))
        result += ("\n\n\n" if is_long else "\n") + after
    return result


def _used_part(node: ast.Import | ast.ImportFrom, names: Collection[str]) -> ast.stmt:
    """An import without the names that are not used."""
    used = [each for each in node.names if bound_name(each) in names]
    if isinstance(node, ast.Import):
        return ast.Import(used)
    return ast.ImportFrom(node.module, used, node.level)


def bound_name(alias: ast.alias) -> str:
    """The name that a part of an import binds: `a.b` -> "a"; `a.b as c` -> "c"."""
    return alias.asname or alias.name.partition(".")[0]


def _statement_text(lines: list[bytes], node: ast.stmt) -> str:
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(each.lineno for each in decorators)])
    last = node.end_lineno or node.lineno
    # A decorator's `@` is before its expression, at the start of the line.
    start = 0 if decorators else node.col_offset
    kept = dict(enumerate(lines[first - 1 : last], first))
    kept[last] = kept[last][: node.end_col_offset]
    kept[first] = kept[first][start:]
    shift = start if first == last else 0
    if shift:
        kept[last] = lines[last - 1][node.col_offset : node.end_col_offset]
    for docstring, is_only in _docstrings(node):
        _remove_docstring(kept, lines, docstring, is_only)
    return b"".join(kept.values()).decode().rstrip()


def _docstrings(node: ast.stmt) -> Iterator[tuple[ast.Expr, bool]]:
    """Docstrings of a definition and of those in it, and whether nothing else is in the body."""
    for each in ast.walk(node):
        if not isinstance(each, _DOCUMENTED) or ast.get_docstring(each, clean=False) is None:
            continue
        statement = each.body[0]
        if isinstance(statement, ast.Expr):
            yield statement, len(each.body) == 1


def _remove_docstring(
    kept: dict[int, bytes], lines: list[bytes], node: ast.Expr, is_only: bool
) -> None:
    """Remove a docstring that has its lines for itself; otherwise replace it by `pass`."""
    last = node.end_lineno or node.lineno
    before = lines[node.lineno - 1][: node.col_offset]
    after = lines[last - 1][node.end_col_offset :].strip()
    is_alone = not before.strip() and (not after or after.startswith(b"#"))
    if not is_alone and node.lineno != last:
        # `"""…"""; x = 1` on several lines stays: it is rare.
        return
    for number in range(node.lineno, last + 1):
        kept[number] = b""
    if is_only or not is_alone:
        kept[last] = before + b"pass" + lines[last - 1][node.end_col_offset :]
