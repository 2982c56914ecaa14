"""Text about what a thread waits for, from the frame in which it waits."""

from typing import Any

from .interrupts import FILENAME
from .json_lines import OWN_BUILTINS

__builtins__ = OWN_BUILTINS

# Identifiers with ten digits are left out of texts, as those of Python are.
FIRST_IDENT = 1_000_000_000
_OPERATIONS = {"__enter__": "acquire", "__aenter__": "acquire", "wait_for": "wait"}


def waiting_text(number: int, frame: Any) -> str:
    """What a thread waits for.

    1, a frame -> "thread 1 waits at line 9 in Lock.acquire, held by thread 2"
    """
    called = ""
    while frame is not None and frame.f_code.co_filename is not FILENAME:
        called = operation(frame, "thread") or called
        frame = frame.f_back
    line = f" at line {frame.f_lineno}" if frame is not None else ""
    name = _name("thread", number)
    return f"{name} waits{line}{called or ' for threads to end'}"


def _name(kind: str, number: int) -> str:
    return f"{kind} {number}" if number else "the main thread"


def operation(frame: Any, kind: str) -> str:
    """The operation of a frame of the standard library.

    A frame of Lock.acquire, "thread" -> " in Lock.acquire, held by thread 2"

    Args:
        frame: The frame.
        kind: What executes it: "thread" or "task".
    """
    owner = frame.f_locals.get("self")
    name = frame.f_code.co_name
    if owner is None and kind == "task":
        return f" in {frame.f_code.co_name}"
    if owner is None or name in ("run", "_bootstrap", "_bootstrap_inner"):
        return ""
    name = _OPERATIONS.get(name, name)
    owner_type = type(owner).__name__.removeprefix("_")
    owner_type = owner_type[:1].upper() + owner_type[1:]
    other = ""
    if name == "acquire" and (holder := _holder(owner)) is not None:
        other = f", held by {_name(kind, holder)}"
    if name == "join" and type(getattr(owner, "_ident", None)) is int:
        other = f" of {_name('thread', owner._ident - FIRST_IDENT)}"
    return f" in {owner_type}.{name}{other}"


def _holder(owner: Any) -> "int | None":
    """The thread or task that has a lock, or the lock of a condition."""
    number = getattr(getattr(owner, "_lock", owner), "holder", None)
    return number if type(number) is int else None
