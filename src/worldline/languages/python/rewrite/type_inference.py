"""Static type inference for expressions."""

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from worldline.languages.python.rewrite.builtin_types import (
    BUILTIN_TYPES,
    CHARACTER,
    DELEGATING_FUNCTIONS,
    DELEGATING_METHODS,
    EXPRESSION_TYPES,
    FUNCTION_RESULTS,
    METHOD_RESULTS,
    OTHER,
    SCALAR_TYPES,
    STRINGS,
    binary_result,
    exact_type,
    item_result,
    subscript_result,
)
from worldline.languages.python.rewrite.scopes import Binding, Scope, Scopes, binding_scope

# The types that a value may have; None: any type.
Types = frozenset[str] | None
# A name, and the scope that binds it.
Variable = tuple[Scope, str]


@dataclass(frozen=True, slots=True)
class Assumptions:
    """Assumptions of the inference about a program.

    Attributes:
        has_dynamic_builtins: a name that the program does not bind may be something else than the
            built-in.
        has_dynamic_globals: its globals may be set by something else than its own statements.
        has_string_subclasses: `str(x)`, `"%s" % x` and the like may return an instance of a
            subclass.
        has_reflected_addition: `x += y` may turn a list into something else, by `__radd__`.
    """

    has_dynamic_builtins: bool
    has_dynamic_globals: bool
    has_string_subclasses: bool
    has_reflected_addition: bool


@dataclass(slots=True)
class TypeInference:
    """Types of the variables and expressions of a program.

    Attributes:
        scopes: the scopes of the program.
        assumptions: assumptions about the program.
        parameters: types of parameters that are known from elsewhere, for example from the calls.
    """

    scopes: Scopes
    assumptions: Assumptions
    parameters: Mapping[Variable, str] = field(default_factory=dict)
    _solved: dict[Variable, Types] = field(default_factory=dict)

    def types(self, node: ast.expr) -> Types:
        """Types that the value of an expression of the program may have.

        "'ab'[0]" -> {CHARACTER}; "[1] if x else None" -> {"list", "NoneType"}
        """
        return _ExpressionTypes(self.assumptions, self._name_meaning).types(node)

    def type_of(self, node: ast.expr) -> str | None:
        """The single type that the value of an expression certainly has, if it is known."""
        return _single_type(self.types(node))

    def is_string(self, node: ast.expr) -> bool:
        """Whether an expression is certainly a string, and not of a subclass of `str`."""
        types = self.types(node) or frozenset()
        return bool(types) and types <= STRINGS

    def is_character(self, node: ast.expr) -> bool:
        """Whether an expression is certainly a string of length one."""
        return self.types(node) == frozenset({CHARACTER})

    def is_not_string(self, node: ast.expr) -> bool:
        """Whether an expression is certainly not a string."""
        types = self.types(node) or frozenset()
        return bool(types) and not types & STRINGS

    def name_types(self, scope: Scope, name: str) -> Types:
        """Types of the value of a name in a scope."""
        home = binding_scope(scope, name)
        if name in home.bindings:
            return self._variable_types((home, name))
        is_known = name in FUNCTION_RESULTS and self.is_builtin(scope, name)
        return frozenset({OTHER}) if is_known else None

    def is_builtin(self, scope: Scope, name: str) -> bool:
        """Whether a name certainly refers to the built-in."""
        return (
            not self.assumptions.has_dynamic_builtins
            and name not in binding_scope(scope, name).bindings
        )

    def _name_meaning(self, name: ast.Name) -> "_NameMeaning":
        scope = self.scopes.scope_of[name]
        return _NameMeaning(self.name_types(scope, name.id), self.is_builtin(scope, name.id))

    def _variable_types(self, variable: Variable) -> Types:
        """Find the smallest sets of types that agree with all bindings of a variable.

        The variables that it depends on are solved together with it, by iterating to a fixed point:
        in a loop a variable may depend on itself.
        """
        if variable in self._solved:
            return self._solved[variable]
        group = self._dependencies(variable)
        self._solved.update(dict.fromkeys(group, frozenset()))
        is_changed = True
        while is_changed:
            is_changed = False
            for each in group:
                types = _union([self._solved[each], self._bound_types(each)])
                if types != self._solved[each]:
                    self._solved[each] = types
                    is_changed = True
        return self._solved[variable]

    def _dependencies(self, variable: Variable) -> list[Variable]:
        """A variable and all unsolved variables that its values depend on."""
        dependencies = {variable: None}
        pending = [variable]
        while pending:
            scope, name = pending.pop()
            expressions = [each.expression for each in scope.bindings[name] if each.expression]
            nodes = [node for each in expressions for node in ast.walk(each)]
            for node in nodes:
                if not isinstance(node, ast.Name):
                    continue
                dependency = (binding_scope(self.scopes.scope_of[node], node.id), node.id)
                is_new = dependency not in dependencies and dependency not in self._solved
                if is_new and node.id in dependency[0].bindings:
                    dependencies[dependency] = None
                    pending.append(dependency)
        return list(dependencies)

    def _bound_types(self, variable: Variable) -> Types:
        home, name = variable
        bindings = home.bindings[name]
        if all(each.kind == "module" for each in bindings):
            return frozenset({"module"})
        # Class variables can be set from anywhere.
        if home.is_class or (home.parent is None and self.assumptions.has_dynamic_globals):
            return None
        return _union(self._binding_types(variable, each) for each in bindings)

    def _binding_types(self, variable: Variable, binding: Binding) -> Types:
        """Types that one binding gives a variable."""
        if binding.kind == "parameter":
            known = self.parameters.get(variable)
            return None if known is None else frozenset({known})
        if binding.kind == "module":
            return frozenset({"module"})
        if binding.expression is None:
            return None
        evaluation = _ExpressionTypes(self.assumptions, self._name_meaning)
        if binding.kind == "item":
            return evaluation.item_types(binding.expression, binding.position)
        if binding.kind == "augmented" and binding.operator is not None:
            old, added = self._solved[variable], evaluation.types(binding.expression)
            return evaluation.augmented_types(old, binding.operator, added)
        return evaluation.types(binding.expression) if binding.kind == "value" else None


@dataclass(slots=True)
class LocalTypes:
    """Types of expressions in one scope while it is rewritten.

    Attributes:
        inference: the types of the program.
        scope: the scope of the expressions that the rewrite creates.
        temporaries: types of the variables that the rewrite creates; None if the type is not known.
    """

    inference: TypeInference
    scope: Scope
    temporaries: dict[str, str | None] = field(default_factory=dict)

    def type_of(self, node: ast.expr) -> str | None:
        """The single type that an expression's value certainly has, if it is known.

        "'a'.upper()" -> "str"; "x" -> None, where x is a parameter
        """
        return _single_type(self._expression_types().types(node))

    def item_type(self, source: ast.expr, position: int | None) -> str | None:
        """Type of the items of `source`; `position`: of this element of each item."""
        return _single_type(self._expression_types().item_types(source, position))

    def has_method(self, node: ast.expr, method: str) -> bool:
        """Whether an expression's value certainly has a method, and always the same one."""
        name = self.type_of(node)
        return name in BUILTIN_TYPES and hasattr(BUILTIN_TYPES[name], method)

    def _expression_types(self) -> "_ExpressionTypes":
        return _ExpressionTypes(self.inference.assumptions, self._name_meaning)

    def _name_meaning(self, name: ast.Name) -> "_NameMeaning":
        if name.id in self.temporaries:
            known = self.temporaries[name.id]
            return _NameMeaning(None if known is None else frozenset({known}), is_builtin=False)
        scope = self.inference.scopes.scope_of.get(name, self.scope)
        return _NameMeaning(
            self.inference.name_types(scope, name.id), self.inference.is_builtin(scope, name.id)
        )


@dataclass(frozen=True, slots=True)
class _NameMeaning:
    """Types of a name's value, and whether the name refers to a built-in."""

    types: Types
    is_builtin: bool


@dataclass(frozen=True, slots=True)
class _ExpressionTypes:
    """Types of expressions, given the meanings of names."""

    assumptions: Assumptions
    meaning: Callable[[ast.Name], _NameMeaning]

    def types(self, node: ast.expr) -> Types:
        match node:
            case ast.Constant(value=str(value)):
                return frozenset({CHARACTER if len(value) == 1 else "str"})
            case ast.Constant(value=value):
                return frozenset({type(value).__name__})
            case ast.Name():
                return self.meaning(node).types
            case ast.NamedExpr(value=value):
                return self.types(value)
            case ast.JoinedStr():
                return self._fstring_types(node)
            case ast.UnaryOp(op=ast.Not()):
                return frozenset({"bool"})
            case ast.UnaryOp(operand=operand):
                return _map_types(self.types(operand), _signed_type)
            case ast.IfExp(body=body, orelse=orelse):
                return _union([self.types(body), self.types(orelse)])
            case ast.BoolOp(values=values):
                return _union(map(self.types, values))
            case ast.BinOp(left=left, op=op, right=right):
                return self._binary_types(self.types(left), op, self.types(right))
            case ast.Compare():
                return self._comparison_types(node)
            case ast.Subscript(value=value, slice=index):
                return _map_types(self.types(value), lambda each: subscript_result(each, index))
            case ast.Call():
                return self._call_types(node)
        known = EXPRESSION_TYPES.get(type(node))
        return None if known is None else frozenset({known})

    def item_types(self, source: ast.expr, position: int | None) -> Types:
        """Types of the items of `source`; `position`: of this element of each item."""
        types = self.types(source)
        if types == frozenset({"enumerate"}) and isinstance(source, ast.Call) and source.args:
            if position == 0:
                return frozenset({"int"})
            return self.item_types(source.args[0], None) if position == 1 else None
        return _map_types(types, item_result) if position is None else None

    def augmented_types(self, old: Types, op: ast.operator, value: Types) -> Types:
        """Types of a variable after `x += value`."""
        if old is None:
            return None
        return _union(self._augmented_type(each, op, value) for each in old)

    def _augmented_type(self, old: str, op: ast.operator, value: Types) -> Types:
        is_extended = old == "list" and isinstance(op, ast.Add)
        if is_extended and not self.assumptions.has_reflected_addition:
            return frozenset({old})
        known = self._operation_types(old, op, value)
        # An augmented assignment does not turn a value that is not a string into one.
        return frozenset({OTHER}) if known is None and old not in STRINGS else known

    def _binary_types(self, left: Types, op: ast.operator, right: Types) -> Types:
        return (
            None
            if left is None
            else _union(self._operation_types(each, op, right) for each in left)
        )

    def _operation_types(self, left: str, op: ast.operator, right: Types) -> Types:
        if left in STRINGS and isinstance(op, ast.Mod):
            return self._string_types([right], allowed=SCALAR_TYPES)
        return _map_types(right, lambda each: binary_result(left, op, each))

    def _string_types(
        self, values: Iterable[Types], *, allowed: frozenset[str] | None = None
    ) -> Types:
        """Type of a string that the values' methods produce.

        With `allowed`, the values must have these types.
        """
        if not self.assumptions.has_string_subclasses:
            return frozenset({"str"})
        for types in values:
            if types is None or (allowed is not None and not types <= allowed):
                return None
        return frozenset({"str"})

    def _fstring_types(self, node: ast.JoinedStr) -> Types:
        # A single value stays what its `__format__` returned.
        if len(node.values) != 1:
            return frozenset({"str"})
        part = node.values[0]
        value = part.value if isinstance(part, ast.FormattedValue) else part
        return self._string_types([self.types(value)])

    def _comparison_types(self, node: ast.Compare) -> Types:
        plain = ast.Is | ast.IsNot | ast.In | ast.NotIn
        if all(isinstance(op, plain) for op in node.ops):
            return frozenset({"bool"})
        for part in [node.left, *node.comparators]:
            types = self.types(part)
            if types is None or not set(map(exact_type, types)) <= BUILTIN_TYPES.keys():
                return None
        return frozenset({"bool"})

    def _call_types(self, node: ast.Call) -> Types:
        match node.func:
            case ast.Name(id=name) if (
                name in FUNCTION_RESULTS and self.meaning(node.func).is_builtin
            ):
                if name in DELEGATING_FUNCTIONS:
                    return self._string_types(self._argument_types(node))
                return frozenset({FUNCTION_RESULTS[name]})
            case ast.Attribute(value=value, attr=method):
                types = self.types(value)
                if types is not None:
                    return _union(self._method_types(each, method, node) for each in types)
        return None

    def _method_types(self, base: str, method: str, call: ast.Call) -> Types:
        if base in STRINGS and method in DELEGATING_METHODS:
            return self._string_types(self._argument_types(call), allowed=SCALAR_TYPES)
        known = METHOD_RESULTS.get(exact_type(base), {}).get(method)
        return None if known is None else frozenset({known})

    def _argument_types(self, node: ast.Call) -> list[Types]:
        # Keyword arguments, including those that `**` unpacks, may have any type.
        return [*map(self.types, node.args), *(None for _ in node.keywords)]


def _single_type(types: Types) -> str | None:
    """The only exact type of a set; None if there are several, or it is not known."""
    names = {exact_type(each) for each in types or ()}
    name = names.pop() if len(names) == 1 else None
    return None if name == OTHER else name


def _signed_type(operand: str) -> str | None:
    return operand if operand in ("int", "float") else None


def _union(types: Iterable[Types]) -> Types:
    """All types of several values; any, if one may have any type."""
    union: set[str] = set()
    for each in types:
        if each is None:
            return None
        union |= each
    return frozenset(union)


def _map_types(types: Types, result: Callable[[str], str | None]) -> Types:
    """Results for all types; any, if one of them is not known."""
    if types is None:
        return None
    return _union(None if name is None else frozenset({name}) for name in map(result, types))
