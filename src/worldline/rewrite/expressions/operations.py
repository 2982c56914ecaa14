"""An expression goes in; how many operations it takes comes out.

Names, constants, and lists and the like made of them take none: they stay where they are.
"""

import ast
from dataclasses import dataclass, field

from worldline.rewrite.expressions.names import Names
from worldline.rewrite.expressions.plans import Plans
from worldline.rewrite.scopes import Comprehension

Display = ast.List | ast.Tuple | ast.Set | ast.Dict


def is_number(node: ast.expr) -> bool:
    """Whether this is a number with a sign, which Python's syntax makes an operation."""
    return isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)


def is_unpacking(node: ast.expr) -> bool:
    """Whether something is unpacked into a list or the like: `[*x]`, `{**x}`."""
    if isinstance(node, ast.Dict):
        return None in node.keys
    return isinstance(node, ast.List | ast.Tuple | ast.Set) and any(
        isinstance(part, ast.Starred) for part in node.elts
    )


@dataclass(slots=True)
class Operations:
    """Counts the operations of the expressions of one function."""

    names: Names
    plans: Plans
    _counted: dict[ast.AST, int] = field(default_factory=dict)

    def of(self, node: ast.AST | None) -> int:
        """How many operations an expression takes.

        "f(x)" -> 1; "f(x + 1)" -> 2; "[x, -1]" -> 0; "s.strip().split(',')" -> 2
        """
        if node is None:
            return 0
        if node not in self._counted:
            self._counted[node] = self._count(node)
        return self._counted[node]

    def _all(self, nodes: list[ast.expr]) -> int:
        return sum(map(self.of, nodes))

    def _count(self, node: ast.AST) -> int:
        match node:
            case ast.Lambda(args=args):
                return min(self._all([*args.defaults, *filter(None, args.kw_defaults)]), 1)
            case ast.GeneratorExp():
                return self.of(node.generators[0].iter)
            case ast.ListComp() | ast.SetComp() | ast.DictComp():
                # A loop takes more than one line, always.
                return 1 + self.of(node.generators[0].iter) if self.plans.why_not(node) else 2
            case ast.Call():
                return self._call(node)
            case ast.Attribute(value=value):
                return 0 if self.names.is_path(node) else 1 + self.of(value)
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                return len(ops) + self._all([left, *comparators])
            case ast.JoinedStr(values=values):
                parts = [part for part in values if isinstance(part, ast.FormattedValue)]
                return bool(parts) + sum(self._formatted(part) for part in parts)
            case ast.List() | ast.Tuple() | ast.Set() | ast.Dict():
                return is_unpacking(node) + self._children(node)
            case ast.Await(value=ast.Call() as call) | ast.YieldFrom(value=ast.Call() as call):
                return self.of(call)
            case ast.UnaryOp() if is_number(node):
                return 0
        return self._is_operation(node) + self._children(node)

    def _is_operation(self, node: ast.AST) -> bool:
        kinds = ast.BinOp | ast.UnaryOp | ast.BoolOp | ast.IfExp | ast.Subscript | ast.NamedExpr
        return isinstance(node, kinds | ast.Await | ast.Yield | ast.YieldFrom | Comprehension)

    def _children(self, node: ast.AST) -> int:
        return sum(map(self.of, ast.iter_child_nodes(node)))

    def _call(self, node: ast.Call) -> int:
        if self.plans.consumer(node):
            return 2
        func = node.func
        if isinstance(func, ast.Attribute):
            before = 0 if self.names.is_path(func) else self.of(func.value)
        else:
            before = self.of(func)
        return 1 + before + self._all([*node.args, *(each.value for each in node.keywords)])

    def _formatted(self, part: ast.FormattedValue) -> int:
        return self.of(part.value) + self.spec(part)

    def spec(self, part: ast.FormattedValue) -> int:
        """The operations in what stands behind the colon: `{x:>{width()}}` -> 1."""
        if not isinstance(part.format_spec, ast.JoinedStr):
            return 0
        inner = [each for each in part.format_spec.values if isinstance(each, ast.FormattedValue)]
        return sum(self._formatted(each) for each in inner)
