"""The connection to an OpenAI-compatible server: JSON goes in and comes back, however it takes."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import SplitResult, urlsplit

from worldline.engines.patience import PassingError, Patience
from worldline.errors import EngineError

Result = TypeVar("Result")
Read = Callable[[dict[str, Any]], Result]

# At first contact an answer comes soon or the address is wrong.
_FIRST_CONTACT = 5.0
_LISTING = 20.0
# vLLM closes a connection that was idle for 5 seconds; one that is used at that very moment fails.
_IDLE = 2.0
# Refused for now, not for good.
_PASSING = frozenset({408, 409, 425, 429})


class Server:
    """One model behind an address such as `http://127.0.0.1:8000/v1`.

    A request that fails in a way that may pass is repeated with growing pauses for `patience`
    seconds; `timeout` is for one request, which may be a long generation.
    """

    def __init__(
        self,
        url: str,
        *,
        model: str | None = None,
        api_key: str | None = None,
        timeout: float = 600.0,
        patience: float = 120.0,
    ) -> None:
        try:
            import httpx2
            import openai
        except ImportError:
            raise EngineError(
                "asking a server needs the openai client: pip install 'worldline[openai]'"
            ) from None
        parts = _address(url)
        if parts is None:
            raise EngineError(
                f"{url!r} is not the address of a server; give one like http://127.0.0.1:8000/v1"
            )
        # People give the address with and without /v1.
        path = parts.path.rstrip("/").removesuffix("/completions").removesuffix("/chat")
        self.url = f"{parts.scheme}://{parts.netloc}{path or '/v1'}"
        self._root = self.url.removesuffix("/v1")
        self._model = model
        self._timeout = timeout
        self.patience = Patience(patience)
        self._openai = openai
        self._client = openai.AsyncOpenAI(
            base_url=self.url,
            api_key=api_key or "none",
            timeout=timeout,
            max_retries=0,
            http_client=openai.DefaultAioHttpClient(
                timeout=timeout,
                limits=httpx2.Limits(
                    max_connections=1000,
                    max_keepalive_connections=100,
                    keepalive_expiry=_IDLE,
                ),
            ),
        )

    @property
    def is_met(self) -> bool:
        """Whether it is known which model is asked."""
        return self._model is not None

    @property
    def model(self) -> str:
        """The model, as the server names it; the address, before it was asked."""
        return self._model or self.url

    async def find_model(self) -> int | None:
        """Settle which model is asked, and how many tokens it can hold, where the server says."""
        try:
            listed = await self.ask_impatiently("get", "/models")
        except EngineError as error:
            cause = error.__cause__
            if not isinstance(cause, PassingError) or not cause.is_absence:
                raise
            hint = "is a server running there? `vllm serve MODEL` starts one"
            raise EngineError(f"{cause}; {hint}") from error
        rows = [row for row in listed.get("data") or [] if isinstance(row, dict)]
        names = [str(row.get("id")) for row in rows]
        if self._model is None:
            if len(names) != 1:
                raise EngineError(
                    f"{self.url} serves {', '.join(names) or 'no model'}; name one with --model"
                )
            self._model = names[0]
        elif names and self._model not in names:
            raise EngineError(f"{self.url} has no model {self._model!r}; it has {', '.join(names)}")
        row = next((row for row in rows if row.get("id") == self._model), {})
        meta = row.get("meta")
        length = row.get("max_model_len") or (meta if isinstance(meta, dict) else {}).get(
            "n_ctx_train"
        )
        return length if isinstance(length, int) else None

    async def tokenize(self, text: str, *, has_specials: bool = False) -> tuple[int, ...]:
        """The token ids of a text, as the server's own tokenizer has them."""
        if not has_specials and "<|" in text:
            # The server would take what looks like a special token for one; two halves do not.
            first, _, rest = text.partition("<|")
            return await self.tokenize(first + "<") + await self.tokenize("|" + rest)
        if not text:
            return ()
        # Both dialects at once: vLLM's field names, and llama.cpp's.
        body = {
            "model": self._model,
            "prompt": text,
            "add_special_tokens": False,
            "content": text,
            "add_special": False,
            "parse_special": has_specials,
        }
        reply, _ = await self.ask(f"{self._root}/tokenize", body, dict)
        ids = reply.get("tokens")
        if not isinstance(ids, list) or not all(isinstance(n, int) for n in ids):
            raise EngineError(f"{self._root}/tokenize returned no token ids")
        return tuple(ids)

    async def spell(self, ids: Sequence[int]) -> str:
        """The text of token ids, special ones included."""
        if not ids:
            return ""
        body = {"model": self._model, "tokens": list(ids)}
        reply, _ = await self.ask(f"{self._root}/detokenize", body, dict)
        text = reply.get("prompt", reply.get("content"))
        if not isinstance(text, str):
            raise EngineError(f"{self._root}/detokenize returned no text")
        return text

    async def ask(self, path: str, body: dict[str, Any], read: Read[Result]) -> tuple[Result, int]:
        """One request, repeated while it, or reading its reply, fails in a way that may pass;
        also says how often it failed."""

        async def attempt() -> Result:
            found = await self._once("post", path, body)
            try:
                return read(found)
            except (AttributeError, LookupError, TypeError, ValueError) as error:
                raise PassingError(f"{self.url} returned a broken reply: {error!r}") from error

        return await self.patience.ask(attempt)

    async def ask_impatiently(
        self, verb: str, path: str, body: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """One request at first contact, when a failure is more likely to stay: it is repeated for
        some seconds only."""
        patience = Patience(min(self.patience.seconds, _FIRST_CONTACT))
        # The list of models is there at once; a completion may have to wait for others.
        limit = self._timeout if body else min(self._timeout, _LISTING)
        return (await patience.ask(lambda: self._once(verb, path, body, limit=limit)))[0]

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _once(
        self, verb: str, path: str, body: dict[str, Any] | None, *, limit: float | None = None
    ) -> dict[str, Any]:
        """One attempt; a failure that may pass is told from one that will not."""
        import httpx2

        openai = self._openai
        limit = limit or self._timeout
        try:
            # The client's time-out is for silence between bytes; a server can drip.
            async with asyncio.timeout(limit):
                if verb == "get":
                    response = await self._client.get(path, cast_to=httpx2.Response)
                else:
                    response = await self._client.post(path, body=body, cast_to=httpx2.Response)
                found = json.loads(response.content)
        except (TimeoutError, openai.APITimeoutError) as error:
            # The client calls a connection that was refused a time-out, too.
            reason = str(error.__cause__ or "")
            if reason.startswith("Cannot connect"):
                reason = f"{self.url} cannot be reached: {reason}"
            else:
                reason = f"{self.url} did not answer (limit {limit:g} s)"
            raise PassingError(reason, is_absence=True) from None
        except openai.APIStatusError as error:
            raise _refused(self.url, error) from error
        except (openai.APIConnectionError, httpx2.HTTPError) as error:
            cause = error.__cause__ or error
            reason = f"{self.url} cannot be reached: {cause or 'no answer'}"
            raise PassingError(reason, is_absence=True) from error
        except ValueError as error:
            raise PassingError(f"{self.url} returned a broken reply: {error}") from error
        if not isinstance(found, dict):
            raise PassingError(f"{self.url} returned {type(found).__name__}, not an object")
        return found


def _address(url: str) -> SplitResult | None:
    """The parts of an address; none where it is not one of a server."""
    try:
        parts = urlsplit(url)
        # Read for its check alone.
        _ = parts.port
    except ValueError:
        return None
    return parts if parts.scheme in ("http", "https") and parts.netloc else None


def _refused(url: str, error: Any) -> Exception:
    """What an HTTP status means: wait and ask again, or not."""
    status: int = error.status_code
    what = f"{url} answered {status}: {_reason(error)}"
    if status in _PASSING or status >= 500:
        after = error.response.headers.get("retry-after", "")
        wait = float(after) if after.isdigit() else None
        return PassingError(what, wait=wait, is_absence=status in (429, 503))
    if status in (401, 403):
        return EngineError(f"{what}; give a key with --api-key or OPENAI_API_KEY")
    return EngineError(what)


def _reason(error: Any) -> str:
    """The server's own words, in whichever dialect."""
    body = error.body
    if isinstance(body, Mapping):
        body = body.get("error", body)
    if isinstance(body, Mapping):
        body = body.get("message") or body.get("detail") or body
    return str(body)[:300]
