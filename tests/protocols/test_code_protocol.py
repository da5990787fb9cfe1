"""Code: scores against scikit-learn, retrieval against pairs, batches of pairs, and whole runs of every model."""

import math

import pandas as pd
import pytest
import torch
from sklearn.metrics import accuracy_score, f1_score, roc_auc_score

from inductive_bias.layers import RSASpec
from inductive_bias.models import BidirectionalSpec, BiLSTMSpec, MixingSpec, TextCNNSpec
from inductive_bias.protocols.code import RETRIEVAL, answers, f1_of, precisions, score_rows, sought
from inductive_bias.running import protocol_of, run_trial
from inductive_bias.tasks import Clones, Defects, InjectedBugs, Programs, Repairs
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Trial

SMALL = {"data": "generated", "vocabulary_size": 70, "batches": 2}
DEFECTS, CLONES, PROGRAMS = Defects(**SMALL), Clones(**SMALL), Programs(**SMALL, pairs=64, held_out=40)
TASKS = (DEFECTS, CLONES, Clones(**SMALL, split="components"), PROGRAMS, Repairs(**SMALL), InjectedBugs(**SMALL))
RSA = BidirectionalSpec(width=8, mixer=RSASpec(counts=(1, 1, 0, 1, 1, 0), gate_logit=0.0))
CNN = TextCNNSpec(width=4, filters=3)


def trial(task, model=CNN, rate=1e-2, epochs=1):
    schedule = ScheduleSpec(epochs=epochs, batch_size=16)
    return Trial(task=task, model=model, optimiser=OptimiserSpec(learning_rate=rate), schedule=schedule)


def built(task, model=CNN):
    torch.manual_seed(0)
    return model.build(**task.dimensions).eval()


@pytest.mark.parametrize("task", [DEFECTS, CLONES], ids=lambda task: task.kind)
def test_answers_come_in_the_order_of_the_examples(task):
    split, model = task.load()["test"], built(task)
    found = answers(model, split)
    for place in (0, len(split) // 2, len(split) - 1):
        length = int(split.slices["length"][place])
        torch.testing.assert_close(found[place], model(split.inputs[place : place + 1, :length])[0].detach())


def test_scores_are_those_of_scikit_learn_over_all_and_within_groups():
    split = DEFECTS.load()["test"]
    scores = torch.randn(len(split), generator=torch.Generator().manual_seed(0))
    rows = pd.DataFrame(score_rows(scores, split, "test", groups=DEFECTS.groups))
    every = rows[rows["part"].isna()].set_index("metric")["value"]
    said = (scores >= 0).long()
    assert every["accuracy"] == pytest.approx(accuracy_score(split.labels, said))
    assert every["f1"] == pytest.approx(f1_score(split.labels, said))
    assert every["auc"] == pytest.approx(roc_auc_score(split.labels, scores))
    for number, group in enumerate(DEFECTS.groups):
        there = split.slices["group"] == number
        own = rows[rows["part"] == group].set_index("metric")["value"]
        assert own["n"] == there.sum()
        assert own["accuracy"] == pytest.approx(accuracy_score(split.labels[there], said[there]))
    assert f1_of(torch.tensor([[3.0, 0.0], [0.0, 0.0]])) == 0


def test_clones_are_sought_by_the_score_of_pairs():
    data, model = PROGRAMS.load(), built(PROGRAMS)
    split = data[RETRIEVAL]
    n = len(split)
    pairs = torch.stack([torch.stack((split.inputs[i], split.inputs[j]), -1) for i in range(n) for j in range(n)])
    outputs = torch.cat([model(chunk).detach() for chunk in pairs.split(200)])
    similarities = (outputs[:, 1] - outputs[:, 0]).view(n, n)
    wanted = sought(similarities, torch.arange(n), split.labels)
    torch.testing.assert_close(precisions(model, split), wanted)
    problems = torch.tensor([0, 0, 1, 1])
    perfect = (problems[:, None] == problems).float()
    assert sought(perfect, torch.arange(4), problems).tolist() == [1.0] * 4
    assert sought(-perfect, torch.arange(4), problems).tolist() == [0.0] * 4


def test_an_epoch_has_as_many_batches_as_are_asked_for_of_pairs_of_similar_length():
    of = trial(CLONES)
    data = CLONES.load()
    batching = protocol_of(of, data).batching
    batches = list(batching.epoch(torch.Generator().manual_seed(0), torch.device("cpu")))
    assert len(batches) == batching.steps_per_epoch() == 2
    for batch in batches:
        assert batch.inputs.shape[1] == data["train"].slices["length"][batch.index].max()
        assert torch.equal(batch.inputs, data["train"].inputs[batch.index, : batch.inputs.shape[1]])
        assert torch.equal(batch.labels, data["train"].labels[batch.index])


@pytest.mark.parametrize("task", TASKS, ids=lambda task: f"{task.kind} {getattr(task, 'split', '')}")
def test_a_run_has_every_score(task):
    outcome = run_trial(trial(task, RSA), device="cpu")
    rows = pd.DataFrame(outcome.rows)
    final = rows[rows["epoch"].isna()]
    asked = {"accuracy", "f1", "auc", "loss", "n", "cut"}
    assert asked <= set(final.loc[final["split"] == "test", "metric"])
    assert set(final.loc[final["metric"] == "gate", "layer"]) == {1, 2}
    assert (RETRIEVAL in set(final["split"])) == (task.kind == "code_programs")
    kept = outcome.arrays["scores/test"]
    labels = task.load()["test"].labels
    over_all = final[(final["split"] == "test") & (final["metric"] == "accuracy")]
    value = over_all[over_all["part"].isna()]["value"] if "part" in over_all else over_all["value"]
    assert value.item() == pytest.approx(((kept >= 0).long() == labels).double().mean().item())
    if task.groups:
        assert set(over_all["part"].dropna()) <= set(task.groups)
    assert outcome.arrays["features/1"].ndim == 2


@pytest.mark.parametrize(
    "model", [BidirectionalSpec(width=8), BiLSTMSpec(width=4, states=3), CNN], ids=lambda model: model.kind
)
def test_the_epoch_with_the_lowest_validation_loss_is_measured(model):
    rows = pd.DataFrame(run_trial(trial(DEFECTS, model, epochs=3, rate=3e-2), device="cpu").rows)
    losses = rows[(rows["split"] == "validation") & (rows["metric"] == "loss")]
    looks = losses[losses["epoch"].notna()].set_index("epoch")["value"]
    chosen = rows.loc[rows["metric"] == "selected_epoch", "value"].item()
    assert chosen == looks.idxmin()
    assert losses.loc[losses["epoch"].isna(), "value"].item() == pytest.approx(looks.min(), rel=1e-5)


def test_a_run_that_diverges_has_no_scores():
    rows = pd.DataFrame(run_trial(trial(DEFECTS, rate=1e30, epochs=2), device="cpu").rows)
    final = rows[rows["epoch"].isna() & (rows["split"] == "test")].set_index("metric")["value"]
    assert all(math.isnan(final[metric]) for metric in ("accuracy", "f1", "auc", "loss"))
    assert rows.loc[rows["metric"] == "diverged", "value"].item() == 1


def test_a_model_of_one_answer_a_token_does_not_fit():
    with pytest.raises(ValueError, match="cannot be trained"):
        Trial(task=DEFECTS, model=MixingSpec())
