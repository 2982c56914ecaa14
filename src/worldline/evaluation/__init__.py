"""Evaluation of many predictions: benchmarks, runs, metrics and the store."""
