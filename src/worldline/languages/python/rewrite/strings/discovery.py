"""Discovery of string operations in a syntax tree."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from worldline.core.trace import START_MARK
from worldline.languages.python.rewrite.scopes import Scopes
from worldline.languages.python.rewrite.strings.purity import is_pure
from worldline.languages.python.rewrite.strings.templates import (
    IN,
    JOIN_ALL,
    REVERSED,
    SLICE,
    SLICE_STEP,
    StringFunction,
    function_for_call,
    is_inserted,
    is_string_call,
)
from worldline.languages.python.rewrite.type_inference import Assumptions, TypeInference

# Methods that are not replaced on a single character: there are no smaller steps.
_SINGLE_CHARACTER_METHODS = frozenset(
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
# A program that binds built-in names dynamically is rejected as a whole. Otherwise assume the
# worst: other modules may set its globals, and it may import subclasses of `str`.
_ASSUMPTIONS = Assumptions(
    has_dynamic_builtins=False,
    has_dynamic_globals=True,
    has_string_subclasses=True,
    has_reflected_addition=True,
)
_ATTRIBUTE_HOOKS = frozenset(("__getattr__", "__getattribute__"))


@dataclass(frozen=True, slots=True)
class StringOperation:
    """An operation that may be one on strings.

    Attributes:
        line: its line.
        what: the operation: "replace", "in", "slice".
        segment: its source.
    """

    line: int
    what: str
    segment: str


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A possible string operation in a syntax tree.

    Attributes:
        node: its node.
        line: its line.
        what: the operation: "replace", "in", "slice".
        function: the function that replaces it; None if it cannot be replaced.
        is_guarded: whether it is replaced only if its receiver, a variable, is a string at run
            time. The arguments would be evaluated before the method is looked up, which other
            objects may observe.
        skip_reason: why it cannot be replaced.
    """

    node: ast.expr
    line: int
    what: str
    function: StringFunction | None = None
    is_guarded: bool = False
    skip_reason: str = ""


def find_operations(
    tree: ast.Module, scopes: Scopes, lines: tuple[str, ...]
) -> Iterator[Candidate]:
    """Find the operations that may be ones on strings, outer ones before inner ones."""
    return _Finder(tree, scopes, lines).visit(tree)


class _Finder:
    def __init__(self, tree: ast.Module, scopes: Scopes, lines: tuple[str, ...]) -> None:
        self.scopes = scopes
        self.inference = TypeInference(scopes, _ASSUMPTIONS)
        self.lines = lines
        self.methods = _own_methods(tree)

    def visit(self, node: ast.AST, *, fstring: ast.JoinedStr | None = None) -> Iterator[Candidate]:
        """Yield the operations in a node; `fstring`: the f-string that it is in."""
        if isinstance(node, ast.FunctionDef) and self.is_excluded(node):
            return
        if isinstance(node, ast.JoinedStr):
            fstring = fstring or node
        candidate = self.match_operation(node)
        if candidate is not None and fstring is not None:
            yield Candidate(
                candidate.node, fstring.lineno, candidate.what, skip_reason="it is in an f-string"
            )
        elif candidate is not None:
            yield candidate
        for name, value in ast.iter_fields(node):
            # Annotations are not steps of the program, and may be stored as text.
            if name not in ("annotation", "returns", "type_params") and not (
                name == "orelse" and _is_guard(node)
            ):
                for child in value if isinstance(value, list) else [value]:
                    if isinstance(child, ast.AST):
                        yield from self.visit(child, fstring=fstring)

    def is_excluded(self, node: ast.FunctionDef) -> bool:
        """Whether a function is not rewritten: the entry point, or inserted by a rewrite."""
        lines = self.lines[node.lineno - 1 : node.end_lineno]
        return lines[0].rstrip().endswith(START_MARK) or is_inserted("\n".join(lines))

    def match_operation(self, node: ast.AST) -> Candidate | None:
        match node:
            case ast.Call(func=ast.Attribute() as function):
                return self.match_method(node, function)
            case ast.Compare(ops=ops) if any(isinstance(op, ast.In | ast.NotIn) for op in ops):
                return self.match_contains(node)
            case ast.Subscript(slice=ast.Slice() as part, ctx=ast.Load()):
                return self.match_slice(node, part)
            case _:
                return None

    def match_contains(self, node: ast.Compare) -> Candidate | None:
        if len(node.ops) > 1:
            return Candidate(
                node, node.lineno, "in", skip_reason="it is part of a chained comparison"
            )
        if any(map(self.inference.is_not_string, (node.left, node.comparators[0]))):
            return None
        return Candidate(node, node.lineno, "in", IN)

    def match_slice(self, node: ast.Subscript, part: ast.Slice) -> Candidate | None:
        if self.inference.is_not_string(node.value):
            return None
        line = node.value.end_lineno or node.lineno
        if any(isinstance(each, ast.Lambda) for each in ast.walk(part)):
            return Candidate(node, line, "slice", skip_reason="a lambda is in the slice")
        if part.step is None:
            return Candidate(node, line, "slice", SLICE)
        is_reversed = part.lower is None and part.upper is None and ast.unparse(part.step) == "-1"
        return Candidate(node, line, "slice", REVERSED if is_reversed else SLICE_STEP)

    def match_method(self, node: ast.Call, function: ast.Attribute) -> Candidate | None:
        method, receiver = function.attr, function.value
        if self.inference.is_not_string(receiver):
            return None
        if method in _SINGLE_CHARACTER_METHODS and self.inference.is_character(receiver):
            return None
        line = function.end_lineno or node.lineno
        keywords = tuple(each.arg or "**" for each in node.keywords)
        if "**" in keywords or any(isinstance(each, ast.Starred) for each in node.args):
            if not is_string_call(method, 0, ()) and not is_string_call(method, 1, ()):
                return None
            return Candidate(node, line, method, skip_reason="its arguments are unpacked")
        if not is_string_call(method, len(node.args), keywords):
            return None
        replacement = self.find_function(node, method, keywords)
        if replacement is None:
            return Candidate(
                node, line, method, skip_reason="there is no replacement for these arguments"
            )
        if self.inference.is_string(receiver):
            return Candidate(node, line, method, replacement)
        if method in self.methods:
            return Candidate(
                node, line, method, skip_reason="the program has a method of this name"
            )
        return self.check_lookup_order(node, function, Candidate(node, line, method, replacement))

    def find_function(
        self, node: ast.Call, method: str, keywords: tuple[str, ...]
    ) -> StringFunction | None:
        if method == "join" and isinstance(node.args[0], ast.GeneratorExp):
            return JOIN_ALL
        return function_for_call(method, len(node.args), keywords)

    def check_lookup_order(
        self, node: ast.Call, function: ast.Attribute, candidate: Candidate
    ) -> Candidate:
        """Guard or skip a call whose arguments may fail or have side effects.

        Python looks up the method, which may fail, before it evaluates the arguments.
        """
        arguments = [*node.args, *(each.value for each in node.keywords)]
        has_hooks = bool(self.methods & _ATTRIBUTE_HOOKS)
        if not arguments or (
            not has_hooks and all(is_pure(each, self.scopes) for each in arguments)
        ):
            return candidate
        if (
            isinstance(function.value, ast.Name)
            and node.lineno == node.end_lineno
            and self.scopes.binding_scope_at(node, "type") is None
            and self.scopes.binding_scope_at(node, "str") is None
        ):
            return Candidate(
                node, candidate.line, candidate.what, candidate.function, is_guarded=True
            )
        reason = "its arguments may fail or have side effects before the method is looked up"
        return Candidate(node, candidate.line, candidate.what, skip_reason=reason)


def _is_guard(node: ast.AST) -> bool:
    """Whether a node is a guard of an earlier rewrite.

    `string_find(x, y[0]) if type(x) is str else x.find(y[0])`
    """
    match node:
        case ast.IfExp(body=ast.Call(func=ast.Name(id=name), args=[receiver, *_]), test=test):
            guard = f"type({ast.unparse(receiver)}) is str"
            return name.startswith("string_") and ast.unparse(test) == guard
        case _:
            return False


def _own_methods(tree: ast.Module) -> frozenset[str]:
    """Names of attributes that the program assigns, and of functions in its classes."""
    names = set()
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(body=body):
                for each in body:
                    for inner in ast.walk(each):
                        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
                            names.add(inner.name)
                        elif isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                            names.add(inner.id)
            case ast.Attribute(attr=name, ctx=ast.Store()):
                names.add(name)
    return frozenset(names)
