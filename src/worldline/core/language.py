"""Language: what the rest of worldline has to know about a programming language.

A language is an entry point of the group `worldline.languages`, or one of the built-in ones. It is
looked up by `Program.language`, and imported when it is first used. Its parts are modules with the
functions of a protocol.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint
from typing import Any, Literal, Protocol

from worldline.core.errors import ProgramError
from worldline.core.plugins import Registry

GROUP = "worldline.languages"

# Kinds of values, the same for all languages: `None` stands for null and undefined, too, and `dict`
# for maps and plain objects.
ValueKind = Literal[
    "str", "int", "float", "bool", "None", "list", "dict", "set", "tuple", "object", "missing"
]
# What only some languages have.
Feature = Literal["cfg", "rewrite", "operations", "explanations"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Whether two values are the same, and the rule that was needed (None: the texts are equal)."""

    is_same: bool
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class Leaf:
    """The innermost position at which two values differ, and both values there, as text."""

    path: str
    kind: ValueKind
    actual: str
    predicted: str


@dataclass(frozen=True, slots=True)
class FunctionSyntax:
    """A function in a program's text.

    Attributes:
        line: The line on which its call events are.
        first_line: The first line of its body.
        last_line: Its last line.
        parameters: The names of its parameters.
    """

    line: int
    first_line: int
    last_line: int
    parameters: frozenset[str]


class SourceSyntax(Protocol):
    """Text of a program: its lines, its entry point and its functions."""

    @property
    def START_MARK(self) -> str:  # noqa: N802
        """Comment at the end of the line that begins the entry point."""
        ...

    def source_lines(self, text: str) -> tuple[str, ...]:
        """Lines as the language counts them."""
        ...

    def wrap_call(self, source: str, call: str) -> str:
        """The source, followed by an entry point that returns the call."""
        ...

    def find_entry(self, text: str) -> str | None:
        """The name of the marked entry point; None if there is none."""
        ...

    def split_entry(self, text: str, entry: str) -> tuple[str, str]:
        """The text without its entry point, and the call that the entry point returns.

        An entry point that does more stays in the text and is itself the call.
        """
        ...

    def entry_lines(self, text: str, entry: str) -> tuple[int, int, int] | None:
        """The first line, the line of the `return`, and the last line of the entry point."""
        ...

    def check_call(self, call: str) -> None:
        """Check that a call is one expression; raises `ProgramError`."""
        ...

    def functions(self, text: str) -> Sequence[FunctionSyntax]:
        """The functions of a text, outer ones first; none if it cannot be parsed."""
        ...

    def parse_answer(self, answer: str) -> str | None:
        """The value that an assertion states; the whole text if it is not an assertion."""
        ...


class ValueSyntax(Protocol):
    """Values as text, in the language's own notation."""

    @property
    def NULL(self) -> str:  # noqa: N802
        """Text of the value that a function without `return` returns."""
        ...

    def compare_values(self, actual: str, predicted: str) -> Comparison:
        """Compare two values of a state: all but what no model can predict."""
        ...

    def canonical_value(self, value: str) -> str:
        """The same text for values that `compare_values` takes for the same."""
        ...

    def is_opaque(self, value: str) -> bool:
        """Whether nothing of a value can be predicted."""
        ...

    def may_start_value(self, actual: str, start: str) -> bool:
        """Whether a text may be the start of an actual value, or continue a shortened one."""
        ...

    def answers_equal(self, expected: str, answer: str) -> bool:
        """Whether an answer is equal to the expected value, by the language's own `==`."""
        ...

    def results_equal(self, actual: str, answer: str) -> bool:
        """Whether an answer is what the program returned."""
        ...

    def is_reference_of(self, actual: str, reference: str) -> bool:
        """Whether a benchmark's value is what the program returned, up to rounding."""
        ...

    def value_kind(self, value: str) -> ValueKind:
        """The kind of a value."""
        ...

    def first_leaf(self, actual: str, predicted: str) -> Leaf:
        """The innermost position of the first difference."""
        ...

    def string_items(self, value: str) -> frozenset[str]:
        """All strings in a container, as text."""
        ...

    def parse_literal(self, text: str) -> Any:
        """The Python value of a literal; raises `ValueError` if it is not one."""
        ...


class CfgBuilder(Protocol):
    """Control-flow graphs of programs; their types are in `worldline.languages.control_flow`."""

    def build_cfg(self, text: str) -> Any:
        """The `ControlFlowGraph` of a program; raises `ProgramError` if it cannot be parsed."""
        ...

    def build_instruction_graph(self, text: str, graph: Any) -> Any:
        """The `ProgramInstructions` of a program, in the order of its graph."""
        ...


@dataclass(frozen=True, slots=True)
class ChatExample:
    """A worked example for the prompts of chat models.

    Attributes:
        source: A program.
        call: A call of it.
        answer: The text that works out what the call returns, with `[ANSWER]` at its end.
        assertion: How an answer is stated: "assert({call} == {result})".
    """

    source: str
    call: str
    answer: str
    assertion: str


@dataclass(frozen=True, slots=True)
class Language:
    """A programming language.

    Attributes:
        name: Its name in programs and files, such as "javascript".
        title: Its name in texts, such as "JavaScript".
        suffixes: The suffixes of its files; the first is the usual one.
        highlighting: Its name in the syntax highlighter of the viewer.
        comment: The start of a comment to the end of the line.
        value_notation: Who writes values as the recorder does, for prompts: "Python's repr".
        source: The syntax of its programs.
        values: The syntax of its values.
        recorder: Creates a recorder; keyword arguments are `python` (an interpreter),
            `import_from` (folders) and `sandbox`.
        features: What it has besides.
        chat_example: The example of the codec `chat`; the built-in languages have theirs there.
        cfg: Builds control-flow graphs, for the feature "cfg".
        extras: The extra of this package that a feature needs and that is not installed.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    highlighting: str
    comment: str
    value_notation: str
    source: SourceSyntax
    values: ValueSyntax
    recorder: Callable[..., Any]
    features: frozenset[Feature] = field(default_factory=frozenset)
    chat_example: ChatExample | None = None
    cfg: CfgBuilder | None = None
    extras: Mapping[Feature, str] = field(default_factory=dict)


_MISSING_FEATURES: Mapping[Feature, str] = {
    "cfg": "no control-flow graph",
    "rewrite": "no rewrites",
    "operations": "no operations of lines",
    "explanations": "no misconceptions",
}
# Built-in languages are found by name as those of other packages are: this module is below theirs.
_BUILT_IN = {
    "python": "worldline.languages.python.python_language:PYTHON",
    "javascript": "worldline.languages.javascript.javascript_language:JAVASCRIPT",
    "typescript": "worldline.languages.javascript.javascript_language:TYPESCRIPT",
    "cpp": "worldline.languages.cpp.cpp_language:CPP",
    "java": "worldline.languages.java.java_language:JAVA",
    "rust": "worldline.languages.rust.rust_language:RUST",
    "go": "worldline.languages.go.go_language:GO",
}
LANGUAGES: Registry[Language] = Registry(
    GROUP,
    {},
    error=ProgramError,
    entries=[EntryPoint(name, value, GROUP) for name, value in _BUILT_IN.items()],
)


def get_language(name: str) -> Language:
    """Look up a language by its name.

    Raises:
        ProgramError: There is no such language.
    """
    if name not in LANGUAGES:
        raise ProgramError(
            f"there is no language {name!r}; available: {', '.join(LANGUAGES)}; others are "
            f"packages with an entry point in {GROUP}"
        )
    return LANGUAGES[name]


def language_of_file(name: str) -> Language | None:
    """The language of a file by its suffix; None if no language has it.

    "fib.js" -> JavaScript
    """
    known = (LANGUAGES[each] for each in LANGUAGES)
    return next((language for language in known if name.endswith(language.suffixes)), None)


def missing_feature(name: str, feature: Feature) -> str:
    """Why something cannot be done for a language; "" if it can.

    "javascript", "cfg" -> "no control-flow graph for JavaScript"
    """
    language = get_language(name)
    if feature in language.features:
        return ""
    extra = language.extras.get(feature)
    hint = f" without an extra (pip install 'worldline[{extra}]')" if extra else ""
    return f"{_MISSING_FEATURES[feature]} for {language.title}{hint}"
