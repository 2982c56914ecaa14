"""Intervals and paired tests: the only home of scipy."""
