"""GET requests to a view server, as a browser sends them."""

import http.client
import json
from typing import Any
from urllib.parse import urlsplit

from worldline.interfaces.viewer import ViewServer


def get(server: ViewServer, path: str, host: str | None = None) -> tuple[int, bytes, Any]:
    """Send a request and return the status, body and headers of the response."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    try:
        headers = {} if host is None else {"Host": host}
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        return response.status, response.read(), response.headers
    finally:
        connection.close()


def secret_path(server: ViewServer, path: str) -> str:
    """A path with the server's secret in front."""
    return urlsplit(server.url).path + path


def get_json(server: ViewServer, path: str) -> Any:
    """Request a document that must exist."""
    status, body, _ = get(server, secret_path(server, path))
    assert status == 200, body
    return json.loads(body)
