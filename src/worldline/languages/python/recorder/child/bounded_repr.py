"""Bounded `repr` of values, without side effects on the program.

The text of a value of a built-in type is its `repr`. Memory addresses are left out, because no two
executions share them. A long text is shortened, with a mark. A `__repr__` of the program is called
in a fork of the process: whatever it does (raise, hang, print, change state) stays there.
"""

import re
import signal
import types
from collections.abc import Iterator
from contextlib import suppress
from fcntl import F_DUPFD, fcntl
from os import O_RDWR, _exit, close, closerange, devnull, dup2, fork, kill, pipe, read, wait4
from os import open as open_fd
from resource import RLIMIT_CPU, setrlimit
from select import POLLIN, poll
from sys import get_int_max_str_digits, set_int_max_str_digits, settrace

from .json_lines import OWN_BUILTINS, write_all

__builtins__ = OWN_BUILTINS

# Memory addresses, and thread identifiers, which are addresses, too.
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]{4,16}(?=[ >,:;)])|(?<=ed|on) [0-9]{9,}(?=\)>)")
# A __repr__ of the program that takes longer is hanging: CPU time, and elapsed time. The second is
# longer, because on a busy machine even a quick one may have to wait.
REPR_CPU_SECONDS = 1
REPR_SECONDS = 5.0
NO_ANSWER = "<unrenderable: no answer>"
DIED = "<unrenderable: the process died>"

# Types are looked up by id: hashing a class may run code of its metaclass.
_ATOMS = frozenset(map(id, (int, str, float, bool, type(None), bytes, complex, range, type(...))))
_NUMBERS = frozenset(map(id, (int, float, bool, type(None), complex)))
_STRING = {id(str)}
_SHORT = 100_000
_PLAIN = frozenset(
    map(
        id,
        (
            types.FunctionType,
            types.BuiltinFunctionType,
            types.ModuleType,
            type,
            types.GeneratorType,
            types.CoroutineType,
            types.AsyncGeneratorType,
            types.CodeType,
        ),
    )
)
_BRACKETS = {
    id(dict): ("{", "}", "{...}"),
    id(list): ("[", "]", "[...]"),
    id(tuple): ("(", ")", "(...)"),
    id(set): ("{", "}", "set(...)"),
    id(frozenset): ("frozenset({", "})", "frozenset(...)"),
}
type_name = type.__dict__["__name__"].__get__
_bases_of = type.__dict__["__mro__"].__get__
_namespace_of = type.__dict__["__dict__"].__get__

# Rendering stops at this multiple of the limit; the exact length is unknown then.
MAX_LENGTH_FACTOR = 64
_MAX_FDS = 1 << 16


def render(value: object, limit: int) -> str:
    """The value as text, shortened to `limit` characters.

    [1, (2,)], 100 -> "[1, (2,)]"; "aaaaaa", 3 -> "'aa… <cut: 8 characters>"
    """
    writer = _ReprWriter(limit)
    try:
        writer.add(value)
    except _TooLong:
        return f"{writer.text[:limit]}… <cut: more than {MAX_LENGTH_FACTOR * limit} characters>"
    except MemoryError:
        raise
    # Whatever a __repr__ raises must not reach the program.
    except BaseException as error:  # noqa: BLE001
        return f"<unrenderable: {type_name(type(error))}>"
    if writer.size <= limit:
        return writer.text
    return f"{writer.text[:limit]}… <cut: {writer.size} characters>"


class _TooLong(Exception):  # noqa: N818
    """The text is longer than `MAX_LENGTH_FACTOR` times the limit."""


class _ReprWriter:
    """Text of one value: counts all characters, stores only those that are shown."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.size = 0
        self.parts: list[str] = []
        # The containers that are being written: remaining items, closing bracket and id.
        self.open: list[tuple[Iterator[tuple[str, object]], str, int]] = []
        self.open_ids: set[int] = set()

    @property
    def text(self) -> str:
        return "".join(self.parts)

    def put(self, text: str) -> None:
        if self.size <= self.limit:
            self.parts.append(text)
        self.size += len(text)
        if self.size > MAX_LENGTH_FACTOR * self.limit:
            raise _TooLong

    def add(self, value: object) -> None:
        """Write a value and its items, without recursion: values may be nested deeply."""
        self._begin(value)
        while self.open:
            items, right, key = self.open[-1]
            item = next(items, None)
            if item is None:
                self.open.pop()
                self.open_ids.discard(key)
                self.put(right)
            else:
                self.put(item[0])
                self._begin(item[1])

    def _begin(self, value: object) -> None:
        brackets = _BRACKETS.get(id(type(value)))
        text = self._atom_text(value) if brackets is None else _flat_text(value)
        if text is not None:
            self.put(text)
            return
        assert brackets is not None
        left, right, recursive = brackets
        if id(value) in self.open_ids:
            self.put(recursive)
            return
        if type(value) is tuple and len(value) == 1:
            right = ",)"
        self.open_ids.add(id(value))
        self.put(left)
        self.open.append((_items(value), right, id(value)))

    def _atom_text(self, value: object) -> str:
        kind = type(value)
        if kind is int:
            return _render_int(value)  # type: ignore[arg-type]
        max_length = MAX_LENGTH_FACTOR * self.limit
        if (kind is str or kind is bytes) and len(value) > max_length:  # type: ignore[arg-type]
            return repr(value[: max_length + 1])  # type: ignore[index]
        text = repr(value)
        return text if id(kind) in _ATOMS else ADDRESS.sub("", text)


def _flat_text(value: object) -> "str | None":
    """The text of a container that has only numbers or only short strings: Python's fast `repr`.

    [1, 2.5, None] -> "[1, 2.5, None]"; [[1]] -> None: has to be written item by item
    """
    parts = (value.keys(), value.values()) if type(value) is dict else (value,)
    for part in parts:
        kinds = set(map(id, map(type, part)))  # type: ignore[call-overload]
        is_short = kinds == _STRING and sum(map(len, part)) < _SHORT  # type: ignore[call-overload]
        if not is_short and not kinds <= _NUMBERS:
            return None
    try:
        return repr(value)
    # An int with more digits than Python converts.
    except ValueError:
        return None


def _items(value: object) -> "Iterator[tuple[str, object]]":
    """The items of a container, each with the text before it; hashes and compares nothing.

    {1: 2, 3: 4} -> ("", 1), (": ", 2), (", ", 3), (": ", 4)
    """
    before = ""
    if type(value) is dict:
        for key, item in list(value.items()):
            yield before, key
            yield ": ", item
            before = ", "
    else:
        for item in list(value):  # type: ignore[call-overload]
            yield before, item
            before = ", "


def _render_int(value: int) -> str:
    # Python refuses to convert ints with more than 4,300 digits, or the limit that the program has
    # set (at least 640). The program's limit is restored.
    if value.bit_length() < 2_000:
        return repr(value)
    if value.bit_length() > 200_000:
        digits = int(value.bit_length() * 0.30103)
        return f"<int of {value.bit_length()} bits… <cut: {digits} characters>"
    before = get_int_max_str_digits()
    set_int_max_str_digits(0)
    try:
        return repr(value)
    finally:
        set_int_max_str_digits(before)


# -- values with a __repr__ of the program ----------------------------------------------------


def types_with_own_repr(value: object) -> "frozenset[int]":
    """The ids of the types inside a value whose repr may call a method of the program.

    [1, "a", (2.0, None)] -> none; [1, Point(2, 3)] -> that of Point, if it has a __repr__
    """
    types_found: set[int] = set()
    pending, visited = [value], set()
    while pending:
        value = pending.pop()
        kind = id(type(value))
        if kind in _BRACKETS:
            if id(value) not in visited:
                visited.add(id(value))
                members = _members(value)
                if not _ATOMS.issuperset(map(id, map(type, members))):
                    pending += members
        elif kind not in _ATOMS and kind not in _PLAIN and has_own_repr(type(value)):
            types_found.add(kind)
    return frozenset(types_found)


def _members(value: object) -> "list[object]":
    if type(value) is dict:
        return [*value.keys(), *value.values()]
    members: list[object] = list(value)  # type: ignore[call-overload]
    return members


def has_own_repr(kind: type) -> bool:
    """Whether its __repr__ is not that of `object`; runs no code of the metaclass."""
    return any("__repr__" in _namespace_of(base) for base in _bases_of(kind)[:-1])


def render_in_fork(values: "list[object]", limit: int) -> "list[str]":
    """Render values in a fork of this process, so that no side effect reaches the program.

    The result has one text per value. It ends early after a value whose __repr__ ended the fork or
    did not return; the last text is then `DIED` or `NO_ANSWER`.
    """
    try:
        reader, writer = pipe()
    except OSError as error:
        return [f"<unrenderable: {type(error).__name__}>"]
    try:
        pid = fork()
    except OSError as error:
        close(reader)
        close(writer)
        return [f"<unrenderable: {type(error).__name__}>"]
    if pid == 0:
        _render_and_exit(values, limit, writer)
    close(writer)
    output, has_ended = _read_all(reader)
    close(reader)
    if not has_ended:
        # If the program may signal only itself, its time limit ends both.
        with suppress(PermissionError):
            kill(pid, signal.SIGKILL)
    try:
        _, status, usage = wait4(pid, 0)
        # The limit counts ticks of the clock: on a busy machine, it is reached earlier.
        share = 0.5 if status & 0x7F in (signal.SIGKILL, signal.SIGXCPU) else 0.9
        has_ended = has_ended and usage.ru_utime + usage.ru_stime < REPR_CPU_SECONDS * share
    # The program ignores SIGCHLD, so the kernel has reaped the fork.
    except ChildProcessError:
        pass
    texts = [text.decode("utf-8", "surrogatepass") for text in output.split(b"\0")[:-1]]
    if len(texts) < len(values):
        texts.append(DIED if has_ended else NO_ANSWER)
    return texts


def _render_and_exit(values: "list[object]", limit: int, writer: int) -> None:
    try:
        settrace(None)
        setrlimit(RLIMIT_CPU, (REPR_CPU_SECONDS, REPR_CPU_SECONDS))
        writer = fcntl(writer, F_DUPFD, 3)
        closerange(3, writer)
        closerange(writer + 1, _MAX_FDS)
        null = open_fd(devnull, O_RDWR)
        for fd in (0, 1, 2):
            dup2(null, fd)
        for value in values:
            # A repr of the program may contain a NUL, which separates the texts here.
            text = render(value, limit).replace("\0", "\\x00")
            write_all(writer, text.encode("utf-8", "surrogatepass") + b"\0")
    finally:
        _exit(0)


def _read_all(fd: int) -> "tuple[bytes, bool]":
    """All bytes up to the end of file, and whether that came before the timeout."""
    parts: list[bytes] = []
    poller = poll()
    poller.register(fd, POLLIN)
    while poller.poll(REPR_SECONDS * 1_000):
        part = read(fd, 1 << 16)
        if not part:
            return b"".join(parts), True
        parts.append(part)
    return b"".join(parts), False
