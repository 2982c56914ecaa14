"""A model learns what it is shown, in the same way whether or not it is stopped between."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.training.exporting import exported, stored
from tests.training.speed import speed_of_training
from worldline.errors import InputError
from worldline.recorders import PythonRecorder
from worldline.store import StoredTrace
from worldline.training import RECIPES, Recipe, Training, TrainingStep, read_training, train
from worldline.training import training as training_module
from worldline.training.loop import Learner, pace_at
from worldline.training.material import ACTION, STATE, in_order, passes, read_material
from worldline.training.model import new_model, parameters
from worldline.training.torches import has_bfloat16

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

QUICK = Recipe("quick", 32, 2, 2, 2048, tokens=7000, step_tokens=600, held_out=2)


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory, recorder: PythonRecorder) -> Path:
    folder = tmp_path_factory.mktemp("training")
    exported(folder, again(stored(recorder), 5), tokenizer="bpe:320")
    return folder / "export"


def again(traces: list[StoredTrace], times: int) -> list[StoredTrace]:
    return [replace(t, id=f"{t.id}_{n}") for n in range(times) for t in traces]


def finish(
    export: Path, output: Path, recipe: Recipe = QUICK, **options: Any
) -> list[TrainingStep]:
    return [step for _, step in train(export, output, recipe=recipe, threads=1, **options)]


def weights(folder: Path) -> dict[str, Any]:
    from safetensors.torch import load_file

    found: dict[str, Any] = load_file(folder / "model.safetensors")
    return found


def are_equal(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


def test_what_is_shown_again_and_again_is_learned(export: Path, tmp_path: Path) -> None:
    recipe = replace(QUICK, hidden=64, tokens=60_000)
    steps = finish(export, tmp_path / "model", recipe)
    assert steps[0].loss > 4
    assert steps[-1].held_out is not None
    assert steps[-1].held_out.loss < 1.2
    done = read_training(tmp_path / "model")
    assert done is not None
    assert done.is_finished
    assert done.step == len(steps)
    assert done.tokens == sum(step.tokens for step in steps) >= recipe.tokens
    assert done.seen == sum(step.examples for step in steps)
    early, late = (look.held_out.actions_right for look in (done.looks[0], done.looks[-1]))
    assert early is not None
    assert late is not None
    assert late > early


def test_a_folder_that_hugging_face_loads(export: Path, tmp_path: Path) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    finish(export, tmp_path / "model")
    model = AutoModelForCausalLM.from_pretrained(tmp_path / "model")
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "model")
    assert model.config.max_position_embeddings == QUICK.longest
    assert model.config.vocab_size == len(tokenizer)
    assert (model.config.bos_token_id, model.config.eos_token_id) == (
        tokenizer.convert_tokens_to_ids("<|begin_of_text|>"),
        tokenizer.convert_tokens_to_ids("<|end_of_text|>"),
    )
    assert {weight.dtype for weight in model.parameters()} == {torch.float32}
    assert not (tmp_path / "model" / "checkpoint.pt").exists()


def test_stopped_and_gone_on_it_is_the_same_model(export: Path, tmp_path: Path) -> None:
    all_steps = finish(export, tmp_path / "whole")
    steps = train(export, tmp_path / "stopped", recipe=QUICK, threads=1)
    for _ in range(5):
        next(steps)
    steps.close()
    assert (tmp_path / "stopped" / "checkpoint.pt").exists()
    rest = finish(export, tmp_path / "stopped")
    assert [step.step for step in rest] == list(range(6, len(all_steps) + 1))
    assert [step.loss for step in rest] == [step.loss for step in all_steps[5:]]
    assert are_equal(weights(tmp_path / "whole"), weights(tmp_path / "stopped"))
    whole, stopped = (read_training(tmp_path / name) for name in ("whole", "stopped"))
    assert whole is not None
    assert stopped is not None
    assert whole.tokens == stopped.tokens
    assert whole.looks == stopped.looks


KILLED = """
import sys
from pathlib import Path
from worldline.training import training
from tests.training.test_train import QUICK
training.SAVE_EVERY = 0.0
for now, step in training.train(Path(sys.argv[1]), Path(sys.argv[2]), recipe=QUICK, threads=1):
    print(step.step, flush=True)
"""


def test_killed_it_goes_on_from_its_last_checkpoint(export: Path, tmp_path: Path) -> None:
    all_steps = finish(export, tmp_path / "whole")
    command = [sys.executable, "-c", KILLED, str(export), str(tmp_path / "killed")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) == 6:
                os.kill(process.pid, signal.SIGKILL)
                break
    assert process.returncode == -signal.SIGKILL
    rest = finish(export, tmp_path / "killed")
    assert 5 <= rest[0].step <= 7
    assert rest[-1].step == len(all_steps)
    assert are_equal(weights(tmp_path / "whole"), weights(tmp_path / "killed"))


def test_a_trained_model_is_trained_further(export: Path, tmp_path: Path) -> None:
    first = finish(export, tmp_path / "first", replace(QUICK, tokens=40_000))
    begun = weights(tmp_path / "first")
    then = finish(export, tmp_path / "then", start=tmp_path / "first")
    assert then[0].loss < 0.7 * first[0].loss
    assert are_equal(weights(tmp_path / "first"), begun)
    assert not are_equal(weights(tmp_path / "then"), begun)
    with pytest.raises(InputError, match="begun with another start"):
        finish(export, tmp_path / "then")


def test_what_cannot_be_trained_further_is_named(export: Path, tmp_path: Path) -> None:
    finish(export, tmp_path / "first")
    with pytest.raises(InputError, match="holds no trained model"):
        finish(export, tmp_path / "then", start=tmp_path)
    for other in (replace(QUICK, hidden=64), replace(QUICK, longest=4096)):
        with pytest.raises(InputError, match="not of the recipe quick"):
            finish(export, tmp_path / "then", other, start=tmp_path / "first")
    whole = (tmp_path / "first" / "model.safetensors").read_bytes()
    (tmp_path / "first" / "model.safetensors").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="cannot be read"):
        finish(export, tmp_path / "then", start=tmp_path / "first")
    names = tmp_path / "first" / "tokenizer.json"
    names.write_text(names.read_text().replace("<|frame_sep|>", "<|frame_set|>"))
    with pytest.raises(InputError, match=r"another vocabulary.*--tokenizer"):
        finish(export, tmp_path / "then", start=tmp_path / "first")


def test_nothing_is_done_to_a_finished_model(export: Path, tmp_path: Path) -> None:
    finish(export, tmp_path / "model")
    before = (tmp_path / "model" / "model.safetensors").stat().st_mtime_ns
    assert finish(export, tmp_path / "model") == []
    assert (tmp_path / "model" / "model.safetensors").stat().st_mtime_ns == before


def test_another_training_in_the_same_folder_is_refused(export: Path, tmp_path: Path) -> None:
    finish(export, tmp_path / "model")
    with pytest.raises(InputError, match=r"begun with another seed.*--restart"):
        finish(export, tmp_path / "model", seed=1)
    assert finish(export, tmp_path / "model", seed=1, is_restarted=True)[0].step == 1


def test_a_folder_of_other_things_is_left_alone(export: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    for log in (None, "{}"):
        if log is not None:
            (tmp_path / "training.json").write_text(log)
        for is_restarted in (False, True):
            with pytest.raises(InputError, match=r"holds thesis\.txt"):
                finish(export, tmp_path, is_restarted=is_restarted)
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


def test_a_model_that_was_made_otherwise_is_not_written_over(export: Path, tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"weights of months")
    with pytest.raises(InputError, match="made otherwise"):
        finish(export, tmp_path, is_restarted=True)
    assert (tmp_path / "model.safetensors").read_bytes() == b"weights of months"


def test_interrupted_within_a_step_it_is_the_same_model(
    export: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finish(export, tmp_path / "whole")
    looked = 0

    def interrupted(self: Learner, material: Any) -> Any:
        nonlocal looked
        looked += 1
        if looked == 5:
            raise KeyboardInterrupt
        return look(self, material)

    look = Learner.look
    monkeypatch.setattr(Learner, "look", interrupted)
    monkeypatch.setattr(training_module, "SAVE_EVERY", 0.0)
    with pytest.raises(KeyboardInterrupt):
        finish(export, tmp_path / "model")
    monkeypatch.setattr(Learner, "look", look)
    assert finish(export, tmp_path / "model")[0].step > 1
    assert are_equal(weights(tmp_path / "whole"), weights(tmp_path / "model"))


def test_a_damaged_checkpoint_is_named(export: Path, tmp_path: Path) -> None:
    steps = train(export, tmp_path / "model", recipe=QUICK, threads=1)
    next(steps)
    steps.close()
    (tmp_path / "model" / "checkpoint.pt").write_bytes(b"")
    with pytest.raises(InputError, match=r"checkpoint.pt is damaged.*--restart"):
        finish(export, tmp_path / "model")


def test_one_folder_is_trained_by_one_process(export: Path, tmp_path: Path) -> None:
    steps = train(export, tmp_path / "model", recipe=QUICK, threads=1)
    next(steps)
    with pytest.raises(InputError, match="another process"):
        finish(export, tmp_path / "model")
    steps.close()
    assert finish(export, tmp_path / "model")


def test_a_training_from_which_nothing_is_learned_is_refused(export: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing would be learned"):
        finish(export, tmp_path / "model", action_weight=0.0, state_weight=0.0)


def test_what_is_no_export_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="worldline export"):
        finish(tmp_path / "nothing", tmp_path / "model")


def test_a_weight_of_nothing_leaves_tokens_out(export: Path) -> None:
    material = read_material(export, QUICK)

    def changed(**options: float) -> float:
        model = new_model(QUICK, export / "tokenizer")
        learner = Learner(model, QUICK, **options)
        ids, roles = next(passes(material, material.trained[:2], QUICK.pass_tokens))
        only = roles * (roles == (ACTION if options["state_weight"] else STATE))
        return float(learner._loss(ids, only).detach())

    assert changed(action_weight=0.0, state_weight=1.0) == 0
    assert changed(action_weight=1.0, state_weight=0.0) == 0
    assert changed(action_weight=0.5, state_weight=1.0) > 0


@pytest.mark.parametrize("name", RECIPES)
def test_heads_look_back_by_one_two_and_three_tokens(name: str, export: Path) -> None:
    torch = pytest.importorskip("torch")
    recipe = RECIPES[name]
    model = new_model(recipe, export / "tokenizer")
    model.set_attn_implementation("eager")
    ids = torch.randint(0, model.config.vocab_size, (1, 200))
    with torch.no_grad():
        (weights,) = model(ids, output_attentions=True).attentions[0]
    for head in range(recipe.heads - 1):
        back = weights[head].diagonal(-(head + 1))
        assert back.mean() > 0.75, head
    # The last one is free: it looks at all that came before, alike.
    assert weights[-1].diagonal(-1).mean() < 0.2


def test_padding_changes_nothing(export: Path) -> None:
    material = read_material(export, QUICK)
    learner = Learner(new_model(QUICK, export / "tokenizer"), QUICK)
    chosen = material.trained[:4]
    together = sum(
        float(learner._loss(*batch).detach()) for batch in passes(material, chosen, 10**6)
    )
    alone = sum(float(learner._loss(*batch).detach()) for batch in passes(material, chosen, 1))
    assert len(list(passes(material, chosen, 1))) == 4
    assert together == pytest.approx(alone, rel=1e-4)


def test_the_loss_is_that_of_transformers(export: Path) -> None:
    material = read_material(export, QUICK)
    model = new_model(QUICK, export / "tokenizer")
    learner = Learner(model, QUICK)
    ids, roles = next(passes(material, material.trained[:1], QUICK.pass_tokens))
    labels = torch.where(roles > 0, ids, -100)
    expected = float(model(input_ids=ids, labels=labels).loss.detach())
    count = int((roles[:, 1:] > 0).sum())
    assert float(learner._loss(ids, roles).detach()) / count == pytest.approx(expected, rel=1e-4)


def test_every_example_comes_once_before_one_comes_twice(export: Path) -> None:
    material = read_material(export, QUICK)
    total = sum(map(material.length, material.trained))
    recipe = replace(QUICK, step_tokens=1, tokens=total, growing_share=0.0)
    taken = [example for step in in_order(material, recipe, seed=3) for example in step]
    assert sorted(taken) == sorted(material.trained)
    assert not set(material.held_out) & set(taken)


def test_the_shortest_come_first_and_longer_ones_by_and_by(export: Path) -> None:
    material = read_material(export, QUICK)
    sizes = list(map(material.length, material.trained))
    assert sizes == sorted(sizes)
    recipe = replace(QUICK, tokens=60_000, growing_share=0.8, shortest_share=0.1)
    order = list(in_order(material, recipe, seed=0))
    longest = [max(map(material.length, step)) for step in order]
    tenth = len(order) // 10
    assert max(longest[:tenth]) <= sizes[len(sizes) // 3] < max(longest[-tenth:])
    assert max(longest) == sizes[-1]


def test_the_pace_goes_up_and_down() -> None:
    recipe = RECIPES["small"]
    paces = [pace_at(recipe, done) for done in range(10_000, recipe.tokens + 10_000, 10_000)]
    top = paces.index(max(paces))
    assert paces[top] == pytest.approx(1, rel=0.01)
    assert paces[: top + 1] == sorted(paces[: top + 1])
    assert paces[top:] == sorted(paces[top:], reverse=True)
    assert paces[-1] == pytest.approx(1 / 20)


@pytest.mark.parametrize("name", list(RECIPES))
def test_recipes_are_small(name: str, export: Path) -> None:
    assert parameters(new_model(RECIPES[name], export / "tokenizer")) < 15_000_000


def test_what_a_processor_can_do_is_read_off_its_flags() -> None:
    assert has_bfloat16("flags\t\t: fpu avx512_bf16 avx2\n")
    assert has_bfloat16("Features\t: fp asimd bf16\n")
    assert not has_bfloat16("flags\t\t: fpu avx2\nmodel name: bf16 the great\n")


def test_the_log_is_json_that_says_what_it_is_of(export: Path, tmp_path: Path) -> None:
    finish(export, tmp_path / "model")
    data = json.loads((tmp_path / "model" / "training.json").read_text())
    assert data["settings"]["recipe"]["name"] == "quick"
    assert set(data["versions"]) == {"worldline", "torch", "transformers"}
    assert isinstance(read_training(tmp_path / "model"), Training)


def test_the_loop_costs_little_beside_the_bare_passes(export: Path) -> None:
    """At full size: `scripts/bench train`."""
    recipe = replace(QUICK, hidden=128, step_tokens=2000, tokens=100_000)
    found = speed_of_training(export, recipe, steps=4, turns=3, threads=1)
    assert found.ours > found.bare / 2
