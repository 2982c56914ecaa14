"""Stand-in for xllamacpp: a folder to import it from, whose server answers like a chat server."""

from pathlib import Path

_SOURCE = """
import json, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace


class CommonParams:
    def __init__(self):
        self.model = SimpleNamespace(path="")
        self.cpuparams = SimpleNamespace(n_threads=-1)


class Server:
    def __init__(self, params):
        if b"broken" in open(params.model.path, "rb").read():
            raise RuntimeError("Failed to init server")
        threads = params.cpuparams.n_threads
        name = next(iter(params.model_alias))

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *arguments): ...

            def do_GET(self):
                meta = {"n_ctx": params.n_ctx, "slots": params.n_parallel, "threads": threads}
                self.reply({"data": [{"id": name, "meta": meta}]})

            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                if self.path != "/v1/chat/completions":
                    self.send_error(404)
                    return
                message = {"role": "assistant", "content": "[ANSWER] 2 [/ANSWER]"}
                usage = {"prompt_tokens": 10, "completion_tokens": 4}
                self.reply({"choices": [{"message": message, "finish_reason": "stop"}],
                            "usage": usage})

            def reply(self, body):
                data = json.dumps(body).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        print("noise on standard output")
        server = ThreadingHTTPServer((params.hostnames[0], params.port), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.listening_address = "http://127.0.0.1:%d" % server.server_address[1]
"""


def write_stub(folder: Path) -> Path:
    """Write the module into a folder, and return the folder."""
    package = folder / "xllamacpp"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(_SOURCE, encoding="utf-8")
    return folder
