"""Follow the traces of CRUXEval-X through the control-flow graphs of their programs.

    CLASSPATH=/usr/share/java/javatuples.jar \
        python -m tests.languages.cfg.follow_benchmark java ../shared/data/cruxeval_x traces.jsonl

The traces are recorded into the last file, or read from it if it is there.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.support.simulated_traces import follow_traces
from worldline.core.language import get_language
from worldline.core.trace import Limits, Trace, trace_from_json, trace_to_json
from worldline.evaluation.benchmarks.cruxeval_x import cruxeval_x


def record_rows(language: str, data: str, path: Path) -> None:
    """Record all rows of a language."""
    questions = cruxeval_x(data, language=language).questions
    with get_language(language).recorder() as recorder, path.open("w") as file:
        for question in questions:
            trace = recorder.record(question.program, limits=Limits(seconds=30))
            file.write(json.dumps([question.id, trace_to_json(trace)]) + "\n")


def read_rows(path: Path) -> Iterator[tuple[str, Trace]]:
    """Read recorded traces."""
    with path.open() as file:
        for line in file:
            name, trace = json.loads(line)
            yield name, trace_from_json(trace)


def main() -> None:
    """Print the steps that are not in the graph, and how many lines follow a line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("language", choices=["javascript", "typescript", "java"])
    parser.add_argument("data")
    parser.add_argument("traces", type=Path)
    arguments = parser.parse_args()
    if not arguments.traces.exists():
        record_rows(arguments.language, arguments.data, arguments.traces)
    figures = follow_traces(read_rows(arguments.traces))
    for each in figures.illegal:
        sys.stdout.write(f"{each}\n")
    sys.stdout.write(
        f"{figures.programs} programs, {len(figures.illegal)} with a step that is not in the "
        f"graph; {figures.steps} steps, {figures.options / figures.steps:.2f} possible steps each; "
        f"{len(figures.successors)} lines with {figures.mean_successors:.2f} successors each, "
        f"{figures.single_successors:.1%} with one\n"
    )


if __name__ == "__main__":
    main()
