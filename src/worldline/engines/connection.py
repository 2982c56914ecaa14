"""One address of an OpenAI-compatible server: one attempt goes in, JSON or a failure comes back."""

import asyncio
import json
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import SplitResult, urlsplit

from worldline.engines.patience import PassingError
from worldline.errors import EngineError

# vLLM closes a connection that was idle for 5 seconds; one that is used at that very moment fails.
_IDLE = 2.0
# Refused for now, not for good.
_PASSING = frozenset({408, 409, 425, 429})
# What servers have beside the API, not in it.
_BESIDE = frozenset({"/tokenize", "/detokenize"})
# Seconds for which one that cannot be reached is left out: twice as long each time, up to this.
_LONGEST_ABSENCE = 60.0
# Seconds for a connection to be made, however long an answer may take.
_CONNECTING = 10.0
# No one is there who could answer: too busy, or something in between that reaches nobody.
_ABSENT = frozenset({429, 502, 503, 504})


class Connection:
    """An address such as `http://127.0.0.1:8000/v1`, how many requests it is dealing with, and
    until when it is taken for absent."""

    def __init__(self, url: str, *, api_key: str | None, timeout: float) -> None:
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
        self.in_flight = 0
        self.absent_until = 0.0
        self._absences = 0
        self._timeout = timeout
        self._openai = openai
        # A machine that is cut off does not even refuse.
        patience = httpx2.Timeout(timeout, connect=min(timeout, _CONNECTING))
        self._client = openai.AsyncOpenAI(
            base_url=self.url,
            api_key=api_key or "none",
            timeout=patience,
            max_retries=0,
            http_client=openai.DefaultAioHttpClient(
                timeout=patience,
                limits=httpx2.Limits(
                    max_connections=1000,
                    max_keepalive_connections=100,
                    keepalive_expiry=_IDLE,
                ),
            ),
        )

    @property
    def is_absent(self) -> bool:
        """Whether it could not be reached a moment ago; then one request tries, before others."""
        return self._is_left_out or (self._absences > 0 and self.in_flight > 0)

    @property
    def _is_left_out(self) -> bool:
        return time.monotonic() < self.absent_until

    async def ask(
        self, verb: str, path: str, body: dict[str, Any] | None, *, limit: float | None = None
    ) -> dict[str, Any]:
        """One attempt; whether it was there at all is remembered."""
        self.in_flight += 1
        try:
            found = await self._once(verb, path, body, limit=limit)
        except PassingError as error:
            # Those that were in flight at the same time all fail, which is one absence.
            if error.is_absence and not self._is_left_out:
                self._absences += 1
                pause = max(2.0 ** min(self._absences, 10), error.wait or 0.0)
                pause = min(_LONGEST_ABSENCE, pause)
                self.absent_until = time.monotonic() + pause
            raise
        else:
            self._absences, self.absent_until = 0, 0.0
            return found
        finally:
            self.in_flight -= 1

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _once(
        self, verb: str, path: str, body: dict[str, Any] | None, *, limit: float | None = None
    ) -> dict[str, Any]:
        """One attempt; a failure that may pass is told from one that will not."""
        import httpx2

        openai = self._openai
        if path in _BESIDE:
            path = self.url.removesuffix("/v1") + path
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
            if reason.startswith(("Cannot connect", "Connection timeout")):
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
        return PassingError(what, wait=wait, is_absence=status in _ABSENT)
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
