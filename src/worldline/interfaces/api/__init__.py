"""Python API: record, predict, diagnose, evaluate and compare in one call each."""
