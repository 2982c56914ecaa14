"""Sandbox for executed programs: policy, launch command and self-test.

The parent process builds the policy and starts an interpreter in bubblewrap (this package). The
layers of each program are then applied by that interpreter, before it executes the program:
`languages/python/recorder/child/sandbox_layers.py` and its part in C, `c/sandbox_layers.c`.
"""

from worldline.languages.sandbox.control_groups import remove_abandoned_groups
from worldline.languages.sandbox.launch_command import (
    LAYERS,
    REDUCED_LAYERS,
    REQUIRED_LAYERS,
    LaunchCommand,
    Layer,
    Sandbox,
    default_sandbox,
)
from worldline.languages.sandbox.policy import ResourceLimits
from worldline.languages.sandbox.selftest import LayerStatus, run_selftest

__all__ = [
    "LAYERS",
    "REDUCED_LAYERS",
    "REQUIRED_LAYERS",
    "LaunchCommand",
    "Layer",
    "LayerStatus",
    "ResourceLimits",
    "Sandbox",
    "default_sandbox",
    "remove_abandoned_groups",
    "run_selftest",
]
