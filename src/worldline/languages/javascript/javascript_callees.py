"""Functions that a call in JavaScript may call (an over-approximation).

A function whose name is bound once and only called is called by that name alone. All others may be
called by what has the same name, by unknown code, and, as callbacks, by the methods of the library
that they are given to.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from worldline.core.trace import words
from worldline.languages.control_flow.syntax_tree import node_text, parts, walk
from worldline.languages.javascript.javascript_functions import (
    CLASSES,
    FIELDS,
    FUNCTIONS,
    JavaScriptFunction,
    unwrap,
)

if TYPE_CHECKING:
    from worldline.languages.control_flow.syntax_tree import Node

_DECLARATIONS = frozenset(["function_declaration", "generator_function_declaration"])
_IDENTIFIERS = frozenset(
    ["identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern"]
)
# Methods that JavaScript itself calls.
_IMPLICIT = words("toString valueOf toJSON next return throw then")
# Methods of the library; a call of one calls no function but its arguments.
LIBRARY_METHODS = words(
    "push pop shift unshift slice splice concat join reverse indexOf lastIndexOf includes fill "
    "keys values entries at flat copyWithin length charAt charCodeAt codePointAt startsWith "
    "endsWith padStart padEnd repeat split substring substr toLowerCase toUpperCase trim "
    "trimStart trimEnd normalize match matchAll search localeCompare replace replaceAll map "
    "filter forEach reduce reduceRight some every find findIndex findLast findLastIndex flatMap "
    "sort toSorted toReversed get set has delete clear add size isArray from of assign freeze "
    "isFrozen fromEntries getOwnPropertyNames hasOwnProperty defineProperty create "
    "getPrototypeOf stringify parse abs max min floor ceil round trunc sqrt pow sign random log "
    "log2 log10 exp hypot cbrt isInteger isSafeInteger isFinite isNaN parseInt parseFloat "
    "toFixed toPrecision fromCharCode fromCodePoint test exec error warn info raw is "
    "isWellFormed groupBy with toSpliced"
)
LIBRARY_FUNCTIONS = words(
    "parseInt parseFloat isNaN isFinite String Number Boolean Array Object BigInt Symbol Date "
    "RegExp Error TypeError RangeError Map Set WeakMap WeakSet encodeURIComponent "
    "decodeURIComponent structuredClone Uint8Array Int32Array Float64Array Promise SyntaxError "
    "ReferenceError EvalError"
)
# Words of programs in which an operator may raise, or call a function.
_OPERATOR_HOOKS = ("BigInt", "Symbol", "valueOf", "toString", "Proxy", "create", "import", "eval")


@dataclass(frozen=True)
class CalleeIndex:
    """The functions of a program, by what may call them."""

    root: "Node"
    functions: Sequence[JavaScriptFunction]

    @cached_property
    def by_node(self) -> dict[int, int]:
        """The index of a function by the id of its node; 0 is the module."""
        return {each.node.id: number for number, each in enumerate(self.functions, 1)}

    @cached_property
    def by_name(self) -> dict[str, frozenset[int]]:
        """The functions by the last part of their names."""
        result: dict[str, set[int]] = {}
        for number, each in enumerate(self.functions, 1):
            result.setdefault(each.name.rpartition(".")[2], set()).add(number)
        return {name: frozenset(numbers) for name, numbers in result.items()}

    @cached_property
    def generators(self) -> frozenset[int]:
        """The generators."""
        return frozenset(n for n, each in enumerate(self.functions, 1) if each.is_generator)

    @cached_property
    def implicit(self) -> frozenset[int]:
        """Functions that may be called where no call is written."""
        numbers = set(self.generators)
        for number, each in enumerate(self.functions, 1):
            accessors = {child.type for child in each.node.children} & {"get", "set"}
            name = each.name.rpartition(".")[2]
            is_method = each.node.type == "method_definition"
            if accessors or name in _IMPLICIT or (is_method and name == "(anonymous)"):
                numbers.add(number)
        for each in self.functions:
            parameters = each.node.child_by_field_name("parameters")
            if parameters is not None and any(
                n.type == "call_expression" for n in walk(parameters)
            ):
                # Defaults of parameters are evaluated before the call step.
                return frozenset(range(1, len(self.functions) + 1))
        return frozenset(numbers)

    @cached_property
    def has_safe_operators(self) -> bool:
        """Whether no operator of the program may raise or call."""
        text = node_text(self.root)
        is_big = any(
            node.type == "number" and node_text(node).endswith("n") for node in walk(self.root)
        )
        return not is_big and not any(word in text for word in _OPERATOR_HOOKS)

    @cached_property
    def bound_functions(self) -> dict[str, int]:
        """Names that are bound once in the program, to a function."""
        result: dict[str, int] = {}
        bindings: Counter[str] = Counter()
        for node in walk(self.root):
            if node.type in _DECLARATIONS:
                name = node_text(node.child_by_field_name("name"))
                result[name] = self.by_node.get(node.id, 0)
            elif node.type == "variable_declarator":
                value = node.child_by_field_name("value")
                target = node.child_by_field_name("name")
                if value is not None and target is not None and target.type == "identifier":
                    function = self.by_node.get(unwrap(value).id)
                    if function:
                        result[node_text(target)] = function
            if node.type in _IDENTIFIERS and _is_binding(node):
                bindings[node_text(node)] += 1
        return {name: number for name, number in result.items() if bindings[name] == 1 and number}

    @cached_property
    def called_only(self) -> frozenset[str]:
        """Names of bound functions that are used only to call them."""
        used = {
            node_text(node)
            for node in walk(self.root)
            if node.type in _IDENTIFIERS and not _is_binding(node) and not _is_called(node)
        }
        has_silent_raise = any(
            node.type == "try_statement"
            and node.child_by_field_name("handler") is not None
            and node.child_by_field_name("finalizer") is not None
            for node in walk(self.root)
        )
        return frozenset() if has_silent_raise else frozenset(self.bound_functions) - used

    @cached_property
    def values(self) -> frozenset[int]:
        """Functions that are used as values, so that unknown code may call them."""
        result = set()
        for number, each in enumerate(self.functions, 1):
            names = [name for name, bound in self.bound_functions.items() if bound == number]
            is_known = any(name in self.called_only for name in names)
            if not is_known and not self._is_library_callback(each.node):
                result.add(number)
        return frozenset(result)

    def _is_library_callback(self, node: "Node") -> bool:
        """Whether a function is only an argument of a method of the library."""
        parent = node.parent
        while parent is not None and parent.type == "parenthesized_expression":
            parent = parent.parent
        if parent is None or parent.type != "arguments" or parent.parent is None:
            return False
        method = _method_name(parent.parent)
        return method in LIBRARY_METHODS and method not in self.by_name and method not in _KEEPS

    @cached_property
    def constructors(self) -> frozenset[int]:
        """What `new` of a class of the program may call."""
        calls = any(
            inner.type in ("call_expression", "new_expression")
            for node in walk(self.root)
            if node.type in FIELDS
            for inner in walk(node)
        )
        if calls:
            return frozenset(range(1, len(self.functions) + 1))
        return frozenset(
            n for n, each in enumerate(self.functions, 1) if each.name.endswith(".constructor")
        )

    @cached_property
    def classes(self) -> frozenset[str]:
        """Names of the classes of the program."""
        return frozenset(
            node_text(node.child_by_field_name("name"))
            for node in walk(self.root)
            if node.type in CLASSES
        )

    def of_call(self, node: "Node") -> tuple[frozenset[int], bool]:
        """Functions that a call or `new` may call, and whether it certainly calls one."""
        callee = node.child_by_field_name("function") or node.child_by_field_name("constructor")
        if callee is None:
            return self.values | self.implicit, False
        callee = unwrap(callee)
        name = node_text(callee) if callee.type == "identifier" else ""
        if node.type == "new_expression":
            return self._of_new(name), False
        if name in self.called_only:
            function = self.bound_functions[name]
            if function in self.generators:
                return self.implicit, False
            return frozenset({function}), True
        if name in self.bound_functions:
            return frozenset({self.bound_functions[name]}) | self.implicit | self._given(
                node
            ), False
        if name in LIBRARY_FUNCTIONS and name not in self.by_name:
            return self.implicit | self._given(node), False
        if callee.type == "super":
            return self.constructors | self.implicit, False
        method = _method_name(node)
        if method in LIBRARY_METHODS:
            return self.by_name.get(method, frozenset()) | self.implicit | self._given(node), False
        named = self.by_name.get(method or name, frozenset())
        return named | self.values | self.implicit | self._given(node), False

    def _of_new(self, name: str) -> frozenset[int]:
        if name in LIBRARY_FUNCTIONS and name not in self.classes:
            return self.implicit | self.values
        named = self.by_name.get(name, frozenset())
        others = frozenset[int]() if name in self.classes or named else self.values
        return self.constructors | named | others | self.implicit

    def _given(self, call: "Node") -> frozenset[int]:
        """Functions that the arguments of a call may be."""
        arguments = call.child_by_field_name("arguments")
        result: frozenset[int] = frozenset()
        for argument in () if arguments is None else map(unwrap, parts(arguments)):
            if argument.type in FUNCTIONS:
                result |= {self.by_node[argument.id]}
            elif argument.type == "identifier" and node_text(argument) in self.bound_functions:
                result |= {self.bound_functions[node_text(argument)]}
            elif argument.type not in _PLAIN:
                result |= self.values
        return result


# Arguments that are no functions.
_PLAIN = frozenset(["number", "string", "template_string", "true", "false", "null", "regex"])
# Methods of the library that keep a function in a container.
_KEEPS = words("push unshift set add fill concat splice from of assign call apply bind then")


def _method_name(call: "Node") -> str:
    function = call.child_by_field_name("function")
    if function is None:
        return ""
    function = unwrap(function)
    return (
        node_text(function.child_by_field_name("property"))
        if function.type == "member_expression"
        else ""
    )


def _is_called(node: "Node") -> bool:
    parent = node.parent
    return (
        parent is not None
        and parent.type == "call_expression"
        and parent.child_by_field_name("function") == node
    )


_BINDERS = frozenset(
    [
        "formal_parameters",
        "array_pattern",
        "object_pattern",
        "rest_pattern",
        "required_parameter",
        "optional_parameter",
        "catch_clause",
        "import_specifier",
        "import_clause",
        "namespace_import",
        "pair_pattern",
    ]
)


def _is_binding(node: "Node") -> bool:
    """Whether an identifier is declared or assigned here."""
    parent = node.parent
    if parent is None:
        return False
    if node.type == "shorthand_property_identifier_pattern" or parent.type in _BINDERS:
        return True
    if parent.type in FUNCTIONS:
        return node in (parent.child_by_field_name("name"), parent.child_by_field_name("parameter"))
    if parent.type in ("variable_declarator", *CLASSES):
        return parent.child_by_field_name("name") == node
    return parent.child_by_field_name("left") == node and parent.type in (
        "assignment_expression",
        "augmented_assignment_expression",
        "assignment_pattern",
        "object_assignment_pattern",
        "for_in_statement",
    )
