"""The examples and tables in docs/how-to/generate-programs.md match the code."""

import re

from tests.support.paths import DOCS_FOLDER
from worldline.data.generation import FACETS, LEVELS
from worldline.data.generation.candidates import write_program
from worldline.data.generation.facets import BINS, facet_bin
from worldline.languages.python.recorder import PythonRecorder

PAGE = (DOCS_FOLDER / "how-to" / "generate-programs.md").read_text(encoding="utf-8")
EXAMPLE = re.compile(r"```text\n# (\w+)_0_(\d+): ([^\n]*) returns ([^\n]*)\n(.*?)```", re.DOTALL)


def test_the_page_has_an_example_of_each_level(recorder: PythonRecorder) -> None:
    examples = EXAMPLE.findall(PAGE)
    assert [level for level, *_ in examples] == list(LEVELS)
    for level, number, call, returned, source in examples:
        program = write_program(0, level, int(number))
        assert (program.source, program.call) == (source, call)
        assert recorder.record(program).result == returned


def test_the_page_lists_all_facets_and_bins() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| .* \| (.*) \|$", PAGE, re.MULTILINE))
    assert set(FACETS) <= set(rows) | {"level", "kind", "branches"}
    for facet, ends in BINS.items():
        bins = [facet_bin(facet, end) for end in (*ends, ends[-1] + 1)]
        assert rows[facet] == ", ".join(bins)
