"""Web server of the viewer on 127.0.0.1, for runs that are too large for one file.

Requests need the secret in the URL. Requests with a different Host header are refused, so that
another web site cannot reach the server under its own name (DNS rebinding).
"""

import secrets
import traceback
from collections.abc import Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Self
from urllib.parse import parse_qsl, urlsplit

from worldline.analysis.trust import TrustModel
from worldline.core.errors import InputError, WorldlineError
from worldline.interfaces.viewer.html_shell import (
    built_page,
    content_security_policy,
    render_page,
)
from worldline.interfaces.viewer.run_cache import RunCache, to_json
from worldline.interfaces.viewer.sample_table import Query
from worldline.languages.python.recorder import Recorder
from worldline.models.tokenizers import Tokenizer

HOST = "127.0.0.1"
# Rows in one response.
_MAX_ROWS = 1000
# Seconds after which an idle connection is closed.
_IDLE_TIMEOUT = 120

# Status, content type and body.
Response = tuple[int, str, bytes]


class ViewServer:
    """Web server that shows one run, or two runs and their comparison, until it is closed.

    with ViewServer(["runs/a"], recorder) as server:
        print(server.url)

    Args:
        locations: The folders or addresses of the runs.
        recorder: Executes the program of an opened sample, if its trace is not stored.
        port: The port to listen on; 0 for any free one.
        tokenizer: Splits the values that differ into tokens, and counts the tokens of the traces.
        reexecute: Execute the program of every opened sample.
        trust_model: Assesses the results.

    Raises:
        InputError: The page is not built, a run cannot be read, or the port is in use.
    """

    def __init__(
        self,
        locations: Sequence[str],
        recorder: Recorder,
        *,
        port: int = 0,
        tokenizer: Tokenizer | None = None,
        reexecute: bool = False,
        trust_model: TrustModel | None = None,
    ) -> None:
        self._runs = RunCache(
            locations,
            recorder,
            tokenizer=tokenizer,
            reexecute=reexecute,
            trust_model=trust_model,
        )
        self._start(port)

    def _start(self, port: int) -> None:
        # Browsers accept frame-ancestors in the header only, not in the page.
        policy = content_security_policy(built_page(), connect="'self'")
        self.policy = f"{policy}; frame-ancestors 'none'"
        self._secret = secrets.token_urlsafe(24)
        try:
            self._server = ThreadingHTTPServer((HOST, port), _make_handler(self))
        except OSError as error:
            raise InputError(
                f"cannot listen on port {port}: {error}; choose another one with --port"
            ) from error
        self._server.daemon_threads = True
        self._thread = Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        """The port the server listens on."""
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        """The URL to open, with the secret."""
        return f"http://{HOST}:{self.port}/{self._secret}/"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the server."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def respond(self, host: str, target: str) -> Response:
        """Answer a GET request.

        Args:
            host: The request's Host header.
            target: The request's path and query string.
        """
        if host not in (f"{HOST}:{self.port}", f"localhost:{self.port}"):
            return _error_response(403, f"open the page as {HOST} or localhost")
        try:
            parts = urlsplit(target)
        except ValueError:
            return _error_response(400, "the URL is invalid")
        secret, slash, path = parts.path.removeprefix("/").partition("/")
        if not slash or not secrets.compare_digest(secret.encode(), self._secret.encode()):
            return _error_response(404, "not found; open the URL that worldline view printed")
        try:
            return self._respond(path, parse_qsl(parts.query, errors="surrogatepass"))
        except WorldlineError as error:
            deleted = self.deleted_run()
            if deleted is not None:
                return _error_response(410, f"{deleted} no longer exists")
            return _error_response(404 if isinstance(error, InputError) else 500, str(error))
        except ValueError as error:
            return _error_response(400, f"the query is invalid: {error}")

    def deleted_run(self) -> str | None:
        """The first run that no longer exists."""
        return self._runs.deleted_run()

    def _respond(self, path: str, parameters: list[tuple[str, str]]) -> Response:
        if path == "":
            return page_response('<meta name="worldline-api" content="api/">')
        return respond_with_runs(self._runs, path, parameters)


def respond_with_runs(runs: RunCache, path: str, parameters: list[tuple[str, str]]) -> Response:
    """Answer a request for data of one run or two: "api/report"."""
    options = dict(parameters)
    run = int(options.get("run", "0"))
    if path == "api/report":
        return json_response(runs.report())
    if path == "api/rows":
        total, rows = runs.rows(run, _parse_query(options, parameters))
        return json_response(to_json({"total": total, "rows": rows}))
    if path == "api/counts":
        return json_response(to_json(runs.facet_counts(run, _parse_query(options, parameters))))
    if path == "api/sample":
        return json_response(to_json(runs.sample(run, options.get("id", ""))))
    if path == "api/tokens":
        return json_response(to_json(runs.token_usage(run)))
    if path == "api/operations":
        return json_response(to_json(runs.operations(run)))
    return _error_response(404, "not found")


def page_response(head: str) -> Response:
    """The page, with `head` in its head element."""
    return 200, "text/html; charset=utf-8", render_page(head, connect="'self'").encode()


def _parse_query(options: dict[str, str], parameters: list[tuple[str, str]]) -> Query:
    facets = [value.partition(":") for name, value in parameters if name == "facet"]
    return Query(
        search=options.get("search", ""),
        facets={name: value for name, _, value in facets},
        sort=options.get("sort") or None,
        is_descending=options.get("descending") == "1",
        offset=max(0, int(options.get("offset", "0"))),
        limit=min(_MAX_ROWS, max(0, int(options.get("limit", "100")))),
    )


def json_response(body: bytes) -> Response:
    """A document as a response."""
    return 200, "application/json", body


def _error_response(status: int, message: str) -> Response:
    return status, "text/plain; charset=utf-8", message.encode("utf-8", "backslashreplace")


def _make_handler(view: ViewServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        server_version, sys_version = "worldline", ""
        timeout = _IDLE_TIMEOUT

        def do_GET(self) -> None:
            try:
                status, kind, body = view.respond(self.headers.get("Host", ""), self.path)
            except Exception:  # noqa: BLE001
                # A bug: the page shows that there is one, the terminal shows its traceback.
                traceback.print_exc()
                status, kind, body = _error_response(500, "internal error of worldline view")
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "no-store")
            self.send_header("Content-Security-Policy", view.policy)
            self.send_header("X-Content-Type-Options", "nosniff")
            self.send_header("Referrer-Policy", "no-referrer")
            self.send_header("Cross-Origin-Resource-Policy", "same-origin")
            # The browser closes the connection if the user opens another page meanwhile.
            with suppress(BrokenPipeError, ConnectionResetError):
                self.end_headers()
                self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Log nothing: the URL contains the secret."""

    return Handler
