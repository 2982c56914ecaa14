"""Problems with candidate solutions, their tests and inputs."""

from dataclasses import dataclass

from worldline.core.util.text import pluralize, truncate_text


@dataclass(frozen=True, slots=True)
class Candidate:
    """One candidate solution.

    Attributes:
        id: Its name, which is unique within the problem.
        source: Its source text.
        is_correct: Whether it solves the problem; None if that is unknown.
    """

    id: str
    source: str
    is_correct: bool | None = None


@dataclass(frozen=True, slots=True)
class CandidateProblem:
    """A problem, its candidate solutions, and what they are ranked by.

    Attributes:
        id: The name of the problem.
        candidates: The candidates. Several may have the same source.
        function: The name of the function that the tests call.
        tests: Assertions, as source text. They may be wrong, and may occur several times.
        inputs: Calls of the function, as source text.
        reference: Source text that raises an exception if a candidate is not correct. It decides
            about `is_correct` where a candidate does not say so, and has no effect on the ranking.
    """

    id: str
    candidates: tuple[Candidate, ...]
    function: str | None = None
    tests: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    reference: str | None = None

    def __repr__(self) -> str:
        parts = (
            pluralize(len(self.candidates), "candidate"),
            pluralize(len(self.tests), "test"),
            pluralize(len(self.inputs), "input"),
        )
        return f"CandidateProblem('{truncate_text(self.id, 40)}', {', '.join(parts)})"

    @property
    def sources(self) -> tuple[str, ...]:
        """The different sources of the candidates, in order."""
        return tuple(dict.fromkeys(candidate.source for candidate in self.candidates))
