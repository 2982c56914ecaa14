"""Program: source text, the call to execute and its standard input."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from worldline.core.language import LANGUAGES, SourceSyntax, ValueSyntax, get_language
from worldline.core.util.text import truncate_text

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
        # Without its language, the text that is executed is not known.
        hash = f", hash {self.hash}" if self.language in LANGUAGES else ""
        return f"Program({source}{call}{language}{hash})"

    @property
    def text(self) -> str:
        """The text that is executed; the line numbers of the steps refer to it.

        "def f(x): ...", "f(1)" -> "def f(x): ...\\n\\ndef main(): # << START_OF_TRACE\\n
        return f(1)\\n"
        """
        if self.call is None:
            return self.source
        return _wrap_call(self.source, self.call, self.language)

    @property
    def syntax(self) -> SourceSyntax:
        """The syntax of its language.

        Raises:
            ProgramError: There is no such language.
        """
        return get_language(self.language).source

    @property
    def values(self) -> ValueSyntax:
        """The syntax of the values of its language.

        Raises:
            ProgramError: There is no such language.
        """
        return get_language(self.language).values

    @property
    def is_python(self) -> bool:
        """Whether it is in Python, whose syntax trees some analyses need."""
        return self.language == DEFAULT_LANGUAGE

    @property
    def entry(self) -> str | None:
        """The name of the entry point, or None if the module is executed."""
        return self.syntax.find_entry(self.text)

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
        return None if entry is None else self.syntax.split_entry(self.source, entry)

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of the text; line numbers of steps count them from 1."""
        return self.syntax.source_lines(self.text)

    def line(self, number: int) -> str:
        """One line of the text, or "" if there is no such line.

        A program may execute code that has its file name and more lines than it.
        """
        lines = self.lines
        return lines[number - 1] if 0 < number <= len(lines) else ""

    @property
    def hash(self) -> str:
        """Hash of the text, the standard input and the language."""
        return _hash(self.text, self.stdin, self.language)


# The text is needed at every step, and building it means parsing the source.
@lru_cache(maxsize=1024)
def _wrap_call(source: str, call: str, language: str) -> str:
    return get_language(language).source.wrap_call(source, call)


@lru_cache(maxsize=1024)
def _hash(text: str, stdin: str, language: str) -> str:
    content = f"{text}\0{stdin}".encode("utf-8", "surrogatepass")
    if language != DEFAULT_LANGUAGE:
        # A byte that UTF-8 never contains: no Python program can have the same content.
        content += b"\xff" + language.encode("utf-8", "surrogatepass")
    return hashlib.sha256(content).hexdigest()[:16]


def function_lines(program: Program) -> dict[int, int]:
    """For each line inside a function, the first line of the innermost function.

    "def f():\\n    return 1\\nx = f()" -> {1: 1, 2: 1}; empty for a program that cannot be parsed
    """
    lines: dict[int, int] = {}
    # Inner functions start later and overwrite the lines of outer ones.
    for each in sorted(program.syntax.functions(program.text), key=lambda each: each.line):
        lines.update(dict.fromkeys(range(each.line, each.last_line + 1), each.line))
    return lines


def program_from_fields(fields: Mapping[str, Any]) -> Program:
    """The program from its stored fields.

    Older versions stored an exact text as `context`, which took precedence over source and call.
    """
    names = ("source", "call", "stdin", "language")
    known = {name: fields[name] for name in names if name in fields}
    context = fields.get("context")
    return Program(**known if context is None else {**known, "source": context, "call": None})
