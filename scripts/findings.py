"""Write docs/findings/cwm-32b.md from the recorded failures of CWM-32B: one command, no arguments.

`--check` compares instead of writing. Needs the data beside the checkout, and CPython 3.11, whose comprehensions have frames as the model learned them.
"""

import json
import math
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

from worldline.align import compare
from worldline.diagnose import Diagnosis, Sample, value_kind
from worldline.predict import read_rows
from worldline.recorders import PythonRecorder
from worldline.runs import diagnose_recorded
from worldline.trace import Program, Trace

ROOT = Path(__file__).parent.parent
DATA = Path(os.environ.get("WORLDLINE_DATA") or ROOT.parent / "shared" / "data")
PAGE = ROOT / "docs" / "findings" / "cwm-32b.md"
NAMES = ("cruxeval", "humaneval")

Row = dict[str, object]


def main() -> None:
    """Make the page, and write it or compare it with the one that is there."""
    if not DATA.is_dir():
        sys.exit(f"findings: the recorded failures are not in {DATA}")
    if sys.version_info >= (3, 12):
        sys.exit("findings: run this with Python 3.11, as the model's traces were made")
    page = make_page()
    if "--check" in sys.argv:
        if PAGE.read_text(encoding="utf-8") != page:
            sys.exit(f"findings: {PAGE} is not what the data says; run scripts/findings.py")
        return
    PAGE.write_text(page, encoding="utf-8")


def make_page() -> str:
    """The whole page, from the data alone."""
    rows: dict[str, Row] = {}
    samples: dict[str, list[Sample]] = {}
    for name in NAMES:
        path = DATA / f"cwm32b_{name}_failures.jsonl"
        rows |= {str(row["id"]): row for _, row in read_rows(path)}
        samples[name] = list(diagnose_recorded(path))
    everything = [sample for name in NAMES for sample in samples[name]]
    parts = [
        introduction(everything),
        outcomes(samples),
        where_and_kind(everything),
        labels(samples["cruxeval"], rows),
        surprises(everything, rows),
        strings(samples["cruxeval"]),
        interventions(samples["cruxeval"], rows),
        prototype(samples),
        left_out(everything),
    ]
    return "\n".join(parts)


def introduction(samples: list[Sample]) -> str:
    """What was done."""
    return f"""# What CWM-32B really got wrong

Made by `python scripts/findings.py` from the {len(samples)} recorded failures of facebook/cwm (32B) on
CRUXEval (output prediction) and HumanEval that were published with 'Debugging code world models'
(arXiv 2602.07672). Every program was executed again with CPython 3.11 and compared step by step with
what the model wrote; nothing here was labelled by hand. As a check, {hand_checked()} rows were read against the
program independently of the tool: outcome, step, place, variable, kind and line agree in all of
them (`tests/test_cwm32b.py` holds them), and every divergence is confirmed there by a second tracer that
shares no code with the recorder. Causes are hypotheses until an intervention
confirms them. All of these are failures by the paper's own scoring, so shares say how failures are
made up, never how often the model fails. Intervals are 95% Wilson intervals.
"""


def hand_checked() -> int:
    """How many rows were checked by hand; the tests fail where one does not agree."""
    path = ROOT / "tests" / "gold" / "cwm32b_hand_checked.json"
    return len(json.loads(path.read_text(encoding="utf-8")))


def outcomes(samples: dict[str, list[Sample]]) -> str:
    """Outcomes by benchmark."""
    counts = {name: Counter(s.diagnosis.facts.outcome for s in samples[name]) for name in NAMES}
    order = sorted(set().union(*counts.values()), key=lambda o: -sum(c[o] for c in counts.values()))
    lines = ["## Outcomes\n", "| outcome | CRUXEval | HumanEval | all |", "|---|--:|--:|--:|"]
    for outcome in order:
        each = [counts[name][outcome] for name in NAMES]
        lines.append(f"| {outcome} | {each[0]} | {each[1]} | {sum(each)} |")
    totals = [len(samples[name]) for name in NAMES]
    lines.append(f"| all | {totals[0]} | {totals[1]} | {sum(totals)} |\n")
    return "\n".join(lines)


def where_and_kind(samples: list[Sample]) -> str:
    """Where they first diverge, and in what kind of value."""
    diverged = [s.diagnosis for s in samples if s.diagnosis.where]
    kinds = [k for k, _ in Counter(d.kind or "(no value)" for d in diverged).most_common()]
    lines = [
        f"## The first divergence of {len(diverged)}\n",
        "| where | " + " | ".join(kinds) + " | all |",
        "|---|" + "--:|" * (len(kinds) + 1),
    ]
    for where in ("argument", "state", "action", "return", "exception", "end"):
        row = Counter(d.kind or "(no value)" for d in diverged if d.where == where)
        if row:
            cells = " | ".join(str(row[kind] or "·") for kind in kinds)
            lines.append(f"| {where} | {cells} | {row.total()} |")
    actions = Counter(d.facts.action.kind for d in diverged if d.facts.action)
    changes = Counter(
        d.facts.value.change for d in diverged if d.facts.value and d.where == "state"
    )
    said = ", ".join(f"{n} {kind}" for kind, n in actions.most_common())
    illegal = sum(d.facts.action.is_legal is False for d in diverged if d.facts.action)
    lines.append(
        f"\nWrong turns: {said}; {illegal} of {actions.total()} are forbidden by the program's "
        f"control-flow graph. Wrong locals: {changes['update']} that the executed line had to write, "
        f"{changes['drift']} that it did not touch, {changes['entry']} shown at a call.\n"
    )
    lines += ["| cause (hypothesis) | samples |", "|---|--:|"]
    causes = Counter(s.diagnosis.cause.name for s in samples if s.diagnosis.cause)
    lines += [f"| {cause} | {count} |" for cause, count in causes.most_common()]
    return "\n".join(lines) + "\n"


def labels(samples: list[Sample], rows: dict[str, Row]) -> str:
    """The published labels against what was found."""
    counts = Counter(
        (str(rows[s.diagnosis.id]["paper_label"]), cause_or_outcome(s.diagnosis)) for s in samples
    )
    found = [
        cause for cause, _ in Counter(cause_or_outcome(s.diagnosis) for s in samples).most_common()
    ]
    names = [
        n
        for n, _ in Counter(str(rows[s.diagnosis.id]["paper_label"]) for s in samples).most_common()
    ]
    lines = [
        "## The published labels (CRUXEval) against what was found\n",
        "| found | " + " | ".join(names) + " |",
        "|---|" + "--:|" * len(names),
    ]
    for cause in found:
        lines.append(
            f"| {cause} | " + " | ".join(str(counts[n, cause] or "·") for n in names) + " |"
        )
    return "\n".join(lines) + "\n"


def cause_or_outcome(diagnosis: Diagnosis) -> str:
    """The cause, or the outcome where there is nothing to explain."""
    return diagnosis.cause.name if diagnosis.cause else f"({diagnosis.facts.outcome})"


def surprises(samples: list[Sample], rows: dict[str, Row]) -> str:
    """What the published labels do not tell, sample by sample."""

    def pick(holds: Callable[[Diagnosis, Row], bool]) -> list[Diagnosis]:
        return [s.diagnosis for s in samples if holds(s.diagnosis, rows[s.diagnosis.id])]

    whole = pick(lambda d, r: bool(r["truncated"]) and d.facts.outcome == "answer_lost")
    before = pick(lambda d, r: bool(r["truncated"]) and d.facts.outcome == "diverged")
    empty = pick(lambda d, r: bool(r["truncated"]) and d.facts.outcome == "no_output")
    cut = [s for s in samples if rows[s.diagnosis.id]["truncated"]]
    scored = pick(lambda d, r: d.facts.outcome == "correct")
    lost = pick(lambda d, r: not r["truncated"] and d.facts.outcome == "answer_lost")
    copied = pick(
        lambda d, r: (
            r["paper_label"] == "Method Semantics Error"
            and d.cause is not None
            and d.cause.name in ("miscopied", "iteration_lost")
        )
    )
    turns = pick(lambda d, r: r["paper_label"] == "Method Semantics Error" and d.where == "action")
    wrong = pick(lambda d, r: d.facts.is_reference_right is False)
    earliness = [
        f"{d.id} (step {d.facts.divergence.step} of the {d.facts.predicted_steps} it wrote)"
        for d in before
        if d.facts.divergence
    ]
    back = [d for d in pick(lambda d, r: True) if d.facts.alignment and d.facts.alignment.recovery]
    found_back = [d for d in back if d.facts.alignment.recovery.times]  # type: ignore[union-attr]
    # What the sentences below say beyond their figures.
    assert not any(d.facts.is_result_right for d in found_back)
    assert all(d.facts.outcome == "reference_wrong" for d in wrong)
    answers = {s.diagnosis.id: s.prediction.answer for s in samples}
    rules = [compare(d.facts.result or "", answers[d.id] or "").rule for d in scored]
    assert rules == ["spelling"] * len(scored)
    return f"""## Surprises

- **Counted as truncated, complete and right**: of the {len(cut)} samples that the paper counts as
  truncated, {len(whole)} have a trace that is right to the last return; only the answer was not taken
  from it: {ids(whole)}.
- **Wrong long before the cut**: {len(before)} of the {len(cut)} had already diverged:
  {"; ".join(earliness)}. A larger budget would not have saved them. Another {len(empty)} are empty
  ({ids(empty)}); {len(cut) - len(whole) - len(before) - len(empty)} were right as far as they go.
- **Failures that are none**: {ids(scored)}. The whole trace and the answer are right; the answer was
  compared as text, and is written with an escape where Python's `repr` has none.
- **Right trace, wrong answer**: {ids(lost)}, not cut, lost between the trace and the answer.
- **'Method semantics' that are not**: of the {label_count(samples, rows, "Method Semantics Error")}
  samples with that label, {len(copied)} only had to repeat a value that was in front of the model
  ({ids(copied)}), and {len(turns)} went wrong in the next line, not in a value ({ids(turns)}).
- **Wrong reference values**: in {len(wrong)} samples the benchmark's expected value is not what the
  program returns, and the model was right: {ids(wrong)}.
- **Finding back**: {len(found_back)} of {len(back)} that diverged later met the real execution again for at
  least two steps ({ids(found_back)}); none of them returned the right value, or it would not be here.
"""


def ids(diagnoses: Iterable[Diagnosis]) -> str:
    """Names in a row."""
    return ", ".join(d.id for d in diagnoses) or "none"


def label_count(samples: list[Sample], rows: dict[str, Row], label: str) -> int:
    """How many samples carry a published label."""
    return sum(rows[s.diagnosis.id]["paper_label"] == label for s in samples)


def strings(samples: list[Sample]) -> str:
    """Strings in failures against strings in the benchmark's state."""
    state: Counter[str] = Counter()
    traces = 0
    with PythonRecorder() as recorder:
        for line in (DATA / "cruxeval.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            trace = recorder.record(Program(row["code"], f"f({row['input']})"))
            traces += 1
            state.update(value_kinds(trace))
    values = [s.diagnosis.facts.value for s in samples if s.diagnosis.facts.value]
    failed: Counter[str] = Counter(value.kind for value in values)
    total, failures = state.total(), failed.total()
    lines = [
        "## Strings in failures against strings in the benchmark (CRUXEval)\n",
        f"Written values are all locals that a step writes and all values returned or raised, in the "
        f"{traces} real executions: {total:,} in all. Failures are the {failures} first divergences "
        "that are in a value. The ratio says how much more often a kind fails first than its share "
        "of the values would have it.\n",
        "| kind | share of written values | share of failures (95%) | ratio |",
        "|---|--:|--:|--:|",
    ]
    for kind, count in state.most_common():
        if count / total < 0.005 and not failed[kind]:
            continue
        low, high = wilson(failed[kind], failures)
        share, failing = count / total, failed[kind] / failures
        lines.append(
            f"| {kind} | {100 * share:.1f}% | {100 * failing:.1f}% ({100 * low:.1f}–{100 * high:.1f}) "
            f"| {failing / share:.2f} |"
        )
    leaves = sum("str" in (value.kind, value.leaf_kind) for value in values)
    low, high = wilson(leaves, failures)
    lines.append(
        f"\nCounting containers by the leaf that differs, {leaves} of {failures} failures "
        f"({100 * leaves / failures:.1f}%, {100 * low:.1f}–{100 * high:.1f}) are in a string.\n"
    )
    return "\n".join(lines)


def value_kinds(trace: Trace) -> Iterable[str]:
    """The kind of every value that a trace writes."""
    for step in trace.steps:
        yield from (value_kind(value) for value in step.changed.values())
        if step.value is not None:
            yield value_kind(step.value)


def wilson(count: int, total: int, z: float = 1.96) -> tuple[float, float]:
    """The 95% Wilson interval of a share."""
    share = count / total
    centre = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    half /= 1 + z * z / total
    return max(0.0, centre - half), min(1.0, centre + half)


def interventions(samples: list[Sample], rows: dict[str, Row]) -> str:
    """The paper's own rewrites against our hypotheses: did removing the cause help?"""
    hidden = [s for s in samples if s.diagnosis.facts.operation]
    lines = [
        "## Do the hypotheses agree with the paper's rewrites? (CRUXEval)\n",
        "The data says which of the paper's two rewrites turned a sample right: nested expressions "
        "into temporaries ('expr'), string operations into loops over characters ('string'). A "
        "hypothesis is worth something if its rewrite helps more than it does elsewhere.\n",
        "| hypothesis | samples | recovered by 'expr' | recovered by 'string' |",
        "|---|--:|--:|--:|",
    ]
    by_cause = Counter(cause_or_outcome(s.diagnosis) for s in hidden)
    for cause, count in by_cause.most_common():
        mine = [rows[s.diagnosis.id] for s in hidden if cause_or_outcome(s.diagnosis) == cause]
        recovered = [str(row["recovered"]) for row in mine]
        expr = sum("expr" in text for text in recovered)
        string = sum("string" in text for text in recovered)
        lines.append(f"| {cause} | {count} | {share_of(expr, count)} | {share_of(string, count)} |")
    return "\n".join(lines) + "\n"


def share_of(count: int, total: int) -> str:
    """ "3 (12–60%)": a count with the interval of its share."""
    low, high = wilson(count, total)
    return f"{count} ({100 * low:.0f}–{100 * high:.0f}%)"


def prototype(samples: dict[str, list[Sample]]) -> str:
    """An earlier rough count, and why ours differs."""
    crux = Counter(s.diagnosis.where or s.diagnosis.facts.outcome for s in samples["cruxeval"])
    human = [s.diagnosis for s in samples["humaneval"]]
    ended = [d for d in human if d.facts.alignment and d.facts.alignment.is_whole]
    whole, cut = len(ended), sum(d.facts.is_cut for d in ended)
    within = [s.diagnosis for s in samples["cruxeval"] if is_within_cut(s.diagnosis)]
    returns = [
        s.diagnosis
        for s in samples["cruxeval"]
        if s.diagnosis.facts.divergence
        and s.diagnosis.where == "action"
        and s.diagnosis.facts.divergence.event == "return"
    ]
    return f"""## Against an earlier count

A rough prototype had counted, of CRUXEval's 120, about 52 first differing in a return value, 50 in a
variable, 11 in the next line, 5 empty or cut, 2 right to the end; here: {crux["return"]}, \
{crux["state"] + crux["argument"]}, {crux["action"]},
{crux["no_output"] + crux["truncated"]} and {crux["correct"] + crux["answer_lost"]}. We hold ours to be \
right for two reasons. A text that breaks off inside a
value is compared as far as it goes: {ids(within)} is wrong well before its cut. And a return where the
model goes on to another line is a wrong turn, not a wrong value: {ids(returns)}. On HumanEval both find
{whole} of {len(human)} right to the end, {cut} of them counted as truncated by the paper.
"""


def is_within_cut(diagnosis: Diagnosis) -> bool:
    """Whether the text broke off inside the step that is wrong."""
    return diagnosis.facts.divergence is not None and diagnosis.facts.divergence.is_within_cut


def left_out(samples: list[Sample]) -> str:
    """What could not be said."""
    unknown = [s.diagnosis for s in samples if s.diagnosis.facts.is_reference_right is None]
    unexplained = [
        s.diagnosis
        for s in samples
        if s.diagnosis.cause and s.diagnosis.cause.name == "unexplained"
    ]
    return f"""## Left out

- For {len(unknown)} samples the reference value was not checked: the text is empty, or it was cut and
  the real program runs far longer than what was predicted of it.
- {len(unexplained)} divergence has no cause: {ids(unexplained)}.
- The special tokens of the texts were lost when they were saved, so a call that was written as a
  line step (or the other way round) cannot be seen.
"""


if __name__ == "__main__":
    main()
