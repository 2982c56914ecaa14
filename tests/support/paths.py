"""Folders of the checkout that tests read."""

from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parents[2]
DOCS_FOLDER = PROJECT_ROOT / "docs"
PROGRAMS_FOLDER = PROJECT_ROOT / "tests" / "programs"
