"""The policy goes in, the program that the kernel runs at every call comes out."""

import tempfile
from functools import cache

import pyseccomp

from worldline.errors import SandboxError
from worldline.sandbox.policy import ALLOWED, DEADLY, FAILING, PARTLY


@cache
def call_filter(*more: str) -> bytes:
    """The BPF program for this machine's kind of processor; `more` calls are allowed.

    Calls of another kind (32-bit ones on a 64-bit machine) end the program.
    """
    made = pyseccomp.SyscallFilter(pyseccomp.ERRNO(1))
    # A tree instead of a list: what is asked at every call should be short.
    made.set_attr(pyseccomp.Attr.CTL_OPTIMIZE, 2)
    made.set_attr(pyseccomp.Attr.ACT_BADARCH, pyseccomp.KILL_PROCESS)
    for name in (*ALLOWED, *more):
        _add(made, pyseccomp.ALLOW, name)
    for name in DEADLY:
        _add(made, pyseccomp.KILL_PROCESS, name)
    for name, code in FAILING.items():
        _add(made, pyseccomp.ERRNO(code), name)
    for name, argument, bits, value in PARTLY:
        _add(
            made,
            pyseccomp.ALLOW,
            name,
            pyseccomp.Arg(argument, pyseccomp.MASKED_EQ, bits, value),
        )
    with tempfile.TemporaryFile() as file:
        made.export_bpf(file)
        file.seek(0)
        program = file.read()
    if not program:
        raise SandboxError("libseccomp gave an empty filter")
    return program


def _add(made: "pyseccomp.SyscallFilter", action: int, name: str, *arguments: object) -> None:
    try:
        pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name)
    except ValueError:  # not on this processor, or unknown to this libseccomp
        return
    made.add_rule(action, name, *arguments)
