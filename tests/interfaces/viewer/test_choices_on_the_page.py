"""Threads, distributions and possibility in the documents of the page, and in Chromium."""

from pathlib import Path

import pytest

from tests.analysis.choices.thread_possibility_measurements import predicted
from tests.interfaces.viewer.browsers import OpenPage
from tests.interfaces.viewer.small_runs import make_result_run
from tests.interfaces.viewer.test_api_types import mismatches
from tests.support.paths import PROJECT_ROOT
from tests.support.task_programs import COUNTER
from worldline.analysis.choices import Possibility, outcomes_to_text, result_distribution
from worldline.core.trace import Program
from worldline.evaluation.metrics import question_distributions
from worldline.evaluation.runs import (
    execute_and_diagnose,
    read_run,
)
from worldline.interfaces.report import fact_texts
from worldline.interfaces.viewer import build_report_document
from worldline.interfaces.viewer.diagnosed_run import DiagnosedRun
from worldline.interfaces.viewer.distribution_document import build_distribution
from worldline.interfaces.viewer.sample_choices import (
    possibility_document,
    preempted_lines,
    schedule_document,
)
from worldline.interfaces.viewer.sample_document import build_sample_document
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.prediction import Question

LOST_UPDATE = (PROJECT_ROOT / "tests/programs/threads/lost_update.py").read_text(encoding="utf-8")
APPEND = (
    "import threading\n\n\ndef append():\n    xs = []\n"
    "    thread = threading.Thread(target=xs.append, args=(1,))\n"
    "    thread.start()\n    thread.join()\n    return xs\n"
)
CHANCE = APPEND.replace("xs = []", "xs = [random.random()]").replace("import", "import random, ", 1)
DIE = "import random\n\n\ndef roll():\n    return random.randint(1, 3)\n"
# The answers to the die, in turn: 3 is never predicted, 4 is impossible.
ANSWERS = ("1", "1", "2", "4")


@pytest.fixture(scope="session")
def thread_run(recorder: PythonRecorder, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A run of two predicted results of programs with threads: possible, and impossible."""
    answers = {"buggy()": "1", "append()": "[2]"}
    return make_result_run(
        tmp_path_factory.mktemp("threads") / "run",
        [
            Question("lost", Program(LOST_UPDATE, "buggy()")),
            Question("list", Program(APPEND, "append()")),
        ],
        lambda text: next(answers[call] for call in answers if call in text),
        recorder,
    )


@pytest.fixture(scope="session")
def chance_run(recorder: PythonRecorder, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A run of one question about a die, with four answers."""
    program = Program(DIE, "roll()")
    exact = outcomes_to_text(result_distribution(program, recorder))
    answers = iter(ANSWERS)
    return make_result_run(
        tmp_path_factory.mktemp("chance") / "run",
        [Question("die", program, exact)],
        lambda _: next(answers),
        recorder,
        repeats=len(ANSWERS),
    )


def test_threads_of_the_actual_execution(thread_run: str, recorder: PythonRecorder) -> None:
    run = DiagnosedRun(thread_run, recorder)
    document = run.document("lost")
    assert list(mismatches(document, "SampleDocument", "lost")) == []
    assert document["schedule"] == {"text": "0*5 1*2 2", "preemptions": 1}
    steps = document["actual"]["steps"]
    threads = [step.get("thread", 0) for step in steps]
    assert threads[20:28] == [1, 1, 2, 2, 2, 2, 1, 1]
    assert set(threads[:20] + threads[28:]) == {0}
    # Thread 1 is interrupted between reading and writing the total.
    lines = {n: step["preempted_at"] for n, step in enumerate(steps) if "preempted_at" in step}
    assert lines == {21: 21}
    # After each switch, the stack is that of the thread.
    assert [[f["function"] for f in steps[n]["stack"]] for n in (20, 22, 26, 28)] == [
        ["buggy.<locals>.add"],
        ["buggy.<locals>.add"],
        ["buggy.<locals>.add"],
        ["main", "buggy", "run"],
    ]


def test_threads_of_the_predicted_execution(recorder: PythonRecorder) -> None:
    """Each thread has its own stack, as in the actual execution."""
    trace = recorder.record_scheduled(Program(LOST_UPDATE, "buggy()"), (0, 0, 0, 0, 0, 1, 1, 2))
    sample = execute_and_diagnose(predicted(trace, "delta-choices"), recorder)
    document = build_sample_document(sample, verdict="correct")
    lines = [
        [[frame["line"] for frame in step.get("stack", [])] for step in document[side]["steps"]]
        for side in ("actual", "predicted")
    ]
    assert lines[0] == lines[1]
    assert len({step.thread for step in trace.steps}) == 3


def test_a_delay_is_no_interruption_of_a_thread(recorder: PythonRecorder) -> None:
    trace = recorder.record_scheduled(Program(COUNTER, "count()"), (1,))
    assert schedule_document(trace) == {"text": "1", "preemptions": 1}
    assert preempted_lines(trace) == {}


def test_the_possibility_of_a_main_thread_is_not_that_of_schedules(
    recorder: PythonRecorder,
) -> None:
    """The other threads are not recorded: the choices are random numbers."""
    trace = recorder.record(Program(CHANCE, "append()"))
    document = possibility_document(Possibility("undecided", trace, 3, "step 3 differs"))
    assert document is not None
    assert document["sentence"].startswith("No values of the program's choices were found")
    assert document["reason"] == "The closest execution: step 3 differs."


def test_possibility_is_stored_and_shown_without_execution(
    thread_run: str, recorder: PythonRecorder
) -> None:
    rows = {row["sample"]: row for row in read_run(thread_run)}
    assert rows["lost"]["possibility"] == "possible"
    assert rows["list"]["possibility"] == "impossible"
    run = DiagnosedRun(thread_run, recorder)
    impossible = run.document("list")["possibility"]
    assert impossible["outcome"] == "impossible"
    assert impossible["sentence"] == ""
    assert impossible["reason"] == (
        "No schedule with switches before lines gives this result (2 executions; outcomes: [1])."
    )
    assert rows["list"]["possibility_reason"][1:] == impossible["reason"][1:-1]
    assert run.document("lost")["possibility"]["reason"] == ""
    # The terminal shows the schedule instead of each choice of a thread.
    facts = dict(fact_texts(run.diagnose("lost")))
    assert facts["schedule"] == "0*5 1*2 2  (1 preemption)"
    assert "choices" not in facts


def test_a_program_without_choices_has_no_possibility(
    demo_run: str, recorder: PythonRecorder
) -> None:
    run = DiagnosedRun(demo_run, recorder)
    document = run.document(run.names[0])
    assert (document["possibility"], document["schedule"]) == (None, None)
    assert document["distribution"] is None
    assert not any("thread" in step for step in document["actual"]["steps"])


def test_distributions_of_a_run(chance_run: str, recorder: PythonRecorder) -> None:
    run = DiagnosedRun(chance_run, recorder)
    report, _ = build_report_document([run])
    assert list(mismatches(report, "ReportDocument", "report")) == []
    summary = report["runs"][0]["distributions"]
    (row,) = summary["by_question"]
    assert summary["impossible"]["correct"] == row["impossible"] == 1
    assert (row["possible"], row["predictions"], row["never_predicted"]) == (3, 4, 1)
    # |1/3 − 1/2| + |1/3 − 1/4| + |1/3 − 0| + |0 − 1/4|, halved.
    assert row["total_variation"]["value"] == pytest.approx(5 / 12)
    document = run.document(row["sample"])
    assert list(mismatches(document, "SampleDocument", "die")) == []
    assert document["distribution"]["outcomes"] == [
        {"value": "1", "exact": "1/3", "probability": 1 / 3, "predicted": 2},
        {"value": "2", "exact": "1/3", "probability": 1 / 3, "predicted": 1},
        {"value": "3", "exact": "1/3", "probability": 1 / 3, "predicted": 0},
        {"value": "4", "exact": None, "probability": 0.0, "predicted": 1},
    ]
    assert document["distribution"]["score"]["impossible"] == 1


def test_impossible_answers_are_not_counted_as_possible_results() -> None:
    answers = [("a", str(number), 'one of {"x": "1"}') for number in range(200)]
    (question,) = question_distributions(answers)
    document = build_distribution(question, None)
    assert (document["possible"], document["omitted"]) == (1, 150)


def test_one_answer_has_a_distribution_without_distances() -> None:
    (question,) = question_distributions([("a", "10", 'one of {"9": "1/4", "10": "3/4"}')])
    document = build_distribution(question, "10")
    # Numbers are in the order of their size.
    assert [outcome["value"] for outcome in document["outcomes"]] == ["9", "10"]
    assert (document["own"], document["predictions"], document["score"]) == ("10", 1, None)
    assert question_distributions([("a", "10", "10")]) == []


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_lanes_in_a_browser(open_page: OpenPage, thread_run: str, width: int, scheme: str) -> None:
    tab = open_page(thread_run, width=width)
    tab.page.emulate_media(color_scheme=scheme)
    tab.go("#/run/0/sample/lost?step=22")
    tab.page.wait_for_selector(".lanes")
    row = tab.page.locator("#step-22")
    assert "thread 2, interrupts thread 1" in row.inner_text()
    assert row.locator("circle").count() == 1
    assert row.locator(".preempted-path").count() == 1
    assert tab.page.locator("#step-26 .preempted-path").count() == 0
    panel = tab.page.locator(".threads-panel")
    assert "Schedule 0*5 1*2 2 1 preemption" in panel.inner_text()
    assert "value = 0" in panel.locator("tr", has_text="interrupted").inner_text()
    assert tab.page.locator(".badges").inner_text().count("Possible") == 1
    # Only the result was predicted: the actual steps have the whole width.
    assert tab.page.locator(".timeline-head", has_text="Predicted").count() == 0
    cell, whole = (
        tab.page.locator(selector).first.bounding_box()
        for selector in ("#step-22 .step-cell", ".timeline-box")
    )
    assert row.locator(".step-cell").count() == 1
    assert cell["x"] + cell["width"] > whole["x"] + whole["width"] - 20
    assert row.bounding_box()["height"] == 22
    assert tab.texts(".results dt") == ["Actual result", "Predicted result", "Possible results"]
    assert tab.texts(".results dd") == ["1", "1", "The predicted result is one of them."]
    # Step over stays in the thread.
    tab.page.get_by_role("button", name="Step 22", exact=True).click()
    tab.page.keyboard.press("ArrowLeft")
    tab.page.keyboard.press("ArrowDown")
    tab.wait("document.querySelector('input[type=range]').value === '26'")
    assert tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert tab.accessibility_violations() == []
    tab.go("#/run/0/sample/list")
    tab.wait("document.querySelector('h1')?.innerText === 'list'")
    assert tab.texts(".results dd") == [
        "[1]",
        "[2]",
        "No schedule with switches before lines gives this result (2 executions; outcomes: [1]).",
    ]


def test_distributions_in_a_browser(open_page: OpenPage, chance_run: str) -> None:
    tab = open_page(chance_run, width=390)
    assert "0.417" in tab.page.locator("#section-distributions").inner_text()
    tab.page.locator("#section-distributions tbody a").click()
    tab.page.wait_for_selector(".outcomes")
    remarks = tab.texts(".outcomes tbody tr .remark")
    assert remarks == ["this sample", "", "never predicted", "impossible"]
    assert "one of 3 possible results" in tab.page.inner_text(".results")
    panel = tab.page.inner_text(".distribution")
    assert "Jensen–Shannon distance is the square root of the divergence in bits" in panel
    assert "one half is added to the number of predictions of each outcome" in panel
    # Each bar is between the ends of its scale.
    scales = tab.page.locator(".distribution .distance-scale").all_inner_texts()
    assert [scale.split() for scale in scales] == [["0", "1"], ["0", "1"]]
    assert tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert tab.accessibility_violations() == []


def test_a_heat_map_of_one_row_has_no_total(
    open_page: OpenPage, thread_run: str, demo_run: str
) -> None:
    tab = open_page(thread_run)
    rows = tab.page.locator("table.heat tbody tr")
    assert rows.all_inner_texts()[0].startswith("Return value")
    assert rows.count() == 1
    rows = open_page(demo_run).page.locator("table.heat tbody tr")
    assert rows.count() > 2
    assert rows.last.inner_text().startswith("All")


def test_a_predicted_result_of_a_program_that_raises_has_no_steps(
    open_page: OpenPage, recorder: PythonRecorder, tmp_path: Path
) -> None:
    program = Program("def f():\n    raise ValueError('no')\n", "f()")
    run = make_result_run(tmp_path / "run", [Question("raises", program)], lambda _: "3", recorder)
    tab = open_page(run)
    tab.go("#/run/0/sample/raises")
    tab.page.wait_for_selector("#step-1")
    assert tab.page.locator("#step-1").locator(".step-cell").count() == 1
