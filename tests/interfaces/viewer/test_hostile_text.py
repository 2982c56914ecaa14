"""Text of programs, models and names is shown as text, never executed."""

import json

import pytest

from tests.interfaces.viewer.browsers import OpenPage
from tests.interfaces.viewer.small_runs import make_recorded_run
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.prediction import read_prediction_file

HOSTILE = [
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script><!--",
    '"><img src=x onerror=alert(3)><svg onload=alert(4)>',
    "\x1b[31mred\x1b[0m \u202egnp.exe \u2066",
    "half \ud800 of a pair",
    "javascript:alert(5)",
    "\x00 nothing",
]
# A folder can have almost any name.
RUN_NAME = "<img src=x onerror=alert(6)>\x1b[31m\u202e\"'&%41#?"


def test_hostile_text_is_escaped(
    open_page: OpenPage, recorder: PythonRecorder, tmp_path_factory: pytest.TempPathFactory
) -> None:
    lines = []
    for number, text in enumerate(HOSTILE):
        value = json.dumps(text)
        comment = text.encode("unicode_escape").decode()
        code = f"def f(x):\n    # {comment}\n    y = x + {value}\n    return y\n"
        lines.append(
            {
                "id": f"{number} {text}",
                "code": code,
                "call": f"f({value})",
                "output": f"<|call_sep|>{text}<|action_sep|>{text}",
                "model": text,
            }
        )
    folder = tmp_path_factory.mktemp("hostile")
    path = folder / "hostile.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    run = make_recorded_run(folder / RUN_NAME, list(read_prediction_file(path)), recorder)
    tab = open_page(run)
    assert "<img src=x onerror=alert(6)>\\x1b[31m\\u202e" in tab.page.inner_text("h1")
    tab.go("#/run/0/samples")
    tab.page.wait_for_selector(".rows tbody th a")
    links = [link.get_attribute("href") for link in tab.page.locator(".rows tbody th a").all()]
    assert len(links) == len(HOSTILE)
    for link in links:
        tab.go(str(link))
        tab.page.wait_for_selector(".step-rows, .message")
        for details in tab.page.locator("details").all():
            details.locator("summary").click()
        body = tab.page.inner_text("body")
        assert not set(body) & {"\x00", "\x1b", "\u202e", "\u2066"}
    assert (
        tab.page.evaluate(
            "document.querySelectorAll('script:not([type=\"application/json\"])').length"
        )
        == 1
    )
    assert tab.page.locator("main img, main svg[onload]").count() == 0


def test_a_huge_value_does_not_freeze_the_page(
    open_page: OpenPage, recorder: PythonRecorder, tmp_path_factory: pytest.TempPathFactory
) -> None:
    line = {
        "id": "huge",
        "code": "def f(n):\n    s = 'ab' * n\n    return s\n",
        "call": "f(5000000)",
        "output": "<|call_sep|>{}<|action_sep|>" + "z" * 10_000_000,
    }
    folder = tmp_path_factory.mktemp("huge")
    path = folder / "huge.jsonl"
    path.write_text(json.dumps(line), encoding="utf-8")
    run = make_recorded_run(folder / "run", list(read_prediction_file(path)), recorder)
    tab = open_page(run)
    tab.go("#/run/0/sample/huge")
    tab.page.wait_for_selector(".step-rows, .message", timeout=20_000)
    tab.page.locator("details summary", has_text="Output").click()
    tab.page.keyboard.press("ArrowRight")
    assert len(tab.page.inner_text("body")) < 200_000
