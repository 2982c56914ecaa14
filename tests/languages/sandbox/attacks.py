"""Programs that try to escape from the sandbox, to do harm, or to falsify their traces.

Each is the body of `attack()`. By default it has succeeded if it returns something that contains
"ESCAPED"; some are judged by their trace, or by what they leave outside.
"""

from collections.abc import Callable
from dataclasses import dataclass
from textwrap import dedent, indent

from worldline.core.trace import Program, Trace


def _has_escaped(trace: Trace) -> bool:
    return "ESCAPED" in (trace.result or "") or "ESCAPED" in trace.ending.detail


@dataclass(frozen=True)
class Attack:
    """A program, and a test of whether its attack has succeeded."""

    name: str
    body: str
    has_succeeded: Callable[[Trace], bool] = _has_escaped

    def program(self, targets: "Targets") -> Program:
        """The program, with the names of the targets filled in."""
        body = dedent(self.body).strip("\n")
        for name, value in vars(targets).items():
            body = body.replace(f"${name}", str(value))
        head = "import os, sys, signal, time, threading\n\n"
        return Program(f"{head}def attack():\n{indent(body, '    ')}\n", "attack()")


@dataclass(frozen=True)
class Targets:
    """Targets on the host.

    Attributes:
        secret: A file.
        outside: A folder.
        port: The port of a server.
        child: The folder of the recorder's modules.
        hostname: The name of the host.
        supervisor: The id of the process that records.
        home: The folder of the program's disk, inside the sandbox.
    """

    secret: str
    outside: str
    port: int
    child: str
    hostname: str
    supervisor: int
    home: str


def ends_otherwise(*reasons: str) -> Callable[[Trace], bool]:
    """Test of whether a trace ends for a reason other than these."""
    return lambda trace: trace.ending.reason not in reasons


def _has_false_result(trace: Trace) -> bool:
    """Whether a trace that claims to be complete has a result that the program did not return."""
    return trace.is_complete and trace.result not in (None, "'true'")


def try_to(body: str, loot: str = "True") -> str:
    """The body of an attack that returns "ESCAPED" and its loot, or the error that stopped it."""
    lines = dedent(body).strip("\n")
    return (
        f"try:\n{indent(lines, '    ')}\nexcept BaseException as error:\n"
        f"    return type(error).__name__\nreturn 'ESCAPED', {loot}"
    )


BOMBS = (
    Attack(
        "fork",
        """
        count = 0
        try:
            while count < 200:
                if os.fork() == 0:
                    time.sleep(60)
                    os._exit(0)
                count += 1
        except OSError:
            pass
        return 'ESCAPED' if count >= 100 else count
        """,
    ),
    Attack(
        "fork tree",
        """
        while True:
            try:
                os.fork()
            except OSError:
                pass
        """,
        ends_otherwise("time_limit", "killed", "step_limit", "trace_limit", "raised"),
    ),
    Attack("memory", try_to("size = 8 << 30; held = bytearray(size); held[::4096] = held[::4096]")),
    Attack(
        "memory, little by little",
        """
        held = []
        try:
            while len(held) < 4096:
                held.append(bytearray(1 << 20))
        except MemoryError:
            held.clear()
            return 'none left'
        return 'ESCAPED'
        """,
    ),
    Attack("mapped memory", try_to("import mmap; m = mmap.mmap(-1, 8 << 30); m[4 << 30] = 1")),
    Attack(
        "memory of many processes",
        """
        pids = []
        try:
            for _ in range(40):
                pid = os.fork()
                if pid == 0:
                    held = bytearray(900 << 20)
                    held[::4096] = b'x' * len(held[::4096])
                    time.sleep(1.5)
                    os._exit(0)
                pids.append(pid)
        except OSError:
            pass
        done = [os.waitpid(pid, 0)[1] for pid in pids]
        return 'ESCAPED' if done.count(0) >= 20 else done.count(0)
        """,
    ),
    Attack(
        "threads",
        """
        count = 0
        try:
            while count < 2000:
                threading.Thread(target=time.sleep, args=(5,), daemon=True).start()
                count += 1
        except RuntimeError:
            pass
        return 'ESCAPED' if count >= 200 else count
        """,
    ),
    Attack("memfd", try_to("fd = os.memfd_create('x'); os.write(fd, b'x')")),
    Attack(
        "memfd, many",
        """
        held = []
        try:
            for _ in range(200):
                held.append(os.memfd_create('x'))
                os.write(held[-1], b'x' * (1 << 20))
        except OSError as error:
            return 'stopped'
        return 'ESCAPED'
        """,
    ),
    Attack(
        "pipes",
        """
        held = []
        try:
            while len(held) < 4000:
                held.append(os.pipe())
        except OSError:
            pass
        return 'ESCAPED' if len(held) > 300 else len(held)
        """,
    ),
    Attack(
        "disk",
        """
        written = 0
        try:
            for number in range(100):
                with open(f'$home/{number}', 'wb') as file:
                    file.write(b'x' * (1 << 20))
                written += 1
        except OSError:
            pass
        return 'ESCAPED' if written > 20 else written
        """,
    ),
    Attack(
        "inodes",
        """
        count = 0
        try:
            while count < 5000:
                open(f'$home/{count}', 'w').close()
                count += 1
        except OSError:
            pass
        return 'ESCAPED' if count > 1100 else count
        """,
    ),
    Attack(
        "deep folders",
        """
        count = 0
        try:
            while count < 3000:
                os.mkdir('$home/x' if not count else 'x'); os.chdir('$home/x' if not count else 'x')
                count += 1
        except OSError:
            pass
        return 'ESCAPED' if count > 1100 else count
        """,
    ),
    Attack(
        "one huge file",
        "with open('$home/x', 'wb') as file: file.truncate(1 << 40)\nreturn 'ESCAPED'",
    ),
    Attack("output", "for _ in range(300): sys.stdout.write('x' * 1_000_000)\nreturn 'ESCAPED'"),
    Attack(
        "output by descriptor",
        "while True: os.write(1, b'x' * 100_000)",
        ends_otherwise("output_limit"),
    ),
    Attack("error output", "for _ in range(50): os.write(2, b'x' * 1_000_000)\nreturn 'harmless'"),
    Attack(
        "descriptors",
        """
        held = []
        try:
            while len(held) < 5000:
                held.append(os.open('/dev/null', os.O_RDONLY))
        except OSError:
            pass
        return 'ESCAPED' if len(held) > 300 else len(held)
        """,
    ),
    Attack(
        "shared memory",
        try_to(
            "from multiprocessing.shared_memory import SharedMemory\n"
            "s = SharedMemory(create=True, size=1 << 20)"
        ),
    ),
    Attack("semaphores", try_to("import multiprocessing; s = multiprocessing.Semaphore(1)")),
)

HANGS = (
    Attack(
        "a loop that ignores signals",
        """
        for number in range(1, 65):
            try:
                signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError):
                pass
        while True:
            pass
        """,
        ends_otherwise("time_limit", "step_limit"),
    ),
    Attack("stops itself", "os.kill(os.getpid(), signal.SIGSTOP)", ends_otherwise("time_limit")),
    Attack(
        "a regex that backtracks",
        "import re\nre.match('(a*)*b', 'a' * 40)\nreturn 'ESCAPED'",
        ends_otherwise("time_limit"),
    ),
    Attack(
        "a huge number",
        "sys.set_int_max_str_digits(0)\nlen(str(7 ** 20_000_000))\nreturn 'ESCAPED'",
        ends_otherwise("time_limit"),
    ),
    Attack(
        "a huge power", "len(bytes(9 ** 9 ** 9 % 7))", ends_otherwise("time_limit", "memory_limit")
    ),
    Attack("sleeps", "time.sleep(3600)", ends_otherwise("time_limit")),
    Attack(
        "blocks all signals",
        "signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())\nsignal.pause()",
        ends_otherwise("time_limit"),
    ),
    Attack(
        "a thread that does not end",
        "threading.Thread(target=time.sleep, args=(3600,)).start()",
        ends_otherwise("time_limit"),
    ),
    Attack(
        "does not exit",
        "import atexit\natexit.register(time.sleep, 3600)",
        ends_otherwise("time_limit"),
    ),
    Attack(
        "a finalizer that hangs",
        "class D:\n    def __del__(self): time.sleep(3600)\nsys.held = D()\nreturn 1",
        lambda trace: False,
    ),
    Attack(
        "a repr that hangs",
        "class R:\n    def __repr__(self):\n        while True: pass\nr = R()\nreturn 1",
        lambda trace: trace.result not in ("1", None),
    ),
    Attack(
        "an exception that hangs",
        "class E(Exception):\n    def __str__(self):\n        while True: pass\nraise E",
        ends_otherwise("time_limit", "raised"),
    ),
    Attack(
        "a child that lives on",
        """
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                while True:
                    time.sleep(1)
            os._exit(0)
        os.wait()
        return 1
        """,
        ends_otherwise("finished"),
    ),
    Attack(
        "a child that holds its output",
        """
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            while True:
                os.write(1, b'.'); time.sleep(0.1)
        return 1
        """,
        ends_otherwise("finished"),
    ),
    Attack(
        "waits for input that does not come",
        "r, w = os.pipe()\nos.read(r, 1)",
        ends_otherwise("time_limit"),
    ),
)

READS = (
    Attack("passwords", try_to("text = open('/etc/passwd').read()", "text")),
    Attack("shadow", try_to("text = open('/etc/shadow').read()", "text")),
    Attack("a file of the host", try_to("text = open('$secret').read()", "text")),
    Attack("whether a file is there", "return 'ESCAPED' if os.path.exists('$secret') else 'no'"),
    Attack("a folder of the host", try_to("names = os.listdir('$outside')", "names")),
    Attack("root's folder", try_to("names = os.listdir('/root')", "names")),
    Attack("the environment", "return 'ESCAPED' if 'WORLDLINE_SECRET' in os.environ else 'no'"),
    Attack("processes", try_to("names = os.listdir('/proc')", "names")),
    Attack("init's environment", try_to("text = open('/proc/1/environ').read()", "text")),
    Attack("its own memory", try_to("file = open('/proc/self/mem', 'r+b')")),
    Attack("its own maps", try_to("text = open('/proc/self/maps').read()", "text")),
    Attack("the kernel", try_to("names = os.listdir('/sys')", "names")),
    Attack("a disk", try_to("file = open('/dev/vda', 'rb')")),
    Attack("memory", try_to("file = open('/dev/mem', 'rb')")),
    Attack("a terminal", try_to("file = open('/dev/tty', 'rb')")),
    Attack(
        "a link out",
        try_to("os.symlink('$secret', '$home/l'); text = open('$home/l').read()", "text"),
    ),
    Attack(
        "a hard link",
        try_to("os.link('/etc/passwd', '$home/l'); text = open('$home/l').read()", "text"),
    ),
    Attack("a relative path", try_to("text = open('$home/../../../../etc/passwd').read()", "text")),
    Attack(
        "descriptors that were left open",
        """
        for fd in range(3, 1024):
            try:
                os.fstat(fd)
            except OSError:
                continue
            return 'ESCAPED', fd, os.fstat(fd)
        return 'none'
        """,
    ),
    Attack("the host's name", "return 'ESCAPED' if os.uname().nodename == '$hostname' else 'no'"),
    Attack("the root", try_to("names = os.listdir('/')", "names")),
    Attack("the recorder's files", try_to("names = os.listdir('$child')", "names")),
)

WRITES = (
    Attack("the standard library", try_to("open(os.__file__, 'a').write('#')")),
    Attack(
        "a module next to it", try_to("open(os.path.dirname(os.__file__) + '/x.py', 'w').close()")
    ),
    Attack("the interpreter", try_to("open(sys.executable, 'ab').write(b'x')")),
    Attack("the recorder", try_to("open('$child/json_lines.py', 'a').write('#')")),
    Attack("the root", try_to("open('/x', 'w').close()")),
    Attack("a folder of the host", try_to("open('$outside/x', 'w').close()")),
    Attack("permissions", try_to("os.chmod(os.__file__, 0o777)")),
    Attack("removing", try_to("os.remove(os.__file__)")),
    Attack("renaming", try_to("os.rename(os.__file__, os.__file__ + 'x')")),
    Attack(
        "devices",
        try_to("os.mknod('$home/d', 0o600 | 0o020000, os.makedev(1, 1)); open('$home/d', 'rb')"),
    ),
    Attack(
        "files to be executed",
        try_to(
            "open('$home/x', 'w').write('#!/bin/sh'); os.chmod('$home/x', 0o4755); os.execv('$home/x', ['x'])"
        ),
    ),
)

NETWORK = (
    Attack(
        "loopback",
        try_to(
            "import socket; s = socket.create_connection(('127.0.0.1', $port), 2); s.send(b'x')"
        ),
    ),
    Attack("out", try_to("import socket; s = socket.create_connection(('192.0.2.1', 80), 1)")),
    Attack(
        "datagrams",
        try_to(
            "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); "
            "s.sendto(b'x', ('127.0.0.1', $port))"
        ),
    ),
    Attack("a server", try_to("import socket; s = socket.create_server(('127.0.0.1', 0))")),
    Attack(
        "an abstract socket",
        try_to("import socket; s = socket.socket(socket.AF_UNIX); s.bind('\\0worldline-attack')"),
    ),
    Attack(
        "a socket in a file",
        try_to("import socket; s = socket.socket(socket.AF_UNIX); s.bind('$home/s')"),
    ),
    Attack("raw", try_to("import socket; s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)")),
    Attack("netlink", try_to("import socket; s = socket.socket(16, socket.SOCK_RAW, 0)")),
    Attack(
        "names",
        try_to(
            "import socket; a = socket.getaddrinfo('localhost', 80, proto=6); s = socket.socket(); s.connect(a[0][4])"
        ),
    ),
    Attack("interfaces", try_to("import socket; names = socket.if_nameindex()", "names")),
)

PROCESSES = (
    Attack("kill all", "os.kill(-1, signal.SIGKILL)\nreturn 1", lambda trace: False),
    Attack(
        "kill the parent", "os.kill(os.getppid(), signal.SIGKILL)\nreturn 1", lambda trace: False
    ),
    Attack(
        "stop the parent", "os.kill(os.getppid(), signal.SIGSTOP)\nreturn 1", lambda trace: False
    ),
    Attack("kill the group", "os.kill(0, signal.SIGKILL)", ends_otherwise("killed")),
    Attack("kill the supervisor", try_to("os.kill($supervisor, signal.SIGTERM)")),
    Attack(
        "kill all processes by id",
        """
        hit = []
        for pid in range(3, 40_000):
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                continue
            hit.append(pid)
        return 'ESCAPED' if hit else 'none'
        """,
    ),
    Attack("a shell", "return 'ESCAPED' if os.system('true') == 0 else 'no'"),
    Attack(
        "a program", try_to("import subprocess; subprocess.run([sys.executable, '-c', 'pass'])")
    ),
    Attack("executing Python", try_to("os.execv(sys.executable, ['python', '-c', 'pass'])")),
    Attack("spawning", try_to("os.posix_spawn(sys.executable, ['python', '-V'], {})")),
    Attack("becoming root", try_to("os.setuid(0)")),
    Attack("another group", try_to("os.setgid(0)")),
    Attack("another root", try_to("os.chroot('$home')")),
    Attack("priority", try_to("os.setpriority(os.PRIO_PROCESS, 0, -5)")),
    Attack("the parent's priority", try_to("os.setpriority(os.PRIO_PROCESS, 1, 19)")),
    Attack(
        "its own limits",
        """
        import resource
        raised = []
        for kind in (resource.RLIMIT_AS, resource.RLIMIT_NPROC, resource.RLIMIT_NOFILE,
                     resource.RLIMIT_FSIZE, resource.RLIMIT_CPU):
            try:
                resource.setrlimit(kind, (-1, -1))
            except (ValueError, OSError):
                continue
            raised.append(kind)
        return ('ESCAPED', raised) if raised else 'none'
        """,
    ),
    Attack(
        "init's limits",
        try_to("import resource; resource.prlimit(1, resource.RLIMIT_NPROC, (0, 0))"),
    ),
    Attack(
        "another processor", try_to("os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))")
    ),
    Attack("ctypes", try_to("import ctypes; ctypes.CDLL(None).getpid()")),
)

# With an extension module that makes any system call; only the seccomp filter can stop them.
_SYSCALLS = {
    "ptrace": "ptrace, 0, 0, 0, 0",
    "mount": "mount, b'tmpfs', b'/tmp', b'tmpfs', 0, 0",
    "umount": "umount2, b'/tmp', 2",
    "user namespace": "unshare, 0x10000000",
    "mount namespace": "unshare, 0x00020000",
    "clone into a user namespace": "clone, 0x10000011, 0, 0, 0, 0",
    "setns": "setns, 0, 0",
    "bpf": "bpf, 5, bytes(128), 128",
    "io_uring": "io_uring_setup, 8, bytearray(120)",
    "perf events": "perf_event_open, bytes(128), 0, -1, -1, 0",
    "another's memory": "process_vm_readv, 1, bytes(16), 1, bytes(16), 1, 0",
    "userfaultfd": "userfaultfd, 1",
    "keys": "keyctl, 0, -3, 1",
    "a file by its handle": "open_by_handle_at, -100, bytes(16), 0",
    "pivot_root": "pivot_root, b'/tmp', b'/tmp'",
    "modules": "init_module, bytes(16), 16, b''",
    "a memfd": "memfd_create, b'x', 0",
    "a socket": "socket, 2, 1, 0",
    "executing": "execve, b'/bin/sh', 0, 0",
    "open_tree": "open_tree, -100, b'/', 1",
    "System V memory": "shmget, 0, 4096, 0o1600",
    "message queues": "mq_open, b'x', 0o102, 0o600, 0",
    "the clock": "clock_settime, 0, bytes(16)",
    "a personality": "personality, 0x0040000",
    "capabilities again": "capset, bytes([0x22, 5, 8, 0x20, 0, 0, 0, 0]), bytes([255]) * 24",
    "io ports": "iopl, 3",
    "reboot": "reboot, 0, 0, 0, 0",
    "fanotify": "fanotify_init, 0, 0",
    "a pidfd's files": "pidfd_getfd, 0, 0, 0",
    "quotas": "quotactl, 0, b'/', 0, 0",
}
SYSCALLS = tuple(
    Attack(
        f"call: {name}",
        "import syscall_module\nresult = syscall_module.call("
        f"syscall_module.{arguments.split(',')[0]}, {arguments.split(',', 1)[1].strip()})\n"
        "return ('ESCAPED', result) if result >= 0 else result",
    )
    for name, arguments in _SYSCALLS.items()
)

FALSIFICATIONS = (
    Attack("exits at once", "os._exit(0)", ends_otherwise("killed")),
    Attack("exits with a status", "os._exit(7)", ends_otherwise("killed")),
    Attack(
        "switches tracing off",
        "sys.settrace(None)\nlied = 1\nreturn 'lie'",
        lambda trace: trace.is_complete,
    ),
    Attack(
        "another trace function",
        "sys.settrace(lambda *a: None)\nlied = 1\nreturn 'lie'",
        lambda trace: trace.is_complete,
    ),
    Attack(
        "no lines of its frame",
        "sys._getframe().f_trace_lines = False\na = 1\nb = 2\nreturn 'lie'",
        lambda trace: trace.is_complete and not trace.notes and len(trace.steps) < 8,
    ),
    Attack(
        "no lines of any frame",
        "for f in sys._current_frames().values():\n    f.f_trace_lines = False\na = 1\nb = 2\nreturn 'lie'",
        lambda trace: trace.is_complete and not trace.notes and len(trace.steps) < 8,
    ),
    Attack(
        "code that is swapped",
        "def other():\n    return 'lie'\nattack.__code__ = other.__code__\nreturn 'true'",
        _has_false_result,
    ),
    Attack(
        "prints rows",
        """print('["return",1,0,"\\'lie\\'"]\\n["end","finished","",[]]\\n["epilogue",1,1]')\nreturn 'true'""",
        _has_false_result,
    ),
    Attack(
        "replaces json",
        "import json\njson.dumps = json.loads = lambda *a, **k: 'lie'\nreturn 'true'",
        _has_false_result,
    ),
    Attack(
        "replaces builtins",
        "import builtins\nfor n in ('repr', 'str', 'len', 'dict', 'type', 'print'):\n"
        "    setattr(builtins, n, lambda *a: 'lie')\nreturn 'true'",
        _has_false_result,
    ),
    Attack(
        "replaces os",
        "os.write = os._exit = lambda *a: 0\nreturn 'true'",
        _has_false_result,
    ),
    Attack(
        "ends the recording by its frames",
        """
        frame = sys._getframe()
        while frame:
            finish = frame.f_locals.get('finish')
            if finish:
                finish('finished', '')
            frame = frame.f_back
        return 'true'
        """,
        _has_false_result,
    ),
    Attack(
        "stops the tracer by its frames",
        """
        frame = sys._getframe()
        while frame:
            tracer = frame.f_locals.get('tracer')
            if tracer:
                tracer.stop()
            frame = frame.f_back
        return 'lie'
        """,
        lambda trace: trace.is_complete and trace.result == "'lie'" and not trace.notes,
    ),
    Attack(
        "searches for the tracer",
        """
        import gc
        for value in gc.get_objects():
            if isinstance(value, dict) and 'close' in value and 'start_empty' in value:
                value['close'](b'["return",1,0,"lie"]\\n["end","finished","",[]]\\n')
        return 'true'
        """,
        _has_false_result,
    ),
    Attack(
        "searches for the tracer's functions",
        """
        search = '''
        import gc
        gc.unfreeze()
        seen, pending = set(), list(gc.get_objects())
        while pending:
            value = pending.pop()
            if id(value) in seen:
                continue
            seen.add(id(value))
            if getattr(value, '__name__', '') == 'close' and '_tracer' in str(getattr(value, '__self__', '')):
                value(b'["return",1,0,"lie"]\\n["end","finished","",[]]\\n')
            pending += gc.get_referents(value)
        '''
        import textwrap
        exec(compile(textwrap.dedent(search), 'elsewhere', 'exec'), {})
        return 'true'
        """,
        _has_false_result,
    ),
    Attack(
        "imports the recorder",
        """
        sys.path.insert(0, os.path.dirname('$child'))
        try:
            from child import _tracer
            _tracer.close(b'["return",1,0,"lie"]\\n["end","finished","",[]]\\n')
        except ImportError:
            pass
        return 'true'
        """,
        _has_false_result,
    ),
    Attack(
        "another interpreter in it",
        """
        for name in ('_xxsubinterpreters', '_interpreters'):
            try:
                module = __import__(name)
                module.run_string(module.create(), 'import sys; sys.settrace(None)')
            except Exception:
                pass
        return 'true'
        """,
        _has_false_result,
    ),
    Attack(
        "monitoring",
        """
        if hasattr(sys, 'monitoring'):
            for tool in range(6):
                try:
                    sys.monitoring.set_events(tool, 0); sys.monitoring.free_tool_id(tool)
                except Exception:
                    pass
        return 'true'
        """,
        _has_false_result,
    ),
    Attack(
        "a finalizer that exits",
        "class D:\n    def __del__(self): os._exit(0)\nd = D()\nreturn 'true'",
        _has_false_result,
    ),
)

CRASHES = (
    Attack(
        "a segmentation fault", "os.kill(os.getpid(), signal.SIGSEGV)", ends_otherwise("killed")
    ),
    Attack("an abort", "os.abort()", ends_otherwise("killed")),
    Attack("kills itself", "os.kill(os.getpid(), signal.SIGKILL)", ends_otherwise("killed")),
    Attack(
        "recursion without a limit",
        "sys.setrecursionlimit(10 ** 8)\ndef down(n): return down(n + 1)\ndown(0)",
        ends_otherwise(
            "killed", "memory_limit", "raised", "step_limit", "trace_limit", "time_limit"
        ),
    ),
    Attack(
        "closed descriptors",
        "os.closerange(0, 1024)\nreturn 1",
        lambda trace: trace.ending.reason not in ("finished", "killed"),
    ),
    Attack(
        "lone surrogates and NUL bytes",
        "s = '\\ud800\\x00\\udfff'\nos.write(1, b'\\xff\\x00\\xfe')\nraise ValueError(s)",
        ends_otherwise("raised"),
    ),
    Attack(
        "an exit with an invalid string",
        "raise SystemExit('\\ud800\\x00' * 10)",
        ends_otherwise("exited"),
    ),
    Attack(
        "a name that is an invalid string",
        "globals()['\\ud800\\x00'] = 1\nexec('x\\u00e9 = 1')\nreturn 'true'",
        _has_false_result,
    ),
)

KINDS = {
    "bomb": BOMBS,
    "hang": HANGS,
    "read": READS,
    "write": WRITES,
    "network": NETWORK,
    "process": PROCESSES,
    "system call": SYSCALLS,
    "falsification": FALSIFICATIONS,
    "crash": CRASHES,
}
ATTACKS = tuple(attack for attacks in KINDS.values() for attack in attacks)
