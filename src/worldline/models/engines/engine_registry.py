"""Engines by name: `http://127.0.0.1:8000/v1`, `llamacpp:MODEL`, `transformers:FOLDER`, …"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from worldline.core.errors import EngineError
from worldline.core.plugins import Registry
from worldline.models.engines.engine import Engine
from worldline.models.engines.openai_engine import OpenAIEngine
from worldline.models.engines.server_pool import ServerPool
from worldline.models.engines.transformers_engine import TransformersEngine
from worldline.models.local_models import LlamaCppServer, start_llamacpp_server
from worldline.models.local_models.llamacpp_server import DEFAULT_PARALLEL


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """Options of the access to a server; an engine in this process ignores them.

    Attributes:
        model: name of the model on the server.
        api_key: the server's key.
        timeout: seconds for one request.
        retry_timeout: seconds to retry a request after transient errors.
        reasoning_effort: how much a reasoning model is to reason: low, medium, high, …
        extra_body: fields of the body of every request for a completion, in addition.
        headers: headers of every request, in addition.
    """

    model: str | None = None
    api_key: str | None = None
    timeout: float = 600.0
    retry_timeout: float = 120.0
    reasoning_effort: str | None = None
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        # The key is secret, and so may be headers and bodies.
        return (
            f"EngineOptions(model={self.model!r}, timeout={self.timeout:g}, "
            f"retry_timeout={self.retry_timeout:g})"
        )


@dataclass(frozen=True, slots=True)
class EngineFactory:
    """Factory of the engines of one scheme, the part of a name before the colon.

    Attributes:
        open: opens the engine of a name.
        usage: how to write such a name, for error messages.
        concurrency: recommended number of concurrent requests; None for that of a server.
        is_server: whether the engine is a server, whose capabilities have to be tested.
        start: starts a local server for the engine; None if it needs none.
    """

    open: Callable[[str, EngineOptions], Engine]
    usage: str
    concurrency: int | None = None
    is_server: bool = False
    start: Callable[[str], LlamaCppServer] | None = None

    def __repr__(self) -> str:
        return f"EngineFactory({self.usage!r}, is_server={self.is_server})"


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
) -> Engine:
    """Open an engine by its name.

    Args:
        name: an address, or several separated by commas; or `llamacpp:MODEL`,
            `transformers:FOLDER`, `recorded:FILE` or a scheme of an installed package.
        model: name of the model on a server.
        api_key: the server's key.
        timeout: seconds for one request.
        retry_timeout: seconds to retry a request after transient errors.
        reasoning_effort: how much a reasoning model is to reason: low, medium, high, …
        extra_body: fields of the body of every request for a completion, in addition.
        headers: headers of every request, in addition.
        api_key_env: name of the environment variable that holds the server's key.

    Raises:
        EngineError: there is no such engine, or it cannot be opened.
    """
    options = EngineOptions(
        model,
        read_api_key(api_key_env) if api_key_env else api_key,
        timeout,
        retry_timeout,
        reasoning_effort,
        extra_body or {},
        headers or {},
    )
    return engine_factory(name).open(name, options)


def read_api_key(variable: str) -> str:
    """The key in an environment variable.

    Raises:
        EngineError: the variable is not set.
    """
    key = os.environ.get(variable)
    if not key:
        raise EngineError(
            f"the environment variable {variable} is not set; it must hold the server's API key"
        )
    return key


def engine_factory(name: str) -> EngineFactory:
    """The factory for the engine of that name.

    Raises:
        EngineError: there is no such engine.
    """
    scheme, colon, _ = name.partition(":")
    if not colon or scheme not in ENGINES:
        *usages, last = dict.fromkeys(factory.usage for factory in ENGINES.values())
        raise EngineError(f"no engine {name!r}; give {', '.join(usages)} or {last}")
    return ENGINES[scheme]


def _open_server(name: str, options: EngineOptions) -> Engine:
    server = ServerPool(
        name,
        model=options.model,
        api_key=options.api_key,
        timeout=options.timeout,
        retry_timeout=options.retry_timeout,
        headers=options.headers,
    )
    return OpenAIEngine(
        server, extra_body=options.extra_body, reasoning_effort=options.reasoning_effort
    )


def _start_llamacpp(name: str) -> LlamaCppServer:
    return start_llamacpp_server(name.partition(":")[2])


def _open_llamacpp(name: str, options: EngineOptions) -> Engine:
    server = _start_llamacpp(name)
    try:
        return _WithOwnServer(_open_server(server.address, options), server)
    except BaseException:
        server.stop()
        raise


class _WithOwnServer:
    """An engine whose server ends when the engine is closed."""

    def __init__(self, engine: Engine, server: LlamaCppServer) -> None:
        self._engine = engine
        self._server = server

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    async def close(self) -> None:
        """Close the connections and end the server."""
        await self._engine.close()
        self._server.stop()


def _open_transformers(name: str, options: EngineOptions) -> Engine:
    return TransformersEngine(name.partition(":")[2])


_SERVER = EngineFactory(
    _open_server, "the address of a server (http://127.0.0.1:8000/v1)", is_server=True
)
ENGINES: Registry[EngineFactory] = Registry(
    "worldline.engines",
    {
        "http": _SERVER,
        "https": _SERVER,
        "llamacpp": EngineFactory(
            _open_llamacpp,
            "llamacpp:MODEL",
            concurrency=DEFAULT_PARALLEL,
            is_server=True,
            start=_start_llamacpp,
        ),
        # There is one key-value cache: a second program would evict the first one's prefix.
        "transformers": EngineFactory(_open_transformers, "transformers:FOLDER", concurrency=1),
    },
    error=EngineError,
)
