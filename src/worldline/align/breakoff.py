"""A step that the text broke off in goes in; whether it was already wrong comes out."""

from dataclasses import replace

from worldline.align.divergence import Difference, Divergence
from worldline.align.equality import starts_alike
from worldline.align.realsteps import Guess, RealSteps
from worldline.codecs import UNCHANGED, Fragment
from worldline.trace import Step


def divergence_within_cut(
    steps: RealSteps, index: int, step: Step, fragment: Fragment | None
) -> Divergence | None:
    """Whether a step that the text broke off in was already wrong."""
    if fragment is None:
        return None
    line = steps.program.line(step.line)
    guess = Guess(
        fragment.event or step.event, fragment.line or "", fragment.locals, fragment.open_value
    )
    if fragment.event is not None and fragment.event != step.event:
        return _cut_at(steps.action_divergence(index, step, guess))
    if step.has_locals != _shows_locals(fragment):
        # Nothing written yet that a return could not begin with as well, or the other way round.
        if _is_other_line(fragment, line):
            return _cut_at(steps.action_divergence(index, step, guess))
        return None
    if not step.has_locals:
        return _cut_value(steps, index, step, fragment, guess)
    true = steps.after(step)
    # What is not written yet is not missing.
    found = steps.local_differences(step, fragment.locals)
    differences = tuple(d for d in found if d.predicted is not None)
    name, value = fragment.open_name, fragment.open_value
    if not differences and name is not None and value is not None:
        possible = [true.get(name, "")]
        if name in true and name not in step.changed:
            possible.append(UNCHANGED)
        if not any(starts_alike(text, value) for text in possible):
            differences = (Difference(name, true.get(name), value),)
    if differences:
        return _cut_at(steps.state_divergence(index, step, guess, differences))
    if _is_other_line(fragment, line):
        return _cut_at(steps.action_divergence(index, step, guess))
    return None


def _is_other_line(fragment: Fragment, line: str) -> bool:
    """Whether what is written of a source line cannot be this one."""
    if not fragment.line:
        return False
    return fragment.line != line if fragment.is_line_whole else not line.startswith(fragment.line)


def _shows_locals(fragment: Fragment) -> bool:
    if fragment.event is not None:
        return fragment.event in ("call", "line")
    return bool(fragment.locals) or fragment.open_name is not None or fragment.line is None


def _cut_value(
    steps: RealSteps, index: int, step: Step, fragment: Fragment, guess: Guess
) -> Divergence | None:
    line = steps.program.line(step.line)
    if _is_other_line(fragment, line):
        return _cut_at(steps.action_divergence(index, step, guess))
    value = fragment.open_value
    true = "None" if step.value is None else step.value
    if value is None or starts_alike(true, value):
        return None
    found = steps.value_divergence(index, step, guess)
    return None if found is None else _cut_at(found)


def _cut_at(divergence: Divergence) -> Divergence:
    return replace(divergence, is_within_cut=True)
