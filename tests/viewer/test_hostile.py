"""Whatever programs, models and names hold is shown as text: nothing of it runs, nothing breaks."""

import json

import pytest

from tests.viewer.browsers import Opened
from tests.viewer.small_runs import kept
from worldline.predict import read_recorded
from worldline.recorders import PythonRecorder

HOSTILE = [
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script><!--",
    '"><img src=x onerror=alert(3)><svg onload=alert(4)>',
    "\x1b[31mred\x1b[0m \u202egnp.exe \u2066",
    "half \ud800 of a pair",
    "javascript:alert(5)",
    "\x00 nothing",
]
# Of a run: whatever a folder can be called.
NAME = "<img src=x onerror=alert(6)>\x1b[31m\u202e\"'&%41#?"


def test_hostile_content_is_text(
    opened: Opened, recorder: PythonRecorder, tmp_path_factory: pytest.TempPathFactory
) -> None:
    lines = []
    for number, bad in enumerate(HOSTILE):
        value = json.dumps(bad)
        remark = bad.encode("unicode_escape").decode()
        code = f"def f(x):\n    # {remark}\n    y = x + {value}\n    return y\n"
        lines.append(
            {
                "id": f"{number} {bad}",
                "code": code,
                "call": f"f({value})",
                "output": f"<|call_sep|>{bad}<|action_sep|>{bad}",
                "model": bad,
            }
        )
    folder = tmp_path_factory.mktemp("hostile")
    path = folder / "hostile.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    run = kept(folder / NAME, list(read_recorded(path)), recorder)
    tab = opened(run)
    assert "<img src=x onerror=alert(6)>\\x1b[31m\\u202e" in tab.page.inner_text("h1")
    tab.go("#/run/0/samples")
    tab.page.wait_for_selector(".rows tbody th a")
    links = [link.get_attribute("href") for link in tab.page.locator(".rows tbody th a").all()]
    assert len(links) == len(HOSTILE)
    for link in links:
        tab.go(str(link))
        tab.page.wait_for_selector(".lane-rows, .message")
        for details in tab.page.locator("details").all():
            details.locator("summary").click()
        text = tab.page.inner_text("body")
        assert not set(text) & {"\x00", "\x1b", "\u202e", "\u2066"}
    assert (
        tab.page.evaluate(
            "document.querySelectorAll('script:not([type=\"application/json\"])').length"
        )
        == 1
    )
    assert tab.page.locator("main img, main svg[onload]").count() == 0


def test_a_huge_value_does_not_freeze_it(
    opened: Opened, recorder: PythonRecorder, tmp_path_factory: pytest.TempPathFactory
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
    run = kept(folder / "run", list(read_recorded(path)), recorder)
    tab = opened(run)
    tab.go("#/run/0/sample/huge")
    tab.page.wait_for_selector(".lane-rows, .message", timeout=20_000)
    tab.page.locator("details summary", has_text="reply").click()
    tab.page.keyboard.press("ArrowRight")
    assert len(tab.page.inner_text("body")) < 200_000
