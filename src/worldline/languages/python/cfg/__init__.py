"""Control-flow graph of Python programs, from their bytecode."""

from worldline.languages.python.cfg.builder import build_cfg
from worldline.languages.python.cfg.instruction_graph import build_instruction_graph

__all__ = ["build_cfg", "build_instruction_graph"]
