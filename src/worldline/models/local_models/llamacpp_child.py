"""Process that serves one GGUF file with llama.cpp; started by `llamacpp_server.py`.

It writes its address as one line of JSON and serves until its standard input is closed, so that it
ends with its parent however that ends.
"""

import json
import os
import signal
import sys


def main() -> None:
    """Serve the file that the first argument, an object in JSON, describes."""
    # Ctrl-C is sent to all processes of the terminal; the parent decides when this one ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Whatever the library prints belongs to the log.
    reply = os.dup(1)
    os.dup2(2, 1)
    options = json.loads(sys.argv[1])

    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = options["file"]
    params.model_alias = {options["name"]}
    params.hostnames = ["127.0.0.1"]
    params.port = options["port"]
    params.n_parallel = options["parallel"]
    # llama.cpp divides its context among the parallel requests.
    params.n_ctx = options["context_length"] * options["parallel"]
    if options["threads"] is not None:
        params.cpuparams.n_threads = options["threads"]
    params.warmup = False
    try:
        server = xllamacpp.Server(params)
    except RuntimeError as error:
        # The lines of the log before it say why.
        sys.exit(str(error))
    os.write(reply, json.dumps({"address": server.listening_address}).encode() + b"\n")
    sys.stdin.read()


if __name__ == "__main__":
    main()
