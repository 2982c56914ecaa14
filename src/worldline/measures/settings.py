"""The manifests of two runs go in; what is not the same in them comes out."""

from dataclasses import asdict
from typing import Any

from worldline.runs.manifest import Manifest


def changed_settings(a: Manifest, b: Manifest) -> dict[str, tuple[Any, Any]]:
    """What is not the same in two runs: what a change of accuracy may come from.

    {"model": ("base", "tuned"), "budget": (512, 4096)}
    """
    before, after = _told(a), _told(b)
    # What only one of them has comes of another benchmark, or of predictions made elsewhere.
    pairs = {name: (before[name], after[name]) for name in before if name in after}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _told(manifest: Manifest) -> dict[str, Any]:
    settings = asdict(manifest.settings) if manifest.settings else {}
    limits = {f"limit of {name}": value for name, value in asdict(manifest.limits).items()}
    last = manifest.sessions[-1] if manifest.sessions else {}
    return {
        "benchmark": manifest.benchmark,
        **{f"option {name}": value for name, value in manifest.options.items()},
        "model": manifest.model,
        **settings,
        "repeats": manifest.repeats,
        **limits,
        "python": last.get("python"),
        "worldline": last.get("worldline"),
    }
