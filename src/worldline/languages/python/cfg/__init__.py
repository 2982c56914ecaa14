"""Static control-flow graph of a program, and a simulator of the steps that may come next."""

from worldline.languages.python.cfg.builder import build_cfg
from worldline.languages.python.cfg.control_flow_graph import (
    LOOPS,
    Branch,
    BranchKind,
    ControlFlowGraph,
    FunctionGraph,
    FunctionKind,
)
from worldline.languages.python.cfg.instruction_graph import (
    ProgramInstructions,
    build_instruction_graph,
)
from worldline.languages.python.cfg.simulator import CfgSimulator, NextStep

__all__ = [
    "LOOPS",
    "Branch",
    "BranchKind",
    "CfgSimulator",
    "ControlFlowGraph",
    "FunctionGraph",
    "FunctionKind",
    "NextStep",
    "ProgramInstructions",
    "build_cfg",
    "build_instruction_graph",
]
