"""Operations in a syntax tree: their names, operands and nesting."""

import ast
from collections.abc import Iterator

_OPERATORS: dict[type, str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.LShift: "<<", ast.RShift: ">>", ast.BitOr: "|", ast.BitXor: "^",
    ast.BitAnd: "&", ast.MatMult: "@", ast.And: "and", ast.Or: "or", ast.Not: "not",
    ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<",
    ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Is: "is", ast.IsNot: "is not", ast.In: "in",
    ast.NotIn: "not in",
}  # fmt: skip
_FRAME_EXPRESSIONS = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


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


def operands(node: ast.AST) -> Iterator[ast.AST]:
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


def is_store(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)


def operations_in(node: ast.AST) -> Iterator[str]:
    for child in operands(node):
        yield from operations_in(child)
    name = operation_name(node)
    if name is not None and not is_store(node):
        yield name


def is_operation(node: ast.AST) -> bool:
    return operation_name(node) is not None and not is_store(node)


def nesting_depth(node: ast.AST) -> int:
    inner = max((nesting_depth(child) for child in operands(node)), default=0)
    return inner + (operation_name(node) is not None and not is_store(node))
