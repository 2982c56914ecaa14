"""Misconceptions about lists, dicts and sets, and functions of them."""

import ast
from collections.abc import Iterator

from worldline.analysis.diagnosis.variable_writes import MUTATORS
from worldline.analysis.explanations.misconception import (
    Change,
    Example,
    Misconception,
    Source,
    any_of,
    call_becomes,
    method_renames,
)

# Functions and methods that return a changed copy of their receiver or first argument.
_TRANSFORMATIONS = (
    ".upper .lower .title .capitalize .swapcase .casefold .strip .lstrip .rstrip .replace "
    ".ljust .rjust .center .zfill .expandtabs .removeprefix .removesuffix .translate"
)
_VALUE_MUTATORS = frozenset({"pop", "popitem", "popleft", "setdefault"})


def _mutation_ignored(node: ast.AST, source: Source) -> Iterator[Change]:
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=method)) as call) if (
            method in MUTATORS
        ):
            yield Change(call, "None", f".{method}", f"`.{method}` changed nothing")
        case ast.Assign(targets=[ast.Subscript() as target]):
            name = source.segment(target)
            yield Change(node, "pass", "assignment", f"the assignment to `{name}` did nothing")
        case ast.AugAssign(target=target):
            name = source.segment(target)
            yield Change(node, "pass", "assignment", f"the assignment to `{name}` did nothing")
        case ast.Delete():
            yield Change(node, "pass", "del", f"`{source.segment(node)}` did nothing")


def _mutator_returns(node: ast.AST, source: Source) -> Iterator[Change]:
    match node:
        case ast.Assign(value=value) | ast.Return(value=value):
            pass
        case _:
            return
    match value:
        case ast.Call(func=ast.Attribute(value=receiver, attr=method)) if (
            method in MUTATORS - _VALUE_MUTATORS
        ):
            parts = [source.segment(receiver), repr(method)]
            parts += [source.segment(argument) for argument in value.args]
            parts += [f"{k.arg}={source.segment(k.value)}" for k in value.keywords if k.arg]
            text = f"_misread_receiver({', '.join(parts)})"
            yield Change(value, text, f".{method}", f"`.{method}` returned its container")


def _key_for_value(node: ast.AST, source: Source) -> Iterator[Change]:
    match node:
        case ast.For(iter=ast.Name() as iterated) | ast.comprehension(iter=ast.Name() as iterated):
            name = source.segment(iterated)
            text = f"_misread_values({name})"
            yield Change(iterated, text, "for", f"`for … in {name}` iterated over values")
        case ast.Compare(
            left=left, ops=[ast.In() | ast.NotIn()], comparators=[ast.Name() as right]
        ):
            symbol = "in" if isinstance(node.ops[0], ast.In) else "not in"
            text = f"{source.text(left)} {symbol} _misread_values({right.id})"
            yield Change(node, text, symbol, f"`{symbol}` searched the values")


def _pair_side(node: ast.AST, source: Source) -> Iterator[Change]:
    match node:
        case ast.Subscript(
            value=receiver, slice=ast.Constant(value=0 | 1 as side), ctx=ast.Load()
        ) if not isinstance(side, bool):
            text = f"{source.text(receiver)}[{1 - side}]"
            name = source.segment(node)
            yield Change(node, text, "index", f"`{name}` were the other one of the pair")


def _dict_keeps_first(node: ast.AST, source: Source) -> Iterator[Change]:
    match node:
        case ast.Assign(targets=[ast.Subscript(value=receiver, slice=key)], value=value) if (
            not isinstance(key, ast.Slice)
        ):
            parts = source.text(receiver), source.segment(key), source.segment(value)
            text = f"{parts[0]}.setdefault({parts[1]}, {parts[2]})"
            name = source.segment(node.targets[0])
            yield Change(node, text, "assignment", f"`{name}` kept its first value")
        case ast.Dict(keys=keys, values=values) if keys and None not in keys:
            pairs = ", ".join(
                f"({source.segment(key)}, {source.segment(value)})"
                for key, value in zip(keys, values, strict=True)
                if key is not None
            )
            text = f"_misread_first_wins([{pairs}])"
            yield Change(node, text, "dict", "a dict kept the first value of a key")


def _moved_to_end(node: ast.AST, source: Source) -> Iterator[Change]:
    match node:
        case ast.Assign(targets=[ast.Subscript(value=receiver, slice=key)], value=value) if (
            not isinstance(key, ast.Slice)
        ):
            parts = [source.segment(part) for part in (receiver, key, value)]
            name = source.segment(node.targets[0])
            clause = f"the assignment to `{name}` moved the key to the end"
            yield Change(node, f"_misread_move_to_end({', '.join(parts)})", "assignment", clause)


def _reverse_toggled(node: ast.AST, source: Source) -> Iterator[Change]:
    match node:
        case ast.Call(func=ast.Name(id="sorted") | ast.Attribute(attr="sort")):
            pass
        case _:
            return
    name = "sorted" if isinstance(node.func, ast.Name) else ".sort"
    kept = [source.segment(argument) for argument in node.args]
    kept += [f"{k.arg}={source.text(k.value)}" for k in node.keywords if k.arg != "reverse"]
    order = [source.text(k.value) for k in node.keywords if k.arg == "reverse"]
    reverse = f"reverse=not {order[0]}" if order else "reverse=True"
    text = f"{source.text(node.func)}({', '.join([*kept, reverse])})"
    yield Change(node, text, name, f"`{name}` sorted in the other order")
    if any(k.arg == "key" for k in node.keywords):
        rest = [source.segment(argument) for argument in node.args]
        rest += [f"{k.arg}={source.text(k.value)}" for k in node.keywords if k.arg != "key"]
        text = f"{source.text(node.func)}({', '.join(rest)})"
        yield Change(node, text, name, f"the key of `{name}` were ignored")
    else:
        for key, words in (("str", "as texts"), ("_misread_folded", "without regard to case")):
            text = f"{source.text(node.func)}({', '.join([*kept, *_named(order), f'key={key}'])})"
            yield Change(node, text, name, f"`{name}` compared the items {words}")


def _named(reverse: list[str]) -> list[str]:
    return [f"reverse={text}" for text in reverse]


def _condition_ignored(node: ast.AST, source: Source) -> Iterator[Change]:
    if isinstance(node, ast.comprehension):
        for condition in node.ifs:
            name = source.segment(condition)
            yield Change(condition, "True", "if", f"the condition `{name}` were ignored")
            text = f"not {source.text(condition)}"
            yield Change(condition, text, "if", f"the condition `{name}` were negated")


CONTAINER_MISCONCEPTIONS = (
    Misconception(
        "not_applied",
        "An operation that changes a value is not applied.",
        any_of(
            call_becomes(_TRANSFORMATIONS, None, "{s}", "{name} were not applied"),
            call_becomes("sorted reversed set abs round int", 1, "{0}", "{name} were not applied"),
            call_becomes("sorted reversed", 1, "list({0})", "{name} were not applied"),
        ),
        Example("s='aB'", "return s.upper() + '!'", "'aB!'"),
        Example("s='aB'", "return s.upper() + '!'", "'ab!'"),
    ),
    Misconception(
        "pop_side",
        "An item is taken from the other end.",
        any_of(
            call_becomes(".pop", 0, "{s}.pop(0)", "{name} took the first item"),
            call_becomes(".pop", 1, "{s}.pop()", "{name} took the last item"),
            call_becomes(".popitem", 0, "_misread_first_item({s})", "{name} took the first item"),
            method_renames({"popleft": ("pop",), "append": ("appendleft",)}),
        ),
        Example("xs=[1, 2, 3]", "return xs.pop(), xs", "(1, [2, 3])"),
        Example("xs=[1, 2, 3]", "return xs.pop(), xs", "(2, [1, 3])"),
    ),
    Misconception(
        "insert_position",
        "An item is inserted at another position.",
        any_of(
            call_becomes(".insert", 2, "{s}.append({1})", "{name} put the item at the end"),
            call_becomes(".insert", 2, "{s}.insert({0} + 1, {1})", "{name} put it one later"),
            call_becomes(".insert", 2, "{s}.insert({0} - 1, {1})", "{name} put it one earlier"),
            call_becomes(".append", 1, "{s}.insert(0, {0})", "{name} put the item first"),
        ),
        Example("xs=[1, 2]", "xs.insert(-1, 9)\nreturn xs", "[1, 2, 9]"),
        Example("xs=[1, 2]", "xs.insert(-1, 9)\nreturn xs", "[1, 9]"),
    ),
    Misconception(
        "append_for_extend",
        "A container is appended as one item, or its items one by one.",
        method_renames({"append": ("extend",), "extend": ("append",), "add": ("update",)}),
        Example("xs=[1]", "xs.append([2])\nreturn xs", "[1, 2]"),
        Example("xs=[1]", "xs.append([2])\nreturn xs", "[2]"),
    ),
    Misconception(
        "other_match_removed",
        "The last match is removed, or all of them.",
        any_of(
            call_becomes(".remove", 1, "_misread_remove({s}, {0}, 'last')", "{name} took the last"),
            call_becomes(".remove", 1, "_misread_remove({s}, {0}, 'all')", "{name} took all"),
        ),
        Example("xs=[1, 2, 1]", "xs.remove(1)\nreturn xs", "[2]"),
        Example("xs=[1, 2, 1]", "xs.remove(1)\nreturn xs", "[1, 1]"),
    ),
    Misconception(
        "index_for_item",
        "The argument of pop is taken for an item, or that of remove for an index.",
        method_renames({"pop": ("remove",), "remove": ("pop",)}, arity=1),
        Example("xs=[5, 2, 1]", "xs.remove(1)\nreturn xs", "[5, 1]"),
        Example("xs=[5, 2, 1]", "xs.remove(1)\nreturn xs", "[2, 1]"),
    ),
    Misconception(
        "mutation_ignored",
        "A change of a container, or of a variable, is not made.",
        any_of(
            _mutation_ignored,
            call_becomes(
                ".pop .popitem", None, "{s}.copy().{name}({all})", "{name} removed nothing"
            ),
        ),
        Example("xs=[1, 2]", "xs.reverse()\nreturn xs", "[1, 2]"),
        Example("xs=[1, 2]", "xs.reverse()\nreturn xs", "[2]"),
    ),
    Misconception(
        "mutator_returns",
        "A method that changes a container also returns it.",
        _mutator_returns,
        Example("xs=[2, 1]", "ys = xs.sort()\nreturn ys", "[1, 2]"),
        Example("xs=[2, 1]", "ys = xs.sort()\nreturn ys", "[2, 1]"),
    ),
    Misconception(
        "key_for_value",
        "The keys of a dict are taken for its values, or the reverse.",
        any_of(
            method_renames({"values": ("keys", "items"), "keys": ("values",), "items": ("keys",)}),
            _key_for_value,
        ),
        Example("d={'a': 1}", "return [x for x in d.values()]", "['a']"),
        Example("d={'a': 1}", "return [x for x in d.values()]", "['1']"),
    ),
    Misconception(
        "pair_side",
        "The first of a pair is taken for the second, or the reverse.",
        _pair_side,
        Example("d={'a': 1}", "return d.popitem()[0]", "1"),
        Example("d={'a': 1}", "return d.popitem()[0]", "('a', 1)"),
    ),
    Misconception(
        "dict_keeps_first",
        "A key that is given twice keeps its first value.",
        any_of(
            call_becomes("dict", None, "_misread_first_wins({all})", "{name} kept the first value"),
            call_becomes(
                ".update", 1, "_misread_update_missing({s}, {0})", "{name} kept the first value"
            ),
            _dict_keeps_first,
        ),
        Example("xs=[(1, 2), (1, 3)]", "return dict(xs)", "{1: 2}"),
        Example("xs=[(1, 2), (1, 3)]", "return dict(xs)", "{1: 5}"),
    ),
    Misconception(
        "key_moved_to_end",
        "An assignment moves an existing key to the end.",
        _moved_to_end,
        Example("d={'a': 1, 'b': 2}", "d['a'] = 3\nreturn list(d)", "['b', 'a']"),
        Example("d={'a': 1, 'b': 2}", "d['a'] = 3\nreturn list(d)", "['b']"),
    ),
    Misconception(
        "default_ignored",
        "A default value is ignored, or always taken.",
        any_of(
            call_becomes(".get", 2, "{s}.get({0})", "the default of {name} were ignored"),
            call_becomes(".get", 2, "{1}", "{name} were its default"),
            call_becomes(
                ".setdefault", 2, "{s}.update({{{0}: {1}}})", "{name} overwrote the value"
            ),
        ),
        Example("d={'a': 1}", "return [d.get('b', 7)]", "[None]"),
        Example("d={'a': 1}", "return [d.get('b', 7)]", "[1]"),
    ),
    Misconception(
        "sort_order",
        "Items are sorted in the other order, or by another key.",
        _reverse_toggled,
        Example("xs=[10, 9, 1]", "return sorted(xs)", "[1, 10, 9]"),
        Example("xs=[10, 9, 1]", "return sorted(xs)", "[9, 1, 10]"),
    ),
    Misconception(
        "sort_not_stable",
        "Equal items are sorted in the reverse of their order.",
        any_of(
            call_becomes("sorted", None, "_misread_unstable({all})", "{name} were not stable"),
            call_becomes(
                ".sort",
                None,
                "{s}.__setitem__(slice(None), _misread_unstable({s}, {all}))",
                "{name} were not stable",
            ),
        ),
        Example("xs=['b', 'a', 'cc']", "return sorted(xs, key=len)", "['a', 'b', 'cc']"),
        Example("xs=['b', 'a', 'cc']", "return sorted(xs, key=len)", "['cc', 'a', 'b']"),
    ),
    Misconception(
        "other_extreme",
        "The minimum is taken for the maximum, or the last of equal ones for the first.",
        any_of(
            call_becomes("min", None, "max({all})", "{name} were `max`"),
            call_becomes("max", None, "min({all})", "{name} were `min`"),
            call_becomes(
                "min max",
                None,
                "_misread_last_extreme({name}, {all})",
                "{name} took the last of equal ones",
            ),
            call_becomes("any", None, "all({all})", "{name} were `all`"),
            call_becomes("all", None, "any({all})", "{name} were `any`"),
        ),
        Example("xs=['b', 'a', 'cc']", "return min(xs, key=len)", "'a'"),
        Example("xs=['b', 'a', 'cc']", "return max(xs, key=len)", "'a'"),
    ),
    Misconception(
        "distinct_items",
        "Only distinct items are counted or kept.",
        any_of(
            call_becomes("len", 1, "len(set({0}))", "{name} counted distinct items"),
            call_becomes("sorted", 1, "sorted(set({0}))", "{name} kept distinct items"),
            call_becomes("list", 1, "list(dict.fromkeys({0}))", "{name} kept distinct items"),
            call_becomes("sum", 1, "sum(set({0}))", "{name} added distinct items"),
        ),
        Example("xs=[1, 1, 2]", "return len(xs)", "2"),
        Example("xs=[1, 1, 2]", "return len(xs)", "4"),
    ),
    Misconception(
        "condition_ignored",
        "The condition of a comprehension is ignored or negated.",
        _condition_ignored,
        Example("xs=[1, 2, 3]", "return [x for x in xs if x > 1]", "[1, 2, 3]"),
        Example("xs=[1, 2, 3]", "return [x for x in xs if x > 1]", "[1, 2]"),
    ),
)
