"""The page colours the source code of each language by its own rules."""

from typing import Any

import pytest

from tests.interfaces.viewer.browsers import Tab
from tests.interfaces.viewer.small_runs import make_recorded_run
from worldline.core.trace import Ending, Limits, Origin, Program, Scope, Step, Trace
from worldline.interfaces.viewer import write_report
from worldline.models.codecs import get_codec
from worldline.models.prediction import make_prediction

# Programs, and a keyword that other languages do not have or that plain text would not colour.
PROGRAMS = {
    "python": ('def f():\n    return "a"  # note\n', "def"),
    "javascript": ('function f() {\n  return "a"; // note\n}\n', "function"),
    "typescript": (
        'interface A {}\nfunction f(): string {\n  return "a"; // note\n}\n',
        "interface",
    ),
    "cpp": ('template <class T> T f() {\n  return "a"; // note\n}\n', "template"),
    "java": ('final static String f() {\n  return "a"; // note\n}\n', "final"),
    "rust": ('fn f() -> &str {\n  return "a"; // note\n}\n', "fn"),
    "go": ('func f() string {\n\treturn "a" // note\n}\n', "func"),
}
COLOUR = "element => getComputedStyle(element).color"


class StoredTraces:
    """A recorder that executes nothing: each program returns at once."""

    def record(self, program: Program, *, limits: Limits | None = None, **_: Any) -> Trace:
        line = next(n for n, text in enumerate(program.lines, 1) if "return" in text)
        steps = (
            Step("call", line, 0),
            Step("line", line, 0),
            Step("return", line, 0, value='"a"'),
        )
        scopes = (Scope(str(program.entry), line, (), 0),)
        origin = Origin("stored", "3.12.0", "1")
        return Trace(program, steps, scopes, Ending("finished"), limits or Limits(), origin)


@pytest.fixture(scope="module")
def tab(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Tab:
    folder = tmp_path_factory.mktemp("highlighting")
    predictions = [
        make_prediction(
            name,
            Program(source, "f()", language=name),
            '[ANSWER] "b" [/ANSWER]',
            get_codec("chat"),
            finish="stop",
        )
        for name, (source, _) in PROGRAMS.items()
    ]
    recorder: Any = StoredTraces()
    run = make_recorded_run(folder / "run", predictions, recorder)
    write_report((run,), folder / "report.html", recorder)
    return Tab(chromium, (folder / "report.html").as_uri())


@pytest.mark.parametrize("language", PROGRAMS)
def test_keywords_strings_and_comments_are_coloured(tab: Tab, language: str) -> None:
    tab.go(f"#/run/0/sample/{language}")
    tab.page.wait_for_selector(f'.source-view .cm-line span:text-is("{PROGRAMS[language][1]}")')

    def colour(text: str) -> str:
        span = tab.page.locator(".source-view .cm-line span").get_by_text(text, exact=True)
        return str(span.first.evaluate(COLOUR))

    plain = str(tab.page.locator(".source-view .cm-line").first.evaluate(COLOUR))
    keyword, string = colour(PROGRAMS[language][1]), colour('"a"')
    comment = colour("# note" if language == "python" else "// note")
    assert colour("return") == keyword
    assert len({plain, keyword, string, comment}) == 4
    assert tab.problems == []
