"""Models and tasks from files of one's own: trained like any other, and refused early where they cannot be."""

import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
import torch

from inductive_bias.engine import run_missing
from inductive_bias.errors import SettingError
from inductive_bias.models import CNNSpec, MLPSpec
from inductive_bias.plugins import OwnModel, OwnTask
from inductive_bias.protocols import protocol_class
from inductive_bias.protocols.images import ImageProtocol
from inductive_bias.running import build, run_trial
from inductive_bias.store import Store
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Distillation, Trial
from tests.tiny import LANGUAGE, SENTENCES, TASK, tiny_trial

LINEAR = """
import torch
from torch import nn

class Linear(nn.Module):
    def __init__(self, image, classes, scale=1.0):
        super().__init__()
        self.layer, self.scale = nn.Linear(image[0] * image[1] * image[2], classes), scale

    def forward(self, images):
        return self.scale * self.layer(images.flatten(1))

class WithFeatures(Linear):
    def features(self, images):
        return images.flatten(1)[:, :5]

def wrong(*, image, classes):
    return Linear(image, classes + 1)

def fails(*, image, classes):
    raise RuntimeError("no memory of the future")

def nothing(*, image, classes):
    return None

class Tied(Linear):
    def __init__(self, image, classes):
        super().__init__(image, classes)
        self.again = nn.Linear(self.layer.in_features, classes, bias=False)
        self.again.weight = self.layer.weight

class Stumbles(Linear):
    def forward(self, images):
        return self.layer(images)
"""

WORDS = """
import torch
from torch import nn

class Speaker(nn.Module):
    def __init__(self, *, vocabulary, width=4, both_ways=False):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.lstm = nn.LSTM(width, width, batch_first=True)
        self.both_ways = both_ways
        self.bias = nn.Parameter(torch.zeros(vocabulary))

    @property
    def output_weight(self):
        return self.embedding.weight

    def states(self, tokens):
        read = self.lstm(self.embedding(tokens))[0]
        return read + read.flip(1) if self.both_ways else read

    def forward(self, tokens):
        return self.states(tokens) @ self.output_weight.T + self.bias
"""

STRIPES = """
import torch
from inductive_bias.tasks import Split, TaskData

class Stripes:
    dimensions = {"image": (1, 8, 8), "classes": 2}
    generated = True
    protocol = "mnist"

    def __init__(self, size=64):
        self.size = size

    def load(self, root=None):
        def split(seed):
            labels = torch.arange(self.size) % 2
            noise = 0.1 * torch.randn(self.size, 1, 8, 8, generator=torch.Generator().manual_seed(seed))
            rows = torch.arange(8)[:, None] % 2 == 0
            images = torch.where(labels[:, None, None, None] == 1, rows, rows.T).float() + noise
            return Split(images, labels, "generated:stripes")

        makers = {name: (lambda seed=seed: split(seed)) for seed, name in enumerate(("train", "validation", "test"))}
        return TaskData(makers, classes=2, sha256={}, is_sample=False)

class Halves(Stripes):
    def load(self, root=None):
        whole = super().load(root)
        return TaskData({"train": lambda: whole["train"], "validation": lambda: whole["test"]}, classes=2, sha256={},
                        is_sample=False)

class Nothing(Stripes):
    def load(self, root=None):
        return {}

class Unknown(Stripes):
    protocol = "mnits"

class NoWindow(Stripes):
    protocol = "character_modelling"

class Silent:
    dimensions = {}

from inductive_bias.protocols import Measures, Protocol
from inductive_bias.protocols.batching import Shuffled
from inductive_bias.protocols.measures import accuracy_row, logits_of, row
from inductive_bias.protocols.objectives import Classes

class Short(Measures):
    def after_epoch(self, model, epoch):
        yield accuracy_row(model, self.given.validation, "validation", epoch)

    def final(self, model, *, diverged):
        wrong = logits_of(model, self.given.data["test"].inputs).argmax(1) != self.given.data["test"].labels
        yield row("test", "errors", float(wrong.sum()), self.given.data["test"].source)

class ShortProtocol(Protocol):
    schema_version = 2
    batching, objective, measures = Shuffled, Classes, Short

class Counted(Stripes):
    protocol = ShortProtocol
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in {"linear.py": LINEAR, "words.py": WORDS, "stripes.py": STRIPES}.items():
        (tmp_path / name).write_text(text)


def trial(model=None, task=TASK, *, epochs=2, **changes) -> Trial:
    return Trial(
        task=task,
        model=model or OwnModel("linear.py:Linear"),
        optimiser=OptimiserSpec(learning_rate=1e-2),
        schedule=ScheduleSpec(epochs=epochs, batch_size=16),
        **changes,
    )


def own_task(name="Stripes", **arguments):
    return OwnTask(f"stripes.py:{name}", arguments=arguments)


def run(each, **options):
    return run_trial(each, device="cpu", **options)


def final(outcome, metric, split="test"):
    rows = pd.DataFrame(outcome.rows)
    rows = rows[rows["epoch"].isna() & (rows["split"] == split) & (rows["metric"] == metric)]
    return rows[rows["shift"].isna() if "shift" in rows else slice(None)]["value"].item()


class TestModels:
    def test_one_of_images_is_trained_and_measured_without_features_or_stages(self):
        outcome = run(trial(epochs=4, checkpoints=(0,)))
        assert final(outcome, "accuracy") > 0.3
        assert outcome.arrays == {}
        rows = pd.DataFrame(outcome.rows)
        assert set(rows.loc[rows["shift"].notna(), "metric"]) == {"accuracy"}

    def test_features_are_kept_and_moved_where_the_model_shows_them(self):
        outcome = run(trial(OwnModel("linear.py:WithFeatures"), epochs=1))
        assert outcome.arrays["features/1"].shape == (500, 5)
        rows = pd.DataFrame(outcome.rows)
        assert set(rows.loc[rows["shift"].notna(), "metric"]) == {"accuracy", "invariance_error"}

    def test_a_language_model_takes_the_dimensions_that_it_names(self):
        model = OwnModel("words.py:Speaker", arguments={"width": 3}, causal=True)
        outcome = run(trial(model, LANGUAGE, epochs=1))
        assert outcome.weights["embedding.weight"].shape == (LANGUAGE.vocabulary_size, 3)
        assert outcome.arrays == {}
        assert final(outcome, "perplexity") < LANGUAGE.vocabulary_size

    def test_it_can_teach_and_be_taught(self):
        teacher = trial(seed=1)
        student = tiny_trial(distill=Distillation(teacher=teacher))
        run(student, teacher_weights=run(teacher).weights)
        run(trial(distill=Distillation(teacher=tiny_trial())), teacher_weights=run(tiny_trial()).weights)
        # a student learns what its teacher says, be it right or one class off
        teacher = trial(seed=1, epochs=4)
        student = trial(epochs=4, distill=Distillation(teacher=teacher))
        weights = run(teacher).weights
        moved = {name: weight.roll(1, 0) for name, weight in weights.items()}
        right, wrong = (final(run(student, teacher_weights=each), "accuracy") for each in (weights, moved))
        assert right > 0.3
        assert wrong < 0.1

    def test_weights_that_are_tied_are_kept(self, tmp_path):
        each = trial(OwnModel("linear.py:Tied"), epochs=1)
        outcome = run(each)
        store = Store(tmp_path)
        store.save(each, outcome)
        kept = store.weights(each)
        assert torch.equal(kept["again.weight"], kept["layer.weight"])

    def test_arguments_reach_it_and_are_part_of_the_id(self):
        plain, scaled = (OwnModel("linear.py:Linear", arguments=a) for a in ({}, {"scale": 2.0}))
        one, two = (build(trial(model)) for model in (plain, scaled))
        two.load_state_dict(one.state_dict())
        images = TASK.load()["test"].inputs
        torch.testing.assert_close(two(images), 2 * one(images))
        assert len({trial(m).id for m in (plain, scaled, OwnModel("linear.py:WithFeatures"))}) == 3
        assert hash(plain) == hash(OwnModel("linear.py:Linear"))
        assert plain != scaled

    def test_weight_penalties_are_those_of_the_setting(self):
        losses = [run(trial(OwnModel("linear.py:Linear", l2=l2), epochs=1)).rows[0]["value"] for l2 in (0.0, 1.0)]
        assert losses[1] > losses[0]

    def test_it_is_named_after_its_function_unless_told(self):
        assert trial(seed=3).label == "Linear, seed 3"
        assert OwnModel("linear.py:Linear", name="One layer").name == "One layer"


class TestTasks:
    @pytest.mark.parametrize("model", [MLPSpec(widths=(8,)), CNNSpec(filters=(4,), units=(2,), pools=(2,)), None])
    def test_one_of_a_built_in_kind_is_learnt_by_any_model(self, model):
        outcome = run(trial(model, own_task(), epochs=15))
        assert final(outcome, "accuracy") == 1
        assert {each["data_source"] for each in outcome.rows} == {"generated:stripes"}

    def test_it_says_what_it_is(self):
        task = own_task(size=10)
        assert (task.dimensions, task.generated) == ({"image": (1, 8, 8), "classes": 2}, True)
        assert protocol_class(task) is ImageProtocol
        assert len(task.load()["train"]) == 10
        assert trial(task=task).id != trial(task=own_task()).id

    def test_one_with_a_protocol_of_its_own(self):
        one = trial(task=own_task("Counted"), epochs=15)
        assert final(run(one), "errors") == 0
        assert one.protocol.schema_version == 2
        assert one.protocol.distillable

    def test_a_schema_version_is_part_of_the_id_and_of_its_students(self, monkeypatch):
        teacher = trial(task=own_task("Counted"))

        def ids():
            here = trial(task=own_task("Counted"))
            student = trial(task=own_task("Counted"), seed=1, distill=Distillation(teacher=here))
            other = trial(task=own_task(), seed=1, distill=Distillation(teacher=here))
            return {here.id, student.id, other.id}

        before = ids()
        monkeypatch.setattr(teacher.protocol, "schema_version", 3)
        assert not before & ids()


class TestIdentity:
    def test_json_and_pickle_round_trip(self):
        each = trial(OwnModel("linear.py:Linear", arguments={"scale": 2.0}), own_task(size=20))
        for again in (Trial.model_validate_json(each.model_dump_json()), pickle.loads(pickle.dumps(each))):
            assert again == each
            assert again.id == each.id

    @pytest.mark.parametrize("file", ["linear.py", "stripes.py"])
    def test_a_changed_file_is_another_trial_and_the_old_one_is_refused(self, tmp_path, file):
        each = trial(task=own_task())
        text = each.model_dump_json()
        (tmp_path / file).write_text((tmp_path / file).read_text() + "\n# another thought\n")
        with pytest.raises(SettingError, match=f"{file} has changed"):
            Trial.model_validate_json(text)
        with pytest.raises(SettingError, match=f"{file} has changed"):
            run(each)
        assert trial(task=own_task()).id != each.id

    def test_a_moved_project_keeps_its_runs(self, tmp_path, monkeypatch):
        store, before = Store(tmp_path / "runs"), trial(task=own_task(), epochs=0)
        run_missing([before], store, device="cpu", jobs=1, progress=False)
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        for file in ("linear.py", "stripes.py"):
            (tmp_path / file).rename(elsewhere / f"my_{file}")
        monkeypatch.chdir(elsewhere)
        model = OwnModel(str(elsewhere / f"my_{before.model.source}"))
        after = trial(model, OwnTask(f"my_{before.task.source}", arguments=before.task.arguments), epochs=0)
        assert after.id == before.id
        assert Store(tmp_path / "runs").has(after)
        assert Store(tmp_path / "runs").record(after)["trial"]["model"]["source"] == before.model.source

    @pytest.mark.slow
    def test_workers_train_it_and_the_store_keeps_it(self, tmp_path):
        trials = [trial(task=own_task(), seed=seed, epochs=1) for seed in range(2)]
        store = Store(tmp_path / "runs")
        try:
            assert run_missing(trials, store, device="cpu", jobs=2, progress=False) == 2
        finally:
            joblib.externals.loky.get_reusable_executor().shutdown()
        for each in trials:
            assert store.record(each)["trial"]["model"]["sha256"] == each.model.sha256
            pd.testing.assert_series_equal(
                store.rows(each)["value"], pd.DataFrame(run(each).rows)["value"], check_exact=True
            )


class TestRefusals:
    @pytest.mark.parametrize("kind", [OwnModel, OwnTask])
    @pytest.mark.parametrize(
        ("source", "reason"),
        [
            ("missing.py:build", r"missing\.py cannot be read: No such file"),
            ("linear.py", "must be a file and a name in it"),
            ("linear.py:absent", r"linear\.py has no function or class 'absent'"),
            ("linear.py:__doc__", r"linear\.py has no function or class"),
            ("broken.py:build", r"broken\.py cannot be imported: ZeroDivisionError"),
            ("typo.py:build", r"typo\.py cannot be imported: SyntaxError"),
        ],
    )
    def test_a_file_or_name_that_is_not_there(self, tmp_path, kind, source, reason):
        (tmp_path / "broken.py").write_text("1 / 0")
        (tmp_path / "typo.py").write_text("def build(:")
        with pytest.raises(SettingError, match=reason):
            kind(source)

    @pytest.mark.parametrize(
        ("name", "arguments", "reason"),
        [
            ("fails", {}, "linear.py:fails: RuntimeError: no memory of the future"),
            ("nothing", {}, "linear.py:nothing must build a torch.nn.Module with parameters, not NoneType"),
            ("Linear", {"depth": 3}, "linear.py:Linear: TypeError: .*depth"),
        ],
    )
    def test_a_model_that_cannot_be_built_when_the_trial_is_made(self, name, arguments, reason):
        with pytest.raises(SettingError, match=reason):
            trial(OwnModel(f"linear.py:{name}", arguments=arguments))

    def test_a_model_that_needs_what_the_task_has_not(self):
        with pytest.raises(
            ValueError, match=r"'own' cannot be trained .* needs classes, image, and the task has vocab"
        ):
            trial(task=LANGUAGE)

    def test_a_language_model_that_does_not_say_that_it_is_causal(self):
        with pytest.raises(ValueError, match="Speaker is not causal"):
            trial(OwnModel("words.py:Speaker"), LANGUAGE)

    @pytest.mark.parametrize(
        ("name", "reason"),
        [
            (
                "wrong",
                r"linear.py:wrong: ValueError: inputs \(8, 1, 28, 28\) must give outputs \(8, 10\), not \(8, 11\)",
            ),
            ("Stumbles", "linear.py:Stumbles: RuntimeError: .*mat1 and mat2"),
        ],
    )
    def test_a_model_that_answers_in_the_wrong_shape_before_it_is_trained(self, name, reason):
        with pytest.raises(SettingError, match=reason):
            run(trial(OwnModel(f"linear.py:{name}")))

    def test_a_language_model_that_says_that_it_is_causal_and_is_not(self):
        model = OwnModel("words.py:Speaker", arguments={"both_ways": True}, causal=True)
        with pytest.raises(
            SettingError, match=r"words.py:Speaker: .* outputs at position \d+ change with the input at"
        ):
            run(trial(model, LANGUAGE))

    def test_a_classifier_in_place_of_a_language_model(self):
        model = OwnModel("words.py:Speaker", causal=True)
        with pytest.raises(SettingError, match=r"words.py:Speaker: ValueError: inputs .* must give outputs \(8, 2\)"):
            run(trial(model, SENTENCES))

    @pytest.mark.parametrize(
        ("name", "reason"),
        [
            ("Silent", "stripes.py:Silent: a task must have load, generated, protocol"),
            ("Unknown", "stripes.py:Unknown: protocol='mnits' must be a subclass .* or one of .*mnist, agreement"),
            ("NoWindow", "stripes.py:NoWindow: a task of protocol 'character_modelling' must also have window"),
        ],
    )
    def test_a_task_that_lacks_what_its_protocol_needs(self, name, reason):
        with pytest.raises(SettingError, match=reason):
            trial(task=own_task(name))

    @pytest.mark.parametrize(
        ("name", "reason"),
        [("Nothing", "load must return TaskData, not dict"), ("Halves", "the data have no split test")],
    )
    def test_data_that_lack_what_their_protocol_needs(self, name, reason):
        with pytest.raises(SettingError, match=f"stripes.py:{name}.*{reason}"):
            run(trial(task=own_task(name)))

    def test_arguments_that_a_task_does_not_take(self):
        with pytest.raises(SettingError, match=r"stripes.py:Stripes: TypeError: .*colour"):
            own_task(colour="red")


def test_the_old_name_of_the_room_works_and_says_the_new_one():
    with pytest.warns(DeprecationWarning, match=r"inductive_bias\.plugins"):
        from inductive_bias import outside
    assert outside.OwnModel is OwnModel


ANSWERS = """
import torch
from torch import nn

class Output:
    def __init__(self, **parts):
        self.__dict__.update(parts)

class Answers(Linear):
    def __init__(self, image, classes, how="tensor"):
        super().__init__(image, classes)
        self.how = how

    def forward(self, images):
        logits = super().forward(images)
        return {
            "tensor": logits,
            "object": Output(logits=logits, loss=None),
            "dict": {"logits": logits},
            "loss": (torch.tensor(1.0), logits),
            "state": (logits, (images, images)),
            "list": [logits],
            "two": (logits, images),
            "none": None,
            "nothing": Output(scores=logits),
        }[self.how]
"""


class TestAnswers:
    @pytest.fixture(autouse=True)
    def file(self, tmp_path, monkeypatch):
        (tmp_path / "answers.py").write_text(LINEAR + ANSWERS)
        monkeypatch.chdir(tmp_path)

    @pytest.mark.parametrize("how", ["object", "dict", "loss", "state", "list"])
    def test_what_is_plainly_meant_is_taken(self, how):
        found, wanted = (
            run(trial(OwnModel("answers.py:Answers", arguments={"how": each}), epochs=1)) for each in (how, "tensor")
        )
        assert final(found, "nll") == final(wanted, "nll")

    @pytest.mark.parametrize(
        ("how", "reason"),
        [
            ("two", r"not a tuple of 2 tensors \[\(8, 10\), \(8, 1, 28, 28\)\]: return the logits alone"),
            ("none", "not a NoneType: return the logits alone"),
            ("nothing", "not a Output"),
        ],
    )
    def test_what_is_not_is_refused_with_what_to_change(self, how, reason):
        with pytest.raises(SettingError, match=f"answers.py:Answers: ValueError: .*{reason}"):
            run(trial(OwnModel("answers.py:Answers", arguments={"how": how}), epochs=1))


CHANCE = """
import numpy as np
import torch
from torch import nn

class Noisy(Linear):
    def __init__(self, image, classes, source="numpy"):
        super().__init__(image, classes)
        self.source, self.own = source, np.random.default_rng()
        self.register_buffer("start", torch.tensor(np.random.rand()))

    def forward(self, images):
        drawn = {"numpy": np.random.rand, "own": self.own.random}[self.source]()
        return super().forward(images) * (1 + self.training * drawn)

class Writes(Linear):
    def forward(self, images):
        images *= 0.5
        return super().forward(images)
"""


class TestOneIdOneResult:
    @pytest.fixture(autouse=True)
    def file(self, tmp_path, monkeypatch):
        (tmp_path / "chance.py").write_text(LINEAR + CHANCE)
        monkeypatch.chdir(tmp_path)

    def test_random_numbers_of_numpy_begin_at_the_seed(self):
        # those of Python are tested in test_seeding.py: here the checks of types draw from them too
        each = trial(OwnModel("chance.py:Noisy"), epochs=1)
        np.random.seed(5)  # noqa: NPY002
        first, second = run(each), run(each)
        pd.testing.assert_frame_equal(pd.DataFrame(first.rows), pd.DataFrame(second.rows))
        assert torch.equal(first.weights["start"], second.weights["start"])
        other = run(each.model_copy(update={"seed": each.seed + 1}))
        assert not torch.equal(first.weights["start"], other.weights["start"])
        # and the caller's own numbers go on as if nothing had been drawn
        assert np.random.rand() == np.random.RandomState(5).rand()  # noqa: NPY002

    def test_a_generator_of_its_own_without_a_seed_is_refused(self):
        with pytest.raises(SettingError, match=r"chance.py:Noisy: .*when it is made again with the same seed"):
            run(trial(OwnModel("chance.py:Noisy", arguments={"source": "own"}), epochs=1))

    def test_a_model_that_writes_into_its_input_is_refused_and_the_data_stay(self):
        before = TASK.load()["train"].inputs.clone(), TASK.load()["validation"].inputs.clone()
        with pytest.raises(SettingError, match=r"chance.py:Writes: .*writes into its inputs"):
            run(trial(OwnModel("chance.py:Writes"), epochs=1))
        assert torch.equal(TASK.load()["train"].inputs, before[0])
        assert torch.equal(TASK.load()["validation"].inputs, before[1])
