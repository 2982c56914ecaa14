"""JSON document of one sample: its actual and its predicted execution, step by step.

`SampleDocument` in viewer/src/api declares the same keys.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from worldline.analysis.alignment import Alignment, Gap
from worldline.analysis.diagnosis import RULES, Diagnosis, Sample, find_reason
from worldline.analysis.interventions import INTERVENTIONS
from worldline.analysis.trust import Trust
from worldline.core.language import get_language
from worldline.core.trace import Step, Trace, states
from worldline.evaluation.metrics import QuestionDistribution
from worldline.evaluation.runs import Attempt
from worldline.interfaces.report import (
    StepPair,
    attempt_results,
    ending_text,
    fact_texts,
    first_wrong_local,
    is_same_step,
    own_choice_text,
    step_pairs,
    step_result_text,
    story_text,
)
from worldline.interfaces.report.step_view import States
from worldline.interfaces.viewer.distribution_document import build_distribution
from worldline.interfaces.viewer.sample_choices import (
    possibility_document,
    preempted_lines,
    schedule_document,
)
from worldline.models.codecs import Decoded, get_codec
from worldline.models.prediction import StepScore
from worldline.models.tokenizers import Tokenizer

_DEFINITION = re.compile(r"\s*(?:async\s+)?def\s+(\w+)|\s*class\s+(\w+)")
# Characters of a value that are split into tokens.
_MAX_TOKENIZED_CHARS = 4000
# Characters of each of the two values in the summary line.
_SUMMARY_VALUE_CHARS = 80

# Facts that the page shows as the reason of the cause.
_REASON_FACTS = ("cause", "because")

State = Mapping[str, str]


def build_sample_document(
    sample: Sample,
    *,
    verdict: str,
    attempts: Sequence[Attempt] = (),
    trust: Trust | None = None,
    tokenizer: Tokenizer | None = None,
    distribution: QuestionDistribution | None = None,
) -> dict[str, Any]:
    """Build the document of a sample.

    Args:
        sample: The sample, executed and diagnosed.
        verdict: The grade of its answer.
        attempts: The interventions that were tried on it.
        trust: The trust in its result.
        tokenizer: Splits the two values that differ into tokens; without one, they are not split.
        distribution: The exact distribution of the results, if the question has several.
    """
    prediction, facts = sample.prediction, sample.diagnosis.facts
    alignment, divergence = facts.alignment, facts.divergence
    actual = alignment.actual if alignment else sample.actual
    decoded = alignment.predicted if alignment else prediction.decoded
    matched_steps = alignment.matched_steps if alignment else 0
    cause = sample.diagnosis.cause
    scores = prediction.generation.scores if prediction.generation else ()
    both = (list(actual.states()), list(states(decoded.steps)))
    diverged = range(divergence.step, len(decoded.steps)) if divergence else range(0)
    matches = [is_same_step(actual, decoded, n, both) for n in diverged]
    # The step of the divergence itself is left out: the page shows all its differences.
    mismatched = [n for n in diverged[1:] if not matches[n - diverged.start]]
    stale = {
        str(n): name for n in mismatched if (name := first_wrong_local(actual, decoded, n, both))
    }
    actual_steps = list(_actual_steps(actual, both[0]))
    predicted_steps = list(_predicted_steps(decoded, actual, matched_steps, both[1]))
    if alignment is not None and alignment.gap is not None:
        pairs = step_pairs(alignment)
        actual_steps = _with_gap(actual_steps, [a for a, _ in pairs])
        predicted_steps = _with_gap(predicted_steps, [b for _, b in pairs])
        matches = _matches_with_gap(alignment, alignment.gap, pairs, both)[: len(predicted_steps)]
        stale = {}
    possibility = possibility_document(sample.possibility)
    # The page shows these as a badge, and in the panel of the threads.
    shown_elsewhere = (
        *_REASON_FACTS,
        *(("note",) if possibility else ()),
        *(("schedule",) if actual.has_threads else ()),
    )
    own_choices = [["own choices", own_choice_text(scores)]] if scores else []
    return {
        "id": prediction.id,
        "verdict": verdict,
        "outcome": facts.outcome,
        "cause": cause.name if cause else None,
        "summary": possibility["sentence"]
        if possibility and not divergence and facts.outcome == "correct"
        else story_text(sample.diagnosis, width=_SUMMARY_VALUE_CHARS),
        "facts": [list(fact) for fact in fact_texts(sample) if fact[0] not in shown_elsewhere]
        + own_choices,
        "reason": _reason(sample.diagnosis),
        "source": actual.program.text,
        "language": get_language(actual.program.language).highlighting,
        "actual": {
            "steps": actual_steps,
            "ending": ending_text(actual).plain,
        },
        "predicted": {
            "steps": predicted_steps,
            "ending": decoded.reason,
        },
        "matched_steps": matched_steps,
        "divergence": None
        if divergence is None
        else {
            "step": divergence.step,
            "where": divergence.where,
            "variable": divergence.variable,
            "executed_line": divergence.executed_line,
            "actual": divergence.actual,
            "predicted": divergence.predicted,
            "differences": [asdict(difference) for difference in divergence.differences],
        },
        "matches_after_divergence": matches,
        "stale_variables": stale,
        "value_tokens": None
        if divergence is None or tokenizer is None
        else _value_tokens(divergence.actual, divergence.predicted, tokenizer),
        "nll": [_step_nll(score) for score in scores] or None,
        "attempts": [
            {
                "intervention": name,
                "description": INTERVENTIONS[name].sentence,
                "is_correct": is_correct,
                "result": result,
            }
            for name, is_correct, result in attempt_results(attempts, matched_steps)
        ],
        "prompt": _prompt(sample),
        "output": prediction.text,
        "answer": prediction.answer,
        "trust": None if trust is None else asdict(trust),
        "expected": prediction.expected,
        "possibility": possibility,
        "schedule": schedule_document(actual),
        "distribution": None
        if distribution is None
        else build_distribution(distribution, prediction.answer),
    }


def _reason(diagnosis: Diagnosis) -> dict[str, Any] | None:
    """Why the cause was chosen, and what confirmed or refuted it: `Reason` in viewer/src/api."""
    cause = diagnosis.cause
    if cause is None:
        return None
    reason = find_reason(diagnosis.facts, cause)
    is_fact = diagnosis.facts.divergence is None
    status = (
        "confirmed"
        if cause.confirmed_by
        else "refuted"
        if cause.refuted_by
        else "fact"
        if is_fact
        else "hypothesis"
    )
    return {
        "rule": reason.rule,
        "rules": len(RULES),
        "sentence": cause.sentence,
        "facts": list(reason.facts),
        "also_matching": list(reason.also_matching),
        "status": status,
        "tested_by": cause.confirmed_by or cause.refuted_by,
    }


def _with_gap(
    steps: Sequence[dict[str, Any]], indices: Sequence[int | None]
) -> list[dict[str, Any]]:
    """The steps of one execution, with empty ones where only the other execution has steps."""
    last = max((row for row, index in enumerate(indices) if index is not None), default=-1)
    empty: dict[str, Any] = {"event": "line", "line": None, "text": "", "changed": [], "set": {}}
    empty |= {"unset": [], "value": None, "is_gap": True}
    return [empty if index is None else steps[index] for index in indices[: last + 1]]


def _matches_with_gap(
    alignment: Alignment, gap: Gap, pairs: Sequence[StepPair], both: States
) -> list[bool]:
    """For each row from the divergence on, whether its two steps match."""
    after_gap = alignment.matched_steps + gap.steps
    return [False] * gap.steps + [
        row < after_gap + gap.steps_after
        or (
            a is not None
            and b is not None
            and is_same_step(alignment.actual, alignment.predicted, a, both, predicted_index=b)
        )
        for row, (a, b) in enumerate(pairs[after_gap:], after_gap)
    ]


def _step_nll(score: StepScore) -> dict[str, Any]:
    # A step can have no state tokens, and then it has no NLL of the state.
    return {
        "action": score.action_surprise if score.action_tokens else None,
        "state": score.state_surprise if score.state_tokens else None,
        "is_action_greedy": score.is_action_greedy,
        "is_state_greedy": score.is_state_greedy,
    }


def _prompt(sample: Sample) -> str:
    """The prompt of the sample, rendered again; empty if its program has no call."""
    asked, program = sample.prediction.generation, sample.prediction.program
    if program.entry is None:
        return ""
    codec = get_codec(asked.codec if asked else "cwm")
    return "".join(codec.prompt(program))


def _actual_steps(actual: Trace, states: Sequence[State]) -> Iterator[dict[str, Any]]:
    functions = {number: scope.function for number, scope in enumerate(actual.scopes)}
    stacks: dict[int, _CallStack] = defaultdict(_CallStack)
    before: State = {}
    assumed, preempted = _assumed_texts(actual), preempted_lines(actual)
    thread = 0
    for number, (step, state) in enumerate(zip(actual.steps, states, strict=True)):
        stack = stacks[step.thread]
        frames = stack.update(step, step.line, functions.get(step.scope, "?"))
        if step.thread != thread:
            frames = stack.frames
        thread = step.thread
        text = actual.source_line(step)
        document = _step_document(step, step.line, text, before, state, frames)
        if number in assumed:
            document["assumed"] = assumed[number]
        if step.thread:
            document["thread"] = step.thread
        if number in preempted:
            document["preempted_at"] = preempted[number]
        yield document
        before = state


def _assumed_texts(actual: Trace) -> dict[int, list[str]]:
    """The assumed calls by step: "requests.get('u') → <Response [200]>"."""
    texts: dict[int, list[str]] = {}
    for call in actual.assumptions.calls if actual.assumptions else ():
        if call.step is not None:
            texts.setdefault(call.step, []).append(f"{call.expression} → {call.value}")
    return texts


def _predicted_steps(
    decoded: Decoded, actual: Trace, matched_steps: int, states: Sequence[State]
) -> Iterator[dict[str, Any]]:
    # Of lines with the same text, the first one.
    line_numbers = {line: n for n, line in reversed([*enumerate(actual.program.lines, 1)])}
    stacks: dict[int, _CallStack] = defaultdict(_CallStack)
    before: State = {}
    thread = 0
    steps = zip(decoded.steps, decoded.step_texts, states, strict=True)
    for index, (step, step_text, state) in enumerate(steps):
        # Most formats write the text of a line, not its number. Several lines can have the same
        # text; up to the divergence, the predicted line is the actual one.
        if step_text.number is not None:
            number: int | None = step_text.number
        elif index < min(matched_steps, len(actual.steps)):
            number = actual.steps[index].line
        else:
            number = line_numbers.get(step_text.line)
        definition = _DEFINITION.match(step_text.line) if step.event == "call" else None
        function = (definition[1] or definition[2]) if definition else "?"
        frames = stacks[step.thread].update(step, number, function)
        if step.thread != thread:
            frames = stacks[step.thread].frames
        thread = step.thread
        yield _step_document(step, number, step_text.line, before, state, frames)
        before = state


def _step_document(
    step: Step,
    line: int | None,
    text: str,
    before: State,
    state: State,
    frames: list[dict[str, Any]] | None,
) -> dict[str, Any]:
    document: dict[str, Any] = {
        "event": step.event,
        "line": line,
        "text": text,
        "changed": list(step.changed),
        "set": {name: value for name, value in state.items() if before.get(name) != value},
        "unset": [name for name in before if name not in state],
        "value": step.value,
    }
    if step.event == "exception" or (step.event == "return" and step.value is None):
        document["description"] = step_result_text(step)
    if frames is not None:
        document["stack"] = frames
    return document


class _CallStack:
    """The active calls at each step, outermost first."""

    def __init__(self) -> None:
        self._frames: list[tuple[int, str, int | None]] = []
        self._has_returned = False

    def update(self, step: Step, line: int | None, function: str) -> list[dict[str, Any]] | None:
        """Apply a step and return the frames, or None if they did not change."""
        before = list(self._frames)
        if self._has_returned and self._frames:
            self._frames.pop()
        scopes = [scope for scope, _, _ in self._frames]
        if step.scope in scopes:
            depth = scopes.index(step.scope)
            function = self._frames[depth][1]
            del self._frames[depth:]
        self._frames.append((step.scope, function, line))
        self._has_returned = step.event == "return"
        if self._frames == before:
            return None
        return self.frames

    @property
    def frames(self) -> list[dict[str, Any]]:
        """The active calls, outermost first."""
        return [{"function": function, "line": line} for _, function, line in self._frames]


def _value_tokens(actual: str, predicted: str, tokenizer: Tokenizer) -> dict[str, Any]:
    return {
        "tokenizer": tokenizer.name,
        "actual": tokenizer.token_texts(actual[:_MAX_TOKENIZED_CHARS]),
        "predicted": tokenizer.token_texts(predicted[:_MAX_TOKENIZED_CHARS]),
    }
