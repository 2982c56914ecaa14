"""Difficulty of an actual execution: steps, iterations, call depth, longest string, …

It does not depend on a model. Accuracy and divergences are grouped by it.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields

from worldline.analysis.alignment import STRING_LITERAL
from worldline.analysis.diagnosis.line_operations import nesting_and_hidden_values
from worldline.analysis.diagnosis.source_statements import syntax_nodes
from worldline.core.language import ValueKind
from worldline.core.trace import SHORTENED_MARK, Step, Trace, first_line
from worldline.core.util.text import pluralize
from worldline.languages.python.value_kinds import OBJECT
from worldline.models.codecs import Codec, SpecialToken
from worldline.models.tokenizers import Tokenizer, count_segment_tokens

# The iterator that a comprehension is called with is not a variable of the program.
_NOT_VARIABLES = frozenset({".0"})
# Only a shortened string has no closing quote.
_STRINGS = re.compile(
    rf"{STRING_LITERAL}|b(?:{STRING_LITERAL})|{OBJECT}|['\"].*(?={SHORTENED_MARK}\Z)", re.DOTALL
)
_SHORTENED_SIZE = re.compile(rf"({SHORTENED_MARK})[^>]*>\Z")
_ESCAPE = re.compile(r"\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Difficulty:
    """The difficulty of one execution.

    Attributes:
        steps: Steps of the trace.
        iterations: How often the body of a `for` or `while` was entered. Comprehensions are not
            counted, because it depends on the Python version whether their iterations are steps.
            A `while` with its body on the same line counts one iteration less.
        call_depth: The maximum number of open scopes: 1 in the entry point, 2 in a function that
            it calls. Comprehensions are scopes up to Python 3.11.
        longest_string: Characters of the longest string in a local, an argument or a returned or
            yielded value, also inside containers. Of a shortened string, the characters kept.
        kinds: The kinds of all these values, without duplicates, sorted by name.
        nesting: The maximum nesting depth of the operations of an executed line.
        hidden_values: The maximum number of hidden values of an executed line.
        chars: Characters of the trace in a codec's format; None without a codec.
        tokens: Tokens of the trace in a codec's format; None without a codec or tokenizer.
        is_complete: Whether the trace is complete; if not, the numbers are lower bounds.
    """

    steps: int
    iterations: int
    call_depth: int
    longest_string: int
    kinds: tuple[ValueKind, ...]
    nesting: int
    hidden_values: int
    chars: int | None
    tokens: int | None
    is_complete: bool

    def __repr__(self) -> str:
        return (
            f"Difficulty({pluralize(self.steps, 'step')}, "
            f"{pluralize(self.iterations, 'iteration')}, call depth {self.call_depth}, "
            f"nesting {self.nesting}, {pluralize(self.hidden_values, 'hidden value')})"
        )


def measure_difficulty(
    actual: Trace, *, codec: Codec | None = None, tokenizer: Tokenizer | None = None
) -> Difficulty:
    """Measure the difficulty of an actual execution.

    "def f(x):\\n    return x.strip().upper()", "f(' a')" ->
    steps 6, call_depth 2, longest_string 2, kinds ("str",), nesting 2, hidden_values 1

    Args:
        actual: The recorded execution.
        codec: Encodes the trace to count its characters.
        tokenizer: Counts the tokens of the encoded trace.
    """
    # The syntax tree, of which other languages have none here: they have no nesting, iterations …
    text = actual.program.text if actual.program.is_python else ""
    executed_lines = {step.line for step in actual.steps if step.event == "line"}
    operations = nesting_and_hidden_values(text, executed_lines)
    values = _values(actual.steps)
    segments = None if codec is None else codec.encode(actual)
    return Difficulty(
        steps=len(actual.steps),
        iterations=_count_iterations(actual.steps, _loop_bodies(syntax_nodes(text))),
        call_depth=_call_depth(actual.steps),
        longest_string=_longest_string(values),
        kinds=tuple(sorted({actual.program.values.value_kind(value) for value in values})),
        nesting=max((nesting for nesting, _ in operations), default=0),
        hidden_values=max((hidden for _, hidden in operations), default=0),
        chars=None if segments is None else sum(map(len, segments)),
        tokens=None
        if segments is None or tokenizer is None
        else count_segment_tokens(segments, SpecialToken, tokenizer),
        is_complete=actual.is_complete,
    )


def difficulty_to_json(difficulty: Difficulty) -> dict[str, str | int]:
    """One column per measure, the kinds as one text; measures that are None are omitted.

    Difficulty(steps=6, …, kinds=("int", "str"), …) -> {"steps": 6, …, "kinds": "int str", …}
    """
    row = {field.name: getattr(difficulty, field.name) for field in fields(difficulty)}
    row["kinds"] = " ".join(difficulty.kinds)
    return {name: value for name, value in row.items() if value is not None}


def _values(steps: Iterable[Step]) -> set[str]:
    """All values of an execution, without exceptions; shortened ones without their length."""
    values: set[str] = set()
    for step in steps:
        values.update(v for name, v in step.changed.items() if name not in _NOT_VARIABLES)
        if step.event == "return" and step.value is not None:
            values.add(step.value)
    # While a shortened value grows, only the length at its end changes.
    return {_SHORTENED_SIZE.sub(r"\1", v) if v.endswith(" characters>") else v for v in values}


def _loop_bodies(nodes: Iterable[ast.AST]) -> dict[int, range]:
    """For each line of a loop's header, the lines of the loop's body.

    "for x in y:\\n    a()\\n    b()" -> {1: lines 2 to 3}
    """
    bodies: dict[int, range] = {}
    for node in nodes:
        if isinstance(node, ast.For | ast.AsyncFor | ast.While):
            first, last = node.body[0], node.body[-1]
            start = first_line(first)
            body = range(start, (last.end_lineno or last.lineno) + 1)
            # If header and body are on one line, the step from that line to itself is counted.
            header = range(node.lineno, max(node.lineno + 1, start))
            bodies.update(dict.fromkeys(header, body))
    return bodies


def _count_iterations(steps: Iterable[Step], bodies: dict[int, range]) -> int:
    """Count how often a scope went from the header of a loop into its body."""
    count = 0
    last_line: dict[int, int] = {}
    for step in steps if bodies else ():
        if step.event == "line":
            count += step.line in bodies.get(last_line.get(step.scope, 0), ())
            last_line[step.scope] = step.line
    return count


def _call_depth(steps: Iterable[Step]) -> int:
    """The maximum number of open scopes."""
    open_scopes: list[int] = []
    deepest = 0
    for step in steps:
        if step.event == "call":
            open_scopes.append(step.scope)
        elif open_scopes[-1:] != [step.scope]:
            # Python 3.11 resumes a generator without a call event if an exception is thrown into
            # it. A program that turns tracing off leaves scopes without a return event.
            if step.scope in open_scopes:
                del open_scopes[open_scopes.index(step.scope) + 1 :]
            else:
                open_scopes.append(step.scope)
        deepest = max(deepest, len(open_scopes))
        if step.event == "return":
            open_scopes.pop()
    return deepest


def _longest_string(values: Iterable[str]) -> int:
    longest = 0
    for value in sorted(values, key=len, reverse=True):
        # Skip values whose text is too short to contain a longer string.
        if len(value) - 2 > longest and ("'" in value or '"' in value):
            longest = max([longest, *_string_lengths(value, longest)])
    return longest


def _string_lengths(value: str, minimum: int) -> Iterator[int]:
    """The lengths of the strings in a rendered value that are at least `minimum` long.

    "['a', ('b\\n', b'c')]", 0 -> 1, 2
    """
    for text in _STRINGS.findall(value):
        if len(text) - 2 >= minimum and text[0] in "'\"":
            is_closed = len(text) > 1 and text[-1] == text[0]
            yield len(_ESCAPE.sub("x", text)) - 1 - is_closed
