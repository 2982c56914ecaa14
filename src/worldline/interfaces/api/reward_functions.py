"""Reward functions with the calling conventions of TRL and of verifiers."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldline.core.errors import InputError, ProgramError, WorldlineError
from worldline.core.trace import Limits, Program
from worldline.interfaces.api.execution_cache import ExecutionCache
from worldline.interfaces.api.step_rewards import StepReward, measure_step_reward, shared_executions
from worldline.models.codecs import get_codec
from worldline.models.prediction import question_from_row

# Fields of a program, as in the rows of question files.
_FIELDS = ("code", "call", "input", "context", "stdin")

TrlReward = Callable[..., list[float | None]]
VerifiersReward = Callable[..., Awaitable[float]]


@dataclass(frozen=True, slots=True)
class _RewardSettings:
    """What the reward functions share."""

    codec: str
    columns: Mapping[str, str]
    answer_weight: float
    format_weight: float
    executions: ExecutionCache

    def measure(self, fields: Mapping[str, Any], completion: str) -> StepReward | None:
        """The reward of a completion; None if its program is not valid or cannot be executed."""
        try:
            program = self._program(fields)
        except WorldlineError:
            return None
        return measure_step_reward(
            program,
            completion,
            codec=self.codec,
            answer_weight=self.answer_weight,
            format_weight=self.format_weight,
            executions=self.executions,
        )

    def _program(self, fields: Mapping[str, Any]) -> Program:
        return question_from_row({**fields, "id": "row"}, "the row").program

    def select(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of the program among the columns of a dataset.

        Raises:
            InputError: There is no column for the program or its call.
        """
        names = {field: self.columns.get(field, field) for field in _FIELDS}
        fields = {field: values[name] for field, name in names.items() if name in values}
        if "context" not in fields and not ("code" in fields and {"call", "input"} & fields.keys()):
            raise InputError(
                f"the rewards need the columns '{names['code']}' and '{names['call']}' (or "
                f"'{names['input']}', the arguments of f); there is "
                f"{', '.join(sorted(map(str, values))) or 'none'}; name yours with "
                "columns={'code': …, 'call': …}"
            )
        return fields


def trl_reward_function(
    *,
    codec: str = "cwm",
    columns: Mapping[str, str] | None = None,
    answer_weight: float = 1.0,
    format_weight: float = 0.0,
    decode: Callable[[list[int]], str] | None = None,
    limits: Limits | None = None,
    python: str | None = None,
) -> TrlReward:
    """Make a reward function for TRL's `GRPOTrainer` and its other online trainers.

    The dataset needs columns with the program: `code` and `call`, or `code` and `input` as in
    CRUXEval, or `context`. Completions may be texts or messages.

    Args:
        codec: The format of the completions.
        columns: Names of the dataset's columns, if they differ: {"code": "program"}.
        answer_weight: Reward of a correct answer.
        format_weight: Reward of a well-formed completion.
        decode: Decodes token ids to text with special tokens. TRL removes them from completions;
            the codecs `cwm` and `chat` do not need them, the others do.
        limits: Limits of the executions.
        python: The interpreter for the executions.

    Returns:
        A function `reward(prompts, completions, **columns)`. It returns one reward for each
        completion; None, which TRL skips, if the program cannot be executed.

    Raises:
        CodecError: There is no such codec.

    Examples:
        >>> reward = trl_reward_function(codec="chat")
        >>> reward(
        ...     prompts=["?", "?"],
        ...     completions=["[ANSWER] 8 [/ANSWER]", "[ANSWER] 7 [/ANSWER]"],
        ...     code=["def double(x): return x * 2"] * 2,
        ...     call=["double(4)"] * 2,
        ... )
        [1.0, 0.0]
    """
    settings = _settings(codec, columns, answer_weight, format_weight, limits, python)

    def worldline_step_reward(
        prompts: Sequence[Any] | None = None,
        completions: Sequence[Any] = (),
        completion_ids: Sequence[list[int]] | None = None,
        log_metric: Callable[[str, float], None] | None = None,
        **values: Any,
    ) -> list[float | None]:
        fields = settings.select(values)
        texts = [completion_text(completion) for completion in completions]
        if decode is not None and completion_ids is not None:
            texts = [decode(list(ids)) for ids in completion_ids]
        rewards = [
            settings.measure({name: column[n] for name, column in fields.items()}, text)
            for n, text in enumerate(texts)
        ]
        known = [reward for reward in rewards if reward is not None]
        if log_metric is not None and known:
            log_metric("step_share", sum(r.step_share for r in known) / len(known))
            log_metric("answer_accuracy", sum(r.is_answer_correct for r in known) / len(known))
        return [None if reward is None else reward.value for reward in rewards]

    return worldline_step_reward


def verifiers_reward_function(
    *,
    codec: str = "chat",
    columns: Mapping[str, str] | None = None,
    answer_weight: float = 1.0,
    format_weight: float = 0.0,
    limits: Limits | None = None,
    python: str | None = None,
) -> VerifiersReward:
    """Make a reward function for the library `verifiers`.

    From 0.4 on it is a reward of a task: the program is in the fields of the task's data, and the
    completion is the last reply of the trace. Before 0.4 it is a function of a `Rubric`: the
    program is in `info`, and the completion is `completion`.

    Args:
        codec: The format of the completions.
        columns: Names of the fields of the program, if they differ: {"code": "program"}.
        answer_weight: Reward of a correct answer.
        format_weight: Reward of a well-formed completion.
        limits: Limits of the executions.
        python: The interpreter for the executions.

    Returns:
        An async function. It raises `ProgramError` if the program cannot be executed, so that the
        rollout has an error instead of a wrong reward.

    Raises:
        CodecError: There is no such codec.
    """
    settings = _settings(codec, columns, answer_weight, format_weight, limits, python)

    # verifiers passes what the signature names.
    async def worldline_step_reward(
        completion: Any = None, info: Any = None, state: Any = None, task: Any = None,
        trace: Any = None,
    ) -> float:  # fmt: skip
        fields = settings.select(_program_fields(info, task, state))
        text = trace.last_reply if trace is not None else completion_text(completion)
        reward = await asyncio.to_thread(settings.measure, fields, text)
        if reward is None:
            raise ProgramError(
                "the program of this task cannot be executed to its end, so that its reward is "
                "unknown; remove it from the dataset, or raise `limits`"
            )
        return reward.value

    return worldline_step_reward


def completion_text(completion: Any) -> str:
    """The text of a completion: a string, or the last message of the assistant.

    [{"role": "assistant", "content": "4"}] -> "4"
    """
    if isinstance(completion, str):
        return completion
    if not isinstance(completion, Sequence):
        return ""
    messages = [_as_mapping(message) for message in completion]
    replies = [message for message in messages if message.get("role") == "assistant"]
    content = replies[-1].get("content") if replies else ""
    if isinstance(content, str):
        return content
    parts = [_as_mapping(part) for part in content or ()]
    return "".join(str(part.get("text", "")) for part in parts if part.get("type") == "text")


def _settings(
    codec: str,
    columns: Mapping[str, str] | None,
    answer_weight: float,
    format_weight: float,
    limits: Limits | None,
    python: str | None,
) -> _RewardSettings:
    get_codec(codec)
    executions = shared_executions(limits, python)
    return _RewardSettings(codec, columns or {}, answer_weight, format_weight, executions)


def _program_fields(*sources: Any) -> dict[str, Any]:
    """All fields of the sources of verifiers; the first source that has one counts."""
    fields: dict[str, Any] = {}
    for source in reversed(sources):
        if isinstance(source, str) and source.startswith("{"):
            source = json.loads(source)
        fields |= _as_mapping(source)
    return fields


def _as_mapping(value: Any) -> dict[str, Any]:
    """A mapping, or the fields of a pydantic model, as a dict; empty for anything else."""
    if isinstance(value, Mapping):
        return {str(name): item for name, item in value.items()}
    return dict(value.model_dump()) if hasattr(value, "model_dump") else {}
