"""An engine that replays what a model once wrote: texts and their replies go in."""

from collections.abc import Mapping, Sequence

from worldline.engines.engine import ABILITIES, Abilities, Reply, Request, Scores, messages_of
from worldline.errors import EngineError


class RecordedEngine:
    """Answers a prompt that it has seen with the reply that it has seen; nothing else.

    `replies`: by prompt, as text (all that was said in a conversation), and seed; a reply without a
    seed serves any.
    """

    def __init__(self, name: str, replies: Mapping[tuple[str, int | None], Reply]) -> None:
        self.name = name
        self._replies = replies

    async def abilities(self) -> Abilities:
        """Text in, text out."""
        missing = dict.fromkeys(ABILITIES, "it only replays recorded text")
        del missing["chat"]
        return Abilities(frozenset({"chat"}), missing)

    async def generate(self, request: Request) -> Reply:
        """The recorded reply to this very prompt."""
        messages = messages_of(request.prompt)
        text = "".join(said.content for said in messages) if messages else request.prompt
        for seed in (request.seed, None):
            reply = self._replies.get((str(text), seed))
            if reply is not None:
                return reply
        raise EngineError("there is no recorded reply to this prompt")

    async def tokenize(self, text: str, *, has_specials: bool = False) -> tuple[int, ...]:
        """Not known."""
        raise EngineError("a recording does not know which tokens a text has")

    async def spell(self, ids: Sequence[int]) -> str:
        """Not known."""
        raise EngineError("a recording does not know the text of token ids")

    async def score(self, ids: Sequence[int]) -> Scores:
        """Not known."""
        raise EngineError("a recording does not know how likely a token was")

    async def close(self) -> None:
        """Nothing to let go of."""
