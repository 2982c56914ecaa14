"""Python syntax of programs: lines, entry point, syntax trees, calls and names.

Implements `SourceSyntax`.
"""

import ast
from functools import lru_cache

from worldline.core.errors import ProgramError
from worldline.core.language import FunctionSyntax

START_MARK = "# << START_OF_TRACE"


@lru_cache(maxsize=64)
def source_lines(text: str) -> tuple[str, ...]:
    r"""Lines as Python's compiler counts them: only \n, \r\n and \r end a line.

    "a\x0cb\r\nc" -> "a\x0cb", "c"
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return tuple(lines[:-1] if lines and lines[-1] == "" else lines)


def parse_source(text: str) -> ast.Module | None:
    """The syntax tree of a program, or None if it cannot be parsed for any reason."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def check_call(call: str) -> None:
    """Check that a call is one expression, before it becomes part of a program.

    Raises:
        ProgramError: The call does not parse, or contains `yield` or `await`.
    """
    try:
        tree = ast.parse(call.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ProgramError(
            f"the call {call[:60]!r} is not one Python expression ({error}); "
            "write it as in --call 'f(1, 3)'"
        ) from None
    if not ("yield" in call or "await" in call):
        return
    if any(isinstance(node, ast.Yield | ast.YieldFrom | ast.Await) for node in ast.walk(tree)):
        raise ProgramError(
            f"the call {call[:60]!r} contains `yield` or `await`; "
            "put it into a function of the program, and call that function"
        )


def unused_name(source: str, *, wanted: str = "main") -> str:
    """The wanted name, with underscores appended until the source neither binds nor uses it.

    "def main(): ..." -> "main_"
    """
    if wanted not in source and source.isascii():
        # Other letters may be another way to write an ASCII letter in a name.
        return wanted
    tree = parse_source(source)
    if tree is None:
        return wanted
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    used |= {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }
    while wanted in used:
        wanted += "_"
    return wanted


def first_line(node: ast.stmt | ast.expr | ast.pattern) -> int:
    """The first line of a node, including its decorators; call events have this line, too.

    "@cache\\ndef f(): ..." -> 1
    """
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def words(text: str) -> frozenset[str]:
    """Set of the names in a text that separates them by white space.

    "a b" -> {"a", "b"}
    """
    return frozenset(text.split())


def wrap_call(source: str, call: str) -> str:
    """The source, followed by an entry point that returns the call."""
    entry = unused_name(source)
    return f"{source.rstrip()}\n\ndef {entry}(): {START_MARK}\n    return {call.strip()}\n"


@lru_cache(maxsize=1024)
def find_entry(text: str) -> str | None:
    """The name of the marked entry point; None if there is none."""
    for line in text.splitlines():
        if line.startswith("def ") and line.rstrip().endswith(START_MARK):
            return line.removeprefix("def ").split("(")[0].strip()
    return None


@lru_cache(maxsize=64)
def split_entry(text: str, entry: str) -> tuple[str, str]:
    """The text without its entry point, and the call that the entry point returns."""
    unsplit = text, f"{entry}()"
    tree = parse_source(text)
    match [node for node in tree.body if getattr(node, "name", "") == entry] if tree else []:
        case [
            ast.FunctionDef(
                body=[ast.Return(value=ast.expr() as value)], decorator_list=[]
            ) as function
        ]:
            call = ast.get_source_segment(text, value) or ""
        case _:
            return unsplit
    try:
        check_call(call)
    except ProgramError:
        return unsplit
    lines = source_lines(text)
    rest = "\n".join([*lines[: function.lineno - 1], *lines[function.end_lineno :]])
    # If the rest refers to the entry point, it cannot do without it.
    return unsplit if unused_name(rest, wanted=entry) != entry else (rest.rstrip(), call)


@lru_cache(maxsize=64)
def entry_lines(text: str, entry: str) -> tuple[int, int, int] | None:
    """The lines of the entry point's `def`, of its first statement, and its last line."""
    tree = parse_source(text)
    for node in tree.body if tree is not None else ():
        if isinstance(node, ast.FunctionDef) and node.name == entry:
            return node.lineno, node.body[0].lineno, node.end_lineno or node.lineno
    return None


@lru_cache(maxsize=64)
def functions(text: str) -> tuple[FunctionSyntax, ...]:
    """The functions of a text, outer ones first; none if it cannot be parsed.

    "def f(a, *b):\\n    return a" -> FunctionSyntax(1, 2, 2, {"a", "b"})
    """
    result = []
    tree = parse_source(text)
    # The walk is breadth-first, so inner functions come after outer ones.
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            args = node.args
            every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
            names = frozenset(arg.arg for arg in every if arg is not None)
            body = first_line(node.body[0])
            result.append(FunctionSyntax(first_line(node), body, node.end_lineno or body, names))
    return tuple(result)


def parse_answer(answer: str) -> str | None:
    """The right-hand side of an assertion; the whole text if it is not an assertion.

    "assert f('a == b') == [1, 2]" -> "[1, 2]"; " 4 " -> "4"; "assert not f(1)" -> "False"
    """
    text = answer.strip()
    tree = parse_source(text)
    if tree is None:
        return text.rpartition("==")[2].strip() or None
    if len(tree.body) != 1 or not isinstance(tree.body[0], ast.Assert):
        return text or None
    test = tree.body[0].test
    if isinstance(test, ast.Compare):
        return ast.get_source_segment(text, test.comparators[-1])
    # `assert f(x)` and `assert not f(x)` state a boolean.
    is_negated = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    return "False" if is_negated else "True"
