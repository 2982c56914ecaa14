"""Functions in a syntax tree of JavaScript, with the names that the recorder gives them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from worldline.languages.control_flow.syntax_tree import first_line, node_text, parts

if TYPE_CHECKING:
    from worldline.languages.control_flow.syntax_tree import Node

ANONYMOUS = "(anonymous)"
FUNCTIONS = frozenset(
    [
        "function_declaration",
        "generator_function_declaration",
        "function_expression",
        "generator_function",
        "arrow_function",
        "method_definition",
    ]
)
CLASSES = frozenset(["class_declaration", "class", "abstract_class_declaration"])
FIELDS = frozenset(["field_definition", "public_field_definition"])
# What has no value at run time, or is only around one.
TYPES = frozenset(
    [
        "type_annotation",
        "type_arguments",
        "type_parameters",
        "interface_declaration",
        "type_alias_declaration",
        "ambient_declaration",
        "function_signature",
        "method_signature",
        "abstract_method_signature",
        "implements_clause",
        "type_predicate_annotation",
        "asserts_annotation",
    ]
)
_WRAPPERS = frozenset(
    [
        "parenthesized_expression",
        "as_expression",
        "satisfies_expression",
        "non_null_expression",
        "instantiation_expression",
    ]
)


@dataclass(frozen=True, slots=True)
class JavaScriptFunction:
    """A function: its node, its name in traces, the line of its call step and its nesting."""

    node: "Node"
    name: str
    line: int
    depth: int

    @property
    def is_generator(self) -> bool:
        """Whether it contains `yield`."""
        return any(child.type == "*" for child in self.node.children) or (
            self.node.type.startswith("generator")
        )


def unwrap(node: "Node") -> "Node":
    """The expression within parentheses and types.

    "(x as T)" -> "x"
    """
    while node.type in _WRAPPERS:
        node = parts(node)[0]
    return node


def find_functions(root: "Node") -> list[JavaScriptFunction]:
    """All functions of a program, each before those within it."""
    return list(_find(root, ANONYMOUS, 1))


def _find(node: "Node", name: str, depth: int) -> Iterator[JavaScriptFunction]:
    """The functions in a node; `name` is what an anonymous one gets from its place."""
    if node.type in TYPES:
        return
    if node.type in CLASSES:
        own = node_text(node.child_by_field_name("name")) or name
        for child in parts(node):
            yield from _find_members(child, own, depth)
        return
    if node.type in FUNCTIONS:
        own = node_text(node.child_by_field_name("name"))
        # A method begins with its parameters.
        start = node.child_by_field_name("parameters") if _is_method(node) else None
        shown = name if _is_method(node) or not own else own
        yield JavaScriptFunction(node, shown, first_line(start or node), depth)
        depth += 1
    for index, child in enumerate(node.children):
        if child.is_named:
            field = node.field_name_for_child(index)
            yield from _find(child, _inferred_name(node, field, name, child), depth)


def _is_method(node: "Node") -> bool:
    return node.type == "method_definition"


def _find_members(body: "Node", name: str, depth: int) -> Iterator[JavaScriptFunction]:
    if body.type != "class_body":
        yield from _find(body, ANONYMOUS, depth)
        return
    for member in parts(body):
        key = member.child_by_field_name("name") or member.child_by_field_name("property")
        full = f"{name}.{key_name(key)}"
        if _is_method(member):
            yield from _find(member, full, depth)
            continue
        value = member.child_by_field_name("value")
        if value is not None:
            yield from _find(value, full, depth)
        elif member.type == "class_static_block":
            yield from _find(member, ANONYMOUS, depth)


def key_name(key: "Node | None") -> str:
    """The name of a property; "(anonymous)" for a computed one."""
    if key is None or key.type == "computed_property_name":
        return ANONYMOUS
    return "".join(map(node_text, parts(key))) if key.type == "string" else node_text(key)


def _inferred_name(node: "Node", field: str | None, name: str, child: "Node") -> str:
    """The name that a node gives to an anonymous function in one of its fields."""
    if node.type in _WRAPPERS:
        return name
    if node.type == "variable_declarator" and field == "value":
        target = node.child_by_field_name("name")
        return (
            node_text(target) if target is not None and target.type == "identifier" else ANONYMOUS
        )
    if node.type in ("assignment_expression", "augmented_assignment_expression"):
        return _target_name(node.child_by_field_name("left")) if field == "right" else ANONYMOUS
    if node.type == "pair" and field == "value":
        return key_name(node.child_by_field_name("key"))
    if node.type == "object" and _is_method(child):
        return key_name(child.child_by_field_name("name"))
    return ANONYMOUS


def _target_name(target: "Node | None") -> str:
    if target is None:
        return ANONYMOUS
    if target.type == "identifier":
        return node_text(target)
    if target.type == "member_expression":
        return node_text(target.child_by_field_name("property"))
    return ANONYMOUS
