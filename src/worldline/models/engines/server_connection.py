"""HTTP connection to one OpenAI-compatible server: single attempts, without retries."""

import asyncio
import json
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import SplitResult, urlsplit

from worldline.core.errors import EngineError
from worldline.core.util.optional_imports import optional_import
from worldline.models.engines.rate_limits import parse_wait
from worldline.models.engines.retry import TransientError

# Seconds to keep an idle connection. vLLM closes it after 5 s, and a request at that moment fails.
_KEEPALIVE = 2.0
# HTTP statuses, in addition to 5xx, after which a retry may succeed.
_TRANSIENT_STATUSES = frozenset({408, 409, 425, 429})
# HTTP statuses of a server that does not accept a field of a request.
_REFUSED_STATUSES = frozenset({400, 422})
# Endpoints that are not below /v1.
_ROOT_ENDPOINTS = frozenset(
    {"/tokenize", "/detokenize", "/props", "/completion", "/apply-template"}
)
# Longest time for which an unreachable server is skipped, in seconds. It doubles each time.
_MAX_SKIP = 60.0
# Seconds to connect, however long a request may take.
_CONNECT_TIMEOUT = 10.0
# HTTP statuses of a server that is too busy, or of a proxy that cannot reach it.
_UNREACHABLE_STATUSES = frozenset({429, 502, 503, 504})


class RequestRefused(EngineError):  # noqa: N818
    """The server does not accept a request, or a field of it.

    Attributes:
        reason: the server's message.
        field: the field that the server names, if it does; "" otherwise.
    """

    def __init__(self, message: str, *, reason: str, field: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.field = field


class ServerConnection:
    """Connection to an address such as `http://127.0.0.1:8000/v1`.

    Attributes:
        url: the address.
        concurrency: number of requests that the server is processing.
        skip_until: time until which the server is skipped because it was unreachable.
    """

    def __init__(
        self,
        url: str,
        *,
        api_key: str | None,
        timeout: float,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        purpose = "asking a server needs the openai client"
        with optional_import(purpose, extra="openai", error=EngineError):
            import openai
        parts = _split_address(url)
        if parts is None:
            raise EngineError(
                f"{url!r} is not the address of a server; give one like http://127.0.0.1:8000/v1"
            )
        # People give the address with and without /v1.
        path = parts.path.rstrip("/").removesuffix("/completions").removesuffix("/chat")
        self.url = f"{parts.scheme}://{parts.netloc}{path or '/v1'}"
        self.concurrency = 0
        self.skip_until = 0.0
        self._outages = 0
        self._timeout = timeout
        self._openai = openai
        self._http = http_library(openai)
        self._secrets = tuple(filter(None, (api_key, parts.password, *(headers or {}).values())))
        # A machine without a network does not even refuse a connection.
        http_timeout = self._http.Timeout(timeout, connect=min(timeout, _CONNECT_TIMEOUT))
        self._client = openai.AsyncOpenAI(
            base_url=self.url,
            api_key=api_key or "none",
            timeout=http_timeout,
            max_retries=0,
            default_headers=dict(headers or {}),
            http_client=openai.DefaultAioHttpClient(
                timeout=http_timeout,
                limits=self._http.Limits(
                    max_connections=1000,
                    max_keepalive_connections=100,
                    keepalive_expiry=_KEEPALIVE,
                ),
            ),
        )

    @property
    def is_unavailable(self) -> bool:
        """Whether the server was unreachable a moment ago.

        After an outage one request tests the server before others are sent.
        """
        return self._is_skipped or (self._outages > 0 and self.concurrency > 0)

    @property
    def _is_skipped(self) -> bool:
        return time.monotonic() < self.skip_until

    async def request(
        self, verb: str, path: str, body: dict[str, Any] | None, *, timeout: float | None = None
    ) -> dict[str, Any]:
        """Send one request and return the JSON of its reply.

        Raises:
            TransientError: a retry may succeed. An unreachable server is skipped for a while.
            EngineError: a retry cannot succeed.
        """
        self.concurrency += 1
        try:
            reply = await self._send(verb, path, body, timeout=timeout)
        except TransientError as error:
            # All concurrent requests fail in the same outage, which counts once.
            if error.is_unreachable and not self._is_skipped:
                self._outages += 1
                skip = max(2.0 ** min(self._outages, 10), error.retry_after or 0.0)
                self.skip_until = time.monotonic() + min(_MAX_SKIP, skip)
            raise
        else:
            self._outages, self.skip_until = 0, 0.0
            return reply
        finally:
            self.concurrency -= 1

    async def close(self) -> None:
        """Close the connection."""
        await self._client.close()

    async def _send(
        self, verb: str, path: str, body: dict[str, Any] | None, *, timeout: float | None = None
    ) -> dict[str, Any]:
        openai, http = self._openai, self._http
        if path in _ROOT_ENDPOINTS:
            path = self.url.removesuffix("/v1") + path
        timeout = timeout or self._timeout
        try:
            # The client's time-out limits the silence between two bytes, not the whole request.
            async with asyncio.timeout(timeout):
                if verb == "get":
                    response = await self._client.get(path, cast_to=http.Response)
                else:
                    response = await self._client.post(path, body=body, cast_to=http.Response)
                reply = json.loads(response.content)
        except (TimeoutError, openai.APITimeoutError) as error:
            # The client reports a refused connection as a time-out, too.
            reason = str(error.__cause__ or "")
            if reason.startswith(("Cannot connect", "Connection timeout")):
                reason = f"{self.url} cannot be reached: {reason}"
            else:
                reason = f"{self.url} did not answer (limit {timeout:g} s)"
            raise TransientError(reason, is_unreachable=True) from None
        except openai.APIStatusError as error:
            raise _status_error(self.url, error, self._secrets) from None
        except (openai.APIConnectionError, http.HTTPError) as error:
            cause = error.__cause__ or error
            reason = f"{self.url} cannot be reached: {cause or 'no answer'}"
            raise TransientError(reason, is_unreachable=True) from error
        except ValueError as error:
            raise TransientError(f"{self.url} returned a broken reply: {error}") from error
        if not isinstance(reply, dict):
            raise TransientError(f"{self.url} returned {type(reply).__name__}, not an object")
        return reply


def http_library(openai: Any) -> Any:
    """The HTTP library that this version of openai is based on: httpx, or httpx2 in newer ones."""
    client = openai.DefaultAsyncHttpxClient.__mro__[1]
    return sys.modules[client.__module__.partition(".")[0]]


def _split_address(url: str) -> SplitResult | None:
    """The components of a server's address; None if it is not one."""
    try:
        parts = urlsplit(url)
        # Raises ValueError if the port is not a number.
        _ = parts.port
    except ValueError:
        return None
    return parts if parts.scheme in ("http", "https") and parts.netloc else None


def _status_error(url: str, error: Any, secrets: Sequence[str]) -> Exception:
    """The error for an HTTP status: transient, or permanent."""
    status: int = error.status_code
    details = _error_details(error.body)
    reason = _server_message(details)
    for secret in secrets:
        # Some servers repeat what they refuse.
        reason = reason.replace(secret, "…")
    message = f"{url} answered {status}: {reason}"
    if isinstance(details, Mapping) and details.get("code") == "insufficient_quota":
        return EngineError(message)
    if status in _TRANSIENT_STATUSES or status >= 500:
        return TransientError(
            message,
            retry_after=parse_wait({k.lower(): v for k, v in error.response.headers.items()}),
            is_unreachable=status in _UNREACHABLE_STATUSES,
            is_rate_limit=status == 429,
        )
    if status in (401, 403):
        return EngineError(f"{message}; give a key with --api-key or OPENAI_API_KEY")
    if status in _REFUSED_STATUSES:
        return RequestRefused(message, reason=reason, field=_named_field(details))
    return EngineError(message)


def _error_details(body: object) -> object:
    """The part of an error's body that says what is wrong, in any of the usual formats."""
    return body.get("error", body) if isinstance(body, Mapping) else body


def _server_message(details: object) -> str:
    """The server's own error message."""
    if isinstance(details, Mapping):
        details = details.get("message") or details.get("detail") or details
    return str(details)[:300]


def _named_field(details: object) -> str:
    """The field that an error is about, as OpenAI (`param`) and FastAPI (`loc`) name it."""
    if not isinstance(details, Mapping):
        return ""
    problems = details.get("detail")
    if isinstance(problems, list) and problems and isinstance(problems[0], Mapping):
        return str((problems[0].get("loc") or [""])[-1])
    field = details.get("param")
    return field if isinstance(field, str) else ""
