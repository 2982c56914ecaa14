"""Number of operations of an expression.

Names, constants, and lists and the like of these have none: they stay where they are.
"""

import ast
from dataclasses import dataclass, field

from worldline.languages.python.rewrite.expressions.comprehension_plans import ComprehensionPlans
from worldline.languages.python.rewrite.expressions.stable_names import ScopeNames
from worldline.languages.python.rewrite.scopes import Comprehension

Display = ast.List | ast.Tuple | ast.Set | ast.Dict


def is_signed_number(node: ast.expr) -> bool:
    """Whether this is a number with a sign, which is an operation in Python's syntax tree."""
    return isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)


def has_unpacking(node: ast.expr) -> bool:
    """Whether something is unpacked into a list or the like: `[*x]`, `{**x}`."""
    if isinstance(node, ast.Dict):
        return None in node.keys
    return isinstance(node, ast.List | ast.Tuple | ast.Set) and any(
        isinstance(part, ast.Starred) for part in node.elts
    )


@dataclass(slots=True)
class OperationCounter:
    """Counter of the operations of expressions in one function."""

    names: ScopeNames
    plans: ComprehensionPlans
    _cache: dict[ast.AST, int] = field(default_factory=dict)

    def count(self, node: ast.AST | None) -> int:
        """Number of operations of an expression.

        "f(x)" -> 1; "f(x + 1)" -> 2; "[x, -1]" -> 0; "s.strip().split(',')" -> 2
        """
        if node is None:
            return 0
        if node not in self._cache:
            self._cache[node] = self._count_node(node)
        return self._cache[node]

    def _count_all(self, nodes: list[ast.expr]) -> int:
        return sum(map(self.count, nodes))

    def _count_node(self, node: ast.AST) -> int:
        match node:
            case ast.Lambda(args=args):
                return min(self._count_all([*args.defaults, *filter(None, args.kw_defaults)]), 1)
            case ast.GeneratorExp():
                return self.count(node.generators[0].iter)
            case ast.ListComp() | ast.SetComp() | ast.DictComp():
                # A loop always takes more than one line.
                return (
                    1 + self.count(node.generators[0].iter) if self.plans.reason_kept(node) else 2
                )
            case ast.Call():
                return self._count_call(node)
            case ast.Attribute(value=value):
                return 0 if self.names.is_module_attribute(node) else 1 + self.count(value)
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                return len(ops) + self._count_all([left, *comparators])
            case ast.JoinedStr(values=values):
                parts = [part for part in values if isinstance(part, ast.FormattedValue)]
                return bool(parts) + sum(self._count_field(part) for part in parts)
            case ast.List() | ast.Tuple() | ast.Set() | ast.Dict():
                return has_unpacking(node) + self._count_children(node)
            case ast.Await(value=ast.Call() as call) | ast.YieldFrom(value=ast.Call() as call):
                return self.count(call)
            case ast.UnaryOp() if is_signed_number(node):
                return 0
        return self._is_operation(node) + self._count_children(node)

    def _is_operation(self, node: ast.AST) -> bool:
        kinds = ast.BinOp | ast.UnaryOp | ast.BoolOp | ast.IfExp | ast.Subscript | ast.NamedExpr
        return isinstance(node, kinds | ast.Await | ast.Yield | ast.YieldFrom | Comprehension)

    def _count_children(self, node: ast.AST) -> int:
        return sum(map(self.count, ast.iter_child_nodes(node)))

    def _count_call(self, node: ast.Call) -> int:
        if self.plans.consumer(node):
            return 2
        func = node.func
        if isinstance(func, ast.Attribute):
            callee_count = 0 if self.names.is_module_attribute(func) else self.count(func.value)
        else:
            callee_count = self.count(func)
        return (
            1
            + callee_count
            + self._count_all([*node.args, *(each.value for each in node.keywords)])
        )

    def _count_field(self, part: ast.FormattedValue) -> int:
        return self.count(part.value) + self.count_format_spec(part)

    def count_format_spec(self, part: ast.FormattedValue) -> int:
        """Number of operations in a format specification: `{x:>{width()}}` -> 1."""
        if not isinstance(part.format_spec, ast.JoinedStr):
            return 0
        inner = [each for each in part.format_spec.values if isinstance(each, ast.FormattedValue)]
        return sum(self._count_field(each) for each in inner)
