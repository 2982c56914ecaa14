"""What a program may ask of the kernel, and how much of the machine it may use: plain data.

A call that is not named here fails with "Operation not permitted", as if the program had no right
to it; those that only an attack would make end it.
"""

import errno
from dataclasses import dataclass

# Calls as the kernel names them; those that a machine does not have are passed over.
ALLOWED = (
    # Memory.
    *("brk", "mmap", "munmap", "mprotect", "mremap", "madvise", "membarrier"),
    # Files, as far as Landlock and the mounts let it see any.
    *("open", "openat", "creat", "close", "close_range", "read", "readv", "pread64", "preadv"),
    *("write", "writev", "pwrite64", "pwritev", "lseek", "sendfile", "copy_file_range"),
    *("stat", "fstat", "lstat", "newfstatat", "statx", "statfs", "fstatfs", "access", "faccessat"),
    *("faccessat2", "readlink", "readlinkat", "getdents", "getdents64", "getcwd", "chdir"),
    *("fchdir", "mkdir", "mkdirat", "rmdir", "unlink", "unlinkat", "rename", "renameat"),
    *("renameat2", "link", "linkat", "symlink", "symlinkat", "chmod", "fchmod", "fchmodat"),
    *("truncate", "ftruncate", "fallocate", "fadvise64", "fsync", "fdatasync", "flock"),
    *("utime", "utimes", "futimesat", "utimensat", "umask", "fcntl", "dup", "dup2", "dup3"),
    *("getxattr", "fgetxattr", "lgetxattr", "listxattr", "flistxattr", "llistxattr"),
    # Waiting.
    *("pipe", "pipe2", "select", "pselect6", "poll", "ppoll", "epoll_create", "epoll_create1"),
    *("epoll_ctl", "epoll_wait", "epoll_pwait", "eventfd", "eventfd2", "nanosleep", "pause"),
    *("clock_nanosleep", "restart_syscall", "futex", "futex_waitv", "sched_yield"),
    # What asyncio talks to itself with. No socket can be made that leads anywhere.
    *("socketpair", "sendto", "recvfrom", "sendmsg", "recvmsg", "shutdown"),
    *("getsockopt", "setsockopt", "getsockname", "getpeername"),
    # Time and chance.
    *("time", "gettimeofday", "clock_gettime", "clock_getres", "times", "getrandom"),
    *("alarm", "setitimer", "getitimer", "timer_create", "timer_settime", "timer_gettime"),
    *("timer_getoverrun", "timer_delete"),
    # Who it is.
    *("getpid", "getppid", "gettid", "getpgrp", "getpgid", "getsid", "getuid", "geteuid"),
    *("getgid", "getegid", "getgroups", "getresuid", "getresgid", "uname", "sysinfo"),
    *("getrusage", "getrlimit", "setrlimit", "getpriority", "sched_getaffinity"),
    *("sched_getscheduler", "sched_getparam", "sched_get_priority_max", "sched_get_priority_min"),
    # Its own processes and threads, as many as it may have, and their signals: it sees no others.
    *("fork", "vfork", "wait4", "waitid", "exit", "exit_group", "setpgid", "setsid"),
    *("kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_sigaction", "rt_sigprocmask"),
    *("rt_sigreturn", "rt_sigpending", "rt_sigsuspend", "rt_sigtimedwait", "sigaltstack"),
    *("set_robust_list", "get_robust_list", "set_tid_address", "rseq", "arch_prctl"),
)

# Nothing but an attack makes these: the program ends with SIGSYS.
DEADLY = (
    *("ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd"),
    *("mount", "umount2", "pivot_root", "chroot", "fsopen", "fsmount", "fsconfig", "fspick"),
    *("move_mount", "open_tree", "mount_setattr", "open_by_handle_at", "unshare", "setns"),
    *("bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter"),
    *("io_uring_register", "init_module", "finit_module", "delete_module", "kexec_load"),
    *("kexec_file_load", "reboot", "swapon", "swapoff", "add_key", "request_key", "keyctl"),
    *("iopl", "ioperm", "settimeofday", "clock_settime", "adjtimex", "clock_adjtime"),
)

# Calls of which only some arguments will do: which argument, the bits that count, their value.
CLONE_NEW = 0x7E020080  # any namespace: CLONE_NEWTIME, NEWNS, NEWCGROUP … NEWNET
PARTLY = (
    ("clone", 0, CLONE_NEW, 0),
    ("prlimit64", 0, 0xFFFFFFFF, 0),  # its own limits
    ("ioctl", 1, 0xFFFFFFFF, 0x5401),  # TCGETS: is this a terminal?
    ("ioctl", 1, 0xFFFFFFFF, 0x541B),  # FIONREAD
    ("ioctl", 1, 0xFFFFFFFF, 0x5421),  # FIONBIO, of what asyncio talks to itself with
    ("ioctl", 1, 0xFFFFFFFF, 0x5450),  # FIONCLEX
    ("ioctl", 1, 0xFFFFFFFF, 0x5451),  # FIOCLEX
    ("prctl", 0, 0xFFFFFFFF, 15),  # PR_SET_NAME
    ("prctl", 0, 0xFFFFFFFF, 16),  # PR_GET_NAME
)

# Calls that fail with another error, because of what libraries do then.
FAILING = {
    # Its flags lie in memory, where no filter sees them: without it, clone is called.
    "clone3": errno.ENOSYS,
}


@dataclass(frozen=True, slots=True)
class Room:
    """What one program may use beside its `Limits`."""

    disk_mb: int = 16
    files: int = 1024  # on that disk
    processes: int = 64  # and threads, at a time; ours are among them
    descriptors: int = 256
