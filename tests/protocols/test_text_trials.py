"""What holds of every trial on text, as classifier and as language model."""

import math

import pandas as pd
import pytest
import torch

from inductive_bias.errors import DataError
from inductive_bias.own_probes import OwnProbeTask
from inductive_bias.plugins import OwnTask
from inductive_bias.protocols import PROTOCOLS, Objective
from inductive_bias.tasks import ImageProbeTask, LanguageModelling, ProbeTask
from inductive_bias.trials import Trial
from tests.protocols.conftest import frame, run
from tests.tiny import CAUSAL, LANGUAGE, LSTM, SENTENCES, TRANSFORMER, tiny_language_trial, tiny_sentence_trial

TRIALS = {
    "LSTM": tiny_sentence_trial(),
    "Transformer": tiny_sentence_trial(model=TRANSFORMER),
    "LSTM language model": tiny_language_trial(),
    "Transformer language model": tiny_language_trial(model=CAUSAL),
}
every = pytest.mark.parametrize("trial", TRIALS.values(), ids=list(TRIALS))
KINDS = {"classifier": tiny_sentence_trial, "language model": tiny_language_trial}
either = pytest.mark.parametrize("make", KINDS.values(), ids=list(KINDS))


def train_losses(outcome):
    return frame(outcome).query("split == 'train' and metric == 'loss'")["value"].tolist()


def test_every_kind_of_task_has_a_protocol():
    assert set(Trial.model_fields["task"].annotation.__args__) == {*PROTOCOLS, OwnTask}
    # a language model has a choice of texts
    probes = ProbeTask, ImageProbeTask, OwnProbeTask
    one_source = [task for task in PROTOCOLS if task not in (LanguageModelling, *probes)]
    assert all(task.generated == task.model_fields["kind"].default.startswith("generated") for task in one_source)
    assert all(task.generated for task in probes)
    assert (LanguageModelling(corpus="grammar").generated, LanguageModelling().generated) == (True, False)


def test_every_task_has_what_its_protocol_needs():
    """A task from outside is asked when its trial is made; one of the package would fail after its training."""
    missing = {
        task.__name__: [name for name in protocol.needs if not (hasattr(task, name) or name in task.model_fields)]
        for task, protocol in PROTOCOLS.items()
    }
    assert {name: lacking for name, lacking in missing.items() if lacking} == {}


def test_a_protocol_can_be_distilled_where_its_objective_takes_a_teacher():
    for protocol in PROTOCOLS.values():
        assert protocol.distillable == (protocol.objective.set_teacher is not Objective.set_teacher)
    assert {task.__name__ for task, protocol in PROTOCOLS.items() if not protocol.distillable} == {
        "Adding",
        "CharacterStream",
        "Clones",
        "Defects",
        "Forecasting",
        "FormalLanguage",
        "GeneratedSignals",
        "Heartbeats",
        "InjectedBugs",
        "MixedSignal",
        "NextCharacter",
        "PolyphonicMusic",
        "Programs",
        "Proteins",
        "Repairs",
        "SegmentStream",
        "Stocks",
        "WordModelling",
    }


@every
def test_the_same_trial_twice_and_with_any_number_of_threads_is_the_same(trial):
    threads, state, found = torch.get_num_threads(), torch.random.get_rng_state(), []
    try:
        for count in (1, 2):
            torch.set_num_threads(count)
            found.append(run(trial))
            assert torch.get_num_threads() == count
    finally:
        torch.set_num_threads(threads)
    one, two = found
    pd.testing.assert_frame_equal(frame(one), frame(two), check_exact=True)
    assert one.weights.keys() == two.weights.keys()
    assert all(torch.equal(value, two.weights[name]) for name, value in one.weights.items())
    assert all(torch.equal(value, two.arrays[name]) for name, value in one.arrays.items())
    assert torch.equal(torch.random.get_rng_state(), state)  # nobody else's random numbers were touched


@either
def test_training_lowers_the_loss(make):
    losses = train_losses(run(make(epochs=4, rate=3e-2)))
    assert len(losses) == 4
    assert losses[-1] < losses[0]


@either
def test_another_seed_is_another_run(make):
    assert train_losses(run(make())) != train_losses(run(make(seed=1)))


@either
@pytest.mark.parametrize("batch_size", [16, 64], ids=["in many steps", "in its only step"])
@pytest.mark.parametrize("model", [LSTM, CAUSAL], ids=lambda spec: spec.name)
def test_a_learning_rate_that_explodes_leaves_no_trial_without_its_rows(make, model, batch_size):
    rows = frame(run(make(model=model, rate=1e30, batch_size=batch_size)))
    assert len(rows[rows["metric"] == "diverged"]) == 1
    if rows.loc[rows["metric"] == "diverged", "value"].item():
        final = rows[rows["epoch"].isna()].set_index(["split", "metric"])["value"]
        wanted = [("test", "accuracy"), ("test", "nll"), ("attractors", "a_accuracy")]
        for place in wanted if make is tiny_sentence_trial else [("test", "perplexity"), ("pairs", "accuracy")]:
            assert math.isnan(final[place])
    else:  # an LSTM's states stay within ±1, so that a classifier's weights may be as large as they like
        assert make is tiny_sentence_trial
        assert model is LSTM


@either
def test_half_precision_of_the_forward_pass_changes_little(make):
    wide, narrow = (train_losses(run(make(model=CAUSAL, precision=p)))[0] for p in ("float32", "bfloat16"))
    assert narrow != wide
    # 8 bits of mantissa, so that a logit of about 1 is off by up to 2⁻⁸; a bias of all would be the worst case
    assert narrow == pytest.approx(wide, abs=2**-6)


@either
def test_a_student_starts_where_its_undistilled_twin_starts(make, reader, speaker):
    teacher, outcome = reader if make is tiny_sentence_trial else speaker
    student = run(make(model=CAUSAL, seed=1, teacher=teacher), teacher_weights=outcome.weights)
    twin = run(make(model=CAUSAL, seed=1))
    assert torch.equal(student.arrays["features/0"], twin.arrays["features/0"])
    assert not torch.equal(student.arrays["features/1"], twin.arrays["features/1"])


@either
def test_every_setting_of_distillation_changes_what_is_learnt(make, reader, speaker):
    teacher, outcome = reader if make is tiny_sentence_trial else speaker
    changes = [
        {},
        {"temperature": 3.0},
        {"temperature": 3.0, "scaling": "none"},
        {"teacher_mode": "train"},
        {"mixing": 0.5},
    ]
    trials = [make(model=CAUSAL, seed=1, teacher=teacher, distill=each) for each in changes]
    losses = [train_losses(run(trial, teacher_weights=outcome.weights))[0] for trial in trials]
    assert all(math.isfinite(loss) for loss in losses)
    assert len(set(losses)) == len(changes)


@either
def test_a_diverged_teacher_makes_a_diverged_student(make, reader, speaker):
    teacher, outcome = reader if make is tiny_sentence_trial else speaker
    broken = {name: torch.full_like(value, math.nan) for name, value in outcome.weights.items()}
    rows = frame(run(make(model=CAUSAL, seed=1, teacher=teacher), teacher_weights=broken))
    assert rows.loc[rows["metric"] == "diverged", "value"].item() == 1.0


class TestVocabulariesOfTeacherAndStudent:
    @pytest.mark.parametrize(
        ("make", "task"),
        [
            (tiny_sentence_trial, SENTENCES.model_copy(update={"data_seed": 1})),
            (tiny_sentence_trial, SENTENCES.model_copy(update={"train_size": 20})),
            (tiny_language_trial, LANGUAGE.model_copy(update={"train_sentences": 20})),
        ],
        ids=["other data", "fewer sentences", "a shorter text"],
    )
    def test_a_teacher_of_other_words_is_refused_with_both_vocabularies(self, make, task, reader, speaker):
        outcome = (reader if make is tiny_sentence_trial else speaker)[1]
        trial = make(seed=1, teacher=make(task=task))
        mine, others = trial.task.load().vocabulary, task.load().vocabulary
        with pytest.raises(DataError, match="another vocabulary") as caught:
            run(trial, teacher_weights=outcome.weights)
        for part in (mine.fingerprint, others.fingerprint, f"{len(mine)} words", trial.id):
            assert part in str(caught.value)

    def test_a_teacher_of_the_same_words_may_have_had_other_tests(self, reader):
        task = SENTENCES.model_copy(update={"test_size": 18})
        assert task != SENTENCES
        assert task.load().vocabulary == SENTENCES.load().vocabulary
        trial = tiny_sentence_trial(seed=1, teacher=tiny_sentence_trial(task=task))
        run(trial, teacher_weights=reader[1].weights)


def test_a_model_with_too_few_positions_names_both_lengths():
    inputs = SENTENCES.load()["train"].inputs
    model = TRANSFORMER.build(vocabulary=1000, positions=inputs.shape[1] - 1, classes=2)
    with pytest.raises(ValueError, match=f"{inputs.shape[1]} tokens is longer than the model's {inputs.shape[1] - 1}"):
        model(inputs)


@pytest.mark.parametrize(
    "task",
    [SENTENCES, LANGUAGE, SENTENCES.model_copy(update={"max_tokens": 24})],
    ids=["sentences", "language", "short"],
)
def test_no_sentence_of_a_task_is_longer_than_the_positions_of_its_models(task):
    data = task.load()
    assert all(data[name].inputs.shape[1] <= task.dimensions["positions"] for name in data)
