"""Seccomp filter: the BPF program by which the kernel checks every system call."""

import tempfile
from functools import cache

import pyseccomp

from worldline.core.errors import SandboxError
from worldline.languages.sandbox.policy import (
    ALLOWED_SYSCALLS,
    ALLOWED_WITH_ARGUMENT,
    FAILING_SYSCALLS,
    FATAL_SYSCALLS,
)


@cache
def build_seccomp_filter(*extra: str) -> bytes:
    """Compile the policy to a BPF program for this machine's architecture.

    System calls of another architecture (32-bit ones on a 64-bit machine) end the program.

    Args:
        extra: Names of more system calls to allow.

    Raises:
        SandboxError: libseccomp returned no program.
    """
    rules = pyseccomp.SyscallFilter(pyseccomp.ERRNO(1))
    # A binary tree instead of a list: the kernel runs the program at every system call.
    rules.set_attr(pyseccomp.Attr.CTL_OPTIMIZE, 2)
    rules.set_attr(pyseccomp.Attr.ACT_BADARCH, pyseccomp.KILL_PROCESS)
    for name in (*ALLOWED_SYSCALLS, *extra):
        _add_rule(rules, pyseccomp.ALLOW, name)
    for name in FATAL_SYSCALLS:
        _add_rule(rules, pyseccomp.KILL_PROCESS, name)
    for name, code in FAILING_SYSCALLS.items():
        _add_rule(rules, pyseccomp.ERRNO(code), name)
    for name, argument, bits, value in ALLOWED_WITH_ARGUMENT:
        condition = pyseccomp.Arg(argument, pyseccomp.MASKED_EQ, bits, value)
        _add_rule(rules, pyseccomp.ALLOW, name, condition)
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        program = file.read()
    if not program:
        raise SandboxError(
            "libseccomp returned an empty filter; update it (apt install libseccomp2)"
        )
    return program


def _add_rule(
    rules: "pyseccomp.SyscallFilter", action: int, name: str, *conditions: object
) -> None:
    try:
        pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name)
    except ValueError:  # not on this architecture, or unknown to this version of libseccomp
        return
    rules.add_rule(action, name, *conditions)
