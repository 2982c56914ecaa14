"""Sandbox for executed programs: policy, launch command and self-test.

The parent process builds the policy and starts an interpreter in bubblewrap (this package). The
layers of each program are then applied by that interpreter, before it executes the program:
`languages/python/recorder/child/sandbox_layers.py` and its part in C, `c/sandbox_layers.c`.
"""

from worldline.languages.sandbox.confinement import ConfinementError, confinement_error
from worldline.languages.sandbox.control_groups import remove_abandoned_groups
from worldline.languages.sandbox.launch_command import LaunchCommand
from worldline.languages.sandbox.levels import (
    CONTAINER_LAYERS,
    LAYERS,
    LEVELS,
    REQUIRED_LAYERS,
    Layer,
    Level,
    Sandbox,
    default_sandbox,
)
from worldline.languages.sandbox.policy import ResourceLimits
from worldline.languages.sandbox.selftest import LayerStatus, run_selftest

__all__ = [
    "CONTAINER_LAYERS",
    "LAYERS",
    "LEVELS",
    "REQUIRED_LAYERS",
    "ConfinementError",
    "LaunchCommand",
    "Layer",
    "LayerStatus",
    "Level",
    "ResourceLimits",
    "Sandbox",
    "confinement_error",
    "default_sandbox",
    "remove_abandoned_groups",
    "run_selftest",
]
