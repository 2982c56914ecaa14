"""In a notebook, traces and diagnoses draw themselves, and nothing in them is taken for markup."""

from html.parser import HTMLParser

from worldline.demo import PREDICTIONS
from worldline.recorders import PythonRecorder
from worldline.runs import diagnose_recorded
from worldline.trace import Program

ALLOWED = {"table", "tr", "th", "td", "p", "b", "br"}


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        assert {name for name, _ in attrs} <= {"style"}

    def handle_data(self, data: str) -> None:
        self.text += f"{data}\n"


def read(html: str) -> _Tags:
    found = _Tags()
    found.feed(html)
    return found


def test_a_hostile_program_is_text(recorder: PythonRecorder) -> None:
    bad = "</td><script>alert(1)</script>\\x1b[31m\\u202e\\ud800<img src=x onerror=alert(2)>"
    trace = recorder.record(Program(f"def f(x):\n    return x + '{bad}'\n", "f('<b>')"))
    found = read(trace._repr_html_())
    assert found.tags <= ALLOWED
    assert "<script>alert(1)</script>" in found.text
    assert "\x1b" not in found.text
    assert "\u202e" not in found.text
    assert trace._repr_html_().encode()


def test_a_long_trace_is_cut_and_says_so(recorder: PythonRecorder) -> None:
    source = "def f(n):\n    for i in range(n):\n        pass\n"
    trace = recorder.record(Program(source, "f(500)"))
    found = read(trace._repr_html_())
    assert f"… {len(trace.steps) - 200:,} more steps" in found.text
    assert found.text.splitlines().count("199") == 1
    assert "200" not in found.text.splitlines()


def test_a_diagnosis_shows_both_sides_where_they_part() -> None:
    marked = 0
    for sample in diagnose_recorded(PREDICTIONS):
        found = read(sample.diagnosis._repr_html_())
        parting = sample.diagnosis.facts.divergence
        assert found.tags <= ALLOWED
        assert sample.diagnosis.id in found.text
        assert ("✗" in found.text) == (parting is not None and "table" in found.tags)
        marked += "✗" in found.text
        if parting is not None and "table" in found.tags:
            assert str(parting.step) in found.text.splitlines()
    assert marked > 5
