"""Which tests `scripts/test fast`, `scripts/test` and `scripts/test all` run.

`scripts/test --durations=0` shows where the time goes.
"""

# Folder of the tests on real servers of models.
LIVE = "tests/live/"
# Tests that look for leaks and races for long: only in `scripts/test all`.
ENDURANCE = (
    "tests/data/tracing/test_ray.py",
    "tests/evaluation/runs/test_run_kills.py",
    "tests/languages/recorder/test_address_sanitizer.py",
    "tests/languages/sandbox/test_levels.py",
)
# Files and folders that take more than a few seconds: not in `scripts/test fast`.
SLOW = (
    *ENDURANCE,
    "tests/interfaces/viewer/",
    "tests/languages/recorder/test_c_tracer.py",
    "tests/languages/recorder/test_conformance.py",
)


def tier_of(nodeid: str) -> str:
    """Name of the marker of a test: "live", "endurance", "slow", or "" for the fast ones."""
    file = nodeid.partition("::")[0]
    for name, paths in (("live", (LIVE,)), ("endurance", ENDURANCE), ("slow", SLOW)):
        if file.startswith(paths):
            return name
    return ""
