"""Costs of predictions: prices per token, and a limit at which a run stops."""

from dataclasses import dataclass

from worldline.core.errors import CostLimitError
from worldline.models.codecs import get_codec
from worldline.models.engines import Usage
from worldline.models.prediction.prediction import Prediction

# Characters of a token where no tokenizer counts them. Source code has 3 to 4 in the usual
# vocabularies; the smaller number estimates too many tokens rather than too few.
CHARS_PER_TOKEN = 3


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices in USD per million tokens. Cached prompt tokens are counted at the full price.

    Attributes:
        input: Price of prompt tokens.
        output: Price of completion tokens, reasoning included.
    """

    input: float
    output: float

    def cost(self, prompt: int, completion: int) -> float:
        """Cost of tokens in USD.

        Prices(1.0, 4.0), 500_000 and 250_000 tokens -> 1.5
        """
        return (prompt * self.input + completion * self.output) / 1e6


@dataclass(frozen=True, slots=True)
class CostLimit:
    """What a run may cost, in USD. Earlier predictions of the same run count."""

    max_usd: float
    prices: Prices


class CostMeter:
    """Adds up what predictions have cost, and stops a run at a limit."""

    def __init__(self, limit: CostLimit) -> None:
        self.limit = limit
        self.usage = Usage()
        # Predictions whose usage the server did not report.
        self.estimated = 0

    @property
    def usd(self) -> float:
        """The cost so far."""
        return self.limit.prices.cost(self.usage.prompt, self.usage.completion)

    def add(self, prediction: Prediction) -> None:
        """Count one more prediction."""
        usage = reported_usage(prediction)
        is_reported = bool(usage.prompt or usage.completion)
        # A prompt that does not fit into the context is not sent.
        was_sent = prediction.finish != "infra_error" and (usage.requests or prediction.text)
        if was_sent and not is_reported:
            usage = estimate_usage(prediction)
            self.estimated += 1
        self.usage += usage

    def check(self) -> None:
        """Raise an error if the limit is reached.

        Raises:
            CostLimitError: The predictions so far cost as much as the limit, or more.
        """
        if self.usd < self.limit.max_usd:
            return
        note = ""
        if self.estimated:
            note = (
                f"; the usage of {self.estimated:,} predictions was not reported by the server and "
                f"is estimated, at {CHARS_PER_TOKEN} characters a token"
            )
        raise CostLimitError(
            f"the predictions so far cost ${self.usd:,.4f}, and the limit is "
            f"${self.limit.max_usd:,.4f} ({self.usage.prompt:,} prompt tokens, "
            f"{self.usage.completion:,} completion tokens{note})"
        )


def reported_usage(prediction: Prediction) -> Usage:
    """The usage that the server reported; zero if it reported none."""
    return prediction.generation.usage if prediction.generation else Usage()


def estimate_usage(prediction: Prediction) -> Usage:
    """Estimate the usage of a prediction from the length of its prompt and its output."""
    codec = prediction.generation.codec if prediction.generation else "cwm"
    prompt = sum(map(len, get_codec(codec).prompt(prediction.program)))
    reasoning = prediction.generation.reasoning if prediction.generation else ""
    chars = len(prediction.text) + len(reasoning or "")
    return Usage(prompt=tokens_of(prompt), completion=tokens_of(chars), requests=1)


def tokens_of(chars: int) -> int:
    """Estimate the tokens of a text by its length.

    7 -> 3
    """
    return -(-chars // CHARS_PER_TOKEN)
