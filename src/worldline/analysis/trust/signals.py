"""Signals of trust: what is known about a predicted result without executing the program."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from worldline.analysis.alignment import parse_literal
from worldline.analysis.trust.static_signals import static_signals
from worldline.analysis.trust.step_signals import step_signals
from worldline.core.trace import Program
from worldline.models.codecs import Decoded

SignalGroup = Literal["static", "agreement", "flow", "values", "likelihood"]
Scale = Literal["as is", "logarithm"]


@dataclass(frozen=True, slots=True)
class Signal:
    """A signal of trust.

    Attributes:
        group: The group that it belongs to.
        label: What it counts, in words; or, for a yes/no signal, the statement.
        scale: Whether the model uses the number itself or its logarithm.
    """

    group: SignalGroup
    label: str
    scale: Scale = "as is"


def _count(group: SignalGroup, label: str) -> Signal:
    return Signal(group, label, "logarithm")


SIGNALS: Mapping[str, Signal] = {
    # The program.
    "program_lines": _count("static", "lines of the program"),
    "program_nodes": _count("static", "syntax nodes of the program"),
    "loops": _count("static", "loops and comprehensions"),
    "while_loops": _count("static", "while loops"),
    "loop_depth": _count("static", "nesting of loops"),
    "branches": _count("static", "conditions"),
    "functions": _count("static", "functions"),
    "string_methods": _count("static", "calls of string methods"),
    "other_methods": _count("static", "calls of other methods"),
    "subscripts": _count("static", "subscripts"),
    "slices": _count("static", "slices"),
    "arithmetic": _count("static", "arithmetic operations"),
    "comparisons": _count("static", "comparisons"),
    "early_returns": _count("static", "return statements besides the first"),
    "call_chars": _count("static", "characters of the call"),
    "longest_argument_string": _count("static", "characters of the longest string argument"),
    # The answer.
    "answer_chars": _count("static", "characters of the answer"),
    "answer_items": _count("static", "items of the answer"),
    "is_answer_empty": Signal("static", "the answer is empty"),
    "is_answer_argument": Signal("static", "the answer is an argument, unchanged"),
    "is_answer_in_call": Signal("static", "the call contains the answer"),
    "is_answer_shorter": Signal("static", "the answer is less than half as long as the call"),
    "is_answer_no_literal": Signal("static", "the answer is not a literal"),
    "is_answer_small_int": Signal("static", "the answer is an integer from -2 to 2"),
    "answer_new_characters": _count("static", "characters that are new in the answer"),
    "is_answer_str": Signal("static", "the answer is a string"),
    "is_answer_int": Signal("static", "the answer is an integer"),
    "is_answer_bool": Signal("static", "the answer is a bool"),
    "is_answer_list": Signal("static", "the answer is a list"),
    "is_answer_dict": Signal("static", "the answer is a dict"),
    "is_answer_tuple": Signal("static", "the answer is a tuple"),
    # The repeats of the question.
    "agreement": Signal("agreement", "share of samples with this answer"),
    "is_unanimous": Signal("agreement", "all samples have this answer"),
    "distinct_answers": _count("agreement", "different answers"),
    # The predicted steps.
    "steps": _count("flow", "predicted steps"),
    "has_illegal_step": Signal("flow", "a step cannot follow the one before it"),
    "has_unread_step": Signal("flow", "a part of the output is not a step"),
    "has_broken_copy": Signal("flow", "a value changes that no line writes"),
    "has_other_answer": Signal("flow", "the answer is not the returned value"),
    "longest_value": _count("flow", "characters of the longest predicted value"),
    "has_contradicted_step": Signal("values", "a step contradicts its line"),
    "contradicted_steps": _count("values", "steps that contradict their line"),
    "unchecked_steps": _count("values", "steps that cannot be checked"),
    # The probabilities of the generated tokens, in bits (-log2 p).
    "output_bits": _count("likelihood", "bits of the output"),
    "bits_per_token": Signal("likelihood", "bits per token of the output"),
    "largest_bits": _count("likelihood", "bits of the least probable token"),
    "uncertain_tokens": _count("likelihood", "tokens with a probability below a half"),
}


def trust_signals(
    program: Program,
    answer: str,
    *,
    decoded: Decoded | None = None,
    answers: Sequence[str | None] = (),
    logprobs: Sequence[float] = (),
) -> dict[str, float]:
    """Compute the signals of a predicted result.

    Nothing is executed, and the actual result is not known here.

    Args:
        program: The program.
        answer: The predicted result, as text.
        decoded: The predicted steps; None if only the result was predicted.
        answers: The answers of all samples of the question, None for one without an answer. With
            fewer than two there is no agreement.
        logprobs: The log-probabilities of the generated tokens, if they are known.

    Returns:
        The signals by name. Those of steps are missing if no steps were predicted, those of
        agreement if there are fewer than two samples, those of likelihood without `logprobs`.
    """
    signals = static_signals(program, answer)
    if decoded is not None and decoded.shows_steps and decoded.steps:
        signals |= step_signals(program, decoded, answer)
    if len(answers) > 1:
        keys = [None if each is None else answer_key(each) for each in answers]
        same = keys.count(answer_key(answer))
        signals |= {
            "agreement": same / len(keys),
            "is_unanimous": float(same == len(keys)),
            "distinct_answers": len(set(keys)),
        }
    return signals | _likelihood_signals(logprobs)


def _likelihood_signals(logprobs: Sequence[float]) -> dict[str, float]:
    if not logprobs:
        return {}
    bits = [max(0.0, -each / math.log(2)) for each in logprobs]
    return {
        "output_bits": sum(bits),
        "bits_per_token": sum(bits) / len(bits),
        "largest_bits": max(bits),
        "uncertain_tokens": sum(each > 1 for each in bits),
    }


def answer_key(answer: str) -> str:
    """The same text for answers that are the same literal: "[1,2]" -> "[1, 2]"."""
    try:
        return repr(parse_literal(answer))
    except ValueError:
        return answer.strip()


def scaled_signal(name: str, value: float) -> float:
    """The number that a model uses for a signal: of counts, the logarithm."""
    return math.log2(1 + value) if SIGNALS[name].scale == "logarithm" else value


def describe_signal(name: str, value: float) -> str:
    """A signal in words: "steps that contradict their line: 2", "the answer is empty: no"."""
    signal = SIGNALS[name]
    if name.startswith(("is_", "has_")):
        return f"{signal.label}: {'yes' if value else 'no'}"
    return f"{signal.label}: {value:.2g}" if value % 1 else f"{signal.label}: {value:.0f}"
