"""Loss and scores of music against loops over pieces, and what a trial leaves."""

import math
from itertools import pairwise

import pandas as pd
import pytest
import torch
from pydantic import ValidationError

from inductive_bias.errors import SettingError
from inductive_bias.models import MixingSpec, RecurrentSpec
from inductive_bias.plugins import OwnModel
from inductive_bias.protocols.measures.music import PIECES, nll_per_step, scores
from inductive_bias.running import build, protocol_of, run_trial
from inductive_bias.tasks import PolyphonicMusic, Split, TaskData
from inductive_bias.tasks.data import IGNORED
from inductive_bias.tasks.music import baseline_nlls
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Distillation, Trial

TASK = PolyphonicMusic(data="generated", pieces=21)
LSTM = RecurrentSpec(cell="lstm", states=5)


def trial(*, model=LSTM, task=TASK, epochs=2, rate=1e-2, batch_size=4, **changes):
    return Trial(
        task=task,
        model=model,
        optimiser=OptimiserSpec(learning_rate=rate),
        schedule=ScheduleSpec(epochs=epochs, batch_size=batch_size),
        **changes,
    )


def protocol(**changes):
    chosen = trial(**changes)
    return protocol_of(chosen, chosen.task.load()), build(chosen)


def naive_nll(model, split):
    """Of every piece by itself, key by key: its nats, and the steps they are of."""
    for inputs, labels, length in zip(split.inputs, split.labels, split.slices["length"].tolist(), strict=True):
        logits = model(inputs[None, :length].float())[0].double()
        total = 0.0
        for step in range(length):
            for answer, label in zip(logits[step].sigmoid().tolist(), labels[step].tolist(), strict=True):
                total -= math.log(answer if label else 1 - answer)
        yield total, length


@pytest.fixture(scope="module")
def outcome():
    return run_trial(trial(checkpoints=(0,)), device="cpu")


@pytest.fixture(scope="module")
def rows(outcome):
    return pd.DataFrame(outcome.rows)


def final(rows, split):
    chosen = rows[rows["epoch"].isna() & (rows["split"] == split)]
    return chosen[chosen["metric"] != "baseline_nll"].set_index("metric")["value"]


class TestBatches:
    def test_an_epoch_has_every_piece_once_whole_and_with_those_of_similar_length(self):
        rules, _ = protocol()
        train = TASK.load()["train"]
        batches = list(rules.batching.epoch(torch.Generator().manual_seed(0), torch.device("cpu")))
        assert len(batches) == rules.batching.steps_per_epoch() == 6
        assert sorted(torch.cat([batch.index for batch in batches]).tolist()) == list(range(21))
        ends = []
        for batch in batches:
            lengths = train.slices["length"][batch.index]
            assert batch.inputs.shape[1] == batch.labels.shape[1] == lengths.max()
            for row, (index, length) in enumerate(zip(batch.index.tolist(), lengths.tolist(), strict=True)):
                assert torch.equal(batch.inputs[row, :length], train.inputs[index, :length])
                assert torch.equal(batch.labels[row, :length], train.labels[index, :length])
                assert (batch.labels[row, length:] == IGNORED).all()
            ends.append((int(lengths.min()), int(lengths.max())))
        ends.sort()
        assert all(before[1] <= after[0] for before, after in pairwise(ends))

    def test_a_piece_that_ends_in_silence_keeps_it(self):
        """Padding is silence too: only the labels tell where a piece ends."""
        rules, _ = protocol()
        train = TASK.load()["train"]
        assert int((train.labels[..., 0] != IGNORED).sum()) == int(train.slices["length"].sum())
        assert rules.batching.lengths is train.slices["length"]


@pytest.mark.parametrize("batch_size", [2, 5, 64])
def test_the_loss_is_a_sum_over_keys_and_a_mean_over_the_real_steps_of_a_batch(batch_size):
    rules, model = protocol(batch_size=batch_size)
    train = TASK.load()["train"]
    for batch in rules.batching.epoch(torch.Generator().manual_seed(0), torch.device("cpu")):
        chosen = [pair for at, pair in enumerate(naive_nll(model, train)) if at in batch.index.tolist()]
        want = sum(nats for nats, _ in chosen) / sum(steps for _, steps in chosen)
        assert rules.objective.loss(model, batch).item() == pytest.approx(want, rel=1e-5)


class TestScores:
    def test_every_step_of_every_piece_weighs_the_same(self, outcome, rows):
        model = build(trial(), outcome.weights)
        for name in ("validation", "test"):
            split = TASK.load()[name]
            with torch.no_grad():
                alone = list(naive_nll(model, split))
            want = sum(nats for nats, _ in alone) / sum(steps for _, steps in alone)
            assert final(rows, name)["nll"] == pytest.approx(want, rel=1e-5)
            assert final(rows, name)["steps"] == sum(steps for _, steps in alone)
            assert final(rows, name)["pieces"] == 10
            if name == "test":
                by_piece = [nats / steps for nats, steps in alone]
                assert outcome.arrays["piece_nll/test"].tolist() == pytest.approx(by_piece, rel=1e-5)

    def test_frame_accuracy_counts_real_steps_and_a_half_as_sounding(self, outcome, rows):
        model, split = build(trial(), outcome.weights), TASK.load()["test"]
        right = wrong = 0
        for inputs, labels, length in zip(split.inputs, split.labels, split.slices["length"].tolist(), strict=True):
            with torch.no_grad():
                said = model(inputs[None, :length].float())[0].sigmoid() >= 0.5
            sounds = labels[:length] == 1
            right += int((said & sounds).sum())
            wrong += int((said != sounds).sum())
        assert final(rows, "test")["frame_accuracy"] == pytest.approx(right / (right + wrong))

    def test_many_pieces_need_several_passes_in_their_order(self):
        data = PolyphonicMusic(data="generated", pieces=2 * PIECES + 3).load()
        model = build(trial())
        with torch.no_grad():
            want = [nats for nats, _ in naive_nll(model, data["train"])]
        assert scores(model, data["train"]).nll.tolist() == pytest.approx(want, rel=1e-5)

    def test_a_model_that_knows_nothing_pays_one_bit_a_key(self):
        model = build(trial())
        with torch.no_grad():
            for weight in model.readout.parameters():
                weight.zero_()
        split = TASK.load()["test"]
        found = scores(model, split)
        assert nll_per_step(found, split) == pytest.approx(88 * math.log(2), rel=1e-6)
        assert found.frame_accuracy == pytest.approx(
            float((split.labels == 1).sum() / split.slices["length"].sum()) / 88
        )

    def test_a_diverged_model_never_scores(self):
        model = build(trial())
        with torch.no_grad():
            model.readout.bias.fill_(math.nan)
        found = scores(model, TASK.load()["test"])
        assert math.isnan(found.frame_accuracy)
        assert found.nll.isnan().all()


class TestTrial:
    def test_the_validation_likelihood_is_measured_after_every_epoch_and_at_the_end(self, rows):
        there = (rows["split"] == "validation") & (rows["metric"] == "nll")
        assert rows[there]["epoch"].fillna(-1).tolist() == [1, 2, -1]
        assert rows[there]["value"].iloc[1] == rows[there]["value"].iloc[2]
        assert set(rows["data_source"]) == {"generated:chord progressions"}

    def test_beside_the_model_stand_predictions_that_know_nothing(self, rows):
        found = rows[rows["metric"] == "baseline_nll"]
        assert set(found["split"]) == {"test"}
        assert found.set_index("kind")["value"].to_dict() == pytest.approx(baseline_nlls(TASK.load()))

    def test_an_lstm_learns_more_than_how_often_a_key_sounds(self):
        learnt = pd.DataFrame(
            run_trial(trial(model=RecurrentSpec(cell="lstm", states=32), epochs=12, rate=2e-2), device="cpu").rows
        )
        assert final(learnt, "test")["nll"] < baseline_nlls(TASK.load())["key_frequency"]

    def test_the_probe_is_the_state_after_the_last_step(self, outcome):
        model, split = build(trial(), outcome.weights), TASK.load()["validation"]
        for row, length in enumerate(split.slices["length"].tolist()):
            alone = model.states(split.inputs[row : row + 1, :length].float())[0, -1]
            torch.testing.assert_close(outcome.arrays["features/2"][row], alone.detach())

    def test_mixers_of_tokens_can_be_trained_and_their_gates_are_kept(self):
        model = MixingSpec(mixer={"kind": "rsa", "heads": 2, "counts": (1, 1, 0, 0, 0, 0)}, layers=1, width=8)
        found = pd.DataFrame(run_trial(trial(model=model, epochs=1), device="cpu").rows)
        assert {"gate", "decay", "parameters"} <= set(found.loc[found["split"] == "model", "metric"])

    def test_a_diverged_run_stays_in_the_tables(self):
        rules, model = protocol()
        found = pd.DataFrame(rules.measures.final(model, diverged=True))
        lost = found[found["metric"].isin(["nll", "frame_accuracy"])]
        assert lost["split"].tolist() == ["validation"] * 2 + ["test"] * 2
        assert lost["value"].isna().all()
        assert found[found["metric"] == "baseline_nll"]["value"].notna().all()

    def test_the_same_trial_gives_the_same_rows(self, rows):
        again = pd.DataFrame(run_trial(trial(checkpoints=(0,)), device="cpu").rows)
        pd.testing.assert_frame_equal(rows, again)

    def test_a_teacher_is_refused(self):
        with pytest.raises(ValidationError, match="'polyphonic_music' cannot be learnt from a teacher"):
            trial(distill=Distillation(teacher=trial()))


OWN = """
import torch

class Memoryless(torch.nn.Linear):
    def __init__(self, channels, outputs):
        super().__init__(channels, outputs)

class Peeking(Memoryless):
    def forward(self, inputs):
        return super().forward(inputs.roll(-1, 1))

class Sum(Memoryless):
    def forward(self, inputs):
        return super().forward(inputs).sum(1)
"""


class TestModelsOfYourOwn:
    @pytest.fixture
    def own(self, tmp_path):
        (tmp_path / "own.py").write_text(OWN)
        return lambda name: OwnModel(f"{tmp_path}/own.py:{name}", causal=True)

    def test_one_that_reads_numbers_is_trained_and_measured(self, own):
        rows = pd.DataFrame(run_trial(trial(model=own("Memoryless"), epochs=1), device="cpu").rows)
        assert 0 < final(rows, "test")["nll"] < 88

    def test_one_that_sees_the_next_step_is_told(self, own):
        with pytest.raises(
            SettingError, match=r"own\.py:Peeking: .*outputs at position 0 change with the input at position 1"
        ):
            run_trial(trial(model=own("Peeking")), device="cpu")

    def test_one_that_does_not_answer_every_step_is_told(self, own):
        with pytest.raises(SettingError, match=r"own\.py:Sum: .*must give outputs \(8, \d+, 88\), not \(8, 88\)"):
            run_trial(trial(model=own("Sum")), device="cpu")


def test_data_that_do_not_say_how_long_a_piece_is_are_refused():
    whole = TASK.load()
    bare = {name: (lambda name=name: Split(whole[name].inputs, whole[name].labels, "mine")) for name in whole}
    rules = protocol_of(trial(), TaskData(bare, classes=88, sha256={}, is_sample=True))
    with pytest.raises(SettingError, match="the split train has no slice length"):
        rules.check(build(trial()))
