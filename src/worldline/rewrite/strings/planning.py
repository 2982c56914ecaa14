"""A program goes in; what is to be done to its text comes out: changes, functions, what is left."""

import ast
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

from worldline.rewrite.rewritten import LeftAlone
from worldline.rewrite.scopes import scopes_of
from worldline.rewrite.strings.finding import find
from worldline.rewrite.strings.functions import Function
from worldline.rewrite.strings.layout import Layout, lay_out
from worldline.rewrite.strings.noticing import notices
from worldline.rewrite.strings.operation import Found
from worldline.rewrite.strings.placing import Names, free_variables, place_for
from worldline.rewrite.strings.splicing import Splice, splices_for
from worldline.trace import parse_source, source_lines


@dataclass(frozen=True, slots=True)
class Plan:
    """The operations that are rewritten, the changes of the text, and the texts of the functions
    that are put in before the line `place`."""

    layout: Layout
    place: int
    done: tuple[Found, ...]
    splices: tuple[Splice, ...]
    functions: tuple[str, ...]
    left: tuple[LeftAlone, ...]


@dataclass(frozen=True, slots=True)
class Program:
    """What is known of a program before any of its operations is looked at.

    `bound`: the names of the module; `refused`: why nothing in it may be rewritten.
    """

    layout: Layout
    place: int
    bound: frozenset[str]
    found: tuple[Found, ...]
    refused: str


def plan_for(text: str, lines: Collection[int] | None) -> Plan | None:
    """What is to be done; none for a text that is no program."""
    try:
        program = _look_at(text)
    except RecursionError:
        left = LeftAlone(1, "all operations", "the program nests too deeply to be looked through")
        return Plan(Layout("", (), (), (), ()), 0, (), (), (), (left,))
    return None if program is None else _planned(program, Names(text), lines)


def _planned(program: Program, names: Names, lines: Collection[int] | None) -> Plan:
    chosen: dict[Function, str] = {}
    done: list[Found] = []
    splices: list[Splice] = []
    left: list[LeftAlone] = []
    for number, found in enumerate(program.found):
        if lines is not None and found.line not in lines:
            continue
        why = _refused(found, program)
        function = found.function
        if function is None or why:
            left.append(LeftAlone(found.line, found.what, why))
            continue
        name = chosen.get(function) or names.free(function.name)
        made = splices_for(found, name, number, program.layout)
        if made is None:
            left.append(LeftAlone(found.line, found.what, "it is written in an unusual way"))
            continue
        chosen[function] = name
        done.append(found)
        splices += made
    functions = tuple(_named(function, name) for function, name in chosen.items())
    place = program.place
    return Plan(program.layout, place, tuple(done), tuple(splices), functions, tuple(left))


def _look_at(text: str) -> Program | None:
    lines = source_lines(text)
    tree = parse_source("".join(f"{line}\n" for line in lines))
    layout = lay_out(lines)
    if tree is None or layout is None:
        return None
    scopes = scopes_of(tree)
    refused = notices(tree, scopes) or ""
    place = place_for(tree, lines)
    if place is None:
        refused = refused or "the program goes on in the line of its docstring or future imports"
    found = tuple(find(tree, scopes, lines))
    return Program(layout, place or 0, frozenset(scopes.module.bindings), found, refused)


def _refused(found: Found, program: Program) -> str:
    """Why an operation is left alone; nothing where it need not be."""
    if found.function is None or program.refused:
        return found.why or program.refused
    own = _needed(found.function) & program.bound
    return f"the program has its own {min(own)}" if own else ""


@lru_cache(maxsize=256)
def _needed(function: Function) -> frozenset[str]:
    return free_variables(ast.parse(function.text))


def _named(function: Function, name: str) -> str:
    return function.text.replace(f"def {function.name}(", f"def {name}(", 1)
