"""A prediction: what a model imagined an execution to be, and how its text came to an end."""

from dataclasses import dataclass
from typing import Literal

from worldline.codecs import After, Codec, Decoded, read_after
from worldline.engines import NO_USAGE, Usage
from worldline.predict.score import StepScore
from worldline.trace import Program

Mode = Literal["free", "force-actions", "force-state", "guided", "score"]

Finish = Literal[
    "stop",  # the model ended its text
    "length",  # the token budget ended it
    "unknown",  # nobody wrote down how it ended
    "error",  # the engine or the network failed: there is no prediction
]


@dataclass(frozen=True, slots=True)
class Asked:
    """How a model was asked, and what it took: enough to ask it again.

    `budget`: tokens behind the prompt, given or written. `from_step`: how many steps of the true
    trace it was given to begin with. `longest_value`: the longest value that it was let write.
    `given`: the places in the text that it did not write. `prompt_ids` is empty where the prompt
    was sent as text and the engine does not say how it split it.
    """

    mode: Mode
    codec: str
    budget: int
    temperature: float = 0.0
    seed: int | None = None
    repeat: int = 0
    from_step: int = 0
    longest_value: int | None = None
    prompt_tokens: int | None = None
    prompt_ids: tuple[int, ...] = ()
    ids: tuple[int, ...] = ()
    given: tuple[tuple[int, int], ...] = ()
    scores: tuple[StepScore, ...] = ()
    usage: Usage = NO_USAGE
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Prediction:
    """The steps that a model imagined for one program, and everything it wrote.

    `taken_answer` is the answer that someone else's script took out of the text, where there
    is one; `after.answer` is ours. `expected` is what the benchmark says is right.
    `asked` is known where we asked.
    """

    id: str
    program: Program
    text: str
    decoded: Decoded
    after: After
    finish: Finish = "unknown"
    model: str = ""
    expected: str | None = None
    taken_answer: str | None = None
    error: str | None = None
    asked: Asked | None = None

    @property
    def answer(self) -> str | None:
        """The answer: what was taken out of the text, else what stands in it."""
        return self.after.answer if self.taken_answer is None else self.taken_answer

    @property
    def is_cut(self) -> bool:
        """Whether the text ended before the model did."""
        if self.finish == "stop":
            return False
        return self.finish == "length" or self.decoded.stop == "cut"


def make_prediction(
    id: str,
    program: Program,
    text: str,
    codec: Codec,
    *,
    finish: Finish = "unknown",
    model: str = "",
    expected: str | None = None,
    taken_answer: str | None = None,
    error: str | None = None,
    asked: Asked | None = None,
) -> Prediction:
    """Read what a model wrote of a program."""
    decoded = codec.decode(text, program)
    return Prediction(
        id=id,
        program=program,
        text=text,
        decoded=decoded,
        after=read_after(decoded.after),
        finish=finish,
        model=model,
        expected=expected,
        taken_answer=taken_answer,
        error=error,
        asked=asked,
    )
