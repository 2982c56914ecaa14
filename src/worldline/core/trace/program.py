"""Program: source text, the call to execute and its standard input."""

import ast
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from worldline.core.errors import ProgramError
from worldline.core.trace.python_syntax import (
    check_call,
    parse_source,
    source_lines,
    unused_name,
)
from worldline.core.util.text import truncate_text

START_MARK = "# << START_OF_TRACE"
# Rows that older versions stored do not name a language.
DEFAULT_LANGUAGE = "python"


@dataclass(frozen=True, slots=True)
class Program:
    """Source text, the call to execute, its standard input and its language.

    Without a call, the source is executed as it is: from the function that is marked
    `# << START_OF_TRACE`, or else as a module.
    """

    source: str
    call: str | None = None
    stdin: str = ""
    language: str = DEFAULT_LANGUAGE

    @classmethod
    def from_text(
        cls, text: str, *, stdin: str = "", language: str = DEFAULT_LANGUAGE
    ) -> "Program":
        """A program from the exact text to execute, for example a recorded or a rewritten one.

        Its call is in the text, in the function that is marked `# << START_OF_TRACE`.
        """
        return cls(text, None, stdin, language)

    def __repr__(self) -> str:
        source = truncate_text(repr(self.source), 38)
        call = "" if self.call is None else f", call={truncate_text(repr(self.call), 30)}"
        language = "" if self.language == DEFAULT_LANGUAGE else f", {self.language}"
        return f"Program({source}{call}{language}, hash {self.hash})"

    @property
    def text(self) -> str:
        """The text that is executed; the line numbers of the steps refer to it.

        "def f(x): ...", "f(1)" -> "def f(x): ...\\n\\ndef main(): # << START_OF_TRACE\\n
        return f(1)\\n"
        """
        return self.source if self.call is None else wrap_call(self.source, self.call)

    @property
    def entry(self) -> str | None:
        """The name of the entry point, or None if the module is executed."""
        for line in self.text.splitlines():
            if line.rstrip().endswith(START_MARK) and line.startswith("def "):
                return line.removeprefix("def ").split("(")[0].strip()
        return None

    def split_entry(self) -> tuple[str, str] | None:
        """The program without its entry point, and the call that the entry point returns.

        An entry point that does more than return a call stays in the program and is itself called.
        None if the module is executed.

        "def f(x): ...\\n\\ndef main(): # << START_OF_TRACE\\n    return f(1)\\n" ->
        "def f(x): ...", "f(1)"
        """
        if self.call is not None:
            return self.source, self.call
        entry = self.entry
        return None if entry is None else _split_entry(self.source, entry)

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of the text; line numbers of steps count them from 1."""
        return source_lines(self.text)

    def line(self, number: int) -> str:
        """One line of the text, or "" if there is no such line.

        A program may execute code that has its file name and more lines than it.
        """
        lines = self.lines
        return lines[number - 1] if 0 < number <= len(lines) else ""

    @property
    def hash(self) -> str:
        """Hash of the text, the standard input and the language."""
        content = f"{self.text}\0{self.stdin}".encode("utf-8", "surrogatepass")
        if self.language != DEFAULT_LANGUAGE:
            # A byte that UTF-8 never contains: no Python program can have the same content.
            content += b"\xff" + self.language.encode("utf-8", "surrogatepass")
        return hashlib.sha256(content).hexdigest()[:16]


# The text is needed at every step, and building it means parsing the source.
@lru_cache(maxsize=1024)
def wrap_call(source: str, call: str) -> str:
    """The source, followed by an entry point that returns the call."""
    entry = unused_name(source)
    return f"{source.rstrip()}\n\ndef {entry}(): {START_MARK}\n    return {call.strip()}\n"


@lru_cache(maxsize=64)
def _split_entry(text: str, entry: str) -> tuple[str, str]:
    unsplit = text, f"{entry}()"
    tree = parse_source(text)
    match [node for node in tree.body if getattr(node, "name", "") == entry] if tree else []:
        case [
            ast.FunctionDef(
                body=[ast.Return(value=ast.expr() as value)], decorator_list=[]
            ) as function
        ]:
            call = ast.get_source_segment(text, value) or ""
        case _:
            return unsplit
    try:
        check_call(call)
    except ProgramError:
        return unsplit
    lines = source_lines(text)
    rest = "\n".join([*lines[: function.lineno - 1], *lines[function.end_lineno :]])
    # If the rest refers to the entry point, it cannot do without it.
    return unsplit if unused_name(rest, wanted=entry) != entry else (rest.rstrip(), call)


def program_from_fields(fields: Mapping[str, Any]) -> Program:
    """The program from its stored fields.

    Older versions stored an exact text as `context`, which took precedence over source and call.
    """
    names = ("source", "call", "stdin", "language")
    known = {name: fields[name] for name in names if name in fields}
    context = fields.get("context")
    return Program(**known if context is None else {**known, "source": context, "call": None})
