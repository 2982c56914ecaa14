"""What interventions did goes in; tables, and a sentence on the cheapest fix, come out."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import groupby
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from worldline.diagnose import count
from worldline.intervene import INTERVENTIONS, InterventionName
from worldline.measures.interventions import Effect, Fix, Interventions
from worldline.report.numbers import interval_text, p_text, share_cell, share_text, signed
from worldline.runs import Attempt
from worldline.stats import Ratio


def intervention_tables(found: Interventions) -> RenderableType:
    """Causes confirmed, what each intervention turned right, and what a fix would bring."""
    parts: list[RenderableType] = [
        Text(f"Causes of {count(found.failures, 'failure')}, and how many are confirmed", "bold"),
        _confirmed_table(found),
    ]
    if found.effects:
        title = "Turned right, by cause and intervention (95% intervals)"
        parts += [Text(title, "bold"), _recovered_table(found)]
        parts += [Text("Each intervention on all that it was tried on", "bold"), _cost_table(found)]
    if found.contrasts:
        title = "Two interventions on the same failures"
        parts += [Text(title, "bold"), _contrast_table(found)]
    return Group(*parts, *fix_lines(found))


def _confirmed_table(found: Interventions) -> Table:
    table = Table()
    for name in ("cause", "failures", "confirmed", "%", "by"):
        table.add_column(name, justify="left" if name in ("cause", "by") else "right")
    for cause, share in found.confirmed.items():
        by = {name: number for (c, name), number in found.by.items() if c == cause}
        told = ", ".join(f"{name} {number}" for name, number in by.items())
        percent = f"{100 * (share.value or 0):.1f}"
        table.add_row(cause, str(share.of), str(share.right), percent, told)
    return table


def _recovered_table(found: Interventions) -> Table:
    names = list(dict.fromkeys(effect.intervention for effect in found.effects))
    cells = {(effect.intervention, effect.cause): effect for effect in found.effects}
    table = Table()
    table.add_column("cause")
    for name in names:
        table.add_column(name, justify="right")
    for cause in (*found.causes, None):
        if cause is None:
            table.add_section()
        row = [cells.get((name, cause)) for name in names]
        if any(row):
            told = (share_cell(effect.recovered) if effect else "·" for effect in row)
            table.add_row(cause or "all", *told)
    return table


def _cost_table(found: Interventions) -> Table:
    table = Table()
    for name in ("intervention", "what it changes", "truth", "turned right", "steps farther"):
        is_text = name in ("intervention", "what it changes", "truth")
        table.add_column(name, justify="left" if is_text else "right")
    table.add_column("tokens written", justify="right")
    for effect in _overall(found.effects):
        about = INTERVENTIONS[effect.intervention]
        value = effect.farther.value
        farther = "–" if value is None else f"{signed(value)} ({interval_text(effect.farther)})"
        table.add_row(
            about.name,
            about.sentence,
            "needed" if about.needs_truth else "",
            share_cell(effect.recovered),
            farther,
            _times(effect.tokens),
        )
    return table


def _overall(effects: Iterable[Effect]) -> Iterable[Effect]:
    return (effect for effect in effects if effect.cause is None)


def _contrast_table(found: Interventions) -> Table:
    table = Table()
    for name in ("from", "to", "failures", "more turned right, in points", "p"):
        table.add_column(name, justify="left" if name in ("from", "to") else "right")
    for each in found.contrasts:
        difference = each.difference
        value = 100 * (difference.value or 0.0)
        told = f"{signed(value)} ({interval_text(difference, scale=100)})"
        p = p_text(difference.p).removeprefix("= ")
        table.add_row(each.first, each.second, str(difference.of), told, p)
    return table


def fix_lines(found: Interventions) -> Iterable[Text]:
    """What each way to use the model that takes no truth would bring, and which is the cheapest."""
    for fix in found.fixes:
        yield Text(f"{fix.intervention}: {_fix_text(fix)}")
    cheapest = found.cheapest
    if cheapest is not None and cheapest.is_shown:
        yield Text(f"cheapest fix that gains: {cheapest.intervention}", "bold")
    elif cheapest is not None:
        yield Text(
            f"cheapest fix that may gain: {cheapest.intervention}; so few samples do not show it",
            "bold",
        )
    elif found.fixes:
        yield Text("none of these gains anything: this model is to be trained further", "bold")


def _fix_text(fix: Fix) -> str:
    broken = (
        f"breaks {share_text(fix.broken)} of right ones"
        if fix.broken.of
        else "no right one was asked"
    )
    gain = f"{signed(100 * fix.gain)} points ({signed(100 * fix.low)} to {signed(100 * fix.high)})"
    times = _times(fix.tokens)
    return f"turns {share_text(fix.recovered)} right, {broken}: {gain} at {times} the tokens"


def _times(ratio: Ratio) -> str:
    """ "1.25×" """
    return "–" if ratio.value is None else f"{ratio.value:.2f}×"


def attempt_lines(attempts: Iterable[Attempt], before: int | None) -> Iterable[Text]:
    """What was tried on one sample, a line an intervention; `before`: steps that were right."""
    for name, is_right, told in told_attempts(attempts, before):
        yield Text(f"tried      {name}: {told}", "green" if is_right else "")


def told_attempts(
    attempts: Iterable[Attempt], before: int | None
) -> Iterator[tuple[InterventionName, bool, str]]:
    """Each intervention on a sample, whether it ever turned right, and what came of it in words."""
    for name, group in groupby(attempts, key=lambda attempt: attempt.intervention):
        found = list(group)
        right = sum(attempt.verdict == "right" for attempt in found)
        told = (
            f"{right} of {len(found)} draws right"
            if len(found) > 1
            else "turned right"
            if right
            else f"not right: {_again(found[0], before)}"
        )
        yield name, right > 0, told


def _again(attempt: Attempt, before: int | None) -> str:
    """Where a sample went wrong again."""
    if attempt.verdict == "failed":
        return "the infrastructure failed"
    farther = (
        f"{attempt.matched_steps - before:+,} steps"
        if attempt.matched_steps is not None and before is not None
        else attempt.verdict
    )
    where = {None: "", 0: ", in a line that the rewrite brought in"}.get(
        attempt.line, f", at line {attempt.line}"
    )
    return f"{farther}{where}{f' ({attempt.cause})' if attempt.cause else ''}"


def interventions_to_json(found: Interventions) -> dict[str, Any]:
    """The same in numbers."""
    cheapest = found.cheapest
    return {
        "failures": found.failures,
        "causes": dict(found.causes),
        "confirmed": {cause: asdict(share) for cause, share in found.confirmed.items()},
        "by": [{"cause": c, "by": by, "count": n} for (c, by), n in found.by.items()],
        "effects": [asdict(effect) for effect in found.effects],
        "contrasts": [asdict(contrast) for contrast in found.contrasts],
        "fixes": [asdict(fix) for fix in found.fixes],
        "cheapest_fix": cheapest.intervention if cheapest else None,
    }
