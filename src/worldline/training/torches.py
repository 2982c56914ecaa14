"""torch and transformers where they are installed, and what this processor can do with them."""

from pathlib import Path
from typing import Any

from worldline.errors import InputError


def require_torch() -> Any:
    """torch, or an error that says how to get it."""
    try:
        import torch
        import transformers  # noqa: F401
    except ImportError:
        raise InputError(
            "training needs torch and transformers: pip install 'worldline[train]'"
        ) from None
    return torch


def has_bfloat16(cpuinfo: str | None = None) -> bool:
    """Whether the processor computes in bfloat16; where it does not, float32 is faster."""
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
