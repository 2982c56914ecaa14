"""Record all programs of HumanEval-X in a language, and compare their results with the tests.

python -m tests.evaluation.benchmarks.record_humaneval_x ../shared/data --language java
"""

import argparse
import sys
import time
from collections import Counter

from worldline.core.errors import RecorderError
from worldline.core.language import get_language
from worldline.core.trace import Limits
from worldline.evaluation.benchmarks.humaneval_x import humaneval_x


def main() -> None:
    """Record the rows, and list those that do not return the expected value."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data")
    parser.add_argument("--language", default="javascript")
    parser.add_argument("--per-problem", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=None)
    arguments = parser.parse_args()
    benchmark = humaneval_x(
        arguments.data, language=arguments.language, per_problem=arguments.per_problem
    )
    questions = benchmark.questions[arguments.first :][: arguments.count]
    endings: Counter[str] = Counter()
    equal, start = 0, time.monotonic()
    with get_language(arguments.language).recorder() as recorder:
        for question in questions:
            try:
                trace = recorder.record(question.program, limits=Limits(seconds=60))
            except RecorderError as error:
                endings["recorder error"] += 1
                sys.stdout.write(f"{question.id}: {str(error)[-300:]}\n")
                continue
            endings[trace.ending.reason] += 1
            result = trace.result
            if result is not None and benchmark.is_correct(question, result):
                equal += 1
                continue
            detail = trace.ending.detail if result is None else f"{result} for {question.expected}"
            sys.stdout.write(f"{question.id}: {trace.ending.reason}: {str(detail)[:300]}\n")
    reasons = dict(Counter(item.reason for item in benchmark.skipped))
    sys.stdout.write(
        f"{len(questions)} rows of {len({q.facets['problem'] for q in questions})} problems, "
        f"{equal} return the expected value; {dict(endings)}; left out: {reasons}; "
        f"{time.monotonic() - start:.0f} s\n"
    )


if __name__ == "__main__":
    main()
