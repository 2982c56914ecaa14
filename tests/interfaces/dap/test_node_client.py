"""VS Code's own test client of the protocol (npm, `@vscode/debugadapter-testsupport`)."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from worldline.interfaces.demo import PREDICTIONS

SUITE = Path(__file__).parent / "node"


def test_the_suite_of_the_test_client(tmp_path: Path) -> None:
    if not (SUITE / "node_modules").is_dir() or shutil.which("node") is None:
        reason = f"the client is not installed; run: npm ci --prefix {SUITE}"
        assert os.environ.get("CI") != "true", reason
        pytest.skip(reason)
    command = [sys.executable, "-m", "worldline", "dap", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            port = server.stderr.readline().strip().rpartition(":")[2]
            done = subprocess.run(
                ["node", "adapter_suite.mjs", str(tmp_path), str(PREDICTIONS)],
                cwd=SUITE,
                env={**os.environ, "WORLDLINE_DAP_PORT": port},
                capture_output=True,
                text=True,
                timeout=300,
                check=False,
            )
        finally:
            server.terminate()
    assert done.returncode == 0, done.stderr
    # The requests that were answered, each an interaction.
    assert int(done.stdout) >= 240
