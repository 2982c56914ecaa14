"""Engines take a prompt and return text, token ids and log-probabilities; they know no traces."""

from worldline.engines.engine import (
    ABILITIES,
    NO_USAGE,
    Abilities,
    Ability,
    Engine,
    Message,
    Prompt,
    Reply,
    Request,
    Scores,
    TokenScore,
    Usage,
    messages_of,
)
from worldline.engines.measure import Throughput, measure, suggested
from worldline.engines.openai import OpenAIEngine
from worldline.engines.recorded import RecordedEngine
from worldline.engines.scripted import ScriptedEngine
from worldline.engines.server import Server, addresses
from worldline.engines.transformers import TransformersEngine

__all__ = [
    "ABILITIES",
    "NO_USAGE",
    "Abilities",
    "Ability",
    "Engine",
    "Message",
    "OpenAIEngine",
    "Prompt",
    "RecordedEngine",
    "Reply",
    "Request",
    "Scores",
    "ScriptedEngine",
    "Server",
    "Throughput",
    "TokenScore",
    "TransformersEngine",
    "Usage",
    "addresses",
    "measure",
    "messages_of",
    "suggested",
]
