"""A syntax tree goes in, its scopes come out: which names each one binds, reads and declares."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

Function = ast.FunctionDef | ast.AsyncFunctionDef
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


class Binding(NamedTuple):
    """One place that gives a name a value.

    `value`: from an expression. `item`: from the items of an expression; `place` is which part of
    each, where they are unpacked. `added`: from what it was and an expression (`x += …`).
    `module`: an import of the module `name`. `gone`: it is deleted.
    """

    kind: Literal["value", "item", "added", "module", "parameter", "def", "gone", "other"]
    expression: ast.expr | None = None
    place: int | None = None
    operator: ast.operator | None = None
    name: str = ""


@dataclass(slots=True, eq=False)
class Scope:
    """One scope: a module, class, function, lambda or comprehension.

    `bindings` of its variables, those among them that stand further inside and say so by `global`
    or `nonlocal`.
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

    def loses(self, name: str) -> bool:
        """Whether a variable may be unbound again, by `del` or at the end of an `except`."""
        return any(binding.kind == "gone" for binding in self.bindings.get(name, ()))

    def within(self) -> Iterator["Scope"]:
        """This scope and all inside it."""
        yield self
        for child in self.children:
            yield from child.within()

    def wanted(self) -> set[str]:
        """Names that this scope, or one inside it, has from outside.

        the scope of "lambda x: x + y" -> {"y"}
        """
        inside = set().union(*(child.wanted() for child in self.children))
        own = self.globals | self.nonlocals
        if self.is_class:
            return self.reads | inside | own
        return ((self.reads | inside) - self.bindings.keys()) | own

    def seen(self) -> set[str]:
        """Names that mean something in this scope itself."""
        inside = set().union(*(child.wanted() for child in self.children))
        return self.reads | self.bindings.keys() | self.globals | self.nonlocals | inside


def owner(scope: Scope, name: str) -> Scope:
    """The scope whose variable a name is; the module's for globals and built-in names."""
    at = scope
    is_inner = False
    while at.parent is not None:
        is_seen = not (is_inner and at.is_class)
        if is_seen and name in at.globals:
            break
        if is_seen and name in at.bindings and name not in at.nonlocals:
            return at
        at, is_inner = at.parent, True
    while at.parent is not None:
        at = at.parent
    return at


@dataclass(frozen=True, slots=True)
class Scopes:
    """The scopes of a program.

    `made_by`: the scope that a node makes; `of`: the one that a node stands in; `parents` of all
    nodes; `rebound`: variables of the module that functions give values to.
    """

    module: Scope
    made_by: dict[ast.AST, Scope]
    of: Mapping[ast.AST, Scope]
    parents: Mapping[ast.AST, ast.AST]
    rebound: frozenset[str]

    def owner(self, name: ast.Name) -> Scope | None:
        """The scope whose variable this is; none where the program does not bind it: a built-in."""
        return self.owner_at(name, name.id)

    def owner_at(self, node: ast.AST, name: str) -> Scope | None:
        """The same for a name that might stand where a node does."""
        home = owner(self.of[node], name)
        return home if name in home.bindings else None


def scopes_of(tree: ast.Module) -> Scopes:
    """All scopes of a program.

    "def f(x):\\n    return x" -> the module, which binds f, and the function, which binds x
    """
    made_by: dict[ast.AST, Scope] = {}
    of: dict[ast.AST, Scope] = {}
    module = Scope(tree)
    _Builder(module, made_by, of).build(tree.body)
    parents: dict[ast.AST, ast.AST] = {}
    for node in ast.walk(tree):
        for child in ast.iter_child_nodes(node):
            parents[child] = node
            of.setdefault(child, of.get(node, module))
    return Scopes(module, made_by, of, parents, _brought_home(made_by))


def _brought_home(made_by: dict[ast.AST, Scope]) -> frozenset[str]:
    """Give bindings of `global` and `nonlocal` names to the scope whose variable it is; the globals
    among them."""
    moved = [
        (scope, name, owner(scope, name))
        for scope in made_by.values()
        for name in (scope.globals | scope.nonlocals) & scope.bindings.keys()
    ]
    for scope, name, home in moved:
        if home is not scope:
            home.bindings.setdefault(name, []).extend(scope.bindings.pop(name))
    return frozenset(
        name for scope, name, home in moved if home.parent is None and home is not scope
    )


class _Builder(ast.NodeVisitor):
    """Walks one scope; each inner scope gets a builder of its own."""

    def __init__(
        self, scope: Scope, made_by: dict[ast.AST, Scope], of: dict[ast.AST, Scope]
    ) -> None:
        self._scope = scope
        self._made_by = made_by
        self._of = of
        made_by[scope.node] = scope

    def visit(self, node: ast.AST) -> None:
        self._of[node] = self._scope
        # Only from Python 3.12 on.
        for parameter in getattr(node, "type_params", ()):
            self._bind(parameter.name, Binding("other"))
        super().visit(node)

    def build(self, nodes: list[ast.stmt] | list[ast.expr]) -> None:
        for node in nodes:
            self.visit(node)

    def _inner(self, node: ast.AST) -> "_Builder":
        scope = Scope(node, self._scope)
        self._scope.children.append(scope)
        return _Builder(scope, self._made_by, self._of)

    def _bind(self, name: str, binding: Binding) -> None:
        self._scope.bindings.setdefault(name, []).append(binding)

    def _bind_target(self, target: ast.expr, binding: Binding) -> None:
        self._of[target] = self._scope
        if isinstance(target, ast.Name):
            self._bind(target.id, binding)
        elif isinstance(target, ast.Tuple | ast.List) and binding.kind == "item":
            for place, part in enumerate(target.elts):
                inner = binding._replace(place=place) if binding.place is None else Binding("other")
                self._bind_target(part, inner)
        else:
            self.visit(target)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self._scope.reads.add(node.id)
        else:
            self._bind(node.id, Binding("gone" if isinstance(node.ctx, ast.Del) else "other"))

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
        binding = Binding("added", node.value, operator=node.op)
        self._bind_target(node.target, binding)
        if isinstance(node.target, ast.Name):
            self._scope.reads.add(node.target.id)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        at = self._scope
        while isinstance(at.node, Comprehension) and at.parent is not None:
            at.reads.add(node.target.id)
            at = at.parent
        # Names inside a comprehension may mean something else than they do around it.
        binding = Binding("value", node.value) if at is self._scope else Binding("other")
        at.bindings.setdefault(node.target.id, []).append(binding)

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
            self._bind(node.name, Binding("gone"))
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
        self._bind(node.name, Binding("def"))
        self.build(node.decorator_list)
        self._visit_arguments(node.args)
        if node.returns is not None:
            self.visit(node.returns)
        inner = self._inner(node)
        inner._bind_parameters(node.args)
        inner.build(node.body)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.visit_FunctionDef(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._visit_arguments(node.args)
        inner = self._inner(node)
        inner._bind_parameters(node.args)
        inner.visit(node.body)

    def _visit_arguments(self, arguments: ast.arguments) -> None:
        self.build([*arguments.defaults, *(part for part in arguments.kw_defaults if part)])
        for parameter in _parameters(arguments):
            if parameter.annotation is not None:
                self.visit(parameter.annotation)

    def _bind_parameters(self, arguments: ast.arguments) -> None:
        for parameter in _parameters(arguments):
            self._bind(parameter.arg, Binding("parameter"))

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._bind(node.name, Binding("def"))
        self.build([*node.decorator_list, *node.bases])
        self.build([keyword.value for keyword in node.keywords])
        self._inner(node).build(node.body)

    def _visit_comprehension(self, node: Comprehension) -> None:
        self.visit(node.generators[0].iter)
        inner = self._inner(node)
        for index, part in enumerate(node.generators):
            if index:
                inner.visit(part.iter)
            inner._bind_target(part.target, Binding("item", part.iter))
            inner.build(part.ifs)
        both = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        inner.build(both)

    def visit_ListComp(self, node: ast.ListComp) -> None:
        self._visit_comprehension(node)

    def visit_SetComp(self, node: ast.SetComp) -> None:
        self._visit_comprehension(node)

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self._visit_comprehension(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> None:
        self._visit_comprehension(node)


def _parameters(arguments: ast.arguments) -> list[ast.arg]:
    stars = [part for part in (arguments.vararg, arguments.kwarg) if part is not None]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *stars]


def parameters_of(function: Function) -> list[str]:
    """The names of a function's parameters."""
    return [parameter.arg for parameter in _parameters(function.args)]
