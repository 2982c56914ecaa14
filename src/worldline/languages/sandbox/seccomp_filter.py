"""Seccomp filter: the BPF program by which the kernel checks every system call."""

import os
from functools import cache
from typing import Any

from worldline.core.errors import SandboxError
from worldline.languages.sandbox.policy import (
    ALLOWED_SYSCALLS,
    ALLOWED_WITH_ARGUMENT,
    FAILING_SYSCALLS,
    FATAL_SYSCALLS,
    FILE_CHANGING_SYSCALLS,
    GROUP_CHANGING_SYSCALLS,
    OWN_SIGNALS,
    SIGNAL_SYSCALLS,
)


@cache
def build_seccomp_filter(
    *extra: str, in_bubblewrap: bool = True, are_signals_confined: bool = True
) -> bytes:
    """Compile the policy to a BPF program for this machine's architecture.

    System calls of another architecture (32-bit ones on a 64-bit machine) end the program.

    Args:
        extra: Names of more system calls to allow.
        in_bubblewrap: Whether the program has a disk, and namespaces that end its processes.
        are_signals_confined: Whether its signals reach no other program. If not, the result
            contains the number `OWN_ID` where the process id of the program has to be.

    Raises:
        SandboxError: libseccomp is not installed, or returned no program.
    """
    pyseccomp = _load_pyseccomp()
    rules = pyseccomp.SyscallFilter(pyseccomp.ERRNO(1))
    # A binary tree instead of a list: the kernel runs the program at every system call.
    rules.set_attr(pyseccomp.Attr.CTL_OPTIMIZE, 2)
    rules.set_attr(pyseccomp.Attr.ACT_BADARCH, pyseccomp.KILL_PROCESS)
    excluded = {
        *(() if in_bubblewrap else (*FILE_CHANGING_SYSCALLS, *GROUP_CHANGING_SYSCALLS)),
        *(() if are_signals_confined else SIGNAL_SYSCALLS),
    }
    for name in (*ALLOWED_SYSCALLS, *extra):
        if name not in excluded:
            _add_rule(pyseccomp, rules, pyseccomp.ALLOW, name)
    for name in set(FATAL_SYSCALLS).difference(extra):
        _add_rule(pyseccomp, rules, pyseccomp.KILL_PROCESS, name)
    for name, code in FAILING_SYSCALLS.items():
        _add_rule(pyseccomp, rules, pyseccomp.ERRNO(code), name)
    conditional = (*ALLOWED_WITH_ARGUMENT, *(() if are_signals_confined else OWN_SIGNALS))
    for name, argument, bits, value in conditional:
        condition = pyseccomp.Arg(argument, pyseccomp.MASKED_EQ, bits, value)
        _add_rule(pyseccomp, rules, pyseccomp.ALLOW, name, condition)
    # In memory: there may be no folder for temporary files.
    with open(os.memfd_create("filter"), "w+b") as file:
        rules.export_bpf(file)
        file.seek(0)
        program = file.read()
    if not program:
        raise SandboxError(
            "libseccomp returned an empty filter; update it (apt install libseccomp2)"
        )
    return program


def libseccomp_problem() -> str:
    """Why filters cannot be built on this machine; "" if they can."""
    try:
        _load_pyseccomp()
    except SandboxError as error:
        return str(error)
    return ""


@cache
def _load_pyseccomp() -> Any:
    """Import pyseccomp, which loads libseccomp.

    Not at the top of this module: everything that executes no program works without it.

    Raises:
        SandboxError: One of the two is not installed.
    """
    try:
        import pyseccomp
    except ImportError:
        raise SandboxError(
            "pyseccomp, which the sandbox needs, is not installed: pip install pyseccomp"
        ) from None
    except (RuntimeError, OSError):  # libseccomp is missing, or cannot be loaded
        raise SandboxError(
            "libseccomp, which the sandbox needs, is not installed: apt install libseccomp2"
        ) from None
    return pyseccomp


def _add_rule(pyseccomp: Any, rules: Any, action: int, name: str, *conditions: object) -> None:
    try:
        pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name)
    except ValueError:  # not on this architecture, or unknown to this version of libseccomp
        return
    rules.add_rule(action, name, *conditions)
