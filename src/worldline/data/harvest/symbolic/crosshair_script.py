"""Runs in the sandbox: print calls of a function that cover its branches, as JSON lines.

Standard input has one JSON object: the module's text, the function's name, and the limits. The
module is executed here, with symbolic values.
"""

import contextlib
import io
import json
import resource
import sys
from pathlib import Path

MODULE = "harvested_module"


def main() -> None:
    """Read the request, run `crosshair cover`, and print its calls."""
    request = json.load(sys.stdin)
    memory = request["memory_mb"] << 20
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    seconds = int(request["seconds"]) + 10
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    Path(f"{MODULE}.py").write_text(request["source"], encoding="utf-8")
    sys.path.insert(0, ".")
    # Not at the top: the limits apply to it, too.
    from crosshair.main import unwalled_main

    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.suppress(SystemExit):
        unwalled_main(
            [
                "cover",
                f"{MODULE}.{request['function']}",
                "--coverage_type=opcode",
                "--example_output_format=eval_expression",
                f"--per_condition_timeout={request['seconds']}",
                f"--max_uninteresting_iterations={request['iterations']}",
            ]
        )
    for line in output.getvalue().splitlines():
        sys.stdout.write(f"{json.dumps(line)}\n")


if __name__ == "__main__":
    main()
