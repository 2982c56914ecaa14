"""A run's manifest goes in; the lines that say what was run come out."""

from collections.abc import Iterator

from rich.text import Text

from worldline.diagnose import count
from worldline.runs import Manifest
from worldline.trace import printable


def run_lines(manifest: Manifest, name: str, rows: int) -> Iterator[Text]:
    """What was asked of whom, and how far it has come."""
    options = " ".join(f"{option}={value}" for option, value in manifest.options.items())
    yield Text(printable(f"{manifest.benchmark} {options}".strip()), "bold")
    parts = [manifest.model or "various models"]
    if manifest.settings is not None:
        settings = manifest.settings
        parts += [
            f"mode {settings.mode}",
            f"format {settings.codec}",
            f"budget {settings.budget:,}",
        ]
        if settings.temperature:
            parts.append(f"temperature {settings.temperature}, {count(manifest.repeats, 'repeat')}")
    yield Text(printable(" · ".join(parts)))
    expected = manifest.questions * manifest.repeats
    how_far = printable(f"{rows:,} of {expected:,} samples in {name}")
    yield Text(how_far, "" if rows == expected else "yellow")
    if manifest.left_out:
        reasons = "; ".join(
            f"{number:,} ({reason})" for reason, number in manifest.left_out.items()
        )
        yield Text(printable(f"left out of the benchmark: {reasons}"), "dim")
