"""A rewritten program goes in; its syntax tree with every operation put back comes out."""

import ast
import copy


def put_back(tree: ast.Module, added: set[str]) -> ast.Module:
    """The tree without the functions that were added, and with their operations in place of calls.

    What a function stands for is read from the function: it is what it leaves to Python.
    """
    functions = {
        node.name: node
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name in added
    }
    assert set(functions) == added
    kept = [node for node in tree.body if node not in functions.values()]
    return plain(_PutBack(functions).visit(ast.Module(kept, [])))


def plain(tree: ast.Module) -> ast.Module:
    """Two ways to write the same made one: `a not in b`, `not a in b`; x[1:], x[1:None]."""
    found: ast.Module = _Plain().visit(tree)
    return found


class _PutBack(ast.NodeTransformer):
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
        filled: ast.AST = _Filled(values).visit(copy.deepcopy(operation(function)))
        return filled

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        whole = copy.deepcopy(node)
        self.generic_visit(node)
        call = whole.body
        if (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Name)
            and call.func.id in self.functions
            and ast.unparse(node.test) == f"type({ast.unparse(call.args[0])}) is str"
        ):
            # The operation is written twice, and both must be the one that was there.
            both = [_Plain().visit(copy.deepcopy(each)) for each in (node.body, node.orelse)]
            assert ast.dump(both[0]) == ast.dump(both[1])
            return node.orelse
        return node


def operation(function: ast.FunctionDef) -> ast.expr:
    """What an added function returns first: the operation as Python does it."""
    first = function.body[0]
    assert isinstance(first, ast.If)
    returned = first.body[0]
    assert isinstance(returned, ast.Return)
    assert returned.value is not None
    return returned.value


class _Filled(ast.NodeTransformer):
    def __init__(self, values: dict[str, ast.expr]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self.values[node.id]


class _Plain(ast.NodeTransformer):
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
