"""Steps go in; at which of them a sparse format shows the state comes out."""

import ast
from collections.abc import Callable
from functools import lru_cache

from worldline.codecs.course import Course
from worldline.trace import Event, parse_source

Shows = Callable[[Event, int, Course], bool]
_BRANCHES = (ast.If, ast.While, ast.For, ast.AsyncFor, ast.Match)


def at_branches(event: Event, line: int, course: Course) -> bool:
    """Calls, and lines from which there is more than one way to go on."""
    return event == "call" or line in _branch_lines(course.program.text)


def every(steps: int) -> Shows:
    """Calls, and one step in so many, from the first on."""

    def shows(event: Event, line: int, course: Course) -> bool:
        return event == "call" or course.steps % steps == 0

    return shows


@lru_cache(maxsize=64)
def _branch_lines(text: str) -> frozenset[int]:
    """The first lines of all branching statements; none where the text does not parse.

    "if x:\\n    y = 1\\n" -> {1}
    """
    tree = parse_source(text)
    nodes = ast.walk(tree) if tree is not None else ()
    return frozenset(node.lineno for node in nodes if isinstance(node, _BRANCHES))
