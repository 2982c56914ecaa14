"""A real execution goes in; how much there is to imagine in it comes out, as numbers.

Nothing here knows of a model: these are what its mistakes can be counted by.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields

from worldline.codecs import Codec, Special
from worldline.diagnose.operations import operation_facts, syntax_nodes
from worldline.diagnose.values import OBJECT, STRING, ValueKind, value_kind
from worldline.tokens import Tokenizer, count_pieces
from worldline.trace import CUT_MARK, Step, Trace

# The iterator that a comprehension is given is no variable of the program's.
_NOT_VARIABLES = frozenset({".0"})
# Only a string that was too long to keep has no end.
_STRINGS = re.compile(rf"{STRING}|b(?:{STRING})|{OBJECT}|['\"].*(?={CUT_MARK}\Z)", re.DOTALL)
_CUT_SIZE = re.compile(rf"({CUT_MARK})[^>]*>\Z")
_ESCAPE = re.compile(r"\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Difficulty:
    """How much there is to imagine in one execution.

    `steps`: of the whole trace.
    `iterations`: how often the body of a `for` or `while` was begun: 3 for a loop over 3 items, 0
    for one over none, however it is left. Comprehensions are not counted: their turns are steps or
    none, by the version of Python. (A `while` whose body stands on the line of its head shows one
    turn less than it takes.)
    `call_depth`: how many scopes were open at once: 1 in the entry point, 2 in what it calls.
    Comprehensions are scopes up to Python 3.11.
    `longest_string`: characters of the longest string in a local, an argument or a value returned
    or yielded, also inside others; of one that was too long to keep, those that were kept.
    `kinds`: the kinds of all these values, each once, in the order of their names.
    `nesting`: how deeply the operations of an executed line nest, `hidden`: how many values of one
    are shown by no step; the most of any line.
    `chars`, `tokens`: the trace in a codec's text; None where no codec, or tokenizer, is given.
    `is_whole`: whether the program was executed to its end; if not, there is more of everything.
    """

    steps: int
    iterations: int
    call_depth: int
    longest_string: int
    kinds: tuple[ValueKind, ...]
    nesting: int
    hidden: int
    chars: int | None
    tokens: int | None
    is_whole: bool


def difficulty(
    truth: Trace, *, codec: Codec | None = None, tokenizer: Tokenizer | None = None
) -> Difficulty:
    """Measure a real execution.

    "def f(x):\\n    return x.strip().upper()", "f(' a')" ->
    steps 6, call_depth 2, longest_string 2, kinds ("str",), nesting 2, hidden 1
    """
    text = truth.program.text
    executed = {step.line for step in truth.steps if step.event == "line"}
    operations = [operation_facts(text, line) for line in executed]
    values = _values(truth.steps)
    pieces = None if codec is None else codec.encode(truth)
    return Difficulty(
        steps=len(truth.steps),
        iterations=_iterations(truth.steps, _bodies(syntax_nodes(text))),
        call_depth=_call_depth(truth.steps),
        longest_string=_longest_string(values),
        kinds=tuple(sorted({value_kind(value) for value in values})),
        nesting=max((facts.depth for facts in operations), default=0),
        hidden=max((facts.hidden for facts in operations), default=0),
        chars=None if pieces is None else sum(map(len, pieces)),
        tokens=None
        if pieces is None or tokenizer is None
        else count_pieces(pieces, Special, tokenizer),
        is_whole=truth.is_whole,
    )


def difficulty_to_json(found: Difficulty) -> dict[str, str | int]:
    """A column for each measure, kinds as words; what was not measured is left out.

    Difficulty(steps=6, …, kinds=("int", "str"), …) -> {"steps": 6, …, "kinds": "int str", …}
    """
    row = {field.name: getattr(found, field.name) for field in fields(found)}
    row["kinds"] = " ".join(found.kinds)
    return {name: value for name, value in row.items() if value is not None}


def _values(steps: Iterable[Step]) -> set[str]:
    """Every value of an execution, as far as it was kept, once; not what was raised."""
    found: set[str] = set()
    for step in steps:
        found.update(v for name, v in step.changed.items() if name not in _NOT_VARIABLES)
        if step.event == "return" and step.value is not None:
            found.add(step.value)
    # A value that grows beyond what is kept is the same from then on, but for its size.
    return {_CUT_SIZE.sub(r"\1", v) if v.endswith(" characters>") else v for v in found}


def _bodies(nodes: Iterable[ast.AST]) -> dict[int, range]:
    """For each line of a loop's head the lines of the loop's body.

    "for x in y:\\n    a()\\n    b()" -> {1: lines 2 to 3}
    """
    found: dict[int, range] = {}
    for node in nodes:
        if isinstance(node, ast.For | ast.AsyncFor | ast.While):
            first, last = node.body[0], node.body[-1]
            start = min([first.lineno, *(d.lineno for d in getattr(first, "decorator_list", []))])
            body = range(start, (last.end_lineno or last.lineno) + 1)
            # On one line, a loop that goes back to its head goes on to its body.
            head = range(node.lineno, max(node.lineno + 1, start))
            found.update(dict.fromkeys(head, body))
    return found


def _iterations(steps: Iterable[Step], bodies: dict[int, range]) -> int:
    """How often a scope went from the head of a loop into its body."""
    count = 0
    before: dict[int, int] = {}
    for step in steps if bodies else ():
        if step.event == "line":
            count += step.line in bodies.get(before.get(step.scope, 0), ())
            before[step.scope] = step.line
    return count


def _call_depth(steps: Iterable[Step]) -> int:
    """How many scopes were open at once."""
    open_scopes: list[int] = []
    deepest = 0
    for step in steps:
        if step.event == "call":
            open_scopes.append(step.scope)
        elif open_scopes[-1:] != [step.scope]:
            # Python 3.11 resumes a generator without a call where an exception is thrown through
            # it; a program that stops its tracing leaves scopes without a return.
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
        # No string is longer than the text that it is in.
        if len(value) - 2 > longest and ("'" in value or '"' in value):
            longest = max([longest, *_sizes(value, longest)])
    return longest


def _sizes(value: str, least: int) -> Iterator[int]:
    """The characters of the strings in a rendered value, without some that are too short.

    "['a', ('b\\n', b'c')]", 0 -> 1, 2
    """
    for text in _STRINGS.findall(value):
        if len(text) - 2 >= least and text[0] in "'\"":
            is_closed = len(text) > 1 and text[-1] == text[0]
            yield len(_ESCAPE.sub("x", text)) - 1 - is_closed
