"""Early stop of a run whose model does not write the format at all."""

from worldline.core.errors import EngineError, MalformedRepliesError
from worldline.models.codecs import get_codec
from worldline.models.engines import Engine
from worldline.models.prediction.codec_choice import suggest_codec
from worldline.models.prediction.engine_report import check_engine
from worldline.models.prediction.prediction import Mode, Prediction
from worldline.models.prediction.prediction_settings import writes_rows

# Malformed replies in a row, before any other, after which a run is stopped.
DEFAULT_MAX_MALFORMED = 3
# Once a reply was readable, it takes this many times as many in a row: a model that knows the
# format may have a bad stretch.
LATER_FACTOR = 10
# Length of the text that the error shows.
_SHOWN_CHARS = 300
# Modes in which the model writes the format itself. In `force-state` and `score`, an output
# without a step may be a wrong prediction.
_MODES: frozenset[Mode] = frozenset({"free", "force-actions", "guided", "on-demand"})


def is_malformed(prediction: Prediction) -> bool:
    """Whether nothing of the format could be read in a complete reply: no step and no answer.

    A wrong prediction is not malformed, nor is a truncated output or an infrastructure error.
    """
    record = prediction.generation
    if prediction.finish == "infra_error" or prediction.is_truncated:
        return False
    if record is not None and record.mode not in _MODES:
        return False
    decoded = prediction.decoded
    if record is not None and writes_rows(get_codec(record.codec)) and decoded.stop == "complete":
        # The answer may be that the program raises, which is not a value.
        return False
    return not decoded.steps and prediction.answer is None


class MalformedReplyGuard:
    """Counts malformed replies in a row, and says when there are too many.

    Args:
        limit: Malformed replies in a row, before any readable one, that are too many; later it is
            `LATER_FACTOR` times that. 0 for no limit.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._consecutive: list[Prediction] = []
        self._has_valid_reply = False

    def is_exceeded(self, prediction: Prediction) -> bool:
        """Count one more prediction; return whether the run should stop."""
        if is_malformed(prediction):
            self._consecutive.append(prediction)
        elif prediction.decoded.steps or prediction.answer is not None:
            self._has_valid_reply = True
            self._consecutive.clear()
        limit = self._limit * (LATER_FACTOR if self._has_valid_reply else 1)
        return 0 < limit <= len(self._consecutive)

    async def error(self, engine: Engine, codec: str) -> MalformedRepliesError:
        """Return the error that stops the run: with the first reply and a suggestion.

        Args:
            engine: The engine, which is tested for a codec that suits it.
            codec: The codec that the model was asked in.
        """
        text = self._consecutive[0].text[:_SHOWN_CHARS]
        start = f"the first of them begins with:\n{text}\n" if text.strip() else "they are empty. "
        advice = await _advice(engine, codec)
        return MalformedRepliesError(
            f"{len(self._consecutive)} replies in a row have nothing of the {codec} format in "
            f"them; {start}{advice} To continue anyway, give --max-malformed 0 "
            "(max_malformed=0 in Python)."
        )


async def _advice(engine: Engine, codec: str) -> str:
    try:
        suggested = suggest_codec(await check_engine(engine))
    except EngineError as error:
        return f"No codec can be suggested: {error}."
    if suggested != codec:
        return f"This model can be asked with --codec {suggested}."
    return (
        f"{codec} is the codec that suits this engine best, so look at the text above, at the "
        "server's chat template, and at --max-tokens if the model thinks before it answers."
    )
