"""Ray cluster of several nodes on one machine.

Each node has its own network namespace, connected to a bridge by a cable that can be pulled.
"""

import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

# Next to the interpreter: `ray` need not be on the path.
RAY = str(Path(sys.executable).with_name("ray"))
# A different one for each process: Ray confuses clusters with the same address, even in different
# namespaces.
PORT = 6400 + os.getpid() % 1000


class Cluster:
    """A cluster whose nodes are numbered from 1; the first is the head."""

    def __init__(self, nodes: int) -> None:
        self._mark = f"wl{os.getpid()}"
        self._nodes = range(1, nodes + 1)
        # A token only for this cluster, whatever the user has configured.
        self._environment = {
            name: value for name, value in os.environ.items() if not name.startswith("RAY_")
        } | {
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": secrets.token_hex(32),
        }

    @property
    def address(self) -> str:
        """Address of the head."""
        return f"{self._ip(1)}:{PORT}"

    def _ip(self, node: int) -> str:
        return f"10.77.0.{node}"

    def _name(self, node: int | str) -> str:
        return f"{self._mark}-{node}"

    def start(self) -> None:
        """Connect the nodes, and start Ray on each."""
        hub = self._name("hub")
        _run("ip", "netns", "add", hub)
        _run("ip", "-n", hub, "link", "add", "br0", "type", "bridge")
        _run("ip", "-n", hub, "link", "set", "br0", "up")
        for node in self._nodes:
            name, cable = self._name(node), f"c{node}"
            _run("ip", "netns", "add", name)
            ends = ("netns", hub, "type", "veth", "peer", "name", "eth0", "netns", name)
            _run("ip", "link", "add", cable, *ends)
            _run("ip", "-n", hub, "link", "set", cable, "master", "br0", "up")
            _run("ip", "-n", name, "addr", "add", f"{self._ip(node)}/24", "dev", "eth0")
            for device in ("eth0", "lo"):
                _run("ip", "-n", name, "link", "set", device, "up")
        for node in self._nodes:
            role = [f"--address={self.address}"]
            if node == 1:
                role = ["--head", f"--port={PORT}", "--include-dashboard=false"]
            self.run(
                node,
                *(RAY, "start", *role, f"--node-ip-address={self._ip(node)}", "--num-cpus=1"),
                *("--object-store-memory=100000000", "--disable-usage-stats"),
            )

    def run(self, node: int, *command: str) -> None:
        """Run a command on a node, and wait for it."""
        _run("ip", "netns", "exec", self._name(node), *command, environment=self._environment)

    def begin(self, node: int, *command: str, folder: Path) -> subprocess.Popen[str]:
        """Start a command on a node."""
        return subprocess.Popen(
            ["ip", "netns", "exec", self._name(node), *command],
            cwd=folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def pull_cable(self, node: int) -> None:
        """Disconnect a node from the network."""
        _run("ip", "-n", self._name("hub"), "link", "set", f"c{node}", "down")

    def stop(self) -> None:
        """Kill all processes on the nodes, and delete the namespaces."""
        for node in (*self._nodes, "hub"):
            name = self._name(node)
            # A killed process may leave new children.
            for _ in range(3):
                listed = subprocess.run(
                    ["ip", "netns", "pids", name], capture_output=True, text=True, check=False
                )
                for pid in map(int, listed.stdout.split()):
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                time.sleep(0.1)
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)


@contextmanager
def cluster(nodes: int = 3) -> Iterator[Cluster]:
    """Start a cluster, and stop it at the end."""
    started = Cluster(nodes)
    with ExitStack() as stack:
        stack.callback(started.stop)
        started.start()
        yield started


def _run(*command: str, environment: dict[str, str] | None = None) -> None:
    result = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert result.returncode == 0, f"{' '.join(command)}: {result.stdout}{result.stderr}"
