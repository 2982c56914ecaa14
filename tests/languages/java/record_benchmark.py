"""Record all programs of CRUXEval-X in Java, and compare their results with the expected values.

    CLASSPATH=/usr/share/java/javatuples.jar \
        python -m tests.languages.java.record_benchmark ../shared/data/cruxeval_x
"""

import argparse
import sys
import time
from collections import Counter

from worldline.core.trace import Limits
from worldline.evaluation.benchmarks.cruxeval_x import cruxeval_x
from worldline.languages.java import java_values
from worldline.languages.java.jvm_recorder import JavaRecorder


def main() -> None:
    """Record the rows, and list those that do not return the expected value."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data")
    parser.add_argument("--count", type=int, default=None)
    arguments = parser.parse_args()
    questions = cruxeval_x(arguments.data, language="java").questions[: arguments.count]
    endings: Counter[str] = Counter()
    equal = steps = 0
    start = time.monotonic()
    with JavaRecorder() as recorder:
        for question in questions:
            trace = recorder.record(question.program, limits=Limits(seconds=30))
            endings[trace.ending.reason] += 1
            steps += len(trace.steps)
            result = trace.result
            if result is not None and java_values.is_reference_of(result, question.expected or ""):
                equal += 1
                continue
            detail = trace.ending.detail if result is None else f"{result} for {question.expected}"
            sys.stdout.write(f"{question.id}: {trace.ending.reason}: {detail}\n")
    seconds = time.monotonic() - start
    sys.stdout.write(
        f"{equal} of {len(questions)} rows return the expected value; {dict(endings)}; "
        f"{steps} steps in {seconds:.0f} s\n"
    )


if __name__ == "__main__":
    main()
