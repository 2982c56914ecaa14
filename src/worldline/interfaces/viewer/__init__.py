"""Web page of runs: as one HTML file, or served on 127.0.0.1."""

from worldline.interfaces.viewer.diagnosed_run import DiagnosedRun
from worldline.interfaces.viewer.html_report import (
    MAX_REPORT_SAMPLES,
    write_project_page,
    write_report,
)
from worldline.interfaces.viewer.html_shell import built_page
from worldline.interfaces.viewer.http_server import ViewServer
from worldline.interfaces.viewer.operation_cache import operation_tallies
from worldline.interfaces.viewer.project_documents import ListedRun, build_project_document
from worldline.interfaces.viewer.project_server import ProjectServer
from worldline.interfaces.viewer.run_documents import build_report_document, build_run_document
from worldline.interfaces.viewer.sample_document import build_sample_document
from worldline.interfaces.viewer.sample_table import Query, Table, build_table, query_rows

__all__ = [
    "MAX_REPORT_SAMPLES",
    "DiagnosedRun",
    "ListedRun",
    "ProjectServer",
    "Query",
    "Table",
    "ViewServer",
    "build_project_document",
    "build_report_document",
    "build_run_document",
    "build_sample_document",
    "build_table",
    "built_page",
    "operation_tallies",
    "query_rows",
    "write_project_page",
    "write_report",
]
