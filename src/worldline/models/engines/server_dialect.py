"""Protocol of dialects: how a kind of server is asked."""

from collections.abc import Sequence
from typing import Protocol

from worldline.models.engines.engine import Message, Reply, Request, Scores


class ServerDialect(Protocol):
    """Requests and replies of one kind of server.

    `briefly` is set at first contact: a failure is retried for a few seconds only.
    """

    @property
    def name(self) -> str:
        """Name of the dialect: "OpenAI" or "llama.cpp"."""
        ...

    @property
    def dropped(self) -> frozenset[str]:
        """Fields of requests that the server refuses and that are therefore not sent."""
        ...

    async def generate(
        self, request: Request, *, briefly: bool = False, ids_expected: bool = False
    ) -> Reply:
        """Generate a completion; a reply without token ids is retried if they are expected."""
        ...

    async def score(self, ids: Sequence[int], *, briefly: bool = False) -> Scores:
        """Score each token after the first."""
        ...

    async def render_chat(
        self, messages: Sequence[Message], *, prefill: str = "", briefly: bool = False
    ) -> tuple[int, ...] | str:
        """Render messages with the chat template, up to where the answer begins."""
        ...
