"""Accuracy by function of the paths benchmark: a function is understood if every path is right."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from worldline.analysis.stats import Share, share
from worldline.evaluation.metrics.run_accuracy import is_graded
from worldline.evaluation.runs import ScoredSample

# Facets of a question of the benchmark.
FUNCTION_ID, PATHS, COMMON_PATH = "function_id", "paths", "common_path"


@dataclass(frozen=True, slots=True)
class PathAccuracy:
    """Accuracy on functions with several paths.

    Attributes:
        functions: Functions whose paths were all asked and graded.
        left_out: Other functions: of an unfinished run, or with an infrastructure error.
        understood: The share of functions with a correct answer on every path.
        common: The share of functions with a correct answer on the common path, as a benchmark
            with one input for each function would find it.
        paths: The number of paths of these functions.
    """

    functions: int
    left_out: int
    understood: Share
    common: Share
    paths: int


def measure_paths(samples: Sequence[ScoredSample]) -> PathAccuracy | None:
    """Measure the accuracy by function; None if the samples have no paths.

    With repeats, the answer to a path is correct if all of them are.
    """
    functions: dict[str, list[ScoredSample]] = defaultdict(list)
    for sample in samples:
        if {FUNCTION_ID, PATHS, COMMON_PATH} <= sample.facets.keys():
            functions[str(sample.facets[FUNCTION_ID])].append(sample)
    if not functions:
        return None
    graded = [paths for paths in functions.values() if _is_complete(paths)]
    understood = [all(path.verdict == "correct" for path in paths) for paths in graded]
    common = [
        all(path.verdict == "correct" for path in paths if path.facets[COMMON_PATH] == "yes")
        for paths in graded
    ]
    return PathAccuracy(
        functions=len(graded),
        left_out=len(functions) - len(graded),
        understood=share(sum(understood), len(graded)),
        common=share(sum(common), len(graded)),
        paths=sum(len({path.sample for path in paths}) for paths in graded),
    )


def _is_complete(paths: Sequence[ScoredSample]) -> bool:
    asked = {path.sample for path in paths}
    return len(asked) == paths[0].facets[PATHS] and all(map(is_graded, paths))
