"""Java development kit (JDK): its files and version, and the tracer that it compiles."""

import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import zipfile
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from worldline.core.errors import RecorderError
from worldline.core.trace import Limits
from worldline.core.util.cache_folder import FOLDER_VARIABLE, cache_folder
from worldline.core.util.files import atomic_folder
from worldline.languages.sandbox.unprivileged_user import find_closed_folder, is_root

MIN_JAVA = 17
SOURCES = Path(__file__).parent / "tracer"
_MAIN = "worldline.tracer/worldline.tracer.Main"
_JAR = "tracer.jar"
# Classes of the JDK and of the tracer, prepared by the JVM itself: it starts in half of the time.
_ARCHIVE = "tracer.jsa"
_ROOT_CACHE = Path("/var/cache/worldline/java")
_LINKERS = ("/lib64/ld-linux*.so.*", "/lib/ld-linux*.so.*")
_INSTALL = (
    f"install a JDK of version {MIN_JAVA} or later (apt install default-jdk-headless, or "
    "https://adoptium.net)"
)
# Executed once to find the classes of the archive.
_SAMPLE = """
import java.util.*;
import java.util.stream.*;
class Sample {
    record Pair(String key, Integer count) {}
    static Object main() {
        Map<String, Integer> counts = new HashMap<>(Map.of("a", 1));
        for (String each : List.of("a", "b")) counts.merge(each, 1, Integer::sum);
        StringBuilder text = new StringBuilder(String.join(",", new TreeMap<>(counts).keySet()));
        try {
            Integer.parseInt(text.reverse().toString());
        } catch (NumberFormatException error) {
            text.append(error.getMessage().length());
        }
        Set<Object> set = new LinkedHashSet<>(Arrays.asList('c', 1L, 0.5, new Pair("a", 1)));
        set.addAll(counts.values().stream().map(n -> n * 2).collect(Collectors.toList()));
        return new ArrayList<>(set);
    }
}
"""


@dataclass(frozen=True, slots=True)
class JavaRuntime:
    """An installed JDK.

    Attributes:
        home: Its folder.
        version: Its version, such as "17.0.15".
        folders: The folders that it needs: its own, and those that links in it lead to.
        tracer: The folder with the compiled tracer and the archive of classes.
    """

    home: str
    version: str
    folders: tuple[str, ...]
    tracer: str

    @property
    def java(self) -> str:
        """The executable of the JVM."""
        return f"{self.home}/bin/java"

    @property
    def executable(self) -> tuple[str, ...]:
        """The files that have to be executed to start it."""
        linkers = (path for pattern in _LINKERS for path in sorted(glob.glob(pattern)))
        return (self.java, *linkers)

    @property
    def environment(self) -> dict[str, str]:
        """The environment of the JVM."""
        # The dynamic linker finds the JVM's libraries by it where there is no /proc.
        return {"LC_ALL": "C.UTF-8", "TZ": "UTC", "LD_ORIGIN_PATH": f"{self.home}/bin"}

    def command(self, *, memory_mb: int, has_all_modules: bool = False) -> list[str]:
        """The command that executes the tracer.

        Args:
            memory_mb: The limit of the heap.
            has_all_modules: Whether all modules of Java SE are loaded, not only java.base.
        """
        archive = f"{self.tracer}/{_ARCHIVE}"
        options = [f"-XX:SharedArchiveFile={archive}"] if Path(archive).exists() else []
        options += ["--add-modules", "java.se"] if has_all_modules else []
        return _command(self.java, self.tracer, memory_mb=memory_mb, options=options)


def _command(java: str, tracer: str, *, memory_mb: int, options: list[str]) -> list[str]:
    return [
        java,
        *options,
        # Messages of the JVM itself would be part of the program's output.
        "-Xlog:disable",
        *("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Xshare:auto"),
        *("-XX:-UseContainerSupport", "-XX:ReservedCodeCacheSize=48m", "-XX:MaxMetaspaceSize=192m"),
        # The compiler runs in the same heap.
        f"-Xmx{max(memory_mb, 64)}m",
        f"-XX:MaxDirectMemorySize={memory_mb}m",
        "-XX:+ExitOnOutOfMemoryError",
        # Stacks of threads; the main one has its own size (Main.java).
        "-Xss2m",
        # Compiled early, they would keep the order that the tracer replaces (FixedOrder.java).
        *(
            "-XX:CompileCommand=quiet",
            "-XX:CompileCommand=exclude,java.util.ImmutableCollections*::*",
        ),
        "-XX:CompileCommand=dontinline,java.util.ImmutableCollections*::*",
        # Hash codes of objects are numbers in sequence, the same in every execution.
        *("-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=3"),
        *(
            "-Dfile.encoding=UTF-8",
            "-Duser.timezone=UTC",
            "-Duser.language=en",
            "-Duser.country=US",
        ),
        *("--add-opens", "java.base/java.io=worldline.tracer"),
        *("--add-opens", "java.base/java.lang=worldline.tracer"),
        *("--add-opens", "java.base/sun.nio.ch=worldline.tracer"),
        *("--add-opens", "java.base/jdk.internal.misc=worldline.tracer"),
        *("--module-path", f"{tracer}/{_JAR}", "--module", _MAIN),
    ]


@cache
def find_java(name: str = "javac") -> JavaRuntime:
    """Find the JDK, and compile the tracer with it if that was not done before.

    Args:
        name: The path of its compiler, or its name on PATH. JAVA_HOME has precedence.

    Raises:
        RecorderError: It is not installed or too old, or the tracer cannot be compiled.
    """
    folder = os.environ.get("JAVA_HOME") if name == "javac" else None
    path = shutil.which(f"{folder}/bin/javac" if folder else name)
    if path is None:
        raise RecorderError(
            f"Java programs need a JDK, but there is no {folder or name}: {_INSTALL}"
        )
    compiler = str(Path(path).resolve())
    home = str(Path(compiler).parent.parent)
    version = _version(home)
    major = version.partition(".")[0]
    if not major.isdecimal() or int(major) < MIN_JAVA:
        raise RecorderError(f"{home} is Java {version or 'of unknown version'}: {_INSTALL}")
    tracer = _find_tracer(compiler, home, version)
    return JavaRuntime(home, version, _folders(home), str(tracer))


def _version(home: str) -> str:
    """The version in the file `release`: 17.0.15"""
    try:
        text = Path(home, "release").read_text(errors="replace")
    except OSError:
        return ""
    match = re.search(r'^JAVA_VERSION="([^"]+)"', text, re.MULTILINE)
    return match[1] if match else ""


def _folders(home: str) -> tuple[str, ...]:
    """The folder of the JDK, and the folders outside of it to which its links lead."""
    outside = set()
    for folder, folders, files in os.walk(home):
        for name in (*folders, *files):
            path = Path(folder, name)
            target = path.resolve()
            if path.is_symlink() and not target.is_relative_to(home) and target.exists():
                outside.add(str(target if target.is_dir() else target.parent))
    # Debian's documentation is not needed, and its folder for all certificates is large.
    unneeded = ("/usr/share", "/etc/ssl", "/usr/lib/jvm")
    return (home, *sorted(path for path in outside if not path.startswith(unneeded)))


def _find_tracer(compiler: str, home: str, version: str) -> Path:
    """The folder with the compiled tracer for this JDK."""
    sources = sorted(SOURCES.rglob("*.java"))
    options = _command(home, "", memory_mb=0, options=[])
    content = hashlib.sha256(f"{version}\0{options}\0{_SAMPLE}".encode())
    for each in sources:
        content.update(each.read_bytes())
    folder = _tracer_parent() / content.hexdigest()[:16]
    if not (folder / _JAR).exists():
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            with atomic_folder(folder) as new:
                _compile_tracer(compiler, sources, new)
        except OSError as error:
            if not (folder / _JAR).exists():  # not by another process meanwhile
                raise RecorderError(
                    f"cannot write the Java tracer to {folder}: {error}; set WORLDLINE_CACHE to a "
                    "folder that can be written"
                ) from error
    if not (folder / _ARCHIVE).exists():
        _create_archive(f"{home}/bin/java", folder)
    return folder


def _tracer_parent() -> Path:
    """The folder for compiled tracers; another user, who executes root's programs, can enter it."""
    folder = cache_folder() / "java"
    existing = next(path for path in folder.absolute().parents if path.exists())
    is_closed = is_root() and find_closed_folder([str(existing / "java")])
    return _ROOT_CACHE if is_closed and FOLDER_VARIABLE not in os.environ else folder


def _compile_tracer(compiler: str, sources: list[Path], folder: Path) -> None:
    with tempfile.TemporaryDirectory() as classes:
        command = [compiler, "-proc:none", "-nowarn", "-d", classes, *map(str, sources)]
        result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        if result.returncode != 0:
            raise RecorderError(
                f"{compiler} cannot compile the tracer: {result.stderr.strip()[-500:]}; {_INSTALL}"
            )
        # With fixed times: the JVM compares those of the jar with the archive's.
        with zipfile.ZipFile(folder / _JAR, "w") as jar:
            for path in sorted(Path(classes).rglob("*.class")):
                name = path.relative_to(classes).as_posix()
                jar.writestr(zipfile.ZipInfo(name), path.read_bytes())


def _create_archive(java: str, folder: Path) -> None:
    """Create the archive of classes; without it, the JVM only starts more slowly."""
    request = {
        "secret": "",
        "text": _SAMPLE,
        "entry": "main",
        "class_path": [],
        "limits": asdict(Limits()),
    }
    new = folder / f".{os.getpid()}.jsa"
    options = [f"-XX:ArchiveClassesAtExit={new}"]
    with tempfile.TemporaryFile() as recording, tempfile.TemporaryFile() as message:
        message.write(json.dumps(request).encode())
        message.seek(0)
        files = recording.fileno(), message.fileno()
        command = _command(java, str(folder), memory_mb=512, options=options)
        subprocess.run(
            [*command, *map(str, files)],
            pass_fds=files,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            # As in the sandbox: the archive depends on the class path.
            env={"LC_ALL": "C.UTF-8", "TZ": "UTC"},
            timeout=300,
            check=False,
        )
    if new.exists():
        new.replace(folder / _ARCHIVE)
