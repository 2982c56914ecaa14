"""A syntax tree goes in; which scope each of its names belongs to, and what binds it, comes out."""

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True, slots=True, eq=False)
class Binding:
    """One place where a name gets a value, and the value where it is an expression's own.

    `how`: "value" (the name is the expression's value), "element" (the expression is iterated),
    "augmented" (`name += expression`), "parameter", or "other".
    """

    node: ast.AST
    how: str
    value: ast.expr | None = None


@dataclass(slots=True, eq=False)
class Scope:
    """A module, class, function or comprehension, and the names that are bound in it.

    `lost`: those that may be unbound again, by `del` or at the end of an `except`.
    """

    node: ast.AST
    parent: "Scope | None"
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    elsewhere: dict[str, "Scope"] = field(default_factory=dict)
    lost: set[str] = field(default_factory=set)

    @property
    def is_class(self) -> bool:
        return isinstance(self.node, ast.ClassDef)

    @property
    def is_comprehension(self) -> bool:
        return isinstance(self.node, COMPREHENSIONS)

    def home(self, name: str) -> "Scope":
        """The scope that `name` is bound in where this one binds it: `global` may name another."""
        return self.elsewhere.get(name, self)


@dataclass(frozen=True, slots=True)
class Scopes:
    """The scopes of a program: which one each node stands in, and each node's parent."""

    module: Scope
    of: dict[ast.AST, Scope]
    parents: dict[ast.AST, ast.AST]

    def owner(self, name: ast.Name) -> Scope | None:
        """The scope whose name this is; none where the program does not bind it: a built-in."""
        first: Scope | None = self.of[name]
        scope = first
        while scope is not None:
            home = scope.home(name.id)
            if name.id in home.bindings and (scope is first or not scope.is_class):
                return home
            scope = scope.parent
        return None


def scopes_of(tree: ast.Module) -> Scopes:
    """All scopes of a program."""
    found = _Finder(tree)
    found.declare(tree, found.module)
    found.visit(tree, found.module)
    return Scopes(found.module, found.of, found.parents)


def names_in(target: ast.AST) -> Iterable[str]:
    """The names that an assignment's target binds: a, (b, *c), d.e -> a, b, c."""
    for node in ast.walk(target):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def parameters(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> list[ast.arg]:
    """All parameters of a function, stars included."""
    found = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    return found + [each for each in (node.args.vararg, node.args.kwarg) if each is not None]


class _Finder:
    """Goes through a tree once; names declared `global` or `nonlocal` are known before."""

    def __init__(self, tree: ast.Module) -> None:
        self.module = Scope(tree, None)
        self.of: dict[ast.AST, Scope] = {}
        self.parents: dict[ast.AST, ast.AST] = {}

    def bind(self, scope: Scope, name: str, binding: Binding) -> None:
        scope.home(name).bindings.setdefault(name, []).append(binding)

    def declare(self, node: ast.AST, scope: Scope) -> None:
        """Look for `global` and `nonlocal` in a scope's own statements."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (*FUNCTIONS, ast.ClassDef)):
                continue
            if isinstance(child, ast.Global):
                scope.elsewhere.update(dict.fromkeys(child.names, self.module))
            if isinstance(child, ast.Nonlocal):
                for name in child.names:
                    scope.elsewhere[name] = self.enclosing(scope, name)
            self.declare(child, scope)

    def enclosing(self, scope: Scope, name: str) -> Scope:
        """The function around, whose name `nonlocal` means."""
        outer = scope.parent
        while outer is not None and outer.parent is not None:
            bound = not outer.is_class and not outer.is_comprehension
            if bound and (name in outer.elsewhere or binds(outer.node, name)):
                return outer.home(name)
            outer = outer.parent
        return self.module

    def visit(self, node: ast.AST, scope: Scope) -> None:
        self.of[node] = scope
        self.note(node, scope)
        if isinstance(node, FUNCTIONS):
            self.enter_function(node, scope)
        elif isinstance(node, ast.ClassDef):
            self.enter(node, scope, node.body)
        elif isinstance(node, COMPREHENSIONS):
            self.enter_comprehension(node, scope)
        else:
            self.visit_all(node, ast.iter_child_nodes(node), scope)

    def visit_all(self, parent: ast.AST, nodes: Iterable[ast.AST], scope: Scope) -> None:
        for node in nodes:
            self.parents[node] = parent
            self.visit(node, scope)

    def enter(self, node: ast.AST, scope: Scope, body: Iterable[ast.AST]) -> Scope:
        """A scope of its own for `body`; all else of the node belongs to the scope around."""
        inner = Scope(node, scope)
        inside = list(body)
        self.declare(ast.Module(inside, []), inner)  # type: ignore[arg-type]
        mine = set(inside)
        outside = [each for each in ast.iter_child_nodes(node) if each not in mine]
        self.visit_all(node, outside, scope)
        self.visit_all(node, inside, inner)
        return inner

    def enter_function(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, scope: Scope
    ) -> None:
        body: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else list(node.body)
        inner = self.enter(node, scope, body)
        for parameter in parameters(node):
            self.bind(inner, parameter.arg, Binding(parameter, "parameter"))

    def enter_comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp, scope: Scope
    ) -> None:
        """Only what the first `for` iterates is evaluated outside."""
        inner = Scope(node, scope)
        self.visit_all(node, ast.iter_child_nodes(node), inner)
        first = node.generators[0].iter
        self.visit_all(node.generators[0], [first], scope)

    def note(self, node: ast.AST, scope: Scope) -> None:
        """What one node binds in its scope."""
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self.bind_target(scope, target, node, "value", value)
            case ast.AnnAssign(target=target, value=value) if value is not None:
                self.bind_target(scope, target, node, "value", value)
            case ast.AugAssign(target=target, value=value):
                self.bind_target(scope, target, node, "augmented", value)
            case ast.For() | ast.AsyncFor() | ast.comprehension():
                self.bind_target(scope, node.target, node, "element", node.iter)
            case ast.withitem(optional_vars=target) if target is not None:
                self.bind_target(scope, target, node, "other", None)
            case ast.NamedExpr(target=target, value=value):
                outer = scope
                while outer.is_comprehension and outer.parent is not None:
                    outer = outer.parent
                self.bind_target(outer, target, node, "value", value)
            case _:
                self.note_name(node, scope)

    def note_name(self, node: ast.AST, scope: Scope) -> None:
        """What binds a bare name: a definition, an import, a pattern, an except, a del."""
        # Only from Python 3.12 on.
        for parameter in getattr(node, "type_params", ()):
            self.bind(scope, parameter.name, Binding(parameter, "other"))
        match node:
            case ast.Import() | ast.ImportFrom():
                for alias in node.names:
                    name = alias.asname or alias.name.partition(".")[0]
                    self.bind(scope, name, Binding(node, "other"))
            case ast.ExceptHandler(name=str(name)):
                self.bind(scope, name, Binding(node, "other"))
                scope.home(name).lost.add(name)
            case ast.Name(id=name, ctx=ast.Del()):
                self.bind(scope, name, Binding(node, "other"))
                scope.home(name).lost.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                self.bind(scope, name, Binding(node, "other"))
            case ast.ClassDef(name=name) | ast.MatchAs(name=str(name)):
                self.bind(scope, name, Binding(node, "other"))
            case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                self.bind(scope, name, Binding(node, "other"))
            case _:
                pass

    def bind_target(
        self, scope: Scope, target: ast.expr, node: ast.AST, how: str, value: ast.expr | None
    ) -> None:
        if isinstance(target, ast.Name):
            self.bind(scope, target.id, Binding(node, how, value))
        else:
            for name in names_in(target):
                self.bind(scope, name, Binding(node, "other"))


def binds(function: ast.AST, name: str) -> bool:
    """Whether a function may bind a name, in itself or in a function within: roughly."""
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load):
            return True
        if isinstance(node, ast.arg) and node.arg == name:
            return True
        if getattr(node, "name", None) == name:
            return True
    return False
