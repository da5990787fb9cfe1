"""Memory tasks: losses and scores against loops, the model of the best look, and guesses in closed form."""

import math

import pandas as pd
import pytest
import torch
from torch import nn

from inductive_bias.models import GatedConvolutionSpec, MixingSpec, RecurrentSpec, TCNSpec
from inductive_bias.protocols.measures.memory import answers_of
from inductive_bias.running import build, protocol_of, run_trial
from inductive_bias.tasks import Adding, Copying, FlipFlop, FormalLanguage
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Distillation, Trial

SIZES = {"train_size": 40, "validation_size": 12, "test_size": 12}
COPYING = Copying(blanks=3, **SIZES)
ADDING = Adding(length=6, **SIZES)
FLIP_FLOP = FlipFlop(train_lengths=(2, 8), test_lengths=(8, 20), reads=0.3, writes=0.3, **SIZES)
TASKS = (COPYING, ADDING, FLIP_FLOP)
every_task = pytest.mark.parametrize("task", TASKS, ids=lambda task: task.kind)
LSTM, TCN = RecurrentSpec(cell="lstm", states=6), TCNSpec(levels=2, width=6, kernel=3, dropout=0)


def trial(task, model=LSTM, *, epochs=3, rate=1e-2, **changes):
    return Trial(
        task=task,
        model=model,
        optimiser=OptimiserSpec(learning_rate=rate),
        schedule=ScheduleSpec(epochs=epochs, batch_size=8, decay="constant"),
        **changes,
    )


def protocol(task, model=LSTM):
    one = trial(task, model)
    return protocol_of(one, task.load()), build(one)


def run(one):
    outcome = run_trial(one, device="cpu")
    return outcome, pd.DataFrame(outcome.rows)


def final(rows, split, metric, **at):
    chosen = rows[rows["epoch"].isna() & (rows["split"] == split) & (rows["metric"] == metric)]
    if "length" in chosen:
        chosen = chosen[chosen["length"] == at["length"] if at else chosen["length"].isna()]
    if "distance" in chosen:
        chosen = chosen[chosen["distance"].isna()]
    return chosen["value"].item()


class Oracle(nn.Module):
    """Answers with the labels of a task's split, which it knows by their inputs."""

    def __init__(self, task, *, wrong=()):
        super().__init__()
        self.unused, self.outputs = nn.Parameter(torch.zeros(())), task.dimensions["outputs"]
        self.known = {}
        for split in task.load().values():
            for row, (tokens, labels) in enumerate(zip(split.inputs.tolist(), split.labels, strict=True)):
                # an answer that is off by one class is wrong
                self.known[tuple(tokens)] = (labels.clamp(min=0) + (row in wrong)) % self.outputs

    def forward(self, tokens):
        found = [
            labels[: tokens.shape[1]]
            for row in tokens.tolist()
            for key, labels in self.known.items()
            if key[: len(row)] == tuple(row) and not any(key[len(row) :])
        ]
        return 50.0 * nn.functional.one_hot(torch.stack(found), self.outputs)


@every_task
def test_the_loss_is_a_mean_over_everything_that_has_a_label(task):
    rules, model = protocol(task)
    batch = next(rules.batching.epoch(torch.Generator().manual_seed(0), torch.device("cpu")))
    terms = []
    for row, labels in zip(batch.inputs, batch.labels, strict=True):
        outputs = model(row[None])[0]
        if task is ADDING:
            terms.append((outputs[-1, 0] - labels[0]) ** 2)
            continue
        logs = outputs.log_softmax(-1)
        terms += [-logs[at, label] for at, label in enumerate(labels.tolist()) if label >= 0]
    assert len(terms) >= len(batch.inputs) * (task is not COPYING or task.blanks + 20)
    torch.testing.assert_close(rules.objective.loss(model, batch), torch.stack(terms).mean())


@every_task
@pytest.mark.parametrize("model", [LSTM, TCN, GatedConvolutionSpec(layers=2, width=6)], ids=lambda spec: spec.name)
def test_recurrent_and_convolutional_models_are_trained_measured_and_probed(task, model):
    outcome, rows = run(trial(task, model, epochs=2, checkpoints=(0,)))
    error = "mse" if task is ADDING else "nll"
    history = rows[(rows["split"] == "validation") & rows["epoch"].notna()]
    assert history["metric"].tolist() == [error] * 2
    assert final(rows, "test", f"baseline_{error}") == getattr(task, f"baseline_{error}")
    assert final(rows, "model", "parameters") == sum(value.numel() for value in outcome.weights.values())
    assert set(rows["data_source"]) == {task.load()["train"].source}
    assert {tuple(value.shape) for value in outcome.arrays.values()} == {(12, 6)}
    assert len(outcome.arrays) == 2


@every_task
def test_what_is_kept_and_measured_is_the_model_of_the_lowest_validation_error(task):
    one = trial(task, epochs=6, rate=0.1)
    outcome, rows = run(one)
    error = "mse" if task is ADDING else "nll"
    history = rows[(rows["split"] == "validation") & rows["epoch"].notna()].set_index("epoch")["value"]
    assert final(rows, "train", "selected_epoch") == history.idxmin()
    assert final(rows, "validation", error) == pytest.approx(history.min(), rel=1e-6)
    again = protocol_of(one, task.load()).measures
    assert again.of(build(one, outcome.weights), task.load()["test"]) == pytest.approx(
        final(rows, "test", error), rel=1e-6
    )


@pytest.mark.parametrize("task", [COPYING, FLIP_FLOP], ids=lambda task: task.kind)
def test_an_oracle_is_right_and_one_that_errs_is_not(task):
    rules, _ = protocol(task)
    rows = pd.DataFrame(rules.measures.measured(Oracle(task), task.load()["test"], "test"))
    assert (rows.loc[rows["metric"] == "accuracy", "value"] == 1).all()
    assert rows.loc[rows["metric"] == "nll", "value"].max() < 1e-6
    split = task.load()["test"]
    erring = answers_of(Oracle(task, wrong={0, 5}), split)
    assert not erring.right[[0, 5]].eq(1).any()
    assert torch.equal(erring.right == -1, split.labels == -1)
    assert torch.equal(erring.nll.isnan(), split.labels == -1)


def test_accuracy_is_of_the_digits_and_blanks_do_not_count():
    class Blank(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.eye(10)[0])

        def forward(self, tokens):
            return self.weight.expand(*tokens.shape, 10)

    rules, _ = protocol(COPYING)
    rows = pd.DataFrame(rules.measures.measured(Blank(), COPYING.load()["test"], "test"))
    assert rows.loc[rows["metric"] == "accuracy", "value"].item() == 0


def test_lengths_are_told_apart_and_add_up():
    model = build(trial(FLIP_FLOP))
    rules, split = protocol(FLIP_FLOP)[0], FLIP_FLOP.load()["test"]
    rows = pd.DataFrame(rules.measures.measured(model, split, "test"))
    for length in (8, 20):
        right, nll = [], []
        for tokens, labels in zip(split.inputs, split.labels, strict=True):
            if int((tokens > 0).sum()) != length:
                continue
            logs = model(tokens[None, :length])[0].log_softmax(-1)
            for at in (labels >= 0).nonzero().flatten().tolist():
                right.append(float(logs[at].argmax() == labels[at]))
                nll.append(-logs[at, labels[at]].item())
        chosen = rows[rows["length"] == length].set_index("metric")["value"]
        assert chosen["accuracy"] == pytest.approx(sum(right) / len(right))
        assert chosen["nll"] == pytest.approx(sum(nll) / len(nll), rel=1e-5)
    assert rows[["length", "distance"]].isna().all(axis=1).sum() == 2


def test_accuracy_by_distance_is_of_the_reads_that_lie_so_far_from_their_bit():
    split = FLIP_FLOP.load()["test"]
    wrong = {0, 5, 7}
    rules, _ = protocol(FLIP_FLOP)
    rows = pd.DataFrame(rules.measures.measured(Oracle(FLIP_FLOP, wrong=wrong), split, "test"))
    rows = rows[rows["distance"].notna()].set_index(["distance", "metric"])["value"]
    naive = {}
    for number, tokens in enumerate(split.inputs.tolist()):
        for place, token in enumerate(tokens):
            if token == 5:
                back = next(k for k in range(1, place + 1) if tokens[place - k] in (1, 2))
                naive.setdefault(2 ** int(math.log2(back)), []).append(number not in wrong)
    assert {distance for distance, _ in rows.index} == set(naive) > {1, 2, 4}
    for distance, right in naive.items():
        assert rows[distance, "accuracy"] == pytest.approx(sum(right) / len(right))
        assert rows[distance, "n"] == len(right)


@every_task
def test_an_untrained_and_a_diverged_model_have_rows(task):
    error = "mse" if task is ADDING else "nll"
    _, rows = run(trial(task, epochs=0))
    assert final(rows, "test", error) > 0
    _, rows = run(trial(task, rate=1e38))
    assert math.isnan(final(rows, "test", error))
    assert final(rows, "test", f"baseline_{error}") > 0


def test_sums_cannot_be_taught_and_answers_can():
    with pytest.raises(ValueError, match="'generated_adding' cannot be learnt from a teacher"):
        trial(ADDING, distill=Distillation(teacher=trial(ADDING)))
    assert trial(COPYING, distill=Distillation(teacher=trial(COPYING))).teacher


def test_models_that_see_the_future_are_refused():
    with pytest.raises(ValueError, match="cannot be trained"):
        trial(COPYING, model={"kind": "transformer", "width": 8})
    assert trial(COPYING, model=MixingSpec(width=8)).model.causal


def test_parity_needs_no_task_of_its_own():
    """The formal language can be trained on up to 32 symbols, and scored at 512 by the place of a position."""
    task = FormalLanguage(
        language="parity",
        train_lengths=(2, 32),
        longer_lengths=((64, 64), (512, 512)),
        train_size=20,
        validation_size=5,
        test_size=4,
    )
    _, rows = run(trial(task, epochs=1))
    last = rows[(rows["split"] == "longest") & (rows["metric"] == "position_accuracy") & (rows["position"] > 500)]
    assert last["position"].tolist() == [505.5, 515.5]
    assert last["value"].between(0, 1).all()


@pytest.mark.slow
def test_a_tcn_learns_to_copy_what_a_guess_cannot():
    task = Copying(blanks=2, train_size=1_000, validation_size=100, test_size=100)
    _, rows = run(trial(task, TCNSpec(levels=3, width=32, kernel=3, dropout=0, embedding=10), epochs=8, rate=4e-3))
    assert final(rows, "test", "nll") < 0.1 * task.baseline_nll
    assert final(rows, "test", "accuracy") > 0.95
