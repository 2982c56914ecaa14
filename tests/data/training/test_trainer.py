"""Parts of the training: loss, batches, learning rate, size of the models and overhead."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.data.training.small_recipe import QUICK
from tests.data.training.training_speed import speed_of_training
from worldline.data.training import RECIPES, FineTuning
from worldline.data.training.dataset import (
    ACTION,
    STATE,
    draw_held_out,
    load_dataset,
    microbatches,
    sample_batches,
)
from worldline.data.training.model import count_parameters, create_model
from worldline.data.training.torch_import import has_bfloat16
from worldline.data.training.trainer import Trainer, lr_scale

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")


def test_tokens_with_weight_zero_have_no_loss(export: Path) -> None:
    dataset = load_dataset(export, QUICK)

    def loss_of_unweighted_role(**options: float) -> float:
        model = create_model(QUICK, export / "tokenizer")
        trainer = Trainer(model, QUICK, **options)
        ids, roles = next(microbatches(dataset, dataset.train[:2], QUICK.microbatch_tokens))
        only = roles * (roles == (ACTION if options["state_weight"] else STATE))
        return float(trainer._loss(ids, only).detach())

    assert loss_of_unweighted_role(action_weight=0.0, state_weight=1.0) == 0
    assert loss_of_unweighted_role(action_weight=1.0, state_weight=0.0) == 0
    assert loss_of_unweighted_role(action_weight=0.5, state_weight=1.0) > 0


@pytest.mark.parametrize("name", [name for name in RECIPES if not RECIPES[name].linear_layers])
def test_first_heads_attend_one_two_and_three_tokens_back(name: str, export: Path) -> None:
    torch = pytest.importorskip("torch")
    recipe = RECIPES[name]
    model = create_model(recipe, export / "tokenizer")
    model.set_attn_implementation("eager")
    ids = torch.randint(0, model.config.vocab_size, (1, 200))
    with torch.no_grad():
        (weights,) = model(ids, output_attentions=True).attentions[0]
    for head in range(recipe.num_heads - 1):
        back = weights[head].diagonal(-(head + 1))
        assert back.mean() > 0.75, head
    # The last one is free: its attention is uniform.
    assert weights[-1].diagonal(-1).mean() < 0.2


def test_padding_does_not_change_the_loss(export: Path) -> None:
    dataset = load_dataset(export, QUICK)
    trainer = Trainer(create_model(QUICK, export / "tokenizer"), QUICK)
    chosen = dataset.train[:4]
    together = sum(
        float(trainer._loss(*batch).detach()) for batch in microbatches(dataset, chosen, 10**6)
    )
    alone = sum(float(trainer._loss(*batch).detach()) for batch in microbatches(dataset, chosen, 1))
    assert len(list(microbatches(dataset, chosen, 1))) == 4
    assert together == pytest.approx(alone, rel=1e-4)


def test_loss_equals_that_of_transformers(export: Path) -> None:
    dataset = load_dataset(export, QUICK)
    model = create_model(QUICK, export / "tokenizer")
    trainer = Trainer(model, QUICK)
    ids, roles = next(microbatches(dataset, dataset.train[:1], QUICK.microbatch_tokens))
    labels = torch.where(roles > 0, ids, -100)
    expected = float(model(input_ids=ids, labels=labels).loss.detach())
    count = int((roles[:, 1:] > 0).sum())
    assert float(trainer._loss(ids, roles).detach()) / count == pytest.approx(expected, rel=1e-4)


def test_example_accuracy_counts_examples_without_an_error(export: Path) -> None:
    dataset = load_dataset(export, replace(QUICK, held_out=6))
    trainer = Trainer(create_model(QUICK, export / "tokenizer"), QUICK)
    # The export has copies of each trace.
    learned, *others = dataset.held_out
    other = next(each for each in others if dataset.length(each) != dataset.length(learned))
    while True:
        trainer.step(dataset, (learned,), lr_scale=1.0)
        if trainer.evaluate(replace(dataset, held_out=(learned,))).example_accuracy == 1.0:
            break
    assert trainer.evaluate(replace(dataset, held_out=(other,))).example_accuracy == 0.0
    # The examples are in batches of several, with padding.
    metrics = trainer.evaluate(replace(dataset, held_out=(other, learned, other, learned, learned)))
    assert metrics.example_accuracy == pytest.approx(3 / 5)


def test_held_out_examples_are_not_every_nth() -> None:
    """Programs of three levels in turn: 64 of 3,840 must not all be of one level."""
    drawn = draw_held_out(range(3840), 64)
    assert len(set(drawn)) == 64
    assert all(10 < sum(example % 3 == level for example in drawn) < 35 for level in range(3))
    assert draw_held_out(range(3840), 64) == drawn
    assert len(draw_held_out(range(35), 64)) == 3


def test_each_epoch_contains_every_example_once(export: Path) -> None:
    dataset = load_dataset(export, QUICK)
    total = sum(map(dataset.length, dataset.train))
    recipe = replace(QUICK, batch_tokens=1, tokens=total, curriculum_end=0.0)
    taken = [example for step in sample_batches(dataset, recipe, seed=3) for example in step]
    assert sorted(taken) == sorted(dataset.train)
    assert not set(dataset.held_out) & set(taken)


def test_curriculum_starts_with_the_shortest_examples(export: Path) -> None:
    dataset = load_dataset(export, QUICK)
    sizes = list(map(dataset.length, dataset.train))
    assert sizes == sorted(sizes)
    recipe = replace(QUICK, tokens=60_000, curriculum_end=0.8, curriculum_start=0.1)
    order = list(sample_batches(dataset, recipe, seed=0))
    lengths = [max(map(dataset.length, step)) for step in order]
    tenth = len(order) // 10
    assert max(lengths[:tenth]) <= sizes[len(sizes) // 3] < max(lengths[-tenth:])
    assert max(lengths) == sizes[-1]


def test_learning_rate_warms_up_and_decays_to_five_percent() -> None:
    recipe = RECIPES["small"]
    scales = [lr_scale(recipe, done) for done in range(10_000, recipe.tokens + 10_000, 10_000)]
    top = scales.index(max(scales))
    assert scales[top] == pytest.approx(1, rel=0.01)
    assert scales[: top + 1] == sorted(scales[: top + 1])
    assert scales[top:] == sorted(scales[top:], reverse=True)
    assert scales[-1] == pytest.approx(1 / 20)


@pytest.mark.parametrize("name", list(RECIPES))
def test_recipes_are_small(name: str, export: Path) -> None:
    assert count_parameters(create_model(RECIPES[name], export / "tokenizer")) < 15_000_000


def test_scaled_rates_change_nothing_else() -> None:
    scaled = RECIPES["tiny"].scale_rates(0.3)
    assert scaled.lr_muon == pytest.approx(0.3 * RECIPES["tiny"].lr_muon)
    assert scaled.lr_adamw == pytest.approx(0.3 * RECIPES["tiny"].lr_adamw)
    unscaled = replace(scaled, lr_muon=RECIPES["tiny"].lr_muon, lr_adamw=RECIPES["tiny"].lr_adamw)
    assert unscaled == RECIPES["tiny"]
    assert FineTuning(10, lora_rank=4).scale_rate(0.5) == FineTuning(10, 1e-4, lora_rank=4)
    assert FineTuning(10, 1e-3).scale_rate(1) == FineTuning(10, 1e-3)


def test_bfloat16_is_detected_from_cpu_flags() -> None:
    assert has_bfloat16("flags\t\t: fpu avx512_bf16 avx2\n")
    assert has_bfloat16("Features\t: fp asimd bf16\n")
    assert not has_bfloat16("flags\t\t: fpu avx2\nmodel name: bf16 the great\n")


def test_training_loop_has_little_overhead(export: Path) -> None:
    """At full size: `scripts/bench train`. One step shows the overhead, which every step has."""
    recipe = replace(QUICK, hidden_size=128, batch_tokens=2000, tokens=100_000)
    result = speed_of_training(export, recipe, steps=1, turns=3, threads=1)
    assert result.ours > result.bare / 2
