"""Streamable HTTP with a token; only for this machine, unless the user sets a token."""

import hmac
import ipaddress
import secrets
import socket

import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from worldline.core.errors import InputError

MCP_PATH = "/mcp"
MIN_TOKEN_CHARS = 16
# Bytes of one request. The largest arguments that the tools accept are smaller.
MAX_BODY_BYTES = 4 * 1024 * 1024


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine only.

    "127.0.0.1" -> True; "localhost" -> True; "0.0.0.0" -> False
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def choose_token(host: str, token: str | None) -> str:
    """The token that clients must send: the given one, or a new one for this machine only.

    Raises:
        InputError: Other machines can reach the address and no token was given, or it is short.
    """
    if token is None or not token:
        if not is_loopback(host):
            raise InputError(
                f"{host} can be reached from other machines: set a token of your own in "
                "WORLDLINE_MCP_TOKEN, or use --host 127.0.0.1"
            )
        return secrets.token_urlsafe(32)
    if len(token) < MIN_TOKEN_CHARS or not token.isascii() or not token.isprintable():
        raise InputError(
            f"the token must have at least {MIN_TOKEN_CHARS} characters, all of them ASCII; "
            "python3 -c 'import secrets; print(secrets.token_urlsafe(32))' makes one"
        )
    return token


class TokenGuard:
    """ASGI application that refuses requests without the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on if it has the token."""
        if scope["type"] in ("http", "websocket"):
            values = [value for name, value in scope["headers"] if name == b"authorization"]
            if len(values) != 1 or not hmac.compare_digest(values[0], self._expected):
                refusal = PlainTextResponse(
                    "missing or wrong token\n",
                    status_code=401,
                    headers={"WWW-Authenticate": "Bearer"},
                )
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)


def http_app(server: MCPServer[None], *, host: str, token: str) -> ASGIApp:
    """The ASGI application of a server.

    Args:
        server: The server.
        host: The address that it listens on. On this machine only, requests with the name of
            another host are refused: a web page could make a browser send them.
        token: The token that clients must send.
    """
    security = None
    if is_loopback(host):
        names = ["127.0.0.1", "localhost", "[::1]", f"[{host}]" if ":" in host else host]
        security = TransportSecuritySettings(
            allowed_hosts=[f"{name}:*" for name in names],
            allowed_origins=[f"http://{name}:*" for name in names],
        )
    app = server.streamable_http_app(
        streamable_http_path=MCP_PATH,
        transport_security=security,
        host=host,
        max_request_body_size=MAX_BODY_BYTES,
    )
    return TokenGuard(app, token)


def bind_socket(host: str, port: int) -> tuple[socket.socket, str]:
    """Listen on an address; the second result is its URL.

    Raises:
        InputError: The address cannot be used.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        # From here on clients can connect: their requests wait until the server runs.
        listener.listen()
    except OSError as error:
        listener.close()
        raise InputError(f"cannot listen on {host}, port {port}: {error}") from None
    shown = f"[{host}]" if ":" in host else host
    return listener, f"http://{shown}:{listener.getsockname()[1]}{MCP_PATH}"


def serve_http(server: MCPServer[None], listener: socket.socket, *, host: str, token: str) -> None:
    """Serve until the process is interrupted."""
    config = uvicorn.Config(
        http_app(server, host=host, token=token),
        log_level="warning",
        lifespan="on",
        # A client that stays connected does not keep a server from ending.
        timeout_graceful_shutdown=2,
    )
    uvicorn.Server(config).run(sockets=[listener])
