"""Names by which a program can observe or undermine a rewrite.

A program reaches each of them in one of three ways: an imported module, a built-in name, or an
attribute. Names that only one of the two rewrites must reject have their own constant, with the
reason.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from worldline.core.trace import words
from worldline.languages.python.rewrite.scopes import Scopes


@dataclass(frozen=True, slots=True)
class Access:
    """Names that give access to one thing.

    Attributes:
        modules: modules that may be imported.
        builtins: built-in names.
        attributes: attributes of any object.
        methods: special methods that Python calls if a class has them.
    """

    modules: frozenset[str] = frozenset()
    builtins: frozenset[str] = frozenset()
    attributes: frozenset[str] = frozenset()
    methods: frozenset[str] = frozenset()

    def __or__(self, other: "Access") -> "Access":
        return Access(
            self.modules | other.modules,
            self.builtins | other.builtins,
            self.attributes | other.attributes,
            self.methods | other.methods,
        )


# Frames, code objects, tracebacks, and the lines and text of the source.
FRAMES = Access(
    modules=words("code dis doctest inspect linecache pdb symtable traceback"),
    builtins=words("breakpoint"),
    attributes=words(
        "__code__ __traceback__ _current_frames _getframe ag_frame co_varnames cr_frame "
        "currentframe f_back f_code f_globals f_lineno f_locals gi_frame monitoring setprofile "
        "settrace tb_frame tb_lineno tb_next"
    ),
)
# All objects of the interpreter, or the references to an object.
HEAP = Access(modules=words("gc tracemalloc"), attributes=words("getrefcount"))
# Namespaces of modules, including `builtins`: a program may bind names in them dynamically.
NAMESPACES = Access(
    modules=words("__main__ builtins importlib runpy"),
    builtins=words("__builtins__ __import__ compile eval exec globals"),
    attributes=words("__builtins__ __globals__ modules"),
)
# Lifetimes of objects. Only for expressions: a temporary variable keeps its value alive longer. A
# function that replaces a string method holds its arguments no longer than the method did.
LIFETIMES = Access(modules=words("weakref"), methods=words("__del__"))
# Attributes by name. Only for expressions, which rely on attributes of modules (`math.pi`).
ATTRIBUTE_NAMES = Access(builtins=words("delattr setattr vars"), attributes=words("__dict__"))
# Depth of the stack. Only for strings, which insert functions that call nothing of the program. For
# expressions it is a documented difference: a comprehension has a frame, the loop for it has none.
STACK_DEPTH = Access(
    builtins=words("RecursionError"), attributes=words("getrecursionlimit setrecursionlimit")
)

# Without an argument, they return the names of the current scope.
_NAMESPACE_FUNCTIONS = words("dir locals vars")
# With one of these, a string may name an attribute.
_ATTRIBUTE_LOOKUPS = words("getattr attrgetter methodcaller __getattribute__ __dict__ vars")
# A module may be an attribute of another (`dataclasses.inspect`). These names usually are not.
_COMMON_WORDS = words("__main__ code")


def find_introspection(tree: ast.Module, scopes: Scopes, access: Access) -> Iterator[str]:
    """Yield the names by which a program has access to something, in the order of `ast.walk`.

    "print(globals())", NAMESPACES -> "globals"
    """
    nodes = list(ast.walk(tree))
    has_lookups = any(_name_of(node) in _ATTRIBUTE_LOOKUPS for node in nodes)
    attributes = access.attributes | access.methods | (access.modules - _COMMON_WORDS)
    # A name that nothing binds is a built-in, or comes from `from … import *`.
    named = access.builtins | attributes
    for node in nodes:
        match node:
            case ast.Name(id=name) if name in named and scopes.binding_scope(node) is None:
                yield name
            case ast.Name(id=name) | ast.FunctionDef(name=name) if name in access.methods:
                yield name
            case ast.Attribute(attr=name) if name in attributes:
                yield name
            case ast.MatchClass(kwd_attrs=names):
                yield from [name for name in names if name in attributes]
            case ast.Constant(value=str(text)) if text in access.methods:
                yield text
            case ast.Constant(value=str(text)) if has_lookups:
                yield from [part for part in text.split(".") if part in attributes]
            case ast.Import(names=aliases):
                yield from _imported_names([alias.name for alias in aliases], access)
            case ast.ImportFrom(module=module, names=aliases):
                yield from _imported_names(
                    [module or "", *(alias.name for alias in aliases)], access
                )


def _name_of(node: ast.AST) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
            return name
    return ""


def _imported_names(names: list[str], access: Access) -> Iterator[str]:
    for name in names:
        if name in access.attributes or not access.modules.isdisjoint(name.split(".")):
            yield name


def exposes_module_names(node: ast.AST, scopes: Scopes) -> bool:
    """Whether a node is `dir`, `locals` or `vars` and may return the names of the module.

    It does so if it is called without arguments in the module, or passed on.
    """
    if not isinstance(node, ast.Name) or node.id not in _NAMESPACE_FUNCTIONS:
        return False
    if scopes.binding_scope(node) is not None:
        return False
    call = scopes.parents[node]
    if not isinstance(call, ast.Call) or call.func is not node:
        return True
    scope = scopes.scope_of[node]
    while scope.is_comprehension and scope.parent is not None:
        scope = scope.parent
    return not call.args and scope is scopes.module
