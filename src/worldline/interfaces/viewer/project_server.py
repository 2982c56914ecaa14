"""Web server of a project page on 127.0.0.1: all runs of a folder, and any comparison of two.

/                    the project
/api/project         its runs and trends
/api/differences     paired differences of all runs to a baseline
/api/operations      operations that two runs predict better or worse
/run/ID/             the page of one run, with its own api/
/compare/ID/ID/      the page of two runs and their comparison, with its own api/
"""

from contextlib import suppress
from threading import Thread
from urllib.parse import unquote

from worldline.core.errors import InputError, WorldlineError
from worldline.interfaces.viewer.http_server import (
    Response,
    ViewServer,
    json_response,
    page_response,
    respond_with_runs,
)
from worldline.interfaces.viewer.project_cache import ProjectCache
from worldline.interfaces.viewer.run_cache import to_json
from worldline.languages.python.recorder import Recorder
from worldline.models.tokenizers import Tokenizer

_PROJECT_HEAD = '<meta name="worldline-project" content="api/">'
_ROOT_HEAD = '<meta name="worldline-api" content="api/"><meta name="worldline-home" content="{}">'


class ProjectServer(ViewServer):
    """Web server that shows the runs of a folder until it is closed.

    Args:
        address: The folder or address that contains the runs.
        recorder: Executes the program of an opened sample, if its trace is not stored.
        port: The port to listen on; 0 for any free one.
        tokenizer: Splits the values that differ into tokens, and counts the tokens of the traces.
        reexecute: Execute the program of every opened sample.

    Raises:
        InputError: The page is not built, there is no run, or the port is in use.
    """

    def __init__(
        self,
        address: str,
        recorder: Recorder,
        *,
        port: int = 0,
        tokenizer: Tokenizer | None = None,
        reexecute: bool = False,
    ) -> None:
        self._project = ProjectCache(address, recorder, tokenizer=tokenizer, reexecute=reexecute)
        self._start(port)
        # The intervals need scipy, whose import takes longer than everything else.
        Thread(target=self._prepare, daemon=True).start()

    def _prepare(self) -> None:
        # An error is shown when the page asks for the same document.
        with suppress(WorldlineError):
            self._project.document()

    def deleted_run(self) -> str | None:
        """None: the page of a project lists the runs that exist, so none is required."""
        return None

    def _respond(self, path: str, parameters: list[tuple[str, str]]) -> Response:
        options = dict(parameters)
        if path == "":
            return page_response(_PROJECT_HEAD)
        if path == "api/project":
            return json_response(to_json(self._project.document()))
        if path == "api/differences":
            return json_response(to_json(self._project.differences(options.get("baseline", ""))))
        if path == "api/operations":
            changes = self._project.operation_changes(options.get("a", ""), options.get("b", ""))
            return json_response(to_json(changes))
        page, *parts = path.split("/")
        number = {"run": 1, "compare": 2}.get(page)
        if number is None or len(parts) <= number:
            raise InputError("not found")
        ids = tuple(unquote(part, errors="surrogatepass") for part in parts[:number])
        rest = "/".join(parts[number:])
        if rest == "":
            return page_response(_ROOT_HEAD.format("../" * (number + 1)))
        return respond_with_runs(self._project.opened(*ids), rest, parameters)
