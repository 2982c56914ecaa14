"""Methods that are functions in all but their place: they use neither their object nor their class.

A static method, or a method that never uses its first parameter, is a function that is written in
a class. Its name, its body and its other parameters make a function with the same behaviour.
"""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

BUILT_IN_DECORATORS = frozenset({"staticmethod", "classmethod"})
# The compiler gives these a meaning only in a class.
_CLASS_NAMES = frozenset({"super", "__class__"})
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_TEXTS = (ast.Constant, ast.JoinedStr)


@dataclass(frozen=True, slots=True)
class Method:
    """A method of a class.

    Attributes:
        node: its definition.
        owner: the class around it.
        class_name: name of that class; `Outer.Inner` for a class in a class.
    """

    node: ast.FunctionDef
    owner: ast.ClassDef
    class_name: str

    @property
    def is_static(self) -> bool:
        """Whether it is decorated with `@staticmethod`."""
        return "staticmethod" in _decorators(self.node)


def find_methods(statement: ast.stmt) -> Iterator[Method]:
    """The methods of a class, and of classes directly in it; none of other statements."""
    pending = [(statement, statement.name)] if isinstance(statement, ast.ClassDef) else []
    while pending:
        owner, class_name = pending.pop()
        for child in owner.body:
            if isinstance(child, ast.FunctionDef):
                yield Method(child, owner, class_name)
            elif isinstance(child, ast.ClassDef):
                pending.append((child, f"{class_name}.{child.name}"))


def method_reason(method: Method) -> str:
    """Why a method is no function; empty if it is one.

    "def f(self, x): return x + 1" -> ""; "def f(self, x): return self.y" -> "method"
    """
    node = method.node
    decorators = _decorators(node)
    first_count = 0 if method.is_static else 1
    positional = [*node.args.posonlyargs, *node.args.args]
    if first_count and (not positional or len(positional) == len(node.args.defaults)):
        return "method"
    body_names = {name for statement in node.body for name in _names(statement)}
    if first_count and positional[0].arg in body_names:
        return "method"
    if decorators and (len(decorators) > 1 or decorators[0] not in BUILT_IN_DECORATORS):
        return "decorated method"
    parameters = {each.arg for each in [*positional[first_count:], *node.args.kwonlyargs]}
    parameters |= {node.args.vararg.arg} if node.args.vararg else set()
    if not parameters:
        return "no parameters"
    # Such methods are mostly defaults for subclasses: `def width(self, text): return 1`.
    if first_count and not parameters & body_names:
        return "method that uses no parameter"
    return "method that needs its class" if _needs_class(method) else ""


def function_source(method: Method, lines: list[bytes]) -> str:
    """Write a method as a function: without its decorator, indentation and first parameter.

    Args:
        method: The method.
        lines: The lines of its module, in UTF-8.
    """
    node = method.node
    header = copy.copy(node)
    header.body, header.decorator_list = [ast.Pass()], []
    if not method.is_static:
        header.args = copy.copy(node.args)
        header.args.args = node.args.args[0 if node.args.posonlyargs else 1 :]
        header.args.posonlyargs = node.args.posonlyargs[1:]
    text = ast.unparse(header).removesuffix("\n    pass")
    first, last = node.body[0], node.end_lineno or node.lineno
    start = min([first.lineno, *(each.lineno for each in getattr(first, "decorator_list", []))])
    end = lines[last - 1][: node.end_col_offset]
    before = lines[start - 1][: first.col_offset]
    if before.strip():
        # The body is on the line of the header.
        body = [*lines[start - 1 : last - 1], end]
        body[0] = body[0][first.col_offset :] if len(body) > 1 else end[first.col_offset :]
        return f"{text} {b''.join(body).decode()}\n"
    while _is_comment(lines[start - 2]):
        start -= 1
    indent = lines[node.lineno - 1][: node.col_offset]
    fixed = _text_lines(node)
    body = [
        line if number in fixed else line.removeprefix(indent)
        for number, line in enumerate([*lines[start - 1 : last - 1], end], start)
    ]
    return f"{text}\n{b''.join(body).decode()}\n"


def _decorators(node: ast.FunctionDef) -> list[str]:
    """Names of the decorators; "" for one that is no name."""
    return [each.id if isinstance(each, ast.Name) else "" for each in node.decorator_list]


def _needs_class(method: Method) -> bool:
    """Whether a method uses names that mean something else outside of its class."""
    names = {name for statement in method.node.body for name in _names(statement)}
    attributes = {each.attr for each in ast.walk(method.node) if isinstance(each, ast.Attribute)}
    parameters = {each.arg for each in ast.walk(method.node) if isinstance(each, ast.arg)}
    # Keywords of calls, too: all of these are mangled in a class.
    keywords = {each.arg or "" for each in ast.walk(method.node) if isinstance(each, ast.keyword)}
    if names & _CLASS_NAMES or any(map(_is_private, names | attributes | parameters | keywords)):
        return True
    arguments = method.node.args
    defaults = [*arguments.defaults, *(each for each in arguments.kw_defaults if each is not None)]
    # Defaults are evaluated in the class.
    used = {name for default in defaults for name in _names(default)}
    return bool(used) and not used.isdisjoint(_bound_names(method.owner))


def _bound_names(owner: ast.ClassDef) -> Iterator[str]:
    """Names that a class binds, and some that only its methods do."""
    for each in ast.walk(owner):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load):
            continue
        yield from _own_names(each)


def _names(node: ast.AST) -> Iterator[str]:
    """All names in a syntax tree, whether they are local or not."""
    for each in ast.walk(node):
        yield from _own_names(each)


def _own_names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, _DEFINITIONS):
        yield node.name
    elif isinstance(node, ast.Global | ast.Nonlocal):
        yield from node.names
    elif isinstance(node, ast.alias):
        yield node.asname or node.name.partition(".")[0]


def _is_private(name: str) -> bool:
    """Whether a class changes a name: "__x" -> True; "__len__" -> False."""
    return name.startswith("__") and not name.endswith("__")


def _is_comment(line: bytes) -> bool:
    return line.lstrip().startswith(b"#")


def _text_lines(node: ast.AST) -> set[int]:
    """Lines that begin in a string, whose indentation is a part of its value."""
    return {
        number
        for each in ast.walk(node)
        if isinstance(each, _TEXTS)
        for number in range(each.lineno + 1, (each.end_lineno or each.lineno) + 1)
    }
