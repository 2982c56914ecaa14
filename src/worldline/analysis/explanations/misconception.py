"""Misconceptions: wrong beliefs about one operation, each as a change to a program."""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from worldline.core.trace import Program, parse_source, source_lines
from worldline.core.util.text import truncate_text
from worldline.languages.python.rewrite.source_layout import (
    SourceLayout,
    character_column,
    parse_layout,
)

# Expressions that can be followed by a dot or a bracket as they are.
_ATOMS = (
    ast.Name, ast.Call, ast.Subscript, ast.Attribute, ast.List, ast.Dict, ast.Set, ast.ListComp,
    ast.SetComp, ast.DictComp,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Source:
    """The text of a program, its syntax tree and its layout."""

    tree: ast.Module
    layout: SourceLayout

    def text(self, node: ast.expr) -> str:
        """The source of an expression, in parentheses where it needs them."""
        segment = self.layout.segment(node)
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        return segment if isinstance(node, _ATOMS) or is_text else f"({segment})"

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """The offsets of the first character of a node and of the one after its last."""
        lines, offsets = self.layout.lines, self.layout.offsets
        last = node.end_lineno or node.lineno
        return (
            offsets[node.lineno - 1] + character_column(lines[node.lineno - 1], node.col_offset),
            offsets[last - 1] + character_column(lines[last - 1], node.end_col_offset or 0),
        )

    def segment(self, node: ast.expr | ast.stmt) -> str:
        """The source of a node."""
        start, stop = self.span(node)
        return self.layout.text[start:stop]


def parse_program(text: str) -> Source | None:
    """Parse the text of a program; None if it is not Python."""
    tree = parse_source(text)
    layout = parse_layout(source_lines(text), tree) if tree is not None else None
    return None if tree is None or layout is None else Source(tree, layout)


@dataclass(frozen=True, slots=True)
class Change:
    """One operation of a program, replaced by what a model may take it for.

    Attributes:
        node: The expression or statement that is replaced.
        text: The new text; it may call the functions of `misread_operations`.
        operation: The operation, as a reader would name it: ".rpartition".
        clause: What the operation would have to be: "`.rpartition` were `.partition`".
        after_program: A statement to execute once the program is loaded.
    """

    node: ast.expr | ast.stmt
    text: str
    operation: str
    clause: str
    after_program: str = ""

    def __repr__(self) -> str:
        return f"Change({truncate_text(self.clause, 80)}, line {self.node.lineno})"


Finder = Callable[[ast.AST, Source], Iterable[Change]]


@dataclass(frozen=True, slots=True)
class Example:
    """A function, a call of it, and the value that a model predicts.

    "s='a-b'", "return s.upper()", "'a-b'"

    Attributes:
        arguments: The arguments of the call, by name.
        body: The statements of the function, without indentation.
        predicted: The predicted result.
        prelude: Functions before it.
    """

    arguments: str
    body: str
    predicted: str
    prelude: str = ""

    @property
    def program(self) -> Program:
        """The program: a function `f` of the named arguments, and its call."""
        call = ast.parse(f"f({self.arguments})", mode="eval").body
        assert isinstance(call, ast.Call)
        names = ", ".join(str(keyword.arg) for keyword in call.keywords)
        lines = "\n".join(f"    {line}" for line in self.body.split("\n"))
        return Program(f"{self.prelude}def f({names}):\n{lines}\n", f"f({self.arguments})")


@dataclass(frozen=True, slots=True)
class Misconception:
    """A wrong belief about one operation.

    Attributes:
        name: Its identifier.
        sentence: The belief, as one plain sentence.
        find: Finds the changes of one node of a program.
        explains: A prediction that it explains.
        rejects: A prediction that it must not explain.
    """

    name: str
    sentence: str
    find: Finder
    explains: Example
    rejects: Example

    def __repr__(self) -> str:
        return f"Misconception({self.name}: {self.sentence})"


def any_of(*finders: Finder) -> Finder:
    """The changes of several finders."""

    def find(node: ast.AST, source: Source) -> Iterator[Change]:
        for finder in finders:
            yield from finder(node, source)

    return find


def method_renames(names: Mapping[str, tuple[str, ...]], *, arity: int | None = None) -> Finder:
    """Methods that are taken for others.

    {"rpartition": ("partition",)} changes `s.rpartition(x)` to `s.partition(x)`

    Args:
        names: For each method, what it may be taken for.
        arity: Only calls with this many arguments; None for all.
    """

    def find(node: ast.AST, source: Source) -> Iterator[Change]:
        match node:
            case ast.Call(func=ast.Attribute(value=receiver, attr=name) as function) if (
                name in names and arity in (None, len(node.args) + len(node.keywords))
            ):
                for other in names[name]:
                    text = f"{source.text(receiver)}.{other}"
                    yield Change(function, text, f".{name}", f"`.{name}` were `.{other}`")

    return find


def call_becomes(callees: str, arity: int | None, template: str, clause: str) -> Finder:
    """Calls that are taken for another expression.

    ".replace", 2, "{s}.replace({0}, {1}, 1)" changes `s.replace(a, b)` to `s.replace(a, b, 1)`

    Args:
        callees: Names of functions, or of methods with a dot before them, separated by blanks.
        arity: The number of arguments, all without a keyword; None for any.
        template: The new expression: {s} is the receiver, {0} the first argument, {all} all
            arguments, {name} the name of the function or method.
        clause: What the call would have to do; {name} is its name.
    """
    names = callees.split()

    def find(node: ast.AST, source: Source) -> Iterator[Change]:
        if not isinstance(node, ast.Call):
            return
        receiver: ast.expr | None = None
        match node.func:
            case ast.Name(id=function):
                name = function
            case ast.Attribute():
                receiver, name = node.func.value, f".{node.func.attr}"
            case _:
                return
        if name not in names:
            return
        is_plain = not node.keywords and not any(isinstance(a, ast.Starred) for a in node.args)
        if arity is not None and (len(node.args) != arity or not is_plain):
            return
        parts = [source.segment(argument) for argument in node.args]
        parts += [f"{k.arg}={source.text(k.value)}" for k in node.keywords if k.arg]
        if len(parts) < len(node.args) + len(node.keywords):
            return
        fields = {"all": ", ".join(parts), "name": name.removeprefix(".")}
        if receiver is not None:
            fields["s"] = source.text(receiver)
        arguments = [source.text(argument) for argument in node.args] if is_plain else []
        yield Change(
            node,
            template.format(*arguments, **fields),
            name,
            clause.format(name=f"`{name}`"),
        )

    return find


def operator_becomes(
    operators: Mapping[type[ast.operator], str], template: str, clause: str
) -> Finder:
    """Binary operations that are taken for another expression.

    {ast.FloorDiv: "//"}, "int({a} / {b})" changes `x // y` to `int(x / y)`, and `x //= y` as well

    Args:
        operators: The operators, each with its symbol.
        template: The new expression of {a} and {b}.
        clause: What the operation would have to be; {op} is the symbol.
    """

    def find(node: ast.AST, source: Source) -> Iterator[Change]:
        match node:
            case ast.BinOp(left=left, op=operator, right=right) if type(operator) in operators:
                symbol = operators[type(operator)]
                text = template.format(a=source.text(left), b=source.text(right))
                yield Change(node, text, symbol, clause.format(op=f"`{symbol}`"))
            case ast.AugAssign(target=target, op=operator, value=right) if (
                type(operator) in operators
            ):
                symbol = operators[type(operator)]
                name = source.segment(target)
                text = template.format(a=name, b=source.text(right))
                yield Change(
                    node, f"{name} = {text}", f"{symbol}=", clause.format(op=f"`{symbol}=`")
                )

    return find
