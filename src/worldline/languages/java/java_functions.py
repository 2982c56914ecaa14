"""Methods, constructors and lambdas in a syntax tree of Java, with their names in traces."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from worldline.languages.control_flow.syntax_tree import first_line, node_text, parts, walk

if TYPE_CHECKING:
    from worldline.languages.control_flow.syntax_tree import Node

CLASSES = frozenset(
    ["class_declaration", "record_declaration", "enum_declaration", "interface_declaration"]
)
CONSTRUCTORS = frozenset(["constructor_declaration", "compact_constructor_declaration"])
FUNCTIONS = CONSTRUCTORS | {"method_declaration", "lambda_expression"}


@dataclass(frozen=True, slots=True)
class JavaFunction:
    """A function: its node, its simple name and its name in traces, and its place.

    Attributes:
        node: Its node.
        name: The name of the method, "<init>" or "<lambda>".
        qualname: Its name in traces, with the names of its classes.
        line: The line of its call step.
        depth: The number of functions around it.
        type: The simple name of its class; "" for an anonymous one.
        fields: The fields with a value of its class, which a constructor initialises.
    """

    node: "Node"
    name: str
    qualname: str
    line: int
    depth: int
    type: str
    fields: tuple["Node", ...] = ()

    @property
    def is_static(self) -> bool:
        """Whether it is a static method."""
        return self.node.type == "method_declaration" and "static" in modifiers(self.node)


def modifiers(node: "Node") -> list[str]:
    """The modifiers of a declaration, such as "static"."""
    return [
        word
        for child in node.children
        if child.type == "modifiers"
        for word in map(node_text, child.children)
    ]


def find_functions(root: "Node") -> list[JavaFunction]:
    """All functions with a body, each before those within it."""
    return list(_find(root, "", "", 0, Counter()))


def _find(
    node: "Node", path: str, type_name: str, depth: int, anonymous: Counter[str]
) -> Iterator[JavaFunction]:
    if node.type in CLASSES:
        type_name = node_text(node.child_by_field_name("name"))
        is_local = depth > 0
        if is_local:
            anonymous[f"{_outermost(path)} {type_name}"] += 1
        number = str(anonymous[f"{_outermost(path)} {type_name}"]) if is_local else ""
        path = f"{path}.{number}{type_name}" if path else type_name
    elif node.type == "class_body" and _is_anonymous(node):
        anonymous[_outermost(path)] += 1
        path, type_name = f"{path}.{anonymous[_outermost(path)]}", ""
    elif node.type in FUNCTIONS and _body(node) is not None:
        yield _function(node, path, type_name, depth)
        depth += 1
    for child in parts(node):
        yield from _find(child, path, type_name, depth, anonymous)


def _outermost(path: str) -> str:
    return path.partition(".")[0]


def _is_anonymous(node: "Node") -> bool:
    return node.parent is not None and node.parent.type == "object_creation_expression"


def _body(node: "Node") -> "Node | None":
    return node.child_by_field_name("body")


def _function(node: "Node", path: str, type_name: str, depth: int) -> JavaFunction:
    if node.type == "lambda_expression":
        return JavaFunction(
            node, "<lambda>", f"{path}.<lambda>", first_line(node), depth, type_name
        )
    name = node.child_by_field_name("name")
    line = first_line(name or node)
    if node.type in CONSTRUCTORS:
        fields = () if _calls_this(node) else _fields(node)
        return JavaFunction(node, "<init>", f"{path}.<init>", line, depth, type_name, fields)
    return JavaFunction(node, node_text(name), f"{path}.{node_text(name)}", line, depth, type_name)


def _calls_this(node: "Node") -> bool:
    return any(
        each.type == "explicit_constructor_invocation" and node_text(each).startswith("this")
        for each in walk(node)
    )


def _fields(constructor: "Node") -> tuple["Node", ...]:
    """The declarations with a value that are executed in a constructor."""
    body = constructor.parent
    return tuple(
        declarator
        for member in (parts(body) if body is not None else ())
        if member.type == "field_declaration" and "static" not in modifiers(member)
        for declarator in member.children_by_field_name("declarator")
        if declarator.child_by_field_name("value") is not None
    )
