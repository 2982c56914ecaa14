"""A trace goes in; an example to learn from comes out: token ids, labels, and what each is."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from worldline.codecs import Role, StepCodec
from worldline.store import StoredTrace
from worldline.trace import CUT_MARK, Trace
from worldline.training.spelling import Spelling

Loss = Literal["all", "actions", "states"]
LOSSES: tuple[Loss, ...] = get_args(Loss)
# What trainers take for a token that has no loss.
IGNORED = -100
_LEARNED: dict[Loss, tuple[Role, ...]] = {
    "all": ("action", "state"),
    "actions": ("action",),
    "states": ("state",),
}


@dataclass(frozen=True, slots=True)
class Example:
    """A prompt and what a perfect model writes behind it, as text and as token ids.

    All lists are as long as `input_ids`. `labels` are the ids, with -100 where nothing is learned;
    `action_mask` and `state_mask` are 1 on the tokens that say which line is next and by which
    event, and on those that say what the variables or values are: on each token of the completion
    one of them is, and on the prompt none.
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

    @property
    def completion_tokens(self) -> int:
        """How many tokens a model has to write."""
        return len(self.input_ids) - self.prompt_tokens


def why_left_out(trace: Trace) -> str | None:
    """Why nobody should learn from a trace; none where it is all there.

    stopped by a limit -> "not whole: step limit"
    """
    if not trace.ending.is_complete:
        return f"not whole: {trace.ending.reason.replace('_', ' ')}"
    if not trace.is_whole:
        return "not whole: its last steps are missing"
    if trace.gaps:
        return "something in it was not recorded (it has notes)"
    if trace.program.stdin:
        return "it reads input that a prompt does not show"
    if any(CUT_MARK in value for value in _values(trace)):
        return "a value was cut"
    return None


def _values(trace: Trace) -> Iterator[str]:
    for step in trace.steps:
        yield from step.changed.values()
        yield step.value or ""


def trace_to_example(
    stored: StoredTrace, codec: StepCodec, spelling: Spelling, *, loss: Loss = "all"
) -> Example:
    """A trace as a model is to write it, with the loss on all of it or on a part."""
    trace = stored.trace
    prompt = codec.prompt(trace.program)
    ids = [token for piece in prompt for token in spelling.ids(piece)]
    given = len(ids)
    labels, actions, states = [IGNORED] * given, [0] * given, [0] * given
    texts: list[str] = []
    learned = _LEARNED[loss]
    for part in (part for step in codec.parts(trace) for part in step):
        new = [token for piece in part.pieces for token in spelling.ids(piece)]
        texts += part.pieces
        ids += new
        labels += new if part.role in learned else [IGNORED] * len(new)
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
        prompt_tokens=given,
        steps=len(trace.steps),
        program_hash=trace.program.hash,
        facets=stored.facets,
    )


def pieces_of(trace: Trace, codec: StepCodec) -> Iterable[str]:
    """All pieces of a prompt and what follows it."""
    return (*codec.prompt(trace.program), *codec.encode(trace))
