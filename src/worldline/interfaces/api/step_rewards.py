"""Rewards for predicted executions: the share of the actual steps that a completion predicts."""

from dataclasses import dataclass
from functools import cache

from worldline.analysis.alignment import align
from worldline.core.trace import Limits, Program, Trace
from worldline.evaluation.runs import extract_answer
from worldline.interfaces.api.execution_cache import ExecutionCache
from worldline.interfaces.api.programs import ProgramLike, to_program
from worldline.models.codecs import get_codec
from worldline.models.prediction import make_prediction


@dataclass(frozen=True, slots=True)
class StepReward:
    """The reward of one completion, and the facts that it is computed from.

    `value` is `matched_steps / program_steps + answer_weight × is_answer_correct +
    format_weight × is_well_formed`.

    Attributes:
        value: The reward.
        matched_steps: Predicted steps before the first divergence; 0 if the format has no steps.
        program_steps: Steps of the actual execution.
        is_answer_correct: Whether the answer is what the program returns. Without a stated answer,
            it is the value that the predicted execution returns at its end.
        is_well_formed: Whether the completion is in its format from beginning to end: the steps
            end with the return of the entry point, or, without steps, there is an answer.
    """

    value: float
    matched_steps: int
    program_steps: int
    is_answer_correct: bool
    is_well_formed: bool

    @property
    def step_share(self) -> float:
        """Share of the actual steps that were predicted before the first divergence."""
        return self.matched_steps / self.program_steps


def step_reward(
    program: ProgramLike,
    completion: str,
    *,
    call: str | None = None,
    codec: str = "cwm",
    answer_weight: float = 1.0,
    format_weight: float = 0.0,
    limits: Limits | None = None,
    python: str | None = None,
) -> float | None:
    """Reward a completion for every correct step before the first divergence.

    The reward is the share of the actual steps that the completion predicts before it diverges,
    plus `answer_weight` if its answer is correct, plus `format_weight` if it is well formed.

    Args:
        program: A function, source text, or a `Program`.
        completion: The model's text after the prompt.
        call: The call, if the program is source text.
        codec: The format of the completion: `cwm`, `chat`, `delta`, …
        answer_weight: Reward of a correct answer.
        format_weight: Reward of a well-formed completion.
        limits: Limits of the execution.
        python: The interpreter to use (CPython 3.10 or later).

    Returns:
        The reward; None if the program cannot be executed to its end, so that nothing is known
        about the completion.

    Raises:
        ProgramError: The program or the call is not valid.
        CodecError: There is no such codec.
        SandboxError: The sandbox is not available on this machine.

    Examples:
        >>> source = "def double(x):\\n    return x * 2\\n"
        >>> step_reward(source, "[ANSWER] 8 [/ANSWER]", call="double(4)", codec="chat")
        1.0
        >>> step_reward(source, "[ANSWER] 6 [/ANSWER]", call="double(4)", codec="chat")
        0.0
    """
    reward = measure_step_reward(
        to_program(program, call=call),
        completion,
        codec=codec,
        answer_weight=answer_weight,
        format_weight=format_weight,
        executions=shared_executions(limits, python),
    )
    return None if reward is None else reward.value


def measure_step_reward(
    program: Program,
    completion: str,
    *,
    codec: str = "cwm",
    answer_weight: float = 1.0,
    format_weight: float = 0.0,
    executions: ExecutionCache | None = None,
) -> StepReward | None:
    """Compute the reward of a completion with the facts it is based on.

    Args:
        program: The program that the model was asked about.
        completion: The model's text after the prompt.
        codec: The format of the completion.
        answer_weight: Reward of a correct answer.
        format_weight: Reward of a well-formed completion.
        executions: Executes the program, or has its trace already.

    Returns:
        The reward; None if the program cannot be executed to its end.
    """
    prediction = make_prediction("completion", program, completion, get_codec(codec))
    actual = (executions or shared_executions(None, None)).execute(program)
    if actual is None:
        return None
    decoded, answer = prediction.decoded, extract_answer(prediction)
    if not completion.strip():
        return StepReward(0.0, 0, len(actual.steps), False, False)
    alignment = align(actual, decoded) if decoded.shows_steps else None
    n_steps = len(alignment.actual.steps) if alignment else len(actual.steps)
    is_complete = alignment is not None and alignment.is_complete
    # The return by exception of the entry point may be omitted: the prediction is complete.
    matched = n_steps if is_complete else alignment.matched_steps if alignment else 0
    is_correct = _is_answer_correct(actual, answer, is_complete=is_complete)
    is_well_formed = decoded.stop == "complete" and (decoded.shows_steps or answer is not None)
    value = matched / n_steps + answer_weight * is_correct + format_weight * is_well_formed
    return StepReward(value, matched, n_steps, is_correct, is_well_formed)


def _is_answer_correct(actual: Trace, answer: str | None, *, is_complete: bool) -> bool:
    if actual.result is None:
        # The program raises: no value is correct, only the predicted exception.
        return is_complete and answer is None
    return answer is not None and actual.program.values.results_equal(actual.result, answer)


@cache
def shared_executions(limits: Limits | None, python: str | None) -> ExecutionCache:
    """The cache of this process for some limits and an interpreter."""
    return ExecutionCache(limits=limits, python=python)
