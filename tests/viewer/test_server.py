"""The server gives runs to who knows the address, and nothing to anybody else."""

import socket
from collections.abc import Iterator
from urllib.parse import quote

import pytest

from tests.viewer.asking import at, get, told
from worldline.errors import InputError
from worldline.recorders import PythonRecorder
from worldline.runs import read_judged
from worldline.viewer import ViewServer


@pytest.fixture
def server(demo_run: str, recorder: PythonRecorder, bare_page: str) -> Iterator[ViewServer]:
    with ViewServer([demo_run, demo_run], recorder) as found:
        yield found


def test_the_page_comes_with_its_policy(server: ViewServer) -> None:
    status, body, headers = get(server, at(server, ""))
    assert status == 200
    assert b'<meta name="worldline-api" content="api/">' in body
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", ["/", "", "/api/report", "/wrong/", "/wrong/api/report", "//"])
def test_without_the_secret_there_is_nothing(server: ViewServer, path: str) -> None:
    status, body, headers = get(server, path or "/index.html")
    assert status == 404
    assert b"samples" not in body
    assert "Access-Control-Allow-Origin" not in headers


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", ""])
def test_another_name_for_this_machine_is_refused(server: ViewServer, host: str) -> None:
    assert get(server, at(server, "api/report"), host)[0] == 403


def test_it_listens_on_this_machine_alone(server: ViewServer) -> None:
    assert server._server.server_address[0] == "127.0.0.1"


def test_the_report_and_its_rows_are_those_of_the_run(server: ViewServer, demo_run: str) -> None:
    rows = read_judged(demo_run)
    report = told(server, "api/report")
    assert report["runs"][0]["accuracy"]["asked"] == len(rows)
    assert report["comparison"]["gained"] == report["comparison"]["lost"] == []
    page = told(server, "api/rows?run=1&facet=outcome:diverged&sort=step&descending=1&limit=2")
    steps = sorted(row.step or 0 for row in rows if row.outcome == "diverged")
    assert page["total"] == len(steps)
    place = [column["name"] for column in report["runs"][1]["columns"]].index("step")
    assert [row[place] for row in page["rows"]] == steps[::-1][:2]


def test_a_sample_is_executed_when_it_is_asked_for(server: ViewServer) -> None:
    (first, *_) = told(server, "api/rows?run=0")["rows"]
    document = told(server, f"api/sample?run=0&id={quote(first[0])}")
    assert document["id"] == first[0]
    assert document["real"]["steps"]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("api/sample?run=0&id=nobody", 404),
        ("api/sample?run=7&id=x", 404),
        ("api/rows?run=0&offset=x", 400),
        ("api/rows?run=x", 400),
        ("api/nothing", 404),
        ("../../etc/passwd", 404),
        ("..%2f..%2fetc/passwd", 404),
        ("api/../../../etc/passwd", 404),
        (f"api/rows?run={'9' * 5000}", 400),
        ("api/rows?offset=-5&limit=-5", 200),
        ("api/rows?" + "&".join(f"facet=no{n}:x" for n in range(3000)), 200),
        ("api/budget?run=0", 404),
    ],
)
def test_what_is_not_there_is_said(server: ViewServer, path: str, status: int) -> None:
    assert get(server, at(server, path))[0] == status


def test_no_more_rows_are_given_than_a_page_needs(
    server: ViewServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worldline.viewer.server._MOST_ROWS", 3)
    page = told(server, "api/rows?limit=100000000")
    assert len(page["rows"]) == 3
    assert page["total"] > 3


def test_a_port_that_is_taken_is_named(
    server: ViewServer, demo_run: str, recorder: PythonRecorder
) -> None:
    with pytest.raises(InputError, match=r"--port"):
        ViewServer([demo_run], recorder, port=server.port)


@pytest.mark.parametrize(
    ("asked", "status"),
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
def test_whatever_is_asked_is_answered(
    server: ViewServer, asked: str, status: int, capfd: pytest.CaptureFixture[str]
) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        host = f"Host: 127.0.0.1:{server.port}"
        connection.sendall(f"{asked}\r\n{host}\r\nConnection: close\r\n\r\n".encode("latin-1"))
        said = connection.makefile("rb").read()
    # To what is no request, the answer has no first line.
    assert str(status).encode() in said
    assert capfd.readouterr().err == ""


def test_the_secret_must_be_followed_by_a_slash(server: ViewServer) -> None:
    """The page asks beside its own address, which would be another one."""
    assert get(server, at(server, "").rstrip("/"))[0] == 404


def test_a_bug_is_said_in_the_page_and_told_in_the_terminal(
    server: ViewServer, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken(_: object) -> bytes:
        raise RuntimeError("something nobody thought of")

    monkeypatch.setattr("worldline.viewer.served.ServedRuns.report", broken)
    status, body, _ = get(server, at(server, "api/report"))
    assert (status, body) == (500, b"worldline view cannot answer this")
    assert "something nobody thought of" in capfd.readouterr().err
