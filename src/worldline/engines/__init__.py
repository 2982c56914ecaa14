"""Engines take a prompt and return text, token ids and log-probabilities; they know no traces."""

from worldline.engines.engine import (
    ABILITIES,
    Abilities,
    Ability,
    Engine,
    Message,
    Prompt,
    Reply,
    Request,
    TokenScore,
    Usage,
    messages_of,
)
from worldline.engines.openai import OpenAIEngine
from worldline.engines.recorded import RecordedEngine
from worldline.engines.scripted import ScriptedEngine
from worldline.engines.server import Server

__all__ = [
    "ABILITIES",
    "Abilities",
    "Ability",
    "Engine",
    "Message",
    "OpenAIEngine",
    "Prompt",
    "RecordedEngine",
    "Reply",
    "Request",
    "ScriptedEngine",
    "Server",
    "TokenScore",
    "Usage",
    "messages_of",
]
