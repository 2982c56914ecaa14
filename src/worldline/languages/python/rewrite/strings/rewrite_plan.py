"""Plan of a string rewrite: the text edits, the inserted functions, and the skipped operations."""

import ast
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

from worldline.core.trace import parse_source, source_lines
from worldline.languages.python.rewrite.scopes import build_scopes
from worldline.languages.python.rewrite.source_layout import SourceLayout, parse_layout
from worldline.languages.python.rewrite.source_map import SkippedRewrite
from worldline.languages.python.rewrite.strings.discovery import Candidate, find_operations
from worldline.languages.python.rewrite.strings.insertion_point import (
    UniqueNames,
    find_insertion_line,
    names_from_builtins,
)
from worldline.languages.python.rewrite.strings.introspection_guard import rejection_reason
from worldline.languages.python.rewrite.strings.templates import StringFunction
from worldline.languages.python.rewrite.strings.text_edits import TextEdit, edits_for


@dataclass(frozen=True, slots=True)
class RewritePlan:
    """Plan of a string rewrite.

    Attributes:
        layout: the layout of the program.
        insertion_line: the line before which the functions are inserted.
        replaced: the operations that are replaced.
        edits: the edits of the text.
        functions: the texts of the inserted functions.
        skipped: the operations that are not replaced.
    """

    layout: SourceLayout
    insertion_line: int
    replaced: tuple[Candidate, ...]
    edits: tuple[TextEdit, ...]
    functions: tuple[str, ...]
    skipped: tuple[SkippedRewrite, ...]


@dataclass(frozen=True, slots=True)
class AnalyzedProgram:
    """Facts about a program, before any of its operations is replaced.

    Attributes:
        layout: its layout.
        insertion_line: the line before which functions can be inserted.
        bound: the names that its module binds.
        candidates: its string operations.
        rejection: why nothing in it may be rewritten; empty if it may.
    """

    layout: SourceLayout
    insertion_line: int
    bound: frozenset[str]
    candidates: tuple[Candidate, ...]
    rejection: str


def make_plan(text: str, lines: Collection[int] | None) -> RewritePlan | None:
    """Make the plan for a program; None if the text is not a program."""
    try:
        program = _analyze(text)
    except RecursionError:
        skipped = SkippedRewrite(
            1, "all operations", "the program is nested too deeply to be analyzed"
        )
        return RewritePlan(SourceLayout(), 0, (), (), (), (skipped,))
    return None if program is None else _plan_program(program, UniqueNames(text), lines)


def _plan_program(
    program: AnalyzedProgram, names: UniqueNames, lines: Collection[int] | None
) -> RewritePlan:
    names_by_function: dict[StringFunction, str] = {}
    replaced: list[Candidate] = []
    edits: list[TextEdit] = []
    skipped: list[SkippedRewrite] = []
    for order, candidate in enumerate(program.candidates):
        if lines is not None and candidate.line not in lines:
            continue
        reason = _skip_reason(candidate, program)
        function = candidate.function
        if function is None or reason:
            skipped.append(SkippedRewrite(candidate.line, candidate.what, reason))
            continue
        name = names_by_function.get(function) or names.allocate(function.name)
        new_edits = edits_for(candidate, name, order, program.layout)
        if new_edits is None:
            skipped.append(
                SkippedRewrite(candidate.line, candidate.what, "its layout is not supported")
            )
            continue
        names_by_function[function] = name
        replaced.append(candidate)
        edits += new_edits
    functions = tuple(_with_name(function, name) for function, name in names_by_function.items())
    insertion_line = program.insertion_line
    return RewritePlan(
        program.layout, insertion_line, tuple(replaced), tuple(edits), functions, tuple(skipped)
    )


def _analyze(text: str) -> AnalyzedProgram | None:
    lines = source_lines(text)
    tree = parse_source("".join(f"{line}\n" for line in lines))
    layout = None if tree is None else parse_layout(lines, tree)
    if tree is None or layout is None:
        return None
    scopes = build_scopes(tree)
    rejection = rejection_reason(tree, scopes) or ""
    insertion_line = find_insertion_line(tree, lines)
    if insertion_line is None:
        rejection = (
            rejection or "a statement follows the docstring or a __future__ import on the same line"
        )
    candidates = tuple(find_operations(tree, scopes, lines))
    return AnalyzedProgram(
        layout, insertion_line or 0, frozenset(scopes.module.bindings), candidates, rejection
    )


def _skip_reason(candidate: Candidate, program: AnalyzedProgram) -> str:
    """The reason why an operation is not replaced; empty if it is."""
    if candidate.function is None or program.rejection:
        return candidate.skip_reason or program.rejection
    own = _builtins_needed(candidate.function) & program.bound
    return f"the program defines its own {min(own)}" if own else ""


@lru_cache(maxsize=256)
def _builtins_needed(function: StringFunction) -> frozenset[str]:
    return names_from_builtins(ast.parse(function.text))


def _with_name(function: StringFunction, name: str) -> str:
    return function.text.replace(f"def {function.name}(", f"def {name}(", 1)
