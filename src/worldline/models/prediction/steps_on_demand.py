"""The mode `on-demand` with codecs of special tokens: steps that are not trusted are executed.

A step of the model shows the effect of the line before it, and its own line. If the trust in step k
is below a threshold, the actual step k is put in its place, and the model continues from there.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from worldline.core.trace import Program, Trace
from worldline.models.codecs import (
    Decoded,
    Segments,
    SpecialToken,
    StepCodec,
    join_segments,
    split_at_special_tokens,
)
from worldline.models.codecs.cwm_tokens import EVENT, FRAME
from worldline.models.prediction.constrained_generation import ConstrainedGeneration, Position
from worldline.models.prediction.on_demand import (
    ExecutionLog,
    ExecutionRule,
    PredictedRow,
    RowDecision,
)

# Tokens that end a step, or begin the next one.
_BORDERS: frozenset[SpecialToken] = frozenset({*EVENT.values(), FRAME})


async def generate_steps_on_demand(
    completion: ConstrainedGeneration,
    codec: StepCodec,
    actual: Trace,
    rule: ExecutionRule,
    log: ExecutionLog,
) -> None:
    """Let the model write steps, and put in the actual step where one is not trusted.

    Args:
        completion: The prompt, and nothing after it.
        codec: The format.
        actual: The actual execution.
        rule: Which steps are executed.
        log: Gets one decision for each step, also if the token limit ends the generation.
    """
    steps = [join_segments(parts) for parts in codec.encode_steps(actual)]
    if steps and steps[-1] == (codec.end_token,):
        del steps[-1]
    log.actual_rows = len(steps)
    # Where the steps of the completion begin.
    starts: list[Position] = [completion.position]
    # The steps so far as an interpreter knows them: actual up to the last executed one.
    before = ""
    written = WrittenStep(codec.decode("", actual.program), starts[0])
    while written.decoded.stop != "complete":
        number = len(starts) - 1
        written = await _generate_step(
            completion, codec, actual.program, starts, written, logprobs=rule.needs_logprobs
        )
        decoded = written.decoded
        has_step = len(decoded.steps) > number
        text = completion.text[starts[number].chars : written.end.chars]
        predicted = PredictedRow(
            actual.program,
            codec,
            number,
            before,
            text,
            decoded.steps[number] if has_step else None,
            has_step and decoded.stop == "complete",
            written.nll if rule.needs_logprobs else None,
            rule.seed,
        )
        trust = rule.trust(predicted)
        is_same = number < len(steps) and text == "".join(steps[number])
        line = decoded.steps[number].line if has_step else None
        log.decisions.append(RowDecision(line, trust, trust < rule.threshold, is_same))
        if trust < rule.threshold:
            if number >= len(steps):
                await _put_in_end(completion, codec, actual.program, starts, steps, log)
                return
            completion.rewind(starts[number])
            await completion.force(steps[number])
            decoded = codec.decode(completion.text, actual.program)
            written = WrittenStep(decoded, completion.position)
            before = "".join(map("".join, steps[: number + 1]))
        elif not has_step:
            # Text that is not a step, or an early end; nothing can be read after it.
            return
        else:
            before += text
        starts.append(written.end)
    completion.rewind(written.end)
    await completion.force((codec.end_token,))


@dataclass(frozen=True, slots=True)
class WrittenStep:
    """A completion after a step.

    Attributes:
        decoded: What it contains.
        end: The end of the step. In some codecs, a step ends where the next one begins; the token
            that begins it is then already written.
        nll: Negative log-likelihood of the step, in nats.
        next_nll: The same of what is written after it.
    """

    decoded: Decoded
    end: Position
    nll: float = 0.0
    next_nll: float = 0.0


async def _generate_step(
    completion: ConstrainedGeneration,
    codec: StepCodec,
    program: Program,
    starts: Sequence[Position],
    before: WrittenStep,
    *,
    logprobs: bool,
) -> WrittenStep:
    """Let the model write one step after others, or text that is not a step."""
    number, nll = len(starts) - 1, before.next_nll
    stops = tuple(t for t in codec.special_tokens if t in _BORDERS or t == codec.end_token)
    while True:
        stop = await completion.generate_until(stops, logprobs=logprobs)
        last = completion.last_logprobs or ()
        nll -= sum(last)
        decoded = codec.decode(completion.text, program)
        if len(decoded.steps) > number:
            end = _step_end(completion, codec, decoded.step_texts[number].end)
            after = len(completion.ids) - end.ids
            next_nll = 0.0 - sum(last[len(last) - after :])
            return WrittenStep(decoded, end, nll - next_nll, next_nll)
        if stop in (None, codec.end_token) or decoded.stop == "malformed":
            return WrittenStep(decoded, completion.position, nll)


def _step_end(completion: ConstrainedGeneration, codec: StepCodec, chars: int) -> Position:
    """The position after a step, which the next special token follows if anything does."""
    end = completion.position
    rest = split_at_special_tokens(completion.text[chars:], codec)
    count = sum(isinstance(segment, SpecialToken) for segment in rest)
    names, ids = completion.codec_tokenizer.names, end.ids
    while count:
        ids -= 1
        count -= completion.ids[ids] in names
    return replace(end, ids=ids, chars=chars)


async def _put_in_end(
    completion: ConstrainedGeneration,
    codec: StepCodec,
    program: Program,
    starts: Sequence[Position],
    steps: Sequence[Segments],
    log: ExecutionLog,
) -> None:
    """Put in the end of the execution for a model that continues after it.

    As few of the last actual steps are put in as end the execution.
    """
    for first in range(len(steps) - 1, -1, -1):
        ending = "".join(map("".join, steps[first:]))
        decoded = codec.decode(completion.text[: starts[first].chars] + ending, program)
        if decoded.stop == "complete" or first == 0:
            break
    del log.decisions[len(steps) :]
    log.decisions[first:] = [replace(each, is_executed=True) for each in log.decisions[first:]]
    completion.rewind(starts[first])
    await completion.force([segment for step in steps[first:] for segment in step])
    await completion.force((codec.end_token,))
