"""Header of a run's report: benchmark, model, settings and progress."""

from collections.abc import Iterator

from rich.text import Text

from worldline.core.trace import printable
from worldline.core.util.text import pluralize
from worldline.evaluation.runs import Manifest


def run_lines(manifest: Manifest, name: str, rows: int) -> Iterator[Text]:
    """Yield the lines that say what was run and how much of it is done.

    Args:
        manifest: The run's manifest.
        name: The run's location, as the user typed it.
        rows: The number of samples in the run.
    """
    options = " ".join(f"{option}={value}" for option, value in manifest.options.items())
    yield Text(printable(f"{manifest.benchmark} {options}".strip()), "bold")
    parts = [manifest.model or "model not named"]
    if manifest.settings is not None:
        settings = manifest.settings
        parts += [
            f"mode {settings.mode}",
            f"codec {settings.codec}",
            f"max tokens {settings.max_tokens:,}",
        ]
        if settings.temperature:
            parts.append(
                f"temperature {settings.temperature}, {pluralize(manifest.repeats, 'repeat')}"
            )
    yield Text(printable(" · ".join(parts)))
    if "temperature" in manifest.dropped:
        yield Text("the server refuses a temperature: its own applies", "yellow")
    expected = manifest.questions * manifest.repeats
    progress = printable(f"{rows:,} of {expected:,} samples in {name}")
    yield Text(progress, "" if rows == expected else "yellow")
    if manifest.left_out:
        reasons = "; ".join(
            f"{number:,} ({reason})" for reason, number in manifest.left_out.items()
        )
        yield Text(printable(f"not in the benchmark: {reasons}"), "dim")
