"""Sandbox policy as data: the system calls of a program, and its resource limits.

A system call that is not listed here fails with EPERM ("Operation not permitted"). One that only an
attack would make ends the program.
"""

import errno
from dataclasses import dataclass

# Names as in the kernel; those that do not exist on a machine are ignored.
ALLOWED_SYSCALLS = (
    # Memory.
    *("brk", "mmap", "munmap", "mprotect", "mremap", "madvise", "membarrier"),
    # Files, among those that Landlock and the mounts allow.
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
    # Sockets that asyncio uses within a process. No other socket can be created.
    *("socketpair", "sendto", "recvfrom", "sendmsg", "recvmsg", "shutdown"),
    *("getsockopt", "setsockopt", "getsockname", "getpeername"),
    # Time and random numbers.
    *("time", "gettimeofday", "clock_gettime", "clock_getres", "times", "getrandom"),
    *("alarm", "setitimer", "getitimer", "timer_create", "timer_settime", "timer_gettime"),
    *("timer_getoverrun", "timer_delete"),
    # Identity and limits of the process.
    *("getpid", "getppid", "gettid", "getpgrp", "getpgid", "getsid", "getuid", "geteuid"),
    *("getgid", "getegid", "getgroups", "getresuid", "getresgid", "uname", "sysinfo"),
    *("getrusage", "getrlimit", "setrlimit", "getpriority", "sched_getaffinity"),
    *("sched_getscheduler", "sched_getparam", "sched_get_priority_max", "sched_get_priority_min"),
    # Its own processes and threads, and their signals; it cannot see other processes.
    *("fork", "vfork", "wait4", "waitid", "exit", "exit_group", "setpgid", "setsid"),
    *("kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_sigaction", "rt_sigprocmask"),
    *("rt_sigreturn", "rt_sigpending", "rt_sigsuspend", "rt_sigtimedwait", "sigaltstack"),
    *("set_robust_list", "get_robust_list", "set_tid_address", "rseq", "arch_prctl"),
)

# Only an attack needs these; the program ends with SIGSYS.
FATAL_SYSCALLS = (
    *("ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd"),
    *("mount", "umount2", "pivot_root", "chroot", "fsopen", "fsmount", "fsconfig", "fspick"),
    *("move_mount", "open_tree", "mount_setattr", "open_by_handle_at", "unshare", "setns"),
    *("bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter"),
    *("io_uring_register", "init_module", "finit_module", "delete_module", "kexec_load"),
    *("kexec_file_load", "reboot", "swapon", "swapoff", "add_key", "request_key", "keyctl"),
    *("iopl", "ioperm", "settimeofday", "clock_settime", "adjtimex", "clock_adjtime"),
)

# System calls that are allowed if an argument has a value: name, argument, bit mask, value.
CLONE_NEW = 0x7E020080  # any namespace: CLONE_NEWTIME, NEWNS, NEWCGROUP … NEWNET
ALLOWED_WITH_ARGUMENT = (
    ("clone", 0, CLONE_NEW, 0),
    ("prlimit64", 0, 0xFFFFFFFF, 0),  # its own limits
    ("ioctl", 1, 0xFFFFFFFF, 0x5401),  # TCGETS, which tests whether it is a terminal
    ("ioctl", 1, 0xFFFFFFFF, 0x541B),  # FIONREAD
    ("ioctl", 1, 0xFFFFFFFF, 0x5421),  # FIONBIO, which asyncio uses
    ("ioctl", 1, 0xFFFFFFFF, 0x5450),  # FIONCLEX
    ("ioctl", 1, 0xFFFFFFFF, 0x5451),  # FIOCLEX
    ("prctl", 0, 0xFFFFFFFF, 15),  # PR_SET_NAME
    ("prctl", 0, 0xFFFFFFFF, 16),  # PR_GET_NAME
)

# System calls that fail with an error other than EPERM, on which libraries have a fallback.
FAILING_SYSCALLS = {
    # Its flags are in memory, which a filter cannot read. The fallback is clone.
    "clone3": errno.ENOSYS,
}

# System calls of tools that execute programs, in addition to those of programs.
TOOL_SYSCALLS = {
    "compiler": ("execve",),
    # It installs the filter of programs in those that it starts.
    "debugger": ("execve", "ptrace", "personality", "seccomp"),
}

# Without namespaces, programs have no disk and cannot write files. Landlock does not restrict all
# of these: not the permissions and times of files, and before version 3 not truncate.
FILE_CHANGING_SYSCALLS = (
    *("creat", "mkdir", "mkdirat", "rmdir", "unlink", "unlinkat", "rename", "renameat"),
    *("renameat2", "link", "linkat", "symlink", "symlinkat", "chmod", "fchmod", "fchmodat"),
    *("truncate", "utime", "utimes", "futimesat", "utimensat"),
)
# Without namespaces, the process group is what ends all processes of a program.
GROUP_CHANGING_SYSCALLS = ("setpgid", "setsid")
# Where neither namespaces nor Landlock nor another user id confines signals, a process can signal
# only itself and its process group. Its id replaces this number.
OWN_ID = 0x5E1FC0DE
SIGNAL_SYSCALLS = ("kill", "tkill", "tgkill", "rt_sigqueueinfo")
OWN_SIGNALS = (
    ("kill", 0, 0xFFFFFFFF, OWN_ID),
    ("kill", 0, 0xFFFFFFFF, 0),
    ("tgkill", 0, 0xFFFFFFFF, OWN_ID),
)


@dataclass(frozen=True, slots=True)
class ResourceLimits:
    """Resource limits of one program, in addition to its `Limits`.

    Attributes:
        disk_mb: Size of its disk, which is in memory.
        files: Files on this disk.
        processes: Processes and threads at the same time, including those of the recorder.
        descriptors: Open file descriptors.
    """

    disk_mb: int = 16
    files: int = 1024
    processes: int = 64
    descriptors: int = 256
