"""A program goes in; what is true of all of it, and decides what may be rewritten, comes out."""

import ast
import builtins
import re
from dataclasses import dataclass

from worldline.rewrite.bound import Bound, bound_after, is_inert
from worldline.rewrite.scopes import Scope, scopes_of


def words(text: str) -> frozenset[str]:
    """ "a b" -> {"a", "b"}"""
    return frozenset(text.split())


BUILTINS = frozenset(dir(builtins))
# By these a program can look at frames, code, line numbers or the lives of objects.
_WATCHES = words(
    "inspect traceback _getframe _current_frames currentframe f_locals f_lineno f_back f_code "
    "tb_frame tb_lineno gi_frame cr_frame ag_frame __code__ co_varnames settrace setprofile dis "
    "tracemalloc getrefcount gc weakref __del__ monitoring"
)
# By these it can give a global, or a built-in name, a value that no statement shows.
_REFLECTS = words(
    "globals exec eval compile setattr delattr builtins __builtins__ __dict__ __globals__ modules "
    "importlib __import__ vars"
)
# By these a program can notice how often it is asked whether something is true.
_SHAPES_TRUTH = words("__bool__ __len__")
# Without these nothing can raise StopIteration, which means something else inside a generator.
_STOPS = words("next __next__ anext send throw StopIteration")


@dataclass(frozen=True, slots=True)
class Facts:
    """What is true of a program as a whole.

    `words`: all that may be a name in it. `rebound`: globals that a function gives new values.
    `is_watched`: it may look at its own frames; `is_reflective`: it may bind names unseen;
    `is_truth_plain`: to ask twice whether something is true is no different from asking once;
    `may_stop`: it may raise StopIteration; `has_subclasses`: not everything like a string is one.
    """

    tree: ast.Module
    scopes: dict[ast.AST, Scope]
    words: frozenset[str]
    rebound: frozenset[str]
    is_watched: bool
    is_reflective: bool
    is_truth_plain: bool
    may_stop: bool
    has_subclasses: bool

    @property
    def module(self) -> Scope:
        return self.scopes[self.tree]


def facts_of(text: str, tree: ast.Module) -> Facts:
    """Look through a whole program."""
    scopes = scopes_of(tree)
    used = _used(tree)
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    return Facts(
        tree,
        scopes.made_by,
        frozenset(re.findall(r"\w+", text)) | used,
        scopes.rebound,
        bool(used & _WATCHES),
        bool(used & _REFLECTS),
        not used & _SHAPES_TRUTH,
        bool(used & _STOPS),
        any(node.bases or node.keywords for node in classes),
    )


def _used(tree: ast.Module) -> set[str]:
    """Names, attributes, modules and methods of a program, and texts that could name one."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Constant(value=str(name)):
                found.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                found.add(name)
            case ast.arg(arg=name):
                found.add(name)
            case ast.alias(name=name):
                found.update(name.split("."))
            case ast.ImportFrom(module=str(name)):
                found.update(name.split("."))
    return found


def globals_at(tree: ast.Module) -> dict[ast.stmt, Bound]:
    """For each statement of a module the globals that surely have a value when code in it runs.

    "def f():\\n    return g()\\ndef g(): …" -> f: {"f", "g"}, since nothing can call f in between
    """
    found: dict[ast.stmt, Bound] = {}
    before: Bound = frozenset()
    for index, statement in enumerate(tree.body):
        sure = before
        for later in tree.body[index:]:
            if not is_inert(later):
                break
            sure = bound_after(later, sure) or sure
        found[statement] = sure
        before = bound_after(statement, before) or before
    return found
