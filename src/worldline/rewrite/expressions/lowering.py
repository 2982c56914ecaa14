"""An expression goes in; lines that work it out, an operation each, and what is left come out.

Everything happens in the order in which Python does it. What stays where it is, is evaluated later
than it was: so it stays only if it would surely have the same value there, and is kept in a
variable of its own otherwise.
"""

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from worldline.rewrite.expressions.kinds import Kinds
from worldline.rewrite.expressions.lines import Line, written
from worldline.rewrite.expressions.names import Names
from worldline.rewrite.expressions.operations import Display, Operations, is_number, is_unpacking
from worldline.rewrite.expressions.parts import parts_of, with_parts
from worldline.rewrite.expressions.plans import Plans

# From so many items on Python makes a dictionary or a set while it evaluates them.
_MANY = 15


class UnsafeError(Exception):
    """A statement that cannot be rewritten safely; its text says why."""


@dataclass(slots=True)
class Fresh:
    """Names that a program does not have, numbered from 1 in each function."""

    taken: frozenset[str]
    count: int = 0
    others: set[str] = field(default_factory=set)

    def value(self) -> str:
        """A name for a value: t1, t2, …"""
        while True:
            self.count += 1
            if f"t{self.count}" not in self.taken:
                return f"t{self.count}"

    def like(self, name: str) -> str:
        """A name for a variable that needs another: i1 for i."""
        number = 1
        while f"{name}{number}" in self.taken | self.others:
            number += 1
        self.others.add(f"{name}{number}")
        return f"{name}{number}"


@dataclass(slots=True)
class Lowering:
    """Works out the expressions of one statement. `lines`: those that are to stand before it."""

    names: Names
    kinds: Kinds
    plans: Plans
    operations: Operations
    fresh: Fresh
    source: tuple[str, ...]
    statement: ast.stmt
    special: "Mapping[type[ast.expr], Special]"
    lines: list[Line] = field(default_factory=list)
    depth: int = 0
    # Variables of the loops that are made of comprehensions: none but the loop gives them a value.
    looping: set[str] = field(default_factory=set)

    def put(self, node: ast.AST | str, *, origin: ast.AST) -> None:
        """Add a line that stands for a part of the statement."""
        text = node if isinstance(node, str) else written(node, self.source)
        line = getattr(origin, "lineno", 0)
        first, last = self.statement.lineno, self.statement.end_lineno or 0
        # Inside f-strings Python 3.11 does not know where things are.
        self.lines.append(Line(self.depth, text, line if first <= line <= last else first))

    def head(self, word: str, test: ast.expr, *, origin: ast.AST) -> None:
        """Add the line that begins a block: `if x:`."""
        self.put(f"{word} {written(test, self.source)}:", origin=origin)

    @contextmanager
    def deeper(self, levels: int = 1) -> Iterator[None]:
        """What is put meanwhile stands in a block."""
        self.depth += levels
        yield
        self.depth -= levels

    def saved(self, value: ast.expr, *, origin: ast.expr) -> ast.expr:
        """Keep a value in a variable."""
        kind = self.kinds.of(value)
        name = self.fresh.value()
        self.kinds.added[name] = kind
        self.assign(name, value, origin=origin)
        return ast.Name(name, ast.Load())

    def assign(self, name: str, value: ast.expr, *, origin: ast.AST) -> None:
        """Add the line that gives a variable its value."""
        self.put(ast.Assign([ast.Name(name, ast.Store())], value), origin=origin)

    def operand(self, node: ast.expr) -> ast.expr:
        """Work an expression out, down to what is no operation any more."""
        if self.operations.of(node) == 0:
            return node
        value = self.top(node)
        is_whole = isinstance(value, ast.GeneratorExp | ast.Starred | ast.Name)
        if is_whole or (isinstance(value, Display) and not is_unpacking(value)):
            return value
        return self.saved(value, origin=node)

    def operands(self, nodes: Sequence[ast.expr]) -> list[ast.expr]:
        """Work out several, the first first."""
        found = []
        for index, node in enumerate(nodes):
            later = [each for each in nodes[index + 1 :] if self.operations.of(each)]
            found.append(self.kept(self.operand(node), later, origin=node))
        return found

    def kept(self, value: ast.expr, later: Sequence[ast.expr], *, origin: ast.expr) -> ast.expr:
        """What was worked out, in a variable if it could change before it is used."""
        if not later or self.is_stable(value, named_in(later)):
            return value
        if isinstance(value, ast.Starred):
            # It is unpacked before what comes later is evaluated.
            everything = ast.List([value], ast.Load())
            return ast.Starred(self.saved(everything, origin=origin), ast.Load())
        return self.saved(value, origin=origin)

    def is_stable(self, node: ast.expr, rebound: frozenset[str]) -> bool:
        """Whether an expression without operations is the same now and later."""
        match node:
            case ast.Constant():
                return True
            case ast.Name(id=name):
                return name not in rebound and (self.is_own(node) or self.names.is_steady(name))
            case ast.Lambda(args=args):
                return not args.defaults and not any(args.kw_defaults)
            case ast.Attribute():
                return self.names.is_steady_path(node)
            case ast.List(elts=elts) | ast.Tuple(elts=elts):
                return all(self.is_stable(part, rebound) for part in elts)
            case ast.Set(elts=elts):
                return all(isinstance(part, ast.Constant) for part in elts)
            case ast.Dict(keys=keys, values=values):
                is_plain = all(isinstance(key, ast.Constant) for key in keys)
                return is_plain and all(self.is_stable(part, rebound) for part in values)
        return is_number(node)

    def is_own(self, node: ast.expr) -> bool:
        """Whether this is a variable that the rewrite made, or the variable of a loop of its."""
        if not isinstance(node, ast.Name) or node.id not in self.kinds.added:
            return False
        return node.id not in self.names.scope.bindings

    def top(self, node: ast.expr) -> ast.expr:
        """Work an expression out, down to one operation, or none."""
        if self.operations.of(node) == 0:
            return node
        special = self.special.get(type(node))
        return special(self, node) if special else self.rebuilt(node)

    def rebuilt(self, node: ast.expr) -> ast.expr:
        """The operation, with its operands worked out."""
        parts = parts_of(node)
        self._check_display(node, parts)
        return with_parts(node, iter(self.operands(parts)))

    def _check_display(self, node: ast.expr, parts: list[ast.expr]) -> None:
        is_any = any(map(self.operations.of, parts))
        if not isinstance(node, ast.Set | ast.Dict) or not is_any:
            return
        if is_unpacking(node):
            raise UnsafeError("what is unpacked into it has to be before the rest is evaluated")
        if len(parts) > _MANY:
            raise UnsafeError("Python makes it piece by piece, there are so many items")


def named_in(nodes: Sequence[ast.expr]) -> frozenset[str]:
    """Names that expressions bind with `:=`."""
    parts = (part for node in nodes for part in ast.walk(node))
    return frozenset(part.target.id for part in parts if isinstance(part, ast.NamedExpr))


# How an expression is worked out that is more than an operation with operands.
Special = Callable[[Lowering, Any], ast.expr]
