"""Code of JavaScript expressions: their calls, in the order of evaluation, and their branches."""

from typing import TYPE_CHECKING

from worldline.languages.control_flow.code_emitter import CodeEmitter, Label
from worldline.languages.control_flow.syntax_tree import first_line, node_text, part, parts
from worldline.languages.javascript.javascript_callees import CalleeIndex
from worldline.languages.javascript.javascript_functions import (
    CLASSES,
    FIELDS,
    FUNCTIONS,
    TYPES,
    unwrap,
)

if TYPE_CHECKING:
    from worldline.languages.control_flow.syntax_tree import Node

_SAFE = frozenset(
    [
        "identifier",
        "number",
        "string",
        "true",
        "false",
        "null",
        "undefined",
        "this",
        "super",
        "regex",
        "property_identifier",
        "private_property_identifier",
        "string_fragment",
        "escape_sequence",
        "empty_statement",
        "statement_identifier",
        "shorthand_property_identifier",
        "comment",
        "meta_property",
    ]
)
# Expressions whose parts may raise, but not they themselves.
_PASSIVE = frozenset(
    [
        "array",
        "object",
        "pair",
        "arguments",
        "sequence_expression",
        "expression_statement",
        "lexical_declaration",
        "variable_declaration",
        "template_substitution",
        "computed_property_name",
        "class_heritage",
    ]
)
# Expressions that are safe in programs without hooks of operators.
_OPERATORS = frozenset(
    [
        "binary_expression",
        "unary_expression",
        "update_expression",
        "augmented_assignment_expression",
        "template_string",
    ]
)
_RISKY_OPERATORS = frozenset(["in", "instanceof", "delete"])
_SHORT_CIRCUIT = frozenset(["&&", "||", "??", "&&=", "||=", "??="])


class JavaScriptExpressions:
    """Emits the code of expressions."""

    def __init__(self, code: CodeEmitter, callees: CalleeIndex) -> None:
        self._code = code
        self._callees = callees

    @property
    def may_call_implicitly(self) -> bool:
        """Whether a function may be called where no call is written."""
        return bool(self._callees.implicit)

    def evaluate(self, node: "Node | None") -> None:
        """Emit the code of an expression."""
        if node is None or node.type in _SAFE or node.type in TYPES or node.type in FUNCTIONS:
            return
        node = unwrap(node)
        operator = _operator(node)
        if node.type in ("call_expression", "new_expression"):
            self._call(node)
        elif operator in _SHORT_CIRCUIT:
            self._short_circuit(node)
        elif node.type == "ternary_expression":
            self._ternary(node)
        elif node.type in ("yield_expression", "await_expression"):
            self._suspension(node)
        elif node.type in CLASSES:
            self._class(node)
        elif node.type == "variable_declarator":
            self._declare(node)
        elif node.type in ("assignment_expression", "assignment_pattern"):
            self._assign(node)
        else:
            self._other(node, operator)

    def risk(self) -> None:
        """Emit a node that may raise, or call a function implicitly."""
        self._code.emit(may_raise=True, callees=self._callees.implicit)

    def bind(self, target: "Node | None") -> None:
        """Emit the code that binds a pattern or stores in a property."""
        if target is None or target.type == "identifier":
            return
        for child in parts(target):
            self.evaluate(child)
        self.risk()

    def _other(self, node: "Node", operator: str) -> None:
        is_optional = node.child_by_field_name("optional_chain") is not None
        end = Label()
        for number, child in enumerate(parts(node)):
            self.evaluate(child)
            if is_optional and number == 0:
                self._code.branch(end)
        is_safe = node.type in _PASSIVE or node.type in _SAFE
        if node.type in _OPERATORS and operator not in _RISKY_OPERATORS:
            is_safe = self._callees.has_safe_operators
        if not is_safe:
            self.risk()
        if is_optional:
            self._code.place(end)

    def _call(self, node: "Node") -> None:
        end = Label()
        function = node.child_by_field_name("function") or node.child_by_field_name("constructor")
        if function is not None:
            self._callee(function, end)
        if node.child_by_field_name("optional_chain") is not None:
            self._code.branch(end)
        self.evaluate(node.child_by_field_name("arguments"))
        callees, must_call = self._callees.of_call(node)
        self._code.emit(may_raise=True, callees=callees, must_call=must_call)
        self._code.place(end)

    def _callee(self, function: "Node", end: Label) -> None:
        """The object of a method; `a?.b()` skips the call."""
        function = unwrap(function)
        if function.type in ("member_expression", "subscript_expression"):
            self._callee(part(function, "object"), end)
            if function.child_by_field_name("optional_chain") is not None:
                self._code.branch(end)
            self.evaluate(function.child_by_field_name("index"))
            if self._callees.implicit:
                self.risk()
        elif function.type == "call_expression" and _has_chain(function):
            self._callee(part(function, "function"), end)
            self.evaluate(function.child_by_field_name("arguments"))
            callees, must_call = self._callees.of_call(function)
            self._code.emit(may_raise=True, callees=callees, must_call=must_call)
        else:
            self.evaluate(function)

    def _short_circuit(self, node: "Node") -> None:
        end = Label()
        left = part(node, "left")
        self.evaluate(left)
        self._code.branch(end)
        self.evaluate(part(node, "right"))
        if _operator(node).endswith("=") and left.type != "identifier":
            self.risk()
        self._code.place(end)

    def _ternary(self, node: "Node") -> None:
        otherwise, end = Label(), Label()
        self.evaluate(part(node, "condition"))
        self._code.branch(otherwise)
        self.evaluate(part(node, "consequence"))
        self._code.jump(end)
        self._code.place(otherwise)
        self.evaluate(part(node, "alternative"))
        self._code.place(end)

    def _suspension(self, node: "Node") -> None:
        for child in parts(node):
            self.evaluate(child)
        if any(child.type == "*" for child in node.children):
            self.risk()  # `yield*` has no steps of its own
            return
        self._code.emit(frame_exit="yield", resumption_line=first_line(node))
        self.risk()

    def _class(self, node: "Node") -> None:
        for child in parts(node):
            if child.type == "class_heritage":
                self.evaluate(child)
        members = parts(part(node, "body"))
        for member in members:
            key = member.child_by_field_name("name") or member.child_by_field_name("property")
            if key is not None and key.type == "computed_property_name":
                self.evaluate(key)
            is_static = any(child.type == "static" for child in member.children)
            if member.type == "class_static_block" or (member.type in FIELDS and is_static):
                # It is executed without steps of its own.
                everything = range(1, len(self._callees.functions) + 1)
                self._code.emit(may_raise=True, callees=everything)
        self.risk()

    def _declare(self, node: "Node") -> None:
        self.evaluate(node.child_by_field_name("value"))
        self.bind(node.child_by_field_name("name"))

    def _assign(self, node: "Node") -> None:
        left = part(node, "left")
        if left.type in ("member_expression", "subscript_expression"):
            for child in parts(left):
                self.evaluate(child)
        self.evaluate(part(node, "right"))
        if left.type in ("member_expression", "subscript_expression"):
            self.risk()
        else:
            self.bind(left)


def _operator(node: "Node") -> str:
    return node_text(node.child_by_field_name("operator"))


def _has_chain(call: "Node") -> bool:
    """Whether a call is part of an optional chain: `a?.b().c()`."""
    return "?." in node_text(call.child_by_field_name("function"))
