"""Types of the C extension `c/tracer.c`."""

from collections.abc import Callable
from types import FrameType

def open(
    fd: int,
    size: int,
    filename: str,
    *,
    steps: int,
    trace_bytes: int,
    value_chars: int,
    instructions: tuple[int, ...],
    render: Callable[[list[object]], list[str]],
    finish: Callable[[str, str], None],
    on_error: Callable[[BaseException], None],
    signals: list[int],
    has_threads: bool,
) -> None: ...
def start() -> None: ...
def start_thread(frame: FrameType, /) -> None: ...
def stop() -> bool: ...
def close(row: bytes, /) -> None: ...
def is_busy() -> bool: ...
def write_back(frame: FrameType, /) -> None: ...
def start_empty() -> None: ...
