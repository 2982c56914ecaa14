"""Questions to a server, as a browser would ask them."""

import http.client
import json
from typing import Any
from urllib.parse import urlsplit

from worldline.viewer import ViewServer


def get(server: ViewServer, path: str, host: str | None = None) -> tuple[int, bytes, Any]:
    """Status, body and headers of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    try:
        headers = {} if host is None else {"Host": host}
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read(), answer.headers
    finally:
        connection.close()


def at(server: ViewServer, path: str) -> str:
    """A path behind the secret."""
    return urlsplit(server.url).path + path


def told(server: ViewServer, path: str) -> Any:
    """A document that must be there."""
    status, body, _ = get(server, at(server, path))
    assert status == 200, body
    return json.loads(body)
