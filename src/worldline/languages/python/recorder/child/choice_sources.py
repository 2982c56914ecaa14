"""Sources of choices that a program may use, from the names in its code."""

from sys import stdlib_module_names
from types import CodeType

from . import clock_choices, random_choices
from .choice_session import ChoiceSession
from .json_lines import OWN_BUILTINS
from .shared_process import _imported_modules, _nested_codes

__builtins__ = OWN_BUILTINS

# Functions that import a module, or execute code, by its text.
_BY_TEXT = frozenset({"importlib", "__import__", "exec", "eval", "runpy", "pkgutil"})
_SOURCES = frozenset({"random", "urandom", "time", "datetime", "secrets", "uuid"})
# Modules of Python that use others.
_USED_BY = {
    "tempfile": ("random",),
    "secrets": ("random", "urandom"),
    "uuid": ("urandom",),
    "calendar": ("datetime",),
    "timeit": ("time",),
    "logging": ("time",),
    "statistics": ("random",),
    "email": ("random", "time"),
    "getrandom": ("urandom",),
}


def replace_sources(code: CodeType, session: ChoiceSession, *, imports_files: bool) -> None:
    """Replace the functions that make choices, if the program may use them.

    A program that cannot use a module does not import it because of this.

    Args:
        code: The code of the program.
        session: The session of choices.
        imports_files: Whether the program may import other files, with any names.
    """
    codes = _nested_codes(code)
    names = _names(codes)
    if imports_files and not all(map(_is_of_python, _imports(codes))):
        names |= _SOURCES
    if not _BY_TEXT.isdisjoint(names):
        texts = " ".join([text for each in codes for text in each.co_consts if type(text) is str])
        names.update([name for name in _SOURCES if name in texts])
    for name, used in _USED_BY.items():
        if name in names:
            names.update(used)
    _replace(names, session)


def _replace(names: "set[str]", session: ChoiceSession) -> None:
    if "random" in names:
        random_choices.RandomChoices(session)
    if "secrets" in names:
        random_choices.replace_secrets(session)
    if "uuid" in names:
        random_choices.replace_uuid(session)
    if "urandom" in names:
        random_choices.replace_entropy(session)
    if "numpy" in names and not names.isdisjoint({"random", "default_rng"}):
        random_choices.replace_numpy(session)
    if "datetime" in names:
        clock_choices.replace_datetime(session)
    if "time" in names:
        clock_choices.replace_clocks(session)


def _names(codes: "list[CodeType]") -> "set[str]":
    """All names in code: "from numpy.random import rand" -> numpy, random, rand"""
    return {part for code in codes for name in code.co_names for part in name.split(".")}


def _imports(codes: "list[CodeType]") -> "list[str]":
    return [name for code in codes for name in _imported_modules(code)]


def _is_of_python(module: str) -> bool:
    return module.partition(".")[0] in stdlib_module_names
