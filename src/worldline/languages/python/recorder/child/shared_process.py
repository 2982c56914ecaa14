"""Check of programs that share a process with others, and of what they leave behind.

A program in a group must not be able to change anything that a later one sees: no module, no
built-in type, no setting of the interpreter. This is decided from its compiled code. A program that
is refused is executed in a process of its own, so that refusing too much costs only time.
"""

import builtins
import gc
import opcode
import sys
import warnings
from _thread import _count as count_threads
from types import CodeType

from .json_lines import OWN_BUILTINS
from .repr_session import may_define_repr

__builtins__ = OWN_BUILTINS

# Modules without public objects that a program could change without setting an attribute.
SHARED_MODULES = frozenset(
    {"bisect", "cmath", "collections", "collections.abc", "functools", "heapq", "itertools", "math"}
    | {"re", "string", "typing"}
)
# Methods that classes define, and names that the compiler writes.
_SPECIAL_METHODS = (
    "abs add and bool call contains delitem divmod enter eq exit float floordiv ge getitem gt hash "
    "iadd imul index init int invert isub iter le len lshift lt matmul mod mul ne neg next or pos "
    "pow radd repr reversed rmul round rshift rsub setitem str sub truediv xor"
)
_ALLOWED_NAMES = frozenset(
    {f"__{name}__" for name in _SPECIAL_METHODS.split()}
    | {"__name__", "__qualname__", "__module__", "__doc__", "__annotations__", "__slots__", "_"}
    | {"__static_attributes__", "__firstlineno__", "__post_init__"}
)
# Builtins that read or change what is not the program's, or that read a name from a text.
_FORBIDDEN_NAMES = frozenset(
    {"breakpoint", "compile", "copyright", "credits", "delattr", "eval", "exec", "exit", "getattr"}
    | {"globals", "help", "input", "license", "locals", "memoryview", "open", "quit", "setattr"}
    | {"vars"}
)
# Attributes that lead from a generator, a coroutine, a traceback or a function to a frame.
_FRAME_PREFIXES = ("ag_", "co_", "cr_", "f_", "gi_", "tb_")
# With imported modules: names of public lists and dictionaries, of functions that change what they
# are given, and of modules in modules.
_FORBIDDEN_WITH_IMPORTS = frozenset(
    {"EXCLUDED_ATTRIBUTES", "final", "no_type_check", "no_type_check_decorator", "overload"}
    | {
        "__annotations__",
        "register",
        "runtime_checkable",
        "total_ordering",
        "update_wrapper",
        "wraps",
    }
    | (sys.stdlib_module_names - SHARED_MODULES - {"abc", "copy"})
)
_IMPORT_NAME = opcode.opmap["IMPORT_NAME"]
_EXTENDED_ARG = opcode.opmap["EXTENDED_ARG"]
_ATTRIBUTE_CHANGES = tuple(opcode.opmap[name] for name in ("STORE_ATTR", "DELETE_ATTR"))


def may_share_process(code: CodeType) -> bool:
    """Whether a program can be executed in the same process as others.

    "def f(x): return x.upper()" -> True; "import os", "x.__globals__" or "open(x)" -> False
    """
    codes = list(_nested_codes(code))
    if may_define_repr(code) or not all(map(_has_harmless_names, codes)):
        return False
    modules = [name for each in codes for name in _imported_modules(each)]
    if not modules:
        # Everything that exists is immutable or the program's own.
        return True
    return SHARED_MODULES.issuperset(modules) and not any(map(_may_change_modules, codes))


def _nested_codes(code: CodeType) -> "list[CodeType]":
    codes = [code]
    for each in codes:
        codes += [constant for constant in each.co_consts if type(constant) is CodeType]
    return codes


def _has_harmless_names(code: CodeType) -> bool:
    if not _FORBIDDEN_NAMES.isdisjoint(code.co_names):
        return False
    for name in code.co_names:
        if (name[0] == "_" and name not in _ALLOWED_NAMES) or name.startswith(_FRAME_PREFIXES):
            return False
    for constant in code.co_consts:
        # Names of attributes in a class pattern, and names for functions that take a name.
        texts = constant if type(constant) is tuple else (constant,)
        if any(type(text) is str and "__" in text for text in texts):
            return False
    return True


def _imported_modules(code: CodeType) -> "list[str]":
    instructions = code.co_code
    if _IMPORT_NAME not in instructions[::2]:
        return []
    names, extended = [], 0
    for position in range(0, len(instructions), 2):
        operation, argument = instructions[position : position + 2]
        argument |= extended
        extended = argument << 8 if operation == _EXTENDED_ARG else 0
        if operation == _IMPORT_NAME:
            names.append(code.co_names[argument])
    return names


def _may_change_modules(code: CodeType) -> bool:
    if not _FORBIDDEN_WITH_IMPORTS.isdisjoint(code.co_names):
        return True
    operations = code.co_code[::2]
    return any(change in operations for change in _ATTRIBUTE_CHANGES)


class InterpreterState:
    """What a program could have changed for the next one, although its code seems unable to."""

    def __init__(self) -> None:
        for name in sorted(SHARED_MODULES):
            # A program imports them from here.
            __import__(name)
        self._before = self._read()

    def is_unchanged(self) -> bool:
        """Whether nothing has changed since this object was made."""
        return self._read() == self._before

    def _read(self) -> "tuple[object, ...]":
        return (
            tuple(map(id, vars(builtins).values())),
            len(sys.modules),
            id(sys.stdout),
            gc.isenabled(),
            gc.get_threshold(),
            count_threads(),
            len(warnings.filters),
            sys.getrecursionlimit(),
            sys.getswitchinterval(),
        )
