"""Static control-flow graph of a program, and a simulator of the steps that may come next."""

from worldline.languages.control_flow.control_flow_graph import (
    LOOPS,
    Branch,
    BranchKind,
    ControlFlowGraph,
    FunctionGraph,
    FunctionKind,
)
from worldline.languages.control_flow.instruction_nodes import ProgramInstructions
from worldline.languages.control_flow.program_graphs import build_cfg, build_instructions
from worldline.languages.control_flow.simulator import CfgSimulator, NextStep

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
    "build_instructions",
]
