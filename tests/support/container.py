"""Imitation of a container by namespaces, capabilities and a seccomp filter; needs root.

    python -m tests.support.container [OPTION...] -- COMMAND [ARGUMENT...]

The first options are those of `docker run`, with the same meaning. Without any, the confinement is
Docker's default. AppArmor is not imitated.
"""

import argparse
import ctypes
import os
import signal
import sys
from pathlib import Path
from typing import Any, NoReturn

CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWPID = 0x20000, 0x10000000, 0x20000000
CLONE_NEW = 0x7E020000
MS_BIND, MS_REC, MS_PRIVATE, MNT_DETACH = 0x1000, 0x4000, 0x40000, 2
AT_FDCWD, AT_RECURSIVE, MOUNT_ATTR_RDONLY, SYS_MOUNT_SETATTR = -100, 0x8000, 1, 442
PR_SET_PDEATHSIG, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 24, 38
# CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID, SETPCAP, NET_BIND_SERVICE, NET_RAW,
# SYS_CHROOT, MKNOD, AUDIT_WRITE and SETFCAP.
DEFAULT_CAPABILITIES = frozenset({0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31})
# What Docker's default profile does not allow without CAP_SYS_ADMIN, as far as it matters here.
FORBIDDEN_SYSCALLS = (
    *("mount", "umount2", "pivot_root", "setns", "unshare", "fsopen", "fsmount", "fsconfig"),
    *("fspick", "move_mount", "open_tree", "mount_setattr", "bpf", "perf_event_open", "keyctl"),
    *("add_key", "request_key", "userfaultfd", "open_by_handle_at", "init_module", "swapon"),
    *("finit_module", "delete_module", "kexec_load", "reboot", "io_uring_setup", "sethostname"),
)

libc = ctypes.CDLL(None, use_errno=True)


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="container", description=__doc__)
    docker = parser.add_argument_group("options of docker run")
    docker.add_argument("--security-opt", action="append", default=[], metavar="NAME=VALUE")
    docker.add_argument("--cap-drop", choices=["ALL"])
    docker.add_argument("--user", default="0:0", metavar="UID:GID")
    docker.add_argument("--read-only", action="store_true", help="read-only root")
    docker.add_argument("--tmpfs", action="append", default=[], metavar="FOLDER")
    docker.add_argument("--volume", action="append", default=[], metavar="FOLDER", help="writable")
    docker.add_argument("--privileged", action="store_true", help="no confinement")
    parser.add_argument("--no-tmp", action="store_true", help="no folder /tmp")
    parser.add_argument("--no-user-namespaces", action="store_true", help="forbid by sysctl")
    parser.add_argument("--hide", action="append", default=[], metavar="FILE", help="replace it")
    parser.add_argument("command", nargs="+")
    return parser.parse_args(arguments)


def check(result: int, message: str) -> None:
    """Exit with a message if a call of libc failed."""
    if result < 0:
        sys.exit(f"container: {message}: {os.strerror(ctypes.get_errno())}")


def mount(
    source: str, target: str, kind: str | None = None, flags: int = 0, data: str = ""
) -> None:
    """Mount a file system."""
    file_system = None if kind is None else kind.encode()
    options = ctypes.c_ulong(flags)
    result = libc.mount(source.encode(), target.encode(), file_system, options, data.encode())
    check(result, f"cannot mount {source} on {target}")


def set_read_only(folder: str, *, is_wanted: bool) -> None:
    """Make a mount and all below it read-only, or writable."""
    attributes = (ctypes.c_uint64 * 4)()
    attributes[0 if is_wanted else 1] = MOUNT_ATTR_RDONLY
    result = libc.syscall(
        SYS_MOUNT_SETATTR, AT_FDCWD, folder.encode(), AT_RECURSIVE, attributes, 32
    )
    check(result, f"cannot change the mount {folder}")


def enter_user_namespace() -> None:
    """Become root of a user namespace that can have no others in it."""
    reader, writer = os.pipe()
    own = os.getpid()
    helper = os.fork()
    if helper == 0:
        os.close(writer)
        os.read(reader, 1)
        for name in ("uid_map", "gid_map"):
            Path(f"/proc/{own}/{name}").write_text("0 0 65536")
        os._exit(0)
    check(libc.unshare(CLONE_NEWUSER), "cannot create a user namespace")
    os.close(writer)
    os.waitpid(helper, 0)
    os.setresgid(0, 0, 0)
    os.setresuid(0, 0, 0)
    Path("/proc/sys/user/max_user_namespaces").write_text("0")


def open_folders_of_interpreter() -> None:
    """Let every user enter the folders of this interpreter, as is usual in images."""
    path = Path(sys.executable).resolve()
    for folder in reversed(path.parents):
        if folder.stat().st_mode & 0o001:
            continue
        name = path.relative_to(folder).parts[0]
        source = os.open(folder / name, os.O_PATH)
        mount("tmpfs", str(folder), "tmpfs", data="mode=755")
        (folder / name).mkdir()
        mount(f"/proc/self/fd/{source}", str(folder / name), None, MS_BIND | MS_REC)
        os.close(source)


def remove_tmp() -> None:
    """Change to a new root that has everything but /tmp."""
    root = Path("/mnt")
    entries = [entry for entry in Path("/").iterdir() if entry.name not in ("tmp", root.name)]
    mount("tmpfs", str(root), "tmpfs", data="mode=755")
    for entry in entries:
        target = root / entry.name
        if entry.is_symlink():
            target.symlink_to(entry.readlink())
        elif entry.is_dir():
            target.mkdir()
            mount(str(entry), str(target), None, MS_BIND | MS_REC)
    os.chdir(root)
    check(libc.pivot_root(b".", b"."), "cannot change the root")
    check(libc.umount2(b".", MNT_DETACH), "cannot unmount the old root")
    os.chdir("/")


def prepare_files(options: argparse.Namespace) -> None:
    """Make the mounts of the container."""
    mount("none", "/", None, MS_REC | MS_PRIVATE)
    mount("proc", "/proc", "proc")
    for folder in options.volume:
        mount(folder, folder, None, MS_BIND | MS_REC)
    open_folders_of_interpreter()
    for path in options.hide:
        mount("/dev/null", path, None, MS_BIND)
    if options.no_tmp:
        remove_tmp()
    if options.read_only:
        set_read_only("/", is_wanted=True)
        for folder in ("/proc", "/dev", *options.volume):
            set_read_only(folder, is_wanted=False)
    if not options.privileged:
        set_read_only("/sys", is_wanted=True)
    for folder in options.tmpfs:
        mount("tmpfs", folder, "tmpfs", data="mode=1777")


def load_seccomp_filter() -> None:
    """Forbid what Docker's default profile forbids."""
    import pyseccomp

    rules: Any = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    # Docker sets no_new_privs only if it is asked to.
    rules.set_attr(pyseccomp.Attr.CTL_NNP, 0)
    for name in FORBIDDEN_SYSCALLS:
        rules.add_rule(pyseccomp.ERRNO(1), name)
    rules.add_rule(pyseccomp.ERRNO(38), "clone3")
    for bit in range(32):
        if CLONE_NEW >> bit & 1:
            condition = pyseccomp.Arg(0, pyseccomp.MASKED_EQ, 1 << bit, 1 << bit)
            rules.add_rule(pyseccomp.ERRNO(1), "clone", condition)
    rules.load()


def confine(options: argparse.Namespace) -> None:
    """Apply the seccomp filter, the capabilities and the user."""
    if not options.privileged and "seccomp=unconfined" not in options.security_opt:
        load_seccomp_filter()
    if options.privileged:
        kept = frozenset(range(64))
    else:
        kept = frozenset() if options.cap_drop else DEFAULT_CAPABILITIES
    user, group = map(int, options.user.split(":"))
    if user:
        os.setgroups([])
    last = int(Path("/proc/sys/kernel/cap_last_cap").read_text())
    for capability in range(last + 1):
        if capability not in kept:
            check(libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0), "cannot drop a capability")
    if "no-new-privileges" in options.security_opt:
        check(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "cannot set no_new_privs")
    os.setresgid(group, group, group)
    os.setresuid(user, user, user)


def run_init(command: int) -> NoReturn:
    """Wait for all processes of the container, and exit as its command does."""
    while True:
        pid, status = os.wait()
        if pid == command:
            os._exit(os.waitstatus_to_exitcode(status) % 256)


def main() -> None:
    """Run a command in the imitated container."""
    options = parse(sys.argv[1:])
    if options.no_user_namespaces:
        enter_user_namespace()
    check(libc.unshare(CLONE_NEWNS | CLONE_NEWPID), "cannot create namespaces")
    init = os.fork()
    if init:
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(init, 0)[1]) % 256)
    # All processes of the namespace end with this one, and this one with its parent.
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    folder = os.getcwd()
    prepare_files(options)
    os.chdir(folder)
    command = os.fork()
    if command:
        run_init(command)
    confine(options)
    try:
        os.execvp(options.command[0], options.command)
    except OSError as error:
        sys.exit(f"container: {options.command[0]}: {error.strerror}")


if __name__ == "__main__":
    main()
