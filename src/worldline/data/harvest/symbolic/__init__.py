"""Inputs by symbolic execution: CrossHair solves the conditions of a function's branches."""

from worldline.data.harvest.symbolic.symbolic_inputs import SymbolicExecutor

__all__ = ["SymbolicExecutor"]
