"""The recorder that is written in C, as the zygote uses it; none where it was not built."""

import opcode
from collections.abc import Callable
from typing import Any

from .interrupts import FILENAME
from .renderer import Renderer
from .wire import OWN_BUILTINS

try:
    from . import _core
except ImportError:  # installed without a compiler, or for another version of Python
    _core = None  # type: ignore[assignment]

__builtins__ = OWN_BUILTINS

IS_BUILT = _core is not None
_INSTRUCTIONS = ("RESUME", "RETURN_VALUE", "RETURN_CONST", "YIELD_VALUE")


class Core:
    """Turns events of the program's own frames into rows, written into memory that it shares
    with whoever started the zygote."""

    def __init__(
        self,
        limits: "dict[str, Any]",
        memory: "tuple[int, int]",
        *,
        renderer: Renderer,
        signals: "list[int]",
        finish: "Callable[[str, str], None]",
        failed: "Callable[[BaseException], None]",
        has_threads: bool,
    ):
        """`memory`: a memory file and its size; it is closed here."""
        fd, size = memory
        _core.open(
            fd,
            size,
            FILENAME,
            steps=limits["steps"],
            trace_bytes=limits["trace_mb"] * 1_000_000,
            value_chars=limits["value_chars"],
            instructions=tuple(opcode.opmap.get(name, -1) for name in _INSTRUCTIONS),
            render=renderer.texts,
            finish=finish,
            failed=failed,
            signals=signals,
            has_threads=has_threads,
        )
        self.start, self.stop, self.close = _core.start, _core.stop, _core.close
        self.is_busy, self.start_thread = _core.is_busy, _core.start_thread

    def leave_to_parent(self) -> None:
        """In a process that the program started: it is not recorded."""
        _core.stop()
