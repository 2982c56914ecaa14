"""A sample goes in; the document that the page steps through comes out."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from worldline.codecs import Decoded, codec_named
from worldline.diagnose import Sample
from worldline.intervene import INTERVENTIONS
from worldline.predict import StepScore
from worldline.report import (
    ending_text,
    is_same_step,
    own_choice_text,
    step_tells,
    still_wrong,
    told_attempts,
    told_facts,
    told_story,
)
from worldline.runs import Attempt
from worldline.tokens import Tokenizer
from worldline.trace import Step, Trace, states

_DEFINITION = re.compile(r"\s*(?:async\s+)?def\s+(\w+)|\s*class\s+(\w+)")
# Characters of a value that is cut into tokens: more cannot be looked at.
_LONGEST_CUT = 4000
# Characters of each value in the story.
_STORY = 80


def sample_document(
    sample: Sample,
    *,
    verdict: str,
    attempts: Sequence[Attempt] = (),
    tokenizer: Tokenizer | None = None,
) -> dict[str, Any]:
    """One sample as the page reads it: `SampleDocument` in viewer/src/contract.ts."""
    prediction, facts = sample.prediction, sample.diagnosis.facts
    alignment, parting = facts.alignment, facts.divergence
    truth = alignment.truth if alignment else sample.truth
    decoded = alignment.predicted if alignment else prediction.decoded
    matched = alignment.matched if alignment else 0
    cause = sample.diagnosis.cause
    scores = prediction.asked.scores if prediction.asked else ()
    both = (list(truth.states()), list(states(decoded.steps)))
    behind = range(parting.step, len(decoded.steps)) if parting else range(0)
    same_again = [is_same_step(truth, decoded, n, both) for n in behind]
    # Where the two part, what differs is told itself.
    wrong = [n for n in behind[1:] if not same_again[n - behind.start]]
    return {
        "id": prediction.id,
        "verdict": verdict,
        "outcome": facts.outcome,
        "cause": cause.name if cause else None,
        "story": told_story(sample.diagnosis, width=_STORY),
        "facts": [list(pair) for pair in told_facts(sample)]
        + ([["surprise", own_choice_text(scores)]] if scores else []),
        "source": truth.program.text,
        "real": {"steps": list(_real_steps(truth, both[0])), "ending": ending_text(truth).plain},
        "imagined": {
            "steps": list(_imagined_steps(decoded, truth, matched, both[1])),
            "ending": decoded.reason,
        },
        "matched": matched,
        "divergence": None
        if parting is None
        else {
            "step": parting.step,
            "where": parting.where,
            "variable": parting.variable,
            "true": parting.true,
            "predicted": parting.predicted,
            "differences": [asdict(each) for each in parting.differences],
        },
        "same_again": same_again,
        "still": {str(n): name for n in wrong if (name := still_wrong(truth, decoded, n, both))},
        "cuts": None if parting is None else _cuts(parting.true, parting.predicted, tokenizer),
        "surprise": [_surprise(score) for score in scores] or None,
        "attempts": [
            {
                "intervention": name,
                "changes": INTERVENTIONS[name].sentence,
                "is_right": is_right,
                "text": told,
            }
            for name, is_right, told in told_attempts(attempts, matched)
        ],
        "prompt": _prompt(sample),
        "reply": prediction.text,
        "answer": prediction.answer,
        "expected": prediction.expected,
    }


def _surprise(score: StepScore) -> dict[str, Any]:
    # A step can be without a state, and then nothing could surprise in it.
    return {
        "action": score.action_surprise if score.action_tokens else None,
        "state": score.state_surprise if score.state_tokens else None,
        "is_action_greedy": score.is_action_greedy,
        "is_state_greedy": score.is_state_greedy,
    }


def _prompt(sample: Sample) -> str:
    """What the model was asked with, as far as it can be said; nothing where it cannot."""
    asked, program = sample.prediction.asked, sample.prediction.program
    if program.entry is None:
        return ""
    codec = codec_named(asked.codec if asked else "cwm")
    return "".join(codec.prompt(program))


def _real_steps(truth: Trace, states: Sequence[Mapping[str, str]]) -> Iterator[dict[str, Any]]:
    names = {number: scope.function for number, scope in enumerate(truth.scopes)}
    stack = _Stack()
    before: Mapping[str, str] = {}
    for step, state in zip(truth.steps, states, strict=True):
        frames = stack.at(step, step.line, names.get(step.scope, "?"))
        text = truth.source_line(step)
        yield _step(step, step.line, text, step.changed, before, state, frames)
        before = state


def _imagined_steps(
    decoded: Decoded, truth: Trace, matched: int, states: Sequence[Mapping[str, str]]
) -> Iterator[dict[str, Any]]:
    # The first of each text.
    lines = {line: n for n, line in reversed([*enumerate(truth.program.lines, 1)])}
    stack = _Stack()
    before: Mapping[str, str] = {}
    imagined = zip(decoded.steps, decoded.written, states, strict=True)
    for index, (step, written, state) in enumerate(imagined):
        # Which of several lines of the same text is meant, the text does not tell; while all is
        # right, it is the real one.
        if written.number is not None:
            number: int | None = written.number
        elif index < min(matched, len(truth.steps)):
            number = truth.steps[index].line
        else:
            number = lines.get(written.line)
        defined = _DEFINITION.match(written.line) if step.event == "call" else None
        name = (defined[1] or defined[2]) if defined else "?"
        frames = stack.at(step, number, name)
        yield _step(step, number, written.line, step.changed, before, state, frames)
        before = state


def _step(
    step: Step,
    line: int | None,
    text: str,
    changed: Mapping[str, str],
    before: Mapping[str, str],
    state: Mapping[str, str],
    frames: list[dict[str, Any]] | None,
) -> dict[str, Any]:
    found: dict[str, Any] = {
        "event": step.event,
        "line": line,
        "text": text,
        "changed": list(changed),
        "set": {name: value for name, value in state.items() if before.get(name) != value},
        "unset": [name for name in before if name not in state],
        "value": step.value,
    }
    if step.event == "exception" or (step.event == "return" and step.value is None):
        found["tells"] = step_tells(step)
    return found if frames is None else {**found, "stack": frames}


class _Stack:
    """The functions that are running, outermost first, as steps go by."""

    def __init__(self) -> None:
        self._frames: list[tuple[int, str, int | None]] = []
        self._has_left = False

    def at(self, step: Step, line: int | None, name: str) -> list[dict[str, Any]] | None:
        """The stack at a step; none where it is that of the step before."""
        before = list(self._frames)
        if self._has_left and self._frames:
            self._frames.pop()
        scopes = [scope for scope, _, _ in self._frames]
        if step.scope in scopes:
            place = scopes.index(step.scope)
            name = self._frames[place][1]
            del self._frames[place:]
        self._frames.append((step.scope, name, line))
        self._has_left = step.event == "return"
        if self._frames == before:
            return None
        return [{"function": name, "line": line} for _, name, line in self._frames]


def _cuts(true: str, predicted: str, tokenizer: Tokenizer | None) -> dict[str, Any] | None:
    if tokenizer is None:
        return None
    return {
        "vocabulary": tokenizer.name,
        "true": tokenizer.pieces(true[:_LONGEST_CUT]),
        "predicted": tokenizer.pieces(predicted[:_LONGEST_CUT]),
    }
