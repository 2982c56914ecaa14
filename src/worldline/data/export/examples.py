"""Training examples: token ids, labels, and masks for action and state tokens."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from worldline.core.trace import SHORTENED_MARK, Trace
from worldline.evaluation.store import StoredTrace
from worldline.models.codecs import Role, StepCodec
from worldline.models.prediction import CodecTokenizer

Loss = Literal["all", "actions", "states"]
LOSSES: tuple[Loss, ...] = get_args(Loss)
# Label of a token without loss, as in PyTorch and transformers.
IGNORE_INDEX = -100
_ROLES_WITH_LOSS: dict[Loss, tuple[Role, ...]] = {
    "all": ("action", "state"),
    "actions": ("action",),
    "states": ("state",),
}


@dataclass(frozen=True, slots=True)
class Example:
    """A prompt and its completion, as text and as token ids.

    All lists have the length of `input_ids`. `labels` are the ids, or -100 for tokens without
    loss. `action_mask` is 1 on tokens that say which event and line come next, `state_mask` on
    tokens that say what the variables or values are. On each token of the completion exactly one
    of the masks is 1, on the prompt neither.
    """

    id: str
    prompt: str
    completion: str
    input_ids: list[int]
    labels: list[int]
    action_mask: list[int]
    state_mask: list[int]
    prompt_tokens: int
    steps: int
    program_hash: str
    facets: Mapping[str, str | int] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Example {self.id}: {len(self.input_ids)} tokens, {self.steps} steps>"

    @property
    def completion_tokens(self) -> int:
        """Number of tokens of the completion."""
        return len(self.input_ids) - self.prompt_tokens


def exclusion_reason(trace: Trace) -> str | None:
    """Why a trace is not used for training; None if it is.

    stopped by a limit -> "incomplete: step limit"
    """
    if not trace.ending.is_complete:
        return f"incomplete: {trace.ending.reason.replace('_', ' ')}"
    if not trace.is_complete:
        return "incomplete: its last steps are missing"
    if trace.gaps:
        return "something in it was not recorded (it has notes)"
    if trace.program.stdin:
        return "it reads input that a prompt does not show"
    if any(SHORTENED_MARK in value for value in _values(trace)):
        return "a value was shortened"
    return None


def _values(trace: Trace) -> Iterator[str]:
    for step in trace.steps:
        yield from step.changed.values()
        yield step.value or ""


def trace_to_example(
    stored: StoredTrace, codec: StepCodec, tokenizer: CodecTokenizer, *, loss: Loss = "all"
) -> Example:
    """Encode a trace as a training example.

    Args:
        stored: The trace.
        codec: Codec that encodes it.
        tokenizer: Tokenizer for the codec's segments.
        loss: Tokens of the completion that have a loss.
    """
    trace = stored.trace
    prompt = codec.prompt(trace.program)
    ids = [token for segment in prompt for token in tokenizer.encode_segment(segment)]
    prompt_tokens = len(ids)
    labels = [IGNORE_INDEX] * prompt_tokens
    actions, states = [0] * prompt_tokens, [0] * prompt_tokens
    texts: list[str] = []
    roles = _ROLES_WITH_LOSS[loss]
    for part in (part for step in codec.encode_steps(trace) for part in step):
        new = [token for segment in part.segments for token in tokenizer.encode_segment(segment)]
        texts += part.segments
        ids += new
        labels += new if part.role in roles else [IGNORE_INDEX] * len(new)
        actions += [int(part.role == "action")] * len(new)
        states += [int(part.role == "state")] * len(new)
    return Example(
        id=stored.id,
        prompt="".join(prompt),
        completion="".join(texts),
        input_ids=ids,
        labels=labels,
        action_mask=actions,
        state_mask=states,
        prompt_tokens=prompt_tokens,
        steps=len(trace.steps),
        program_hash=trace.program.hash,
        facets=stored.facets,
    )


def trace_segments(trace: Trace, codec: StepCodec) -> Iterable[str]:
    """All segments of the prompt and the completion."""
    return (*codec.prompt(trace.program), *codec.encode(trace))
