"""Scopes of a program: the names that each one binds, reads and declares."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

Function = ast.FunctionDef | ast.AsyncFunctionDef
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


class Binding(NamedTuple):
    """One place in the source that binds a name.

    Attributes:
        kind: `value`: assigned from an expression. `item`: from the items of an expression.
            `augmented`: from its old value and an expression (`x += …`). `module`: an import.
            `deleted`: unbound by `del` or at the end of an `except`.
        expression: the expression that it is bound from.
        position: for an `item` that is unpacked, the position in each item.
        operator: the operator of an augmented assignment.
        name: the imported module.
    """

    kind: Literal[
        "value", "item", "augmented", "module", "parameter", "definition", "deleted", "other"
    ]
    expression: ast.expr | None = None
    position: int | None = None
    operator: ast.operator | None = None
    name: str = ""


@dataclass(slots=True, eq=False)
class Scope:
    """One scope: a module, class, function, lambda or comprehension.

    Attributes:
        node: the node that creates it.
        parent: the enclosing scope.
        bindings: its variables, including those bound in nested scopes by `global` or `nonlocal`.
        reads: names that are read in it.
        globals: names declared `global`.
        nonlocals: names declared `nonlocal`.
        children: the scopes directly inside it.
    """

    node: ast.AST
    parent: "Scope | None" = None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    reads: set[str] = field(default_factory=set)
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)
    children: list["Scope"] = field(default_factory=list)

    @property
    def is_class(self) -> bool:
        return isinstance(self.node, ast.ClassDef)

    @property
    def is_comprehension(self) -> bool:
        return isinstance(self.node, Comprehension)

    def may_unbind(self, name: str) -> bool:
        """Whether a variable may be unbound again, by `del` or at the end of an `except`."""
        return any(binding.kind == "deleted" for binding in self.bindings.get(name, ()))

    def nested(self) -> Iterator["Scope"]:
        """Yield this scope and all scopes inside it."""
        yield self
        for child in self.children:
            yield from child.nested()

    def free_names(self) -> set[str]:
        """Names that this scope, or one inside it, takes from an enclosing scope.

        the scope of "lambda x: x + y" -> {"y"}
        """
        nested_free = set().union(*(child.free_names() for child in self.children))
        declared = self.globals | self.nonlocals
        if self.is_class:
            return self.reads | nested_free | declared
        return ((self.reads | nested_free) - self.bindings.keys()) | declared

    def visible_names(self) -> set[str]:
        """Names that have a meaning in this scope."""
        nested_free = set().union(*(child.free_names() for child in self.children))
        return self.reads | self.bindings.keys() | self.globals | self.nonlocals | nested_free


def binding_scope(scope: Scope, name: str) -> Scope:
    """Find the scope that binds a name; the module for globals and built-in names."""
    current = scope
    is_nested = False
    while current.parent is not None:
        # Functions in a class body do not see its names.
        is_visible = not (is_nested and current.is_class)
        if is_visible and name in current.globals:
            break
        if is_visible and name in current.bindings and name not in current.nonlocals:
            return current
        current, is_nested = current.parent, True
    while current.parent is not None:
        current = current.parent
    return current


@dataclass(frozen=True, slots=True)
class Scopes:
    """The scopes of a program.

    Attributes:
        module: the scope of the module.
        created_by: node -> the scope that it creates.
        scope_of: node -> the scope that it is in.
        parents: node -> its parent node.
        rebound_globals: variables of the module that functions assign to.
    """

    module: Scope
    created_by: dict[ast.AST, Scope]
    scope_of: dict[ast.AST, Scope]
    parents: Mapping[ast.AST, ast.AST]
    rebound_globals: frozenset[str]

    def binding_scope(self, name: ast.Name) -> Scope | None:
        """Find the scope that binds a name; None if the program does not bind it (a built-in)."""
        return self.binding_scope_at(name, name.id)

    def binding_scope_at(self, node: ast.AST, name: str) -> Scope | None:
        """Find the scope that would bind a name at the place of a node; None for a built-in."""
        target = binding_scope(self.scope_of[node], name)
        return target if name in target.bindings else None

    def add_copy(self, node: ast.AST, copy: ast.AST) -> None:
        """Register a deep copy of a node: its parts are in the same scopes."""
        for old, new in zip(ast.walk(node), ast.walk(copy), strict=True):
            if old in self.scope_of:
                self.scope_of[new] = self.scope_of[old]
            if old in self.created_by:
                self.created_by[new] = self.created_by[old]


def build_scopes(tree: ast.Module) -> Scopes:
    """Build the scopes of a program.

    "def f(x):\\n    return x" -> the module, which binds f, and the function, which binds x
    """
    created_by: dict[ast.AST, Scope] = {}
    scope_of: dict[ast.AST, Scope] = {}
    module = Scope(tree)
    _ScopeBuilder(module, created_by, scope_of).build(tree.body)
    parents: dict[ast.AST, ast.AST] = {}
    for node in ast.walk(tree):
        for child in ast.iter_child_nodes(node):
            parents[child] = node
            scope_of.setdefault(child, scope_of.get(node, module))
    return Scopes(module, created_by, scope_of, parents, _move_to_binding_scope(created_by))


def _move_to_binding_scope(created_by: dict[ast.AST, Scope]) -> frozenset[str]:
    """Move bindings of `global` and `nonlocal` names to their scope; return the globals."""
    moved = [
        (scope, name, binding_scope(scope, name))
        for scope in created_by.values()
        for name in (scope.globals | scope.nonlocals) & scope.bindings.keys()
    ]
    for scope, name, target in moved:
        if target is not scope:
            target.bindings.setdefault(name, []).extend(scope.bindings.pop(name))
    return frozenset(
        name for scope, name, target in moved if target.parent is None and target is not scope
    )


class _ScopeBuilder(ast.NodeVisitor):
    """Visitor of one scope; each nested scope has its own builder."""

    def __init__(
        self, scope: Scope, created_by: dict[ast.AST, Scope], of: dict[ast.AST, Scope]
    ) -> None:
        self._scope = scope
        self._made_by = created_by
        self._scope_of = of
        created_by[scope.node] = scope

    def visit(self, node: ast.AST) -> None:
        self._scope_of[node] = self._scope
        # Type parameters exist from Python 3.12 on.
        for parameter in getattr(node, "type_params", ()):
            self._bind(parameter.name, Binding("other"))
        super().visit(node)

    def build(self, nodes: list[ast.stmt] | list[ast.expr]) -> None:
        for node in nodes:
            self.visit(node)

    def _nested_builder(self, node: ast.AST) -> "_ScopeBuilder":
        scope = Scope(node, self._scope)
        self._scope.children.append(scope)
        return _ScopeBuilder(scope, self._made_by, self._scope_of)

    def _bind(self, name: str, binding: Binding) -> None:
        self._scope.bindings.setdefault(name, []).append(binding)

    def _bind_target(self, target: ast.expr, binding: Binding) -> None:
        self._scope_of[target] = self._scope
        if isinstance(target, ast.Name):
            self._bind(target.id, binding)
        elif isinstance(target, ast.Tuple | ast.List) and binding.kind == "item":
            is_known_position = binding.position is None
            for position, element in enumerate(target.elts):
                # After a starred target the position in the item is unknown.
                is_known_position = is_known_position and not isinstance(element, ast.Starred)
                element_binding = (
                    binding._replace(position=position) if is_known_position else Binding("other")
                )
                self._bind_target(element, element_binding)
        else:
            self.visit(target)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self._scope.reads.add(node.id)
        else:
            self._bind(node.id, Binding("deleted" if isinstance(node.ctx, ast.Del) else "other"))

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        for target in node.targets:
            self._bind_target(target, Binding("value", node.value))

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit(node.annotation)
        if node.value is not None:
            self.visit(node.value)
            self._bind_target(node.target, Binding("value", node.value))
        else:
            self.visit(node.target)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        binding = Binding("augmented", node.value, operator=node.op)
        self._bind_target(node.target, binding)
        if isinstance(node.target, ast.Name):
            self._scope.reads.add(node.target.id)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        scope = self._scope
        while isinstance(scope.node, Comprehension) and scope.parent is not None:
            scope.reads.add(node.target.id)
            scope = scope.parent
        # A name may have a different meaning inside the comprehension.
        binding = Binding("value", node.value) if scope is self._scope else Binding("other")
        scope.bindings.setdefault(node.target.id, []).append(binding)

    def visit_For(self, node: ast.For) -> None:
        self.visit(node.iter)
        self._bind_target(node.target, Binding("item", node.iter))
        self.build(node.body)
        self.build(node.orelse)

    def visit_Global(self, node: ast.Global) -> None:
        self._scope.globals.update(node.names)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self._scope.nonlocals.update(node.names)

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            module = alias.name if alias.asname else alias.name.split(".")[0]
            self._bind(alias.asname or module, Binding("module", name=module))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            self._bind(alias.asname or alias.name, Binding("other"))

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name is not None:
            self._bind(node.name, Binding("deleted"))
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        if node.name is not None:
            self._bind(node.name, Binding("other"))
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        if node.name is not None:
            self._bind(node.name, Binding("other"))

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest is not None:
            self._bind(node.rest, Binding("other"))
        self.generic_visit(node)

    def visit_FunctionDef(self, node: Function) -> None:
        self._bind(node.name, Binding("definition"))
        self.build(node.decorator_list)
        self._visit_arguments(node.args)
        if node.returns is not None:
            self.visit(node.returns)
        inner = self._nested_builder(node)
        inner._bind_parameters(node.args)
        inner.build(node.body)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.visit_FunctionDef(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._visit_arguments(node.args)
        inner = self._nested_builder(node)
        inner._bind_parameters(node.args)
        inner.visit(node.body)

    def _visit_arguments(self, arguments: ast.arguments) -> None:
        self.build([*arguments.defaults, *(part for part in arguments.kw_defaults if part)])
        for parameter in _parameter_nodes(arguments):
            if parameter.annotation is not None:
                self.visit(parameter.annotation)

    def _bind_parameters(self, arguments: ast.arguments) -> None:
        for parameter in _parameter_nodes(arguments):
            self._bind(parameter.arg, Binding("parameter"))

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._bind(node.name, Binding("definition"))
        self.build([*node.decorator_list, *node.bases])
        self.build([keyword.value for keyword in node.keywords])
        self._nested_builder(node).build(node.body)

    def _visit_comprehension(self, node: Comprehension) -> None:
        self.visit(node.generators[0].iter)
        inner = self._nested_builder(node)
        for index, generator in enumerate(node.generators):
            if index:
                inner.visit(generator.iter)
            inner._bind_target(generator.target, Binding("item", generator.iter))
            inner.build(generator.ifs)
        results = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        inner.build(results)

    def visit_ListComp(self, node: ast.ListComp) -> None:
        self._visit_comprehension(node)

    def visit_SetComp(self, node: ast.SetComp) -> None:
        self._visit_comprehension(node)

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self._visit_comprehension(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> None:
        self._visit_comprehension(node)


def _parameter_nodes(arguments: ast.arguments) -> list[ast.arg]:
    stars = [part for part in (arguments.vararg, arguments.kwarg) if part is not None]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *stars]


def parameter_names(function: Function) -> list[str]:
    """Names of a function's parameters."""
    return [parameter.arg for parameter in _parameter_nodes(function.args)]
