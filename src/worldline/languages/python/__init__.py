"""Python: recorder, control-flow graph and rewrites."""
