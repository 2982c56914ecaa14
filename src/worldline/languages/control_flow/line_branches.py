"""Branches of lines, from the constructs of the source."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from worldline.languages.control_flow.control_flow_graph import LOOPS, Branch, BranchKind


@dataclass(frozen=True, slots=True)
class Construct:
    """A branching construct: the lines of its header, where it branches, and of its block."""

    kind: BranchKind
    header: range
    block: range


def find_branches(
    successors: Mapping[int, frozenset[int]],
    branch_lines: Collection[int],
    constructs: Collection[Construct],
) -> dict[int, tuple[Branch, ...]]:
    """Find the branches of one function by line, each with the lines that may come next.

    A loop without a condition (`while True`) has no exit, but counts as a branch.

    Args:
        successors: The lines that may follow each line.
        branch_lines: The lines that branch.
        constructs: The constructs of the function.
    """
    by_line: dict[int, dict[Branch, None]] = {}
    for construct in constructs:
        header_lines = [line for line in construct.header if line in successors]
        lines = [line for line in header_lines if line in branch_lines]
        if not lines and construct.kind in LOOPS:
            lines = header_lines[:1]
        for line in lines:
            targets = successors[line]
            inner_targets = frozenset(target for target in targets if target in construct.block)
            branch = Branch(construct.kind, inner_targets, targets - inner_targets)
            by_line.setdefault(line, {})[branch] = None
    return {
        line: tuple(sorted(by_line[line], key=lambda branch: branch.kind))
        for line in sorted(by_line)
    }
