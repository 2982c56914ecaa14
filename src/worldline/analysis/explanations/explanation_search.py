"""Search for changes of a program whose execution yields a prediction."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from worldline.analysis.alignment import (
    Divergence,
    canonical_value,
    first_divergence,
    is_opaque,
    results_equal,
)
from worldline.analysis.diagnosis import Sample
from worldline.analysis.explanations.candidate_changes import Candidate, find_candidates
from worldline.analysis.explanations.catalogue import MISCONCEPTIONS
from worldline.analysis.explanations.changed_program import (
    Execution,
    Variant,
    execute_variants,
)
from worldline.analysis.explanations.explanation import (
    MAX_CHANCE,
    Explanation,
    ExplanationSearch,
    Occurrence,
)
from worldline.analysis.explanations.explanation_chance import (
    chance_of_explanation,
    chance_with_repeats,
)
from worldline.analysis.explanations.misconception import Misconception, Source, parse_program
from worldline.core.language import missing_feature
from worldline.core.trace import Trace, state_at
from worldline.languages.python.recorder import Recorder

# Changes that are tried for one prediction.
MAX_CHANGES = 300
# Repeated errors that are counted as evidence.
_MAX_REPEATS = 3
_RANKS: Mapping[Occurrence, int] = {"always": 0, "from_divergence": 1, "once": 2}
# Evaluations that never happen: the operation is only counted.
_NEVER = (1, 0)


def find_explanations(
    sample: Sample,
    recorder: Recorder,
    *,
    misconceptions: Iterable[Misconception] | None = None,
    max_changes: int = MAX_CHANGES,
) -> ExplanationSearch:
    """Find the changes of one operation whose execution yields the predicted step.

    Every change is applied at all executions of its operation. A change of the diverging line
    that contradicts an earlier step is also applied from the divergence on, and there only.

    Args:
        sample: A prediction that diverged, with the actual execution.
        recorder: Executes the changed programs.
        misconceptions: The misconceptions to try; by default the whole catalogue.
        max_changes: The maximum number of changes.

    Returns:
        The explanations, the best first: those that also yield the most of the following steps,
        then those that apply always, then those on the diverging line.
    """
    divergence = sample.diagnosis.facts.divergence
    if divergence is None or divergence.where == "end":
        return ExplanationSearch(note="the prediction has no wrong value or action")
    program = sample.actual.program
    missing = missing_feature(program.language, "explanations")
    if missing:
        return ExplanationSearch(note=missing)
    source = parse_program(program.text)
    if source is None or program.entry is None:
        return ExplanationSearch(note="only Python programs with an entry point can be changed")
    chosen = MISCONCEPTIONS.values() if misconceptions is None else misconceptions
    alignment = sample.diagnosis.facts.alignment
    assert alignment is not None
    candidates = find_candidates(source, alignment.actual, divergence, chosen, limit=max_changes)
    return _Search(sample, divergence, source, recorder).run(candidates)


@dataclass(frozen=True, slots=True)
class _Match:
    """How far the execution of a changed program agrees with the prediction.

    `value`: what it has at the divergence; None if it agrees with the actual execution there, or
    differs from the prediction before.
    """

    matched_steps: int
    is_explained: bool
    value: str | None


class _Search:
    """The search for one sample."""

    def __init__(
        self, sample: Sample, divergence: Divergence, source: Source, recorder: Recorder
    ) -> None:
        self.sample = sample
        self.divergence = divergence
        self.source = source
        self.recorder = recorder
        alignment = sample.diagnosis.facts.alignment
        assert alignment is not None
        self.alignment = alignment
        self.tried = 0
        self.values: set[str] = set()

    def run(self, candidates: Sequence[Candidate]) -> ExplanationSearch:
        """Try all candidates."""
        explained: list[tuple[Candidate, Explanation]] = []
        contradicted: list[Candidate] = []
        executions = self._execute([Variant(candidate.change) for candidate in candidates])
        for candidate, execution in zip(candidates, executions, strict=True):
            match = self._match(execution)
            if match is None or execution is None:
                continue
            if match.is_explained:
                explained.append(
                    (candidate, self._explanation(candidate, execution, match, "always"))
                )
            elif match.matched_steps < self.divergence.step and candidate.is_on_line:
                contradicted.append(candidate)
        explained += self._try_at_divergence(contradicted)
        order = {id(candidate): index for index, candidate in enumerate(candidates)}
        explained.sort(
            key=lambda pair: (
                -pair[1].steps_after,
                _RANKS[pair[1].occurrence],
                not pair[0].is_on_line,
                order[id(pair[0])],
            )
        )
        return self._result(explained)

    def _result(self, explained: Sequence[tuple[Candidate, Explanation]]) -> ExplanationSearch:
        chance = None
        if explained:
            chance = chance_of_explanation(self.sample, self.divergence, self.values)
            if chance > MAX_CHANCE and explained[0][1].steps_after:
                n_executions = len({explanation.execution for _, explanation in explained})
                repeats = self._count_repeats(*explained[0])
                chance = chance_with_repeats(chance, repeats, n_executions)
        return ExplanationSearch(
            explanations=tuple(explanation for _, explanation in explained),
            tried=self.tried,
            values=frozenset(self.values),
            chance=chance,
        )

    def _try_at_divergence(
        self, candidates: Sequence[Candidate]
    ) -> list[tuple[Candidate, Explanation]]:
        """Apply changes to the evaluation before the divergence only, or from there on."""
        places = self._evaluations({id(c.change.node): c for c in candidates}.values())
        located = [c for c in candidates if id(c.change.node) in places]
        starts = [places[id(c.change.node)] for c in located]
        once = [Variant(c.change, n, n) for c, n in zip(located, starts, strict=True)]
        explained = self._explain(located, once, "once")
        ids = {id(candidate) for candidate, _ in explained}
        again = [
            (c, Variant(c.change, n)) for c, n in zip(located, starts, strict=True) if id(c) in ids
        ]
        onward = {
            id(candidate): explanation
            for candidate, explanation in self._explain(
                [c for c, _ in again], [variant for _, variant in again], "from_divergence"
            )
        }
        return [
            (
                candidate,
                max(
                    (explanation, onward.get(id(candidate), explanation)),
                    key=lambda each: each.steps_after,
                ),
            )
            for candidate, explanation in explained
        ]

    def _explain(
        self,
        candidates: Sequence[Candidate],
        variants: Sequence[Variant],
        occurrence: Occurrence,
    ) -> list[tuple[Candidate, Explanation]]:
        """The candidates whose execution yields the prediction."""
        return [
            (candidate, self._explanation(candidate, execution, match, occurrence))
            for candidate, execution in zip(candidates, self._execute(variants), strict=True)
            for match in [self._match(execution)]
            if execution is not None and match is not None and match.is_explained
        ]

    def _evaluations(self, candidates: Iterable[Candidate]) -> dict[int, int]:
        """For each node, the number of its last evaluation before the divergence."""
        if self.alignment.excludes_comprehensions:
            # The steps of the divergence are counted without those that were removed.
            return {}
        nodes = list(candidates)
        executions = self._execute([Variant(c.change, *_NEVER) for c in nodes], is_counted=False)
        start = self._window_start()
        return {
            id(candidate.change.node): number
            for candidate, execution in zip(nodes, executions, strict=True)
            if execution is not None
            for number in [last_evaluation(execution, self.divergence.step)]
            if number is not None and execution.evaluations[number] > start
        }

    def _window_start(self) -> int:
        """The last step before the divergence on its executed line."""
        steps, divergence = self.alignment.actual.steps, self.divergence
        return max(
            (n for n in range(divergence.step) if steps[n].line == divergence.executed_line),
            default=-1,
        )

    def _count_repeats(self, candidate: Candidate, explanation: Explanation) -> int:
        """Count the later steps that are explained only if the operation is misread again."""
        if explanation.occurrence != "always" or self.alignment.excludes_comprehensions:
            # From the divergence on, a prediction may repeat its own error without a reason.
            return 0
        reached = self.divergence.step + explanation.steps_after
        last, repeats = None, 0
        (counted,) = self._execute([Variant(candidate.change, *_NEVER)], is_counted=False)
        if counted is not None:
            last = last_evaluation(counted, self.divergence.step)
        while last is not None and repeats < _MAX_REPEATS:
            (execution,) = self._execute([Variant(candidate.change, 0, last)])
            match = self._match(execution)
            if execution is None or match is None or match.matched_steps > reached:
                break
            repeats += 1
            later = last_evaluation(execution, match.matched_steps)
            last = later if later is not None and later > last else None
        return repeats

    def _execute(
        self, variants: Sequence[Variant], *, is_counted: bool = True
    ) -> list[Execution | None]:
        executions = execute_variants(
            self.sample.actual.program,
            self.source,
            variants,
            self.recorder,
            limits=self.sample.actual.limits,
            steps=self._compared_steps(),
        )
        self.tried += sum(execution is not None for execution in executions) * is_counted
        return executions

    def _compared_steps(self) -> int:
        decoded = self.sample.prediction.decoded
        n_predicted = len(decoded.steps) if decoded.shows_steps else len(self.sample.actual.steps)
        return max(n_predicted, self.divergence.step) + 1

    def _match(self, execution: Execution | None) -> _Match | None:
        """Compare the execution of a changed program with the prediction."""
        if execution is None or not execution.trace.steps:
            return None
        if not self.sample.prediction.decoded.shows_steps:
            return self._match_result(execution.trace)
        trace, matched, divergence = first_divergence(
            execution.trace, self.sample.prediction.decoded
        )
        step = self.divergence.step
        value = value_at(trace, self.divergence) if matched >= step else None
        if value is None or is_opaque(value):
            return _Match(matched, False, None)
        if canonical_value(value) == self._actual_value():
            return _Match(matched, False, None)
        self.values.add(canonical_value(value))
        is_truncated_step = self.divergence.is_within_truncated_step
        is_explained = matched > step or (is_truncated_step and divergence is None)
        return _Match(matched, is_explained, value)

    def _match_result(self, trace: Trace) -> _Match:
        if trace.result is None or is_opaque(trace.result):
            return _Match(0, False, None)
        if canonical_value(trace.result) != canonical_value(self.divergence.actual):
            self.values.add(canonical_value(trace.result))
        is_explained = results_equal(trace.result, self.divergence.predicted)
        return _Match(self.divergence.step, is_explained, trace.result)

    def _actual_value(self) -> str:
        value = value_at(self.alignment.actual, self.divergence)
        return canonical_value(value or "")

    def _explanation(
        self, candidate: Candidate, execution: Execution, match: _Match, occurrence: Occurrence
    ) -> Explanation:
        change = candidate.change
        return Explanation(
            misconception=candidate.misconception.name,
            sentence=candidate.misconception.sentence,
            clause=change.clause,
            operation=change.operation,
            line=change.node.lineno,
            before=self.source.segment(change.node),
            after=change.text,
            occurrence=occurrence,
            steps_after=max(0, match.matched_steps - self.divergence.step - 1),
            trace=execution.trace,
        )


def last_evaluation(execution: Execution, step: int) -> int | None:
    """The number of the last evaluation of the changed operation before a step."""
    before = [n for n, position in enumerate(execution.evaluations) if position <= step]
    return before[-1] if before else None


def value_at(trace: Trace, divergence: Divergence) -> str | None:
    """What an execution has at a divergence: the value, or the line if that differs.

    Returns:
        None if the execution ends before.
    """
    if divergence.step >= len(trace.steps):
        return None
    step = trace.steps[divergence.step]
    action = f"{step.event} {step.line}"
    is_same_action = (step.event, step.line) == (divergence.event, divergence.line)
    if divergence.where == "action" or not is_same_action:
        return f"<{action}>"
    if divergence.variable is None:
        return "None" if step.value is None else step.value
    return state_at(trace.steps, divergence.step).get(divergence.variable, "<unbound>")
