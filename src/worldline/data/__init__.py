"""Training data and models: generation, tracing, export and training."""
