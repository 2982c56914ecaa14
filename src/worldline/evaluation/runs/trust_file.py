"""Trust models as JSON files."""

import json
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from worldline.analysis.stats import LogisticFit, RiskThreshold
from worldline.analysis.trust import SIGNALS, TrustModel
from worldline.core.errors import InputError
from worldline.core.util.files import write_file

FORMAT = 1


def save_trust_model(model: TrustModel, path: str | Path) -> None:
    """Write a trust model to a JSON file.

    Raises:
        InputError: The file cannot be written.
    """
    data = {"format": FORMAT, "worldline": version("worldline"), **trust_model_to_json(model)}
    try:
        write_file(Path(path), (json.dumps(data, indent=1) + "\n").encode())
    except OSError as error:
        raise InputError(f"cannot write {path}: {error}") from error


def trust_model_to_json(model: TrustModel) -> dict[str, Any]:
    """A trust model as JSON data."""
    return {
        "fitted_on": dict(model.fitted_on),
        "intercept": model.fit.intercept,
        "signals": {
            name: {"mean": mean, "scale": scale, "coefficient": coefficient}
            for name, mean, scale, coefficient in zip(
                model.signals, model.means, model.scales, model.fit.coefficients, strict=True
            )
        },
        "calibration": [list(step) for step in model.calibration],
        "threshold": asdict(model.threshold),
        "programs": sorted(model.programs),
    }


def load_trust_model(path: str | Path) -> TrustModel:
    """Read a trust model from a JSON file.

    Raises:
        InputError: The file cannot be read, or is not a trust model.
    """
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error}") from error
    except ValueError as error:
        raise InputError(f"{path} is not a trust model: {error}") from error
    try:
        return _parse(data, path)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{path} is not a trust model: {error!r}; create one with worldline trust fit"
        ) from error


def _parse(data: Any, path: str | Path) -> TrustModel:
    if data["format"] != FORMAT:
        raise InputError(f"{path}: trust models of format {data['format']} cannot be read")
    unknown = data["signals"].keys() - SIGNALS.keys()
    if unknown:
        raise InputError(f"{path}: unknown signals {', '.join(sorted(unknown))}; fit it again")
    columns = data["signals"].values()
    return TrustModel(
        signals=tuple(data["signals"]),
        means=tuple(float(column["mean"]) for column in columns),
        scales=tuple(float(column["scale"]) for column in columns),
        fit=LogisticFit(
            float(data["intercept"]), tuple(float(column["coefficient"]) for column in columns)
        ),
        calibration=tuple((float(score), float(value)) for score, value in data["calibration"]),
        threshold=RiskThreshold(**data["threshold"]),
        programs=frozenset(data["programs"]),
        fitted_on=dict(data["fitted_on"]),
    )
