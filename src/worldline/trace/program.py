"""A program: source text and the call to run go in, the text that is executed comes out."""

import ast
import hashlib
from dataclasses import dataclass
from functools import lru_cache

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
        return self.source if self.call is None else text_with_call(self.source, self.call)

    @property
    def entry(self) -> str | None:
        """The name of the function where the trace starts; none where the module is run."""
        for line in self.text.splitlines():
            if line.rstrip().endswith(START_MARK) and line.startswith("def "):
                return line.removeprefix("def ").split("(")[0].strip()
        return None

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of the text, as the step's line numbers count them (from 1)."""
        return source_lines(self.text)

    def line(self, number: int) -> str:
        """One line of the text; nothing where there is no such line.

        A program may run code that claims to be its own and has more lines than it.
        """
        lines = self.lines
        return lines[number - 1] if 0 < number <= len(lines) else ""

    @property
    def hash(self) -> str:
        """A name for exactly this text and input."""
        return hashlib.sha256(
            f"{self.text}\0{self.stdin}".encode("utf-8", "surrogatepass")
        ).hexdigest()[:16]


# Texts are asked for at every step, and making one means parsing the source.
@lru_cache(maxsize=1024)
def text_with_call(source: str, call: str) -> str:
    """The source, and behind it a function that makes the call."""
    return (
        f"{source.rstrip()}\n\ndef {free_name(source)}(): {START_MARK}\n    return {call.strip()}\n"
    )


@lru_cache(maxsize=64)
def source_lines(text: str) -> tuple[str, ...]:
    r"""Lines as Python's compiler counts them: only \n, \r\n and \r end one.

    "a\x0cb\r\nc" -> "a\x0cb", "c"
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return tuple(lines[:-1] if lines and lines[-1] == "" else lines)


def parse_source(text: str) -> ast.Module | None:
    """The syntax tree of a program; none where it does not parse, for whatever reason."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def free_name(source: str, *, wanted: str = "main") -> str:
    """The wanted name, or one like it that the source does not bind or use.

    "def main(): ..." -> "main_"
    """
    tree = parse_source(source)
    if tree is None:
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
        tree = ast.parse(call.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ProgramError(
            f"the call {call[:60]!r} is not one Python expression ({error}); "
            "write it as in --call 'f(1, 3)'"
        ) from None
    if any(isinstance(node, ast.Yield | ast.YieldFrom | ast.Await) for node in ast.walk(tree)):
        raise ProgramError(
            f"the call {call[:60]!r} would make the entry point a generator; "
            "put it into a function of the program"
        )
