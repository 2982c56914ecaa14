"""Branch coverage of one function by a trace.

A branch is a pair of lines: one on which the function may continue in more than one way, and one
of the lines that may come next. `EXIT` stands for the end of the function.
"""

from worldline.core.trace import Trace
from worldline.languages.control_flow import FunctionGraph, build_cfg

EXIT = 0
BranchPair = tuple[int, int]


def find_function(text: str, name: str) -> FunctionGraph:
    """The control-flow graph of a top-level function; the last one of that name."""
    graphs = build_cfg(text).functions
    return [each for each in graphs if each.qualname == name and each.kind == "function"][-1]


def function_branches(function: FunctionGraph) -> frozenset[BranchPair]:
    """All branches of a function.

    "def f(x):\\n    if x:\\n        return 1\\n    return 2" -> {(2, 3), (2, 4)}
    """
    pairs: set[BranchPair] = set()
    for line in function.branches:
        targets = set(function.successors[line]) | ({EXIT} if line in function.exits else set())
        if len(targets) > 1:
            pairs |= {(line, target) for target in targets}
    return frozenset(pairs)


def reached_branches(function: FunctionGraph, trace: Trace) -> frozenset[BranchPair]:
    """Branches of a function that an execution has taken, in any of its calls."""
    scopes = {
        number
        for number, scope in enumerate(trace.scopes)
        if (scope.function, scope.line) == (function.qualname, function.first_line)
    }
    last: dict[int, int | None] = {}
    # Where a scope was left; a generator may be resumed.
    left: dict[int, int] = {}
    pairs: set[BranchPair] = set()
    for step in trace.steps:
        if step.scope not in scopes:
            continue
        before = last.get(step.scope)
        if step.event == "call":
            left.pop(step.scope, None)
        elif step.event == "line":
            if before is not None:
                pairs.add((before, step.line))
            last[step.scope] = step.line
        elif step.event == "return" and before is not None:
            left[step.scope] = before
        elif step.event == "exception":
            # What follows is the line of a handler, or the end: no branch of this line.
            last[step.scope] = None
    pairs |= {(line, EXIT) for line in left.values()}
    return frozenset(pairs) & function_branches(function)
