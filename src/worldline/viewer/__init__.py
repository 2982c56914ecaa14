"""The page to look at a run with: in one file, or served on this machine alone."""

from worldline.viewer.documents import report_document, run_document
from worldline.viewer.file import MOST_SAMPLES, write_report
from worldline.viewer.page import built_page
from worldline.viewer.rows import Query, Table, table_of
from worldline.viewer.samples import sample_document
from worldline.viewer.server import ViewServer

__all__ = [
    "MOST_SAMPLES",
    "Query",
    "Table",
    "ViewServer",
    "built_page",
    "report_document",
    "run_document",
    "sample_document",
    "table_of",
    "write_report",
]
