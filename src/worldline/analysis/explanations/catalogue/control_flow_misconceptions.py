"""Misconceptions about conditions, loops, functions and shared objects."""

import ast
from collections.abc import Iterator

from worldline.analysis.explanations.misconception import (
    Change,
    Example,
    Misconception,
    Source,
    any_of,
    call_becomes,
)

_MUTABLE = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
_SHARED = "def g(n, xs=[]):\n    xs.append(n)\n    return xs\n\n"


def _short_circuit(node: ast.AST, source: Source) -> Iterator[Change]:
    match node:
        case ast.BoolOp(op=operator, values=[*_, _] as values):
            symbol = "or" if isinstance(operator, ast.Or) else "and"
            name = source.segment(node)
            for index, word in ((0, "first"), (-1, "last")):
                text = source.segment(values[index])
                yield Change(node, text, symbol, f"`{name}` were its {word} operand")
            text = f"bool({name})"
            yield Change(node, text, symbol, f"`{name}` were True or False")


def _and_for_or(node: ast.AST, source: Source) -> Iterator[Change]:
    match node:
        case ast.BoolOp(op=operator, values=values):
            symbol, other = ("or", "and") if isinstance(operator, ast.Or) else ("and", "or")
            text = f" {other} ".join(source.text(value) for value in values)
            yield Change(node, text, symbol, f"`{symbol}` were `{other}`")


def _negation_ignored(node: ast.AST, source: Source) -> Iterator[Change]:
    match node:
        case ast.UnaryOp(op=ast.Not() | ast.USub() as operator, operand=operand) if not isinstance(
            operand, ast.Constant
        ):
            symbol = "not" if isinstance(operator, ast.Not) else "-"
            text = source.segment(operand)
            yield Change(node, text, symbol, f"`{source.segment(node)}` were `{text}`")


def _other_arm(node: ast.AST, source: Source) -> Iterator[Change]:
    match node:
        case ast.IfExp(body=body, orelse=orelse):
            for part in (body, orelse):
                clause = f"the conditional expression were always `{source.segment(part)}`"
                yield Change(node, source.segment(part), "conditional", clause)


def _truthiness(node: ast.AST, source: Source) -> Iterator[Change]:
    match node:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            pass
        case ast.UnaryOp(op=ast.Not(), operand=test):
            pass
        case _:
            return
    if isinstance(test, ast.Name | ast.Subscript | ast.Attribute | ast.Call):
        name = source.segment(test)
        text = f"{source.text(test)} is not None"
        yield Change(test, text, "condition", f"`{name}` were true unless it is None")


def _stale_variable(node: ast.AST, source: Source) -> Iterator[Change]:
    match node:
        case ast.For(target=ast.Name(id=name), body=body):
            for statement in body:
                for use in _loads(statement, name):
                    text = f"_misread_stale({name!r}, {name})"
                    yield Change(use, text, name, f"`{name}` were still the item before")


def _loads(node: ast.AST, name: str) -> Iterator[ast.Name]:
    """The uses of a variable; not those in f-strings, whose positions are wrong before 3.12."""
    if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
        yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.JoinedStr):
            yield from _loads(child, name)


def _iteration_off_by_one(node: ast.AST, source: Source) -> Iterator[Change]:
    match node:
        case ast.For(iter=iterated) | ast.comprehension(iter=iterated):
            name = source.segment(iterated)
            for part, word in (("[:-1]", "last"), ("[1:]", "first")):
                text = f"list({name}){part}"
                yield Change(iterated, text, "for", f"the {word} item of `{name}` were skipped")


def _iterates_copy(node: ast.AST, source: Source) -> Iterator[Change]:
    match node:
        case ast.For(iter=ast.Name(id=name) as iterated):
            clause = f"`for … in {name}` iterated over a copy"
            yield Change(iterated, f"_misread_copy({name})", "for", clause)


def _loop_exit(node: ast.AST, source: Source) -> Iterator[Change]:
    match node:
        case ast.Break():
            yield Change(node, "continue", "break", "`break` were `continue`")
            yield Change(node, "pass", "break", "`break` were ignored")
        case ast.Continue():
            yield Change(node, "break", "continue", "`continue` were `break`")
            yield Change(node, "pass", "continue", "`continue` were ignored")


def _copy_for_alias(node: ast.AST, source: Source) -> Iterator[Change]:
    match node:
        case ast.Assign(value=ast.Name() | ast.Subscript() | ast.Attribute() as assigned):
            if isinstance(assigned, ast.Subscript) and isinstance(assigned.slice, ast.Slice):
                return
            values: list[ast.expr] = [assigned]
        case ast.Call(args=arguments):
            values = [argument for argument in arguments if isinstance(argument, ast.Name)]
        case ast.List(elts=items, ctx=ast.Load()):
            values = [item for item in items if isinstance(item, ast.Name)]
        case _:
            return
    for value in values:
        name = source.segment(value)
        yield Change(value, f"_misread_copy({name})", name, f"`{name}` were a copy")


def _alias_for_copy(node: ast.AST, source: Source) -> Iterator[Change]:
    match node:
        case ast.Subscript(
            value=value, slice=ast.Slice(lower=None, upper=None, step=None), ctx=ast.Load()
        ):
            pass
        case ast.Call(func=ast.Attribute(value=value, attr="copy"), args=[]):
            pass
        case ast.Call(func=ast.Name(id="list" | "dict" | "set" | "deepcopy"), args=[value]):
            pass
        case ast.Call(func=ast.Attribute(attr="copy" | "deepcopy"), args=[value]):
            pass
        case _:
            return
    name = source.segment(node)
    yield Change(node, source.segment(value), "copy", f"`{name}` were no copy")


def _repeated_rows(node: ast.AST, source: Source) -> Iterator[Change]:
    match node:
        case ast.BinOp(left=ast.List() as left, op=ast.Mult(), right=right):
            text = f"_misread_rows({source.segment(left)}, {source.segment(right)})"
            clause = f"the items of `{source.segment(node)}` were separate objects"
            yield Change(node, text, "*", clause)


def _new_for_in_place(node: ast.AST, source: Source) -> Iterator[Change]:
    match node:
        case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=value):
            text = f"{name} = {name} + {source.text(value)}"
            yield Change(node, text, "+=", "`+=` made a new object")
        case ast.Assign(
            targets=[ast.Name(id=name)],
            value=ast.BinOp(left=ast.Name(id=left), op=ast.Add(), right=right),
        ) if left == name:
            text = f"{name} += {source.segment(right)}"
            yield Change(node, text, "+", f"`{source.segment(node)}` were `{text}`")


def _fresh_defaults(node: ast.AST, source: Source) -> Iterator[Change]:
    match node:
        case ast.FunctionDef(name=name) if any(part is node for part in source.tree.body):
            for default in node.args.defaults:
                if isinstance(default, _MUTABLE):
                    clause = f"the defaults of `{name}` were new each time"
                    after = f"{name} = _misread_fresh_defaults({name})"
                    text = source.segment(default)
                    yield Change(default, text, "default", clause, after_program=after)


def _early_binding(node: ast.AST, source: Source) -> Iterator[Change]:
    match node:
        case ast.ListComp(elt=ast.Lambda() as function, generators=[generator]) if isinstance(
            generator.target, ast.Name
        ):
            name, body = generator.target.id, source.segment(function.body)
            parameters = source.segment(function).removeprefix("lambda").partition(":")[0].strip()
            before = f"{parameters}, " if parameters else ""
            text = f"lambda {before}{name}={name}: {body}"
            clause = f"`{source.segment(function)}` kept the `{name}` of its iteration"
            yield Change(function, text, "lambda", clause)


CONTROL_FLOW_MISCONCEPTIONS = (
    Misconception(
        "short_circuit_ignored",
        "`and` or `or` returns another operand, or a bool.",
        _short_circuit,
        Example("a=3", "return a or 5", "5"),
        Example("a=3", "return a or 5", "4"),
    ),
    Misconception(
        "and_for_or",
        "`and` is taken for `or`, or the reverse.",
        _and_for_or,
        Example("xs=[1, 2, 3]", "return [x for x in xs if x > 1 and x < 3]", "[1, 2, 3]"),
        Example("xs=[1, 2, 3]", "return [x for x in xs if x > 1 and x < 3]", "[3]"),
    ),
    Misconception(
        "negation_ignored",
        "A negation is ignored.",
        _negation_ignored,
        Example("a=3", "return [-a]", "[3]"),
        Example("a=3", "return [-a]", "[0]"),
    ),
    Misconception(
        "other_arm",
        "A conditional expression takes the other arm.",
        _other_arm,
        Example("a=3", "return 'x' if a > 1 else 'y'", "'y'"),
        Example("a=3", "return 'x' if a > 1 else 'y'", "'z'"),
    ),
    Misconception(
        "truthiness",
        "Empty containers and zero are true.",
        _truthiness,
        Example("xs=[]", "return 'x' if xs else 'y'", "'x'"),
        Example("xs=[1]", "return 'x' if xs else 'y'", "'y'"),
    ),
    Misconception(
        "stale_loop_variable",
        "A loop variable still has the item of the iteration before.",
        _stale_variable,
        Example("xs=[1, 2, 3]", "ys = []\nfor x in xs:\n    ys.append(x)\nreturn ys", "[1, 1, 2]"),
        Example("xs=[1, 2, 3]", "ys = []\nfor x in xs:\n    ys.append(x)\nreturn ys", "[2, 3]"),
    ),
    Misconception(
        "iteration_off_by_one",
        "The first or the last item of an iteration is skipped.",
        _iteration_off_by_one,
        Example("xs=[1, 2, 3]", "ys = []\nfor x in xs:\n    ys.append(x)\nreturn ys", "[1, 2]"),
        Example("xs=[1, 2, 3]", "ys = []\nfor x in xs:\n    ys.append(x)\nreturn ys", "[1, 3]"),
    ),
    Misconception(
        "iterates_copy",
        "A loop iterates over a copy of a container that its body changes.",
        _iterates_copy,
        Example("xs=[1, 2, 3]", "for x in xs:\n    xs.remove(x)\nreturn xs", "[]"),
        Example("xs=[1, 2, 3]", "for x in xs:\n    xs.remove(x)\nreturn xs", "[3]"),
    ),
    Misconception(
        "loop_exit",
        "`break` is taken for `continue`, or the reverse, or ignored.",
        _loop_exit,
        Example(
            "xs=[1, 2, 3]",
            "ys = []\nfor x in xs:\n    if x == 2:\n        break\n    ys.append(x)\nreturn ys",
            "[1, 3]",
        ),
        Example(
            "xs=[1, 2, 3]",
            "ys = []\nfor x in xs:\n    if x == 2:\n        break\n    ys.append(x)\nreturn ys",
            "[2]",
        ),
    ),
    Misconception(
        "copy_for_alias",
        "A second name of a container is taken for a copy of it.",
        any_of(_copy_for_alias, _repeated_rows),
        Example("xs=[1]", "ys = xs\nys.append(2)\nreturn xs", "[1]"),
        Example("xs=[1]", "ys = xs\nys.append(2)\nreturn xs", "[2]"),
    ),
    Misconception(
        "alias_for_copy",
        "A copy of a container is taken for the container itself.",
        _alias_for_copy,
        Example("xs=[1]", "ys = xs[:]\nys.append(2)\nreturn xs", "[1, 2]"),
        Example("xs=[1]", "ys = xs[:]\nys.append(2)\nreturn xs", "[2]"),
    ),
    Misconception(
        "new_for_in_place",
        "`+=` makes a new list, or `x = x + y` changes the old one.",
        _new_for_in_place,
        Example("xs=[1]", "ys = xs\nys += [2]\nreturn xs", "[1]"),
        Example("xs=[1]", "ys = xs\nys += [2]\nreturn xs", "[2]"),
    ),
    Misconception(
        "default_not_shared",
        "A default value is new at every call.",
        _fresh_defaults,
        Example("n=2", "return g(n)[:] + g(n)", "[2, 2]", prelude=_SHARED),
        Example("n=2", "return g(n)[:] + g(n)", "[2]", prelude=_SHARED),
    ),
    Misconception(
        "early_binding",
        "A function keeps the value that a variable had when it was defined.",
        _early_binding,
        Example("n=3", "return [g() for g in [lambda: i for i in range(n)]]", "[0, 1, 2]"),
        Example("n=3", "return [g() for g in [lambda: i for i in range(n)]]", "[1, 2, 3]"),
    ),
    Misconception(
        "sum_start_ignored",
        "The start value of a sum is ignored.",
        call_becomes("sum", 2, "sum({0})", "the start of {name} were ignored"),
        Example("xs=[1, 2]", "return sum(xs, 10)", "3"),
        Example("xs=[1, 2]", "return sum(xs, 10)", "12"),
    ),
)
