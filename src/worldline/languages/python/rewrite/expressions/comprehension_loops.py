"""Lowering of comprehensions, and of functions that consume a generator expression, to loops."""

import ast
import copy
from collections.abc import Callable

from worldline.languages.python.rewrite.expressions.comprehension_plans import (
    add_variable_types,
    loop_variables,
)
from worldline.languages.python.rewrite.expressions.lowering import Lowering
from worldline.languages.python.rewrite.scopes import Comprehension


def lower_comprehension(
    lowering: Lowering, node: ast.ListComp | ast.SetComp | ast.DictComp
) -> ast.expr:
    """`[f(x) for x in xs]` -> t1 = [], for x in xs:, t2 = f(x), t1.append(t2); and t1."""
    if lowering.plans.reason_kept(node):
        return lowering.rebuild(node)
    empty: ast.expr
    match node:
        case ast.ListComp():
            empty = ast.List([], ast.Load())
        case ast.SetComp():
            empty = ast.Call(ast.Name("set", ast.Load()), [], [])
        case ast.DictComp():
            empty = ast.Dict([], [])
    return _collect(lowering, node, empty)


def _collect(lowering: Lowering, node: Comprehension, empty: ast.expr) -> ast.expr:
    def add_item(comprehension: Comprehension, name: str) -> None:
        collection = ast.Name(name, ast.Load())
        if isinstance(comprehension, ast.DictComp):
            key = lowering.stabilize(
                lowering.lower_operand(comprehension.key),
                [comprehension.value],
                origin=comprehension.key,
            )
            value = lowering.lower_operand(comprehension.value)
            target = ast.Subscript(collection, key, ast.Store())
            lowering.emit(ast.Assign([target], value), origin=comprehension.key)
            return
        item = lowering.lower_operand(comprehension.elt)
        method = "append" if isinstance(empty, ast.List) else "add"
        call = ast.Call(ast.Attribute(collection, method, ast.Load()), [item], [])
        lowering.emit(ast.Expr(call), origin=comprehension.elt)

    return _emit_loop(lowering, node, empty, add_item)


def _emit_loop(
    lowering: Lowering,
    node: Comprehension,
    start: ast.expr,
    body: Callable[[Comprehension, str], None],
    *,
    leave: Callable[[str], None] | None = None,
) -> ast.expr:
    """Emit a loop that computes a variable; return that variable."""
    first = lowering.lower(node.generators[0].iter)
    value_type = lowering.types.type_of(start)
    comprehension = _rename_variables(lowering, node)
    name = lowering.temporaries.next_name()
    lowering.emit_assignment(name, start, origin=node)
    lowering.types.temporaries[name] = value_type
    add_variable_types(lowering.types, comprehension)
    own_variables = loop_variables(comprehension)
    lowering.loop_variables |= own_variables
    _emit_nested(
        lowering,
        comprehension,
        first,
        lambda: body(comprehension, name),
        leave and (lambda: leave(name)),
    )
    lowering.loop_variables -= own_variables
    return ast.Name(name, ast.Load())


def _emit_nested(
    lowering: Lowering,
    node: Comprehension,
    first: ast.expr,
    body: Callable[[], None],
    leave: Callable[[], None] | None,
) -> None:
    """Emit the `for` and `if` lines of a comprehension, and inside them its body."""
    start = lowering.depth
    depths = []
    for index, generator in enumerate(node.generators):
        source = lowering.lower(generator.iter) if index else first
        depths.append(lowering.depth)
        lowering.emit(ast.For(generator.target, source, [], []), origin=generator.target)
        lowering.depth += 1
        for test in generator.ifs:
            lowering.emit_header("if", lowering.lower(test), origin=test)
            lowering.depth += 1
    body()
    for depth in reversed(depths[1:]):
        lowering.depth = depth
        if leave is not None:
            leave()
    lowering.depth = start


def _rename_variables(lowering: Lowering, node: Comprehension) -> Comprehension:
    """Rename the variables of a comprehension that clash with others of the function."""
    clashing = loop_variables(node) & (lowering.plans.visible_names | lowering.loop_variables)
    if not clashing:
        return node
    renamed_node = copy.deepcopy(node)
    lowering.names.facts.scopes.add_copy(node, renamed_node)
    new_names = {name: lowering.temporaries.rename(name) for name in sorted(clashing)}
    outside = set(ast.walk(renamed_node.generators[0].iter))
    for each in ast.walk(renamed_node):
        if isinstance(each, ast.Name) and each not in outside and each.id in new_names:
            each.id = new_names[each.id]
    return renamed_node


def lower_consumer(lowering: Lowering, node: ast.Call, consumer: str) -> ast.expr:
    """`any(f(x) for x in xs)` -> a loop that stops at the first true item.

    See `ComprehensionPlans.consumer`.
    """
    source = node.args[0]
    assert isinstance(source, ast.GeneratorExp)
    if consumer in ("any", "all"):
        return _search(lowering, source, is_any=consumer == "any")
    if consumer == "sum":
        return _sum(lowering, source)
    if consumer == "set":
        return _collect(lowering, source, ast.Call(ast.Name("set", ast.Load()), [], []))
    func = node.func
    if isinstance(func, ast.Attribute):
        func = ast.Attribute(lowering.lower_operand(func.value), func.attr, ast.Load())
        func.value = lowering.stabilize(func.value, [source], origin=func.value)
    collection = _collect(lowering, source, ast.List([], ast.Load()))
    if consumer == "list":
        return collection
    return ast.Call(func, [collection], node.keywords)


def _search(lowering: Lowering, source: ast.GeneratorExp, *, is_any: bool) -> ast.expr:
    def test_item(comprehension: Comprehension, name: str) -> None:
        assert isinstance(comprehension, ast.GeneratorExp)
        test = (
            lowering.lower(comprehension.elt)
            if is_any
            else lower_negation(lowering, comprehension.elt)
        )
        lowering.emit_header("if", test, origin=comprehension.elt)
        with lowering.indented():
            lowering.emit_assignment(name, ast.Constant(is_any), origin=comprehension.elt)
            lowering.emit("break", origin=comprehension.elt)

    def leave(name: str) -> None:
        lowering.emit(f"if {name}:" if is_any else f"if not {name}:", origin=source)
        with lowering.indented():
            lowering.emit("break", origin=source)

    return _emit_loop(lowering, source, ast.Constant(not is_any), test_item, leave=leave)


def lower_negation(lowering: Lowering, test: ast.expr) -> ast.expr:
    """Lower the negation of a test; `not x` -> x."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return lowering.lower(test.operand)
    return ast.UnaryOp(ast.Not(), lowering.lower_operand(test))


def _sum(lowering: Lowering, source: ast.GeneratorExp) -> ast.expr:
    def add(comprehension: Comprehension, name: str) -> None:
        assert isinstance(comprehension, ast.GeneratorExp)
        target = ast.Name(name, ast.Store())
        lowering.emit(
            ast.AugAssign(target, ast.Add(), lowering.lower_operand(comprehension.elt)),
            origin=comprehension.elt,
        )

    return _emit_loop(lowering, source, ast.Constant(0), add)
