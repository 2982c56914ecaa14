"""The static control flow of a program: which line or step may come next, without running it."""

from worldline.flow.build import flow_graph
from worldline.flow.graph import (
    LOOPS,
    Branch,
    BranchKind,
    FlowGraph,
    FunctionFlow,
    FunctionKind,
)
from worldline.flow.walk import Option, Walk

__all__ = [
    "LOOPS",
    "Branch",
    "BranchKind",
    "FlowGraph",
    "FunctionFlow",
    "FunctionKind",
    "Option",
    "Walk",
    "flow_graph",
]
