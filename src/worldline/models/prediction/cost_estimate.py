"""Estimate of what predictions will cost, without a request for a completion."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from worldline.core.errors import CodecError, EngineError
from worldline.models.codecs import Codec, get_codec
from worldline.models.engines import Capabilities, Capability, Engine
from worldline.models.prediction.codec_choice import AUTO_CODEC, CodecChoice, choose_codec
from worldline.models.prediction.costs import Prices, tokens_of
from worldline.models.prediction.prediction_settings import PredictionSettings
from worldline.models.prediction.question import Question
from worldline.models.tokenizers import Tokenizer

# Tokens that a chat template adds to each message, about.
_TEMPLATE_TOKENS = 5
# Seconds for the server to tokenize the first prompt.
_FIRST_CONTACT = 20.0
_CONCURRENCY = 16
# Modes that send one request per prediction.
_SINGLE_REQUEST_MODES = ("free", "score")


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """What a series of predictions will take.

    Attributes:
        codec: Codec in which the model is asked.
        samples: Predictions to make.
        requests: Requests to send; in a mode with several per prediction, the least possible.
        prompt_tokens: Tokens of all prompts.
        max_completion_tokens: The most that can be generated: the token limit, times the samples.
        not_counted: Why the prompt tokens are an estimate; empty if a tokenizer counted them.
        has_more_requests: Whether the mode sends several requests per prediction, whose longer
            prompts are not counted.
    """

    codec: str
    samples: int
    requests: int
    prompt_tokens: int
    max_completion_tokens: int
    not_counted: str = ""
    has_more_requests: bool = False

    def cost_range(self, prices: Prices) -> tuple[float, float]:
        """The cost in USD if nothing is generated, and if every completion reaches its limit."""
        high = prices.cost(self.prompt_tokens, self.max_completion_tokens)
        return prices.cost(self.prompt_tokens, 0), high


async def estimate_cost(
    questions: Sequence[Question],
    open_engine: Callable[[], Engine],
    settings: PredictionSettings,
    *,
    tokenizer: Tokenizer | None = None,
) -> CostEstimate:
    """Count the tokens of prompts, with the engine's tokenizer if it can be asked for it.

    Args:
        questions: One question per prediction; a question with three repeats is there three times.
        open_engine: Opens the engine. It is closed at the end.
        settings: How the model will be asked. With the codec `auto`, CWM's is assumed if its
            special tokens are in the vocabulary, and else a conversation.
        tokenizer: The model's own tokenizer, which saves requests to the server.
    """
    engine = open_engine()
    try:
        reason = "" if tokenizer else await _why_not_tokenized(engine)
        if settings.codec == AUTO_CODEC:
            choice = await _assume_codec(engine, can_tokenize=not reason)
            settings = replace(settings, codec=choice.name)
        codec = get_codec(settings.codec)
        slots = asyncio.Semaphore(_CONCURRENCY)

        async def count(question: Question) -> int:
            async with slots:
                return await _prompt_tokens(question, codec, engine, tokenizer, not reason)

        unique = {question.id: question for question in questions}
        counts = dict(zip(unique, await asyncio.gather(*map(count, unique.values())), strict=True))
    finally:
        await engine.close()
    return CostEstimate(
        codec=settings.codec,
        samples=len(questions),
        requests=len(questions),
        prompt_tokens=sum(counts[question.id] for question in questions),
        max_completion_tokens=len(questions)
        * (1 if settings.mode == "score" else settings.max_tokens),
        not_counted=reason,
        has_more_requests=settings.mode not in _SINGLE_REQUEST_MODES,
    )


async def _why_not_tokenized(engine: Engine) -> str:
    """Why an engine does not tokenize text; empty if it does."""
    try:
        async with asyncio.timeout(_FIRST_CONTACT):
            await engine.tokenize("def f(x):\n    return x\n")
    except EngineError as error:
        return str(error)
    except TimeoutError:
        return f"the server did not tokenize a text within {_FIRST_CONTACT:g} s"
    return ""


async def _assume_codec(engine: Engine, *, can_tokenize: bool) -> CodecChoice:
    """Choose a codec without the test of the engine's capabilities, which asks for completions."""
    supported: set[Capability] = {"chat", "tokenize"} if can_tokenize else {"chat"}
    return await choose_codec(engine, capabilities=Capabilities(frozenset(supported)))


async def _prompt_tokens(
    question: Question,
    codec: Codec,
    engine: Engine,
    tokenizer: Tokenizer | None,
    can_tokenize: bool,
) -> int:
    try:
        segments = codec.prompt(question.program)
    except CodecError:
        # It will be an infrastructure error, without a request.
        return 0
    text = "".join(segments)
    template = _TEMPLATE_TOKENS * len(segments) if codec.is_chat else 0
    if tokenizer is not None:
        return len(tokenizer.encode(text)) + template
    if not can_tokenize:
        return tokens_of(len(text)) + template
    return len(await engine.tokenize(text, parse_special_tokens=not codec.is_chat)) + template
