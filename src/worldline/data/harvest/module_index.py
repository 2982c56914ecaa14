"""Top-level statements of a module, with the names that each binds and uses.

Names are taken from the bytecode: the compiler has resolved which ones are local, so a local
variable that shadows a global one is no use of it.
"""

import ast
import builtins
import inspect
import opcode
import sys
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import CodeType

from worldline.data.harvest.method_functions import find_methods, method_reason

BUILTINS = frozenset(dir(builtins))
_GLOBAL_WRITES = frozenset({"STORE_GLOBAL", "DELETE_GLOBAL"})
_LOADS = frozenset({"LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS"})
_ATTRIBUTE_SHIFT = int(sys.version_info >= (3, 12))
# Operation code -> its name, and the number of bits of its argument that are not part of the index.
_NAME_OPERATIONS = {
    opcode.opmap[name]: (name, shift)
    for name, shift in {
        **dict.fromkeys([*_GLOBAL_WRITES, *_LOADS, "STORE_NAME", "DELETE_NAME"], 0),
        "LOAD_GLOBAL": 1,
        "LOAD_ATTR": _ATTRIBUTE_SHIFT,
        "LOAD_METHOD": 0,
    }.items()
    if name in opcode.opmap
}


@dataclass(frozen=True, slots=True)
class TopLevelStatement:
    """A top-level statement of a module.

    Attributes:
        node: its syntax tree.
        binds: names that it binds in the module.
        uses: global names that it, or the functions in it, look up; without annotations.
        annotation_names: names in its annotations.
        attributes: names of attributes that it looks up.
        assigns_global: whether a function in it assigns a global variable.
        has_star: whether `from … import *` is in it.
        source: its own text, if it is not a part of the module's: a method that was written as a
            function.
    """

    node: ast.stmt
    binds: frozenset[str] = frozenset()
    uses: frozenset[str] = frozenset()
    annotation_names: frozenset[str] = frozenset()
    attributes: frozenset[str] = frozenset()
    assigns_global: bool = False
    has_star: bool = False
    source: str = ""


@dataclass(frozen=True, slots=True)
class ModuleIndex:
    """Statements of a module.

    Attributes:
        text: the source.
        statements: the top-level statements, in order.
        binders: name -> indexes of the statements that bind it, in order.
        has_star: whether there is a `from … import *`.
        has_future_annotations: whether annotations are not evaluated.
    """

    text: str
    statements: tuple[TopLevelStatement, ...]
    binders: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    has_star: bool = False
    has_future_annotations: bool = False


def index_module(text: str) -> ModuleIndex | None:
    """Index the statements of a module; None if it cannot be compiled.

    The names of a module without functions that may stand alone are not indexed.

    "x = 1\\ndef f(a): return a + x" -> x is bound by statement 0, f by 1, which uses x
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(text)
            if any(map(_has_function, tree.body)):
                pairs = zip(tree.body, ast.parse(text).body, strict=True)
                statements = tuple(_index_statement(node, bare) for node, bare in pairs)
            else:
                # No function of it can stand alone.
                statements = tuple(map(TopLevelStatement, tree.body))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    binders: dict[str, list[int]] = {}
    for number, statement in enumerate(statements):
        for name in statement.binds:
            binders.setdefault(name, []).append(number)
    return ModuleIndex(
        text,
        statements,
        {name: tuple(numbers) for name, numbers in binders.items()},
        any(each.has_star for each in statements),
        any(_is_future_annotations(each.node) for each in statements),
    )


def index_method(index: ModuleIndex, number: int, source: str) -> ModuleIndex:
    """Index a module in which a method, written as a function, has the place of its class.

    Nothing binds the name of the class in it.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        node, bare = (ast.parse(source).body[0] for _ in range(2))
        statement = replace(_index_statement(node, bare), source=source)
    statements = (*index.statements[:number], statement, *index.statements[number + 1 :])
    names = index.statements[number].binds
    binders = {name: each for name, each in index.binders.items() if name not in names}
    binders |= dict.fromkeys(statement.binds, (number,))
    return replace(index, statements=statements, binders=binders)


def _has_function(node: ast.stmt) -> bool:
    """Whether a statement is a function, or a class with a method that is one."""
    return isinstance(node, ast.FunctionDef) or any(
        not method_reason(method) for method in find_methods(node)
    )


def _is_future_annotations(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.ImportFrom)
        and node.module == "__future__"
        and any(alias.name == "annotations" for alias in node.names)
    )


def _index_statement(node: ast.stmt, bare: ast.stmt) -> TopLevelStatement:
    """Index a statement; `bare` is a copy of it, from which the annotations are removed."""
    if isinstance(node, ast.ImportFrom) and node.module == "__future__":
        return TopLevelStatement(node)
    remover = _AnnotationRemover()
    module = ast.Module([remover.visit(bare)], [])
    code = compile(module, "<module>", "exec", dont_inherit=True)
    binds, uses, attributes = set[str](), set[str](), set[str]()
    assigns_global = False
    for depth, operation, name in _name_operations(code, 0):
        # A name that a function declares global is also global where the module binds it.
        if operation in _GLOBAL_WRITES and depth > 0:
            assigns_global = True
        elif operation in _LOADS:
            # Annotated variables of a class are stored in `__annotations__`.
            uses |= {name} - {"__annotations__"}
        elif operation in ("LOAD_ATTR", "LOAD_METHOD"):
            attributes.add(name)
        elif depth == 0:
            binds.add(name)
    return TopLevelStatement(
        node,
        frozenset(binds),
        frozenset(uses),
        frozenset(remover.names),
        frozenset(attributes),
        assigns_global,
        any(
            isinstance(each, ast.ImportFrom) and each.names[0].name == "*"
            for each in ast.walk(node)
        ),
    )


def _name_operations(code: CodeType, depth: int) -> Iterator[tuple[int, str, str]]:
    """Operations on names of a code object and all nested ones: their depth, kind and name.

    `dis` computes much more than this, and takes ten times as long.
    """
    argument = 0
    # The compiler itself reads `__name__` at the start of a class body.
    is_skipped = depth > 0 and not code.co_flags & inspect.CO_OPTIMIZED
    for position in range(0, len(code.co_code), 2):
        operation = code.co_code[position]
        argument = argument << 8 | code.co_code[position + 1]
        if operation == opcode.EXTENDED_ARG:
            continue
        if operation in _NAME_OPERATIONS:
            name, shift = _NAME_OPERATIONS[operation]
            if not is_skipped:
                yield depth, name, code.co_names[argument >> shift]
            is_skipped = False
        argument = 0
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _name_operations(constant, depth + 1)


class _AnnotationRemover(ast.NodeTransformer):
    """Replaces annotations by None, and collects the names in them."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def visit_arg(self, node: ast.arg) -> ast.arg:
        self._collect(node.annotation)
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._visit_function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._visit_function(node)

    def _visit_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        self._collect(node.returns)
        node.returns = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        # Without a value, it still makes the variable local.
        self._collect(node.annotation)
        node.annotation = ast.copy_location(ast.Constant(None), node.annotation)
        return self.generic_visit(node)

    def _collect(self, annotation: ast.expr | None) -> None:
        for node in ast.walk(annotation) if annotation is not None else ():
            if isinstance(node, ast.Name):
                self.names.add(node.id)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                try:
                    self._collect(ast.parse(node.value, mode="eval").body)
                except (SyntaxError, ValueError):
                    continue
