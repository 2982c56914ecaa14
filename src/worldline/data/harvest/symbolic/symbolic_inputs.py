"""Calls that cover the branches of a function, by symbolic execution in the sandbox."""

import ast
import json
import subprocess
import sys
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from worldline.core.errors import InputError
from worldline.data.harvest.symbolic.annotated_source import annotate_parameters
from worldline.languages.sandbox import LaunchCommand, Sandbox, default_sandbox

_SCRIPT = Path(__file__).with_name("crosshair_script.py")
_MAX_CALLS = 24
_MAX_CHARS = 300
_MAX_OUTPUT = 1 << 20


class SymbolicExecutor:
    """Finds inputs of functions with CrossHair, in a sandboxed process for each function.

    Args:
        seconds: CPU time for one function.
        memory_mb: Memory of its process.
        sandbox: The sandbox; by default all layers (see `default_sandbox`).

    Raises:
        InputError: CrossHair is not installed.
    """

    def __init__(
        self, *, seconds: float = 5.0, memory_mb: int = 2048, sandbox: Sandbox | None = None
    ) -> None:
        # It is imported in the sandbox only.
        if find_spec("crosshair") is None:
            raise InputError(
                "inputs by symbolic execution need crosshair-tool: "
                "pip install 'worldline[symbolic]'"
            )
        self._seconds, self._memory_mb = seconds, memory_mb
        self._sandbox = sandbox or default_sandbox()

    def find_inputs(self, source: str, name: str) -> list[str]:
        """Calls of a function that reach as many of its branches as possible.

        A function that cannot be executed symbolically has none: it uses an extension, its
        process exceeds a limit, or its values are no literals.

        Raises:
            SandboxError: The sandbox is not available; nothing was executed.
        """
        request = {
            "source": annotate_parameters(source, name),
            "function": name,
            "seconds": self._seconds,
            "iterations": 12,
            "memory_mb": self._memory_mb,
        }
        calls = dict.fromkeys(each for each in self._run(request) if is_literal_call(each, name))
        return list(calls)[:_MAX_CALLS]

    def _run(self, request: dict[str, Any]) -> list[str]:
        # Without the recorder's extension in the folder: the solver needs ctypes, which is hidden
        # otherwise, and bubblewrap installs the filter of system calls.
        launch = LaunchCommand(sys.executable, self._sandbox, child=_SCRIPT.parent)
        with closing(launch):
            command = launch.build([str(_SCRIPT)], {"LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0"})
            try:
                process = subprocess.run(
                    command,
                    input=json.dumps(request).encode(),
                    capture_output=True,
                    pass_fds=launch.pass_fds,
                    timeout=30 + 6 * self._seconds,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                return []
        lines = process.stdout[:_MAX_OUTPUT].decode(errors="replace").splitlines()
        return [call for line in lines if (call := _parse_line(line))]


def _parse_line(line: str) -> str:
    """The call in a line of the script's output; empty if the function has printed the line."""
    try:
        call = json.loads(line)
    except ValueError:
        return ""
    return call if isinstance(call, str) else ""


def is_literal_call(text: str, name: str) -> bool:
    """Whether a text is a short call of a function with literal arguments.

    "f(1, x=[2])", "f" -> True; "f(Signals.SIGINT)", "f" -> False
    """
    if len(text) > _MAX_CHARS:
        return False
    try:
        call = ast.parse(text, mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            return False
        for value in [*call.args, *(each.value for each in call.keywords)]:
            ast.literal_eval(value)
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        return False
    return call.func.id == name and all(each.arg is not None for each in call.keywords)
