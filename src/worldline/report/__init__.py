"""What people read: tables, lines and pages made from diagnoses and traces."""

from worldline.report.accuracy import accuracy_lines, accuracy_to_json, breakdown_table
from worldline.report.compare import comparison_story, comparison_to_json
from worldline.report.engines import engine_lines, engine_to_json
from worldline.report.recording import ending_text, trace_lines
from worldline.report.scores import score_lines
from worldline.report.sidebyside import side_by_side
from worldline.report.summary import Summary, summarize, summary_to_json
from worldline.report.terminal import sample_lines, summary_tables

__all__ = [
    "Summary",
    "accuracy_lines",
    "accuracy_to_json",
    "breakdown_table",
    "comparison_story",
    "comparison_to_json",
    "ending_text",
    "engine_lines",
    "engine_to_json",
    "sample_lines",
    "score_lines",
    "side_by_side",
    "summarize",
    "summary_tables",
    "summary_to_json",
    "trace_lines",
]
