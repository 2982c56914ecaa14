"""Values of Python and JavaScript in one notation, for comparisons between the languages.

Lists, tuples and arrays are lists; dictionaries and maps, and sets, are marked. 1 and 1.0 are
equal, and so are 0 and -0.
"""

import json
import subprocess
from collections.abc import Sequence
from typing import Any

from worldline.languages.javascript.node_runtime import find_node

_ENCODE = """\
const encode = (v) =>
  v instanceof Map ? { map: [...v].map(([k, x]) => [k, encode(x)]) }
  : v instanceof Set ? { set: [...v].map(encode).sort((a, b) => a - b) }
  : Array.isArray(v) ? v.map(encode)
  : v === undefined ? { undefined: true } : v;
"""


def encode_python(value: Any) -> Any:
    """A Python value in the notation.

    {"a": (1, None)} -> {"map": [["a", [1, None]]]}
    """
    if isinstance(value, dict):
        return {"map": [[key, encode_python(item)] for key, item in value.items()]}
    if isinstance(value, set):
        return {"set": sorted(map(encode_python, value))}
    if isinstance(value, list | tuple):
        return [encode_python(item) for item in value]
    return value


def evaluate_javascript(programs: Sequence[tuple[str, str]]) -> list[Any]:
    """Execute programs, each a source and a call, in one process without a sandbox."""
    functions = ",\n".join(f"() => {{\n{source}\nreturn {call};\n}}" for source, call in programs)
    script = (
        f'"use strict";\n{_ENCODE}for (const f of [{functions}]) {{\n'
        "  let shown;\n  try { shown = encode(f()); }\n"
        "  catch (error) { shown = { error: String(error) }; }\n"
        "  console.log(JSON.stringify(shown));\n}\n"
    )
    done = subprocess.run(
        [find_node().path, "-"], input=script, capture_output=True, text=True, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]
