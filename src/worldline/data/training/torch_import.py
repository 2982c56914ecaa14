"""Lazy import of torch and transformers, and detection of bfloat16."""

from pathlib import Path
from typing import Any

from worldline.core.util.optional_imports import optional_import


def require_torch() -> Any:
    """Import torch, or raise an error that says how to install it and transformers."""
    with optional_import("training needs torch and transformers", extra="train"):
        import torch
        import transformers  # noqa: F401
    return torch


def has_bfloat16(cpuinfo: str | None = None) -> bool:
    """Whether the processor computes in bfloat16; if not, float32 is faster.

    Args:
        cpuinfo: Text of /proc/cpuinfo; by default that of this machine.
    """
    if cpuinfo is None:
        try:
            cpuinfo = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return False
    return any(
        flag in line.split()
        for line in cpuinfo.splitlines()
        if line.lower().startswith(("flags", "features"))
        for flag in ("avx512_bf16", "amx_bf16", "bf16")
    )
