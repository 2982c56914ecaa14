"""Token costs of traces as tables, a sentence and JSON."""

from collections.abc import Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from worldline.core.trace import printable
from worldline.core.util.text import pluralize, truncate_text
from worldline.evaluation.metrics import CONTEXT_LENGTHS, TokenChurn, TokenCosts

# Most columns for a source line.
_SOURCE = 60
# Columns that the table of steps needs besides names and source lines.
_STEP_COLUMNS = 36
_NAME = 24


def token_tables(
    costs: TokenCosts, churn: Sequence[TokenChurn] = (), *, width: int = 200
) -> RenderableType:
    """Tables of tokens by codec and of the steps and variables that cost the most.

    Args:
        costs: The measured costs.
        churn: Tokens that change with each character of a string, if measured.
        width: The columns of the terminal.
    """
    title = (
        f"{pluralize(costs.traces, 'trace')}, {costs.steps:,} steps, tokens of {costs.tokenizer}"
    )
    parts: list[RenderableType] = [Text(title, "bold"), _codec_table(costs)]
    parts += [Text("Traces whose prompt and completion fit a context length", "bold")]
    parts += [_fitting_table(costs)]
    parts.append(Text(f"Most expensive steps and variables with the codec {costs.codec}", "bold"))
    parts += [_step_table(costs, width), _variable_table(costs), Text(dominant_text(costs))]
    if costs.left_out:
        parts.append(Text(f"{pluralize(costs.left_out, 'program')} not counted: no call", "yellow"))
    if churn:
        parts += [Text("Tokens that change with each character of a string", "bold")]
        parts.append(_churn_table(churn))
    return Group(*parts)


def tokens_to_json(costs: TokenCosts, churn: Sequence[TokenChurn] = ()) -> dict[str, Any]:
    """Return the costs as plain JSON data."""
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
            for one in churn
        ],
    }


def dominant_text(costs: TokenCosts) -> str:
    """What most tokens are for, in one sentence."""
    one = next(format for format in costs.formats if format.codec == costs.codec)
    if not one.trace or one.states is None:
        return "There is nothing to count."
    is_state = 2 * one.states > one.trace
    share = (one.states if is_state else one.trace - one.states) / one.trace
    purpose = "the values of variables" if is_state else "which line comes next, and by which event"
    text = f"In {costs.codec}, {share:.0%} of the tokens say {purpose}"
    named = [variable for variable in costs.costly_variables if variable.name]
    if named:
        part = named[0].tokens / one.trace
        text += f"; the variable {printable(named[0].name)} alone takes {part:.0%}"
    least = min(costs.formats, key=lambda format: format.trace)
    if least.codec != one.codec:
        text += f"; {least.codec} would take {least.trace / one.trace:.0%} as many"
    return f"{text}."


def _table(*titles: str, left: Sequence[str] = ()) -> Table:
    """A table whose numbers are never cut: without lines between columns it fits 80 columns."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for title in titles:
        is_text = title in left
        table.add_column(
            title,
            justify="left" if is_text else "right",
            no_wrap=not is_text,
            overflow="fold" if is_text else "ellipsis",
        )
    return table


def _codec_table(costs: TokenCosts) -> Table:
    first = costs.formats[0]
    titles = ("codec", "prompts", "traces", f"of {first.codec}", "median", "largest")
    table = _table(*titles, left=("codec",))
    for one in costs.formats:
        table.add_row(
            one.codec,
            f"{one.prompt:,}",
            f"{one.trace:,}",
            f"{one.trace / first.trace:.1%}" if first.trace else "–",
            f"{one.lengths.median:,}",
            f"{one.lengths.longest:,}",
        )
    return table


def _fitting_table(costs: TokenCosts) -> Table:
    table = _table("codec", *(f"{budget // 1024}k" for budget in CONTEXT_LENGTHS), left=("codec",))
    for one in costs.formats:
        table.add_row(one.codec, *(f"{one.fitting[budget]:,}" for budget in CONTEXT_LENGTHS))
    return table


def _step_table(costs: TokenCosts, width: int) -> Table:
    table = _table(
        *("program", "step", "event", "line", "tokens"), left=("program", "event", "line")
    )
    names = [truncate_text(one.id, _NAME) for one in costs.costly_steps]
    room = width - _STEP_COLUMNS - max(map(len, names), default=0)
    for name, one in zip(names, costs.costly_steps, strict=True):
        source = truncate_text(printable(one.source), max(12, min(_SOURCE, room)))
        line = Text(f"{one.line}: {source}")
        table.add_row(name, str(one.step), one.event, line, f"{one.tokens:,}")
    return table


def _variable_table(costs: TokenCosts) -> Table:
    table = _table("variable", "tokens", "written", left=("variable",))
    for one in costs.costly_variables:
        name = printable(one.name) or "(returned or raised)"
        table.add_row(Text(name), f"{one.tokens:,}", pluralize(one.times, "time"))
    return table


def _churn_table(churn: Sequence[TokenChurn]) -> Table:
    titles = ("operation", "changes", "characters", "tokens", "tokens per character")
    table = _table(*titles, left=("operation",))
    for one in churn[:20]:
        table.add_row(
            Text(one.operation or "all"),
            f"{one.changes:,}",
            f"{one.characters:,}",
            f"{one.tokens:,}",
            f"{one.ratio:.2f}",
        )
    return table
