"""Answers about trust: the probability that a predicted value is right, and whether to run."""

from worldline.analysis.trust import SIGNALS, Trust, TrustModel
from worldline.core.errors import InputError
from worldline.core.util.text import truncate_text
from worldline.evaluation.runs import assess_predictions
from worldline.interfaces.mcp.answers import AdviceAnswer, WeakStep
from worldline.interfaces.mcp.call_table import Reply
from worldline.interfaces.mcp.predicted_values import (
    predicted_value,
    prediction_words,
    weakest_words,
)
from worldline.interfaces.mcp.text_limits import short_value
from worldline.interfaces.mcp.trace_views import fitted_text
from worldline.models.prediction import Prediction

# Nothing is known about how often a model is right until that was measured.
NO_TRUST_MODEL = (
    "No trust model was given, so that there is no probability that this value is right. "
    "trace_execution runs the call. To get one, evaluate the model (worldline bench), fit a trust "
    "model on that run (worldline trust fit RUN -o trust.json), and start the server with --trust "
    "trust.json."
)


def check_trust_model(model: TrustModel) -> None:
    """Check that single predictions have the signals that a trust model needs.

    Raises:
        InputError: The model needs several samples of each question.
    """
    if any(SIGNALS[name].group == "agreement" for name in model.signals):
        raise InputError(
            "this trust model needs repeats, and a server asks once; fit one without them: "
            "worldline trust fit RUN --signals static --signals flow --signals values"
        )


def assess_value(prediction: Prediction, model: TrustModel | None) -> Trust | None:
    """The trust in a predicted value; None without a trust model or a value.

    Raises:
        InputError: The trust model needs steps, and the prediction has none.
    """
    if model is None or prediction.finish == "infra_error":
        return None
    return assess_predictions([prediction], model)


def trust_words(prediction: Prediction, model: TrustModel | None, trust: Trust | None) -> str:
    """What is known about whether a value is right, in words."""
    if model is None:
        return NO_TRUST_MODEL
    if trust is None:
        return "There is no value to trust."
    foreign = foreign_words(prediction, model)
    if foreign:
        return foreign
    words = [f"It is right with probability {trust.probability:.2f}."]
    if trust.reasons:
        words.append(f"Lowered by: {'; '.join(trust.reasons)}.")
    return " ".join([*words, threshold_words(model, trust)])


def threshold_words(model: TrustModel, trust: Trust) -> str:
    """What the calibrated threshold promises, and on which side of it a value is."""
    limit = model.threshold
    source = model.fitted_on.get("benchmark") or "the run that it was fitted on"
    if trust.threshold is None:
        return (
            f"No value can be trusted: on {limit.of} held-out programs of {source}, no threshold "
            f"kept the wrong values to {limit.max_wrong:.0%}."
        )
    side = "reaches" if trust.is_trusted else "is below"
    return (
        f"That {side} the threshold {trust.threshold:.2f}, above which {limit.wrong} of "
        f"{limit.trusted} values were wrong on held-out programs of {source}: with "
        f"{limit.confidence:.0%} confidence, at most {limit.max_wrong:.0%} of such values are."
    )


def foreign_words(prediction: Prediction, model: TrustModel) -> str:
    """Why a trust model says nothing about a prediction: it was fitted on another kind."""
    record = prediction.generation
    actual = {
        "model": prediction.model,
        "mode": record.mode if record else "",
        "codec": record.codec if record else "",
    }
    differences = [
        f"{name} {truncate_text(model.fitted_on[name], 60)}, not {truncate_text(value, 60)}"
        for name, value in actual.items()
        if value and model.fitted_on.get(name) not in (None, "", value)
    ]
    if not differences:
        return ""
    return (
        f"The trust model was fitted on predictions with {' and '.join(differences)}, and says "
        "nothing about this one; fit one on a run with these settings."
    )


def advice_reply(
    id: str,
    prediction: Prediction,
    model: TrustModel | None,
    trust: Trust | None,
    weakest: WeakStep | None,
) -> Reply:
    """The answer whether to run a call, or to trust the model's prediction of it."""
    is_known = model is not None and trust is not None and not foreign_words(prediction, model)
    is_trusted = is_known and trust is not None and trust.is_trusted
    value = predicted_value(prediction)
    reason = trust_words(prediction, model, trust)
    words = prediction_words(prediction)
    answer = AdviceAnswer(
        id=id,
        summary=f"{'Trust it' if is_trusted else 'Run it'}. {words} {reason}",
        advice="trust" if is_trusted else "run",
        value=None if value is None else short_value(value, width=400),
        probability=trust.probability if is_known and trust is not None else None,
        threshold=trust.threshold if is_known and trust is not None else None,
        reasons=list(trust.reasons) if is_known and trust is not None else [],
        weakest_step=weakest,
        model=truncate_text(prediction.model, 80),
    )
    parts = [answer.summary]
    if weakest is not None:
        parts.append(weakest_words(weakest))
    return Reply(answer, fitted_text(parts))
