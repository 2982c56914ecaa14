"""Decision which comprehensions can become loops, and the reasons for the others."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from worldline.core.trace import words
from worldline.languages.python.rewrite.definite_assignment import target_names
from worldline.languages.python.rewrite.expressions.stable_names import ScopeNames
from worldline.languages.python.rewrite.scopes import Comprehension, Scope, binding_scope
from worldline.languages.python.rewrite.type_inference import LocalTypes

# Built-in functions that exhaust or drop a generator before they return.
_EAGER_CONSUMERS = words("all any dict frozenset list max min set sorted sum tuple")
# Names with a different meaning outside a comprehension than inside it.
_SCOPE_SENSITIVE = words("super __class__ locals vars dir eval exec")
_INTEGER_TYPES = ("int", "bool")


@dataclass(slots=True)
class ComprehensionPlans:
    """Comprehensions of a function that become loops.

    Attributes:
        names: the names at the current statement.
        types: types of expressions in the function.
        visible_names: names that have a meaning in the function.
    """

    names: ScopeNames
    types: LocalTypes
    visible_names: frozenset[str]
    _reasons: dict[Comprehension, str] = field(default_factory=dict)
    _consumers: dict[ast.Call, str] = field(default_factory=dict)

    def reason_kept(self, node: Comprehension) -> str:
        """The reason why a comprehension cannot become a loop; empty if it can."""
        if node not in self._reasons:
            self._reasons[node] = self._find_reason(node)
        return self._reasons[node]

    def _find_reason(self, node: Comprehension) -> str:
        parts = list(ast.walk(node))
        if any(isinstance(part, ast.Await) for part in parts) or any(
            part.is_async for part in node.generators
        ):
            return "it is asynchronous"
        if any(isinstance(part, ast.NamedExpr) for part in parts):
            return "it binds a name with :="
        if any(isinstance(part, ast.Name) and part.id in _SCOPE_SENSITIVE for part in parts):
            return "it uses a name that depends on its scope, like locals or super"
        if not all(map(_has_only_names, (part.target for part in node.generators))):
            return "its variable is an attribute or an item"
        if _reads_variable_early(node):
            return "its variable is used before it has a value"
        if isinstance(node, ast.SetComp) and not self.names.is_builtin("set"):
            return "the name set has another meaning"
        scope = self._scope(node)
        own_variables = loop_variables(node)
        if scope is None:
            return "it is inside a comprehension whose variables were renamed"
        if not all(self._has_value(scope, name) for name in scope.free_names()):
            # Reading an unbound variable raises a different error inside a comprehension.
            return "a variable in it may have no value yet"
        inner = [each for each in scope.nested() if each is not scope]
        if any(own_variables & each.bindings.keys() for each in inner):
            return "a nested scope binds a variable of the same name"
        if any(
            own_variables & each.free_names()
            for each in inner
            if not self._is_evaluated_immediately(each, parts)
        ):
            return "a function or generator in it captures its variable"
        return ""

    def _has_value(self, scope: Scope, name: str) -> bool:
        return binding_scope(scope, name) is not self.names.scope or name in self.names.bound

    def _scope(self, node: Comprehension) -> Scope | None:
        return self.names.facts.scopes.created_by.get(node)

    def _is_evaluated_immediately(self, scope: Scope, nodes: list[ast.AST]) -> bool:
        """Whether a scope is fully evaluated together with its expression."""
        if isinstance(scope.node, ast.ListComp | ast.SetComp | ast.DictComp):
            return True
        return any(
            isinstance(call, ast.Call) and call.args[:1] == [scope.node] and self._is_eager(call)
            for call in nodes
        )

    def _is_eager(self, call: ast.Call) -> bool:
        match call.func:
            case ast.Name(id=name):
                return name in _EAGER_CONSUMERS and self.names.is_builtin(name)
            case ast.Attribute(value=value, attr="join"):
                return self.types.type_of(value) == "str"
        return False

    def consumer(self, call: ast.Call) -> str:
        """The function that consumes a generator expression and cannot observe a loop instead.

        - `any`, `all`: the loop stops at the same item, whose truth was tested once.
        - `list`, `tuple`, `join`, `sorted`: they first build a list, and do nothing in between.
        - `set`: the loop adds each item when it is created, as `set` does.
        - `sum` of integers: they are added as they come, and adding them cannot fail.
          (Not of others: floats are summed with corrections from Python 3.12 on.)
        - `min`, `max` of numbers or strings: comparing them cannot fail, so a list is equivalent.
        Inside a generator, StopIteration is a different error than outside it.

        Returns:
            The name of the function; empty if a loop could be observed.
        """
        if len(call.args) != 1 or not isinstance(call.args[0], ast.GeneratorExp):
            return ""
        if call not in self._consumers:
            self._consumers[call] = self._consumer(call, call.args[0])
        return self._consumers[call]

    def _consumer(self, call: ast.Call, source: ast.GeneratorExp) -> str:
        if (
            self.names.facts.may_raise_stop_iteration
            or not self._is_eager(call)
            or self.reason_kept(source)
        ):
            return ""
        name = call.func.id if isinstance(call.func, ast.Name) else "join"
        if name == "sorted":
            return (
                name if all(self._is_stable_argument(each.value) for each in call.keywords) else ""
            )
        if call.keywords:
            return ""
        item_type = self._item_type(source)
        is_supported = {
            "sum": item_type in _INTEGER_TYPES,
            "min": item_type in (*_INTEGER_TYPES, "str"),
            "max": item_type in (*_INTEGER_TYPES, "str"),
            "dict": False,
            "frozenset": False,
        }
        return name if is_supported.get(name, True) else ""

    def _is_stable_argument(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Lambda):
            return not node.args.defaults and not any(node.args.kw_defaults)
        is_name = isinstance(node, ast.Name) and self.names.is_stable(node.id)
        return is_name or isinstance(node, ast.Constant)

    def _item_type(self, source: ast.GeneratorExp) -> str | None:
        """Type of a generator expression's items.

        It is inferred from the types of its variables and of those of the enclosing comprehensions.
        """
        enclosing: list[Comprehension] = []
        scope = self._scope(source)
        while scope is not None and isinstance(scope.node, Comprehension):
            enclosing.insert(0, scope.node)
            scope = scope.parent
        saved = dict(self.types.temporaries)
        for node in [*enclosing[:-1], source]:
            add_variable_types(self.types, node)
        item_type = self.types.type_of(source.elt)
        self.types.temporaries = saved
        return item_type


def add_variable_types(types: LocalTypes, node: Comprehension) -> None:
    """Record the types of a comprehension's variables."""
    for generator in node.generators:
        if isinstance(generator.target, ast.Name):
            types.temporaries[generator.target.id] = types.item_type(generator.iter, None)
        elif isinstance(generator.target, ast.Tuple | ast.List):
            has_star = any(isinstance(element, ast.Starred) for element in generator.target.elts)
            for position, element in enumerate(generator.target.elts):
                for name in target_names(element):
                    is_plain = isinstance(element, ast.Name) and not has_star
                    types.temporaries[name] = (
                        types.item_type(generator.iter, position) if is_plain else None
                    )


def loop_variables(node: Comprehension) -> frozenset[str]:
    """Variables of a comprehension."""
    return frozenset().union(*(target_names(generator.target) for generator in node.generators))


def _reads_variable_early(node: Comprehension) -> bool:
    """Whether a variable is read before its `for`, as y in `[… for x in a if y for y in b]`."""
    later: set[str] = set()
    for index, generator in reversed(list(enumerate(node.generators))):
        tests: list[ast.expr] = [*generator.ifs]
        if any(_reads(test) & later for test in tests):
            return True
        later |= target_names(generator.target)
        if index and _reads(generator.iter) & later:
            return True
    return False


def _reads(node: ast.expr) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _has_only_names(target: ast.expr) -> bool:
    if isinstance(target, ast.Tuple | ast.List):
        return all(map(_has_only_names, target.elts))
    return isinstance(target, ast.Name) or (
        isinstance(target, ast.Starred) and _has_only_names(target.value)
    )


def kept_comprehensions(plans: ComprehensionPlans, node: ast.AST) -> Iterator[Comprehension]:
    """Yield the outermost comprehensions of a statement that stay as they are."""
    if isinstance(node, ast.Lambda):
        return
    if isinstance(node, ast.Call) and plans.consumer(node):
        source = node.args[0]
        pending: list[ast.AST] = [*ast.iter_child_nodes(source), *node.keywords]
    elif isinstance(node, ast.GeneratorExp) or (
        isinstance(node, Comprehension) and plans.reason_kept(node)
    ):
        yield node
        return
    else:
        pending = list(ast.iter_child_nodes(node))
    for child in pending:
        if not isinstance(child, ast.stmt):
            yield from kept_comprehensions(plans, child)
