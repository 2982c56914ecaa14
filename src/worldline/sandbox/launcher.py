"""Run by the interpreter that is to be held, as root and before anything else: gives up root.

Another user could not look into root's folders, so what is to be seen is first bound where it can
be; then bubblewrap is executed as that user. Arguments: a JSON object, and bubblewrap's.
"""

import ctypes
import json
import os
import sys

CLONE_NEWNS = 0x20000
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000

libc = ctypes.CDLL(None, use_errno=True)


def check(result: int, what: str) -> None:
    """Stop where a call failed."""
    if result != 0:
        sys.exit(f"{what}: {os.strerror(ctypes.get_errno())}")


def mount(source: str, target: str, kind: str | None, flags: int) -> None:
    """One mount."""
    named = None if kind is None else kind.encode()
    done = libc.mount(source.encode(), target.encode(), named, ctypes.c_ulong(flags), None)
    check(done, f"cannot mount {source}")


def main() -> None:
    """Join control groups, bind, become another user, go on as bubblewrap."""
    given = json.loads(sys.argv[1])
    for tasks in given["control_groups"]:
        with open(tasks, "w") as file:
            file.write(str(os.getpid()))
    check(libc.unshare(CLONE_NEWNS), "no mounts of its own")
    mount("none", "/", None, MS_REC | MS_PRIVATE)
    mount("tmpfs", given["stage"], "tmpfs", 0)
    for source, name in given["bound"]:
        target = os.path.join(given["stage"], name)
        if os.path.isdir(source):
            os.mkdir(target)
        else:
            open(target, "w").close()
        mount(source, target, None, MS_BIND | MS_REC)
    os.setgroups([])
    os.setresgid(given["user"], given["user"], given["user"])
    os.setresuid(given["user"], given["user"], given["user"])
    os.execv(sys.argv[2], sys.argv[2:])


main()
