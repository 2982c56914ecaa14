"""A comprehension goes in; the loop that does the same comes out."""

import ast
import copy
from collections.abc import Callable

from worldline.rewrite.expressions.lowering import Lowering
from worldline.rewrite.expressions.plans import variables, with_items
from worldline.rewrite.scopes import Comprehension


def looped(low: Lowering, node: ast.ListComp | ast.SetComp | ast.DictComp) -> ast.expr:
    """`[f(x) for x in xs]` -> t1 = [], for x in xs:, t2 = f(x), t1.append(t2); and t1."""
    if low.plans.why_not(node):
        return low.rebuilt(node)
    empty: ast.expr
    match node:
        case ast.ListComp():
            empty = ast.List([], ast.Load())
        case ast.SetComp():
            empty = ast.Call(ast.Name("set", ast.Load()), [], [])
        case ast.DictComp():
            empty = ast.Dict([], [])
    return _collected(low, node, empty)


def _collected(low: Lowering, node: Comprehension, empty: ast.expr) -> ast.expr:
    def put_in(made: Comprehension, name: str) -> None:
        found = ast.Name(name, ast.Load())
        if isinstance(made, ast.DictComp):
            key = low.kept(low.operand(made.key), [made.value], origin=made.key)
            value = low.operand(made.value)
            target = ast.Subscript(found, key, ast.Store())
            low.put(ast.Assign([target], value), origin=made.key)
            return
        item = low.operand(made.elt)
        method = "append" if isinstance(empty, ast.List) else "add"
        call = ast.Call(ast.Attribute(found, method, ast.Load()), [item], [])
        low.put(ast.Expr(call), origin=made.elt)

    return _loop(low, node, empty, put_in)


def _loop(
    low: Lowering,
    node: Comprehension,
    start: ast.expr,
    body: Callable[[Comprehension, str], None],
    *,
    leave: Callable[[str], None] | None = None,
) -> ast.expr:
    """A loop in which a variable gets its value, and that variable."""
    first = low.top(node.generators[0].iter)
    kind = low.kinds.of(start)
    made = _with_own_names(low, node)
    name = low.fresh.value()
    low.assign(name, start, origin=node)
    low.kinds.added[name] = kind
    with_items(low.kinds, made)
    own = variables(made)
    low.looping |= own
    _nest(low, made, first, lambda: body(made, name), leave and (lambda: leave(name)))
    low.looping -= own
    return ast.Name(name, ast.Load())


def _nest(
    low: Lowering,
    node: Comprehension,
    first: ast.expr,
    body: Callable[[], None],
    leave: Callable[[], None] | None,
) -> None:
    """The `for` and `if` lines of a comprehension, and inside them its body."""
    start = low.depth
    depths = []
    for index, part in enumerate(node.generators):
        source = low.top(part.iter) if index else first
        depths.append(low.depth)
        low.put(ast.For(part.target, source, [], []), origin=part.target)
        low.depth += 1
        for test in part.ifs:
            low.head("if", low.top(test), origin=test)
            low.depth += 1
    body()
    for depth in reversed(depths[1:]):
        low.depth = depth
        if leave is not None:
            leave()
    low.depth = start


def _with_own_names(low: Lowering, node: Comprehension) -> Comprehension:
    """The comprehension with variables that nothing else in the function has."""
    clashing = variables(node) & (low.plans.seen | low.looping)
    if not clashing:
        return node
    made = copy.deepcopy(node)
    # What is known of the scopes inside it holds for the copies, too.
    scopes = low.names.facts.scopes
    for old, new in zip(ast.walk(node), ast.walk(made), strict=True):
        if old in scopes:
            scopes[new] = scopes[old]
    renamed = {name: low.fresh.like(name) for name in sorted(clashing)}
    outside = set(ast.walk(made.generators[0].iter))
    for each in ast.walk(made):
        if isinstance(each, ast.Name) and each not in outside and each.id in renamed:
            each.id = renamed[each.id]
    return made


def consumed(low: Lowering, node: ast.Call, consumer: str) -> ast.expr:
    """`any(f(x) for x in xs)` -> a loop that stops at the first that is true; see `consumer`."""
    source = node.args[0]
    assert isinstance(source, ast.GeneratorExp)
    if consumer in ("any", "all"):
        return _searched(low, source, is_any=consumer == "any")
    if consumer == "sum":
        return _summed(low, source)
    if consumer == "set":
        return _collected(low, source, ast.Call(ast.Name("set", ast.Load()), [], []))
    func = node.func
    if isinstance(func, ast.Attribute):
        func = ast.Attribute(low.operand(func.value), func.attr, ast.Load())
        func.value = low.kept(func.value, [source], origin=func.value)
    found = _collected(low, source, ast.List([], ast.Load()))
    if consumer == "list":
        return found
    return ast.Call(func, [found], node.keywords)


def _searched(low: Lowering, source: ast.GeneratorExp, *, is_any: bool) -> ast.expr:
    def look(made: Comprehension, name: str) -> None:
        assert isinstance(made, ast.GeneratorExp)
        test = low.top(made.elt) if is_any else negated(low, made.elt)
        low.head("if", test, origin=made.elt)
        with low.deeper():
            low.assign(name, ast.Constant(is_any), origin=made.elt)
            low.put("break", origin=made.elt)

    def leave(name: str) -> None:
        low.put(f"if {name}:" if is_any else f"if not {name}:", origin=source)
        with low.deeper():
            low.put("break", origin=source)

    return _loop(low, source, ast.Constant(not is_any), look, leave=leave)


def negated(low: Lowering, test: ast.expr) -> ast.expr:
    """What is true where a test is not; `not x` -> x."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return low.top(test.operand)
    return ast.UnaryOp(ast.Not(), low.operand(test))


def _summed(low: Lowering, source: ast.GeneratorExp) -> ast.expr:
    def add(made: Comprehension, name: str) -> None:
        assert isinstance(made, ast.GeneratorExp)
        target = ast.Name(name, ast.Store())
        low.put(ast.AugAssign(target, ast.Add(), low.operand(made.elt)), origin=made.elt)

    return _loop(low, source, ast.Constant(0), add)
