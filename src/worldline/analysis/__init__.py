"""Analysis of one prediction: alignment, diagnosis, interventions and statistics."""
