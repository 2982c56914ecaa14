"""Checks of the pure layers and the reference tracer, executed in Pyodide.

Prints one JSON object: the version of Python, the sample programs whose traces differ from the
stored ones, and the outcomes of the tests of the pure layers.
"""

import contextlib
import io
import json
import platform
import runpy
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from worldline.core.trace import Program, Trace
from worldline.languages.python.recorder.in_process_recorder import InProcessRecorder

ROOT = Path(__file__).parent.parent.parent
GOLD = runpy.run_path(str(ROOT / "scripts" / "gold"))
read_program: Callable[[str], Program] = GOLD["read_program"]
gold_text: Callable[[Trace], str] = GOLD["gold_text"]
expected_text: Callable[[str, tuple[int, int]], str] = GOLD["expected_text"]
# Programs that need an event loop, threads, the recursion limit or the end of their process; and
# one whose sets have another order, as hashes have 32 bits here.
LEFT_OUT = {
    *("async_await", "async_comprehension", "async_gather", "async_iteration", "async_raises"),
    *("exit_handlers", "recursion_limit", "sets", "threads"),
}
# Tests of pure layers that need neither hypothesis nor another process.
PURE_TESTS = (
    *("tests/core/trace", "tests/analysis/alignment/test_align_result.py"),
    *("tests/analysis/alignment/test_alignment_by_codec.py", "tests/analysis/diagnosis"),
    *("tests/analysis/alignment/test_gaps.py", "tests/models/codecs/test_cwm_codec.py"),
    *("tests/languages/cfg/test_cfg_queries.py", "tests/languages/rewrite/test_source_map.py"),
    "tests/languages/rewrite/test_expressions.py",
)
IGNORED = (
    *("test_difficulty.py", "test_facts.py", "test_diagnosis_regressions.py"),
    "test_diagnosis_html.py",
)
# A comprehension that is a call only up to Python 3.11.
DESELECTED = "test_the_rule_does_not_match[hidden_values-arithmetic-"


class Outcomes:
    """Pytest plugin with the fixture `recorder`; collects the outcomes of tests."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.failed: list[str] = []

    @pytest.fixture(scope="session")
    def recorder(self) -> InProcessRecorder:
        """The recorder without processes."""
        return InProcessRecorder()

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out what is known to be different from Python 3.12 on."""
        items[:] = [item for item in items if DESELECTED not in item.nodeid]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a test."""
        if report.when == "call" or report.outcome != "passed":
            self.counts[report.outcome] += 1
        if report.failed:
            self.failed.append(f"{report.nodeid}\n{report.longreprtext[-1500:]}")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Count a file that cannot be imported as a failure."""
        if report.failed:
            self.failed.append(f"{report.nodeid}\n{report.longreprtext[-1500:]}")


def traces_that_differ() -> dict[str, str]:
    """The sample programs whose traces are not the stored ones, and their traces."""
    recorder = InProcessRecorder()
    texts = {}
    for name in sorted(set(GOLD["program_names"]()) - LEFT_OUT):
        text = gold_text(recorder.record(read_program(name)))
        if text != expected_text(name, sys.version_info[:2]):
            texts[name] = text
    return texts


def main() -> None:
    """Run all checks and print the results."""
    outcomes = Outcomes()
    output = io.StringIO()
    options = ["-q", "-p", "no:cacheprovider", "--noconftest", "--rootdir", str(ROOT)]
    options += ["-m", "not data"]
    options += [f"--ignore-glob=*/{name}" for name in IGNORED]
    with contextlib.redirect_stdout(output):
        pytest.main([*options, *(str(ROOT / path) for path in PURE_TESTS)], plugins=[outcomes])
    result = {
        "python": platform.python_version(),
        "differ": traces_that_differ(),
        "counts": outcomes.counts,
        "failed": outcomes.failed,
    }
    sys.stdout.write(f"\n{json.dumps(result)}\n")


if __name__ == "__main__":
    main()
