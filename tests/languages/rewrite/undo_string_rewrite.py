"""Inverse of the string rewrite: restores the operations in a syntax tree."""

import ast
import copy


def undo_rewrite(tree: ast.Module, inserted: set[str]) -> ast.Module:
    """Remove the inserted functions and replace their calls by the original operations.

    The operation of a function is read from the function: it is its fallback to Python.
    """
    functions = {
        node.name: node
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name in inserted
    }
    assert set(functions) == inserted
    others = [node for node in tree.body if node not in functions.values()]
    return normalize(_UndoRewrite(functions).visit(ast.Module(others, [])))


def normalize(tree: ast.Module) -> ast.Module:
    """Give equivalent expressions one form: `a not in b`, `not a in b`; x[1:], x[1:None]."""
    normalized: ast.Module = _Normalize().visit(tree)
    return normalized


class _UndoRewrite(ast.NodeTransformer):
    def __init__(self, functions: dict[str, ast.FunctionDef]) -> None:
        self.functions = functions

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.func, ast.Name) or node.func.id not in self.functions:
            return node
        function = self.functions[node.func.id]
        names = [each.arg for each in function.args.args]
        values = dict(zip(names, node.args, strict=False))
        values.update({each.arg or "": each.value for each in node.keywords})
        assert set(values) == set(names)
        substituted: ast.AST = _Substitute(values).visit(copy.deepcopy(fallback_of(function)))
        return substituted

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        original = copy.deepcopy(node)
        self.generic_visit(node)
        call = original.body
        if (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Name)
            and call.func.id in self.functions
            and ast.unparse(node.test) == f"type({ast.unparse(call.args[0])}) is str"
        ):
            # A guard contains the operation twice; both must be the original one.
            both = [_Normalize().visit(copy.deepcopy(each)) for each in (node.body, node.orelse)]
            assert ast.dump(both[0]) == ast.dump(both[1])
            return node.orelse
        return node


def fallback_of(function: ast.FunctionDef) -> ast.expr:
    """The operation that an inserted function returns first, as Python does it."""
    first = function.body[0]
    assert isinstance(first, ast.If)
    returned = first.body[0]
    assert isinstance(returned, ast.Return)
    assert returned.value is not None
    return returned.value


class _Substitute(ast.NodeTransformer):
    def __init__(self, values: dict[str, ast.expr]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self.values[node.id]


class _Normalize(ast.NodeTransformer):
    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) == 1 and isinstance(node.ops[0], ast.NotIn):
            return ast.UnaryOp(ast.Not(), ast.Compare(node.left, [ast.In()], node.comparators))
        return node

    def visit_Slice(self, node: ast.Slice) -> ast.AST:
        self.generic_visit(node)
        for name in ("lower", "upper", "step"):
            part = getattr(node, name)
            if isinstance(part, ast.Constant) and part.value is None:
                setattr(node, name, None)
        return node
