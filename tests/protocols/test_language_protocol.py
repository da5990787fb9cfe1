"""Language models: what is measured of them, and what their loss is."""

import pytest
import torch
import torch.nn.functional as F

from inductive_bias.losses import distillation_loss
from inductive_bias.protocols.measures.language import verb_states
from inductive_bias.running import build, protocol_of
from inductive_bias.tasks.vocabulary import PAD
from tests.protocols.conftest import frame, run
from tests.tiny import CAUSAL, LANGUAGE, tiny_language_trial

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def rows(speaker):
    return frame(speaker[1])


@pytest.fixture
def batch(speaker):
    return next(iter(protocol_of(speaker[0], LANGUAGE.load()).batching.epoch(torch.Generator().manual_seed(0), CPU)))


def flat(model, tokens):
    """Logits ``[m, v]`` and the ``m`` words that they predict, from the whole table of logits."""
    targets = tokens[:, 1:]
    there = targets != PAD
    return model(tokens)[:, :-1][there], targets[there]


def student_of(speaker, **distill):
    """A protocol that distils the LSTM into an LSTM, and the two models, their weights equal."""
    trial, outcome = speaker
    protocol = protocol_of(tiny_language_trial(seed=1, teacher=trial, distill=distill), LANGUAGE.load())
    teacher, student = build(trial, outcome.weights), build(trial, outcome.weights)
    for model in (teacher, student):
        with torch.no_grad():  # so that the predictions at one token are not nearly those at another
            model.output_weight.mul_(10)
    protocol.objective.set_teacher(teacher)
    return protocol, teacher, student


def test_rows_cover_every_split_and_metric(rows):
    final = rows[rows["epoch"].isna()]
    for split in ("validation", "test"):
        assert {"nll", "perplexity", "tokens", "unknown_share"} == set(final.loc[final["split"] == split, "metric"])
    pairs = final[final["split"] == "pairs"]
    assert set(pairs["pairs"]) == {"grammar"}
    assert {"accuracy", "n", "a_accuracy", "skipped"} <= set(pairs["metric"])
    for by in ("attractors", "distance"):
        assert set(pairs.loc[pairs[by].notna(), "metric"]) == {"accuracy", "n"}
    assert pairs["reason"].notna().equals(pairs["metric"] == "skipped")
    history = rows[rows["epoch"].notna()].set_index(["split", "metric"])["epoch"]
    assert history["train", "loss"] == history["validation", "perplexity"] == 1


def test_the_last_epoch_s_perplexity_is_the_final_one_and_below_the_number_of_words(rows):
    found = rows[(rows["split"] == "validation") & (rows["metric"] == "perplexity")]["value"]
    assert len(found) == 2
    assert found.nunique() == 1
    assert found.iloc[0] < LANGUAGE.vocabulary_size


def test_the_states_that_choose_a_verb_are_kept_and_without_pairs_those_after_the_last_word(speaker):
    trial, outcome = speaker
    model, data = build(trial, outcome.weights), LANGUAGE.load()
    assert sorted(outcome.arrays) == ["features/0", "features/1"]
    pairs = LANGUAGE.load_pairs(data.vocabulary)["grammar"]
    torch.testing.assert_close(outcome.arrays["features/1"], verb_states(model, pairs, 1000))
    alone = trial.model_copy(update={"task": LANGUAGE.model_copy(update={"pairs": ()})})
    with torch.no_grad():
        wanted = model.features(data["validation"].inputs[:1000])
        torch.testing.assert_close(protocol_of(alone, data).features(model), wanted)


def test_every_training_token_is_predicted_once_an_epoch(speaker):
    protocol = protocol_of(speaker[0], LANGUAGE.load())
    batches = list(protocol.batching.epoch(torch.Generator().manual_seed(0), CPU))
    assert abs(len(batches) - protocol.batching.steps_per_epoch()) <= 1
    counted = sum(int((batch.inputs[:, 1:] != PAD).sum()) for batch in batches)
    assert counted == int(LANGUAGE.load()["train"].labels.sum())


def test_the_loss_of_a_batch_is_the_mean_cross_entropy_of_all_its_logits(speaker, batch):
    trial, outcome = speaker
    protocol, ours, want = protocol_of(trial, LANGUAGE.load()), *(build(trial, outcome.weights) for _ in range(2))
    found, reference = protocol.objective.loss(ours, batch), F.cross_entropy(*flat(want, batch.inputs))
    torch.testing.assert_close(found, reference)
    found.backward()
    reference.backward()
    for (name, weight), other in zip(ours.named_parameters(), want.parameters(), strict=True):
        torch.testing.assert_close(weight.grad, other.grad, msg=lambda text, name=name: f"{name}: {text}")


@pytest.mark.parametrize("mode", ["eval", "train"])
def test_the_loss_of_a_student_is_the_distillation_loss_of_both_models_logits(speaker, batch, mode):
    settings = {"temperature": 2.0, "mixing": 0.7, "scaling": "inverse"}
    protocol, teacher, student = student_of(speaker, teacher_mode=mode, **settings)
    assert teacher.training == (mode == "train")
    torch.manual_seed(0)
    found = protocol.objective.loss(student, batch)
    torch.manual_seed(0)  # the teacher's dropout, if any
    # not of all tokens: the last one of the longest sentence predicts nothing, and dropout draws for it too
    there = batch.inputs[:, 1:] != PAD
    theirs = F.linear(teacher.states(batch.inputs[:, :-1])[there], teacher.output_weight, teacher.bias).detach()
    ours, targets = flat(student, batch.inputs)
    torch.testing.assert_close(found, distillation_loss(ours, theirs, targets, **settings))
    found.backward()
    assert all(weight.grad is None for weight in teacher.parameters())


def test_a_student_equal_to_its_teacher_has_nothing_to_learn(speaker, batch):
    """At T = 1 and α = 1 the loss is then the teacher's entropy, its minimum."""
    protocol, teacher, student = student_of(speaker)
    loss = protocol.objective.loss(student, batch)
    log_p = flat(teacher, batch.inputs)[0].log_softmax(1)
    torch.testing.assert_close(loss, -(log_p.exp() * log_p).sum(1).mean())
    loss.backward()
    hard = build(speaker[0], speaker[1].weights)
    F.cross_entropy(*flat(hard, batch.inputs)).backward()
    for weight, usual in zip(student.parameters(), hard.parameters(), strict=True):
        # float32: softmax and exp(log_softmax) differ in the last bits, against gradients of order 1
        assert weight.grad.abs().max() <= 1e-5 * usual.grad.abs().max()


def test_a_student_far_from_its_teacher_has_something_to_learn(speaker, batch):
    protocol, _, _ = student_of(speaker)
    other = build(tiny_language_trial(seed=5))
    with torch.no_grad():
        other.bias += torch.linspace(-1, 1, len(other.bias))
    protocol.objective.loss(other, batch).backward()
    assert other.bias.grad.abs().max() > 1e-3


def test_half_precision_in_the_output_layer_changes_little(speaker):
    found = [
        frame(run(tiny_language_trial(model=CAUSAL, output_precision=precision)))
        .query("epoch == 1")
        .set_index("metric")["value"]
        for precision in ("float32", "bfloat16")
    ]
    assert found[0]["loss"] != found[1]["loss"]
    # 8 bits of mantissa, so that a logit of about 1 is off by up to 2⁻⁸; a bias of all would be the worst case
    assert found[1]["loss"] == pytest.approx(found[0]["loss"], abs=2**-6)
    assert found[1]["perplexity"] == pytest.approx(found[0]["perplexity"], rel=2**-6)


def test_distillation_brings_a_student_closer_to_its_teacher(speaker, batch):
    trial, outcome = speaker
    few = {"model": CAUSAL, "seed": 1, "epochs": 6, "rate": 3e-2}
    student = run(tiny_language_trial(teacher=trial, **few), teacher_weights=outcome.weights)
    alone = run(tiny_language_trial(**few))
    theirs = flat(build(trial, outcome.weights), batch.inputs)[0].detach().softmax(1)

    def distance(outcome):
        ours = flat(build(tiny_language_trial(**few), outcome.weights), batch.inputs)[0].detach()
        return float(F.kl_div(ours.log_softmax(1), theirs, reduction="batchmean"))

    assert distance(student) < distance(alone)
