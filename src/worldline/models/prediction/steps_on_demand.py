"""The mode `on-demand` with codecs of special tokens: steps that are not trusted are executed.

A step of the model shows the effect of the line before it, and its own line. If the trust in step k
is below a threshold, the actual step k is put in its place, and the model continues from there.
"""

from collections.abc import Sequence
from dataclasses import replace

from worldline.core.trace import Program, Trace
from worldline.models.codecs import Decoded, Segments, StepCodec, join_segments
from worldline.models.prediction.constrained_generation import ConstrainedGeneration, Position
from worldline.models.prediction.on_demand import (
    ExecutionLog,
    ExecutionRule,
    PredictedRow,
    RowDecision,
)


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
    starts: list[Position] = []
    decoded = codec.decode("", actual.program)
    while decoded.stop != "complete":
        number = len(starts)
        starts.append(completion.position)
        decoded = await _generate_step(
            completion, codec, actual.program, number, logprobs=rule.needs_logprobs
        )
        has_step = len(decoded.steps) > number
        text = completion.text[starts[number].chars :]
        predicted = PredictedRow(
            actual.program,
            codec,
            number,
            completion.text[: starts[number].chars],
            text,
            decoded.steps[number] if has_step else None,
            has_step and decoded.stop == "complete",
            completion.nll,
            rule.seed,
        )
        trust = rule.trust(predicted)
        is_same = number < len(steps) and text == "".join(steps[number])
        line = decoded.steps[number].line if has_step else None
        log.decisions.append(RowDecision(line, trust, trust < rule.threshold, is_same))
        if trust >= rule.threshold:
            if not has_step:
                # Text that is not a step, or an early end; nothing can be read after it.
                return
            continue
        if number >= len(steps):
            await _put_in_end(completion, codec, actual.program, starts, steps, log)
            return
        completion.rewind(starts[number])
        await completion.force(steps[number])
        decoded = codec.decode(completion.text, actual.program)
    await completion.force((codec.end_token,))


async def _generate_step(
    completion: ConstrainedGeneration,
    codec: StepCodec,
    program: Program,
    number: int,
    *,
    logprobs: bool,
) -> Decoded:
    """Let the model write one step after `number` steps, or text that is not a step.

    In some codecs a step ends where the next one begins: the token that begins it is removed again.
    """
    written: tuple[float, ...] = ()
    while True:
        stop = await completion.generate_until(tuple(codec.special_tokens), logprobs=logprobs)
        written += completion.last_logprobs or ()
        decoded = codec.decode(completion.text, program)
        has_step = len(decoded.steps) > number
        if has_step and stop is not None and decoded.step_texts[number].end < len(completion.text):
            end = completion.position
            completion.rewind(replace(end, ids=end.ids - 1, chars=end.chars - len(stop)))
            written = written[:-1]
        if has_step or stop in (None, codec.end_token) or decoded.stop == "malformed":
            completion.last_logprobs = written if logprobs else None
            return decoded


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
