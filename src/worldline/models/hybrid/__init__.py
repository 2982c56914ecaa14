"""Hybrid execution: the interpreter runs, and a model provides the values of some calls."""

from worldline.models.hybrid.answer_parser import ParsedAnswer, parse_answer
from worldline.models.hybrid.answer_prompt import build_session, instructions
from worldline.models.hybrid.assumed_names import FORBIDDEN, parse_assumed_names
from worldline.models.hybrid.hybrid_execution import (
    HybridExecution,
    HybridSettings,
    execute_hybrid,
    replay_execution,
)

__all__ = [
    "FORBIDDEN",
    "HybridExecution",
    "HybridSettings",
    "ParsedAnswer",
    "build_session",
    "execute_hybrid",
    "instructions",
    "parse_answer",
    "parse_assumed_names",
    "replay_execution",
]
