"""An order goes in; programs come out one by one, and why others are left out.

Candidates are judged in one order, number by number and within a number level by level, whoever
makes them: what is kept does not depend on how many workers there are.
"""

from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from worldline.errors import InputError
from worldline.generate.balance import PILOT, Cell, Plan, Shortage, needs_pilot, plan
from worldline.generate.candidates import Candidate, Chunk
from worldline.generate.excluded import Excluded
from worldline.generate.facets import check_facets
from worldline.generate.levels import LEVELS, USUAL
from worldline.generate.normal import program_key
from worldline.generate.streams import Stream
from worldline.generate.workers import Begin, making
from worldline.predict import Question

DUPLICATE = "duplicate"
FULL = "its cell is full"
RARE = "its cell is rare"
_SMALLEST_CHUNK, _LARGEST_CHUNK = 4, 32


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be made: the same order makes the same programs."""

    count: int
    seed: int = 0
    levels: tuple[str, ...] = USUAL
    balance: tuple[str, ...] = ("level",)
    most_steps: int = 300
    longest_value: int = 200


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of a candidate: it is kept, or left out for a reason."""

    level: str
    number: int
    question: Question | None
    reason: str = ""


@dataclass(slots=True)
class Progress:
    """How far an order has come: the next candidate, what is kept, and why others are not."""

    number: int = 0
    level: int = 0
    questions: list[Question] = field(default_factory=list)
    left_out: Counter[tuple[str, str]] = field(default_factory=Counter)
    shortages: list[Shortage] = field(default_factory=list)

    def note(self, decision: Decision, levels: Sequence[str]) -> None:
        """One more candidate has been judged."""
        if decision.question is not None:
            self.questions.append(decision.question)
        else:
            self.left_out[decision.reason, decision.level] += 1
        self.number, self.level = decision.number, levels.index(decision.level) + 1


def check_order(order: Order) -> None:
    """Refuse what cannot be made."""
    for level in order.levels:
        if level not in LEVELS:
            raise InputError(f"there is no level {level!r}; there is: {', '.join(LEVELS)}")
    if not order.levels or len(set(order.levels)) < len(order.levels):
        raise InputError("name one level or more, each once, as in --levels loops,strings")
    for name in ("count", "most_steps", "longest_value"):
        if getattr(order, name) < 1:
            raise InputError(f"{name} must be 1 or more, found {getattr(order, name)}")
    check_facets(order.balance)


def decide(
    order: Order, excluded: Excluded, *, workers: int = 1, progress: Progress | None = None
) -> Generator[Decision, None, None]:
    """Judge candidates until there is enough of everything, or no more to be had.

    What has been judged is noted in `progress`; one that was begun before is gone on with. The
    cells that could not be filled are in its `shortages` at the end.
    """
    check_order(order)
    progress = Progress() if progress is None else progress
    with making(workers) as begin:
        streams = {level: _stream(order, level, begin, workers) for level in order.levels}
        planned = _plan(order, streams)
        judge = _Judge(planned, excluded, progress)
        for level, stream in streams.items():
            stream.skip_to(progress.number + (order.levels.index(level) < progress.level))
        while judge.wanted and progress.number < planned.most_tries:
            for level in order.levels[progress.level :]:
                if level in judge.wanted:
                    decision = judge.judge(streams[level].next())
                    progress.note(decision, order.levels)
                    yield decision
            progress.number, progress.level = progress.number + 1, 0
    progress.shortages = judge.shortages()


def _stream(order: Order, level: str, begin: Begin, workers: int) -> Stream:
    share = -(-order.count // len(order.levels))
    size = min(_LARGEST_CHUNK, max(_SMALLEST_CHUNK, -(-share // 4)))
    ahead = 1 + -(-workers // len(order.levels))
    chunk = Chunk(order.seed, level, 0, size, order.most_steps, order.longest_value)
    return Stream(chunk, begin, ahead=ahead)


def _plan(order: Order, streams: Mapping[str, Stream]) -> Plan:
    pilot: list[Candidate] = []
    if needs_pilot(order.balance):
        for stream in streams.values():
            pilot += stream.peek(PILOT)
    facets = [found.question.facets for found in pilot if found.question is not None]
    return plan(order.count, order.levels, order.balance, facets)


class _Judge:
    """Knows what there is already, and what is still wanted."""

    def __init__(self, planned: Plan, excluded: Excluded, progress: Progress) -> None:
        self._plan = planned
        self._excluded = excluded
        self._progress = progress
        self._keys = {program_key(question.program) for question in progress.questions}
        self._filled: Counter[Cell] = Counter(
            planned.cell(question.facets) for question in progress.questions
        )
        self.wanted = self._wanted()

    def judge(self, candidate: Candidate) -> Decision:
        """Keep a candidate, or say why not."""
        reason = self._reason(candidate)
        question = None if reason else candidate.question
        if question is not None:
            self._keys.add(candidate.key)
            self._filled[self._plan.cell(question.facets)] += 1
            self.wanted = self._wanted()
        return Decision(candidate.level, candidate.number, question, reason)

    def _reason(self, candidate: Candidate) -> str:
        if candidate.question is None:
            return candidate.reason
        if candidate.source_key in self._excluded.keys:
            return f"is in {PurePath(self._excluded.keys[candidate.source_key]).name}"
        if candidate.key in self._keys:
            return DUPLICATE
        cell = self._plan.cell(candidate.question.facets)
        if cell not in self._plan.quotas:
            return RARE
        return FULL if self._filled[cell] >= self._plan.quotas[cell] else ""

    def _wanted(self) -> set[str]:
        """The levels that have something to give to a cell that is not full."""
        open_cells = [c for c, wanted in self._plan.quotas.items() if self._filled[c] < wanted]
        return {level for cell in open_cells for level in self._plan.sources[cell]}

    def shortages(self) -> list[Shortage]:
        """The cells that have less than they were to have."""
        return [
            Shortage(cell, wanted, self._filled[cell], self._progress.number)
            for cell, wanted in self._plan.quotas.items()
            if self._filled[cell] < wanted
        ]
