"""The mode `on-demand`: the model writes rows, and rows that are not trusted are executed.

The model and the actual execution go row by row. If the trust in row k of the model is below a
threshold, the actual row k, its line and its effect, is put in its place, and the model continues
from there. In a codec with special tokens, a row is a step: `steps_on_demand.py`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, get_args

from worldline.core.trace import Program, Step, Trace
from worldline.models.codecs import ChatTraceCodec, Row, StepCodec, find_answer
from worldline.models.prediction.constrained_generation import ConstrainedGeneration

Policy = Literal[
    "none",  # nothing is executed
    "all",  # everything is executed
    "random",  # rows at random
    "branch",  # conditions and heads of loops
    "illegal",  # lines that the control-flow graph does not allow
    "likelihood",  # rows that are improbable to the model itself
    "checks",  # rows that contradict the rows before them; then those that cannot be checked
    "trust",  # the same, and what cannot be checked by its probability
]
POLICIES: tuple[Policy, ...] = get_args(Policy)
# Policies that need the log-probabilities of the model's tokens.
POLICIES_WITH_LOGPROBS: frozenset[Policy] = frozenset({"likelihood", "trust"})
# What is neither a row nor judged: an empty line, or the fence of a block of code.
_NO_ROW = re.compile(r"\s*(?:(?:```|~~~).*)?\s*\Z")


@dataclass(frozen=True, slots=True)
class PredictedRow:
    """A row that the model has written, and what is known when it is judged.

    Attributes:
        program: The program.
        codec: The format of the row.
        number: The number of rows before it.
        before: The text of these rows. Up to the last executed one, they are the actual rows.
        text: The row as the model wrote it; empty if it ended its output without an answer.
        row: The row, or the step; None for an answer in a row, and for text that is neither.
        is_answer: Whether it is the answer, or the step that ends the execution.
        nll: The negative log-likelihood of its tokens together, in nats; None if unknown.
        seed: The seed of what is random.
    """

    program: Program
    codec: ChatTraceCodec | StepCodec
    number: int
    before: str
    text: str
    row: Row | Step | None
    is_answer: bool
    nll: float | None
    seed: int


# From 0 to 1: how far a row can be trusted. A row below the threshold is executed.
RowTrust = Callable[[PredictedRow], float]


@dataclass(frozen=True, slots=True)
class RowDecision:
    """What was decided about one row.

    Attributes:
        line: The line of the model's row; None for the answer, and for text that is not a row.
        trust: The trust in the model's row.
        is_executed: Whether the actual row was put in its place.
        is_same: Whether the model's row is the actual one, text for text.
    """

    line: int | None
    trust: float
    is_executed: bool
    is_same: bool


@dataclass(slots=True)
class ExecutionLog:
    """What was decided so far, and the number of rows of the actual execution."""

    decisions: list[RowDecision] = field(default_factory=list)
    actual_rows: int | None = None


@dataclass(frozen=True, slots=True)
class ExecutionRule:
    """Which rows are executed: those whose trust is below a threshold."""

    trust: RowTrust
    threshold: float
    needs_logprobs: bool
    seed: int = 0


async def generate_rows_on_demand(
    completion: ConstrainedGeneration,
    codec: ChatTraceCodec,
    actual: Trace,
    rule: ExecutionRule,
    log: ExecutionLog,
) -> None:
    """Let the model write rows, and put in the actual row where one is not trusted.

    Args:
        completion: The prompt, and nothing after it.
        codec: The format.
        actual: The actual execution.
        rule: Which rows are executed.
        log: Gets one decision for each row, also if the token limit ends the generation.
    """
    texts = [row.action + row.state for row in codec.encode_rows(actual)]
    log.actual_rows = len(texts)
    has_answer = bool(texts) and texts[-1].startswith(codec.answer_prefix)
    number, before = 0, ""
    while True:
        start = completion.position
        is_stopped = await completion.generate_until_text(("\n",), logprobs=rule.needs_logprobs)
        text = completion.text[start.chars :]
        if is_stopped and _NO_ROW.match(text):
            before += text
            continue
        # The execution may be over while the model continues: what is left of it is its answer.
        index = min(number, len(texts) - 1) if has_answer else number
        put_in = texts[index] if index < len(texts) else None
        row = codec.parse_row(text, actual.program) if text else None
        is_answer = row is None and number > 0 and find_answer(text) is not None
        predicted = PredictedRow(
            actual.program,
            codec,
            number,
            before,
            text,
            row,
            is_answer,
            completion.nll,
            rule.seed,
        )
        trust = rule.trust(predicted)
        is_executed = put_in is not None and trust < rule.threshold
        is_same = put_in is not None and text.strip() == put_in.strip()
        line = None if row is None else row.line
        log.decisions.append(RowDecision(line, trust, is_executed, is_same))
        if is_executed and put_in is not None:
            completion.rewind(start)
            await completion.force((put_in,))
            number, before = index + 1, "".join(texts[: index + 1])
            if put_in.startswith(codec.answer_prefix):
                return
            continue
        if is_answer:
            await _complete_answer(completion, text)
        if is_answer or not is_stopped:
            return
        number, before = number + (row is not None), before + text


async def _complete_answer(completion: ConstrainedGeneration, text: str) -> None:
    """Let the model write an answer that begins on the line after `[ANSWER]`."""
    span = find_answer(text)
    if span is not None and not text[slice(*span)].strip():
        await completion.generate_until_text(())
