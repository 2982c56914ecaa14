"""Muon optimizer for the matrices of a small model, in the data type that the processor is fast in.

`torch.optim.Muon` always computes in bfloat16. A processor without bfloat16 emulates it, which took
more time than the forward and the backward pass together.
"""

import math
from collections.abc import Sequence
from typing import Any

from worldline.data.training.torch_import import has_bfloat16, require_torch

# Coefficients and number of steps of the Newton-Schulz iteration, as in torch.
_COEFFICIENTS = (3.4445, -4.7750, 2.0315)
_STEPS = 5
_EPSILON = 1e-7


class Muon:
    """Momentum whose matrices are made orthogonal by a Newton-Schulz iteration.

    The updates are those of `torch.optim.Muon`. Matrices of the same shape are computed together.

    Attributes:
        param_groups: The learning rate, as in an optimizer of torch.
    """

    def __init__(
        self,
        matrices: Sequence[Any],
        *,
        lr: float,
        momentum: float = 0.95,
        weight_decay: float = 0.01,
    ) -> None:
        torch = require_torch()
        self.param_groups: list[dict[str, Any]] = [{"lr": lr}]
        self._matrices = list(matrices)
        self._momentum, self._weight_decay = momentum, weight_decay
        self._buffers = [torch.zeros_like(matrix) for matrix in matrices]
        self._dtype = torch.bfloat16 if has_bfloat16() else torch.float32
        self._by_shape: dict[tuple[int, int], list[int]] = {}
        for index, matrix in enumerate(matrices):
            self._by_shape.setdefault(tuple(matrix.shape), []).append(index)

    def step(self) -> None:
        """Update the matrices by their gradients."""
        torch = require_torch()
        rate = self.param_groups[0]["lr"]
        with torch.no_grad():
            for (rows, columns), indices in self._by_shape.items():
                updates = orthogonalize(
                    torch.stack([self._momentum_update(index) for index in indices]).to(self._dtype)
                )
                scale = rate * math.sqrt(max(1.0, rows / columns))
                for index, update in zip(indices, updates.float(), strict=True):
                    self._matrices[index].mul_(1 - rate * self._weight_decay)
                    self._matrices[index].add_(update, alpha=-scale)

    def state_dict(self) -> dict[str, Any]:
        """The momentum, to resume later."""
        return {"buffers": self._buffers}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore what `state_dict` returned."""
        for buffer, saved in zip(self._buffers, state["buffers"], strict=True):
            buffer.copy_(saved)

    def _momentum_update(self, index: int) -> Any:
        """Add the gradient of a matrix to its momentum, and look ahead (Nesterov)."""
        gradient, buffer = self._matrices[index].grad, self._buffers[index]
        buffer.lerp_(gradient, 1 - self._momentum)
        return gradient.lerp(buffer, self._momentum)


def orthogonalize(matrices: Any) -> Any:
    """Move the singular values of each matrix of a stack towards 1 (Newton-Schulz iteration)."""
    torch = require_torch()
    a, b, c = _COEFFICIENTS
    is_tall = matrices.shape[-2] > matrices.shape[-1]
    x = matrices.mT if is_tall else matrices
    # The largest singular value is then at most 1.
    x = x / x.norm(dim=(-2, -1), keepdim=True).clamp(min=_EPSILON)
    for _ in range(_STEPS):
        gram = x @ x.mT
        x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.mT if is_tall else x
