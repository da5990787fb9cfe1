"""Loss and scores of formal languages against loops over strings, and what a trial leaves."""

import math

import pandas as pd
import pytest
import torch
from pydantic import ValidationError
from torch import nn

from inductive_bias.models import MixingSpec
from inductive_bias.protocols.measures.formal import curve_rows, right_positions, right_strings
from inductive_bias.running import build, protocol_of, run_trial
from inductive_bias.tasks import FormalLanguage
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Distillation, Trial

TASK = FormalLanguage(
    language="parity",
    train_size=64,
    validation_size=20,
    test_size=20,
    train_lengths=(1, 12),
    longer_lengths=((13, 20), (21, 30)),
    watched=7,
)


def trial(mixer="rsa", *, task=TASK, epochs=2, rate=1e-2, **model):
    spec = MixingSpec(mixer={"kind": mixer} | model, layers=1, width=8, feedforward=1)
    return Trial(
        task=task,
        model=spec,
        optimiser=OptimiserSpec(learning_rate=rate),
        schedule=ScheduleSpec(epochs=epochs, batch_size=16),
        checkpoints=(0,),
    )


def protocol(**changes):
    chosen = trial(**changes)
    return protocol_of(chosen, chosen.task.load()), build(chosen)


class Fixed(nn.Module):
    """Gives every token the logits of a table; it has a parameter so that it is somewhere."""

    def __init__(self, logits):
        super().__init__()
        self.logits = nn.Parameter(torch.tensor(logits))

    def forward(self, tokens):
        return self.logits[tokens]


@pytest.fixture(scope="module")
def outcome():
    return run_trial(trial(), device="cpu")


@pytest.mark.parametrize("loss", ["mse", "bce"])
def test_the_loss_is_a_mean_over_real_positions_alone(loss):
    """Every string by itself, without padding; all positions of the batch weigh the same."""
    rules, model = protocol(task=TASK.model_copy(update={"loss": loss}))
    batch = next(rules.batching.epoch(torch.Generator().manual_seed(0), torch.device("cpu")))
    terms = []
    for tokens, labels in zip(batch.inputs, batch.labels, strict=True):
        length = int((tokens != 0).sum())
        answers = model(tokens[None, :length])[0].sigmoid()
        targets = labels[:length].float()
        each = (answers - targets) ** 2
        if loss == "bce":
            each = -(targets * answers.log() + (1 - targets) * (1 - answers).log())
        terms.append(each.flatten())
    torch.testing.assert_close(rules.objective.loss(model, batch), torch.cat(terms).mean())


def test_an_epoch_has_every_string_once_in_batches_of_similar_length():
    rules, _ = protocol()
    batches = list(rules.batching.epoch(torch.Generator().manual_seed(0), torch.device("cpu")))
    assert sorted(torch.cat([batch.index for batch in batches]).tolist()) == list(range(64))
    assert len(batches) == rules.batching.steps_per_epoch() == 4
    spread = [int(lengths.max() - lengths.min()) for b in batches if len(lengths := (b.inputs != 0).sum(1))]
    assert max(spread) < 11  # the strings have 1 to 12 symbols


class Forgetful(nn.Module):
    """Knows Parity up to the third 1, and overlooks all further ones."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(1))

    def forward(self, tokens):
        odd = (tokens == 2).cumsum(1).clamp(max=3) % 2
        return torch.stack([odd * 2 - 1, 1 - odd * 2], dim=2).float() * self.weight


def test_a_string_counts_only_if_every_output_of_every_position_is_right():
    split = TASK.load()["validation"]
    right = right_positions(Forgetful(), split.inputs, split.labels)
    for tokens, labels, found, whole in zip(split.inputs, split.labels, right, right_strings(right), strict=True):
        wanted, ones = [], 0
        for token, label in zip(tokens.tolist(), labels.tolist(), strict=True):
            ones += token == 2
            said = [int(min(ones, 3) % 2 == 1), int(min(ones, 3) % 2 == 0)]
            wanted.append(-1 if token == 0 else int(said == label))
        assert found.tolist() == wanted
        assert bool(whole) == (ones < 4)
    assert 0 < right_strings(right).float().mean() < 1


def known_up_to(limit):
    """A model that knows Parity up to so many 1s, and every position if there are fewer."""
    model = Forgetful()
    model.forward = lambda tokens: (
        torch.stack([odd := (tokens == 2).cumsum(1).clamp(max=limit) % 2 * 2 - 1, -odd], 2).float() * model.weight
    )
    return model


def test_training_ends_after_two_looks_in_a_row_at_strings_that_are_mastered():
    rules, _ = protocol(task=TASK.model_copy(update={"mastered": 0.9}))
    for epoch, (limit, ended) in enumerate([(30, False), (1, False), (30, False), (30, True), (1, False)], start=1):
        list(rules.measures.after_epoch(known_up_to(limit), epoch))
        assert rules.measures.should_stop is ended
    patient, _ = protocol()
    for epoch in (1, 2, 3):
        list(patient.measures.after_epoch(known_up_to(30), epoch))
        assert not patient.measures.should_stop


def test_a_run_that_masters_its_strings_makes_no_further_epoch():
    easy = TASK.model_copy(update={"mastered": 1.0, "language": "aa", "longer_lengths": ((13, 20),)})
    chosen = trial("lstm", task=easy, epochs=60, rate=3e-2, states=8)
    rows = pd.DataFrame(run_trial(chosen, device="cpu").rows)
    looks = rows[(rows["split"] == "validation") & (rows["metric"] == "string_accuracy") & rows["epoch"].notna()]
    assert looks["epoch"].max() < 60
    assert looks.sort_values("epoch")["value"].tolist()[-2:] == [1.0, 1.0]
    assert (looks["value"].iloc[:-2] < 1.0).any()


def test_a_sigmoid_of_one_half_counts_as_yes():
    tokens = torch.tensor([[1]])
    yes, no = torch.ones(1, 1, 2, dtype=torch.uint8), torch.zeros(1, 1, 2, dtype=torch.uint8)
    model = Fixed([[0.0, 0.0], [0.0, 0.0]])
    assert right_positions(model, tokens, yes).item() == 1
    assert right_positions(model, tokens, no).item() == 0


def test_curves_add_up_to_the_scores_of_the_split():
    model = Fixed([[0.0, 0.0], [-1.0, 1.0], [1.0, -1.0]])
    split = TASK.load()["longer"]
    right = right_positions(model, split.inputs, split.labels)
    rows = pd.DataFrame(curve_rows(right, split, "longer"))
    scores = rows[rows["metric"] != "n"]
    for metric, axis, total in (
        ("string_accuracy", "length", right_strings(right).float().mean()),
        ("position_accuracy", "position", right[right >= 0].float().mean()),
    ):
        assert scores.loc[scores[axis].notna(), "metric"].unique().tolist() == [metric]
        along = rows[rows[axis].notna()].set_index(axis)
        values, counts = (along.loc[along["metric"] == name, "value"] for name in (metric, "n"))
        assert (values * counts).sum() / counts.sum() == pytest.approx(float(total))
    assert scores["length"].dropna().tolist() == [15.5]  # lengths 13 to 20 lie in the step of 11 to 20
    first = right[:, :10]
    wanted = float(first.float().mean())
    by_position = scores.set_index("position")["value"]
    assert by_position[5.5] == pytest.approx(wanted)


def test_a_model_with_the_state_of_the_automaton_is_right_everywhere():
    class Oracle(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(1))

        def forward(self, tokens):
            odd = (tokens == 2).cumsum(1) % 2
            return torch.stack([odd * 2 - 1, 1 - odd * 2], dim=2).float() * self.weight

    for split in TASK.load().values():
        assert right_strings(right_positions(Oracle(), split.inputs, split.labels)).all()


def test_every_epoch_scores_every_bin_and_the_end_scores_all_strings(outcome):
    rows = pd.DataFrame(outcome.rows)
    history = rows[rows["epoch"].notna()]
    for name in ("validation", "longer", "longest"):
        for metric in ("string_accuracy", "position_accuracy"):
            kept = history[(history["split"] == name) & (history["metric"] == metric)]
            assert kept["epoch"].tolist() == [1, 2]
            assert ((kept["value"] * 7).round(4) % 1 == 0).all() or metric == "position_accuracy"
            whole = rows["epoch"].isna() & rows["length"].isna() & rows["position"].isna()
            final = rows[(rows["split"] == name) & (rows["metric"] == metric) & whole]
            assert len(final) == 1
    assert rows.loc[rows["metric"] == "parameters", "value"].item() == sum(v.numel() for v in outcome.weights.values())
    assert set(rows["data_source"]) == {"generated:parity"}


def test_gates_and_decays_are_kept_before_and_after_training(outcome):
    rows = pd.DataFrame(outcome.rows).query("split == 'model'")
    model = build(trial(), outcome.weights)
    mixer = model.blocks[0].mixer
    final = rows[rows["epoch"].isna()]
    assert final.loc[final["metric"] == "gate", "value"].tolist() == pytest.approx(mixer.gate.tolist())
    assert set(final["layer"]) == {1}
    decays = final[final["metric"] == "decay"].sort_values("head")
    assert decays["kind"].tolist() == list(mixer.rem.kinds)
    assert decays["value"].tolist() == pytest.approx(mixer.rem.decay.tolist())
    angles = final[final["metric"] == "angle"]
    assert angles["kind"].tolist() == [kind for kind in mixer.rem.kinds if kind != "real"]
    before = rows[rows["epoch"] == 0]
    assert len(before) == len(final)
    assert before["value"].tolist() != final["value"].tolist()


@pytest.mark.parametrize(
    ("mixer", "wanted"), [("attention", set()), ("lstm", set()), ("toeplitz", {"gate"}), ("rem", {"decay", "angle"})]
)
def test_only_what_a_model_has_is_kept(mixer, wanted):
    rules, model = protocol(mixer=mixer, **({"length": 30} if mixer == "toeplitz" else {}))
    assert {row["metric"] for row in rules.measures.at_start(model)} == wanted


def test_the_probe_is_the_state_after_the_last_symbol():
    rules, model = protocol(mixer="lstm")
    found = rules.measures.probe(model)
    for state, tokens in zip(found[:5], rules.given.validation.inputs[:5], strict=True):
        alone = model.features(tokens[tokens != 0][None])[0]
        torch.testing.assert_close(state, alone.detach())


def test_a_diverged_run_stays_in_the_tables():
    rules, model = protocol()
    rows = pd.DataFrame(rules.measures.final(model, diverged=True))
    lost = rows[rows["metric"].isin(["string_accuracy", "position_accuracy"])]
    assert lost["split"].tolist() == ["validation"] * 2 + ["longer"] * 2 + ["longest"] * 2
    assert all(math.isnan(value) for value in lost["value"])


def test_a_teacher_is_refused():
    with pytest.raises(ValidationError, match="'generated_formal' cannot be learnt from a teacher"):
        Trial(task=TASK, model=trial().model, distill=Distillation(teacher=trial()))


@pytest.mark.slow
def test_an_lstm_learns_which_of_two_symbols_was_written_last():
    task = FormalLanguage(
        language="flip_flop",
        train_size=2_000,
        validation_size=50,
        test_size=50,
        train_lengths=(1, 12),
        longer_lengths=((13, 24),),
    )
    found = pd.DataFrame(run_trial(trial("lstm", task=task, epochs=4), device="cpu").rows)
    final = found[
        found["epoch"].isna() & (found["metric"] == "position_accuracy") & found["position"].isna()
    ].set_index("split")["value"]
    assert final["validation"] > 0.95
    assert final["longer"] > 0.9
