"""Export of traces as training examples, for `worldline train` or any other trainer."""

from worldline.data.export.examples import (
    LOSSES,
    Example,
    Loss,
    exclusion_reason,
    trace_to_example,
)
from worldline.data.export.export_summary import ExportSummary, export_tokens, summary_lines
from worldline.data.export.exporter import EXAMPLE_COLUMNS, ExportSettings, export_traces
from worldline.data.export.packing import Packing, pack

__all__ = [
    "EXAMPLE_COLUMNS",
    "LOSSES",
    "Example",
    "ExportSettings",
    "ExportSummary",
    "Loss",
    "Packing",
    "exclusion_reason",
    "export_tokens",
    "export_traces",
    "pack",
    "summary_lines",
    "trace_to_example",
]
