"""A syntax tree goes in; its operations on strings come out, in the order they are written."""

import ast
from collections.abc import Iterator

from worldline.rewrite.scopes import Scopes
from worldline.rewrite.strings.functions import (
    IN,
    JOIN_ALL,
    REVERSED,
    SLICE,
    SLICE_STEP,
    Function,
    is_added,
    is_call,
    method_function,
)
from worldline.rewrite.strings.kinds import is_string, kind_of
from worldline.rewrite.strings.operation import Found
from worldline.rewrite.strings.plain import is_plain
from worldline.trace import START_MARK

# One character is one unit: what it is, and its other case, is not done in smaller steps.
OF_CHARACTERS = frozenset(
    {
        "capitalize",
        "casefold",
        "isalnum",
        "isalpha",
        "isascii",
        "isdecimal",
        "isdigit",
        "islower",
        "isnumeric",
        "isprintable",
        "isspace",
        "istitle",
        "isupper",
        "lower",
        "swapcase",
        "title",
        "upper",
    }
)
LOOKUPS = frozenset(("__getattr__", "__getattribute__"))


def find(tree: ast.Module, scopes: Scopes, lines: tuple[str, ...]) -> Iterator[Found]:
    """All operations that may be ones on strings, outer ones before those within them."""
    return _Finder(tree, scopes, lines).visit(tree)


class _Finder:
    def __init__(self, tree: ast.Module, scopes: Scopes, lines: tuple[str, ...]) -> None:
        self.scopes = scopes
        self.lines = lines
        self.methods = _own_methods(tree)

    def visit(self, node: ast.AST, *, quoted: ast.JoinedStr | None = None) -> Iterator[Found]:
        """The operations in a node; `quoted`: the f-string that it stands in."""
        if isinstance(node, ast.FunctionDef) and self.is_closed(node):
            return
        if isinstance(node, ast.JoinedStr):
            quoted = quoted or node
        found = self.operation(node)
        if found is not None and quoted is not None:
            yield Found(found.node, quoted.lineno, found.what, why="it stands in an f-string")
        elif found is not None:
            yield found
        for name, value in ast.iter_fields(node):
            # Annotations are no steps of the program, and may be kept as text.
            if name not in ("annotation", "returns", "type_params") and not (
                name == "orelse" and _is_guard(node)
            ):
                for child in value if isinstance(value, list) else [value]:
                    if isinstance(child, ast.AST):
                        yield from self.visit(child, quoted=quoted)

    def is_closed(self, node: ast.FunctionDef) -> bool:
        """Whether nothing in a function is rewritten: the entry point, and what a rewrite added."""
        lines = self.lines[node.lineno - 1 : node.end_lineno]
        return lines[0].rstrip().endswith(START_MARK) or is_added("\n".join(lines))

    def operation(self, node: ast.AST) -> Found | None:
        match node:
            case ast.Call(func=ast.Attribute() as function):
                return self.method(node, function)
            case ast.Compare(ops=ops) if any(isinstance(op, ast.In | ast.NotIn) for op in ops):
                return self.contains(node)
            case ast.Subscript(slice=ast.Slice() as part, ctx=ast.Load()):
                return self.slice(node, part)
            case _:
                return None

    def contains(self, node: ast.Compare) -> Found | None:
        if len(node.ops) > 1:
            return Found(node, node.lineno, "in", why="it is one of several comparisons in one")
        if "other" in (self.kind(node.left), self.kind(node.comparators[0])):
            return None
        return Found(node, node.lineno, "in", IN)

    def slice(self, node: ast.Subscript, part: ast.Slice) -> Found | None:
        if self.kind(node.value) == "other":
            return None
        line = node.value.end_lineno or node.lineno
        if any(isinstance(each, ast.Lambda) for each in ast.walk(part)):
            return Found(node, line, "slice", why="a lambda stands in the slice")
        if part.step is None:
            return Found(node, line, "slice", SLICE)
        backwards = part.lower is None and part.upper is None and ast.unparse(part.step) == "-1"
        return Found(node, line, "slice", REVERSED if backwards else SLICE_STEP)

    def method(self, node: ast.Call, function: ast.Attribute) -> Found | None:
        method, receiver = function.attr, function.value
        kind = self.kind(receiver)
        if kind == "other" or (kind == "character" and method in OF_CHARACTERS):
            return None
        line = function.end_lineno or node.lineno
        keywords = tuple(each.arg or "**" for each in node.keywords)
        if "**" in keywords or any(isinstance(each, ast.Starred) for each in node.args):
            if not is_call(method, 0, ()) and not is_call(method, 1, ()):
                return None
            return Found(node, line, method, why="its arguments are unpacked")
        if not is_call(method, len(node.args), keywords):
            return None
        made = self.function(node, method, keywords)
        if made is None:
            return Found(node, line, method, why="there is no loop for these arguments")
        if is_string(receiver, self.scopes):
            return Found(node, line, method, made)
        if method in self.methods:
            return Found(node, line, method, why="the program has a method of this name")
        return self.ordered(node, function, Found(node, line, method, made))

    def function(self, node: ast.Call, method: str, keywords: tuple[str, ...]) -> Function | None:
        if method == "join" and isinstance(node.args[0], ast.GeneratorExp):
            return JOIN_ALL
        return method_function(method, len(node.args), keywords)

    def ordered(self, node: ast.Call, function: ast.Attribute, found: Found) -> Found:
        """The method is looked up before the arguments are evaluated, and that may fail."""
        arguments = [*node.args, *(each.value for each in node.keywords)]
        looks = bool(self.methods & LOOKUPS)
        if not arguments or (not looks and all(is_plain(each, self.scopes) for each in arguments)):
            return found
        if (
            isinstance(function.value, ast.Name)
            and node.lineno == node.end_lineno
            and self.scopes.owner_at(node, "type") is None
            and self.scopes.owner_at(node, "str") is None
        ):
            return Found(node, found.line, found.what, found.function, guarded=True)
        why = "its arguments may fail, or be noticed, before the method is looked up"
        return Found(node, found.line, found.what, why=why)

    def kind(self, node: ast.expr) -> str | None:
        return kind_of(node, self.scopes)


def _is_guard(node: ast.AST) -> bool:
    """string_find(x, y[0]) if type(x) is str else x.find(y[0]): an earlier rewrite made it."""
    match node:
        case ast.IfExp(body=ast.Call(func=ast.Name(id=name), args=[receiver, *_]), test=test):
            guard = f"type({ast.unparse(receiver)}) is str"
            return name.startswith("string_") and ast.unparse(test) == guard
        case _:
            return False


def _own_methods(tree: ast.Module) -> frozenset[str]:
    """Names that the program gives to attributes, its classes' functions among them."""
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(body=body):
                for each in body:
                    for inner in ast.walk(each):
                        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
                            found.add(inner.name)
                        elif isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                            found.add(inner.id)
            case ast.Attribute(attr=name, ctx=ast.Store()):
                found.add(name)
    return frozenset(found)
