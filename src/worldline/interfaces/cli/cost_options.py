"""Options about what a run may cost, and the estimate that `--dry-run` prints."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

from worldline.core.errors import InputError
from worldline.interfaces.cli.help_sections import section_option
from worldline.models.prediction import (
    CHARS_PER_TOKEN,
    DEFAULT_MAX_MALFORMED,
    LATER_FACTOR,
    CodecChoice,
    CostEstimate,
    CostLimit,
    Prices,
)

_OPTIONS = (
    section_option(
        "Costs",
        "--dry-run",
        is_flag=True,
        help="Print how many tokens it would take; ask for no completion.",
    ),
    section_option(
        "Costs",
        "--price-input",
        type=click.FloatRange(min=0),
        metavar="USD",
        help="Price of a million prompt tokens.",
    ),
    section_option(
        "Costs",
        "--price-output",
        type=click.FloatRange(min=0),
        metavar="USD",
        help="Price of a million completion tokens.",
    ),
    section_option(
        "Costs",
        "--max-cost",
        type=click.FloatRange(min=0, min_open=True),
        metavar="USD",
        help="Stop when all samples together cost this much; needs the prices.",
    ),
    section_option(
        "Costs",
        "--max-malformed",
        type=click.IntRange(min=0),
        metavar="N",
        default=DEFAULT_MAX_MALFORMED,
        show_default=True,
        help="Stop if the first N replies are all malformed, or "
        f"{LATER_FACTOR} × N in a row later on; 0 for never.",
    ),
)


@dataclass(frozen=True, slots=True)
class CostOptions:
    """What a command may cost."""

    is_dry_run: bool
    prices: Prices | None
    limit: CostLimit | None
    max_malformed: int


def cost_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--dry-run`, `--max-cost` and others, given to the command as `costs`."""

    @functools.wraps(command)
    def with_costs(**options: Any) -> Any:
        pair = options.pop("price_input"), options.pop("price_output")
        max_usd = options.pop("max_cost")
        if (pair[0] is None) != (pair[1] is None):
            raise InputError("give both --price-input and --price-output")
        prices = None if pair[0] is None else Prices(*pair)
        if max_usd is not None and prices is None:
            raise InputError("--max-cost needs --price-input and --price-output")
        limit = CostLimit(max_usd, prices) if max_usd is not None and prices else None
        costs = CostOptions(options.pop("dry_run"), prices, limit, options.pop("max_malformed"))
        return command(**options, costs=costs)

    wrapped: Callable[..., Any] = with_costs
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped


def print_estimate(estimate: CostEstimate, prices: Prices | None) -> None:
    """Print what a command would take."""
    about, note = "", "counted with the model's tokenizer"
    if estimate.not_counted:
        about = "about "
        note = f"estimated at {CHARS_PER_TOKEN} characters a token: {estimate.not_counted}"
    requests = f"{estimate.requests:,}"
    if estimate.has_more_requests:
        requests = f"at least {requests}; this mode sends several per sample, each with a longer "
        requests += "prompt, which is not counted here"
    click.echo(
        f"codec              {estimate.codec}\n"
        f"samples            {estimate.samples:,}\n"
        f"requests           {requests}\n"
        f"prompt tokens      {about}{estimate.prompt_tokens:,} ({note})\n"
        f"completion tokens  at most {estimate.max_completion_tokens:,}"
    )
    if prices is not None:
        low, high = estimate.cost_range(prices)
        click.echo(f"cost               {about}${low:,.4f} to ${high:,.4f}")


def codec_line(choice: CodecChoice) -> str:
    """Say which codec was chosen, and why.

    CodecChoice("chat", "it …") -> "codec chat: it …; choose another with --codec"
    """
    return f"codec {choice.name}: {choice.reason}; choose another with --codec"
