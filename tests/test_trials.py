import pytest
from pydantic import ValidationError

from inductive_bias.models import CNNSpec, MLPSpec
from inductive_bias.tasks import MNIST
from inductive_bias.trials import Distillation, Trial, canonical, in_order
from tests.tiny import CNN, TASK, tiny_student, tiny_trial


class TestId:
    def test_ids_do_not_change_from_version_to_version(self):
        """Runs and published tables are found by these; a change here orphans them (raise SCHEMA_VERSION instead)."""
        assert Trial(task=MNIST(), model=MLPSpec()).id == "4eb5be9e42b18b3d"
        assert Trial(task=MNIST(sample=True), model=CNNSpec(), seed=3).id == "11d69d69b4fa2ccf"
        assert tiny_student().id == "046323230bbf2d54"

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

    def test_json_round_trip(self):
        trial = tiny_student(scaling="inverse")
        assert Trial.model_validate_json(trial.model_dump_json()) == trial


class TestRefusals:
    @pytest.mark.parametrize(
        "changes",
        [{"seed": -1}, {"surprise": 1}, {"checkpoints": (99,)}, {"model": {"kind": "rnn"}}],
        ids=str,
    )
    def test_bad_settings(self, changes):
        with pytest.raises(ValidationError):
            Trial(**{"task": TASK, "model": MLPSpec()} | changes)

    @pytest.mark.parametrize("changes", [{"temperature": 0.0}, {"mixing": 1.1}, {"scaling": "cubed"}], ids=str)
    def test_bad_distillation(self, changes):
        with pytest.raises(ValidationError):
            Distillation(teacher=tiny_trial(), **changes)


def test_teachers_come_before_their_students_and_only_once():
    teacher = tiny_trial()
    students = [tiny_student(seed=s, teacher=teacher) for s in (1, 2)]
    second = tiny_student(seed=3, teacher=students[0])
    assert in_order([second, *students]) == [teacher, students[0], second, students[1]]
