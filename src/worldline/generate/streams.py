"""A level goes in; its candidates come out one by one, some of them made ahead."""

from collections import deque
from collections.abc import Callable
from dataclasses import replace

from worldline.generate.candidates import Candidate, Chunk
from worldline.generate.workers import Begin


class Stream:
    """The candidates of a level in the order of their numbers; chunks are made ahead of those
    that are taken. `chunk` says what the first one is of."""

    def __init__(self, chunk: Chunk, begin: Begin, *, ahead: int) -> None:
        self._chunk = chunk
        self._begin = begin
        self._ahead = ahead
        self._begun: deque[Callable[[], list[Candidate]]] = deque()
        self._made: deque[Candidate] = deque()

    def next(self) -> Candidate:
        """The next candidate."""
        if not self._made:
            self._begin_chunks(self._ahead)
            self._made.extend(self._begun.popleft()())
        return self._made.popleft()

    def peek(self, count: int) -> list[Candidate]:
        """The next candidates, which are still to be taken."""
        self._begin_chunks(-(-(count - len(self._made)) // self._chunk.count))
        while len(self._made) < count:
            self._made.extend(self._begun.popleft()())
        return [self._made[n] for n in range(count)]

    def skip_to(self, number: int) -> None:
        """Let go of the candidates before this number."""
        if number >= self._chunk.first:
            self._begun.clear()
            self._chunk = replace(self._chunk, first=number)
        while self._made and self._made[0].number < number:
            self._made.popleft()
        while self._begun and not self._made:
            self._made.extend(c for c in self._begun.popleft()() if c.number >= number)

    def _begin_chunks(self, count: int) -> None:
        while len(self._begun) < count:
            self._begun.append(self._begin(self._chunk))
            self._chunk = replace(self._chunk, first=self._chunk.first + self._chunk.count)
