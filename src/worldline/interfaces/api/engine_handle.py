"""Engines by name: opened when they are used, and closed with their handle."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from worldline.models.engines import Engine, engine_factory
from worldline.models.engines import load_engine as open_engine
from worldline.models.local_models import LlamaCppServer
from worldline.models.prediction import DEFAULT_CONCURRENCY


@dataclass(slots=True)
class EngineHandle:
    """An engine by name, with its options; opened when it is first used.

    A model in this process is loaded once and stays loaded until `close`, or until the end of a
    `with` block. So does a server that is started for the engine (`llamacpp:MODEL`).
    """

    name: str
    options: dict[str, Any] = field(default_factory=dict)
    _engine: Engine | None = None
    _server: LlamaCppServer | None = None

    def __repr__(self) -> str:
        return f"EngineHandle({self.name!r})"

    def __enter__(self) -> "EngineHandle":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop_server()
        if self._engine is not None:
            asyncio.run(self.close())

    @property
    def model(self) -> str | None:
        """The model's name, if it was given."""
        model: str | None = self.options.get("model")
        return model

    @property
    def concurrency(self) -> int:
        """Default number of concurrent requests."""
        return engine_factory(self.name).concurrency or DEFAULT_CONCURRENCY

    def open(self) -> Engine:
        """Open the engine, or return the one that is loaded."""
        factory = engine_factory(self.name)
        if factory.start is not None:
            self._server = self._server or factory.start(self.name)
            return open_engine(self._server.address, **self.options)
        if factory.is_server:
            # A server's connections belong to one event loop, and every prediction has its own.
            return open_engine(self.name, **self.options)
        if self._engine is None:
            self._engine = open_engine(self.name, **self.options)
        return _KeptOpen(self._engine)

    async def close(self) -> None:
        """Unload the model, if one is loaded, and stop the server, if one was started."""
        self.stop_server()
        if self._engine is not None:
            engine, self._engine = self._engine, None
            await engine.close()

    def stop_server(self) -> None:
        """Stop the server, if one was started for this engine."""
        if self._server is not None:
            server, self._server = self._server, None
            server.stop()


class _KeptOpen:
    """An engine that stays open when one prediction is done."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    async def close(self) -> None:
        """Do nothing: the handle closes the engine."""


EngineLike = EngineHandle | str | Callable[[], Engine]


def load_engine(
    name: str,
    *,
    model: str | None = None,
    api_key: str | None = None,
    timeout: float = 600.0,
    retry_timeout: float = 120.0,
    reasoning_effort: str | None = None,
    extra_body: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
    api_key_env: str | None = None,
) -> EngineHandle:
    """Load an engine by name.

    Args:
        name: The address of an OpenAI-compatible server (`http://127.0.0.1:8000/v1`; several,
            separated by commas, share the work), `llamacpp:MODEL` for a catalogued model or a
            GGUF file, served as long as the handle is open, `transformers:FOLDER` for a model in
            this process, or `recorded:FILE` for recorded predictions.
        model: The model's name, if the server has several.
        api_key: The server's API key.
        timeout: Seconds that one request may take.
        retry_timeout: Seconds to keep retrying a request that fails.
        reasoning_effort: How much a reasoning model is to reason: `low`, `medium`, `high`, …
        extra_body: Fields that are added to every request for a completion.
        headers: HTTP headers that are added to every request.
        api_key_env: The environment variable that holds the API key; it is read when the engine is
            opened.

    Returns:
        A handle that `predict` and `evaluate` accept.

    Raises:
        EngineError: There is no such kind of engine.

    Examples:
        >>> load_engine("http://127.0.0.1:8000/v1")
        EngineHandle('http://127.0.0.1:8000/v1')
    """
    engine_factory(name)
    options = {
        "model": model,
        "api_key": api_key,
        "timeout": timeout,
        "retry_timeout": retry_timeout,
        "reasoning_effort": reasoning_effort,
        "extra_body": extra_body,
        "headers": headers,
        "api_key_env": api_key_env,
    }
    return EngineHandle(name, options)


def engine_opener(engine: EngineLike) -> Callable[[], Engine]:
    """Return a function that opens the engine."""
    if isinstance(engine, str):
        engine = load_engine(engine)
    return engine.open if isinstance(engine, EngineHandle) else engine


@contextmanager
def borrowed_engine(engine: EngineLike) -> Iterator[EngineHandle | Callable[[], Engine]]:
    """Load an engine that is given by its name, and stop its server, if it has one, at the end."""
    if not isinstance(engine, str):
        yield engine
        return
    handle = load_engine(engine)
    try:
        yield handle
    finally:
        handle.stop_server()


def engine_concurrency(engine: EngineLike) -> int:
    """Default number of concurrent requests of an engine."""
    return engine.concurrency if isinstance(engine, EngineHandle) else DEFAULT_CONCURRENCY
