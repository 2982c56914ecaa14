"""Protocol of engines, and the types of their requests and replies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, get_args

from worldline.core.errors import EngineError
from worldline.core.util.text import truncate_text

Capability = Literal[
    "tokenize",  # reports the token ids of a text
    "ids_in",  # takes a prompt as token ids
    "ids_out",  # returns the token ids of the completion
    "special_tokens",  # keeps special tokens in the text
    "stop_ids",  # stops at chosen token ids
    "stop_strings",  # stops at chosen strings, which stay in the text
    "allowed_ids",  # generates only allowed token ids
    "grammar",  # generates only text that a Lark grammar allows
    "json_schema",  # generates only JSON that a schema allows
    "logprobs",  # returns the log-probabilities of the completion
    "prompt_scores",  # returns the log-probabilities of the prompt
    "seed",  # gives the same sample for the same seed
    "cache_report",  # reports the number of cached prompt tokens
    "chat",  # takes messages
    "chat_template",  # renders messages as a prompt, with the beginning of the answer
]
CAPABILITIES: tuple[Capability, ...] = get_args(Capability)


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str

    def __repr__(self) -> str:
        return f"Message({self.role}, '{truncate_text(self.content, 80)}')"


# Token ids if the engine takes them: a server may tokenize the same text differently.
Prompt = tuple[int, ...] | str | tuple[Message, ...]


def as_messages(prompt: Prompt) -> tuple[Message, ...]:
    """The messages of a prompt; empty if it is not a conversation."""
    return tuple(part for part in prompt if isinstance(part, Message))


@dataclass(frozen=True, slots=True)
class Request:
    """Request for one completion.

    Attributes:
        prompt: token ids, text, or messages.
        max_tokens: limit on the completion.
        stop_ids: token ids that end the completion; they are part of it.
        stop: strings that end the completion; they are part of its text.
        allowed_ids: token ids that may be generated; empty for all.
        grammar: Lark grammar of the completion, with special tokens by name.
        json_schema: JSON schema of the completion.
        temperature: 0 for greedy decoding.
        seed: sampling seed.
        logprobs: whether the reply has log-probabilities.
    """

    prompt: Prompt
    max_tokens: int
    stop_ids: tuple[int, ...] = ()
    allowed_ids: tuple[int, ...] = ()
    grammar: str | None = None
    temperature: float = 0.0
    seed: int | None = None
    logprobs: bool = False
    stop: tuple[str, ...] = ()
    json_schema: Mapping[str, Any] | None = None

    def __repr__(self) -> str:
        unit = "characters" if isinstance(self.prompt, str) else "tokens"
        unit = "messages" if as_messages(self.prompt) else unit
        return (
            f"Request(prompt of {len(self.prompt)} {unit}, max_tokens={self.max_tokens}, "
            f"temperature={self.temperature}, seed={self.seed})"
        )


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and requests of one or more generations.

    Attributes:
        prompt: tokens of the prompts.
        cached: tokens of the prompts that were in a prefix cache.
        completion: tokens generated, reasoning included.
        requests: number of requests, retries included.
        retries: number of requests that were sent again after a failure.
        reasoning: tokens of the completions that were reasoning, if the server counts them.
    """

    prompt: int = 0
    cached: int = 0
    completion: int = 0
    requests: int = 0
    retries: int = 0
    reasoning: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.prompt + other.prompt,
            self.cached + other.cached,
            self.completion + other.completion,
            self.requests + other.requests,
            self.retries + other.retries,
            self.reasoning + other.reasoning,
        )


NO_USAGE = Usage()


@dataclass(frozen=True, slots=True)
class Reply:
    """Completion of one request.

    Attributes:
        text: the completion; it may lack the stop token.
        finish: whether the model ended the completion, or the token limit did.
        ids: token ids of the completion, the stop token included.
        logprobs: log-probabilities of these tokens.
        usage: tokens and requests.
        prompt_ids: token ids of a prompt that was sent as text, if the engine reports them.
        reasoning: what a reasoning model wrote before its answer; it is not part of the text.
    """

    text: str
    finish: Literal["stop", "truncated"]
    ids: tuple[int, ...] = ()
    logprobs: tuple[float, ...] = ()
    usage: Usage = NO_USAGE
    prompt_ids: tuple[int, ...] = ()
    reasoning: str = ""

    def __repr__(self) -> str:
        return f"Reply('{truncate_text(self.text, 60)}', {self.finish}, {len(self.ids)} tokens)"


@dataclass(frozen=True, slots=True)
class TokenScore:
    """How probable one token of a prompt is to a model.

    Attributes:
        logprob: log-probability of the token.
        rank: rank of the token; 1 if the model would have chosen it.
        likeliest: id of the token that the model would have chosen.
    """

    logprob: float
    rank: int
    likeliest: int


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of all tokens of a prompt except the first, which nothing precedes."""

    tokens: tuple[TokenScore, ...]
    usage: Usage = NO_USAGE

    def __repr__(self) -> str:
        return f"Scores({len(self.tokens)} tokens)"


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Capabilities of an engine, as tests have shown them.

    Attributes:
        supported: capabilities that the engine has.
        missing: for each other capability, why the engine does not have it.
        context_length: limit on prompt and completion together, in tokens, if known.
        dialect: how the server is asked, "OpenAI" or "llama.cpp"; empty without a server.
        dropped: fields of requests that the server refuses and that are therefore not sent.
    """

    supported: frozenset[Capability]
    missing: Mapping[Capability, str] = field(default_factory=dict)
    context_length: int | None = None
    dialect: str = ""
    dropped: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return (
            f"Capabilities({len(self.supported)} of {len(CAPABILITIES)}, "
            f"context_length={self.context_length})"
        )

    def require(self, needed: Sequence[Capability], *, what: str) -> None:
        """Check that the engine has these capabilities; `what` names the feature that needs them.

        Raises:
            EngineError: it lacks one of them.
        """
        lacking = [capability for capability in needed if capability not in self.supported]
        if lacking:
            reasons = "; ".join(f"{name}: {self.missing.get(name, 'no')}" for name in lacking)
            raise EngineError(f"{what} needs capabilities that this engine lacks ({reasons})")


class Engine(Protocol):
    """Access to a model. A failure of the engine is an EngineError, never a reply."""

    @property
    def name(self) -> str:
        """Name of the model."""
        ...

    async def capabilities(self) -> Capabilities:
        """Capabilities of the engine; they are tested once, at the first call."""
        ...

    async def tokenize(self, text: str, *, parse_special_tokens: bool = False) -> tuple[int, ...]:
        """Token ids of a text.

        Args:
            text: the text.
            parse_special_tokens: parse the names of special tokens in it; otherwise they are
                plain text.
        """
        ...

    async def generate(self, request: Request) -> Reply:
        """Generate a completion."""
        ...

    async def score(self, ids: Sequence[int]) -> Scores:
        """Score each token, given the tokens before it."""
        ...

    async def detokenize(self, ids: Sequence[int]) -> str:
        """Text of token ids, special tokens included."""
        ...

    async def render_chat(
        self, messages: Sequence[Message], *, prefill: str = ""
    ) -> tuple[int, ...] | str:
        """Render messages with the model's chat template, up to where its answer begins.

        Args:
            messages: the conversation.
            prefill: the beginning of the answer, which the model is to continue.

        Returns:
            A prompt: token ids, or text if the engine takes no ids.

        Raises:
            EngineError: the engine cannot render messages.
        """
        ...

    async def close(self) -> None:
        """Release connections and memory."""
        ...
