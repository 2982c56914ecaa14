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
    {
        "__future__",
        "bisect",
        "cmath",
        "collections",
        "collections.abc",
        "functools",
        "heapq",
        "itertools",
        "math",
    }
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
# are given or that read a name from a text, and of modules in modules.
_FORBIDDEN_WITH_IMPORTS = frozenset(
    {"ForwardRef", "Formatter", "get_type_hints"}
    | {"EXCLUDED_ATTRIBUTES", "final", "no_type_check", "no_type_check_decorator", "overload"}
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
# Harmless as the name of an attribute, as in `re.compile`.
_ALLOWED_ATTRIBUTES = frozenset({"compile"})
_IMPORT_NAME = opcode.opmap["IMPORT_NAME"]
_IMPORT_FROM = opcode.opmap["IMPORT_FROM"]
_EXTENDED_ARG = opcode.opmap["EXTENDED_ARG"]
# Operations on variables; all other operations with a name use it as that of an attribute.
_VARIABLE_OPERATIONS = frozenset(
    opcode.opmap[f"{action}_{scope}"]
    for action in ("LOAD", "STORE", "DELETE")
    for scope in ("NAME", "GLOBAL")
)
# Operation -> the number of bits of its argument that are not part of the index of the name.
_NAME_SHIFTS = dict.fromkeys(opcode.hasname, 0) | {
    opcode.opmap[name]: shift
    for name, shift in (
        ("LOAD_GLOBAL", 1),
        ("LOAD_ATTR", int(sys.version_info >= (3, 12))),
        ("LOAD_SUPER_ATTR", 2),
    )
    if name in opcode.opmap
}
_ATTRIBUTE_CHANGES = tuple(opcode.opmap[name] for name in ("STORE_ATTR", "DELETE_ATTR"))


def may_share_process(code: CodeType) -> bool:
    """Whether a program can be executed in the same process as others.

    "def f(x): return x.upper()" -> True; "import os", "x.__globals__" or "open(x)" -> False
    """
    codes = list(_nested_codes(code))
    modules = [name for each in codes for name in _imported_modules(each)]
    if not SHARED_MODULES.issuperset(modules) or may_define_repr(code):
        return False
    if not modules:
        # Everything that exists is immutable or the program's own.
        return all(_has_harmless_names(each, has_imports=False) for each in codes)
    return all(
        _has_harmless_names(each, has_imports=True) and not _may_change_modules(each)
        for each in codes
    )


def _nested_codes(code: CodeType) -> "list[CodeType]":
    codes = [code]
    for each in codes:
        codes += [constant for constant in each.co_consts if type(constant) is CodeType]
    return codes


def _has_harmless_names(code: CodeType, *, has_imports: bool) -> bool:
    unclear = set()
    for name in code.co_names:
        if name.startswith(_FRAME_PREFIXES):
            return False
        if name in _FORBIDDEN_NAMES or (name[0] == "_" and name not in _ALLOWED_NAMES):
            unclear.add(name)
    if unclear and not _are_harmless(unclear, code, has_imports=has_imports):
        return False
    attributes = (*_FRAME_PREFIXES, "_") if has_imports else _FRAME_PREFIXES
    for constant in code.co_consts:
        # Names of attributes in a class pattern, and names for functions that take a name.
        texts = constant if type(constant) is tuple else (constant,)
        if any(type(text) is str and "__" in text for text in texts):
            return False
        if type(constant) is tuple and any(
            type(text) is str and text.startswith(attributes) for text in texts
        ):
            return False
    return True


def _are_harmless(names: "set[str]", code: CodeType, *, has_imports: bool) -> bool:
    """Whether names are harmless as they are used: as variables, as attributes, or as both.

    A variable with a leading underscore is the program's own. An attribute with one may be that of
    a module; no object of a program without imports has one, except the program's own objects.
    """
    for operation, name in _name_operations(code):
        if name not in names:
            continue
        if name in _FORBIDDEN_NAMES:
            if operation in _VARIABLE_OPERATIONS or name not in _ALLOWED_ATTRIBUTES:
                return False
        elif name == "__future__":
            # Only `from __future__ import …`, which does not give the program the module.
            if operation != _IMPORT_NAME:
                return False
        elif name.startswith("__") or (has_imports and operation not in _VARIABLE_OPERATIONS):
            return False
    return True


def _name_operations(code: CodeType) -> "list[tuple[int, str]]":
    """The operations that have a name, in their order."""
    operations, instructions, extended = [], code.co_code, 0
    for position in range(0, len(instructions), 2):
        operation, argument = instructions[position : position + 2]
        argument |= extended
        extended = argument << 8 if operation == _EXTENDED_ARG else 0
        if operation in _NAME_SHIFTS:
            operations.append((operation, code.co_names[argument >> _NAME_SHIFTS[operation]]))
    return operations


def _imported_modules(code: CodeType) -> "list[str]":
    """The imported modules; no module has the name "", and it is not shared.

    "import re" -> ["re"]; "from __future__ import annotations" -> ["__future__"];
    "import __future__ as x", which gives the program the module -> [""]
    """
    if _IMPORT_NAME not in code.co_code[::2]:
        return []
    operations = _name_operations(code)
    modules = []
    for number, (operation, name) in enumerate(operations):
        if operation == _IMPORT_NAME:
            # What is imported from the module follows, or the variable that it is assigned to.
            is_allowed = name != "__future__" or operations[number + 1][0] == _IMPORT_FROM
            modules.append(name if is_allowed else "")
    return modules


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
