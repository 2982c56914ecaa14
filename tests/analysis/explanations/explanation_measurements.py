"""Measurements of explanations: on recorded failures, on made errors and on shuffled values."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from worldline.analysis.alignment import Divergence, canonical_value
from worldline.analysis.diagnosis import Sample, diagnose_prediction, value_kind
from worldline.analysis.explanations import (
    MAX_CHANCE,
    MISCONCEPTIONS,
    ExplanationSearch,
    chance_of_explanation,
    find_explanations,
)
from worldline.analysis.explanations.candidate_changes import Candidate, find_candidates
from worldline.analysis.explanations.changed_program import Execution, Variant, execute_variants
from worldline.analysis.explanations.explanation import Explanation
from worldline.analysis.explanations.misconception import parse_program
from worldline.core.trace import Limits, Program, Trace
from worldline.core.util.seeded_random import SeededRandom
from worldline.languages.python.recorder import Recorder
from worldline.models.codecs import get_codec
from worldline.models.prediction import make_prediction

CWM = get_codec("cwm")
# Changes of one program that are executed to find one with an effect.
TRIES = 12
MAX_STEPS = 300


@dataclass(frozen=True, slots=True)
class Searched:
    """A sample and the search for its explanations."""

    sample: Sample
    search: ExplanationSearch

    @property
    def divergence(self) -> Divergence:
        divergence = self.sample.diagnosis.facts.divergence
        assert divergence is not None
        return divergence

    @property
    def has_value(self) -> bool:
        return self.divergence.where not in ("action", "end")


@dataclass(frozen=True, slots=True)
class Made:
    """A prediction that a wrong program made, and the change that made it wrong."""

    sample: Sample
    candidate: Candidate
    execution: Execution


@dataclass(slots=True)
class MadeResult:
    """How many made predictions were found, ranked first and reported."""

    total: int = 0
    found: int = 0
    first: int = 0
    reported: int = 0
    not_found: Counter[str] = field(default_factory=Counter)
    not_first: Counter[tuple[str, str]] = field(default_factory=Counter)


def search_all(samples: Iterable[Sample], recorder: Recorder) -> Iterator[Searched]:
    """Search for explanations of every sample that diverged in a value or an action."""
    for sample in samples:
        divergence = sample.diagnosis.facts.divergence
        if divergence is not None and divergence.where != "end":
            yield Searched(sample, find_explanations(sample, recorder))


def expected_by_chance(searched: Sequence[Searched]) -> tuple[float, float]:
    """How many wrong values would be reproduced, and how many reported, were they random."""
    chances = [
        chance_of_explanation(each.sample, each.divergence, each.search.values)
        if each.search.values
        else 0.0
        for each in searched
        if each.has_value
    ]
    return sum(chances), sum(chance for chance in chances if chance <= MAX_CHANCE)


def shuffled_values(searched: Sequence[Searched]) -> tuple[int, int, int]:
    """Give every sample the wrong value of every other one of the same kind.

    Returns:
        The number of pairs, of those that a change reproduces, and of those that are reported.
    """
    pairs = reproduced = reported = 0
    values = [each for each in searched if each.has_value]
    for each in values:
        kind = value_kind(each.divergence.actual)
        for other in values:
            predicted = other.divergence.predicted
            own = (each.divergence.actual, each.divergence.predicted)
            is_alike = value_kind(predicted) == kind == value_kind(other.divergence.actual)
            if other is each or not is_alike or predicted in own:
                continue
            pairs += 1
            if canonical_value(predicted) not in each.search.values:
                continue
            reproduced += 1
            divergence = replace(each.divergence, predicted=predicted)
            chance = chance_of_explanation(each.sample, divergence, each.search.values)
            reported += chance <= MAX_CHANCE
    return pairs, reproduced, reported


def make_predictions(
    programs: Sequence[Program], recorder: Recorder, *, count: int, seed: int = 0
) -> Iterator[Made]:
    """Let wrong programs make predictions, evenly from all misconceptions.

    Each program is executed with one operation changed. Its trace is encoded as a prediction of
    the unchanged program, and truncated at a random place after the first difference.
    """
    random = SeededRandom("made", seed)
    used: Counter[str] = Counter()
    made = 0
    for program in random.shuffled(programs):
        if made >= count:
            return
        result = _make_prediction(program, recorder, used, random)
        if result is not None:
            used[result.candidate.misconception.name] += 1
            made += 1
            yield result


def _make_prediction(
    program: Program, recorder: Recorder, used: Counter[str], random: SeededRandom
) -> Made | None:
    limits = Limits(steps=MAX_STEPS)
    actual = recorder.record(program, limits=limits)
    source = parse_program(program.text)
    if not actual.is_complete or source is None:
        return None
    last = actual.steps[-1]
    everywhere = Divergence(
        len(actual.steps) - 1, "return", last.event, last.line, 0, last.line, "", ""
    )
    candidates = find_candidates(source, actual, everywhere, MISCONCEPTIONS.values(), limit=10_000)
    # The rarest misconceptions first.
    candidates = random.shuffled(candidates)
    candidates.sort(key=lambda candidate: used[candidate.misconception.name])
    candidates = candidates[:TRIES]
    executions = execute_variants(
        program,
        source,
        [Variant(candidate.change) for candidate in candidates],
        recorder,
        limits=limits,
        steps=MAX_STEPS,
    )
    for candidate, execution in zip(candidates, executions, strict=True):
        if execution is None or not execution.trace.is_complete:
            continue
        sample = _wrong_sample(actual, execution.trace, random)
        if sample is not None:
            return Made(sample, candidate, execution)
    return None


def _wrong_sample(actual: Trace, wrong: Trace, random: SeededRandom) -> Sample | None:
    text = "".join(CWM.encode(wrong))
    complete = make_prediction("made", actual.program, text, CWM, finish="stop")
    divergence = diagnose_prediction(actual, complete).facts.divergence
    if divergence is None or divergence.where == "end":
        return None
    texts = complete.decoded.step_texts
    if divergence.step >= len(texts):
        return None
    end = random.between(texts[divergence.step].end, len(text))
    prediction = make_prediction("made", actual.program, text[:end], CWM, finish="truncated")
    diagnosis = diagnose_prediction(actual, prediction)
    if diagnosis.facts.outcome != "diverged":
        return None
    return Sample(prediction, actual, diagnosis)


def measure_made(made: Iterable[Made], recorder: Recorder) -> tuple[MadeResult, list[Searched]]:
    """Search for explanations of made predictions, and count the right ones."""
    result, searched = MadeResult(), []
    for each in made:
        search = find_explanations(each.sample, recorder)
        searched.append(Searched(each.sample, search))
        name = each.candidate.misconception.name
        is_right = [_is_right(explanation, each) for explanation in search.explanations]
        result.total += 1
        result.found += any(is_right)
        result.first += bool(is_right) and is_right[0]
        result.reported += search.best is not None
        if not any(is_right):
            result.not_found[f"{name}: {each.candidate.change.clause}"] += 1
        elif not is_right[0]:
            result.not_first[name, search.explanations[0].misconception] += 1
    return result, searched


def _is_right(explanation: Explanation, made: Made) -> bool:
    change = made.candidate.change
    is_same = (explanation.line, explanation.after) == (change.node.lineno, change.text)
    key = replace(explanation, trace=made.execution.trace).execution
    return is_same or explanation.execution == key
