"""A model's prediction of one execution, and the record of how it was generated."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from worldline.core.trace import Program
from worldline.core.util.text import pluralize, truncate_text
from worldline.models.codecs import Codec, Decoded, TextAfterTrace, parse_text_after_trace
from worldline.models.engines import NO_USAGE, Usage
from worldline.models.prediction.on_demand import RowDecision
from worldline.models.prediction.score_mode import StepScore

Mode = Literal["free", "force-actions", "force-state", "guided", "score", "on-demand"]

Finish = Literal[
    "stop",  # the model ended its output
    "truncated",  # the token limit ended it
    "unknown",  # not recorded
    "infra_error",  # the engine or the network failed: there is no output
]


@dataclass(frozen=True, slots=True)
class GenerationRecord:
    """Settings and costs of a generation: enough to repeat it.

    Attributes:
        mode: which parts of the trace the model generated.
        codec: name of the codec.
        max_tokens: limit on the completion, teacher-forced tokens included.
        temperature: sampling temperature.
        seed: sampling seed; None at temperature 0.
        repeat: number of the repeat.
        from_step: number of actual steps that the model was given first.
        max_value_chars: limit on the length of a value in the mode `guided`.
        prompt_tokens: number of tokens of the prompt, if known.
        prompt_ids: token ids of the prompt; empty if it was sent as text and the engine did not
            report them.
        completion_ids: token ids of the completion, if known.
        forced_spans: spans of the output that were teacher-forced.
        scores: scores of the actual steps, in the mode `score`.
        usage: tokens and requests.
        seconds: wall-clock time.
        reasoning: what a reasoning model wrote before its answer.
        logprobs: log-probabilities of the generated tokens, if they were asked for.
        policy: which rows are executed, in the mode `on-demand`.
        threshold: rows whose trust is below it are executed, in the mode `on-demand`.
        decisions: for each row, whether it was executed, in the mode `on-demand`.
        actual_rows: number of rows of the actual execution, in the mode `on-demand`.
    """

    mode: Mode
    codec: str
    max_tokens: int
    temperature: float = 0.0
    seed: int | None = None
    repeat: int = 0
    from_step: int = 0
    max_value_chars: int | None = None
    prompt_tokens: int | None = None
    prompt_ids: tuple[int, ...] = ()
    completion_ids: tuple[int, ...] = ()
    forced_spans: tuple[tuple[int, int], ...] = ()
    scores: tuple[StepScore, ...] = ()
    usage: Usage = NO_USAGE
    seconds: float = 0.0
    reasoning: str = ""
    logprobs: tuple[float, ...] = ()
    policy: str | None = None
    threshold: float | None = None
    decisions: tuple[RowDecision, ...] = ()
    actual_rows: int | None = None

    def __repr__(self) -> str:
        tokens = pluralize(self.usage.completion, "completion token")
        return f"GenerationRecord({self.mode}, {self.codec}, {tokens}, {self.seconds:.1f} s)"


@dataclass(frozen=True, slots=True)
class Prediction:
    """The execution that a model predicted for one program, and its output.

    Attributes:
        id: name of the sample.
        program: the program whose execution was predicted.
        text: the model's output.
        decoded: the steps in the output.
        after: explanation and answer after the steps.
        finish: how the output ended.
        model: name of the model.
        expected: the value that the benchmark expects.
        external_answer: the answer that a script of a third party extracted from the output.
        error: why there is no output, if `finish` is "infra_error".
        generation: settings and costs of the generation; None for outputs of other tools.
        interventions: for interventions by other tools, whether each made the sample correct.
    """

    id: str
    program: Program
    text: str
    decoded: Decoded
    after: TextAfterTrace
    finish: Finish = "unknown"
    model: str = ""
    expected: str | None = None
    external_answer: str | None = None
    error: str | None = None
    generation: GenerationRecord | None = None
    interventions: Mapping[str, bool] = field(default_factory=dict)

    def __repr__(self) -> str:
        id, steps = truncate_text(self.id, 60), pluralize(len(self.decoded.steps), "step")
        end = "truncated" if self.is_truncated else self.finish
        return f"Prediction('{id}', {steps}, {end})"

    @property
    def answer(self) -> str | None:
        """The external answer, if there is one; else the answer in the output."""
        return self.after.answer if self.external_answer is None else self.external_answer

    @property
    def is_truncated(self) -> bool:
        """Whether the output ended before the model did."""
        if self.finish == "stop":
            return False
        return self.finish == "truncated" or self.decoded.stop == "truncated"


def make_prediction(
    id: str,
    program: Program,
    text: str,
    codec: Codec,
    *,
    finish: Finish = "unknown",
    model: str = "",
    expected: str | None = None,
    external_answer: str | None = None,
    error: str | None = None,
    generation: GenerationRecord | None = None,
) -> Prediction:
    """Decode a model's output into a prediction.

    Args:
        id: name of the sample.
        program: the program that the model was asked about.
        text: the model's output.
        codec: codec of the output.
        finish: how the output ended.
        model: name of the model.
        expected: the value that the benchmark expects.
        external_answer: the answer that a script of a third party extracted from the output.
        error: why there is no output.
        generation: settings and costs of the generation.
    """
    # The model or its server ended the reply, so its last line is complete.
    is_ended = codec.is_chat and finish in ("stop", "unknown")
    decoded = codec.decode(f"{text}\n" if is_ended else text, program)
    after = parse_text_after_trace(decoded.after, program.language)
    if decoded.answer is not None:
        after = replace(after, answer=decoded.answer)
    return Prediction(
        id=id,
        program=program,
        text=text,
        decoded=decoded,
        after=after,
        finish=finish,
        model=model,
        expected=expected,
        external_answer=external_answer,
        error=error,
        generation=generation,
    )
