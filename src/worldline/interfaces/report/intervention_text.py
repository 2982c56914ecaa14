"""Effects of interventions as tables, lines and JSON."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from itertools import groupby
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from worldline.analysis.diagnosis import label
from worldline.analysis.interventions import INTERVENTIONS, InterventionName
from worldline.analysis.stats import Ratio
from worldline.core.util.text import pluralize
from worldline.evaluation.metrics.intervention_effects import Effect, Fix, InterventionResults
from worldline.evaluation.runs import Attempt
from worldline.interfaces.report.number_format import (
    interval_text,
    p_text,
    share_cell,
    share_text,
    signed,
)

# Columns that a table with one column per intervention needs, for each of them.
_COLUMN = 24


def intervention_tables(results: InterventionResults, *, width: int = 200) -> RenderableType:
    """Tables of confirmed causes, of what each intervention corrected, and of possible fixes.

    Args:
        results: The measured effects.
        width: The columns of the terminal. In a narrow one, there is a row instead of a column
            for each intervention.
    """
    title = (
        f"Causes of {pluralize(results.failures, 'failure')}, and how many are confirmed or refuted"
    )
    parts: list[RenderableType] = [Text(title, "bold"), _confirmed_table(results)]
    if results.effects:
        names = {effect.intervention for effect in results.effects}
        is_wide = width >= _COLUMN * (len(names) + 1)
        table = _recovered_table(results) if is_wide else _recovered_list(results)
        title = "Corrected, by cause and intervention (95% intervals)"
        parts += [Text(title, "bold"), table]
        parts += [Text("Each intervention, over all causes", "bold"), _cost_table(results)]
    if results.contrasts:
        title = "Two interventions on the same failures"
        parts += [Text(title, "bold"), _contrast_table(results)]
    return Group(*parts, *fix_lines(results))


def _table(*titles: str, left: tuple[str, ...] = ()) -> Table:
    """A table that fits 80 columns: no lines between columns; texts wrap, numbers do not."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for title in titles:
        is_text = title in left
        table.add_column(title, justify="left" if is_text else "right", no_wrap=not is_text)
    return table


def _confirmed_table(results: InterventionResults) -> Table:
    titles = ("cause", "failures", "confirmed", "%", "by", "refuted", "% ", "by ")
    table = _table(*titles, left=("cause", "by", "by "))
    for cause, share in results.confirmed.items():
        refuted = results.refuted[cause]
        table.add_row(
            label(cause),
            str(share.of),
            str(share.correct),
            f"{100 * (share.value or 0):.1f}",
            _by_text(results.by, cause),
            str(refuted.correct),
            f"{100 * (refuted.value or 0):.1f}",
            _by_text(results.refuted_by, cause),
        )
    return table


def _by_text(counts: Mapping[tuple[str, str], int], cause: str) -> str:
    """ "Patch 3, Guided 1": the interventions on one cause, with their counts."""
    named = [(name, n) for (of_cause, name), n in counts.items() if of_cause == cause]
    return ", ".join(f"{label(name)} {n}" for name, n in named)


def _recovered_table(results: InterventionResults) -> Table:
    """Shares corrected, with one row per cause and one column per intervention."""
    names = list(dict.fromkeys(effect.intervention for effect in results.effects))
    effects = {(effect.intervention, effect.cause): effect for effect in results.effects}
    table = Table()
    table.add_column("cause")
    for name in names:
        table.add_column(label(name), justify="right")
    for cause in (*results.causes, None):
        if cause is None:
            table.add_section()
        row = [effects.get((name, cause)) for name in names]
        if any(row):
            cells = (share_cell(effect.recovered) if effect else "·" for effect in row)
            table.add_row(label(cause) if cause else "all", *cells)
    return table


def _recovered_list(results: InterventionResults) -> Table:
    """Shares corrected, with one row per cause and intervention."""
    table = _table("cause", "intervention", "corrected, %", left=("cause", "intervention"))
    order = {cause: place for place, cause in enumerate((*results.causes, None))}
    for effect in sorted(results.effects, key=lambda effect: order.get(effect.cause, len(order))):
        cause = label(effect.cause) if effect.cause else "all"
        table.add_row(cause, label(effect.intervention), share_cell(effect.recovered))
    return table


def _cost_table(results: InterventionResults) -> Table:
    titles = ("intervention", "what it changes", "corrected, %", "steps further", "tokens")
    table = _table(*titles, left=titles[:2])
    for effect in _over_all_causes(results.effects):
        about = INTERVENTIONS[effect.intervention]
        value = effect.farther.value
        further = "–" if value is None else f"{signed(value)}\n({interval_text(effect.farther)})"
        needs = " (needs actual steps)" if about.needs_actual else ""
        table.add_row(
            label(about.name),
            f"{about.sentence}{needs}",
            share_cell(effect.recovered),
            further,
            _ratio_text(effect.tokens),
        )
    return table


def _over_all_causes(effects: Iterable[Effect]) -> Iterable[Effect]:
    return (effect for effect in effects if effect.cause is None)


def _contrast_table(results: InterventionResults) -> Table:
    titles = ("from", "to", "failures", "more corrected,\nin points", "p")
    table = _table(*titles, left=titles[:2])
    for contrast in results.contrasts:
        difference = contrast.difference
        value = 100 * (difference.value or 0.0)
        gain = f"{signed(value)} ({interval_text(difference, scale=100)})"
        p = p_text(difference.p).removeprefix("= ")
        table.add_row(label(contrast.first), label(contrast.second), str(difference.of), gain, p)
    return table


def fix_lines(results: InterventionResults) -> Iterable[Text]:
    """Yield what each fix that needs no actual steps would gain, and which is the cheapest."""
    for fix in results.fixes:
        yield Text(f"{label(fix.intervention)}: {_fix_text(fix)}")
    cheapest = results.cheapest
    if cheapest is not None and cheapest.is_shown:
        yield Text(f"cheapest fix that gains: {label(cheapest.intervention)}", "bold")
    elif cheapest is not None:
        yield Text(
            f"cheapest fix that may gain: {label(cheapest.intervention)}; the samples are too few "
            "to show it",
            "bold",
        )
    elif results.fixes:
        yield Text("none of these fixes gains anything: train the model further", "bold")


def _fix_text(fix: Fix) -> str:
    broken = (
        f"breaks {share_text(fix.broken)} of correct ones"
        if fix.broken.of
        else "no correct one was asked"
    )
    gain = f"{signed(100 * fix.gain)} points ({signed(100 * fix.low)} to {signed(100 * fix.high)})"
    tokens = _ratio_text(fix.tokens)
    return f"corrects {share_text(fix.recovered)}, {broken}: {gain} at {tokens} the tokens"


def _ratio_text(ratio: Ratio) -> str:
    """ "1.25×" """
    return "–" if ratio.value is None else f"{ratio.value:.2f}×"


def attempt_lines(attempts: Iterable[Attempt], before: int | None) -> Iterable[Text]:
    """Yield the result of each intervention on one sample.

    Args:
        attempts: The attempts on the sample.
        before: The matched steps of the original prediction.
    """
    for name, is_correct, result in attempt_results(attempts, before):
        yield Text(f"tried      {label(name)}: {result}", "green" if is_correct else "")


def attempt_results(
    attempts: Iterable[Attempt], before: int | None
) -> Iterator[tuple[InterventionName, bool, str]]:
    """Yield each intervention on a sample, whether it ever corrected it, and its result in words.

    Args:
        attempts: The attempts on the sample.
        before: The matched steps of the original prediction.
    """
    for name, group in groupby(attempts, key=lambda attempt: attempt.intervention):
        tries = list(group)
        correct = sum(attempt.verdict == "correct" for attempt in tries)
        if len(tries) > 1:
            result = f"{correct} of {len(tries)} draws correct"
        else:
            result = (
                "corrected" if correct else f"not corrected: {_second_result(tries[0], before)}"
            )
        yield name, correct > 0, result


def _second_result(attempt: Attempt, before: int | None) -> str:
    """How much further the prediction got, and where it diverged again."""
    if attempt.verdict == "infra_error":
        return "infrastructure error"
    further = (
        f"{attempt.matched_steps - before:+,} steps"
        if attempt.matched_steps is not None and before is not None
        else label(attempt.verdict)
    )
    where = {None: "", 0: ", in a line that the rewrite added"}.get(
        attempt.line, f", at line {attempt.line}"
    )
    return f"{further}{where}{f' ({label(attempt.cause)})' if attempt.cause else ''}"


def interventions_to_json(results: InterventionResults) -> dict[str, Any]:
    """Return the effects as plain JSON data."""
    cheapest = results.cheapest
    return {
        "failures": results.failures,
        "causes": dict(results.causes),
        "confirmed": {cause: asdict(share) for cause, share in results.confirmed.items()},
        "refuted": {cause: asdict(share) for cause, share in results.refuted.items()},
        "by": [{"cause": c, "by": by, "count": n} for (c, by), n in results.by.items()],
        "refuted_by": [
            {"cause": c, "by": by, "count": n} for (c, by), n in results.refuted_by.items()
        ],
        "effects": [asdict(effect) for effect in results.effects],
        "contrasts": [asdict(contrast) for contrast in results.contrasts],
        "fixes": [asdict(fix) for fix in results.fixes],
        "cheapest_fix": cheapest.intervention if cheapest else None,
    }
