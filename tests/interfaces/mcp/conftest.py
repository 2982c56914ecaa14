"""The tests of the server need the extra `mcp`."""

import importlib.util

collect_ignore_glob = [] if importlib.util.find_spec("mcp") else ["test_*.py"]
