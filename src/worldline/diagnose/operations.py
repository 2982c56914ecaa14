"""A program and one of its lines go in; what the line does, by its syntax, comes out."""

import ast
import builtins
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from worldline.trace import parse_source, source_lines

_OPERATORS: dict[type, str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.LShift: "<<", ast.RShift: ">>", ast.BitOr: "|", ast.BitXor: "^",
    ast.BitAnd: "&", ast.MatMult: "@", ast.And: "and", ast.Or: "or", ast.Not: "not",
    ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<",
    ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Is: "is", ast.IsNot: "is not", ast.In: "in",
    ast.NotIn: "not in",
}  # fmt: skip
_MUTATORS = frozenset(
    [
        "append",
        "extend",
        "insert",
        "remove",
        "pop",
        "clear",
        "sort",
        "reverse",
        "add",
        "discard",
        "update",
        "setdefault",
        "popitem",
        "appendleft",
        "popleft",
        "extendleft",
        "rotate",
        "difference_update",
        "intersection_update",
        "symmetric_difference_update",
        "__setitem__",
        "__delitem__",
    ]
)
_BUILT_IN = frozenset(dir(builtins))
_METHODS = frozenset(
    name for kind in (str, bytes, list, tuple, dict, set, int, float) for name in dir(kind)
)
_FRAMED = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True, slots=True)
class OperationFacts:
    """What a line does.

    `operations` are its methods and operators, innermost first; `depth` is how deeply they nest,
    and `hidden` how many of them give a value that no step shows. `writes` are the names that it
    binds or may change, `reads` those whose value it uses. `iterates_mutated` says that the line
    is in a loop whose body changes what it iterates over.
    """

    line: int
    source: str
    operations: tuple[str, ...]
    depth: int
    hidden: int
    writes: frozenset[str]
    reads: frozenset[str]
    iterates_mutated: bool
    is_loop_header: bool


def operation_facts(text: str, line: int) -> OperationFacts:
    """What the line of that number does, the header only of a compound statement.

    "x = s.strip().upper()", 1 -> operations (".strip()", ".upper()"), depth 2, hidden 1, writes x
    """
    lines = source_lines(text)
    source = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    nodes = syntax_nodes(text)
    statements = statements_at(nodes, line)
    own = _own_functions(nodes)
    parts = [part for statement in statements for part in executed_parts(statement)]
    shown = sum(_shows_its_value(statement) for statement in statements)
    operations = [op for part in parts for op in _operations(part)]
    revealed = sum(op.endswith("()") and op[:-2].lstrip(".") in own for op in operations)
    return OperationFacts(
        line=line,
        source=source,
        operations=tuple(operations),
        depth=max((_depth(part) for part in parts), default=0),
        hidden=max(0, len(operations) - shown - revealed),
        writes=frozenset(name for statement in statements for name in _writes(statement)),
        reads=frozenset(
            node.id
            for part in parts
            for node in ast.walk(part)
            if isinstance(node, ast.Name) and not _is_store(node)
        )
        | frozenset(
            node.target.id
            for node in statements
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)
        ),
        iterates_mutated=_iterates_mutated(nodes, line),
        is_loop_header=any(
            isinstance(statement, ast.For | ast.While | ast.AsyncFor) for statement in statements
        ),
    )


# Many lines of one program are asked about in a row; nothing here changes a node.
@lru_cache(maxsize=16)
def syntax_nodes(text: str) -> tuple[ast.AST, ...]:
    """Every statement of a program's syntax tree; none where it does not parse."""
    tree = parse_source(text)
    nodes = () if tree is None else ast.walk(tree)
    return tuple(node for node in nodes if isinstance(node, ast.stmt))


def statements_at(nodes: Sequence[ast.AST], line: int) -> list[ast.stmt]:
    """The statements that a step on this line executes: simple ones, or headers."""
    found = [
        node
        for node in nodes
        if isinstance(node, ast.stmt) and node.lineno <= line <= _last_line(node)
    ]
    if not found:
        return []
    start = max(node.lineno for node in found)
    # On one line, `for x in y: f(x)` is a header and a body; both may have run.
    return [node for node in found if node.lineno == start]


def executed_parts(statement: ast.stmt) -> list[ast.expr]:
    """The expressions that a step on the statement's own line evaluates."""
    if isinstance(statement, ast.For | ast.AsyncFor):
        return [statement.iter]
    if isinstance(statement, ast.While | ast.If):
        return [statement.test]
    if isinstance(statement, ast.With | ast.AsyncWith):
        return [item.context_expr for item in statement.items]
    if isinstance(statement, ast.Match):
        return [statement.subject]
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return list(statement.decorator_list)
    if isinstance(statement, ast.Try):
        return []
    if isinstance(statement, ast.AnnAssign):
        return [part for part in (statement.target, statement.value) if part is not None]
    parts = [node for node in ast.iter_child_nodes(statement) if isinstance(node, ast.expr)]
    if isinstance(statement, ast.AugAssign):
        # `a += b` computes `a + b`.
        load = ast.copy_location(
            ast.BinOp(statement.target, statement.op, statement.value), statement
        )
        return [load]
    return parts


def _last_line(node: ast.stmt) -> int:
    """The last line of the part that a step on this statement is about."""
    body = getattr(node, "body", None)
    if isinstance(node, ast.Match):
        body = [case.pattern for case in node.cases]
    if isinstance(body, list) and body:
        return max(node.lineno, int(body[0].lineno) - 1)
    return node.end_lineno or node.lineno


def _own_functions(nodes: Sequence[ast.AST]) -> set[str]:
    """Names whose calls are steps of their own, so that what they return is shown."""
    return {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def _name(node: ast.AST) -> str | None:
    """How an operation is called; none for what only names, holds or groups."""
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute):
            return f".{node.func.attr}()"
        return f"{node.func.id}()" if isinstance(node.func, ast.Name) else "call"
    if isinstance(node, ast.BinOp | ast.BoolOp | ast.UnaryOp):
        is_number = isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)
        return None if is_number else _OPERATORS[type(node.op)]
    if isinstance(node, ast.Compare):
        return " ".join(_OPERATORS[type(op)] for op in node.ops)
    if isinstance(node, ast.Subscript):
        return "slice" if isinstance(node.slice, ast.Slice) else "index"
    if isinstance(node, ast.Attribute):
        return f".{node.attr}"
    if isinstance(node, _FRAMED):
        return "lambda" if isinstance(node, ast.Lambda) else "comprehension"
    return {ast.JoinedStr: "f-string", ast.IfExp: "conditional", ast.Await: "await"}.get(type(node))


def _operands(node: ast.AST) -> Iterator[ast.AST]:
    """What is evaluated within a node; a method's own attribute look-up is part of the call."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        yield node.func.value
        yield from node.args
        yield from node.keywords
    elif isinstance(node, _FRAMED) and not isinstance(node, ast.Lambda):
        # Its body is stepped through in a frame of its own; its first iterable is not.
        yield node.generators[0].iter
    elif not isinstance(node, ast.Lambda):
        yield from ast.iter_child_nodes(node)


def _is_store(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)


def _operations(node: ast.AST) -> Iterator[str]:
    for child in _operands(node):
        yield from _operations(child)
    name = _name(node)
    if name is not None and not _is_store(node):
        yield name


def _depth(node: ast.AST) -> int:
    inner = max((_depth(child) for child in _operands(node)), default=0)
    return inner + (_name(node) is not None and not _is_store(node))


def _shows_its_value(statement: ast.stmt) -> int:
    """How many of a statement's operations the next step shows the value of: its outermost.

    What a loop goes over is never shown, only one item at a time.
    """
    if isinstance(statement, ast.For | ast.AsyncFor | ast.With | ast.AsyncWith):
        return 0
    parts = [shown for part in executed_parts(statement) for shown in _displayed(part)]
    return sum(_name(part) is not None and not _is_store(part) for part in parts)


def _displayed(node: ast.expr) -> Iterator[ast.AST]:
    """The expressions whose values stand side by side in what a statement gives.

    (a + b, [c - d]) -> a + b, c - d
    """
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        for item in node.elts:
            yield from _displayed(item)
    elif isinstance(node, ast.Dict):
        for part in [*node.keys, *node.values]:
            if part is not None:
                yield from _displayed(part)
    else:
        yield node


def _writes(statement: ast.stmt) -> Iterator[str]:
    """Names that the statement binds, or whose value it may change in place."""
    nodes: list[ast.AST] = list(executed_parts(statement))
    for name in ("target", "targets", "items", "name", "names"):
        part = getattr(statement, name, None)
        several = part if isinstance(part, list) else [part]
        # The names of a `global` are strings; it binds nothing.
        nodes += [node for node in several if isinstance(node, ast.AST)]
        if isinstance(part, str):
            yield part
    for top in nodes:
        for node in ast.walk(top):
            if isinstance(node, ast.Name) and _is_store(node):
                yield node.id
            elif isinstance(node, ast.alias):
                yield (node.asname or node.name).split(".")[0]
            elif isinstance(node, ast.Subscript | ast.Attribute) and _is_store(node):
                yield from _base(node)
            elif isinstance(node, ast.Call):
                if isinstance(node.func, ast.Attribute) and node.func.attr in _MUTATORS:
                    yield from _base(node.func)
                if not _is_built_in(node.func):
                    # A function of the program's may change what it is given.
                    for argument in [*node.args, *(k.value for k in node.keywords)]:
                        if isinstance(argument, ast.Name):
                            yield argument.id


def _is_built_in(function: ast.expr) -> bool:
    """Whether a call is of a function or method of Python's own, by its name."""
    if isinstance(function, ast.Name):
        return function.id in _BUILT_IN and function.id not in ("next", "setattr", "delattr")
    return isinstance(function, ast.Attribute) and function.attr in _METHODS


def _base(node: ast.AST) -> Iterator[str]:
    """ "x" of x.y[0].z"""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id


def _iterates_mutated(nodes: Sequence[ast.AST], line: int) -> bool:
    """Whether the line is in a for loop whose body changes what the loop goes over."""
    return any(
        isinstance(loop, ast.For)
        and loop.lineno <= line <= (loop.body[-1].end_lineno or loop.lineno)
        and not _iterated(loop.iter).isdisjoint(_mutated(loop.body))
        for loop in nodes
    )


def _iterated(node: ast.expr) -> set[str]:
    """The names whose own items a loop goes over, not those of a copy.

    xs, enumerate(xs), d.items() -> xs, xs, d; list(xs), xs[:] -> none
    """
    if isinstance(node, ast.Name | ast.Attribute):
        return {ast.unparse(node)}
    if not isinstance(node, ast.Call):
        return set()
    name, function = _name(node), node.func
    if name in ("enumerate()", "reversed()", "iter()", "zip()"):
        return {found for argument in node.args for found in _iterated(argument)}
    if name in (".keys()", ".values()", ".items()") and isinstance(function, ast.Attribute):
        return _iterated(function.value)
    return set()


def _mutated(body: list[ast.stmt]) -> set[str]:
    found: set[str] = set()
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if node.func.attr in _MUTATORS:
                    found.add(ast.unparse(node.func.value))
            elif isinstance(node, ast.Subscript) and _is_store(node):
                found.add(ast.unparse(node.value))
            elif isinstance(node, ast.AugAssign):
                found.add(ast.unparse(node.target))
    return found
