"""HTML views of traces and diagnoses for notebooks."""

from html.parser import HTMLParser

from worldline.core.trace import Program
from worldline.evaluation.runs import diagnose_file
from worldline.interfaces.demo import PREDICTIONS
from worldline.languages.python.recorder import PythonRecorder

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
    result = _Tags()
    result.feed(html)
    return result


def test_a_hostile_program_is_escaped(recorder: PythonRecorder) -> None:
    bad = "</td><script>alert(1)</script>\\x1b[31m\\u202e\\ud800<img src=x onerror=alert(2)>"
    trace = recorder.record(Program(f"def f(x):\n    return x + '{bad}'\n", "f('<b>')"))
    result = read(trace._repr_html_())
    assert result.tags <= ALLOWED
    assert "<script>alert(1)</script>" in result.text
    assert "\x1b" not in result.text
    assert "\u202e" not in result.text
    assert trace._repr_html_().encode()


def test_a_long_trace_is_shortened_with_a_note(recorder: PythonRecorder) -> None:
    source = "def f(n):\n    for i in range(n):\n        pass\n"
    trace = recorder.record(Program(source, "f(500)"))
    result = read(trace._repr_html_())
    assert f"… {len(trace.steps) - 200:,} more steps" in result.text
    assert result.text.splitlines().count("199") == 1
    assert "200" not in result.text.splitlines()


def test_a_diagnosis_shows_both_sides_at_the_divergence() -> None:
    marked = 0
    for sample in diagnose_file(PREDICTIONS):
        result = read(sample.diagnosis._repr_html_())
        parting = sample.diagnosis.facts.divergence
        assert result.tags <= ALLOWED
        assert sample.diagnosis.id in result.text
        assert ("✗" in result.text) == (parting is not None and "table" in result.tags)
        marked += "✗" in result.text
        if parting is not None and "table" in result.tags:
            assert str(parting.step) in result.text.splitlines()
    assert marked > 5
