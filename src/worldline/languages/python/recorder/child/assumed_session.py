"""Session of assumed calls: expressions that are not executed here, and their given values.

The request of a program has the values of its first assumed calls. The next one ends the process
with the reason `assumption_needed` and the expression; the parent process executes the program
again with one more value. So a program has no channel to the model.
"""

from collections.abc import Iterator
from os import getpid
from types import BuiltinFunctionType
from typing import Any

from .json_lines import OWN_BUILTINS, encode
from .placeholders import Placeholder, is_data_use, program_frame
from .repr_session import ReprSession

__builtins__ = OWN_BUILTINS

# Characters of an expression with its argument values, and number of statements before it.
MAX_EXPRESSION = 20_000
MAX_STATEMENTS = 200
DIFFERENT_ARGUMENTS_NOTE = (
    "the arguments of an assumed call differ from one execution to the next: its value is that "
    "for the first ones"
)
_EXCEPTIONS: "dict[str, type]" = {
    name: kind
    for name, kind in vars(OWN_BUILTINS).items()
    if isinstance(kind, type) and issubclass(kind, Exception)
}
# By id: comparing or hashing a value could call code of the program.
_BUILTIN_NAMES: "dict[int, str]" = {
    id(value): name
    for name, value in vars(OWN_BUILTINS).items()
    if isinstance(value, (type, BuiltinFunctionType))
}
_COLLECTIONS: "dict[str, type]" = {
    "list": list,
    "tuple": tuple,
    "set": set,
    "frozenset": frozenset,
}


class AssumedSession:
    """The assumed calls of one execution."""

    def __init__(
        self,
        request: "dict[str, Any]",
        *,
        repr_session: ReprSession,
        finish: Any,
        notes: "list[str]",
    ):
        """Begin a session.

        Args:
            request: The values (`answers`) and where attributes are read as data (`data_uses`).
            repr_session: Renders arguments.
            finish: Ends the recording with a reason and a detail.
            notes: Notes about the recording.
        """
        self.answers = request["answers"]
        self.data_uses = {(line, column): names for line, column, names in request["data_uses"]}
        self.repr_session = repr_session
        self.finish = finish
        self.notes = notes
        self.process = getpid()
        # Number of answers that were used, and of assumed objects.
        self.used = self.objects = 0
        # Imports and assignments since the last question.
        self.statements: list[str] = []
        # The object that was iterated over last, when, and its length.
        self.last_items = ("", 0, 0, 0)
        self.constants: dict[str, Any] = {}
        self.exceptions: dict[str, type] = {}
        # Whether values are rendered for an expression, where a placeholder is its own text.
        self.is_rendering = False

    # -- questions ----------------------------------------------------------------------------

    def ask(self, expression: str, expected_type: str = "") -> Any:
        """The assumed value of an expression; ends the process if there is none yet."""
        if getpid() != self.process:
            raise RuntimeError(f"{expression} cannot be assumed in a process of the program")
        if len(expression) > MAX_EXPRESSION:
            name = expression.partition("(")[0][:200]
            self.finish("assumption_failed", f"the arguments of {name} are too long")
        if self.used >= len(self.answers):
            detail = encode([expression, expected_type, self.statements])
            self.finish("assumption_needed", detail)
        asked, kind, value = self.answers[self.used]
        self._check_repeated(asked, expression)
        self.used += 1
        self.statements = []
        if kind == "exception":
            raise self._exception(value)
        if kind == "object":
            self.objects += 1
            return Placeholder(self, f"obj{self.objects}", origin=expression, is_object=True)
        return decode_literal(value)

    def iterate(self, text: str) -> "Iterator[Any]":
        """Iterate over an assumed object."""
        items = self.ask(f"list({text})", "list")
        self.last_items = (text, self.used, len(self.statements), len(items))
        return iter(items)

    def length(self, text: str) -> int:
        """The length of an assumed object; known if nothing happened since an iteration over it.

        `list` and `sorted` ask for the length after they have begun to iterate.
        """
        if self.last_items[:3] == (text, self.used, len(self.statements)):
            return self.last_items[3]
        length: int = self.ask(f"len({text})", "int")
        return length

    def _check_repeated(self, asked: str, expression: str) -> None:
        """End the process if the program asks for another call than in the execution before."""
        if asked.partition("(")[0] != expression.partition("(")[0]:
            self.finish(
                "assumption_failed",
                f"the program does not repeat itself: it called {asked[:200]}, then "
                f"{expression[:200]}",
            )
        if asked != expression and DIFFERENT_ARGUMENTS_NOTE not in self.notes:
            self.notes.append(DIFFERENT_ARGUMENTS_NOTE)

    def add_statement(self, statement: str) -> None:
        """Note an import or an assignment, which has no value."""
        if len(self.statements) >= MAX_STATEMENTS or len(statement) > MAX_EXPRESSION:
            self.finish("assumption_failed", "too much is assigned to assumed objects")
        self.statements.append(statement)

    def texts(self, values: "list[Any]") -> "list[str]":
        """The texts of values in an expression: by `repr`, or by name.

        [list, obj1, 'a'] -> ["list", "obj1", "'a'"]
        """
        self.is_rendering = True
        try:
            texts = self.repr_session.render(values)
        finally:
            self.is_rendering = False
        names = [_BUILTIN_NAMES.get(id(value)) for value in values]
        return [name or text for name, text in zip(names, texts, strict=True)]

    # -- attributes ---------------------------------------------------------------------------

    def attribute(self, text: str, name: str, *, of_object: bool) -> Any:
        """An attribute of a placeholder: its value if it is read as data, else a placeholder."""
        if is_exception_name(name):
            return self.exception_class(name)
        path = f"{text}.{name}"
        if is_data_use(program_frame(), name, self.data_uses):
            return self.ask(path) if of_object else self.constant(path)
        return Placeholder(self, path, is_attribute=of_object)

    def constant(self, path: str) -> Any:
        """The value of an attribute of a module, which is asked for once."""
        if path not in self.constants:
            self.constants[path] = self.ask(path)
        return self.constants[path]

    # -- exceptions ---------------------------------------------------------------------------

    def exception_class(self, name: str) -> type:
        """The exception class of that name; not a placeholder, because it is caught or raised."""
        if name not in self.exceptions:
            known = _EXCEPTIONS.get(name)
            self.exceptions[name] = known or type(name, (Exception,), {"__module__": "assumed"})
        return self.exceptions[name]

    def _exception(self, text: str) -> Exception:
        """ "KeyError: 'a'" -> KeyError('a')"""
        name, _, message = text.partition(":")
        kind = self.exception_class(name.rpartition(".")[2].strip())
        message = message.strip()
        is_quoted = kind is KeyError and len(message) > 1 and message[0] == message[-1] == "'"
        arguments = [message[1:-1] if is_quoted else message] if message else []
        try:
            error: Exception = kind(*arguments)
        # Some exceptions have more arguments, such as UnicodeDecodeError.
        except TypeError:
            error = ValueError(text)
        return error


def is_exception_name(name: str) -> bool:
    """Whether an attribute is an exception class, by its name: "HTTPError" -> True."""
    return name[:1].isupper() and name.endswith(("Error", "Exception", "Warning"))


def decode_literal(value: Any) -> Any:
    """The value of its JSON form: ["tuple", [1, ["list", []]]] -> (1, [])"""
    if type(value) is not list:
        return value
    kind, content = value
    if kind == "dict":
        return {decode_literal(key): decode_literal(item) for key, item in content}
    if kind == "bytes":
        return content.encode("latin-1")
    if kind == "complex":
        return complex(*content)
    if kind == "ellipsis":
        return ...
    return _COLLECTIONS[kind](map(decode_literal, content))
