"""What the training benchmark does, never how fast it is."""

import math
from collections import Counter

import pytest
import torch
from torch.testing import assert_close

from inductive_bias.benchmarks import training
from inductive_bias.benchmarks.base import problems_of
from inductive_bias.benchmarks.loops import package_epoch, plain_epoch
from inductive_bias.errors import DataError
from inductive_bias.running import build, protocol_of
from inductive_bias.tasks import Agreement, GeneratedAgreement
from inductive_bias.tasks.files import ENV_DATA
from inductive_bias.tasks.vocabulary import PAD
from inductive_bias.trials import Trial

TINY = training.Sizes(scale="smoke", sentences=70, tokens=12, words=30, calls=2)


@pytest.fixture(autouse=True)
def without_data(monkeypatch):
    monkeypatch.delenv(ENV_DATA, raising=False)


@pytest.fixture(params=training.MODELS)
def trial(request) -> Trial:
    return training.trial_of(request.param, TINY, real=False)


def sentences_seen(model) -> Counter:
    """Fills with every sentence that the model is given, its padding cut off."""
    seen = Counter()
    model.register_forward_pre_hook(lambda _, inputs: seen.update(map(unpadded, inputs[0])))
    return seen


def unpadded(sentence) -> tuple[int, ...]:
    return tuple(sentence[sentence != PAD].tolist())


def both_epochs(trial):
    """Each loop's epoch and the sentences that it saw."""
    data = trial.task.load()
    for loop in (
        lambda model: package_epoch(trial, protocol_of(trial, data), model, seed=1),
        lambda model: plain_epoch(trial, data["train"], model, seed=1),
    ):
        torch.manual_seed(0)
        model = build(trial)
        seen = sentences_seen(model)
        yield loop(model), seen, model


def test_both_loops_see_every_sentence_once(trial):
    everything = Counter(map(unpadded, trial.task.load()["train"].inputs))
    for epoch, seen, _ in both_epochs(trial):
        assert seen == everything
        assert epoch.sentences == 70


def test_both_loops_take_as_many_steps_with_a_finite_loss(trial):
    (ours, _, _), (plain, _, _) = both_epochs(trial)
    assert abs(ours.steps - plain.steps) <= 2
    for epoch in (ours, plain):
        assert math.isfinite(epoch.loss)
        assert 0 < epoch.loss < 5
        assert epoch.seconds > 0


def test_both_loops_train_the_model(trial):
    torch.manual_seed(0)
    before = build(trial).state_dict()
    for _, _, model in both_epochs(trial):
        assert any(not torch.equal(before[name], after) for name, after in model.state_dict().items())


def test_the_phases_lie_within_the_epoch_and_leave_no_hook(trial):
    from torch.optim import optimizer

    ours, plain = (epoch for epoch, _, _ in both_epochs(trial))
    assert list(ours.phases) == ["forward", "backward", "optimiser"]
    assert all(spent > 0 for spent in ours.phases.values())
    assert sum(ours.phases.values()) < ours.seconds
    assert plain.phases == {}
    assert not optimizer._global_optimizer_pre_hooks
    assert not optimizer._global_optimizer_post_hooks


def test_the_clock_changes_nothing_in_the_loop(trial):
    """Same weights as a call of ``fit`` without it."""
    from inductive_bias.training import fit

    data = trial.task.load()
    protocol = protocol_of(trial, data)
    order = torch.Generator().manual_seed(3)
    models = []
    for run in (
        lambda model: package_epoch(trial, protocol, model, seed=3),
        lambda model: fit(
            model,
            lambda: protocol.batching.epoch(order, torch.device("cpu")),
            protocol.objective.loss,
            steps_per_epoch=protocol.batching.steps_per_epoch(),
            optimiser=trial.optimiser,
            schedule=trial.schedule,
        ),
    ):
        torch.manual_seed(0)
        models.append(build(trial))
        run(models[-1])
    assert_close(models[0].state_dict(), models[1].state_dict())


def test_the_three_output_losses_are_the_same_loss():
    losses = training.output_losses(TINY)
    values = {name: loss() for name, loss in losses.items()}
    assert_close(values["float32"], values["plain"])
    # bfloat16 keeps eight bits of a product
    assert_close(values["bfloat16"], values["plain"], rtol=2e-2, atol=0)
    for value in values.values():
        value.backward()


def test_buckets_compute_less_padding_than_random_batches_and_those_less_than_the_whole_set():
    trial = training.trial_of("LSTM", TINY, real=False)
    rows = {row["variant"]: row for row in training.padding_rows(trial, 1)}
    assert list(rows) == ["buckets", "longest of a random batch", "longest of the set"]
    assert 0 <= rows["buckets"]["ratio"] < rows["longest of a random batch"]["ratio"]
    assert rows["longest of a random batch"]["ratio"] <= rows["longest of the set"]["ratio"] < 1
    inputs = trial.task.load()["train"].inputs
    assert rows["longest of the set"]["ratio"] == pytest.approx((inputs == PAD).float().mean().item())
    words = {name: row["reference"] - row["value"] for name, row in rows.items()}
    assert words["buckets"] == words["longest of the set"]


def test_the_table_has_every_measure_in_every_repeat_and_says_where_its_data_came_from():
    state = torch.get_rng_state()
    table = training.measure(2, sizes=TINY)
    assert torch.equal(torch.get_rng_state(), state)
    assert problems_of(table) == []
    assert list(table["measure"].unique()) == ["time share", "speed", "padding", "output layer"]
    assert set(table["repeat"]) == {0, 1}
    assert {row.measure: row.target for row in summary_targets(table)} == {"time share": 0.95, "speed": 1.5}
    sources = dict(zip(table["measure"], table["data_source"], strict=True))
    assert sources["speed"].startswith("generated")
    assert sources["output layer"] == "generated: random states"
    phases = table[(table["measure"] == "time share") & (table["repeat"] == 0) & (table["model"] == "LSTM")]
    parts, whole = phases["ratio"].iloc[:-1].sum(), phases["ratio"].iloc[-1]
    assert parts == pytest.approx(whole)
    assert whole < 1


def summary_targets(table):
    return table.dropna(subset="target").itertuples()


def test_real_data_are_used_where_they_are_named_or_asked_for(monkeypatch, tmp_path):
    assert isinstance(training.trial_of("LSTM", TINY, real=False).task, GeneratedAgreement)
    assert isinstance(training.trial_of("LSTM", TINY, real=True).task, Agreement)
    monkeypatch.setenv(ENV_DATA, str(tmp_path))
    task = training.trial_of("LSTM", TINY, real=False).task
    assert isinstance(task, Agreement)
    assert (task.regime, task.train_size) == ("wikitext", 70)


def test_a_named_folder_that_is_not_there_is_refused_and_nothing_stands_in(monkeypatch, tmp_path):
    monkeypatch.setenv(ENV_DATA, str(tmp_path / "nothing"))
    with pytest.raises(DataError, match="is not a folder"):
        training.measure(1, sizes=TINY)
