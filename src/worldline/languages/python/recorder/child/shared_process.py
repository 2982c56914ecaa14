"""Check of programs that share a process with others.

A program in a group must not be able to change anything that a later one sees: no module, no
built-in type, no setting of the interpreter. This is decided from its compiled code, in which all
names of attributes must be written: a program that can compute one, or that can reach a frame, is
refused. A refused program is executed in a process of its own, so that refusing too much costs only
time. What an admitted program leaves behind is looked for, too: `shared_state`.
"""

import opcode
import sys
from _string import formatter_parser  # type: ignore[import-not-found]
from collections.abc import Iterator
from dis import findlabels
from types import CodeType

from .json_lines import OWN_BUILTINS
from .repr_session import may_define_repr

__builtins__ = OWN_BUILTINS


def _operation(name: str) -> int:
    """The number of an operation; -1, which no code has, in a version of Python without it."""
    return int(opcode.opmap.get(name, -1))


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
# Builtins that read or change what is not the program's, or that read a name from a text. `type`
# makes classes with computed names, and programs can change `ExceptionGroup`.
_FORBIDDEN_NAMES = frozenset(
    {"breakpoint", "compile", "copyright", "credits", "delattr", "eval", "exec", "exit", "getattr"}
    | {"globals", "help", "input", "license", "locals", "memoryview", "open", "quit", "setattr"}
    | {"vars", "type", "ExceptionGroup", "BaseExceptionGroup", "format_map", "obj"}
    # Programs share the object that is raised when no memory is left for another one.
    | {"MemoryError", "with_traceback"}
)
# Attributes that lead from a generator, a coroutine, a traceback or a function to a frame.
_FRAME_PREFIXES = ("ag_", "co_", "cr_", "f_", "gi_", "tb_")
# With imported modules: names of public lists and dictionaries, of functions that change what they
# are given or that read a name from a text, of metaclasses, and of modules in modules. Methods that
# a generator of a module calls when it is collected. Functions that intern computed texts.
_FORBIDDEN_WITH_IMPORTS = frozenset(
    {"ForwardRef", "Formatter", "get_type_hints", "get_origin", "get_args", "mro"}
    | {"close", "throw", "Generator", "Coroutine", "AsyncGenerator", "namedtuple", "NamedTuple"}
    | {"EXCLUDED_ATTRIBUTES", "final", "no_type_check", "no_type_check_decorator", "overload"}
    | {"abstractmethod", "abstractproperty", "abstractclassmethod", "abstractstaticmethod"}
    | {"dataclass_transform", "override", "singledispatch", "singledispatchmethod"}
    | {"ABCMeta", "EnumMeta", "EnumType", "NamedTupleMeta", "Type"}
    | {"__annotations__", "register", "runtime_checkable", "total_ordering"}
    | {"update_wrapper", "wraps"}
    | (sys.stdlib_module_names - SHARED_MODULES - {"abc", "copy"})
)
# Special names that a program with imported modules may use as attributes.
_READ_ONLY_NAMES = frozenset({"__name__", "__doc__", "_"})
# Harmless as the name of an attribute, as in `re.compile`.
_ALLOWED_ATTRIBUTES = frozenset({"compile"})
# Class patterns, which read computed names of attributes, and `except*`, which gives an
# `ExceptionGroup`.
_FORBIDDEN_OPERATIONS = frozenset({_operation("MATCH_CLASS"), _operation("CHECK_EG_MATCH")})
_LOAD_CONST = _operation("LOAD_CONST")
_LOAD_SMALL_INT = _operation("LOAD_SMALL_INT")
_HANDLER = _operation("PUSH_EXC_INFO")
_SEND = _operation("SEND")
# Flags of the code of generators, coroutines and asynchronous generators.
_SUSPENDED = 0x20 | 0x80 | 0x200
_IMPORT_NAME = _operation("IMPORT_NAME")
_IMPORT_FROM = _operation("IMPORT_FROM")
_EXTENDED_ARG = _operation("EXTENDED_ARG")
_CACHE = _operation("CACHE")
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
_ATTRIBUTE_CHANGES = (_operation("STORE_ATTR"), _operation("DELETE_ATTR"))


class ProgramCode:
    """The compiled code of a program, with that of its functions, classes and comprehensions.

    Attributes:
        has_imports: Whether it has an import statement.
        has_generators: Whether it has code that can be suspended: a generator or a coroutine.
    """

    def __init__(self, code: CodeType):
        self._code = code
        self._codes = _nested_codes(code)
        # Reading `co_code` makes a copy each time.
        self._operations = [each.co_code[::2] for each in self._codes]
        self.has_imports = any(_IMPORT_NAME in each for each in self._operations)
        self.has_generators = any(each.co_flags & _SUSPENDED for each in self._codes)

    def may_share_process(self) -> bool:
        """Whether the program can be executed in the same process as others."""
        modules: list[str] = []
        if self.has_imports:
            modules += [name for each in self._codes for name in _imported_modules(each)]
        if not SHARED_MODULES.issuperset(modules) or may_define_repr(self._code):
            return False
        if not all(map(_has_harmless_operations, self._codes, self._operations)):
            return False
        if self.has_generators and _may_run_when_collected(self._codes):
            return False
        if not modules:
            # Everything that exists is immutable or the program's own.
            return all(_has_harmless_names(each, has_imports=False) for each in self._codes)
        return all(
            _has_harmless_names(each, has_imports=True) and not _may_change_modules(each)
            for each in self._codes
        )


def may_share_process(code: CodeType) -> bool:
    """Whether a program can be executed in the same process as others.

    "def f(x): return x.upper()" -> True; "import os", "x.__globals__" or "open(x)" -> False
    """
    return ProgramCode(code).may_share_process()


def _nested_codes(code: CodeType) -> "list[CodeType]":
    codes = [code]
    for each in codes:
        codes += [constant for constant in each.co_consts if type(constant) is CodeType]
    return codes


def _has_harmless_operations(code: CodeType, operations: bytes) -> bool:
    if not _FORBIDDEN_OPERATIONS.isdisjoint(operations):
        return False
    return "format" not in code.co_names or _formats_only_constants(code)


def _formats_only_constants(code: CodeType) -> bool:
    """Whether `format` is only an attribute of texts that are written in the code.

    The fields of a text can read attributes: "'{:.2f}'.format(x)" -> True;
    "'{0.gi_frame}'.format(x)", "text.format(x)" or "('{}' if y else text).format(x)" -> False
    """
    labels = findlabels(code.co_code)  # type: ignore[arg-type]
    constant: object = None
    for start, operation, argument in _instructions(code):
        if operation in _NAME_SHIFTS and operation not in _VARIABLE_OPERATIONS:
            name = code.co_names[argument >> _NAME_SHIFTS[operation]]
            # The text is known if no jump leads to the attribute.
            if name == "format" and (start in labels or not _has_plain_fields(constant)):
                return False
        constant = code.co_consts[argument] if operation == _LOAD_CONST else None
    return True


def _has_plain_fields(text: object) -> bool:
    """Whether the fields of a format read no attributes and no items.

    "{} {0:>{1}}" -> True; "{0.gi_frame}" or "{:{0[x]}}" -> False
    """
    if type(text) is not str:
        return False
    try:
        for _, field, spec, _ in formatter_parser(text):
            if field is not None and ("." in field or "[" in field):
                return False
            if spec and not _has_plain_fields(spec):
                return False
    except ValueError:
        return False
    return True


def _may_run_when_collected(codes: "list[CodeType]") -> bool:
    """Whether code could be executed when an object is collected, perhaps in a later program.

    A suspended generator executes its `except`, `finally` and `with`, and the method `close` of the
    iterator that it delegates to. No object has another finalizer: see `_ALLOWED_NAMES`.
    """
    suspended = [code for code in codes if code.co_flags & _SUSPENDED]
    if any(_HANDLER in code.co_code[::2] for code in suspended):
        return True
    delegates = any(_SEND in code.co_code[::2] for code in suspended)
    return delegates and any("close" in code.co_names for code in codes)


def _has_harmless_names(code: CodeType, *, has_imports: bool) -> bool:
    unclear = set()
    for name in code.co_names:
        if name.startswith(_FRAME_PREFIXES):
            return False
        if name in _FORBIDDEN_NAMES or name.startswith("__") or (has_imports and name[0] == "_"):
            unclear.add(name)
    if unclear and not _are_harmless(unclear, code, has_imports=has_imports):
        return False
    attributes = (*_FRAME_PREFIXES, "_") if has_imports else _FRAME_PREFIXES
    for constant in code.co_consts:
        # Names for functions that take a name.
        if type(constant) is str and "__" in constant:
            return False
        # Names of attributes in a class pattern.
        if type(constant) is tuple and any(
            type(text) is str and _may_be_special(text, attributes) for text in constant
        ):
            return False
    return True


def _may_be_special(text: str, prefixes: "tuple[str, ...]") -> bool:
    return "__" in text or text.startswith(prefixes)


def _are_harmless(names: "set[str]", code: CodeType, *, has_imports: bool) -> bool:
    """Whether names are harmless as they are used: as variables, as attributes, or as both.

    A variable with a leading underscore is the program's own. An attribute with one may be that of
    a module; no object of a program without imports has one, except the program's own objects.
    """
    # With imported modules, the call of a special method could initialize an object of a module.
    allowed = _READ_ONLY_NAMES if has_imports else _ALLOWED_NAMES
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
        elif operation in _VARIABLE_OPERATIONS:
            if name.startswith("__") and name not in _ALLOWED_NAMES:
                return False
        elif operation in _ATTRIBUTE_CHANGES or name not in allowed:
            # A builtin function has special attributes that can be set.
            return False
    return True


def _instructions(code: CodeType) -> "Iterator[tuple[int, int, int]]":
    """The start of each instruction with its prefixes, its operation and its full argument."""
    instructions, start, extended = code.co_code, 0, 0
    for position in range(0, len(instructions), 2):
        operation, argument = instructions[position : position + 2]
        argument |= extended
        if operation == _EXTENDED_ARG:
            extended = argument << 8
            continue
        if operation != _CACHE:
            yield start, operation, argument
        start, extended = position + 2, 0


def _name_operations(code: CodeType) -> "list[tuple[int, str]]":
    """The operations that have a name, in their order."""
    return [
        (operation, code.co_names[argument >> _NAME_SHIFTS[operation]])
        for _, operation, argument in _instructions(code)
        if operation in _NAME_SHIFTS
    ]


def _imported_modules(code: CodeType) -> "list[str]":
    """The imported modules; no module has the name "", and it is not shared.

    "import re" -> ["re"]; "from __future__ import annotations" -> ["__future__"];
    "import __future__ as x", which gives the program the module, or "from .re import x" -> [""]
    """
    if _IMPORT_NAME not in code.co_code[::2]:
        return []
    instructions = list(_instructions(code))
    modules = []
    for number, (_, operation, argument) in enumerate(instructions):
        if operation == _IMPORT_NAME:
            name = code.co_names[argument]
            # The level and the names are loaded before, each by one instruction. What is imported
            # from the module follows, or the variable that it is assigned to.
            is_known = _loads_zero(code, *instructions[number - 2][1:])
            if name == "__future__":
                is_known = is_known and instructions[number + 1][1] == _IMPORT_FROM
            modules.append(name if is_known else "")
    return modules


def _loads_zero(code: CodeType, operation: int, argument: int) -> bool:
    if operation == _LOAD_CONST:
        return bool(code.co_consts[argument] == 0)
    return operation == _LOAD_SMALL_INT and argument == 0


def _may_change_modules(code: CodeType) -> bool:
    if not _FORBIDDEN_WITH_IMPORTS.isdisjoint(code.co_names):
        return True
    operations = code.co_code[::2]
    return any(change in operations for change in _ATTRIBUTE_CHANGES)
