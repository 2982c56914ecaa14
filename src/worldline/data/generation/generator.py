"""Generation driver: selects programs from the candidates of all levels.

Candidates are considered in a fixed order, by number and then by level. The selection therefore
does not depend on the number of workers.
"""

from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from worldline.core.errors import InputError
from worldline.data.generation.candidate_workers import SubmitChunk, start_candidate_workers
from worldline.data.generation.candidates import Candidate, Chunk
from worldline.data.generation.canonical_hash import hash_program
from worldline.data.generation.decontamination import DecontaminationIndex
from worldline.data.generation.facets import check_facets
from worldline.data.generation.levels import DEFAULT_LEVELS, LEVELS
from worldline.data.generation.prefetch import CandidateStream
from worldline.data.generation.stratification import (
    PILOT_SIZE,
    Cell,
    Plan,
    Shortage,
    needs_pilot,
    plan_quotas,
)
from worldline.models.prediction import Question

DUPLICATE = "duplicate"
FULL = "its cell is full"
RARE = "its cell is rare"
GENERATED_LANGUAGES = ("python", "javascript")
_MIN_CHUNK, _MAX_CHUNK = 4, 32


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """What to generate. Equal requests generate equal programs."""

    count: int
    seed: int = 0
    levels: tuple[str, ...] = DEFAULT_LEVELS
    balance: tuple[str, ...] = ("level",)
    max_steps: int = 300
    max_value_chars: int = 200
    language: str = "python"


@dataclass(frozen=True, slots=True)
class Decision:
    """Decision about a candidate: selected, or rejected for a reason."""

    level: str
    number: int
    question: Question | None
    reason: str = ""


@dataclass(slots=True)
class Progress:
    """State of a request: the next candidate, the selected programs and the rejections.

    `number` and `level` (an index into the request's levels) are those of the next candidate.
    `left_out` counts rejections by reason and level. `shortages` is set at the end.
    """

    number: int = 0
    level: int = 0
    questions: list[Question] = field(default_factory=list)
    left_out: Counter[tuple[str, str]] = field(default_factory=Counter)
    shortages: list[Shortage] = field(default_factory=list)

    def add(self, decision: Decision, levels: Sequence[str]) -> None:
        """Add the decision about one more candidate."""
        if decision.question is not None:
            self.questions.append(decision.question)
        else:
            self.left_out[decision.reason, decision.level] += 1
        self.number, self.level = decision.number, levels.index(decision.level) + 1


def validate_request(request: GenerationRequest) -> None:
    """Check that a request can be generated.

    Raises:
        InputError: A level, facet or language does not exist, or a limit is below 1.
    """
    for level in request.levels:
        if level not in LEVELS:
            raise InputError(f"there is no level {level!r}; use: {', '.join(LEVELS)}")
    if not request.levels or len(set(request.levels)) < len(request.levels):
        raise InputError("name one level or more, each once, as in --levels loops,strings")
    if request.language not in GENERATED_LANGUAGES:
        known = " or ".join(GENERATED_LANGUAGES)
        raise InputError(f"programs are generated in {known}, not in {request.language!r}")
    for name in ("count", "max_steps", "max_value_chars"):
        if getattr(request, name) < 1:
            raise InputError(f"{name} must be 1 or more, found {getattr(request, name)}")
    check_facets(request.balance)


def select_candidates(
    request: GenerationRequest,
    index: DecontaminationIndex,
    *,
    workers: int = 1,
    progress: Progress | None = None,
) -> Generator[Decision, None, None]:
    """Generate candidates and decide about each, until every cell is full or given up.

    Args:
        request: What to generate.
        index: Programs to exclude.
        workers: Number of worker processes; 1 works in this process.
        progress: State of an earlier, interrupted call to resume. It is updated with every
            decision; the cells that could not be filled are in its `shortages` at the end.

    Raises:
        InputError: The request is invalid.
        RecorderError: A worker died, or a program was stopped by the machine.
    """
    validate_request(request)
    progress = Progress() if progress is None else progress
    with start_candidate_workers(workers) as submit:
        streams = {level: _stream(request, level, submit, workers) for level in request.levels}
        plan = _make_plan(request, streams)
        selector = _Selector(plan, index, progress)
        for level, stream in streams.items():
            stream.skip_to(progress.number + (request.levels.index(level) < progress.level))
        while selector.open_levels and progress.number < plan.max_tries:
            for level in request.levels[progress.level :]:
                if level in selector.open_levels:
                    decision = selector.decide(streams[level].next())
                    progress.add(decision, request.levels)
                    yield decision
            progress.number, progress.level = progress.number + 1, 0
    progress.shortages = selector.shortages()


def _stream(
    request: GenerationRequest, level: str, submit: SubmitChunk, workers: int
) -> CandidateStream:
    share = -(-request.count // len(request.levels))
    size = min(_MAX_CHUNK, max(_MIN_CHUNK, -(-share // 4)))
    ahead = 1 + -(-workers // len(request.levels))
    chunk = Chunk(
        request.seed, level, 0, size, request.max_steps, request.max_value_chars, request.language
    )
    return CandidateStream(chunk, submit, ahead=ahead)


def _make_plan(request: GenerationRequest, streams: Mapping[str, CandidateStream]) -> Plan:
    pilot: list[Candidate] = []
    if needs_pilot(request.balance):
        for stream in streams.values():
            pilot += stream.peek(PILOT_SIZE)
    facets = [each.question.facets for each in pilot if each.question is not None]
    return plan_quotas(request.count, request.levels, request.balance, facets)


class _Selector:
    """Selects candidates: no duplicates, no excluded programs, no more than a cell's quota."""

    def __init__(self, plan: Plan, index: DecontaminationIndex, progress: Progress) -> None:
        self._plan = plan
        self._index = index
        self._progress = progress
        self._hashes = {hash_program(question.program) for question in progress.questions}
        self._filled: Counter[Cell] = Counter(
            plan.cell(question.facets) for question in progress.questions
        )
        self.open_levels = self._find_open_levels()

    def decide(self, candidate: Candidate) -> Decision:
        """Select or reject a candidate."""
        reason = self._rejection_reason(candidate)
        question = None if reason else candidate.question
        if question is not None:
            self._hashes.add(candidate.program_hash)
            self._filled[self._plan.cell(question.facets)] += 1
            self.open_levels = self._find_open_levels()
        return Decision(candidate.level, candidate.number, question, reason)

    def _rejection_reason(self, candidate: Candidate) -> str:
        if candidate.question is None:
            return candidate.reason
        if candidate.source_hash in self._index.owners:
            return f"is in {PurePath(self._index.owners[candidate.source_hash]).name}"
        if candidate.program_hash in self._hashes:
            return DUPLICATE
        cell = self._plan.cell(candidate.question.facets)
        if cell not in self._plan.quotas:
            return RARE
        return FULL if self._filled[cell] >= self._plan.quotas[cell] else ""

    def _find_open_levels(self) -> set[str]:
        """Levels that can fill a cell below its quota."""
        open_cells = [c for c, quota in self._plan.quotas.items() if self._filled[c] < quota]
        return {level for cell in open_cells for level in self._plan.sources[cell]}

    def shortages(self) -> list[Shortage]:
        """Cells below their quota."""
        return [
            Shortage(cell, quota, self._filled[cell], self._progress.number)
            for cell, quota in self._plan.quotas.items()
            if self._filled[cell] < quota
        ]
