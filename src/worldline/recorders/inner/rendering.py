"""A value goes in, its text comes out: `repr`, exactly, but bounded, and safe to ask for.

Text equals `repr` for values of built-in types. Memory addresses are left out (no two runs
share them), a long text is cut and says so, and a `__repr__` written in the program is run in
a forked copy of the process: whatever it does (raise, hang, print, change state), it does there.
"""

import re
import signal
import types
from collections.abc import Iterator
from fcntl import F_DUPFD, fcntl
from os import O_RDWR, _exit, close, closerange, devnull, dup2, fork, kill, pipe, read, wait4
from os import open as open_fd
from resource import RLIMIT_CPU, setrlimit
from select import POLLIN, poll
from sys import get_int_max_str_digits, set_int_max_str_digits, settrace

from .wire import OWN_BUILTINS, write_all

__builtins__ = OWN_BUILTINS

# Memory addresses, and the numbers of threads, which are addresses too.
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]{4,16}(?=[ >,:;)])|(?<=ed|on) [0-9]{9,}(?=\)>)")
# A user's __repr__ that has computed or waited for so long is hanging. The first is what counts; on
# a busy machine even a quick one may have to wait.
REPR_CPU_SECONDS = 1
REPR_SECONDS = 5.0
NO_ANSWER = "<unrenderable: no answer>"
DIED = "<unrenderable: the process died>"

# Types are looked up by identity: hashing a class may run code of its metaclass.
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
name_of = type.__dict__["__name__"].__get__
_bases_of = type.__dict__["__mro__"].__get__
_namespace_of = type.__dict__["__dict__"].__get__

# Work on one value stops at this many times its limit: nobody reads how long it was beyond.
PATIENCE = 64
_MAX_FDS = 1 << 16


def render(value: object, limit: int) -> str:
    """The value as text, cut where it is longer than `limit` characters.

    [1, (2,)], 100 -> "[1, (2,)]"; "aaaaaa", 3 -> "'aa… <cut: 8 characters>"
    """
    writer = _Writer(limit)
    try:
        writer.add(value)
    except _TooLong:
        return f"{writer.text[:limit]}… <cut: more than {PATIENCE * limit} characters>"
    except MemoryError:
        raise
    # The guard: whatever a __repr__ raises must not reach the program.
    except BaseException as error:  # noqa: BLE001
        return f"<unrenderable: {name_of(type(error))}>"
    if writer.size <= limit:
        return writer.text
    return f"{writer.text[:limit]}… <cut: {writer.size} characters>"


class _TooLong(Exception):  # noqa: N818
    pass


class _Writer:
    """Builds the text of one value, counting as it goes and keeping no more than is shown."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.size = 0
        self.parts: list[str] = []
        # Containers that are being written: what is left of each, and its closing bracket.
        self.open: list[tuple[Iterator[tuple[str, object]], str, int]] = []
        self.open_ids: set[int] = set()

    @property
    def text(self) -> str:
        return "".join(self.parts)

    def put(self, text: str) -> None:
        if self.size <= self.limit:
            self.parts.append(text)
        self.size += len(text)
        if self.size > PATIENCE * self.limit:
            raise _TooLong

    def add(self, value: object) -> None:
        """Write the value and all that is in it, which may nest deeper than calls can."""
        self._begin(value)
        while self.open:
            items, right, key = self.open[-1]
            found = next(items, None)
            if found is None:
                self.open.pop()
                self.open_ids.discard(key)
                self.put(right)
            else:
                self.put(found[0])
                self._begin(found[1])

    def _begin(self, value: object) -> None:
        brackets = _BRACKETS.get(id(type(value)))
        text = self._text_of_one(value) if brackets is None else _flat_text(value)
        if text is not None:
            self.put(text)
            return
        assert brackets is not None
        left, right, again = brackets
        if id(value) in self.open_ids:
            self.put(again)
            return
        if type(value) is tuple and len(value) == 1:
            right = ",)"
        self.open_ids.add(id(value))
        self.put(left)
        self.open.append((_items(value), right, id(value)))

    def _text_of_one(self, value: object) -> str:
        kind = type(value)
        if kind is int:
            return _render_int(value)  # type: ignore[arg-type]
        longest = PATIENCE * self.limit
        if (kind is str or kind is bytes) and len(value) > longest:  # type: ignore[arg-type]
            return repr(value[: longest + 1])  # type: ignore[index]
        text = repr(value)
        return text if id(kind) in _ATOMS else ADDRESS.sub("", text)


def _flat_text(value: object) -> "str | None":
    """The text of a container of nothing but numbers or short strings, which Python writes fast.

    [1, 2.5, None] -> "[1, 2.5, None]"; [[1]] -> None, to be written item by item
    """
    parts = (value.keys(), value.values()) if type(value) is dict else (value,)
    for part in parts:
        kinds = set(map(id, map(type, part)))  # type: ignore[call-overload]
        is_short = kinds == _STRING and sum(map(len, part)) < _SHORT  # type: ignore[call-overload]
        if not is_short and not kinds <= _NUMBERS:
            return None
    try:
        return repr(value)
    # An int of too many digits for Python.
    except ValueError:
        return None


def _items(value: object) -> "Iterator[tuple[str, object]]":
    """What a container holds, each with the text before it; hashes and compares nothing.

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
    # Python refuses to write ints beyond some 4,300 digits, or whatever the program has set
    # (640 at the least); its setting stays.
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


# -- values whose repr is the program's own ---------------------------------------------------


def program_reprs(value: object) -> "frozenset[int]":
    """The ids of the types inside a value whose repr could call a method that the program wrote.

    [1, "a", (2.0, None)] -> none; [1, Point(2, 3)] -> that of Point, if it has a __repr__
    """
    found: set[int] = set()
    waiting, met = [value], set()
    while waiting:
        value = waiting.pop()
        kind = id(type(value))
        if kind in _BRACKETS:
            if id(value) not in met:
                met.add(id(value))
                inside = _inside(value)
                if not _ATOMS.issuperset(map(id, map(type, inside))):
                    waiting += inside
        elif kind not in _ATOMS and kind not in _PLAIN and has_own_repr(type(value)):
            found.add(kind)
    return frozenset(found)


def _inside(value: object) -> "list[object]":
    if type(value) is dict:
        return [*value.keys(), *value.values()]
    found: list[object] = list(value)  # type: ignore[call-overload]
    return found


def has_own_repr(kind: type) -> bool:
    """Whether its __repr__ is another than object's; asks no metaclass, calls no descriptor."""
    return any("__repr__" in _namespace_of(base) for base in _bases_of(kind)[:-1])


def render_apart(values: "list[object]", limit: int) -> "list[str]":
    """Render in a forked copy of this process, so that nothing it does reaches the program.

    The values share the copy. Gives their texts up to the first that ended it or did not
    answer, that included.
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
        _render_in_copy(values, limit, writer)
    close(writer)
    answer, has_ended = _read_all(reader)
    close(reader)
    if not has_ended:
        kill(pid, signal.SIGKILL)
    try:
        used = wait4(pid, 0)[2]
        has_ended = has_ended and used.ru_utime + used.ru_stime < REPR_CPU_SECONDS * 0.9
    # The program ignores its children, and the system has done away with it.
    except ChildProcessError:
        pass
    texts = [text.decode("utf-8", "surrogatepass") for text in answer.split(b"\0")[:-1]]
    if len(texts) < len(values):
        texts.append(DIED if has_ended else NO_ANSWER)
    return texts


def _render_in_copy(values: "list[object]", limit: int, writer: int) -> None:
    try:
        settrace(None)
        setrlimit(RLIMIT_CPU, (REPR_CPU_SECONDS, REPR_CPU_SECONDS))
        writer = fcntl(writer, F_DUPFD, 3)
        closerange(3, writer)
        closerange(writer + 1, _MAX_FDS)
        nowhere = open_fd(devnull, O_RDWR)
        for fd in (0, 1, 2):
            dup2(nowhere, fd)
        for value in values:
            # A repr of the program's own may hold a NUL, which here ends a text.
            text = render(value, limit).replace("\0", "\\x00")
            write_all(writer, text.encode("utf-8", "surrogatepass") + b"\0")
    finally:
        _exit(0)


def _read_all(fd: int) -> "tuple[bytes, bool]":
    """All bytes until the other side closes, and whether it did before keeping us too long."""
    parts: list[bytes] = []
    waiter = poll()
    waiter.register(fd, POLLIN)
    while waiter.poll(REPR_SECONDS * 1_000):
        part = read(fd, 1 << 16)
        if not part:
            return b"".join(parts), True
        parts.append(part)
    return b"".join(parts), False
