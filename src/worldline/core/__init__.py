"""Programs, steps and traces; errors, plug-ins and small utilities."""
