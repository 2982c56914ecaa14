"""Outputs that other tools recorded, in which the [ANSWER] markers may be incomplete."""

import ast
import re
from dataclasses import replace

from worldline.core.trace import parse_source
from worldline.models.codecs import get_codec, parse_answer
from worldline.models.prediction.prediction import (
    Finish,
    GenerationRecord,
    Prediction,
    make_prediction,
)
from worldline.models.prediction.question import Question, repeat_id

_OPEN, _CLOSE = "[ANSWER]", "[/ANSWER]"
_FENCED = re.compile(r"^```\w*\n(.*?)\n?```$", re.DOTALL)


def make_recorded_answer(
    question: Question,
    text: str,
    generation: GenerationRecord,
    *,
    finish: Finish = "unknown",
    model: str = "",
    other_text: str = "",
) -> Prediction:
    """Decode an output of another tool, with or without complete [ANSWER] markers.

    Args:
        question: the question.
        text: the model's output.
        generation: settings of the generation.
        finish: how the output ended.
        model: name of the model.
        other_text: what the tool extracted from the output, read if the output has no answer.
    """
    prediction = make_prediction(
        repeat_id(question.id, generation.repeat),
        question.program,
        text,
        get_codec(generation.codec),
        finish=finish,
        model=model,
        expected=question.expected,
        generation=generation,
    )
    if prediction.decoded.shows_steps or prediction.after.answer is not None:
        return prediction
    answer = find_bare_answer(text) or (find_bare_answer(other_text) if text.strip() else None)
    return replace(prediction, external_answer=answer)


def find_bare_answer(text: str) -> str | None:
    """The value that an output states without complete markers; None if it states none.

    "[ANSWER]\\nassert f(1) == 2\\n" -> "2": the tool removed the stop sequence [/ANSWER];
    "f(1) == 'a'" -> "'a'"; "[1, 2]" -> "[1, 2]"; "The answer is 2." -> None

    Only one assertion, one comparison or one literal is an answer. The rest of a sentence, or the
    beginning of a truncated value, is not.
    """
    if _CLOSE in text:
        # The markers are complete, or misplaced: not a bare answer.
        return None
    text = text.rpartition(_OPEN)[2].strip()
    fenced = _FENCED.match(text)
    text = fenced.group(1).strip() if fenced else text
    tree = parse_source(text)
    if tree is None or len(tree.body) != 1:
        return None
    match tree.body[0]:
        case ast.Assert():
            return parse_answer(text)
        case ast.Expr(ast.Compare(ops=[ast.Eq()])):
            return parse_answer(f"assert {text}")
        case ast.Expr(value) if _is_literal(value):
            return text
    return None


def _is_literal(value: ast.expr) -> bool:
    try:
        ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        # `set()` is how the empty set is written.
        return isinstance(value, ast.Call) and ast.unparse(value) == "set()"
    return True
