"""Script that gives up root and then executes bubblewrap; run by the sandboxed interpreter.

The unprivileged user cannot enter root's folders. So, if there is a staging folder, the files that
the sandbox shows are first bind-mounted into it.

Arguments: a JSON object with the settings, and the command line of bubblewrap.
"""

import ctypes
import json
import os
import sys

CLONE_NEWNS = 0x20000
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000

libc = ctypes.CDLL(None, use_errno=True)


def check(result: int, message: str) -> None:
    """Exit with a message if a call of libc failed."""
    if result != 0:
        sys.exit(f"{message}: {os.strerror(ctypes.get_errno())}")


def mount(source: str, target: str, kind: str | None, flags: int) -> None:
    """Mount a file system, or exit with a message."""
    file_system = None if kind is None else kind.encode()
    result = libc.mount(source.encode(), target.encode(), file_system, ctypes.c_ulong(flags), None)
    check(result, f"cannot mount {source}")


def bind_files(staging_folder: str, binds: "list[tuple[str, str]]") -> None:
    """Bind-mount files into a folder, for this process and its children only."""
    check(libc.unshare(CLONE_NEWNS), "cannot create a mount namespace")
    mount("none", "/", None, MS_REC | MS_PRIVATE)
    mount("tmpfs", staging_folder, "tmpfs", 0)
    for source, name in binds:
        target = os.path.join(staging_folder, name)
        if os.path.isdir(source):
            os.mkdir(target)
        else:
            open(target, "w").close()
        mount(source, target, None, MS_BIND | MS_REC)


def main() -> None:
    """Join the control groups, bind the files, change the user and execute bubblewrap."""
    settings = json.loads(sys.argv[1])
    for task_file in settings["control_groups"]:
        with open(task_file, "w") as file:
            file.write(str(os.getpid()))
    if settings["staging_folder"] is not None:
        bind_files(settings["staging_folder"], settings["binds"])
    user = settings["user"]
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    os.execv(sys.argv[2], sys.argv[2:])


main()
