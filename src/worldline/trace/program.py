"""A program: source text and the call to run go in, the text that is executed comes out."""

import ast
import hashlib
from dataclasses import dataclass

from worldline.errors import ProgramError

START_MARK = "# << START_OF_TRACE"


@dataclass(frozen=True, slots=True)
class Program:
    """Source text, the call to run (none: the module itself is run), and its input.

    `context` is set where the exact text to execute is given from outside (a recorded
    prediction names the text its model saw); otherwise it is made from source and call.
    """

    source: str
    call: str | None = None
    stdin: str = ""
    language: str = "python"
    context: str | None = None

    @property
    def text(self) -> str:
        """The text that is executed, and whose line numbers the steps carry.

        "def f(x): ...", "f(1)" -> "def f(x): ...\\n\\ndef main(): # << START_OF_TRACE\\n
        return f(1)\\n"
        """
        if self.context is not None:
            return self.context
        if self.call is None:
            return self.source
        return (
            f"{self.source.rstrip()}\n\n"
            f"def {free_name(self.source)}(): {START_MARK}\n"
            f"    return {self.call.strip()}\n"
        )

    @property
    def entry(self) -> str | None:
        """The name of the function where the trace starts; none where the module is run."""
        for line in self.text.splitlines():
            if line.rstrip().endswith(START_MARK) and line.startswith("def "):
                return line.removeprefix("def ").split("(")[0].strip()
        return None

    @property
    def lines(self) -> list[str]:
        """The lines of the text, as the step's line numbers count them (from 1)."""
        return source_lines(self.text)

    @property
    def hash(self) -> str:
        """A name for exactly this text and input."""
        return hashlib.sha256(
            f"{self.text}\0{self.stdin}".encode("utf-8", "surrogatepass")
        ).hexdigest()[:16]


def source_lines(text: str) -> list[str]:
    r"""Lines as Python's compiler counts them: only \n, \r\n and \r end one.

    "a\x0cb\r\nc" -> ["a\x0cb", "c"]
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines[:-1] if lines and lines[-1] == "" else lines


def free_name(source: str, *, wanted: str = "main") -> str:
    """The wanted name, or one like it that the source does not bind or use.

    "def main(): ..." -> "main_"
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return wanted
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    used |= {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }
    while wanted in used:
        wanted += "_"
    return wanted


def check_call(call: str) -> None:
    """Refuse a call that is not one expression; a wrong quote is found here, not in a trace."""
    try:
        ast.parse(call.strip(), mode="eval")
    except (SyntaxError, ValueError) as error:
        raise ProgramError(
            f"--call {call!r} is not one Python expression ({error}); "
            "write it as in --call 'f(1, 3)'"
        ) from None
