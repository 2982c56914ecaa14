"""Programs that nobody vouches for: what holds them, and whether it holds here."""

from worldline.sandbox.launch import (
    LAYERS,
    NEEDED,
    REDUCED,
    Launch,
    Layer,
    Sandbox,
    default_sandbox,
)
from worldline.sandbox.policy import Room

__all__ = ["LAYERS", "NEEDED", "REDUCED", "Launch", "Layer", "Room", "Sandbox", "default_sandbox"]
