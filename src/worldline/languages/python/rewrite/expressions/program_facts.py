"""Facts about a whole program that decide what may be rewritten."""

import ast
import builtins
import re
from dataclasses import dataclass

from worldline.core.trace import words
from worldline.languages.python.rewrite.definite_assignment import Bound, bound_after, is_inert
from worldline.languages.python.rewrite.introspection import (
    ATTRIBUTE_NAMES,
    FRAMES,
    HEAP,
    LIFETIMES,
    NAMESPACES,
    exposes_module_names,
    find_introspection,
)
from worldline.languages.python.rewrite.scopes import Scope, Scopes, build_scopes
from worldline.languages.python.rewrite.type_inference import Assumptions

BUILTINS = frozenset(dir(builtins))
# Methods by which a program can count truth tests.
_TRUTHINESS_METHODS = words("__bool__ __len__")
# Without these names nothing can raise StopIteration, which has a special meaning in a generator.
_STOP_ITERATION_SOURCES = words("next __next__ anext send throw StopIteration")


@dataclass(frozen=True, slots=True)
class ProgramFacts:
    """Facts about a whole program.

    Attributes:
        tree: its syntax tree.
        scopes: its scopes.
        identifiers: all words that may be a name in it.
        rebound_globals: globals that a function assigns to.
        may_inspect_frames: it may look at its own frames.
        is_reflective: it may bind names dynamically.
        has_builtin_truthiness: testing a truth value twice is the same as testing it once.
        may_raise_stop_iteration: it may raise StopIteration.
        has_subclasses: a string may be of a subclass of `str`.
        has_reflected_addition: a class may define the result of `x + y` by `__radd__`.
    """

    tree: ast.Module
    scopes: Scopes
    identifiers: frozenset[str]
    rebound_globals: frozenset[str]
    may_inspect_frames: bool
    is_reflective: bool
    has_builtin_truthiness: bool
    may_raise_stop_iteration: bool
    has_subclasses: bool
    has_reflected_addition: bool

    @property
    def module(self) -> Scope:
        return self.scopes.module

    @property
    def assumptions(self) -> Assumptions:
        """Assumptions for the type inference."""
        is_dynamic = self.is_reflective or "*" in self.module.bindings
        return Assumptions(
            has_dynamic_builtins=is_dynamic,
            has_dynamic_globals=is_dynamic,
            has_string_subclasses=self.has_subclasses,
            has_reflected_addition=self.has_reflected_addition,
        )


def collect_facts(text: str, tree: ast.Module) -> ProgramFacts:
    """Collect the facts about a program."""
    scopes = build_scopes(tree)
    used = _used_names(tree)
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    return ProgramFacts(
        tree,
        scopes,
        frozenset(re.findall(r"\w+", text)) | used,
        scopes.rebound_globals,
        any(find_introspection(tree, scopes, FRAMES | HEAP | LIFETIMES)),
        any(find_introspection(tree, scopes, NAMESPACES | ATTRIBUTE_NAMES))
        or any(exposes_module_names(node, scopes) for node in ast.walk(tree)),
        not used & _TRUTHINESS_METHODS,
        bool(used & _STOP_ITERATION_SOURCES),
        any(node.bases or node.keywords for node in classes),
        "__radd__" in used,
    )


def _used_names(tree: ast.Module) -> set[str]:
    """Names, attributes, modules and methods of a program, and strings that could name one."""
    names: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Constant(value=str(name)):
                names.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                names.add(name)
            case ast.arg(arg=name):
                names.add(name)
            case ast.alias(name=name):
                names.update(name.split("."))
            case ast.ImportFrom(module=str(name)):
                names.update(name.split("."))
    return names


def bound_globals_at(tree: ast.Module) -> dict[ast.stmt, Bound]:
    """Map each statement of a module to the globals that are certainly bound when its code runs.

    "def f():\\n    return g()\\ndef g(): …" -> f: {"f", "g"}, since nothing can call f in between
    """
    bound_at: dict[ast.stmt, Bound] = {}
    before: Bound = frozenset()
    for index, statement in enumerate(tree.body):
        bound = before
        for later in tree.body[index:]:
            if not is_inert(later):
                break
            bound = bound_after(later, bound) or bound
        bound_at[statement] = bound
        before = bound_after(statement, before) or before
    return bound_at
