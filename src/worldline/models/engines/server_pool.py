"""Pool of OpenAI-compatible servers with one model: load balancing and retries."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

from worldline.core.errors import EngineError
from worldline.models.engines.retry import RetryPolicy, TransientError
from worldline.models.engines.server_connection import ServerConnection
from worldline.models.special_token_syntax import may_contain_special_token, split_lookalike

Result = TypeVar("Result")
# Parses the JSON of a reply.
ReplyParser = Callable[[dict[str, Any]], Result]

# Seconds to retry at first contact, when a failure probably means a wrong address.
_FIRST_CONTACT_TIMEOUT = 5.0
# Seconds that a request at first contact waits for rate limits.
_FIRST_CONTACT_RATE_LIMIT = 60.0
# Seconds for the list of models.
_LIST_TIMEOUT = 20.0
# Length of the prefix of a prompt that identifies it, in characters or token ids.
_PREFIX_LENGTH = 1000
# Number of prefixes to remember.
_MAX_PREFIXES = 100_000
# The server that has a prefix in its cache may be busier than the least busy one by this many
# requests.
_MAX_EXTRA_REQUESTS = 4


class ServerPool:
    """One model on a server, or on several whose addresses are separated by commas.

    A request goes to the server whose prefix cache has the beginning of its prompt, or else to the
    least busy one. An unreachable server is skipped for a while.

    Args:
        url: an address such as `http://127.0.0.1:8000/v1`, or several.
        model: name of the model; without one, the only model of the server.
        api_key: the server's key.
        timeout: seconds for one request, which may be a long generation.
        retry_timeout: seconds to retry a request after transient errors.
        headers: headers of every request, in addition.
    """

    def __init__(
        self,
        url: str,
        *,
        model: str | None = None,
        api_key: str | None = None,
        timeout: float = 600.0,
        retry_timeout: float = 120.0,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self._connections = [
            ServerConnection(each, api_key=api_key, timeout=timeout, headers=headers)
            for each in split_addresses(url)
        ]
        self.url = ",".join(connection.url for connection in self._connections)
        # The server that has seen a prefix, by the hash of the prefix.
        self._server_by_prefix: dict[int, ServerConnection] = {}
        self._model = model
        self._timeout = timeout
        self._retry_policy = RetryPolicy(retry_timeout)

    @property
    def is_model_known(self) -> bool:
        """Whether the name of the model is known."""
        return self._model is not None

    @property
    def model(self) -> str:
        """Name of the model on the server; the address, as long as it is not known."""
        return self._model or self.url

    async def find_model(self) -> int | None:
        """Find the model on all reachable servers.

        Returns:
            Its context length in tokens, if a server reports it.

        Raises:
            EngineError: no server is reachable, or one does not have the model.
        """
        lengths: list[int] = []
        unreachable: EngineError | None = None
        is_any_reachable = False
        for connection in self._connections:
            try:
                length = await self._find_model_on(connection)
            except EngineError as error:
                cause = error.__cause__
                if not isinstance(cause, TransientError) or not cause.is_unreachable:
                    raise
                unreachable = unreachable or error
                continue
            is_any_reachable = True
            lengths += [] if length is None else [length]
        if not is_any_reachable and unreachable is not None:
            hint = "is a server running there? `vllm serve MODEL` starts one"
            raise EngineError(f"{unreachable.__cause__}; {hint}") from unreachable
        return min(lengths, default=None)

    async def _find_model_on(self, connection: ServerConnection) -> int | None:
        url = connection.url
        timeout = min(self._timeout, _LIST_TIMEOUT)
        reply = await self._retry_briefly(
            lambda: connection.request("get", "/models", None, timeout=timeout)
        )
        rows = [row for row in reply.get("data") or [] if isinstance(row, dict)]
        names = [str(row.get("id")) for row in rows]
        if self._model is None:
            if len(names) != 1:
                raise EngineError(
                    f"{url} serves {', '.join(names) or 'no model'}; name one with --model"
                )
            self._model = names[0]
        elif names and self._model not in names:
            raise EngineError(f"{url} has no model {self._model!r}; it has {', '.join(names)}")
        row = next((row for row in rows if row.get("id") == self._model), {})
        meta = row["meta"] if isinstance(row.get("meta"), dict) else {}
        # llama.cpp has a context per slot, and that of the model's training.
        length = row.get("max_model_len") or meta.get("n_ctx") or meta.get("n_ctx_train")
        return length if isinstance(length, int) else None

    async def get_properties(self) -> list[dict[str, Any]]:
        """The reply of each reachable server to `/props`; empty for one that does not know it."""
        timeout = min(self._timeout, _LIST_TIMEOUT)
        properties: list[dict[str, Any]] = []
        for connection in self._connections:
            try:
                properties.append(await connection.request("get", "/props", None, timeout=timeout))
            except EngineError:
                properties.append({})
            except TransientError as error:
                properties += [] if error.is_unreachable else [{}]
        return properties

    async def tokenize(self, text: str, *, parse_special_tokens: bool = False) -> tuple[int, ...]:
        """Token ids of a text, from the server's tokenizer."""
        if not parse_special_tokens and may_contain_special_token(text):
            # The server would parse a lookalike as a special token, but not its two halves.
            first, rest = split_lookalike(text)
            return await self.tokenize(first) + await self.tokenize(rest)
        if not text:
            return ()
        # The field names of vLLM and those of llama.cpp.
        body = {
            "model": self._model,
            "prompt": text,
            "add_special_tokens": False,
            "content": text,
            "add_special": False,
            "parse_special": parse_special_tokens,
        }
        reply, _ = await self.post("/tokenize", body, dict)
        ids = reply.get("tokens")
        if not isinstance(ids, list) or not all(isinstance(n, int) for n in ids):
            raise EngineError(f"{self.url} returned no token ids")
        return tuple(ids)

    async def detokenize(self, ids: Sequence[int]) -> str:
        """Text of token ids, special tokens included."""
        if not ids:
            return ""
        body = {"model": self._model, "tokens": list(ids)}
        reply, _ = await self.post("/detokenize", body, dict)
        text = reply.get("prompt", reply.get("content"))
        if not isinstance(text, str):
            raise EngineError(f"{self.url} returned no text")
        return text

    async def post(
        self, path: str, body: dict[str, Any], read: ReplyParser[Result], *, briefly: bool = False
    ) -> tuple[Result, int]:
        """Send a request, with retries, and parse its reply.

        Args:
            path: path of the endpoint.
            body: JSON of the request.
            read: parses the JSON of the reply.
            briefly: retry for a few seconds only, at first contact, and not for a reply that
                cannot be parsed.

        Returns:
            The parsed reply, and the number of failed attempts.
        """
        failed: list[ServerConnection] = []
        if briefly:
            return read(
                await self._retry_briefly(lambda: self._try_each(path, body, dict, failed))
            ), len(failed)
        result, _ = await self._retry_policy.run(lambda: self._try_each(path, body, read, failed))
        return result, len(failed)

    async def _try_each(
        self,
        path: str,
        body: dict[str, Any],
        read: ReplyParser[Result],
        failed: list[ServerConnection],
    ) -> Result:
        """Try each available server once, until one succeeds; add those that fail to `failed`."""
        untried = list(self._connections)
        while True:
            connection = self._choose(body, untried)
            untried.remove(connection)
            try:
                return _parse(connection, await connection.request("post", path, body), read)
            except TransientError:
                failed.append(connection)
                self._server_by_prefix.pop(_prefix_hash(body), None)
                if all(each.is_unavailable for each in untried):
                    raise

    async def _retry_briefly(
        self, attempt: Callable[[], Awaitable[dict[str, Any]]]
    ) -> dict[str, Any]:
        seconds = min(self._retry_policy.seconds, _FIRST_CONTACT_TIMEOUT)
        policy = RetryPolicy(seconds, rate_limit_seconds=_FIRST_CONTACT_RATE_LIMIT)
        result, _ = await policy.run(attempt)
        return result

    def _choose(
        self, body: dict[str, Any], candidates: Sequence[ServerConnection]
    ) -> ServerConnection:
        """Choose the server for a request.

        The one that has seen the prefix of the prompt, unless it is too busy; else the least busy
        one. If all are unavailable, the one whose skip ends first.
        """
        if len(candidates) == 1:
            return candidates[0]
        available = [each for each in candidates if not each.is_unavailable]
        if not available:
            return min(candidates, key=lambda each: each.skip_until)
        least_busy = min(available, key=lambda each: each.concurrency)
        prefix = _prefix_hash(body)
        chosen = self._server_by_prefix.get(prefix, least_busy)
        is_too_busy = chosen.concurrency > least_busy.concurrency + _MAX_EXTRA_REQUESTS
        if chosen not in available or is_too_busy:
            chosen = least_busy
        if len(self._server_by_prefix) >= _MAX_PREFIXES:
            self._server_by_prefix.clear()
        self._server_by_prefix[prefix] = chosen
        return chosen

    async def close(self) -> None:
        """Close the connections."""
        for connection in self._connections:
            await connection.close()


def _parse(
    connection: ServerConnection, reply: dict[str, Any], read: ReplyParser[Result]
) -> Result:
    try:
        return read(reply)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise TransientError(f"{connection.url} returned a broken reply: {error!r}") from error


def _prefix_hash(body: dict[str, Any]) -> int:
    """Hash of the prefix of a prompt."""
    return hash(str((body.get("prompt") or body.get("messages") or "")[:_PREFIX_LENGTH]))


def split_addresses(url: str) -> list[str]:
    """Split a list of addresses.

    "http://a:8000/v1,http://b:8000/v1" -> "http://a:8000/v1", "http://b:8000/v1"
    """
    return [each.strip() for each in re.split(r",\s*(?=https?://)", url)]
