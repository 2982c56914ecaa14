"""Engine that replays recorded completions."""

from collections.abc import Mapping, Sequence

from worldline.core.errors import EngineError
from worldline.models.engines.engine import (
    CAPABILITIES,
    Capabilities,
    Message,
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
        raise EngineError(
            "there is no recorded reply to this prompt: its program, codec or seed is not in the "
            "recording; use its --codec and --seed, or a model"
        )

    async def tokenize(self, text: str, *, parse_special_tokens: bool = False) -> tuple[int, ...]:
        """Not supported."""
        raise EngineError("a recorded engine cannot tokenize; use a server or a local model")

    async def detokenize(self, ids: Sequence[int]) -> str:
        """Not supported."""
        raise EngineError("a recorded engine cannot detokenize; use a server or a local model")

    async def score(self, ids: Sequence[int]) -> Scores:
        """Not supported."""
        raise EngineError("a recorded engine cannot score tokens; use a server or a local model")

    async def render_chat(self, messages: Sequence[Message], *, prefill: str = "") -> str:
        """Not supported."""
        raise EngineError("a recording has no chat template")

    async def close(self) -> None:
        """Do nothing."""
