"""Names of executed operations: `str.replace`, `int +`, `len(list)`, from the kinds of operands."""

import ast
from collections.abc import Callable, Mapping
from functools import lru_cache

from worldline.analysis.diagnosis.literal_evaluation import evaluate_literal
from worldline.analysis.diagnosis.operation_syntax import operation_name
from worldline.languages.python.value_kinds import value_kind

_TYPES = (str, list, dict, set, tuple, bytes, int, float)
# Kinds of what a function or a method returns, where it does not depend on its arguments.
_FUNCTIONS: Mapping[str, str] = {
    **dict.fromkeys(("len", "ord", "int", "hash", "id"), "int"),
    **dict.fromkeys(("str", "chr", "repr", "bin", "hex", "oct", "format", "input", "ascii"), "str"),
    **dict.fromkeys(("list", "sorted", "dir"), "list"),
    **dict.fromkeys(("bool", "any", "all", "isinstance", "callable", "hasattr"), "bool"),
    **{name: name for name in ("set", "dict", "tuple", "float", "range", "zip", "enumerate")},
    **{name: name for name in ("map", "filter", "reversed")},
    "divmod": "tuple",
}
_STRING_METHODS: Mapping[str, str] = {
    **dict.fromkeys(("split", "rsplit", "splitlines"), "list"),
    **dict.fromkeys(("find", "rfind", "index", "rindex", "count"), "int"),
    **dict.fromkeys(("partition", "rpartition"), "tuple"),
    **dict.fromkeys(("startswith", "endswith"), "bool"),
    "encode": "bytes",
}
_CONTAINER_METHODS: Mapping[str, str] = {
    **dict.fromkeys(("index", "count"), "int"),
    **{name: name for name in ("keys", "values", "items")},
    **dict.fromkeys(("isdisjoint", "issubset", "issuperset"), "bool"),
}
# Methods that return an object of the kind they are called on.
_SAME_KIND = frozenset({"copy", "union", "intersection", "difference", "symmetric_difference"})
_STORED = {ast.Store: "assignment", ast.Del: "deletion"}

rendered_kind = lru_cache(maxsize=4096)(value_kind)


def name_operation(node: ast.AST, state: Mapping[str, str]) -> str:
    """The name of an operation, with the kind of what it is applied to.

    s.replace(a, b), {"s": "'abc'"} -> "str.replace"; xs[0] -> "list index"; len(xs) -> "len(list)"

    A kind that is not known is left out: ".pop".
    """
    match node:
        case (
            ast.For(iter=iterable) | ast.AsyncFor(iter=iterable) | ast.comprehension(iter=iterable)
        ):
            return f"for {_iterable_name(iterable, state)}"
        case ast.Call(func=ast.Attribute(value=receiver, attr=method)):
            return _method_name(receiver, method, state)
        case ast.Call(func=ast.Name(id=function), args=args):
            return f"{function}({_known_kind(args[0], state) if args else ''})"
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[right]):
            return f"{operation_name(node)} {_known_kind(right, state)}".strip()
        case ast.Compare(left=left, comparators=[right, *_]):
            kind = _known_kind(left, state) or _known_kind(right, state)
            return f"{kind} {operation_name(node)}".strip()
        case ast.BinOp(left=left, right=right):
            kind = _known_kind(left, state) or _known_kind(right, state)
            return f"{kind} {operation_name(node)}".strip()
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Invert(), operand=operand):
            return f"{_known_kind(operand, state)} negation".strip()
        case ast.Subscript(value=receiver, slice=index, ctx=context):
            part = "slice" if isinstance(index, ast.Slice) else "index"
            if not isinstance(context, ast.Load):
                part = f"{'slice' if part == 'slice' else 'item'} {_STORED[type(context)]}"
            return f"{_known_kind(receiver, state)} {part}".strip()
        case ast.Attribute():
            return "attribute"
    return operation_name(node) or type(node).__name__


def name_arguments(node: ast.AST, state: Mapping[str, str]) -> str:
    """The kinds of an operation's arguments, without what it is applied to.

    s.replace("a", "b") -> "str, str"; s[-2:] -> "[-n:]"; s.strip() -> "none"; n % -3 -> "-int"
    """
    match node:
        case ast.Call(func=ast.Attribute(), args=args, keywords=keywords):
            return _kinds([*args, *(keyword.value for keyword in keywords)], state)
        case ast.Call(args=args, keywords=keywords):
            return _kinds([*args[1:], *(keyword.value for keyword in keywords)], state)
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()]):
            return _kinds([left], state)
        case ast.Compare(comparators=operands):
            return _kinds(operands, state)
        case ast.BinOp(right=right):
            return _kinds([right], state)
        case ast.Subscript(slice=ast.Slice(lower=lower, upper=upper, step=step)):
            start, stop = (_bound(bound, state) for bound in (lower, upper))
            return f"[{start}:{stop}{f':{_bound(step, state)}' if step else ''}]"
        case ast.Subscript(slice=index):
            return _kinds([index], state)
    return "none"


def expression_kind(node: ast.AST, state: Mapping[str, str]) -> str | None:
    """The kind of an expression's value, in a state of rendered values; None if it is not known.

    x + 1, {"x": "2"} -> "int"; s.split(), {"s": "'a b'"} -> "list"
    """
    match node:
        case ast.Constant(value=value):
            return rendered_kind(repr(value))
        case ast.Name(id=name):
            return rendered_kind(state[name]) if name in state else None
        case ast.JoinedStr():
            return "str"
        case ast.List() | ast.ListComp():
            return "list"
        case ast.Dict() | ast.DictComp():
            return "dict"
        case ast.Set() | ast.SetComp():
            return "set"
        case ast.Tuple():
            return "tuple"
        case ast.GeneratorExp():
            return "generator"
        case ast.Compare() | ast.UnaryOp(op=ast.Not()):
            return "bool"
        case ast.UnaryOp(operand=operand):
            return expression_kind(operand, state)
        case ast.BoolOp(values=values):
            return _common_kind(values, state)
        case ast.IfExp(body=body, orelse=otherwise):
            return _common_kind([body, otherwise], state)
        case ast.NamedExpr(value=inner) | ast.Starred(value=inner):
            return expression_kind(inner, state)
        case ast.BinOp(left=left, op=operation, right=right):
            return _binary_kind(expression_kind(left, state), operation, right, state)
        case ast.Subscript(value=receiver, slice=index):
            return _item_kind(node, receiver, index, state)
        case ast.Call(func=ast.Name(id=name)):
            return _FUNCTIONS.get(name)
        case ast.Call(func=ast.Attribute(value=receiver, attr=method)):
            return _returned_kind(_receiver_kind(receiver, method, state), method)
    return None


def operand_size(node: ast.AST, state: Mapping[str, str], measure: Callable[[str], int]) -> int:
    """The size of the values that an expression reads: its variables and constants."""
    size = 0
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and part.id in state:
            size += measure(state[part.id])
        elif isinstance(part, ast.Constant):
            size += measure(repr(part.value))
    return size


def _known_kind(node: ast.AST, state: Mapping[str, str]) -> str:
    return expression_kind(node, state) or ""


def _kinds(nodes: list[ast.expr], state: Mapping[str, str]) -> str:
    return ", ".join(_signed_kind(node, state) for node in nodes) or "none"


def _signed_kind(node: ast.expr, state: Mapping[str, str]) -> str:
    kind = expression_kind(node, state) or "unknown"
    return f"-{kind}" if kind in ("int", "float") and _is_negative(node, state) else kind


def _is_negative(node: ast.expr, state: Mapping[str, str]) -> bool:
    try:
        value = evaluate_literal(node, state)
    except ValueError:
        return False
    return isinstance(value, int | float) and value < 0


def _bound(node: ast.expr | None, state: Mapping[str, str]) -> str:
    if node is None:
        return ""
    return "-n" if _is_negative(node, state) else "n"


def _iterable_name(node: ast.expr, state: Mapping[str, str]) -> str:
    """What a loop iterates over: "str", "range(int)", "dict.items"."""
    if isinstance(node, ast.Call):
        return name_operation(node, state)
    return expression_kind(node, state) or "unknown"


def _method_name(receiver: ast.expr, method: str, state: Mapping[str, str]) -> str:
    if isinstance(receiver, ast.Name) and receiver.id not in state:
        # A module or a class: `math.sqrt`.
        return f"{receiver.id}.{method}"
    return f"{_receiver_kind(receiver, method, state) or ''}.{method}"


def _receiver_kind(receiver: ast.expr, method: str, state: Mapping[str, str]) -> str | None:
    """The kind of a method's receiver; if it is not known, of the only type with that method."""
    kind = expression_kind(receiver, state)
    if kind is not None:
        return kind
    owners = [each.__name__ for each in _TYPES if hasattr(each, method)]
    if method in ("replace", "split", "strip", "join", "find", "upper", "lower") or (
        owners == ["str", "bytes"]
    ):
        return "str"
    return owners[0] if len(owners) == 1 else None


def _returned_kind(receiver: str | None, method: str) -> str | None:
    if receiver == "str":
        if method in _STRING_METHODS:
            return _STRING_METHODS[method]
        is_test = method.startswith("is")
        return "bool" if is_test else "str" if hasattr(str, method) else None
    if method in _SAME_KIND:
        return receiver
    return _CONTAINER_METHODS.get(method) if receiver else None


def _common_kind(nodes: list[ast.expr], state: Mapping[str, str]) -> str | None:
    kinds = {expression_kind(node, state) for node in nodes}
    return kinds.pop() if len(kinds) == 1 else None


def _binary_kind(
    left: str | None, operation: ast.operator, right: ast.expr, state: Mapping[str, str]
) -> str | None:
    if left in ("str", "list", "tuple", "set", "dict") or left is None:
        return left
    if isinstance(operation, ast.Div):
        return "float"
    other = expression_kind(right, state)
    if isinstance(operation, ast.Mult) and other in ("str", "list", "tuple"):
        return other
    if "float" in (left, other):
        return "float"
    return "int" if left in ("int", "bool") and other in ("int", "bool") else None


def _item_kind(
    node: ast.Subscript, receiver: ast.expr, index: ast.expr, state: Mapping[str, str]
) -> str | None:
    kind = expression_kind(receiver, state)
    if isinstance(index, ast.Slice) or kind == "str":
        return kind
    try:
        return rendered_kind(repr(evaluate_literal(node, state)))
    except (ValueError, MemoryError, RecursionError):
        return None
