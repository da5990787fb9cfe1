import pickle

import pytest
from pydantic import ValidationError

from inductive_bias.models import CNNSpec, LSTMSpec, MLPSpec, TransformerSpec
from inductive_bias.tasks import MNIST, Agreement, GeneratedAgreement, LanguageModelling
from inductive_bias.trials import Distillation, Trial, canonical, in_order
from tests.tiny import (
    CAUSAL,
    CNN,
    LANGUAGE,
    LSTM,
    MLP,
    SENTENCES,
    TASK,
    TRANSFORMER,
    tiny_language_trial,
    tiny_sentence_trial,
    tiny_student,
    tiny_trial,
)


class TestId:
    def test_ids_do_not_change_from_version_to_version(self):
        """Runs and published tables are found by these; a change here orphans them: raise a schema_version instead."""
        assert Trial(task=MNIST(), model=MLPSpec()).id == "4eb5be9e42b18b3d"
        assert Trial(task=MNIST(sample=True), model=CNNSpec(), seed=3).id == "11d69d69b4fa2ccf"
        assert tiny_student().id == "046323230bbf2d54"
        assert Trial(task=Agreement(), model=LSTMSpec()).id == "1f136359908189fa"
        assert Trial(task=GeneratedAgreement(), model=TransformerSpec(causal=True)).id == "be61d20afc16cc49"
        assert Trial(task=LanguageModelling(), model=LSTMSpec()).id == "3cb2335a18e89596"
        assert tiny_sentence_trial(seed=1, teacher=tiny_sentence_trial()).id == "c4a1e3e48ca1b3a9"

    def test_a_default_written_out_is_the_same_trial(self):
        assert Trial(task=MNIST(), model=MLPSpec(dropout=0.1), seed=0).id == Trial(task=MNIST(), model=MLPSpec()).id

    def test_models_with_only_defaults_still_differ(self):
        assert Trial(task=MNIST(), model=MLPSpec()).id != Trial(task=MNIST(), model=CNNSpec()).id
        assert canonical(Trial(task=MNIST(), model=CNNSpec())) == {"task": {"kind": "mnist"}, "model": {"kind": "cnn"}}

    @pytest.mark.parametrize(
        "other",
        [tiny_trial(seed=1), tiny_trial(epochs=3), tiny_trial(rate=2e-2), tiny_trial(model=CNN), tiny_student()],
    )
    def test_whatever_determines_a_run_is_in_the_id(self, other):
        assert other.id != tiny_trial().id

    def test_a_student_s_id_holds_its_teacher(self):
        assert tiny_student(teacher=tiny_trial(seed=5)).id != tiny_student(teacher=tiny_trial(seed=6)).id

    @pytest.mark.parametrize(
        "trial",
        [
            tiny_student(scaling="inverse"),
            tiny_sentence_trial(model=TRANSFORMER, seed=1, teacher=tiny_sentence_trial()),
            tiny_language_trial(model=CAUSAL, output_precision="bfloat16"),
        ],
        ids=["images", "sentences", "language"],
    )
    def test_json_round_trip(self, trial):
        again = Trial.model_validate_json(trial.model_dump_json())
        assert again == trial
        assert again.id == trial.id


def test_a_label_names_teacher_model_and_seed_as_the_pages_do():
    assert tiny_trial(seed=3).label == "MLP, seed 3"
    assert tiny_student(seed=3, teacher=tiny_trial(model=CNN)).label == "CNN → MLP, seed 3"
    sequential = tiny_sentence_trial(model=CAUSAL, seed=10, teacher=tiny_sentence_trial())
    assert sequential.label == "LSTM → Sequential Transformer, seed 10"


class TestRefusals:
    @pytest.mark.parametrize(
        "changes", [{"seed": -1}, {"surprise": 1}, {"checkpoints": (99,)}, {"model": {"kind": "rnn"}}], ids=str
    )
    def test_bad_settings(self, changes):
        with pytest.raises(ValidationError):
            Trial(**{"task": TASK, "model": MLPSpec()} | changes)

    @pytest.mark.parametrize("changes", [{"temperature": 0.0}, {"mixing": 1.1}, {"scaling": "cubed"}], ids=str)
    def test_bad_distillation(self, changes):
        with pytest.raises(ValidationError):
            Distillation(teacher=tiny_trial(), **changes)

    @pytest.mark.parametrize(
        ("task", "model"),
        [(SENTENCES, MLP), (LANGUAGE, CNN), (TASK, LSTM), (TASK, TRANSFORMER)],
        ids=lambda setting: setting.kind,
    )
    def test_a_model_of_images_for_text_or_of_text_for_images(self, task, model):
        with pytest.raises(ValidationError, match=f"'{model.kind}' cannot be trained on a task of kind '{task.kind}'"):
            Trial(task=task, model=model)

    @pytest.mark.parametrize("shared", [False, True], ids=["Transformer", "Universal Transformer"])
    def test_a_language_model_that_sees_the_word_it_predicts(self, shared):
        model = TRANSFORMER.model_copy(update={"shared": shared})
        with pytest.raises(ValidationError, match=f"{model.name} is not causal"):
            tiny_language_trial(model=model)
        assert tiny_language_trial(model=model.model_copy(update={"causal": True})).model.causal

    @pytest.mark.parametrize(
        "teacher",
        [
            tiny_trial(),
            tiny_language_trial(),
            tiny_sentence_trial(task=SENTENCES.model_copy(update={"vocabulary_size": 99})),
            tiny_sentence_trial(task=SENTENCES.model_copy(update={"max_tokens": 30})),
        ],
        ids=["images", "language model", "other vocabulary_size", "other positions"],
    )
    def test_a_teacher_with_other_inputs_or_labels(self, teacher):
        with pytest.raises(ValidationError, match="teacher and student must have the same inputs and labels"):
            tiny_sentence_trial(teacher=teacher)


def test_teachers_come_before_their_students_and_only_once():
    teacher = tiny_trial()
    students = [tiny_student(seed=s, teacher=teacher) for s in (1, 2)]
    second = tiny_student(seed=3, teacher=students[0])
    assert in_order([second, *students]) == [teacher, students[0], second, students[1]]


class TestIdIsComputedOnce:
    def test_it_is_kept_and_no_copy_inherits_it(self):
        one, twin = tiny_trial(), tiny_trial()
        assert one.id is one.id
        assert one == twin  # one has computed its id, the other has not
        assert hash(one) == hash(twin)
        assert one.model_copy(update={"seed": 9}).id == tiny_trial(seed=9).id
        assert one.model_dump() == twin.model_dump()

    def test_it_survives_pickling(self):
        one = tiny_student()
        before, after = pickle.loads(pickle.dumps(one)), (one.id, pickle.loads(pickle.dumps(one)))[1]
        assert before == after == one
        assert before.id == after.id == one.id
