"""Explain a divergence by a change of the program that reproduces it."""

from worldline.analysis.diagnosis import Sample
from worldline.analysis.explanations import MAX_CHANGES, ExplanationSearch, find_explanations
from worldline.languages.program_recorder import ProgramRecorder


def explain(
    sample: Sample, *, max_changes: int = MAX_CHANGES, python: str | None = None
) -> ExplanationSearch:
    """Find the changes of one operation whose execution yields a wrong prediction.

    Every change is a misconception about one operation of the program, such as `.partition` for
    `.rpartition`. The changed programs are executed in the sandbox.

    Args:
        sample: A prediction with its diagnosis, from `diagnose`.
        max_changes: The maximum number of changes to try.
        python: The interpreter to use; by default this one.

    Returns:
        All changes that reproduce the divergence, the best first. `best` is the first one, if at
        most one of 20 random wrong predictions would be explained as well.

    Examples:
        >>> from worldline.interfaces.api.diagnosing import diagnose
        >>> source = "def f(s):\\n    return s.rpartition('-')\\n"
        >>> answer = "[ANSWER] ('a', '-', 'b-c') [/ANSWER]"
        >>> search = explain(diagnose(source, "f('a-b-c')", answer, codec="chat"))
        >>> search.explanations[0].clause
        '`.rpartition` were `.partition`'
    """
    with ProgramRecorder(python=python) as recorder:
        return find_explanations(sample, recorder, max_changes=max_changes)
