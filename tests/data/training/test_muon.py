"""Muon gives the updates of torch's, and computes in float32 where bfloat16 is emulated."""

import pytest

from worldline.data.training import muon
from worldline.data.training.muon import Muon, orthogonalize

torch = pytest.importorskip("torch")
SHAPES = ((64, 64), (64, 192), (192, 64), (64, 64))


def updated(*, has_bfloat16: bool, monkeypatch: pytest.MonkeyPatch) -> tuple[list, list]:  # type: ignore[type-arg]
    """Matrices after five steps of Worldline's and of torch's Muon, with the same gradients."""
    monkeypatch.setattr(muon, "has_bfloat16", lambda: has_bfloat16)
    torch.manual_seed(0)
    ours = [torch.randn(shape) for shape in SHAPES]
    theirs = [matrix.clone().requires_grad_() for matrix in ours]
    first = Muon(ours, lr=0.02)
    second = torch.optim.Muon(theirs, lr=0.02, momentum=0.95, weight_decay=0.01)
    for number in range(5):
        for one, other in zip(ours, theirs, strict=True):
            one.grad = torch.randn(one.shape)
            other.grad = one.grad.clone()
        if number == 2:
            # A resumed training continues with the same momentum.
            resumed = Muon(ours, lr=0.02)
            resumed.load_state_dict(first.state_dict())
            first = resumed
        first.step()
        second.step()
    return ours, [matrix.detach() for matrix in theirs]


@pytest.mark.parametrize("has_bfloat16", [True, False])
def test_the_updates_differ_from_those_of_torch_by_rounding(
    has_bfloat16: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = zip(*updated(has_bfloat16=has_bfloat16, monkeypatch=monkeypatch), strict=True)
    differences = [float((one - other).abs().max()) for one, other in pairs]
    # Five steps with a learning rate of 0.02.
    assert max(differences) < 1e-3
    # torch always computes in bfloat16.
    assert has_bfloat16 or min(differences) > 0


def test_singular_values_move_towards_one() -> None:
    torch.manual_seed(1)
    matrices = torch.randn(3, 48, 96)
    values = torch.linalg.svdvals(orthogonalize(matrices))
    assert torch.linalg.svdvals(matrices).max() > 10
    assert 0.3 < float(values.min()) <= float(values.max()) < 1.3
