"""Stream of a level's candidates, with chunks generated ahead."""

from collections import deque
from collections.abc import Callable
from dataclasses import replace

from worldline.data.generation.candidate_workers import SubmitChunk
from worldline.data.generation.candidates import Candidate, Chunk


class CandidateStream:
    """The candidates of a level, in the order of their numbers."""

    def __init__(self, chunk: Chunk, submit: SubmitChunk, *, ahead: int) -> None:
        """Create a stream.

        Args:
            chunk: The first chunk; later ones continue its numbers.
            submit: Submits a chunk to the workers.
            ahead: Number of chunks to have submitted when a candidate is needed.
        """
        self._next_chunk = chunk
        self._submit = submit
        self._ahead = ahead
        self._pending: deque[Callable[[], list[Candidate]]] = deque()
        self._ready: deque[Candidate] = deque()

    def next(self) -> Candidate:
        """Return and remove the next candidate."""
        if not self._ready:
            self._submit_chunks(self._ahead)
            self._ready.extend(self._pending.popleft()())
        return self._ready.popleft()

    def peek(self, count: int) -> list[Candidate]:
        """Return the next candidates without removing them."""
        self._submit_chunks(-(-(count - len(self._ready)) // self._next_chunk.count))
        while len(self._ready) < count:
            self._ready.extend(self._pending.popleft()())
        return [self._ready[n] for n in range(count)]

    def skip_to(self, number: int) -> None:
        """Remove the candidates before a number."""
        if number >= self._next_chunk.first:
            self._pending.clear()
            self._next_chunk = replace(self._next_chunk, first=number)
        while self._ready and self._ready[0].number < number:
            self._ready.popleft()
        while self._pending and not self._ready:
            self._ready.extend(c for c in self._pending.popleft()() if c.number >= number)

    def _submit_chunks(self, count: int) -> None:
        """Submit chunks until `count` are pending."""
        while len(self._pending) < count:
            chunk = self._next_chunk
            self._pending.append(self._submit(chunk))
            self._next_chunk = replace(chunk, first=chunk.first + chunk.count)
