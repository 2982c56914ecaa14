"""The page, served to this machine alone, for runs that are too large for a file.

Whoever cannot name the secret in the address gets nothing; nor does a page of another site that
sends a browser here under another name (DNS rebinding).
"""

import secrets
import traceback
from collections.abc import Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qsl, urlsplit

from worldline.errors import InputError, WorldlineError
from worldline.recorders import Recorder
from worldline.tokens import Tokenizer
from worldline.viewer.page import built_page, page_with, policy
from worldline.viewer.rows import Query
from worldline.viewer.served import ServedRuns, as_json

HOST = "127.0.0.1"
# Rows in one answer.
_MOST_ROWS = 1000
# Seconds until somebody who says nothing is left.
_SILENCE = 120


class ViewServer:
    """Serves runs until it is closed; `url` has the secret in it, `policy` is what a browser may do
    with what it gets.

    with ViewServer(["runs/a"], recorder) as server:
        print(server.url)
    """

    def __init__(
        self,
        addresses: Sequence[str],
        recorder: Recorder,
        *,
        port: int = 0,
        tokenizer: Tokenizer | None = None,
    ) -> None:
        # The page itself has a policy, too, but cannot say there who may put it into another page.
        self.policy = policy(built_page(), connect="'self'") + "; frame-ancestors 'none'"
        self._runs = ServedRuns(addresses, recorder, tokenizer=tokenizer)
        self._secret = secrets.token_urlsafe(24)
        try:
            self._server = ThreadingHTTPServer((HOST, port), _handler(self))
        except OSError as error:
            raise InputError(
                f"cannot serve at port {port}: {error}; give another --port"
            ) from error
        self._server.daemon_threads = True
        self._thread = Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        """The address to open."""
        return f"http://{HOST}:{self.port}/{self._secret}/"

    def __enter__(self) -> "ViewServer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, host: str, target: str) -> tuple[int, str, bytes]:
        """Status, type and body for a request."""
        if host not in (f"{HOST}:{self.port}", f"localhost:{self.port}"):
            return _refused(403, "this page is served to this machine alone")
        try:
            parts = urlsplit(target)
        except ValueError:
            return _refused(400, "this is no address")
        given, slash, rest = parts.path.removeprefix("/").partition("/")
        if not slash or not secrets.compare_digest(given.encode(), self._secret.encode()):
            return _refused(404, "nothing here; open the address that worldline view printed")
        try:
            return self._answer(rest, parse_qsl(parts.query, errors="surrogatepass"))
        except WorldlineError as error:
            gone = self._runs.gone()
            if gone is not None:
                return _refused(410, f"{gone} is no longer there")
            return _refused(404 if isinstance(error, InputError) else 500, str(error))
        except ValueError as error:
            return _refused(400, f"cannot read the question: {error}")

    def _answer(self, path: str, asked: list[tuple[str, str]]) -> tuple[int, str, bytes]:
        if path == "":
            data = '<meta name="worldline-api" content="api/">'
            return 200, "text/html; charset=utf-8", page_with(data, connect="'self'").encode()
        options = dict(asked)
        run = int(options.get("run", "0"))
        if path == "api/report":
            return _told(self._runs.report())
        if path == "api/rows":
            total, rows = self._runs.rows(run, _query(options, asked))
            return _told(as_json({"total": total, "rows": rows}))
        if path == "api/sample":
            return _told(as_json(self._runs.sample(run, options.get("id", ""))))
        if path == "api/budget":
            return _told(as_json(self._runs.budget(run)))
        return _refused(404, "nothing here")


def _query(options: dict[str, str], asked: list[tuple[str, str]]) -> Query:
    facets = [value.partition(":") for name, value in asked if name == "facet"]
    return Query(
        search=options.get("search", ""),
        facets={name: value for name, _, value in facets},
        sort=options.get("sort") or None,
        is_descending=options.get("descending") == "1",
        offset=max(0, int(options.get("offset", "0"))),
        limit=min(_MOST_ROWS, max(0, int(options.get("limit", "100")))),
    )


def _told(document: bytes) -> tuple[int, str, bytes]:
    return 200, "application/json", document


def _refused(status: int, why: str) -> tuple[int, str, bytes]:
    return status, "text/plain; charset=utf-8", why.encode("utf-8", "backslashreplace")


def _handler(view: ViewServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        server_version, sys_version = "worldline", ""
        timeout = _SILENCE

        def do_GET(self) -> None:
            try:
                status, kind, body = view.answer(self.headers.get("Host", ""), self.path)
            except Exception:  # noqa: BLE001
                # A bug: the page says that there was one, and the terminal which.
                traceback.print_exc()
                status, kind, body = _refused(500, "worldline view cannot answer this")
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "no-store")
            self.send_header("Content-Security-Policy", view.policy)
            self.send_header("X-Content-Type-Options", "nosniff")
            self.send_header("Referrer-Policy", "no-referrer")
            self.send_header("Cross-Origin-Resource-Policy", "same-origin")
            # Whoever asked may have gone on to another page meanwhile.
            with suppress(BrokenPipeError, ConnectionResetError):
                self.end_headers()
                self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing: the address has the secret in it."""

    return Handler
