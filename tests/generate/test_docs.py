"""What docs/generate.md shows is what is made."""

import re
from pathlib import Path

from worldline.generate import FACETS, LEVELS
from worldline.generate.candidates import write_program
from worldline.generate.facets import BINS, bin_of
from worldline.recorders import PythonRecorder

PAGE = (Path(__file__).parents[2] / "docs" / "generate.md").read_text(encoding="utf-8")
EXAMPLE = re.compile(r"```text\n# (\w+)_0_(\d+): ([^\n]*) returns ([^\n]*)\n(.*?)```", re.DOTALL)


def test_there_is_an_example_of_each_level(recorder: PythonRecorder) -> None:
    found = EXAMPLE.findall(PAGE)
    assert [level for level, *_ in found] == list(LEVELS)
    for level, number, call, returned, source in found:
        program = write_program(0, level, int(number))
        assert (program.source, program.call) == (source, call)
        assert recorder.record(program).result == returned


def test_all_facets_and_bins_are_told() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| .* \| (.*) \|$", PAGE, re.MULTILINE))
    assert set(FACETS) <= set(rows) | {"level", "kind", "branches"}
    for facet, ends in BINS.items():
        bins = [bin_of(facet, end) for end in (*ends, ends[-1] + 1)]
        assert rows[facet] == ", ".join(bins)
