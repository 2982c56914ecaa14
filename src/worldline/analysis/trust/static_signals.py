"""Signals of the program's source and of the answer's text."""

import ast
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from worldline.analysis.alignment import answers_equal, parse_literal
from worldline.analysis.diagnosis import value_kind
from worldline.core.trace import Program, parse_source

_LOOPS = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_STR_METHODS = frozenset(name for name in dir(str) if not name.startswith("_"))
_ANSWER_KINDS = ("str", "int", "bool", "list", "dict", "tuple")


def static_signals(program: Program, answer: str) -> dict[str, float]:
    """Signals that need neither an execution nor the predicted steps.

    Args:
        program: The program.
        answer: The predicted result, as text.
    """
    return {**_program_signals(program), **_answer_signals(program, answer)}


@lru_cache(maxsize=1024)
def _program_signals(program: Program) -> dict[str, float]:
    parts = program.split_entry() or (program.text, "")
    tree = parse_source(parts[0]) if program.is_python else None
    nodes = [] if tree is None else list(ast.walk(tree))
    kinds = Counter(type(node) for node in nodes)
    methods = Counter(
        node.func.attr
        for node in nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    )
    return {
        "program_lines": sum(bool(line.strip()) for line in parts[0].splitlines()),
        "program_nodes": len(nodes),
        "loops": sum(kinds[kind] for kind in _LOOPS),
        "while_loops": kinds[ast.While],
        "loop_depth": 0 if tree is None else _loop_depth(tree),
        "branches": kinds[ast.If] + kinds[ast.IfExp] + kinds[ast.comprehension],
        "functions": kinds[ast.FunctionDef] + kinds[ast.Lambda],
        "string_methods": sum(n for name, n in methods.items() if name in _STR_METHODS),
        "other_methods": sum(n for name, n in methods.items() if name not in _STR_METHODS),
        "subscripts": kinds[ast.Subscript],
        "slices": kinds[ast.Slice],
        "arithmetic": kinds[ast.BinOp] + kinds[ast.AugAssign],
        "comparisons": kinds[ast.Compare],
        "early_returns": max(0, kinds[ast.Return] - 1),
        "call_chars": len(parts[1]),
        "longest_argument_string": max(map(len, _strings(parts[1])), default=0),
    }


def _loop_depth(node: ast.AST) -> int:
    inner = max((_loop_depth(child) for child in ast.iter_child_nodes(node)), default=0)
    return inner + isinstance(node, _LOOPS)


def _strings(source: str) -> Iterator[str]:
    tree = parse_source(source)
    for node in () if tree is None else ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _answer_signals(program: Program, answer: str) -> dict[str, float]:
    call = (program.split_entry() or ("", ""))[1]
    try:
        value = parse_literal(answer)
        is_literal = True
    except ValueError:
        value, is_literal = None, False
    kind = value_kind(answer) if is_literal else ""
    items = value if isinstance(value, str | list | tuple | dict | set) else None
    characters = set(value) if isinstance(value, str) else set()
    return {
        "answer_chars": len(answer),
        "answer_items": 0 if items is None else len(items),
        "is_answer_empty": float(items is not None and not items),
        "is_answer_argument": float(any(answers_equal(each, answer) for each in _arguments(call))),
        "is_answer_in_call": float(len(answer) > 2 and answer.strip("'\"") in call),
        "is_answer_shorter": float(len(answer) < len(call) / 2),
        "is_answer_no_literal": float(not is_literal),
        "is_answer_small_int": float(type(value) is int and abs(value) <= 2),
        "answer_new_characters": len(characters - set(program.text)),
        **{f"is_answer_{name}": float(kind == name) for name in _ANSWER_KINDS},
    }


def _arguments(call: str) -> list[str]:
    """The arguments of a call, as source."""
    tree = parse_source(call)
    match tree.body if tree is not None else []:
        case [ast.Expr(value=ast.Call(args=args, keywords=keywords))]:
            return [ast.unparse(node) for node in (*args, *(each.value for each in keywords))]
    return []
