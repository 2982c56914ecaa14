"""Code of Java expressions: their calls, in the order of evaluation, and the rows of lines."""

from typing import TYPE_CHECKING

from worldline.core.trace import words
from worldline.languages.control_flow.syntax_tree import (
    first_line,
    node_text,
    part,
    parts,
    walk,
)
from worldline.languages.java.java_callees import JavaCallees
from worldline.languages.java.javac_code import JavacCode

if TYPE_CHECKING:
    from collections.abc import Callable

    from worldline.languages.control_flow.syntax_tree import Node

_PRIMITIVES = words("int long short byte char boolean float double")
_LITERALS = frozenset(
    [
        "decimal_integer_literal",
        "hex_integer_literal",
        "octal_integer_literal",
        "binary_integer_literal",
        "decimal_floating_point_literal",
        "hex_floating_point_literal",
        "character_literal",
        "string_literal",
        "true",
        "false",
        "null_literal",
        "class_literal",
        "this",
        "super",
    ]
)


class JavaExpressions:
    """Emits the code of expressions.

    Args:
        code: The code.
        callees: The functions of the program.
        switch: Emits a `switch` expression.
    """

    def __init__(
        self, code: JavacCode, callees: JavaCallees, switch: "Callable[[Node], None]"
    ) -> None:
        self._code = code
        self._callees = callees
        self._switch = switch
        self._primitives = _primitive_names(callees.root)

    def evaluate(self, node: "Node | None") -> None:
        """Emit the code of an expression."""
        if node is None:
            return
        match node.type:
            case "parenthesized_expression":
                self.evaluate(parts(node)[0])
            case "method_invocation":
                self._call(node)
            case "explicit_constructor_invocation":
                self.arguments(node.child_by_field_name("arguments"))
                self._code.emit(may_raise=True, callees=self._callees.of_super)
            case "object_creation_expression":
                self._create(node)
            case "ternary_expression":
                self._ternary(node)
            case "binary_expression":
                self._binary(node)
            case "assignment_expression":
                self._assign(node)
            case "update_expression":
                self.evaluate(parts(node)[0])
                self._code.emit(may_raise=not self._is_primitive(node))
            case "lambda_expression" | "method_reference":
                self._reference(node)
            case "switch_expression":
                self._switch(node)
            case "cast_expression":
                self.evaluate(part(node, "value"))
                self._code.emit(may_raise=not self._is_primitive(part(node, "value")))
            case "array_initializer":
                for child in parts(node):
                    self._code.emit()
                    self._boxed(child)
                self._code.emit()
            case "instanceof_expression":
                self.evaluate(part(node, "left"))
                self._code.emit()
            case kind if kind in _LITERALS or kind == "identifier":
                self._code.emit()
            case _:
                self._other(node)

    def _other(self, node: "Node") -> None:
        """Array accesses, fields, unary operators and new arrays."""
        for child in parts(node):
            if child.type.endswith("type") or child.type in ("type_identifier", "dimensions"):
                continue
            inner = parts(child) if child.type == "dimensions_expr" else [child]
            if node.type != "field_access" or child != node.child_by_field_name("field"):
                for each in inner:
                    self.evaluate(each)
        is_safe = self._is_primitive(node) or node_text(node).startswith("this.")
        self._code.emit(may_raise=not is_safe)

    def arguments(self, node: "Node | None") -> None:
        """Emit arguments; those that are boxed start a line."""
        for each in () if node is None else parts(node):
            self._boxed(each, next_line=first_line(node) if node is not None else None)

    def convert(self, node: "Node", type_name: str = "", *, next_line: int | None = None) -> None:
        """Emit an expression that may be boxed or unboxed, for a value of a type.

        Args:
            node: The expression.
            type_name: The type; "" if it is not known.
            next_line: The line that starts right after it.
        """
        if type_name and not _is_boxed_type(type_name):
            self.evaluate(node)
        else:
            self._boxed(node, next_line=next_line)

    def _boxed(self, node: "Node", *, next_line: int | None = None) -> None:
        self.evaluate(node)
        line = first_line(node)
        if node.type in _NEVER_BOXED or line == next_line:
            return
        self._code.start_line(line, is_optional=True)
        self._code.emit(may_raise=not self._is_primitive(node))

    def _call(self, node: "Node") -> None:
        target = node.child_by_field_name("object")
        if target is not None and not self._is_type(target):
            self.evaluate(target)
        elif self._needs_this(node):
            self._code.emit()
        arguments = part(node, "arguments")
        self.arguments(arguments)
        self._code.start_line(first_line(arguments))
        callees, must_call = self._callees.of_call(node)
        self._code.emit(may_raise=True, callees=callees, must_call=must_call)

    def _needs_this(self, node: "Node") -> bool:
        """Whether a call without an object loads `this`."""
        if node.child_by_field_name("object") is not None:
            return False
        named = self._callees.by_name.get(node_text(node.child_by_field_name("name")), ())
        return any(not self._callees.functions[number].is_static for number in named)

    def _is_type(self, node: "Node") -> bool:
        """Whether the object of a call is the name of a class, which is not loaded."""
        return node.type in ("identifier", "field_access") and (
            node_text(node).rpartition(".")[2][:1].isupper()
        )

    def _create(self, node: "Node") -> None:
        self._code.emit()
        self.arguments(node.child_by_field_name("arguments"))
        self._code.emit(may_raise=True, callees=self._callees.of_creation(node))

    def _reference(self, node: "Node") -> None:
        if node.type == "method_reference" and not self._is_type(parts(node)[0]):
            self.evaluate(parts(node)[0])
        self._code.emit()

    def _ternary(self, node: "Node") -> None:
        consequence, alternative = part(node, "consequence"), part(node, "alternative")
        condition = part(node, "condition")
        self._code.start_line(position_line(condition))
        self.evaluate(condition)
        otherwise = self._code.conditional_jump()
        self._code.start_line(position_line(consequence))
        self._boxed(consequence)
        end = self._code.goto()
        self._code.resolve(otherwise)
        self._code.start_line(position_line(alternative))
        self._boxed(alternative)
        self._code.resolve(end)

    def _binary(self, node: "Node") -> None:
        operator = node_text(node.child_by_field_name("operator"))
        self.evaluate(part(node, "left"))
        if operator in ("&&", "||"):
            end = self._code.conditional_jump()
            self.evaluate(part(node, "right"))
            self._code.resolve(end)
            self._code.emit()
            return
        self._unboxed(part(node, "left"))
        self.evaluate(part(node, "right"))
        self._unboxed(part(node, "right"))
        is_safe = self._is_primitive(node) and operator not in ("/", "%")
        self._code.emit(may_raise=not is_safe, callees=() if is_safe else self._callees.hooks)

    def _unboxed(self, node: "Node") -> None:
        """Operands that are boxed are unboxed by a call, which may start a line."""
        if node.type == "string_literal" or self._is_primitive(node):
            return
        self._code.start_line(first_line(node), is_optional=True)
        self._code.emit(may_raise=True)

    def _assign(self, node: "Node") -> None:
        left, right = part(node, "left"), part(node, "right")
        operator = node_text(node.child_by_field_name("operator"))
        is_local = left.type == "identifier"
        if not is_local:
            for child in parts(left):
                if child != left.child_by_field_name("field") and not self._is_type(child):
                    self.evaluate(child)
        if operator != "=":
            self._code.emit(may_raise=not self._is_primitive(left))
            self._unboxed(left)
        self._boxed(right)
        is_division = operator in ("/=", "%=")
        is_safe = is_local and self._is_primitive(left) and not is_division
        self._code.emit(may_raise=not is_safe)

    def _is_primitive(self, node: "Node") -> bool:
        """Whether an expression certainly has primitive parts only, so that it cannot raise."""
        if node.type in _LITERALS:
            return node.type not in ("null_literal", "string_literal")
        if node.type == "identifier":
            return node_text(node) in self._primitives
        if node.type in ("binary_expression", "unary_expression", "update_expression"):
            operator = node_text(node.child_by_field_name("operator"))
            is_safe = operator not in ("/", "%")
            return is_safe and all(self._is_primitive(child) for child in parts(node))
        if node.type in ("parenthesized_expression", "cast_expression"):
            return self._is_primitive(parts(node)[-1])
        return False


_BOXES = words(
    "Integer Long Short Byte Character Boolean Float Double Object Number Comparable Serializable"
)


def _is_boxed_type(name: str) -> bool:
    """Whether a value is boxed or unboxed for a variable of a type; a name like T may be any."""
    return name in _PRIMITIVES | _BOXES or len(name) == 1


# Expressions that are never boxed or unboxed.
_NEVER_BOXED = frozenset(
    [
        "string_literal",
        "null_literal",
        "object_creation_expression",
        "array_creation_expression",
        "lambda_expression",
        "method_reference",
        "this",
        "class_literal",
    ]
)


def position_line(node: "Node") -> int:
    """The line of the position that javac gives to an expression.

    That of a call is its opening parenthesis, and that of a binary operator the operator.
    """
    match node.type:
        case "method_invocation":
            return first_line(part(node, "arguments"))
        case "binary_expression" | "assignment_expression":
            return first_line(part(node, "operator"))
        case "ternary_expression" | "instanceof_expression" | "field_access" | "lambda_expression":
            marks = ("?", "instanceof", ".", "->")
            operators = [child for child in node.children if child.type in marks]
            return first_line(operators[-1]) if operators else first_line(node)
        case "array_access":
            return first_line(next(c for c in node.children if c.type == "["))
    return first_line(node)


def _primitive_names(root: "Node") -> frozenset[str]:
    """Names of variables that are declared with primitive types only."""
    primitive, other = set[str](), set[str]()
    for node in walk(root):
        kind = node.child_by_field_name("type")
        if kind is None:
            continue
        names = [node.child_by_field_name("name")]
        names += [each.child_by_field_name("name") for each in node.children if each.is_named]
        for name in names:
            if name is not None and name.type == "identifier":
                (primitive if node_text(kind) in _PRIMITIVES else other).add(node_text(name))
    for node in walk(root):
        if node.type == "lambda_expression":
            parameters = node.child_by_field_name("parameters")
            for each in () if parameters is None else walk(parameters):
                if each.type == "identifier":
                    other.add(node_text(each))
    return frozenset(primitive - other)
