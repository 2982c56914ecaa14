"""Operations of a source line, from its syntax: what it calls, reads, writes and hides."""

import ast
import builtins
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from worldline.core.trace import parse_source, source_lines
from worldline.core.util.text import truncate_text

_OPERATORS: dict[type, str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.LShift: "<<", ast.RShift: ">>", ast.BitOr: "|", ast.BitXor: "^",
    ast.BitAnd: "&", ast.MatMult: "@", ast.And: "and", ast.Or: "or", ast.Not: "not",
    ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<",
    ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Is: "is", ast.IsNot: "is not", ast.In: "in",
    ast.NotIn: "not in",
}  # fmt: skip
MUTATORS = frozenset(
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
# Mutators that keep the number of items.
_RESIZERS = MUTATORS - {"sort", "reverse", "rotate", "__setitem__"}
_BUILT_IN = frozenset(dir(builtins))
_BUILT_IN_METHODS = frozenset(
    name for kind in (str, bytes, list, tuple, dict, set, int, float) for name in dir(kind)
)
_FRAME_EXPRESSIONS = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True, slots=True)
class OperationFacts:
    """The operations of one line.

    Attributes:
        line: The line number.
        source: The source text of the line.
        operations: Methods, functions and operators, innermost first.
        nesting: How deeply the operations nest.
        hidden_values: The number of operations whose value no step shows.
        hidden_chain: How many of them depend on each other: 2 in `a.b().c().d()`, 1 in
            `f(a.b(), a.c())`.
        writes: Names that the line binds, or whose value it may change in place.
        reads: Names whose value the line uses.
        loop_targets: Names that the header of a loop binds on this line.
        mutated_iterables: Names that a loop around the line iterates over, and whose number of
            items its body changes.
        is_loop_header: Whether the line is the header of a loop.
    """

    line: int
    source: str
    operations: tuple[str, ...]
    nesting: int
    hidden_values: int
    hidden_chain: int
    writes: frozenset[str]
    reads: frozenset[str]
    loop_targets: frozenset[str]
    mutated_iterables: frozenset[str]
    is_loop_header: bool

    def __repr__(self) -> str:
        operations = " ".join(self.operations) or "no operation"
        text = f"line {self.line}: {truncate_text(self.source, 50)}; {operations}"
        return f"OperationFacts({truncate_text(text, 100)})"


def operation_facts(
    text: str,
    line: int,
    *,
    expressions: Sequence[ast.expr] | None = None,
    has_comprehension_frames: bool = True,
) -> OperationFacts:
    """Find the operations of a line; of a compound statement, those of its header.

    "x = s.strip().upper()", 1 ->
    operations (".strip()", ".upper()"), nesting 2, hidden_values 1, writes x

    Args:
        text: The source of the program.
        line: The line number, from 1.
        expressions: The parts of the line that were evaluated, whose values a step shows. By
            default, all of the line.
        has_comprehension_frames: Whether a step shows the value of a comprehension, as up to
            Python 3.11.
    """
    lines = source_lines(text)
    source = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    nodes = syntax_nodes(text)
    statements = statements_at(nodes, line)
    shown_calls = _ShownCalls(_program_functions(nodes), has_comprehension_frames)
    if expressions is None:
        parts = [(e, _shows_value(s)) for s in statements for e in executed_expressions(s)]
    else:
        parts = [(expression, True) for expression in expressions]
    operations = [op for expression, _ in parts for op in _operations(expression)]
    return OperationFacts(
        line=line,
        source=source,
        operations=tuple(operations),
        nesting=max((_nesting(expression) for expression, _ in parts), default=0),
        hidden_values=sum(_hidden_values(part, shown_calls, is_shown=s) for part, s in parts),
        hidden_chain=max(
            (_hidden_chain(part, shown_calls, is_shown=s) for part, s in parts), default=0
        ),
        writes=frozenset(name for statement in statements for name in written_names(statement)),
        reads=frozenset(
            node.id
            for expression, _ in parts
            for node in ast.walk(expression)
            if isinstance(node, ast.Name) and not _is_store(node)
        )
        | frozenset(
            node.target.id
            for node in statements
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)
        ),
        loop_targets=frozenset(name for s in statements for name in bound_by_header(s)),
        mutated_iterables=_mutated_iterables(nodes, line),
        is_loop_header=any(
            isinstance(statement, ast.For | ast.While | ast.AsyncFor) for statement in statements
        ),
    )


# Cached because many lines of one program are inspected in a row; no function changes the nodes.
@lru_cache(maxsize=16)
def syntax_nodes(text: str) -> tuple[ast.AST, ...]:
    """All statements of a program's syntax tree; empty if it does not parse."""
    tree = parse_source(text)
    nodes = () if tree is None else ast.walk(tree)
    return tuple(node for node in nodes if isinstance(node, ast.stmt))


def statements_at(nodes: Sequence[ast.AST], line: int) -> list[ast.stmt]:
    """The statements that a step on this line executes: simple statements, or headers."""
    enclosing = [
        node
        for node in nodes
        if isinstance(node, ast.stmt) and node.lineno <= line <= _last_line(node)
    ]
    if not enclosing:
        return []
    start = max(node.lineno for node in enclosing)
    # `for x in y: f(x)` on one line is a header and a body; both may have been executed.
    return [node for node in enclosing if node.lineno == start]


def executed_expressions(statement: ast.stmt) -> list[ast.expr]:
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
        return [node for node in (statement.target, statement.value) if node is not None]
    if isinstance(statement, ast.AugAssign):
        # `a += b` computes `a + b`.
        operation = ast.BinOp(statement.target, statement.op, statement.value)
        return [ast.copy_location(operation, statement)]
    return [node for node in ast.iter_child_nodes(statement) if isinstance(node, ast.expr)]


def _last_line(node: ast.stmt) -> int:
    """The last line of a simple statement, or of the header of a compound one."""
    body = getattr(node, "body", None)
    if isinstance(node, ast.Match):
        body = [case.pattern for case in node.cases]
    if isinstance(body, list) and body:
        return max(node.lineno, int(body[0].lineno) - 1)
    return node.end_lineno or node.lineno


def _program_functions(nodes: Sequence[ast.AST]) -> set[str]:
    """Names of the program's functions. Their calls are steps, so the returned value is shown."""
    return {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def operation_name(node: ast.AST) -> str | None:
    """The name of an operation: ".strip()", "+", "slice"; None for names, literals and brackets."""
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
    if isinstance(node, _FRAME_EXPRESSIONS):
        return "lambda" if isinstance(node, ast.Lambda) else "comprehension"
    return {ast.JoinedStr: "f-string", ast.IfExp: "conditional", ast.Await: "await"}.get(type(node))


def _operands(node: ast.AST) -> Iterator[ast.AST]:
    """The expressions evaluated within a node; a method's attribute look-up is part of the call."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        yield node.func.value
        yield from node.args
        yield from node.keywords
    elif isinstance(node, _FRAME_EXPRESSIONS) and not isinstance(node, ast.Lambda):
        # The body of a comprehension has its own steps; only its first iterable is evaluated here.
        yield node.generators[0].iter
    elif not isinstance(node, ast.Lambda):
        yield from ast.iter_child_nodes(node)


def _is_store(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)


def _operations(node: ast.AST) -> Iterator[str]:
    for child in _operands(node):
        yield from _operations(child)
    name = operation_name(node)
    if name is not None and not _is_store(node):
        yield name


def _nesting(node: ast.AST) -> int:
    inner = max((_nesting(child) for child in _operands(node)), default=0)
    return inner + (operation_name(node) is not None and not _is_store(node))


@dataclass(frozen=True, slots=True)
class _ShownCalls:
    """Which calls have steps of their own, so that their values are shown."""

    functions: set[str]
    has_comprehension_frames: bool

    def has_value(self, node: ast.AST) -> bool:
        """Whether a step shows the value of an operation, or it has none: a lambda, a generator."""
        if isinstance(node, ast.Lambda | ast.GeneratorExp):
            return True
        if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp):
            return self.has_comprehension_frames
        name = operation_name(node) if isinstance(node, ast.Call) else None
        return name is not None and name[:-2].lstrip(".") in self.functions


def _is_operation(node: ast.AST) -> bool:
    return operation_name(node) is not None and not _is_store(node)


def _shows_value(statement: ast.stmt) -> bool:
    """Whether the next step shows the value of an expression; of an iterable, only one item."""
    return not isinstance(statement, ast.For | ast.AsyncFor | ast.With | ast.AsyncWith)


def _hidden_values(node: ast.expr, shown_calls: _ShownCalls, *, is_shown: bool) -> int:
    """Count the operations of an expression whose value no step shows."""

    def count(part: ast.AST) -> int:
        is_hidden = _is_operation(part) and not shown_calls.has_value(part)
        return is_hidden + sum(count(child) for child in _operands(part))

    if not is_shown:
        return count(node)
    displayed = list(_displayed_expressions(node))
    return sum(
        count(part) - (_is_operation(part) and not shown_calls.has_value(part))
        for part in displayed
    )


def _hidden_chain(node: ast.expr, shown_calls: _ShownCalls, *, is_shown: bool) -> int:
    """The longest chain of hidden values that the value of an expression depends on."""

    def chain(part: ast.AST) -> int:
        if shown_calls.has_value(part):
            return 0
        return _is_operation(part) + max((chain(child) for child in _operands(part)), default=0)

    if not is_shown:
        return chain(node)
    return max(
        (
            chain(part) - (_is_operation(part) and not shown_calls.has_value(part))
            for part in _displayed_expressions(node)
        ),
        default=0,
    )


def _displayed_expressions(node: ast.expr) -> Iterator[ast.AST]:
    """The expressions whose values are shown by the value of an expression.

    (a + b, [c - d]) -> a + b, c - d
    """
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        for item in node.elts:
            yield from _displayed_expressions(item)
    elif isinstance(node, ast.Dict):
        for child in [*node.keys, *node.values]:
            if child is not None:
                yield from _displayed_expressions(child)
    else:
        yield node


def written_names(statement: ast.stmt) -> Iterator[str]:
    """Names that the statement binds, or whose value it may change in place."""
    nodes: list[ast.AST] = list(executed_expressions(statement))
    for field in ("target", "targets", "items", "name", "names"):
        value = getattr(statement, field, None)
        values = value if isinstance(value, list) else [value]
        # The names of a `global` statement are strings; it binds nothing.
        nodes += [node for node in values if isinstance(node, ast.AST)]
        if isinstance(value, str):
            yield value
    for root in nodes:
        for node in ast.walk(root):
            if isinstance(node, ast.Name) and _is_store(node):
                yield node.id
            elif isinstance(node, ast.alias):
                yield (node.asname or node.name).split(".")[0]
            elif isinstance(node, ast.Subscript | ast.Attribute) and _is_store(node):
                yield from _base_name(node)
            elif isinstance(node, ast.Call):
                if isinstance(node.func, ast.Attribute) and node.func.attr in MUTATORS:
                    yield from _base_name(node.func)
                if not is_built_in(node.func):
                    # A function of the program may change its arguments in place.
                    for argument in [*node.args, *(k.value for k in node.keywords)]:
                        if isinstance(argument, ast.Name):
                            yield argument.id


def is_built_in(function: ast.expr) -> bool:
    """Whether a call is to a built-in function or method, judged by its name."""
    if isinstance(function, ast.Name):
        return function.id in _BUILT_IN and function.id not in ("next", "setattr", "delattr")
    return isinstance(function, ast.Attribute) and function.attr in _BUILT_IN_METHODS


def _base_name(node: ast.AST) -> Iterator[str]:
    """ "x" of x.y[0].z"""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id


def bound_by_header(statement: ast.stmt) -> Iterator[str]:
    """Names that the header of a for loop binds."""
    if isinstance(statement, ast.For | ast.AsyncFor):
        for node in ast.walk(statement.target):
            if isinstance(node, ast.Name):
                yield node.id


def _mutated_iterables(nodes: Sequence[ast.AST], line: int) -> frozenset[str]:
    """Names that a loop around the line iterates over, and to which its body adds or removes."""
    loops = [
        node
        for node in nodes
        if isinstance(node, ast.For)
        and node.lineno <= line <= (node.body[-1].end_lineno or node.lineno)
    ]
    # A header belongs to its own loop, not to those around it.
    loops = [loop for loop in loops if loop.lineno == line] or loops
    return frozenset(
        name for loop in loops for name in _iterated_names(loop.iter) & resized_names(loop.body)
    )


def _iterated_names(node: ast.expr) -> set[str]:
    """The names whose items a loop iterates over; not those that it copies.

    xs, enumerate(xs), d.items() -> xs, xs, d; list(xs), xs[:] -> none
    """
    if isinstance(node, ast.Name | ast.Attribute):
        return {ast.unparse(node)}
    if not isinstance(node, ast.Call):
        return set()
    name, function = operation_name(node), node.func
    if name in ("enumerate()", "reversed()", "iter()", "zip()"):
        return {name for argument in node.args for name in _iterated_names(argument)}
    if name in (".keys()", ".values()", ".items()") and isinstance(function, ast.Attribute):
        return _iterated_names(function.value)
    return set()


def resized_names(body: list[ast.stmt]) -> set[str]:
    """Names to which statements add items, or from which they remove items."""
    names: set[str] = set()
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if node.func.attr in _RESIZERS:
                    names.add(ast.unparse(node.func.value))
            elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Del):
                names.add(ast.unparse(node.value))
            elif isinstance(node, ast.AugAssign):
                names.add(ast.unparse(node.target))
    return names
