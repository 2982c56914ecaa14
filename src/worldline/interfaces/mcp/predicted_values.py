"""Predicted values and weakest steps, in words."""

from worldline.core.util.text import truncate_text
from worldline.interfaces.mcp.answers import WeakStep
from worldline.interfaces.mcp.text_limits import short_value
from worldline.models.prediction import Prediction


def predicted_value(prediction: Prediction) -> str | None:
    """The value that a model predicts: its answer, or what its last step returns."""
    if prediction.answer is not None:
        return prediction.answer
    last = prediction.decoded.steps[-1:]
    is_end = bool(last) and prediction.decoded.stop == "complete"
    return last[0].value if is_end and last[0].event == "return" else None


def prediction_words(prediction: Prediction) -> str:
    """What a model predicts, or why it gave no value."""
    value = predicted_value(prediction)
    call = truncate_text(prediction.program.call or "the program", 80)
    model = truncate_text(prediction.model, 80)
    if prediction.finish == "infra_error":
        return f"{model} could not be asked: {short_value(prediction.error or '', width=300)}"
    if value is None:
        decoded = prediction.decoded
        end = "its output was truncated" if prediction.is_truncated else decoded.reason
        return f"{model} gave no value for {call}: {short_value(end, width=200)}."
    return f"{model} predicts that {call} returns {short_value(value)}. Nothing was executed."


def weakest_words(weakest: WeakStep) -> str:
    """The least certain step, and why it is that."""
    where = f"step {weakest.step}, line {weakest.line}: {weakest.source}"
    if weakest.reason == "impossible":
        return f"Impossible: the control-flow graph has no path with {where}."
    if weakest.reason == "contradicted":
        return f"Contradicted: {where} does not follow from the predicted state before it."
    return (
        f"Least certain: {where} (its least likely token has the log-probability "
        f"{weakest.log_probability:.2f}, which is not calibrated)."
    )
