"""Branching lines of a program, and the notes that say which way a branch went.

Everything here follows from the syntax tree; nothing is executed.
"""

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from worldline.core.trace import first_line, parse_source


@dataclass(frozen=True, slots=True)
class Branch:
    """A line that begins `if`, `elif`, `while` or `for`.

    Attributes:
        header: lines of the condition, or of the loop's target and iterable.
        body: lines of the body.
        is_for: whether it is a `for` loop.
    """

    header: range
    body: range
    is_for: bool


@lru_cache(maxsize=64)
def branches(text: str) -> dict[int, Branch]:
    """Branches by their first line; one-line branches are omitted.

    "if x:\\n    y = 1\\n" -> {1: Branch(header 1, body 2)}
    """
    by_line: dict[int, list[Branch]] = {}
    tree = parse_source(text)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.If | ast.While | ast.For | ast.AsyncFor):
            start, end = first_line(node.body[0]), node.body[-1].end_lineno or node.lineno
            branch = Branch(
                range(node.lineno, start),
                range(start, end + 1),
                isinstance(node, ast.For | ast.AsyncFor),
            )
            by_line.setdefault(node.lineno, []).append(branch)
    return {
        line: group[0] for line, group in by_line.items() if len(group) == 1 and group[0].header
    }


def branch_note(text: str, line: int, next_line: int | None) -> str | None:
    """Branch result of a line, inferred from the line that its scope executes next.

    Args:
        text: text of the program.
        line: number of the line.
        next_line: number of the next line; None if the scope returns instead.

    Returns:
        "True" or "False" for a condition, "done" for a loop that is over, None if nothing can
        be derived and for a loop that continues.
    """
    branch = branches(text).get(line)
    if branch is None or next_line in branch.header:
        return None
    if next_line is not None and next_line in branch.body:
        return None if branch.is_for else "True"
    return "done" if branch.is_for else "False"


def select_next_line(
    text: str, line: int, note: str | None, candidates: Iterable[int]
) -> int | None:
    """The line that a note selects among several possible next lines.

    Args:
        text: text of the program.
        line: number of the branching line.
        note: "True", "False" or "done"; None for a loop that continues, or if there is no note.
        candidates: numbers of the lines that may come next in the same scope.

    Returns:
        The number of the selected line. The only candidate is always selected. None if the note
        does not decide.
    """
    lines = sorted(set(candidates))
    if len(lines) == 1:
        return lines[0]
    branch = branches(text).get(line)
    if branch is None:
        return None
    continues = note == "True" or (branch.is_for and note is None)
    if note is None and not branch.is_for:
        return None
    in_body = [number for number in lines if number in branch.body]
    after = [n for n in lines if n not in branch.body and n not in branch.header]
    selected = in_body[:1] if continues else after
    return selected[0] if len(selected) == 1 else None


@lru_cache(maxsize=64)
def yield_lines(text: str) -> frozenset[int]:
    """Lines on which a generator may yield: those of a `yield` and of a generator expression."""
    tree = parse_source(text)
    return frozenset(
        line
        for node in (ast.walk(tree) if tree is not None else ())
        if isinstance(node, ast.Yield | ast.YieldFrom | ast.GeneratorExp)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    )


@lru_cache(maxsize=64)
def assigned_names(text: str) -> dict[int, tuple[str, ...]]:
    """Variables that the statement on each line assigns; a `for` loop assigns its target.

    "x, y = 1, 2\\nx += 1\\n" -> {1: ("x", "y"), 2: ("x",)}
    """
    names: dict[int, tuple[str, ...]] = {}
    tree = parse_source(text)
    for node in ast.walk(tree) if tree is not None else ():
        match node:
            case ast.Assign(targets=targets):
                pass
            case (
                ast.AugAssign(target=target) | ast.For(target=target) | ast.AsyncFor(target=target)
            ):
                targets = [target]
            case ast.AnnAssign(target=target, value=ast.expr()):
                targets = [target]
            case _:
                continue
        new = [name for target in targets for name in _names(target)]
        line = node.lineno
        names[line] = tuple(dict.fromkeys((*names.get(line, ()), *new)))
    return names


def _names(target: ast.expr) -> list[str]:
    """Names in an assignment target: `a, (b, *c)` -> a, b, c; `x.y` and `x[0]` assign no name."""
    if isinstance(target, ast.Name):
        return [target.id]
    if isinstance(target, ast.Starred):
        return _names(target.value)
    if isinstance(target, ast.Tuple | ast.List):
        return [name for element in target.elts for name in _names(element)]
    return []
