"""Loss and scores of a tagger against loops over words, and what a trial leaves."""

import math
from collections import Counter

import pandas as pd
import pytest
import torch
from pydantic import ValidationError
from seqeval.metrics import f1_score, precision_score, recall_score
from torch import nn

from inductive_bias.errors import SettingError
from inductive_bias.models import MixingSpec
from inductive_bias.protocols.measures.slots import METRICS, answers, tag_rows, text_rows
from inductive_bias.running import build, protocol_of, run_trial
from inductive_bias.tasks import SlotFilling, TaskData
from inductive_bias.tasks.data import IGNORED
from inductive_bias.tasks.slots.files import Request
from inductive_bias.tasks.slots.grammar import FILLERS
from inductive_bias.tasks.slots.task import requests_of
from inductive_bias.tasks.vocabulary import PAD
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Distillation, Trial

TASK = SlotFilling(data="generated", sentences=60)
LSTM = MixingSpec(mixer={"kind": "lstm"}, layers=1, width=8, feedforward=0)
CPU = torch.device("cpu")


def trial(*, model=LSTM, task=TASK, epochs=2, rate=1e-2, batch_size=8, **changes):
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


@pytest.fixture(scope="module")
def outcome():
    return run_trial(trial(checkpoints=(0,)), device="cpu")


@pytest.fixture(scope="module")
def rows(outcome):
    return pd.DataFrame(outcome.rows)


def final(rows, split):
    return rows[rows["epoch"].isna() & (rows["split"] == split)].set_index("metric")["value"]


def naive_tags(model, split, names):
    """Sentence by sentence without padding: the tags wanted and those given, of words that have one."""
    for tokens, labels in zip(split.inputs, split.labels, strict=True):
        length = int((tokens != PAD).sum())
        with torch.no_grad():
            best = model(tokens[None, :length])[0].argmax(1).tolist()
        there = [place for place in range(length) if labels[place] != IGNORED]
        yield [names[labels[place]] for place in there], [names[best[place]] for place in there]


@pytest.mark.parametrize("lookahead", [0, 1])
def test_the_loss_is_a_mean_over_the_words_of_a_batch(lookahead):
    rules, model = protocol(task=TASK.model_copy(update={"lookahead": lookahead}))
    seen = []
    for batch in rules.batching.epoch(torch.Generator().manual_seed(0), CPU):
        seen += batch.index.tolist()
        terms = []
        for tokens, labels in zip(batch.inputs, batch.labels, strict=True):
            length = int((tokens != PAD).sum())
            log_p = model(tokens[None, :length])[0].log_softmax(1)
            terms += [-log_p[place, label] for place, label in enumerate(labels.tolist()) if label != IGNORED]
        torch.testing.assert_close(rules.objective.loss(model, batch), torch.stack(terms).mean())
        assert len(terms) == int((batch.inputs != PAD).sum()) - lookahead * len(batch.index)
    assert sorted(seen) == list(range(60))


@pytest.mark.parametrize("lookahead", [0, 1, 2])
def test_scores_are_those_of_seqeval_on_sentences_by_themselves(lookahead):
    task = TASK.model_copy(update={"lookahead": lookahead})
    model, data = build(trial(task=task)), task.load()
    with torch.no_grad():  # more than one tag, and spans that are right
        model.readout.bias.copy_(torch.randn(len(data.label_names), generator=torch.Generator().manual_seed(1)))
        model.readout.weight.mul_(3)
    for name in ("validation", "test"):
        found = {row["metric"]: row["value"] for row in tag_rows(model, data[name], name, data.label_names)}
        wanted, given = zip(*naive_tags(model, data[name], data.label_names), strict=True)
        assert tuple(found) == METRICS
        for metric, score in (("f1", f1_score), ("precision", precision_score), ("recall", recall_score)):
            assert found[f"span_{metric}"] == pytest.approx(score(list(wanted), list(given), zero_division=0))
        pairs = [(a, b) for one, other in zip(wanted, given, strict=True) for a, b in zip(one, other, strict=True)]
        assert len(pairs) == data[name].slices["length"].sum()
        assert found["accuracy"] == pytest.approx(sum(a == b for a, b in pairs) / len(pairs))


class Oracle(nn.Module):
    """Knows every right answer by the sentence, as far as it is one of the tags of training."""

    def __init__(self, split, classes):
        super().__init__()
        self.scale, self.split, self.classes = nn.Parameter(torch.ones(1)), split, classes

    def forward(self, tokens):
        length = tokens.shape[1]
        rows = [int((self.split.inputs[:, :length] == sentence).all(1).nonzero()[0]) for sentence in tokens]
        labels = self.split.labels[rows][:, :length]
        known = labels.masked_fill(labels >= self.classes, 0).clamp(min=0)
        return self.scale * nn.functional.one_hot(known, self.classes).float()


def own_sentences(lookahead=0):
    """Training without airlines; a test with one."""
    splits = {
        "train": [Request(("fly", "to", "new", "york"), ("O", "O", "B-to", "I-to"))],
        "validation": [Request(("to", "york"), ("O", "B-to"))],
        "test": [
            Request(("delta", "to", "york"), ("B-airline", "O", "B-to")),
            Request(("to", "new", "york"), ("O", "B-to", "I-to")),
        ],
    }
    task = SlotFilling(allow_other=True, tags=3, vocabulary_size=9, min_count=1, lookahead=lookahead)
    return requests_of(task, splits, "made up", {})


@pytest.mark.parametrize("lookahead", [0, 1])
def test_a_tag_that_training_does_not_have_is_a_missed_span(lookahead):
    data = own_sentences(lookahead)
    found = {
        row["metric"]: row["value"]
        for row in tag_rows(Oracle(data["test"], data.classes), data["test"], "test", data.label_names)
    }
    assert found == pytest.approx(
        {"span_f1": 2 * 2 / (2 + 3), "span_precision": 1, "span_recall": 2 / 3, "accuracy": 5 / 6}
    )
    text = {row["metric"]: row["value"] for row in text_rows(data["test"], "test", data.label_names, data.classes)}
    assert text == {"words": 6, "unknown_share": pytest.approx(1 / 6), "spans": 3, "unseen_spans": 1}


def test_answers_are_the_highest_logits_in_the_order_of_the_sentences():
    data = SlotFilling(data="generated", sentences=450).load()
    model, tokens = build(trial(task=SlotFilling(data="generated", sentences=450))), data["train"].inputs
    found = answers(model, tokens)
    for row in (0, 17, 449):
        length = int((tokens[row] != PAD).sum())
        assert found[row, :length].tolist() == model(tokens[row : row + 1, :length])[0].argmax(1).tolist()
    assert torch.equal(found == IGNORED, tokens == PAD)


def test_a_diverged_model_never_scores():
    model, data = build(trial()), TASK.load()
    with torch.no_grad():
        model.readout.bias[3] = math.nan
    found = tag_rows(model, data["test"], "test", data.label_names)
    assert all(math.isnan(row["value"]) for row in found)


class TestTrial:
    def test_the_validation_scores_are_measured_after_every_epoch_and_at_the_end(self, rows):
        for metric in METRICS:
            found = rows[(rows["split"] == "validation") & (rows["metric"] == metric)]
            assert found["epoch"].fillna(-1).tolist() == [1, 2, -1]
            assert found["value"].iloc[1] == found["value"].iloc[2]
        assert set(rows["data_source"]) == {"generated:flight requests"}

    def test_the_test_split_has_scores_and_says_what_it_is(self, outcome, rows):
        test, data = final(rows, "test"), TASK.load()
        wanted, given = zip(*naive_tags(build(trial(), outcome.weights), data["test"], data.label_names), strict=True)
        assert test["span_f1"] == pytest.approx(f1_score(list(wanted), list(given), zero_division=0))
        assert test["words"] == data["test"].slices["length"].sum()
        assert test["unseen_spans"] == 0
        assert test["spans"] > 50

    def test_one_word_of_lookahead_tells_what_the_next_word_decides(self):
        """Which end of the flight a request's first city is, is told by the word after it."""
        shares, best = [], 0
        for lookahead in (0, 1):
            task = SlotFilling(data="generated", sentences=200, lookahead=lookahead)
            chosen = trial(task=task, model=LSTM.model_copy(update={"width": 16}), epochs=12, rate=2e-2)
            outcome, data = run_trial(chosen, device="cpu"), task.load()
            split, model = data["train"], build(chosen, outcome.weights)
            cities = [data.vocabulary.id(city) for city in FILLERS["toloc.city_name"] if " " not in city]
            rows = torch.isin(split.inputs[:, 0], torch.tensor(cities)).nonzero()[:, 0]
            wanted, given = (tags[rows, lookahead] for tags in (split.labels, answers(model, split.inputs)))
            shares.append(float((wanted == given).double().mean()))
            counts = Counter(zip(split.inputs[rows, 0].tolist(), wanted.tolist(), strict=True))
            # an answer by the city alone is at best what follows it most often
            best = sum(max(n for (of, _), n in counts.items() if of == city) for city in cities) / len(rows)
        assert shares[0] <= best < 0.9
        assert shares[1] > 0.98
        assert final(pd.DataFrame(outcome.rows), "test")["span_f1"] > 0.9

    def test_the_probe_is_the_state_after_the_last_token(self, outcome):
        model, split = build(trial(), outcome.weights), TASK.load()["validation"]
        for row in (0, 5, 49):
            tokens = split.inputs[row][split.inputs[row] != PAD]
            alone = model.features(tokens[None])[0]
            torch.testing.assert_close(outcome.arrays["features/2"][row], alone.detach())

    def test_a_diverged_run_stays_in_the_tables(self):
        rules, model = protocol()
        found = pd.DataFrame(rules.measures.final(model, diverged=True))
        lost = found[found["metric"].isin(METRICS)]
        assert lost["split"].tolist() == ["validation"] * 4 + ["test"] * 4
        assert lost["value"].isna().all()

    def test_a_student_learns_the_teacher_s_tags(self, outcome):
        student = trial(seed=1, distill=Distillation(teacher=trial(checkpoints=(0,))))
        rules = protocol_of(student, TASK.load())
        teacher, model = build(trial(), outcome.weights), build(trial(), outcome.weights)
        rules.objective.set_teacher(teacher)
        batch = next(rules.batching.epoch(torch.Generator().manual_seed(0), CPU))
        log_p = model(batch.inputs)[batch.labels != IGNORED].detach().log_softmax(1)
        loss = rules.objective.loss(model, batch)
        torch.testing.assert_close(loss, -(log_p.exp() * log_p).sum(1).mean())  # nothing is left but entropy

    def test_a_model_that_reads_both_ways_is_refused(self):
        with pytest.raises(ValidationError, match="is not causal: here no answer may depend on what comes later"):
            trial(model=MixingSpec(causal=False))


def test_data_without_names_of_labels_are_refused():
    whole = TASK.load()
    nameless = TaskData(
        {name: (lambda name=name: whole[name]) for name in whole}, classes=whole.classes, sha256={}, is_sample=True
    )
    rules = protocol_of(trial(), nameless)
    with pytest.raises(SettingError, match="the data have no label_names"):
        rules.check(build(trial()))
