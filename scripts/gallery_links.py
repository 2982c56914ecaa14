"""Links of docs/gallery.md: a hook of mkdocs that links the reports that are built.

A line `<!-- report: NAME -->` becomes a link to docs/gallery/NAME.html, or a sentence that says
how to build it.
"""

import re
from pathlib import Path
from typing import Any

_MARK = re.compile(r"<!-- report: ([\w.-]+) -->")


def on_page_markdown(markdown: str, *, page: Any, config: Any, **_: Any) -> str:
    """Replace the marks of the gallery; called by mkdocs for every page."""
    if page.file.src_uri != "gallery.md":
        return markdown
    return link_reports(markdown, Path(config["docs_dir"], "gallery"))


def link_reports(markdown: str, folder: Path) -> str:
    """Replace each mark by a link to its report, if the report is in the folder."""

    def link(mark: re.Match[str]) -> str:
        if (folder / f"{mark[1]}.html").exists():
            return f"[Open the report](gallery/{mark[1]}.html){{ .md-button }}"
        return "The report is not part of this build of the site: `scripts/build-gallery` makes it."

    return _MARK.sub(link, markdown)
