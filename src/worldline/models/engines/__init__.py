"""Engines: access to models on servers, in this process, or in recorded files."""

from worldline.models.engines.engine import (
    CAPABILITIES,
    NO_USAGE,
    Capabilities,
    Capability,
    Engine,
    Message,
    Prompt,
    Reply,
    Request,
    Scores,
    TokenScore,
    Usage,
    as_messages,
)
from worldline.models.engines.engine_registry import (
    ENGINES,
    EngineFactory,
    EngineOptions,
    engine_factory,
    load_engine,
)
from worldline.models.engines.openai_engine import OpenAIEngine
from worldline.models.engines.recorded_engine import RecordedEngine
from worldline.models.engines.scripted_engine import ScriptedEngine
from worldline.models.engines.server_pool import ServerPool, split_addresses
from worldline.models.engines.throughput import Throughput, measure_throughput, suggest_concurrency
from worldline.models.engines.transformers_engine import TransformersEngine

__all__ = [
    "CAPABILITIES",
    "ENGINES",
    "NO_USAGE",
    "Capabilities",
    "Capability",
    "Engine",
    "EngineFactory",
    "EngineOptions",
    "Message",
    "OpenAIEngine",
    "Prompt",
    "RecordedEngine",
    "Reply",
    "Request",
    "Scores",
    "ScriptedEngine",
    "ServerPool",
    "Throughput",
    "TokenScore",
    "TransformersEngine",
    "Usage",
    "as_messages",
    "engine_factory",
    "load_engine",
    "measure_throughput",
    "split_addresses",
    "suggest_concurrency",
]
