"""Reader of recorded predictions in every format, each detected by its fields.

The formats are prediction files (`prediction_reader`), sample files of lm-eval
(`lm_eval_samples`) and logs of Inspect (`inspect_logs`).
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from worldline.core.errors import InputError, WorldlineError
from worldline.models.codecs import get_codec
from worldline.models.prediction.inspect_logs import is_inspect_log, read_inspect_log
from worldline.models.prediction.jsonl_rows import parse_json_line, read_lines
from worldline.models.prediction.lm_eval_samples import (
    find_lm_eval_model,
    is_lm_eval_row,
    is_other_filter,
    predictions_from_lm_eval_row,
)
from worldline.models.prediction.prediction import Prediction
from worldline.models.prediction.prediction_reader import prediction_from_row

OnInvalid = Callable[[WorldlineError], None]


def read_prediction_file(
    path: Path | str, *, codec: str = "cwm", on_invalid: OnInvalid | None = None
) -> Iterator[Prediction]:
    """Read the predictions in a file, in its order.

    Args:
        path: a JSON Lines file of predictions, a sample file of lm-eval, or a log of Inspect.
        codec: name of the codec of rows without a field `codec`.
        on_invalid: called for every row that is not a prediction, which is then skipped. Without
            it, such a row raises its error.

    Raises:
        InputError: the file cannot be read, or a row is not a prediction.
    """
    path = Path(path)
    if is_inspect_log(path):
        yield from read_inspect_log(path, on_invalid=on_invalid)
        return
    model = find_lm_eval_model(path)
    yield from predictions_from_lines(
        read_lines(path), codec=codec, model=model, on_invalid=on_invalid
    )


def predictions_from_lines(
    lines: Iterable[tuple[str, str]],
    *,
    codec: str = "cwm",
    model: str = "",
    on_invalid: OnInvalid | None = None,
) -> Iterator[Prediction]:
    """Parse lines of JSON, each with its place for error messages.

    Args:
        lines: places and lines: ("line 3 of predictions.jsonl", '{"id": …}').
        codec: name of the codec of rows without a field `codec`.
        model: name of the model of lm-eval's rows, which do not name it.
        on_invalid: called for every line that is not a prediction, which is then skipped.

    Raises:
        InputError: a line is not a prediction, and there is no `on_invalid`.
    """
    first_filters: dict[str, str] = {}
    for place, line in lines:
        try:
            row = parse_json_line(line, place)
            if not is_lm_eval_row(row):
                name = row.get("codec") or codec
                if not isinstance(name, str):
                    raise InputError(f"{place}: 'codec' must be a string, found {name!r:.60}")
                yield prediction_from_row(row, get_codec(name), place)
            elif not is_other_filter(row, first_filters):
                yield from predictions_from_lm_eval_row(row, place, model=model)
        except WorldlineError as error:
            if on_invalid is None:
                raise
            on_invalid(error)
