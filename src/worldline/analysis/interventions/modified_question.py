"""Modified questions and settings: a failed sample with one intervention applied."""

from dataclasses import replace

from worldline.analysis.diagnosis import Sample
from worldline.analysis.interventions.catalog import InterventionName
from worldline.analysis.interventions.prefix_patch import patched_prefix, prefix_before_divergence
from worldline.core.language import missing_feature
from worldline.core.trace import Program
from worldline.languages.python.rewrite import RewriteResult, rewrite_expressions, rewrite_strings
from worldline.models.codecs import STEP_CODECS, ChatTraceCodec, StepCodec, get_codec
from worldline.models.prediction import Prediction, PredictionSettings, Question

# By `more-tokens` the token limit is multiplied; `resample` samples at this temperature.
MAX_TOKENS_FACTOR = 4
RESAMPLE_TEMPERATURE = 0.8


def modify_question(name: InterventionName, failure: Sample) -> Question | None:
    """Apply an intervention to the question of a failed sample.

    Args:
        name: The intervention.
        failure: The sample that failed.

    Returns:
        The question to predict again, which expects the actual result; None if the intervention
        does not apply.
    """
    prediction, actual = failure.prediction, failure.actual
    question = Question(prediction.id, prediction.program, actual.result)
    alignment = failure.diagnosis.facts.alignment
    divergence = failure.diagnosis.facts.divergence
    codec = _codec_with_steps(prediction)
    match name:
        case "guided" if isinstance(codec, ChatTraceCodec) and not codec.has_effects:
            return None
        case "guided" | "force-state" | "force-actions":
            return question if codec else None
        case "more-tokens":
            return question if prediction.is_truncated else None
        case "resample":
            if codec is None or divergence is None:
                return None
            return replace(
                question, completion_prefix=prefix_before_divergence(prediction, divergence, codec)
            )
        case "patch":
            text = patched_prefix(prediction, alignment, codec) if alignment and codec else None
            return None if text is None else replace(question, completion_prefix=text)
    rewritten = rewritten_program(name, failure)
    if rewritten is None:
        return None
    program = prediction.program
    changed = Program.from_text(rewritten.text, stdin=program.stdin, language=program.language)
    return replace(question, program=changed)


def _codec_with_steps(prediction: Prediction) -> StepCodec | ChatTraceCodec | None:
    """The codec of a prediction; None if it cannot be continued from within an output."""
    if prediction.generation is None:
        return None
    name = prediction.generation.codec
    if name in STEP_CODECS:
        return STEP_CODECS[name]
    codec = get_codec(name)
    return codec if isinstance(codec, ChatTraceCodec) else None


def is_rewrite(name: InterventionName) -> bool:
    """Whether an intervention changes the program."""
    return name.startswith(("expressions", "strings"))


def rewritten_program(name: InterventionName, failure: Sample) -> RewriteResult | None:
    """Rewrite the program of a failed sample; None if the rewrite changes nothing."""
    divergence = failure.diagnosis.facts.divergence
    line = None if divergence is None else divergence.executed_line
    program = failure.prediction.program
    if missing_feature(program.language, "rewrite"):
        return None
    return rewrite_program(name, program.text, line)


def rewrite_program(name: InterventionName, text: str, line: int | None) -> RewriteResult | None:
    """Rewrite a program as an intervention does; None if the rewrite changes nothing.

    Args:
        name: An intervention that rewrites the program.
        text: The program.
        line: The line executed before the divergence, if there is one.
    """
    rewrite = rewrite_strings if name.startswith("strings") else rewrite_expressions
    if not name.endswith("-line"):
        rewritten = rewrite(text)
    elif line is None:
        return None
    else:
        rewritten = rewrite(text, lines={line})
    return rewritten if rewritten.changed else None


def modify_settings(name: InterventionName, settings: PredictionSettings) -> PredictionSettings:
    """Apply an intervention to the prediction settings."""
    match name:
        case "guided" | "force-state" | "force-actions":
            return replace(settings, mode=name)
        case "resample":
            return replace(settings, temperature=settings.temperature or RESAMPLE_TEMPERATURE)
        case "more-tokens":
            return replace(settings, max_tokens=settings.max_tokens * MAX_TOKENS_FACTOR)
    return settings
