"""A run goes in; its samples come out one by one, each executed again beside what was imagined."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from worldline.diagnose import Sample
from worldline.errors import InputError
from worldline.measures import TokenCosts, measure_tokens
from worldline.recorders import Recorder
from worldline.runs import (
    Judged,
    StoredPredictions,
    confirmed_causes,
    examine,
    read_attempts,
    read_interventions,
    read_judged,
    read_manifest,
    sample_name,
    with_confirmed,
)
from worldline.tokens import Tokenizer
from worldline.viewer.samples import sample_document


class ExaminedRun:
    """The samples of a run by their names, in the order of its rows."""

    def __init__(
        self, address: str, recorder: Recorder, *, tokenizer: Tokenizer | None = None
    ) -> None:
        self.address = address
        self._recorder = recorder
        self._tokenizer = tokenizer
        self._manifest = read_manifest(address)
        self.rows: Sequence[Judged] = read_judged(address)
        self.judged: Mapping[str, Judged] = {sample_name(row): row for row in self.rows}
        self.names = tuple(self.judged)
        self._confirmed = confirmed_causes(self.rows, read_interventions(address))
        self._attempts = read_attempts(address)
        self._predictions = StoredPredictions(address)

    def __len__(self) -> int:
        return len(self.names)

    def sample(self, name: str) -> Sample:
        """One sample, executed and diagnosed."""
        if name not in self._predictions:
            raise InputError(f"no sample {name!r} in {self.address}")
        limits = self._manifest.limits
        sample = examine(
            self._predictions[name], self._recorder, limits=limits, tokenizer=self._tokenizer
        )
        return with_confirmed(sample, self._confirmed)

    def document(self, name: str) -> dict[str, Any]:
        """One sample as the page reads it."""
        return self.document_of(self.sample(name), name)

    def document_of(self, sample: Sample, name: str) -> dict[str, Any]:
        """The same, where it was executed already."""
        return sample_document(
            sample,
            verdict=self.judged[name].verdict,
            attempts=self._attempts.on(sample),
            tokenizer=self._tokenizer,
        )

    @property
    def can_count(self) -> bool:
        """There is a vocabulary to count tokens with."""
        return self._tokenizer is not None

    def costs(self, samples: Iterable[Sample]) -> TokenCosts:
        """What the traces of samples take in each format."""
        if self._tokenizer is None:
            raise InputError("tokens are counted with --tokenizer")
        settings = self._manifest.settings
        # A trace that was not recorded to its end would look cheap.
        whole = ((s.prediction.id, s.truth) for s in samples if s.truth.is_whole)
        return measure_tokens(whole, self._tokenizer, budget=settings.budget if settings else None)
