"""A value goes in, its text comes out: `repr`, exactly, but bounded, and safe to ask for.

Text equals `repr` for values of built-in types. Memory addresses are left out (no two runs
share them), a long text is cut and says so, and a `__repr__` written in the program is run in
a forked copy of the process: whatever it does (raise, hang, print, change state), it does there.
"""

import json
import os
import re
import select
import signal
import sys
import time
import types

ADDRESS = re.compile(r" at 0x[0-9a-fA-F]{4,16}(?=[ >])")
# A user's __repr__ that has not answered by then is hanging.
REPR_SECONDS = 1.0

_ATOMS = frozenset({int, str, float, bool, type(None), bytes, complex, range, type(...)})
_PLAIN = frozenset(
    {
        types.FunctionType,
        types.BuiltinFunctionType,
        types.ModuleType,
        type,
        types.GeneratorType,
        types.CoroutineType,
        types.AsyncGeneratorType,
        types.CodeType,
    }
)
_CONTAINERS = frozenset({list, tuple, set, frozenset})

# Work on one value stops at this many times its limit: nobody reads how long it was beyond.
PATIENCE = 64


def render(value: object, limit: int) -> str:
    """The value as text, cut where it is longer than `limit` characters.

    [1, (2,)], 100 -> "[1, (2,)]"; "aaaaaa", 3 -> "'aa… <cut: 8 characters>"
    """
    writer = _Writer(limit)
    try:
        writer.add(value)
    except _TooLong:
        return f"{writer.text[:limit]}… <cut: more than {writer.size} characters>"
    except MemoryError:
        raise
    # The guard: whatever a __repr__ raises must not reach the program.
    except BaseException as error:
        return f"<unrenderable: {type(error).__name__}>"
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
        kind = type(value)
        if kind is dict:
            self._add_items(value, "{", "}", "{...}")
        elif kind is list:
            self._add_items(value, "[", "]", "[...]")
        elif kind is tuple:
            self._add_items(value, "(", ",)" if len(value) == 1 else ")", "(...)")  # type: ignore[arg-type]
        elif kind is set and value:
            self._add_items(value, "{", "}", "set(...)")
        elif kind is frozenset and value:
            self._add_items(value, "frozenset({", "})", "frozenset(...)")
        elif kind is int:
            self.put(_render_int(value))  # type: ignore[arg-type]
        elif kind in (str, bytes) and len(value) > PATIENCE * self.limit:  # type: ignore[arg-type]
            self.put(repr(value[: PATIENCE * self.limit + 1]))  # type: ignore[index]
        elif kind in _ATOMS:
            self.put(repr(value))
        else:
            self.put(ADDRESS.sub("", repr(value)))

    def _add_items(self, value: object, left: str, right: str, again: str) -> None:
        if id(value) in self.open_ids:
            self.put(again)
            return
        self.open_ids.add(id(value))
        self.put(left)
        is_first = True
        for item in value:  # type: ignore[attr-defined]
            if not is_first:
                self.put(", ")
            is_first = False
            self.add(item)
            if type(value) is dict:
                self.put(": ")
                self.add(value[item])
        self.put(right)
        self.open_ids.discard(id(value))


def _render_int(value: int) -> str:
    # Python refuses to write ints beyond some 4,300 digits; the program's own setting stays.
    if value.bit_length() < 10_000:
        return repr(value)
    if value.bit_length() > 200_000:
        return f"<int of {value.bit_length()} bits… <cut: {int(value.bit_length() * 0.30103)} characters>"
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        return repr(value)
    finally:
        sys.set_int_max_str_digits(before)


def may_run_program_code(value: object, open_ids: "frozenset[int]" = frozenset()) -> bool:
    """Whether rendering could call a method that the program wrote.

    [1, "a", (2.0, None)] -> False; an instance of a class with its own __repr__ -> True
    """
    kind = type(value)
    if kind in _ATOMS or kind in _PLAIN or id(value) in open_ids:
        return False
    if kind is dict:
        inside = open_ids | {id(value)}
        return any(
            may_run_program_code(k, inside) or may_run_program_code(v, inside)
            for k, v in list(value.items())  # type: ignore[attr-defined]
        )
    if kind in _CONTAINERS:
        inside = open_ids | {id(value)}
        return any(may_run_program_code(item, inside) for item in list(value))  # type: ignore[call-overload]
    # A type with a metaclass may have a __repr__ of the program's for its classes.
    return kind.__repr__ is not object.__repr__


def render_apart(values: "list[object]", limit: int) -> "list[str]":
    """Render in a forked copy of this process, so that nothing it does reaches the program."""
    try:
        reader, writer = os.pipe()
        pid = os.fork()
    except OSError as error:
        return [f"<unrenderable: {type(error).__name__}>"] * len(values)
    if pid == 0:
        _render_in_copy(values, limit, writer)
    os.close(writer)
    answer = _read_all(reader, REPR_SECONDS)
    os.close(reader)
    if answer is None:
        os.kill(pid, signal.SIGKILL)
    try:
        os.waitpid(pid, 0)
    except ChildProcessError:
        pass
    texts = answer.decode().splitlines() if answer else []
    missing = "no answer" if answer is None else "the process died"
    found = [str(json.loads(text)) for text in texts]
    return found + [f"<unrenderable: {missing}>"] * (len(values) - len(found))


def _render_in_copy(values: "list[object]", limit: int, writer: int) -> None:
    try:
        sys.settrace(None)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(nowhere, fd)
        for value in values:
            os.write(writer, json.dumps(render(value, limit)).encode() + b"\n")
    finally:
        os._exit(0)


def _read_all(fd: int, seconds: float) -> "bytes | None":
    """All bytes until the other side closes; none if that takes too long."""
    deadline = time.monotonic() + seconds
    parts = []
    while True:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([fd], [], [], left)[0]:
            return None
        part = os.read(fd, 1 << 16)
        if not part:
            return b"".join(parts)
        parts.append(part)
