"""What an engine is: a prompt goes in; text, token ids and log-probabilities come out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, get_args

from worldline.errors import EngineError

Ability = Literal[
    "tokenize",  # says which token ids a text has
    "ids_in",  # takes a prompt as token ids
    "ids_out",  # returns the token ids that it wrote
    "special_tokens",  # leaves special tokens in the text
    "stop_ids",  # stops at chosen token ids
    "allowed_ids",  # chooses among given token ids
    "grammar",  # writes only what a Lark grammar allows
    "logprobs",  # says how likely what it wrote was
    "prompt_scores",  # says how likely each token of a prompt was
    "seed",  # samples again alike from the same seed
    "cache_report",  # says how much of a prompt it had computed before
    "chat",  # takes messages
]
ABILITIES: tuple[Ability, ...] = get_args(Ability)


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


# Token ids wherever the engine takes them: text is split into tokens anew, and not always alike.
Prompt = tuple[int, ...] | str | tuple[Message, ...]


def messages_of(prompt: Prompt) -> tuple[Message, ...]:
    """The messages of a prompt; none where it is no conversation."""
    return tuple(part for part in prompt if isinstance(part, Message))


@dataclass(frozen=True, slots=True)
class Request:
    """One question. `grammar` is in Lark's notation, with special tokens by their names."""

    prompt: Prompt
    max_tokens: int
    stop_ids: tuple[int, ...] = ()
    allowed_ids: tuple[int, ...] = ()
    grammar: str | None = None
    temperature: float = 0.0
    seed: int | None = None
    logprobs: bool = False


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of prompts, those of them that were not computed again, and tokens written; and how
    many requests it took, of which so many were repeated after a failure."""

    prompt: int = 0
    cached: int = 0
    written: int = 0
    requests: int = 0
    retries: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.prompt + other.prompt,
            self.cached + other.cached,
            self.written + other.written,
            self.requests + other.requests,
            self.retries + other.retries,
        )


NO_USAGE = Usage()


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. `ids` and `logprobs` are of the tokens written, the last one that it
    stopped at included; `text` may lack that one. `prompt_ids`: of the prompt, where it was given
    as text and the engine says how it split it."""

    text: str
    finish: Literal["stop", "length"]
    ids: tuple[int, ...] = ()
    logprobs: tuple[float, ...] = ()
    usage: Usage = NO_USAGE
    prompt_ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class TokenScore:
    """How likely a model held one given token, at which rank (1: it would have chosen it), and
    which one it would have chosen."""

    logprob: float
    rank: int
    likeliest: int


@dataclass(frozen=True, slots=True)
class Scores:
    """How likely each token of a prompt was, but for the first, which has nothing before it."""

    tokens: tuple[TokenScore, ...]
    usage: Usage = NO_USAGE


@dataclass(frozen=True, slots=True)
class Abilities:
    """What an engine can do, found out by trying; `missing` says of each other ability why not."""

    found: frozenset[Ability]
    missing: Mapping[Ability, str] = field(default_factory=dict)
    context_length: int | None = None

    def require(self, needed: Sequence[Ability], *, what: str) -> None:
        """Refuse what cannot be done, in a sentence."""
        lacking = [ability for ability in needed if ability not in self.found]
        if lacking:
            reasons = "; ".join(f"{name}: {self.missing.get(name, 'no')}" for name in lacking)
            raise EngineError(f"{what} needs abilities that this engine lacks ({reasons})")


class Engine(Protocol):
    """A model that can be asked. A failure of the engine is an EngineError, never a reply."""

    @property
    def name(self) -> str:
        """The model, as users know it."""
        ...

    async def abilities(self) -> Abilities:
        """What it can do; found out once, at first contact."""
        ...

    async def tokenize(self, text: str, *, has_specials: bool = False) -> tuple[int, ...]:
        """The token ids of a text, in which special tokens are spelled, or only look like it."""
        ...

    async def generate(self, request: Request) -> Reply:
        """Ask the model to go on."""
        ...

    async def score(self, ids: Sequence[int]) -> Scores:
        """How likely each token was, given those before it."""
        ...

    async def spell(self, ids: Sequence[int]) -> str:
        """The text of token ids, special ones included."""
        ...

    async def close(self) -> None:
        """Let go of connections and memory."""
        ...
