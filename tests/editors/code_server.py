"""A real VS Code in a browser: code-server, with the extension installed.

WORLDLINE_CODE_SERVER names its command; CONTRIBUTING.md has its installation.
"""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.support.paths import PROJECT_ROOT
from tests.support.vllm_servers import free_port

EXTENSION = PROJECT_ROOT / "editors" / "vscode"
START_LIMIT = 120
# A command that ends sooner is broken; on a busy machine, code-server gives up after ten seconds.
_SHORTEST_START = 5
# No dialogs and no pages but the one that is tested.
SETTINGS: Mapping[str, Any] = {
    "security.workspace.trust.enabled": False,
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": False,
    "telemetry.telemetryLevel": "off",
    "chat.disableAIFeatures": True,
    "debug.openDebug": "openOnDebugBreak",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "worldline.command": [sys.executable, "-m", "worldline"],
}


@contextmanager
def serve_editor(
    command: str, work: Path, *, settings: Mapping[str, Any] | None = None
) -> Iterator[str]:
    """Serve VS Code with the extension within a `with` block; yields its address.

    Args:
        command: The command of code-server.
        work: A folder for its data.
        settings: More settings, such as {"workbench.colorTheme": …}.
    """
    data, extensions = work / "data", work / "extensions"
    # Those of the user, and those of the machine that VS Code is served from.
    for each in ("User", "Machine"):
        (data / each).mkdir(parents=True)
        text = json.dumps({**SETTINGS, **(settings or {})})
        (data / each / "settings.json").write_text(text, encoding="utf-8")
    folders = ["--user-data-dir", str(data), "--extensions-dir", str(extensions)]
    vsix = EXTENSION / "dist" / "worldline.vsix"
    subprocess.run(
        [command, *folders, "--install-extension", str(vsix)], check=True, capture_output=True
    )
    process, port = start_editor([command, *folders], work)
    try:
        yield f"http://127.0.0.1:{port}/"
    finally:
        # It starts other processes, which are in its session.
        os.killpg(process.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(10)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def write_settings(folder: Path, **settings: Any) -> None:
    """Write settings of a folder: `engine="http://…"` is the setting `worldline.engine`."""
    file = folder / ".vscode" / "settings.json"
    file.parent.mkdir(exist_ok=True)
    named = {f"worldline.{name}": value for name, value in settings.items()}
    file.write_text(json.dumps(named), encoding="utf-8")


def write_launch(folder: Path, **launch: Any) -> None:
    """Write the configuration that F5 starts in a folder."""
    file = folder / ".vscode" / "launch.json"
    file.parent.mkdir(exist_ok=True)
    configuration = {"type": "worldline", "request": "launch", "name": "test", **launch}
    text = json.dumps({"version": "0.2.0", "configurations": [configuration]})
    file.write_text(text, encoding="utf-8")


def start_editor(command: list[str], work: Path) -> "tuple[subprocess.Popen[bytes], int]":
    """Start code-server; returns its process and its port."""
    options = ["--disable-telemetry", "--disable-update-check"]
    options += ["--disable-getting-started-override", "--auth", "none", "--bind-addr"]
    limit = time.monotonic() + START_LIMIT
    while True:
        started = time.monotonic()
        port = free_port()
        with (work / "log").open("wb") as log:
            process = subprocess.Popen(
                [*command, *options, f"127.0.0.1:{port}"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=os.environ | {"HOME": str(work)},
                start_new_session=True,
            )
        # On a busy machine it gives up after ten seconds, and is started again.
        while process.poll() is None:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5):
                    return process, port
            except OSError:
                if time.monotonic() > limit:
                    process.kill()
            time.sleep(0.2)
        is_broken = time.monotonic() < started + _SHORTEST_START
        if is_broken or time.monotonic() > limit:
            end = (work / "log").read_text(errors="replace")[-2000:]
            raise RuntimeError(f"code-server does not answer:\n{end}")
