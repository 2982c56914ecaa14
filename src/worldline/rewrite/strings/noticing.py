"""A program goes in; why it would notice that functions were put into it comes out, if it would."""

import ast

from worldline.rewrite.scopes import Scopes

# They run other text, look at names and frames, or meet the depth of the stack.
NAMES = frozenset(
    {
        "eval",
        "exec",
        "compile",
        "globals",
        "breakpoint",
        "__import__",
        "__builtins__",
        "RecursionError",
    }
)
MODULES = frozenset(
    {
        "__main__",
        "builtins",
        "code",
        "dis",
        "doctest",
        "gc",
        "importlib",
        "inspect",
        "linecache",
        "pdb",
        "runpy",
        "symtable",
        "traceback",
        "tracemalloc",
    }
)
ATTRIBUTES = frozenset(
    {
        "_current_frames",
        "_getframe",
        "__builtins__",
        "__code__",
        "__globals__",
        "__traceback__",
        "f_back",
        "f_code",
        "f_globals",
        "f_lineno",
        "getrecursionlimit",
        "getrefcount",
        "gi_frame",
        "modules",
        "setprofile",
        "setrecursionlimit",
        "settrace",
        "tb_frame",
        "tb_lineno",
        "tb_next",
    }
)
# Names of Python's own that are no strings.
TYPES = frozenset(
    {"bool", "bytes", "dict", "float", "int", "list", "object", "set", "str", "tuple"}
)
# Where no argument is given, they show the names that stand around.
AROUND = frozenset(("dir", "locals", "vars"))


def notices(tree: ast.Module, scopes: Scopes) -> str | None:
    """What a program does that lets it notice a rewrite; none where it cannot.

    "print(globals())" -> "the program uses globals"
    """
    for node in ast.walk(tree):
        found = _reflection(node, scopes) or _identity(node, scopes)
        if found is not None:
            return found
    return None


def _reflection(node: ast.AST, scopes: Scopes) -> str | None:
    match node:
        case ast.Name(id=name) if name in NAMES and scopes.owner(node) is None:
            return f"the program uses {name}"
        case ast.Name(id=name) if name in AROUND and _looks_around(node, scopes):
            return f"the program uses {name} on its own names"
        case ast.Attribute(attr=name) if name in ATTRIBUTES:
            return f"the program uses {name}"
        case ast.Import(names=aliases):
            return _imported([alias.name for alias in aliases])
        case ast.ImportFrom(module=module, names=aliases):
            if any(alias.name == "*" for alias in aliases):
                return f"the program takes all names from {module}"
            return _imported([module or "", *(alias.name for alias in aliases)])
        case _:
            return None


def _imported(names: list[str]) -> str | None:
    for name in names:
        if name.partition(".")[0] in MODULES or name in ATTRIBUTES:
            return f"the program uses {name}"
    return None


def _looks_around(name: ast.Name, scopes: Scopes) -> bool:
    """Whether `dir` is called without arguments in the module itself, or handed on."""
    if scopes.owner(name) is not None:
        return False
    call = scopes.parents[name]
    if not isinstance(call, ast.Call) or call.func is not name:
        return True
    scope = scopes.of[name]
    while scope.is_comprehension and scope.parent is not None:
        scope = scope.parent
    return not call.args and scope is scopes.module


def _identity(node: ast.AST, scopes: Scopes) -> str | None:
    """Equal strings need not be the same object: which ones are is up to Python."""
    match node:
        case ast.Call(func=ast.Name(id="id") as name) if scopes.owner(name) is None:
            return "the program asks which objects are the same"
        case ast.Compare(left=left, ops=ops, comparators=others):
            sides = [left, *others]
            for at, op in enumerate(ops):
                if isinstance(op, ast.Is | ast.IsNot) and not any(
                    _is_unique(side, scopes) for side in sides[at : at + 2]
                ):
                    return "the program asks which objects are the same"
    return None


def _is_unique(node: ast.expr, scopes: Scopes) -> bool:
    """Whether what an expression gives is never a string: None, True, a type."""
    match node:
        case ast.Constant(value=value):
            return not isinstance(value, str)
        case ast.Call(func=ast.Name(id="type") as name):
            return scopes.owner(name) is None
        case ast.Name(id=name):
            return name in TYPES and scopes.owner(node) is None
        case _:
            return False
