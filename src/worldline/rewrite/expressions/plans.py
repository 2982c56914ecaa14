"""A comprehension goes in; whether it can be a loop, and under which variables, comes out."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from worldline.rewrite.bound import target_names
from worldline.rewrite.expressions.facts import words
from worldline.rewrite.expressions.kinds import Kinds
from worldline.rewrite.expressions.names import Names
from worldline.rewrite.scopes import Comprehension, Scope, owner

# Built-in functions that are done with a generator when they return.
_EAGER = words("all any dict frozenset list max min set sorted sum tuple")
# Outside a comprehension these mean something else than inside it.
_TIED = words("super __class__ locals vars dir eval exec")
_NUMBERS = ("int", "bool")


@dataclass(slots=True)
class Plans:
    """Which comprehensions of a function become loops; `names` is for the statement in hand."""

    names: Names
    kinds: Kinds
    seen: frozenset[str]
    _why: dict[Comprehension, str] = field(default_factory=dict)
    _consumers: dict[ast.Call, str] = field(default_factory=dict)

    def why_not(self, node: Comprehension) -> str:
        """Why a comprehension cannot be a loop; nothing where it can."""
        if node not in self._why:
            self._why[node] = self._judge(node)
        return self._why[node]

    def _judge(self, node: Comprehension) -> str:
        parts = list(ast.walk(node))
        if any(isinstance(part, ast.Await) for part in parts) or any(
            part.is_async for part in node.generators
        ):
            return "it waits for other code"
        if any(isinstance(part, ast.NamedExpr) for part in parts):
            return "it binds a name with :="
        if any(isinstance(part, ast.Name) and part.id in _TIED for part in parts):
            return "it has a function that looks at its own scope"
        if not all(map(_is_simple, (part.target for part in node.generators))):
            return "its variable is a part of something"
        if _is_early(node):
            return "its variable is used before it has a value"
        if isinstance(node, ast.SetComp) and not self.names.is_builtin("set"):
            return "the name set has another meaning"
        scope = self._scope(node)
        own = variables(node)
        if scope is None:
            return "it is inside another that was given other names"
        if not all(self._has_value(scope, name) for name in scope.wanted()):
            # Without a value it is another error inside a comprehension than outside.
            return "a variable in it may have no value yet"
        inner = [each for each in scope.within() if each is not scope]
        if any(own & each.bindings.keys() for each in inner):
            return "its variable has the name of another inside it"
        if any(own & each.wanted() for each in inner if not self._is_done_at_once(each, parts)):
            return "something in it keeps its variable"
        return ""

    def _has_value(self, scope: Scope, name: str) -> bool:
        return owner(scope, name) is not self.names.scope or name in self.names.bound

    def _scope(self, node: Comprehension) -> Scope | None:
        return self.names.facts.scopes.get(node)

    def _is_done_at_once(self, scope: Scope, around: list[ast.AST]) -> bool:
        """Whether what a scope does is done when its expression is."""
        if isinstance(scope.node, ast.ListComp | ast.SetComp | ast.DictComp):
            return True
        return any(
            isinstance(call, ast.Call) and call.args[:1] == [scope.node] and self._is_eager(call)
            for call in around
        )

    def _is_eager(self, call: ast.Call) -> bool:
        match call.func:
            case ast.Name(id=name):
                return name in _EAGER and self.names.is_builtin(name)
            case ast.Attribute(value=value, attr="join"):
                return self.kinds.of(value) == "str"
        return False

    def consumer(self, call: ast.Call) -> str:
        """The function that uses up a generator expression and cannot notice a loop in its place;
        nothing where it could.

        - `any`, `all`: the loop stops at the same item, which was asked for its truth once.
        - `list`, `tuple`, `join`, `sorted`: they first make a list, and do nothing in between.
        - `set`: the loop puts each item in when it is made, as `set` does.
        - `sum` of whole numbers: they are added up as they come, and adding them cannot fail.
          (Not of others: floats are summed with corrections from Python 3.12 on.)
        - `min`, `max` of numbers or strings: comparing them cannot fail, so a list is the same.
        Inside a generator StopIteration is another error than outside it.
        """
        if len(call.args) != 1 or not isinstance(call.args[0], ast.GeneratorExp):
            return ""
        if call not in self._consumers:
            self._consumers[call] = self._consumer(call, call.args[0])
        return self._consumers[call]

    def _consumer(self, call: ast.Call, source: ast.GeneratorExp) -> str:
        if self.names.facts.may_stop or not self._is_eager(call) or self.why_not(source):
            return ""
        name = call.func.id if isinstance(call.func, ast.Name) else "join"
        if name == "sorted":
            return name if all(self._is_same_later(each.value) for each in call.keywords) else ""
        if call.keywords:
            return ""
        kind = self._kind(source)
        fits = {
            "sum": kind in _NUMBERS,
            "min": kind in (*_NUMBERS, "str"),
            "max": kind in (*_NUMBERS, "str"),
            "dict": False,
            "frozenset": False,
        }
        return name if fits.get(name, True) else ""

    def _is_same_later(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Lambda):
            return not node.args.defaults and not any(node.args.kw_defaults)
        is_name = isinstance(node, ast.Name) and self.names.is_steady(node.id)
        return is_name or isinstance(node, ast.Constant)

    def _kind(self, source: ast.GeneratorExp) -> str | None:
        """The type of its items, as far as that of its variables, and of those around it, says."""
        around: list[Comprehension] = []
        scope = self._scope(source)
        while scope is not None and isinstance(scope.node, Comprehension):
            around.insert(0, scope.node)
            scope = scope.parent
        before = dict(self.kinds.added)
        for node in [*around[:-1], source]:
            with_items(self.kinds, node)
        kind = self.kinds.of(source.elt)
        self.kinds.added = before
        return kind


def with_items(kinds: Kinds, node: Comprehension) -> None:
    """Note the types of a comprehension's variables."""
    for part in node.generators:
        if isinstance(part.target, ast.Name):
            kinds.added[part.target.id] = kinds.item(part.iter, None)
        elif isinstance(part.target, ast.Tuple | ast.List):
            for place, each in enumerate(part.target.elts):
                for name in target_names(each):
                    is_own = isinstance(each, ast.Name)
                    kinds.added[name] = kinds.item(part.iter, place) if is_own else None


def variables(node: Comprehension) -> frozenset[str]:
    """The variables of a comprehension."""
    return frozenset().union(*(target_names(part.target) for part in node.generators))


def _is_early(node: Comprehension) -> bool:
    """Whether a variable is used before its `for`, as y is in `[… for x in a if y for y in b]`."""
    later: set[str] = set()
    for index, part in reversed(list(enumerate(node.generators))):
        tests: list[ast.expr] = [*part.ifs]
        if any(_reads(test) & later for test in tests):
            return True
        later |= target_names(part.target)
        if index and _reads(part.iter) & later:
            return True
    return False


def _reads(node: ast.expr) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _is_simple(target: ast.expr) -> bool:
    if isinstance(target, ast.Tuple | ast.List):
        return all(map(_is_simple, target.elts))
    return isinstance(target, ast.Name) or (
        isinstance(target, ast.Starred) and _is_simple(target.value)
    )


def unlooped(plans: Plans, node: ast.AST) -> Iterator[Comprehension]:
    """The outermost comprehensions of a statement that stay as they are."""
    if isinstance(node, ast.Lambda):
        return
    if isinstance(node, ast.Call) and plans.consumer(node):
        inner = node.args[0]
        waiting: list[ast.AST] = [*ast.iter_child_nodes(inner), *node.keywords]
    elif isinstance(node, ast.GeneratorExp) or (
        isinstance(node, Comprehension) and plans.why_not(node)
    ):
        yield node
        return
    else:
        waiting = list(ast.iter_child_nodes(node))
    for child in waiting:
        if not isinstance(child, ast.stmt):
            yield from unlooped(plans, child)
