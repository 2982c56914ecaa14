"""Stored run whose samples are diagnosed again, from their stored traces, when they are needed."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from worldline.analysis.diagnosis import Sample
from worldline.analysis.interventions import InterventionName
from worldline.analysis.trust import TrustModel
from worldline.core.errors import InputError
from worldline.core.trace import Program
from worldline.evaluation.metrics import (
    OperationCounter,
    QuestionDistribution,
    TokenCosts,
    measure_tokens,
    question_distributions,
)
from worldline.evaluation.runs import (
    Attempts,
    ScoredSample,
    StoredPredictions,
    cause_tests,
    execute_and_diagnose,
    read_attempts,
    read_expected_answers,
    read_interventions,
    read_manifest,
    read_scored_samples,
    sample_name,
    with_tested_cause,
)
from worldline.interfaces.report import natural_key
from worldline.interfaces.viewer.run_settings import RunSettings, read_run_settings
from worldline.interfaces.viewer.run_trust import RunTrust, read_run_trust
from worldline.interfaces.viewer.sample_document import build_sample_document
from worldline.languages.python.recorder import Recorder
from worldline.models.tokenizers import Tokenizer


class DiagnosedRun:
    """The samples of a run by name, in the order of its rows.

    Args:
        location: The folder or address of the run.
        recorder: Executes the programs whose traces are not stored.
        tokenizer: Counts tokens.
        reexecute: Execute every program, also those whose traces are stored.
        trust_model: Assesses the results.
    """

    def __init__(
        self,
        location: str,
        recorder: Recorder,
        *,
        tokenizer: Tokenizer | None = None,
        reexecute: bool = False,
        trust_model: TrustModel | None = None,
    ) -> None:
        self.location = location
        self._reexecute = reexecute
        self._recorder = recorder
        self._tokenizer = tokenizer
        self._trust_model = trust_model
        self._manifest = read_manifest(location)

    @cached_property
    def rows(self) -> Sequence[ScoredSample]:
        """All samples, as they are at the first access, by their names: s9 before s10."""
        return sorted(
            read_scored_samples(self.location),
            key=lambda sample: (natural_key(sample.sample), sample.repeat),
        )

    @cached_property
    def settings(self) -> RunSettings:
        """How the predictions were made."""
        return read_run_settings(self.location, self._manifest)

    @cached_property
    def trust(self) -> RunTrust | None:
        """Trust in the results; None without a trust model."""
        return (
            None if self._trust_model is None else read_run_trust(self.location, self._trust_model)
        )

    @cached_property
    def _predictions(self) -> StoredPredictions:
        return StoredPredictions(self.location)

    @cached_property
    def _interventions(self) -> Mapping[InterventionName, Sequence[ScoredSample]]:
        return read_interventions(self.location)

    @cached_property
    def _attempts(self) -> Attempts:
        return read_attempts(self.location)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the samples."""
        return tuple(dict.fromkeys(map(sample_name, self.rows)))

    def __len__(self) -> int:
        return len(self.rows)

    def prepare(self) -> None:
        """Read where the samples are stored, which takes seconds for 100,000 samples."""
        _ = self._predictions, self._interventions, self._attempts

    def program(self, name: str) -> Program:
        """The program of a sample."""
        return self._predictions[name].program

    def diagnose(self, name: str) -> Sample:
        """Diagnose the prediction of a sample.

        Raises:
            InputError: The run has no sample of that name.
        """
        if name not in self._predictions:
            raise InputError(f"no sample {name!r} in {self.location}")
        recorder = self._recorder
        if not self._reexecute:
            recorder = self._predictions.recorder_of(name, recorder)
        sample = execute_and_diagnose(
            self._predictions[name],
            recorder,
            limits=self._manifest.limits,
            tokenizer=self._tokenizer,
            known_possibility=self._predictions.possibility(name),
        )
        tested = cause_tests([self._predictions.scored_sample(name)], self._interventions)
        return with_tested_cause(sample, tested)

    def document(self, name: str) -> dict[str, Any]:
        """Diagnose a sample and build its JSON document."""
        return self.document_of(self.diagnose(name), name)

    def document_of(self, sample: Sample, name: str) -> dict[str, Any]:
        """Build the JSON document of a sample that is already diagnosed."""
        scored = self._predictions.scored_sample(name)
        return build_sample_document(
            sample,
            verdict=scored.verdict,
            trust=self.trust.by_question.get(scored.sample) if self.trust else None,
            attempts=self._attempts.on(sample),
            tokenizer=self._tokenizer,
            distribution=self._distribution_of(sample, scored),
        )

    @cached_property
    def distributions(self) -> Mapping[str, QuestionDistribution]:
        """The exact distributions of the results next to the answers, by question; empty in a run
        without repeats."""
        if self._manifest.repeats <= 1:
            return {}
        questions = question_distributions(read_expected_answers(self.location))
        return {each.question: each for each in questions}

    def _distribution_of(self, sample: Sample, scored: ScoredSample) -> QuestionDistribution | None:
        """The distribution of a sample's question; without repeats, next to its one answer."""
        if scored.sample in self.distributions:
            return self.distributions[scored.sample]
        stored = self._predictions[sample.prediction.id]
        row = (scored.sample, sample.prediction.answer, stored.expected)
        return next(iter(question_distributions([row])), None)

    @property
    def has_tokenizer(self) -> bool:
        """Whether tokens can be counted."""
        return self._tokenizer is not None

    @property
    def has_predicted_steps(self) -> bool:
        """Whether the model predicted steps: not only answers, and not in the mode `score`."""
        settings = self._manifest.settings
        is_scored = settings is not None and settings.mode == "score"
        return not is_scored and any(row.matched_steps is not None for row in self.rows)

    def operation_counter(self) -> OperationCounter:
        """A counter of operations, with the run's tokenizer."""
        return OperationCounter(self._tokenizer)

    def token_costs(self, samples: Iterable[Sample]) -> TokenCosts:
        """Count the tokens of the samples' actual traces in every format.

        Raises:
            InputError: There is no tokenizer.
        """
        if self._tokenizer is None:
            raise InputError("counting tokens needs a tokenizer; choose one with --tokenizer")
        # An incomplete trace would look cheap; most codecs do not encode the steps of several
        # threads.
        complete = (
            (s.prediction.id, s.actual)
            for s in samples
            if s.actual.is_complete and not s.actual.has_threads
        )
        return measure_tokens(complete, self._tokenizer, budget=self.settings.max_tokens)
