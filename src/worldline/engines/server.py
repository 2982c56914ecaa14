"""The connection to an OpenAI-compatible server, or to several that serve the same model: JSON goes
in and comes back, however it takes."""

import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from worldline.engines.connection import Connection
from worldline.engines.patience import PassingError, Patience
from worldline.errors import EngineError

Result = TypeVar("Result")
Read = Callable[[dict[str, Any]], Result]

# At first contact an answer comes soon or the address is wrong.
_FIRST_CONTACT = 5.0
_LISTING = 20.0
# How much of a prompt tells whether a server has seen it: characters, or token ids.
_BEGINNING = 1000
# How many beginnings are remembered.
_REMEMBERED = 100_000
# So many more requests than the least busy a server may have and still be asked what it knows.
_MORE = 4


class Server:
    """One model behind an address such as `http://127.0.0.1:8000/v1`, or behind several with commas
    between them.

    A request that fails in a way that may pass is repeated with growing pauses for `patience`
    seconds; `timeout` is for one request, which may be a long generation. Of several servers the
    least busy is asked, or the one that has seen the beginning of the prompt; one that cannot be
    reached is left out for a while, and tried again.
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
        self._connections = [
            Connection(each, api_key=api_key, timeout=timeout) for each in addresses(url)
        ]
        self.url = ",".join(connection.url for connection in self._connections)
        self._homes: dict[int, Connection] = {}
        self._model = model
        self._timeout = timeout
        self.patience = Patience(patience)

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
        lengths: list[int] = []
        absent: EngineError | None = None
        is_found = False
        for connection in self._connections:
            try:
                length = await self._find_model(connection)
            except EngineError as error:
                cause = error.__cause__
                if not isinstance(cause, PassingError) or not cause.is_absence:
                    raise
                absent = absent or error
                continue
            is_found = True
            lengths += [] if length is None else [length]
        if not is_found and absent is not None:
            hint = "is a server running there? `vllm serve MODEL` starts one"
            raise EngineError(f"{absent.__cause__}; {hint}") from absent
        return min(lengths, default=None)

    async def _find_model(self, connection: Connection) -> int | None:
        """The same of one of its addresses."""
        url = connection.url
        limit = min(self._timeout, _LISTING)
        listed = await self._impatiently(
            lambda: connection.ask("get", "/models", None, limit=limit)
        )
        rows = [row for row in listed.get("data") or [] if isinstance(row, dict)]
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
        reply, _ = await self.ask("/tokenize", body, dict)
        ids = reply.get("tokens")
        if not isinstance(ids, list) or not all(isinstance(n, int) for n in ids):
            raise EngineError(f"{self.url} returned no token ids")
        return tuple(ids)

    async def spell(self, ids: Sequence[int]) -> str:
        """The text of token ids, special ones included."""
        if not ids:
            return ""
        body = {"model": self._model, "tokens": list(ids)}
        reply, _ = await self.ask("/detokenize", body, dict)
        text = reply.get("prompt", reply.get("content"))
        if not isinstance(text, str):
            raise EngineError(f"{self.url} returned no text")
        return text

    async def ask(self, path: str, body: dict[str, Any], read: Read[Result]) -> tuple[Result, int]:
        """One request, repeated while it, or reading its reply, fails in a way that may pass;
        also says how often it failed."""

        failed: list[Connection] = []
        result, _ = await self.patience.ask(lambda: self._ask_each(path, body, read, failed))
        return result, len(failed)

    async def ask_impatiently(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """One request at first contact, when a failure is more likely to stay: it is repeated for
        some seconds only."""
        return await self._impatiently(lambda: self._ask_each(path, body, dict, []))

    async def _ask_each(
        self, path: str, body: dict[str, Any], read: Read[Result], failed: list[Connection]
    ) -> Result:
        """Each server that is there once, until one succeeds; puts down those that fail."""
        left = list(self._connections)
        while True:
            connection = self._choose(body, left)
            left.remove(connection)
            try:
                return _read(connection, await connection.ask("post", path, body), read)
            except PassingError:
                failed.append(connection)
                self._homes.pop(_beginning(body), None)
                if all(each.is_absent for each in left):
                    raise

    async def _impatiently(
        self, attempt: Callable[[], Awaitable[dict[str, Any]]]
    ) -> dict[str, Any]:
        return (await Patience(min(self.patience.seconds, _FIRST_CONTACT)).ask(attempt))[0]

    def _choose(self, body: dict[str, Any], among: Sequence[Connection]) -> Connection:
        """Who is asked: whoever knows the beginning of the prompt and is not too busy, or the least
        busy; whoever was gone for longest where all are."""
        if len(among) == 1:
            return among[0]
        there = [each for each in among if not each.is_absent]
        if not there:
            return min(among, key=lambda each: each.absent_until)
        least = min(there, key=lambda each: each.in_flight)
        beginning = _beginning(body)
        home = self._homes.get(beginning, least)
        if home not in there or home.in_flight > least.in_flight + _MORE:
            home = least
        if len(self._homes) >= _REMEMBERED:
            self._homes.clear()
        self._homes[beginning] = home
        return home

    async def close(self) -> None:
        """Close the connections."""
        for connection in self._connections:
            await connection.close()


def _read(connection: Connection, found: dict[str, Any], read: Read[Result]) -> Result:
    try:
        return read(found)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise PassingError(f"{connection.url} returned a broken reply: {error!r}") from error


def _beginning(body: dict[str, Any]) -> int:
    """A number for how a prompt begins."""
    return hash(str((body.get("prompt") or body.get("messages") or "")[:_BEGINNING]))


def addresses(url: str) -> list[str]:
    """The addresses in a list of them.

    "http://a:8000/v1,http://b:8000/v1" -> "http://a:8000/v1", "http://b:8000/v1"
    """
    return [each.strip() for each in re.split(r",\s*(?=https?://)", url)]
