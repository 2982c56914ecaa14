"""A sample that failed and an intervention go in; the question to ask again comes out."""

from dataclasses import replace

from worldline.codecs import STEP_CODECS
from worldline.diagnose import Sample
from worldline.intervene.interventions import InterventionName
from worldline.intervene.patching import patch, text_before
from worldline.predict import Question, Settings
from worldline.rewrite import Rewritten, rewrite_expressions, rewrite_strings
from worldline.trace import Program

# How much a text may be longer, and how far a draw may stray.
LONGER = 4
TEMPERATURE = 0.8


def question_with(name: InterventionName, failure: Sample) -> Question | None:
    """The question with one thing changed; none where there is nothing to change.

    Right is what the program really returns.
    """
    prediction, truth = failure.prediction, failure.truth
    question = Question(prediction.id, prediction.program, truth.result)
    alignment = failure.diagnosis.facts.alignment
    divergence = failure.diagnosis.facts.divergence
    codec = STEP_CODECS.get(prediction.asked.codec) if prediction.asked else None
    match name:
        case "guided" | "force-state" | "force-actions":
            return question if codec else None
        case "longer":
            return question if prediction.is_cut else None
        case "resample":
            if codec is None or divergence is None:
                return None
            return replace(question, beginning=text_before(prediction, divergence))
        case "patch":
            text = patch(prediction, alignment, codec) if alignment and codec else None
            return None if text is None else replace(question, beginning=text)
    rewritten = rewritten_program(name, failure)
    if rewritten is None:
        return None
    return replace(question, program=_with_text(prediction.program, rewritten.text))


def is_rewrite(name: InterventionName) -> bool:
    """Whether an intervention changes the program."""
    return name.startswith(("expressions", "strings"))


def rewritten_program(name: InterventionName, failure: Sample) -> Rewritten | None:
    """The program of a failure as a rewrite leaves it; none where it changes nothing."""
    text, divergence = failure.prediction.program.text, failure.diagnosis.facts.divergence
    rewrite = rewrite_strings if name.startswith("strings") else rewrite_expressions
    if not name.endswith("-line"):
        found = rewrite(text)
    elif divergence is None:
        return None
    else:
        found = rewrite(text, lines={divergence.executed})
    return found if found.changed else None


def settings_with(name: InterventionName, settings: Settings) -> Settings:
    """How to ask the changed question."""
    match name:
        case "guided" | "force-state" | "force-actions":
            return replace(settings, mode=name)
        case "resample":
            return replace(settings, temperature=settings.temperature or TEMPERATURE)
        case "longer":
            return replace(settings, budget=settings.budget * LONGER)
    return settings


def _with_text(program: Program, text: str) -> Program:
    return replace(program, context=text)
