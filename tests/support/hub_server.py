"""Imitation of the Hugging Face hub: one file, with ranges, that can stall in the middle."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from worldline.models.local_models import ModelFile


class HubServer:
    """Serves `data` as the file of a model.

    `stalls_after` is the number of bytes after which a download stalls, until it is None again.
    `ranges` are the first bytes that were asked for.
    """

    def __init__(self, model: ModelFile, data: bytes) -> None:
        self.model = model
        self.data = data
        self.stalls_after: int | None = None
        self.stalled = threading.Event()
        self.ended = threading.Event()
        self.ranges: list[int] = []
        self.url = ""


@contextmanager
def running_hub(hub: HubServer) -> Iterator[HubServer]:
    """Run the server in a thread."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *arguments: object) -> None:
            """Stay silent."""

        def do_HEAD(self) -> None:
            self._answer(is_head=True)

        def do_GET(self) -> None:
            self._answer(is_head=False)

        def _answer(self, *, is_head: bool) -> None:
            if self.path != f"/{hub.model.repository}/resolve/main/{hub.model.file}":
                self.send_error(404)
                return
            first = 0
            header = self.headers.get("Range")
            if header and not is_head:
                first = int(header.removeprefix("bytes=").split("-")[0])
            if not is_head:
                hub.ranges.append(first)
            body = hub.data[first:]
            self.send_response(206 if header and not is_head else 200)
            self.send_header("Content-Length", str(len(body)))
            if header and not is_head:
                last = len(hub.data) - 1
                self.send_header("Content-Range", f"bytes {first}-{last}/{len(hub.data)}")
            self.send_header("ETag", '"0123456789abcdef"')
            self.send_header("X-Repo-Commit", "0" * 40)
            self.send_header("Accept-Ranges", "bytes")
            self.end_headers()
            if is_head:
                return
            end = len(body) if hub.stalls_after is None else hub.stalls_after - first
            self.wfile.write(body[:end])
            self.wfile.flush()
            if end < len(body):
                hub.stalled.set()
                hub.ended.wait(60)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    hub.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        hub.ended.set()
        server.shutdown()
        server.server_close()
        thread.join(10)
