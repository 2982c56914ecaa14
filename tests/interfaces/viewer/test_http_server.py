"""View server: its responses, and the requests it refuses."""

import socket
from collections.abc import Iterator
from urllib.parse import quote

import pytest

from tests.interfaces.viewer.http_client import get, get_json, secret_path
from worldline.core.errors import InputError
from worldline.evaluation.runs import read_scored_samples
from worldline.interfaces.viewer import ViewServer
from worldline.languages.python.recorder import PythonRecorder


@pytest.fixture
def server(demo_run: str, recorder: PythonRecorder, minimal_page: str) -> Iterator[ViewServer]:
    with ViewServer([demo_run, demo_run], recorder) as started:
        yield started


def test_page_has_security_headers(server: ViewServer) -> None:
    status, body, headers = get(server, secret_path(server, ""))
    assert status == 200
    assert b'<meta name="worldline-api" content="api/">' in body
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", ["/", "", "/api/report", "/wrong/", "/wrong/api/report", "//"])
def test_requests_without_the_secret_are_not_found(server: ViewServer, path: str) -> None:
    status, body, headers = get(server, path or "/index.html")
    assert status == 404
    assert b"samples" not in body
    assert "Access-Control-Allow-Origin" not in headers


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", ""])
def test_a_different_host_header_is_refused(server: ViewServer, host: str) -> None:
    assert get(server, secret_path(server, "api/report"), host)[0] == 403


def test_server_listens_on_the_loopback_address_only(server: ViewServer) -> None:
    assert server._server.server_address[0] == "127.0.0.1"


def test_report_and_rows_are_those_of_the_run(server: ViewServer, demo_run: str) -> None:
    rows = read_scored_samples(demo_run)
    report = get_json(server, "api/report")
    assert report["runs"][0]["accuracy"]["samples"] == len(rows)
    assert report["comparison"]["gained"] == report["comparison"]["lost"] == []
    page = get_json(server, "api/rows?run=1&facet=outcome:diverged&sort=step&descending=1&limit=2")
    steps = sorted(row.step or 0 for row in rows if row.outcome == "diverged")
    assert page["total"] == len(steps)
    index = [column["name"] for column in report["runs"][1]["columns"]].index("step")
    assert [row[index] for row in page["rows"]] == steps[::-1][:2]


def test_a_sample_is_executed_when_it_is_requested(server: ViewServer) -> None:
    (first, *_) = get_json(server, "api/rows?run=0")["rows"]
    document = get_json(server, f"api/sample?run=0&id={quote(first[0])}")
    assert document["id"] == first[0]
    assert document["actual"]["steps"]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("api/sample?run=0&id=missing", 404),
        ("api/sample?run=7&id=x", 404),
        ("api/rows?run=0&offset=x", 400),
        ("api/rows?run=x", 400),
        ("api/unknown", 404),
        ("../../etc/passwd", 404),
        ("..%2f..%2fetc/passwd", 404),
        ("api/../../../etc/passwd", 404),
        (f"api/rows?run={'9' * 5000}", 400),
        ("api/rows?offset=-5&limit=-5", 200),
        ("api/rows?" + "&".join(f"facet=no{n}:x" for n in range(3000)), 200),
        ("api/tokens?run=0", 404),
    ],
)
def test_invalid_requests_get_an_error_status(server: ViewServer, path: str, status: int) -> None:
    assert get(server, secret_path(server, path))[0] == status


def test_the_number_of_rows_in_a_response_is_limited(
    server: ViewServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worldline.interfaces.viewer.http_server._MAX_ROWS", 3)
    page = get_json(server, "api/rows?limit=100000000")
    assert len(page["rows"]) == 3
    assert page["total"] > 3


def test_a_port_in_use_is_refused(
    server: ViewServer, demo_run: str, recorder: PythonRecorder
) -> None:
    with pytest.raises(InputError, match=r"--port"):
        ViewServer([demo_run], recorder, port=server.port)


@pytest.mark.parametrize(
    ("request_line", "status"),
    [
        ("GET nothing HTTP/1.1", 404),
        ("GET * HTTP/1.1", 404),
        ("GET http://[ HTTP/1.1", 400),
        ("GET http://evil.example/ HTTP/1.1", 404),
        ("GET /%00%ff\x00 HTTP/1.1", 404),
        (f"GET /{'a' * 70_000} HTTP/1.1", 414),
        ("POST / HTTP/1.1", 501),
        ("nonsense", 400),
    ],
)
def test_malformed_requests_get_a_response(
    server: ViewServer, request_line: str, status: int, capfd: pytest.CaptureFixture[str]
) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        host = f"Host: 127.0.0.1:{server.port}"
        request = f"{request_line}\r\n{host}\r\nConnection: close\r\n\r\n"
        connection.sendall(request.encode("latin-1"))
        response = connection.makefile("rb").read()
    # The response to an invalid request line has no status line.
    assert str(status).encode() in response
    assert capfd.readouterr().err == ""


def test_the_secret_must_be_followed_by_a_slash(server: ViewServer) -> None:
    """Without it, the page's relative URLs would be wrong."""
    assert get(server, secret_path(server, "").rstrip("/"))[0] == 404


def test_a_bug_gives_status_500_and_a_traceback_in_the_terminal(
    server: ViewServer, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(_: object) -> bytes:
        raise RuntimeError("a bug")

    monkeypatch.setattr("worldline.interfaces.viewer.run_cache.RunCache.report", fail)
    status, body, _ = get(server, secret_path(server, "api/report"))
    assert (status, body) == (500, b"internal error of worldline view")
    assert "a bug" in capfd.readouterr().err
