"""Java: recorder, source syntax and values."""
