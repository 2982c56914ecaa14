"""Lowering of an expression to lines of one operation each.

The order of evaluation is Python's. An operand that stays in place is evaluated later than before,
so it stays only if it certainly has the same value then; otherwise it is stored in a temporary
variable.
"""

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from worldline.languages.python.rewrite.expressions.comprehension_plans import ComprehensionPlans
from worldline.languages.python.rewrite.expressions.operands import operands_of, replace_operands
from worldline.languages.python.rewrite.expressions.operation_count import (
    Display,
    OperationCounter,
    has_unpacking,
    is_signed_number,
)
from worldline.languages.python.rewrite.expressions.stable_names import ScopeNames
from worldline.languages.python.rewrite.expressions.unparse import OutputLine, unparse_line
from worldline.languages.python.rewrite.type_inference import LocalTypes

# With more items than this, Python builds a dictionary or a set while it evaluates them.
_MAX_ITEMS = 15


class UnsafeError(Exception):
    """A statement cannot be rewritten safely; the message is the reason."""


@dataclass(slots=True)
class TemporaryNames:
    """Names that a program does not use, numbered from 1 in each function."""

    taken: frozenset[str]
    count: int = 0
    renamed: set[str] = field(default_factory=set)

    def next_name(self) -> str:
        """A new name for a temporary variable: t1, t2, …"""
        while True:
            self.count += 1
            if f"t{self.count}" not in self.taken:
                return f"t{self.count}"

    def rename(self, name: str) -> str:
        """A new name for a variable that clashes with another: i1 for i."""
        number = 1
        while f"{name}{number}" in self.taken | self.renamed:
            number += 1
        self.renamed.add(f"{name}{number}")
        return f"{name}{number}"


@dataclass(slots=True)
class Lowering:
    """Lowering of the expressions of one statement.

    Attributes:
        names: the names at the statement.
        types: types of expressions.
        plans: comprehensions that become loops.
        operations: counts operations.
        temporaries: new names.
        source: the lines of the program.
        statement: the statement.
        special_cases: how to lower expressions that are not simply an operation with operands.
        lines: the new lines before the statement.
        depth: the current depth of nested blocks.
        loop_variables: variables of the loops that replace comprehensions; only the loop assigns
            them.
    """

    names: ScopeNames
    types: LocalTypes
    plans: ComprehensionPlans
    operations: OperationCounter
    temporaries: TemporaryNames
    source: tuple[str, ...]
    statement: ast.stmt
    special_cases: "Mapping[type[ast.expr], SpecialCase]"
    lines: list[OutputLine] = field(default_factory=list)
    depth: int = 0
    loop_variables: set[str] = field(default_factory=set)

    def emit(self, node: ast.AST | str, *, origin: ast.AST) -> None:
        """Add a line that stands for a part of the statement."""
        text = node if isinstance(node, str) else unparse_line(node, self.source)
        line = getattr(origin, "lineno", 0)
        first, last = self.statement.lineno, self.statement.end_lineno or 0
        # Python 3.11 has wrong line numbers inside f-strings.
        self.lines.append(OutputLine(self.depth, text, line if first <= line <= last else first))

    def emit_header(self, word: str, test: ast.expr, *, origin: ast.AST) -> None:
        """Add a line that begins a block: `if x:`."""
        self.emit(f"{word} {unparse_line(test, self.source)}:", origin=origin)

    @contextmanager
    def indented(self, levels: int = 1) -> Iterator[None]:
        """Emit lines inside a block."""
        self.depth += levels
        yield
        self.depth -= levels

    def store(self, value: ast.expr, *, origin: ast.expr) -> ast.expr:
        """Store a value in a new temporary variable."""
        value_type = self.types.type_of(value)
        name = self.temporaries.next_name()
        self.types.temporaries[name] = value_type
        self.emit_assignment(name, value, origin=origin)
        return ast.Name(name, ast.Load())

    def emit_assignment(self, name: str, value: ast.expr, *, origin: ast.AST) -> None:
        """Add a line that assigns a variable."""
        self.emit(ast.Assign([ast.Name(name, ast.Store())], value), origin=origin)

    def lower_operand(self, node: ast.expr) -> ast.expr:
        """Lower an expression completely, to one without operations."""
        if self.operations.count(node) == 0:
            return node
        value = self.lower(node)
        is_atomic = isinstance(value, ast.GeneratorExp | ast.Starred | ast.Name)
        if is_atomic or (isinstance(value, Display) and not has_unpacking(value)):
            return value
        return self.store(value, origin=node)

    def lower_operands(self, nodes: Sequence[ast.expr]) -> list[ast.expr]:
        """Lower several expressions, in the order of evaluation."""
        lowered = []
        for index, node in enumerate(nodes):
            later = [each for each in nodes[index + 1 :] if self.operations.count(each)]
            lowered.append(self.stabilize(self.lower_operand(node), later, origin=node))
        return lowered

    def stabilize(
        self, value: ast.expr, later: Sequence[ast.expr], *, origin: ast.expr
    ) -> ast.expr:
        """Store a lowered value in a variable if it could change before it is used."""
        if not later or self.is_stable(value, walrus_targets(later)):
            return value
        if isinstance(value, ast.Starred):
            # It is unpacked before the later expressions are evaluated.
            unpacked = ast.List([value], ast.Load())
            return ast.Starred(self.store(unpacked, origin=origin), ast.Load())
        return self.store(value, origin=origin)

    def is_stable(self, node: ast.expr, assigned: frozenset[str]) -> bool:
        """Whether an expression without operations has the same value now and later."""
        match node:
            case ast.Constant():
                return True
            case ast.Name(id=name):
                return name not in assigned and (
                    self.is_temporary(node) or self.names.is_stable(name)
                )
            case ast.Lambda(args=args):
                return not args.defaults and not any(args.kw_defaults)
            case ast.Attribute():
                return self.names.is_stable_module_attribute(node)
            case ast.List(elts=elts) | ast.Tuple(elts=elts):
                return all(self.is_stable(part, assigned) for part in elts)
            case ast.Set(elts=elts):
                return all(isinstance(part, ast.Constant) for part in elts)
            case ast.Dict(keys=keys, values=values):
                is_plain = all(isinstance(key, ast.Constant) for key in keys)
                return is_plain and all(self.is_stable(part, assigned) for part in values)
        return is_signed_number(node)

    def is_temporary(self, node: ast.expr) -> bool:
        """Whether this is a temporary variable, or a variable of a loop for a comprehension."""
        if not isinstance(node, ast.Name) or node.id not in self.types.temporaries:
            return False
        return node.id not in self.names.scope.bindings

    def lower(self, node: ast.expr) -> ast.expr:
        """Lower an expression to one with at most one operation."""
        if self.operations.count(node) == 0:
            return node
        special = self.special_cases.get(type(node))
        return special(self, node) if special else self.rebuild(node)

    def rebuild(self, node: ast.expr) -> ast.expr:
        """Return the operation with its operands lowered."""
        operands = operands_of(node)
        self._check_display(node, operands)
        return replace_operands(node, iter(self.lower_operands(operands)))

    def _check_display(self, node: ast.expr, operands: list[ast.expr]) -> None:
        has_operations = any(map(self.operations.count, operands))
        if not isinstance(node, ast.Set | ast.Dict) or not has_operations:
            return
        if has_unpacking(node):
            raise UnsafeError("it has to be unpacked before the other items are evaluated")
        if len(operands) > _MAX_ITEMS:
            raise UnsafeError(f"it has more than {_MAX_ITEMS} items, which Python adds one by one")


def walrus_targets(nodes: Sequence[ast.expr]) -> frozenset[str]:
    """Names that expressions bind with `:=`."""
    parts = (part for node in nodes for part in ast.walk(node))
    return frozenset(part.target.id for part in parts if isinstance(part, ast.NamedExpr))


# Lowers an expression that is not simply an operation with operands.
SpecialCase = Callable[[Lowering, Any], ast.expr]
