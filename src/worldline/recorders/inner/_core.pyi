"""What recorders/core/core.c offers."""

from collections.abc import Callable

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
    failed: Callable[[BaseException], None],
    signals: list[int],
) -> None: ...
def start() -> None: ...
def stop() -> bool: ...
def close(row: bytes, /) -> None: ...
def is_busy() -> bool: ...
def start_empty() -> None: ...
