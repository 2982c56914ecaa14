"""Preparation of the traced process: its resource limits and its seccomp filter.

The process is stopped at its first instruction, so no code of the program has been executed. The
system calls are made in the process itself: an instruction `syscall` is written to where it stands,
and removed again.
"""

import resource
from typing import Any

import gdb

_SYSCALL = b"\x0f\x05"
_SECCOMP, _PRLIMIT64 = 317, 302
_SET_MODE_FILTER = 1
_REGISTERS = ("rax", "rdi", "rsi", "rdx", "r10", "rcx", "r11", "rip", "eflags", "orig_rax")
# Memory of the process itself: its code and its stack.
_OWN_BYTES = 16 << 20


class SetupError(Exception):
    """The process could not be prepared; it must not be continued."""


def prepare_inferior(limits: "dict[str, Any]", rules: bytes) -> None:
    """Set the limits of the stopped process and install its seccomp filter.

    Args:
        limits: The limits of the recording.
        rules: The BPF program of the filter; empty for none.
    """
    for name, value in (
        (resource.RLIMIT_AS, limits["memory_mb"] * 1_000_000 + _OWN_BYTES),
        (resource.RLIMIT_FSIZE, limits["output_mb"] * 1_000_000),
    ):
        _call(_PRLIMIT64, 0, name, _Memory(value.to_bytes(8, "little") * 2), 0)
    if rules:
        # struct sock_fprog: the number of instructions, and where they are.
        count = (len(rules) // 8).to_bytes(8, "little")
        _call(_SECCOMP, _SET_MODE_FILTER, 0, _Memory(count, pointee=rules))


class _Memory:
    """An argument in memory, and what its last field points to."""

    def __init__(self, content: bytes, *, pointee: bytes = b"") -> None:
        self.content = content
        self.pointee = pointee


def _call(number: int, *arguments: "int | _Memory") -> None:
    """Make a system call in the process, and restore its registers."""
    inferior = gdb.selected_inferior()
    frame = gdb.newest_frame()
    saved = {name: int(frame.read_register(name)) for name in _REGISTERS}
    pc = saved["rip"]
    code = bytes(inferior.read_memory(pc, len(_SYSCALL)))
    # Below the red zone of the stack.
    top = (int(frame.read_register("rsp")) & ~0xF) - 4096
    registers = dict(zip(("rdi", "rsi", "rdx", "r10"), arguments, strict=False))
    inferior.write_memory(pc, _SYSCALL)
    for name, value in registers.items():
        if isinstance(value, _Memory):
            content = value.content
            if value.pointee:
                top -= (len(value.pointee) | 0xF) + 1
                inferior.write_memory(top, value.pointee)
                content += top.to_bytes(8, "little")
            top -= 64
            inferior.write_memory(top, content)
            registers[name] = top
    for name, value in {"rax": number, **registers}.items():
        gdb.execute(f"set ${name} = {value}", to_string=True)
    gdb.execute("stepi", to_string=True)
    result = int(gdb.newest_frame().read_register("rax"))
    inferior.write_memory(pc, code)
    for name, value in saved.items():
        gdb.execute(f"set ${name} = {value}", to_string=True)
    if result != 0:
        raise SetupError(f"system call {number} failed in the program's process: {result}")
