"""What traces cost in tokens goes in; tables and one sentence come out."""

from collections.abc import Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from worldline.diagnose import count, shorten
from worldline.measures import BUDGETS, Stability, TokenCosts
from worldline.trace import printable

_SHOWN = 60


def token_tables(costs: TokenCosts, stability: Sequence[Stability] = ()) -> RenderableType:
    """Tokens by format, the steps and variables that cost the most, and what dominates."""
    title = f"{count(costs.traces, 'trace')}, {costs.steps:,} steps, in tokens of {costs.tokenizer}"
    parts: list[RenderableType] = [Text(title, "bold"), _formats(costs)]
    parts.append(Text(f"What costs the most in the format {costs.codec}", "bold"))
    parts += [_steps(costs), _variables(costs), Text(dominant_text(costs))]
    if costs.left_out:
        parts.append(Text(f"{count(costs.left_out, 'program')} left out: without a call", "yellow"))
    if stability:
        parts += [Text("Tokens that change for each character of a string", "bold")]
        parts.append(_stability(stability))
    return Group(*parts)


def tokens_to_json(costs: TokenCosts, stability: Sequence[Stability] = ()) -> dict[str, Any]:
    """The same as one JSON object."""
    return {
        "tokenizer": costs.tokenizer,
        "codec": costs.codec,
        "traces": costs.traces,
        "steps": costs.steps,
        "left_out": costs.left_out,
        "formats": [
            {
                "codec": one.codec,
                "prompt": one.prompt,
                "trace": one.trace,
                "median": one.lengths.median,
                "longest": one.lengths.longest,
                "actions": one.actions,
                "states": one.states,
                "fitting": {str(budget): fitting for budget, fitting in one.fitting.items()},
            }
            for one in costs.formats
        ],
        "costly_steps": [
            {name: getattr(step, name) for name in step.__slots__} for step in costs.costly_steps
        ],
        "costly_variables": [
            {"name": one.name, "tokens": one.tokens, "times": one.times}
            for one in costs.costly_variables
        ],
        "dominant": dominant_text(costs),
        "stability": [
            {
                "operation": one.operation,
                "changes": one.changes,
                "characters": one.characters,
                "tokens": one.tokens,
                "ratio": one.ratio,
            }
            for one in stability
        ],
    }


def dominant_text(costs: TokenCosts) -> str:
    """What most tokens go into, in one sentence."""
    one = next(found for found in costs.formats if found.codec == costs.codec)
    if not one.trace or one.states is None:
        return "There is nothing to count."
    is_state = 2 * one.states > one.trace
    share = (one.states if is_state else one.trace - one.states) / one.trace
    what = "the values of variables" if is_state else "which line comes next, and by which event"
    text = f"In {costs.codec}, {share:.0%} of the tokens say {what}"
    named = [variable for variable in costs.costly_variables if variable.name]
    if named:
        part = named[0].tokens / one.trace
        text += f"; the variable {printable(named[0].name)} alone takes {part:.0%}"
    least = min(costs.formats, key=lambda found: found.trace)
    if least.codec != one.codec:
        text += f"; {least.codec} would take {least.trace / one.trace:.0%} of all"
    return f"{text}."


def _formats(costs: TokenCosts) -> Table:
    table = Table("format")
    fits = [f"fit {budget // 1024}k" for budget in BUDGETS]
    for title in ("prompt", "trace", "of the first", "median", "largest", *fits):
        table.add_column(title, justify="right")
    first = costs.formats[0].trace
    for one in costs.formats:
        table.add_row(
            one.codec,
            f"{one.prompt:,}",
            f"{one.trace:,}",
            f"{one.trace / first:.1%}" if first else "–",
            f"{one.lengths.median:,}",
            f"{one.lengths.longest:,}",
            *(f"{one.fitting[budget]:,}" for budget in BUDGETS),
        )
    return table


def _steps(costs: TokenCosts) -> Table:
    table = Table("program", "step", "event", "line", "tokens")
    for one in costs.costly_steps:
        source = shorten(printable(one.source), _SHOWN)
        table.add_row(
            one.id, str(one.step), one.event, Text(f"{one.line}: {source}"), f"{one.tokens:,}"
        )
    return table


def _variables(costs: TokenCosts) -> Table:
    table = Table("variable", "tokens", "written")
    for one in costs.costly_variables:
        name = printable(one.name) or "(returned or raised)"
        table.add_row(Text(name), f"{one.tokens:,}", count(one.times, "time"))
    return table


def _stability(stability: Sequence[Stability]) -> Table:
    table = Table("operation")
    for title in ("changes", "characters", "tokens", "tokens a character"):
        table.add_column(title, justify="right")
    for one in stability[:20]:
        table.add_row(
            Text(one.operation or "all"),
            f"{one.changes:,}",
            f"{one.characters:,}",
            f"{one.tokens:,}",
            f"{one.ratio:.2f}",
        )
    return table
