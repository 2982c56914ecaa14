"""The playground in Chromium: diagnoses without a server, offline, and whatever the program does.

WORLDLINE_ALL_ATTACKS=1 compares 50 rows with the command line instead of a handful.
"""

import functools
import json
import os
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.conftest import data_file
from tests.interfaces.playground.playground_tab import PlaygroundTab
from worldline.evaluation.runs import diagnose_file, sample_to_json
from worldline.interfaces.playground import playground_settings

EXAMPLES = {row["title"].split(":")[0]: row for row in playground_settings()["examples"]}
DIVISION = EXAMPLES["Chat model, line by line"]
SENDS_A_REQUEST = """
def f():
    import js
    request = js.XMLHttpRequest.new()
    request.open("GET", "{url}", False)
    try:
        request.send()
    except Exception as error:
        return "refused"
    return request.responseText
"""
# What depends on the machine that executes the program.
MACHINE_FIELDS = {"recorder", "python", "worldline", "limits"}
# Rows of programs that do something else in Python 3.14: no frames of comprehensions, and another
# message of a ZeroDivisionError.
PYTHON_314 = {"sh07-comp-312-tok", "sh14-with-exit-skipped-tok"}
# What was found, without the numbers of steps and without the cause, which depends on them.
FINDING_FIELDS = {"outcome", "differs_in", "variable", "actual_value", "predicted_value", "result"}


def fill_example(tab: PlaygroundTab, example: dict[str, Any]) -> None:
    tab.fill(**{name: example[name] for name in ("code", "call", "output", "codec")})


def test_a_diagnosis_cold_and_warm(chromium: Any, playground_url: str) -> None:
    start = time.perf_counter()
    with PlaygroundTab(chromium, playground_url) as tab:
        tab.diagnose()
        cold = time.perf_counter() - start
        assert tab.summary().startswith("3 instead of 4")
        tab.wait_until("ready")
        warm = tab.diagnose()
        tab.wait_until("ready")
        assert tab.problems == []
    # scripts/playground_speed.py measures. A busy machine takes several times as long.
    assert cold < 90
    assert warm < 30


def test_both_executions_are_stepped_through(tab: PlaygroundTab) -> None:
    tab.wait_until("ready")
    fill_example(tab, DIVISION)
    tab.diagnose()
    slider = tab.page.locator('input[type="range"]')
    at_divergence = int(slider.input_value())
    assert "middle" in tab.page.locator(".states").inner_text()
    tab.page.get_by_role("button", name="← Back").click()
    assert int(slider.input_value()) == at_divergence - 1
    tab.page.get_by_role("button", name="→ Step").click()
    tab.page.get_by_role("button", name="→ Step").click()
    assert int(slider.input_value()) == at_divergence + 1
    assert tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_it_works_offline_after_loading(tab: PlaygroundTab) -> None:
    tab.wait_until("ready")
    before = len(tab.requests)
    tab.context.set_offline(True)
    try:
        for title in ("CWM format", "Chat model, the result only"):
            fill_example(tab, EXAMPLES[title])
            tab.diagnose()
            assert "instead of" in tab.summary()
            tab.wait_until("ready")
    finally:
        tab.context.set_offline(False)
    assert [url for url in tab.requests[before:] if not url.startswith("blob:")] == []


@pytest.mark.parametrize("loop", ["while True: pass", "sum(iter(int, 1))"])
def test_an_endless_loop_is_stopped(tab: PlaygroundTab, loop: str) -> None:
    tab.wait_until("ready")
    program = f"def f():\n    {loop}\n"
    tab.fill(code=program, call="f()", output="[ANSWER] 1 [/ANSWER]", codec="chat")
    tab.page.get_by_role("button", name="Diagnose").click()
    tab.wait_until("running")
    tab.page.wait_for_timeout(300)
    tab.page.get_by_role("button", name="Stop").click()
    tab.page.wait_for_selector('.result [role="alert"]')
    assert "Stopped" in tab.page.locator(".result").inner_text()
    tab.wait_until("ready")
    fill_example(tab, DIVISION)
    tab.diagnose()
    assert tab.summary().startswith("3 instead of 4")


def test_a_loop_of_steps_ends_at_the_limit(tab: PlaygroundTab) -> None:
    tab.wait_until("ready")
    program = "def f():\n    n = 0\n    while True:\n        n += 1\n"
    tab.fill(code=program, call="f()", output="[ANSWER] 1 [/ANSWER]", codec="chat")
    tab.diagnose()
    assert "limit" in tab.page.locator(".result").inner_text()
    tab.wait_until("ready")


def test_hostile_text_is_shown_as_text(tab: PlaygroundTab) -> None:
    tab.wait_until("ready")
    html = "<img src=x onerror=alert(1)></script><script>alert(2)</script>"
    program = f"def f(x):\n    y = x + '{html}'\n    return y\n"
    output = f"{html}\n[ANSWER] '{html}' [/ANSWER]"
    tab.fill(code=program, call=f"f('{html}')", output=output, codec="chat")
    tab.diagnose()
    assert html in tab.page.locator(".result h1").inner_text()
    assert tab.page.locator("img, #app script").count() == 0
    tab.wait_until("ready")


def test_a_program_has_no_network_and_no_page(tab: PlaygroundTab) -> None:
    tab.wait_until("ready")
    program = SENDS_A_REQUEST.format(url=f"{tab.url}frame.html")
    tab.fill(code=program, call="f()", output="[ANSWER] 'refused' [/ANSWER]", codec="chat")
    tab.diagnose()
    # The console says that the policy has refused the request.
    tab.problems[:] = [each for each in tab.problems if "Content Security Policy" not in each]
    result = tab.page.locator(".result").inner_text()
    assert "refused" in result
    assert "doctype" not in result
    tab.wait_until("ready")


def test_a_link_contains_the_program_and_the_text(tab: PlaygroundTab, chromium: Any) -> None:
    tab.wait_until("ready")
    example = {**EXAMPLES["CWM format"], "call": "count_words('Ünï 🐍 & #?')"}
    fill_example(tab, example)
    tab.diagnose()
    fragment = str(tab.page.evaluate("location.hash"))
    summary = tab.summary()
    tab.wait_until("ready")
    with PlaygroundTab(chromium, tab.url, fragment=fragment) as opened:
        opened.page.wait_for_selector(".result .summary", timeout=180_000)
        assert opened.summary() == summary
        assert opened.page.input_value('textarea[name="code"]') == example["code"]
        assert opened.page.input_value('textarea[name="output"]') == example["output"]
        assert opened.page.input_value('input[name="call"]') == example["call"]
        assert not any(part in url for url in opened.requests for part in ("#", fragment[20:60]))
        assert opened.problems == []


def test_a_damaged_link_says_so(chromium: Any, playground_url: str) -> None:
    with PlaygroundTab(chromium, playground_url, fragment="#/run/0/sample/abc") as tab:
        tab.page.wait_for_selector('.result [role="alert"]')
        assert "damaged" in tab.page.locator(".result").inner_text()


class _ModelServer(BaseHTTPRequestHandler):
    """A server with the chat API that answers a wrong result."""

    received: list[dict[str, Any]]

    def do_OPTIONS(self) -> None:
        self._respond(204, b"")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        key = self.headers["Authorization"]
        self.received.append({**json.loads(body), "key": key, "path": self.path})
        message = {"role": "assistant", "content": "[ANSWER] ['aa'] [/ANSWER]"}
        self._respond(200, json.dumps({"choices": [{"message": message}]}).encode())

    def _respond(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("Access-Control-Allow-Headers", "*, Authorization")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""


def test_a_server_that_the_user_names_is_asked(tab: PlaygroundTab) -> None:
    tab.wait_until("ready")
    received: list[dict[str, Any]] = []
    handler = type("Handler", (_ModelServer,), {"received": received})
    server = HTTPServer(("127.0.0.1", 0), handler)
    Thread(target=functools.partial(server.serve_forever, poll_interval=0.05), daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}/v1"
    fill_example(tab, EXAMPLES["Chat model, the result only"])
    tab.page.locator(".server summary").click()
    for name, value in (("url", address), ("model", "tiny"), ("key", "secret-key")):
        tab.page.fill(f'input[name="server-{name}"]', value)
    tab.page.get_by_role("button", name="Ask").click()
    _wait_for_output(tab, "['aa']")
    server.shutdown()
    server.server_close()
    assert received[0]["path"] == "/v1/chat/completions"
    assert received[0]["key"] == "Bearer secret-key"
    assert "runs('aabbba')" in received[0]["messages"][-1]["content"]
    tab.diagnose()
    assert "['aa']" in tab.summary()
    stored = tab.page.evaluate("JSON.stringify([localStorage, sessionStorage, location.href])")
    assert "secret-key" not in stored
    assert set(tab.problems) == {f"requested {address}/chat/completions"}
    tab.problems.clear()
    tab.wait_until("ready")


def _wait_for_output(tab: PlaygroundTab, text: str) -> None:
    end = time.monotonic() + 60
    while text not in tab.page.input_value('textarea[name="output"]'):
        assert time.monotonic() < end, "the server's text does not arrive"
        tab.page.wait_for_timeout(50)


@pytest.mark.data
def test_attacks_have_the_diagnosis_of_the_command_line(tab: PlaygroundTab, tmp_path: Path) -> None:
    number = 50 if os.environ.get("WORLDLINE_ALL_ATTACKS") else 6
    lines = data_file("attacks/attack1.jsonl").read_text().splitlines()
    # From the whole file, not only its first kind of attack.
    chosen = [lines[index * len(lines) // number] for index in range(number)]
    file = tmp_path / "attacks.jsonl"
    file.write_text("\n".join(chosen) + "\n")
    expected = [sample_to_json(sample) for sample in diagnose_file(file)]
    tab.wait_until("ready")
    differences = []
    for line, wanted in zip(chosen, expected, strict=True):
        answer = tab.ask_python(json.loads(line))
        found = answer.get("diagnosis", answer)
        # Newer Pythons trace no steps inside comprehensions: the counts differ, not the finding.
        is_same_tracing = found.get("excludes_comprehensions") == wanted["excludes_comprehensions"]
        names = wanted.keys() - MACHINE_FIELDS if is_same_tracing else FINDING_FIELDS
        stored = json.loads(json.dumps(wanted))
        wrong = {name: (stored[name], found.get(name)) for name in names}
        wrong = {name: pair for name, pair in wrong.items() if pair[0] != pair[1]}
        if wrong:
            differences.append((wanted["id"], wrong))
    different = {name: wrong for name, wrong in differences if name not in PYTHON_314}
    assert not different, json.dumps(different)
