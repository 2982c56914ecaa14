"""Attacks in Java on the sandbox and the recorder: none may succeed."""

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from worldline.core.trace import Limits, Program, Trace
from worldline.languages.java.java_value_parser import parse_value
from worldline.languages.java.jvm_recorder import JavaRecorder

LIMITS = Limits(seconds=3, memory_mb=256, output_mb=1, steps=20_000)
IMPORTS = (
    "import java.io.*; import java.lang.reflect.*; import java.net.*; import java.nio.file.*; "
    "import java.util.*;\n"
)


def attack(recorder: JavaRecorder, body: str, *, limits: Limits = LIMITS) -> Trace:
    """Record the body of a method; it returns "ESCAPED" if the attack has succeeded."""
    source = (
        f"{IMPORTS}class Attack {{\n  static Object attack() throws Throwable {{\n{body}\n}}\n}}"
    )
    return recorder.record(Program(source, "attack()", language="java"), limits=limits)


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """The port of a server on this machine."""
    server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server.server_port
    server.shutdown()


NOT_FOUND = {"NoSuchFileException", "AccessDeniedException"}
# What is tried, and the exceptions of which one has to stop it.
ATTEMPTS = {
    'Files.readString(Path.of("/etc/passwd"))': NOT_FOUND,
    'Files.readString(Path.of("SECRET"))': NOT_FOUND,
    'Files.readString(Path.of("/proc/self/environ"))': NOT_FOUND,
    'Files.list(Path.of("/")).count()': {"AccessDeniedException"},
    'Files.writeString(Path.of("/usr/x"), "")': {"FileSystemException", "AccessDeniedException"},
    "new FileOutputStream(System.getProperty(\"java.home\") + \"/x\")": {"FileNotFoundException"},
    'Runtime.getRuntime().exec("/bin/ls")': {"IOException"},
    'new ProcessBuilder(System.getProperty("java.home") + "/bin/java").start()': {"IOException"},
    'new Socket("127.0.0.1", PORT)': {"SocketException"},
    "new ServerSocket(0)": {"SocketException"},
    'InetAddress.getByName("example.org")': {"UnknownHostException"},
    'System.load("/lib/none.so")': {"UnsatisfiedLinkError"},
    'Class.forName("sun.misc.Unsafe")': {"ClassNotFoundException"},
    # The recorder, and the file of the recording.
    'open(Class.forName("worldline.tracer.Main").getDeclaredField("recording"))': {
        "InaccessibleObjectException"
    },
    'open(Class.forName("worldline.tracer.Hooks").getDeclaredField("recording"))': {
        "InaccessibleObjectException"
    },
    'open(FileDescriptor.class.getDeclaredField("fd"))': {"InaccessibleObjectException"},
    'new FileOutputStream("/dev/fd/3")': {"FileNotFoundException"},
}  # fmt: skip


def test_nothing_outside_is_within_reach(recorder: JavaRecorder, tmp_path: Path, port: int) -> None:
    (tmp_path / "secret").write_text("secret")
    tries = "\n".join(
        f'    try {{ {action}; result.add("ESCAPED"); }}'
        " catch (Throwable e) { result.add(e.getClass().getSimpleName()); }"
        for action in ATTEMPTS
    )
    tries = tries.replace("SECRET", str(tmp_path / "secret")).replace("PORT", str(port))
    source = (
        f"{IMPORTS}class Attack {{\n"
        "  static void open(Field field) { field.setAccessible(true); }\n"
        "  static List<String> attack() {\n    List<String> result = new ArrayList<>();\n"
        f"{tries}\n    return result;\n  }}\n}}"
    )
    trace = recorder.record(Program(source, "attack()", language="java"), limits=LIMITS)
    assert trace.result is not None, trace.ending
    node = parse_value(trace.result)
    assert node is not None
    stopped = dict(zip(ATTEMPTS, (str(item.value) for item in node.items), strict=True))
    assert {action: name for action, name in stopped.items() if name not in ATTEMPTS[action]} == {}


# On a busy machine, the limit on time can be the first that is reached.
@pytest.mark.parametrize(
    ("body", "reasons"),
    [
        ("for (;;);", {"step_limit", "time_limit"}),
        ("synchronized (Attack.class) { Attack.class.wait(); } return 1;", {"time_limit"}),
        (
            "List<long[]> a = new ArrayList<>(); try { for (;;) a.add(new long[100000]); }\n"
            'catch (OutOfMemoryError e) { return "ESCAPED"; }',
            {"memory_limit", "time_limit"},
        ),
        (
            "List<Object> a = new ArrayList<>(); for (int i = 0; i < 4000; i++)\n"
            '  a.add(java.nio.ByteBuffer.allocateDirect(1 << 20)); return "ESCAPED";',
            {"memory_limit", "raised"},
        ),
        (
            'while (true) System.out.println("x".repeat(10000));',
            {"output_limit", "time_limit"},
        ),
        (
            "FileOutputStream out = new FileOutputStream(FileDescriptor.out);\n"
            "for (;;) out.write(new byte[100000]);",
            {"raised", "time_limit"},
        ),
        (
            "for (int n = 0; n < 5000; n++)\n"
            "  new Thread(() -> { try { Thread.sleep(100000); } catch (Exception e) { } }).start();"
            '\nreturn "ESCAPED";',
            {"raised", "memory_limit", "time_limit"},
        ),
        ("Runtime.getRuntime().halt(4); return 1;", {"exited"}),
        (
            'return Class.forName("java.lang.System").getMethod("exit", int.class).invoke(null, 3);',
            {"exited"},
        ),
        (
            'return Runtime.class.getMethod("halt", int.class).invoke(Runtime.getRuntime(), 3);',
            {"killed"},
        ),
        (
            "for (Thread t : Thread.getAllStackTraces().keySet())\n"
            "  if (t != Thread.currentThread()) { t.interrupt(); }\n"
            "synchronized (Attack.class) { Attack.class.wait(); } return 1;",
            {"time_limit"},
        ),
    ],
)
def test_bombs_end_at_a_limit(recorder: JavaRecorder, body: str, reasons: set[str]) -> None:
    trace = attack(recorder, body)
    assert trace.ending.reason in reasons, trace.ending
    assert trace.result is None
    assert len(trace.stdout) <= LIMITS.output_mb * 1_000_000


def test_the_recorder_is_usable_after_attacks(recorder: JavaRecorder) -> None:
    assert attack(recorder, "return 1;").result == "1"


def test_a_false_event_does_not_end_the_recording(recorder: JavaRecorder) -> None:
    body = """
    Method result = Class.forName("worldline.tracer.Hooks").getMethod("result", int.class);
    for (int site = 0; site < 100; site++) {
        try { result.invoke(null, site); } catch (InvocationTargetException e) { }
    }
    Runtime.class.getMethod("halt", int.class).invoke(Runtime.getRuntime(), 0);
    return 1;"""
    trace = attack(recorder, body)
    assert not trace.is_complete
    assert trace.ending.reason in ("tampered", "killed")


def test_annotation_processors_do_not_run(tmp_path: Path) -> None:
    # javac would fail: the class of this processor does not exist.
    services = tmp_path / "META-INF" / "services"
    services.mkdir(parents=True)
    (services / "javax.annotation.processing.Processor").write_text("missing.Processor\n")
    source = "class A {\n  @Deprecated static int f() {\n    return 1;\n  }\n}\n"
    with JavaRecorder(import_from=[tmp_path]) as recorder:
        trace = recorder.record(Program(source, "f()", language="java"))
    assert trace.result == "1", trace.ending
