"""Engine that replays recorded completions."""

from collections.abc import Mapping, Sequence

from worldline.core.errors import EngineError
from worldline.models.engines.engine import (
    CAPABILITIES,
    Capabilities,
    Reply,
    Request,
    Scores,
    as_messages,
)


class RecordedEngine:
    """Engine that answers a recorded prompt with its recorded reply, and no other prompt.

    `replies` maps a prompt as text (the joined messages of a conversation) and a seed to a reply.
    The seed None matches every seed. `codec` is the name of the codec of the prompts, if known.
    """

    def __init__(
        self,
        name: str,
        replies: Mapping[tuple[str, int | None], Reply],
        *,
        codec: str | None = None,
    ) -> None:
        self.name = name
        self.codec = codec
        self._replies = replies

    async def capabilities(self) -> Capabilities:
        """Only text and messages."""
        missing = dict.fromkeys(CAPABILITIES, "it only replays recorded text")
        del missing["chat"]
        return Capabilities(frozenset({"chat"}), missing)

    async def generate(self, request: Request) -> Reply:
        """The recorded reply to this prompt.

        Raises:
            EngineError: there is none.
        """
        messages = as_messages(request.prompt)
        text = "".join(m.content for m in messages) if messages else request.prompt
        for seed in (request.seed, None):
            reply = self._replies.get((str(text), seed))
            if reply is not None:
                return reply
        raise EngineError("there is no recorded reply to this prompt")

    async def tokenize(self, text: str, *, parse_special_tokens: bool = False) -> tuple[int, ...]:
        """Not supported."""
        raise EngineError("a recording does not know which tokens a text has")

    async def detokenize(self, ids: Sequence[int]) -> str:
        """Not supported."""
        raise EngineError("a recording does not know the text of token ids")

    async def score(self, ids: Sequence[int]) -> Scores:
        """Not supported."""
        raise EngineError("a recording does not know how likely a token was")

    async def close(self) -> None:
        """Do nothing."""
