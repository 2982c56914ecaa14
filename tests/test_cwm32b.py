"""The 182 recorded failures of CWM-32B: diagnosed, confirmed by a second witness, and by hand."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from worldline.align import compare
from worldline.cli import main
from worldline.diagnose import Sample
from worldline.measures import accuracy
from worldline.predict import read_recorded
from worldline.runs import diagnose_recorded, query_runs, read_judged, read_predictions

HERE = Path(__file__).parent
HAND = json.loads((HERE / "gold" / "cwm32b_hand_checked.json").read_text(encoding="utf-8"))
FRAMED = sys.version_info < (3, 12)
# The queries in the documentation.
PAGE = (HERE.parent / "docs" / "runs.md").read_text(encoding="utf-8")
EXAMPLES = [
    query.strip()
    for block in re.findall(r"^```sql\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    for query in block.split(";\n")
    if query.strip()
]

pytestmark = pytest.mark.data


@pytest.fixture(scope="module")
def samples(recorded_files: list[Path]) -> dict[str, Sample]:
    """All recorded failures, diagnosed."""
    found = [sample for path in recorded_files for sample in diagnose_recorded(path)]
    return {sample.prediction.id: sample for sample in found}


def test_all_are_diagnosed_and_none_is_malformed(samples: dict[str, Sample]) -> None:
    outcomes = Counter(sample.diagnosis.facts.outcome for sample in samples.values())
    assert outcomes.total() == 182
    assert outcomes["malformed"] == outcomes["error"] == 0
    assert outcomes["no_output"] == 3


@pytest.mark.skipif(not FRAMED, reason="counts are for Pythons whose comprehensions have frames")
def test_outcomes_and_places(samples: dict[str, Sample]) -> None:
    found = Counter(
        (sample.prediction.id.startswith("sample_"), d.where or d.facts.outcome)
        for sample in samples.values()
        for d in [sample.diagnosis]
    )
    crux = {place: n for (is_crux, place), n in found.items() if is_crux}
    human = {place: n for (is_crux, place), n in found.items() if not is_crux}
    assert crux == {
        "return": 51,
        "state": 48,
        "action": 12,
        "argument": 3,
        "no_output": 3,
        "truncated": 1,
        "correct": 1,
        "answer_lost": 1,
    }
    assert human == {
        "truncated": 18,
        "return": 14,
        "state": 13,
        "action": 7,
        "reference_wrong": 5,
        "answer_lost": 5,
    }


@pytest.mark.skipif(not FRAMED, reason="steps are counted with the frames of comprehensions")
@pytest.mark.parametrize("fact", HAND, ids=lambda fact: str(fact["id"]))
def test_facts_found_by_hand(samples: dict[str, Sample], fact: dict[str, Any]) -> None:
    """54 rows, read against the program independently of this tool."""
    diagnosis = samples[fact["id"]].diagnosis
    divergence = diagnosis.facts.divergence
    assert diagnosis.facts.outcome == fact["outcome"]
    assert (divergence.step if divergence else None) == fact["step"]
    assert (divergence.where if divergence else None) == fact["where"]
    assert (divergence.variable if divergence else None) == fact["variable"]
    assert (divergence.event if divergence else None) == fact["event"]
    assert (divergence.line if divergence else None) == fact["line"]
    assert diagnosis.kind == fact["kind"]


@pytest.mark.skipif(FRAMED, reason="for Pythons whose comprehensions have no frames")
def test_without_frames_the_same_samples_diverge(samples: dict[str, Sample]) -> None:
    for fact in HAND:
        assert samples[fact["id"]].diagnosis.facts.outcome == fact["outcome"], fact["id"]


@pytest.mark.skipif(not FRAMED, reason="the witness counts the frames of comprehensions")
def test_every_divergence_is_confirmed_by_a_second_witness(samples: dict[str, Sample]) -> None:
    """Execute every program again, with a tracer that shares no code with the recorder."""
    diverged = [s for s in samples.values() if s.diagnosis.facts.divergence]
    asked = [
        {"text": s.prediction.program.text, "steps": s.diagnosis.facts.divergence.step + 1}  # type: ignore[union-attr]
        for s in diverged
    ]
    answers = subprocess.run(
        [sys.executable, str(HERE / "plain_tracer.py")],
        input="\n".join(map(json.dumps, asked)),
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "0"},
    ).stdout.splitlines()
    assert len(answers) == len(diverged) == 148
    for sample, answer in zip(diverged, answers, strict=True):
        confirm(sample, json.loads(answer))


def confirm(sample: Sample, events: list[list[Any]]) -> None:
    """What the diagnosis says is real is real; what it says was written was, and is not real."""
    divergence = sample.diagnosis.facts.divergence
    assert divergence is not None
    name = sample.prediction.id
    event, line, shown, value = events[divergence.step]
    assert (event, line) == (divergence.event, divergence.line), name
    written = sample.prediction.decoded.written
    steps = sample.prediction.decoded.steps
    if divergence.where == "action":
        assert not divergence.is_within_cut, name
        assert written[divergence.step].line == divergence.predicted, name
        lines = sample.prediction.program.lines
        is_other_line = lines[line - 1] != divergence.predicted
        assert is_other_line or steps[divergence.step].event != event, name
        return
    real = value if divergence.variable is None else shown.get(divergence.variable, "")
    assert real == divergence.true, name
    assert not compare(real, divergence.predicted).is_same, name
    if not divergence.is_within_cut:
        step = steps[divergence.step]
        shows = written[divergence.step].locals
        wrote = step.value if divergence.variable is None else shows.get(divergence.variable, "")
        # `..` repeats the value of the scope's last step, which was right.
        before = events[divergence.step - 1][2].get(divergence.variable)
        assert divergence.predicted in (wrote, before if wrote == ".." else wrote), name


@pytest.mark.skipif(not FRAMED, reason="counted with the frames of comprehensions")
def test_cwm_writes_the_whole_state_of_a_scope_that_is_returned_to(
    samples: dict[str, Sample],
) -> None:
    """Decision 2 rests on this count."""
    full = partly = 0
    for sample in samples.values():
        decoded = sample.prediction.decoded
        for before, after, written in zip(
            decoded.steps, decoded.steps[1:], decoded.written[1:], strict=False
        ):
            is_def = written.line.lstrip().startswith("def ")
            if before.event == "return" and after.has_locals and written.locals and not is_def:
                full += ".." not in written.locals.values()
                partly += ".." in written.locals.values()
    assert (full, partly) == (320, 0)


@pytest.mark.skipif(not FRAMED, reason="the page is made with the frames of comprehensions")
@pytest.mark.usefixtures("recorded_files", "cruxeval")
def test_the_findings_are_what_the_data_says() -> None:
    script = HERE.parent / "scripts" / "findings.py"
    done = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not FRAMED, reason="counts are for Pythons whose comprehensions have frames")
def test_they_are_a_run_like_any_other(recorded_files: list[Path], tmp_path: Path) -> None:
    target = str(tmp_path / "run")
    words = ["diagnose", *map(str, recorded_files), "-o", target, "--summary", "--format", "json"]
    made = CliRunner().invoke(main, words)
    assert made.exit_code == 0, made.output
    again = CliRunner().invoke(main, ["diagnose", target, "--summary", "--format", "json"])
    assert json.loads(again.stdout) == json.loads(made.stdout)
    written = {p.id: p for path in recorded_files for p in read_recorded(path)}
    assert {p.id: p for p in read_predictions(target)} == written
    counted = query_runs([target], "select verdict, count(*) from samples group by all order by 1")
    # Four were complete and right where a script took another answer out of a cut text; one is a
    # failure by its text only.
    assert counted.rows == (("cut", 31), ("right", 5), ("wrong", 146))
    found = accuracy(read_judged(target))
    assert (found.of_all.right, found.of_all.of, found.of_answered.of) == (5, 182, 151)
    for query in EXAMPLES:
        assert query_runs([target], query).columns
    operations = query_runs([target], EXAMPLES[0]).rows
    assert operations[0][1] > operations[-1][1] > 0
    told = json.loads(CliRunner().invoke(main, ["report", target, "--format", "json"]).stdout)
    assert told["summary"] == json.loads(made.stdout)
    report = CliRunner().invoke(main, ["report", target])
    assert report.exit_code == 0, report.output
    assert "right of all       5 of 182: 2.7% (95% interval 1.2 to 6.3)" in report.stdout
