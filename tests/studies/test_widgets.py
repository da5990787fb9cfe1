"""What studies put into the widgets of their pages: numbers as their measures give them."""

import json
import math
import re

import numpy as np
import pandas as pd
import pytest

from inductive_bias.studies.agreement import STUDY as AGREEMENT
from inductive_bias.studies.agreement import measures as agreement
from inductive_bias.studies.agreement import widgets as teachers
from inductive_bias.studies.agreement.design import LADDER, STRONG, WEAK, cell
from inductive_bias.studies.design import Cell
from inductive_bias.studies.real_world import STUDY as REAL
from inductive_bias.studies.real_world import widgets as real
from inductive_bias.studies.real_world.design import ATTENTION, LSTM, MITBIH, MODELS, RANDOM
from inductive_bias.studies.real_world.figures.scores import by_record
from inductive_bias.studies.regular_languages import STUDY as LANGUAGES
from inductive_bias.studies.regular_languages import widgets as languages
from inductive_bias.studies.regular_languages.measures import ANSWERS, STRINGS, mean_by_length
from inductive_bias.studies.signal_models import SIZES
from inductive_bias.studies.signal_vs_samples import STUDY as SIGNAL
from inductive_bias.studies.signal_vs_samples import widgets as signal
from inductive_bias.studies.vision import STUDY as VISION
from inductive_bias.studies.vision import widgets as vision
from inductive_bias.studies.vision.design import CNN, MLP_ALONE, TAUGHT
from inductive_bias.studies.vision.figures import SHIFTABLE_DIGIT, example_digit
from tests.fakes import fake_results


def data_of(widget) -> dict:
    """What the script is given."""
    return json.loads(re.search(r"DATA = (\{.*\});", widget.html)[1])


class TestPlane:
    def test_every_run_of_the_plane_is_at_its_place_and_the_best_are_those_of_the_chapter(self):
        def values(*, number, model, rho, samples, **_):
            error = {"LSTM": 1 - 0.9 * rho, "Linear RNN": 1.0}.get(model, 0.5)
            wobble = 0.01 * math.cos(2.4 * number + 3.1 * len(model) + rho * samples)
            return {("test", "excess_error"): error * math.exp(wobble)}

        results = fake_results(SIGNAL, values, scale="smoke")
        data, sizes = data_of(signal.plane(results)), SIZES["smoke"]
        assert data["x"] == [f"{rho:g}" for rho in sizes.shares]
        assert data["y"] == [f"{n:,}" for n in sizes.samples]
        rsa = data["names"].index("RSA")
        errors = results.values(
            "excess_error", split="test", model="RSA", positions="sinusoidal", decays="paper", rho=0.5, samples=64
        )
        np.testing.assert_allclose(data["runs"][1][1][rsa], errors, rtol=1e-3)
        assert [data["names"][best[0]] for best in data["best"][0]][-1] == "LSTM"
        assert {data["names"][each] for each in data["best"][0][0]} <= {"Attention", "RSA"}


class TestLengths:
    @staticmethod
    def results():
        """RSA has all strings right up to 50 symbols, the others half of all; run 1 of the linear RNN has diverged."""

        def values(*, number, model, **_):
            if model == "Linear RNN" and number == 1:
                return {("validation", "string_accuracy"): math.nan}
            found = {}
            for split, middles in {"validation": (5.5, 45.5), "longer": (55.5,), "longest": (105.5,)}.items():
                for middle in middles:
                    right = float(middle < 50) if model == "RSA" else 0.5
                    found[split, "string_accuracy", ("length", middle)] = right
                    found[split, "n", ("length", middle)] = 20
            for middle in (5.5, 45.5, 105.5):
                found["longest", "position_accuracy", ("position", middle)] = 0.75
            return found

        return fake_results(LANGUAGES, values)

    def test_means_are_over_all_runs_and_a_diverged_one_has_nothing_right(self):
        means = mean_by_length(self.results()).set_index(["measure", "language", "mixer", "length"])["value"]
        assert means[STRINGS, "aa", "RSA", 45.5] == 1
        assert means[STRINGS, "aa", "RSA", 55.5] == 0
        assert means[STRINGS, "aa", "Linear RNN", 5.5] == pytest.approx(0.5 * 3 / 4)
        assert means[ANSWERS, "aa", "Linear RNN", 5.5] == pytest.approx(0.75 * 3 / 4)
        assert (ANSWERS, "aa", "RSA", 55.5) not in means.index

    def test_the_slider_says_which_lengths_were_trained_on(self):
        data = data_of(languages.lengths(self.results()))
        assert data["steps"] == [
            "1–10 symbols, as in training",
            "41–50 symbols, as in training",
            "51–60 symbols, longer than in training",
            "101–110 symbols, longer than in training",
        ]
        assert len(data["rows"]) == len(data["groups"]) == len(LANGUAGES.design.levels("laptop")["language"])
        assert data["values"][1][2][0] == [None] * 8  # single answers at 51 to 60, of which nothing was made up

    def test_a_step_over_the_end_of_training_is_in_part_longer(self):
        results = fake_results(LANGUAGES, lambda **_: {("validation", "string_accuracy"): 0.5}, scale="smoke")
        assert languages.step_words(results, 5.5) == "1–10 symbols, as in training"
        assert languages.step_words(results, 15.5) == "11–20 symbols, in part longer than in training"


class TestTeachers:
    def test_every_difference_is_the_one_that_the_study_measures(self):
        def values(*, number, model, teacher, **_):
            level = 0.5 + 0.1 * LADDER.index(model) / 4 + 0.02 * (teacher != "none") if model in LADDER else 0.5
            wobble = 0.003 * math.cos(1.7 * number + len(model) + 2.0 * len(teacher))
            return {
                ("test", "accuracy"): level + wobble,
                ("attractors", "a_accuracy"): level - wobble,
                ("test", "ece_1e6"): 0.2 + wobble,
                ("test", "ece_20"): 0.1 + wobble,
            }

        results = fake_results(AGREEMENT, values, seeds=3)
        table = agreement.teacher_effects(results).set_index(["teacher", "student", "measure", "baseline"])
        assert len(table) == 4 * (4 + 12 * 3)  # of its own kind there is one baseline, else three; by four measures
        found = table.loc[(STRONG, WEAK, agreement.A_ACC, "minus its teacher")]
        want = agreement.difference(results, agreement.A_ACC, cell(WEAK, STRONG), cell(STRONG))
        assert found["text"] == str(want)
        assert tuple(found[["estimate", "low", "high"]]) == (want.estimate, want.low, want.high)
        data = data_of(teachers.change_by_a_teacher(results))
        assert data["better"] == [1, 1, -1, -1]
        assert len(data["rows"]) == len(table)


class TestVision:
    @staticmethod
    def results():
        def values(*, number, model, teacher, variant):
            found = {("test", "accuracy", ("shift", at)): 1 - at / 10 - number / 1000 for at in range(9)}
            return found | {("translate", "accuracy"): 0.25 if variant == "T = 1" else 0.5}

        results = fake_results(VISION, values)
        untrained = results.rows[results.rows["shift"].notna()].assign(epoch=0.0, value=0.1)
        return type(results)(**vars(results) | {"rows": pd.concat([results.rows, untrained], ignore_index=True)})

    def test_what_students_had_stands_at_the_temperatures_of_their_teachers(self):
        data = data_of(vision.temperature(self.results(), [0.0, 1.0], 1))
        notes = {t: note for t, note in zip(data["temperatures"], data["notes"], strict=True) if note}
        assert sorted(notes) == [1, 5]
        assert "0.250 ± 0.0000 of the translated digits" in notes[1].replace("\u00a0", " ")
        assert "0.500 ± 0.0000 of the translated digits" in notes[5].replace("\u00a0", " ")

    def test_the_digit_has_the_trained_runs_of_three_models_at_every_shift(self):
        data = data_of(vision.shifted_digit(self.results(), example_digit(SHIFTABLE_DIGIT)))
        assert data["names"] == ["CNN", "MLP", "CNN\u00a0→\u00a0MLP"]
        assert len(data["runs"]) == 9
        cells = VISION.design.cells("laptop")
        for shares, levels in zip(data["runs"][3], (CNN, MLP_ALONE, TAUGHT), strict=True):
            np.testing.assert_allclose(shares, [0.7 - number / 1000 for number in range(len(cells[Cell(**levels)]))])
        ink = np.array([list(bytes.fromhex(row)) for row in data["image"]])
        assert ink.shape == (28, 28)
        assert ink[:, -8:].max() == 0  # there is room for the farthest shift


class TestBeats:
    @staticmethod
    def results():
        """Two records: one has normal and ventricular beats, the other early ones too; attention finds half of them."""
        beats = {100: (40, 0, 4), 232: (20, 60, 0)}

        def values(*, number, data, model, **_):
            if data != MITBIH:
                return {}
            share = {ATTENTION: 0.5, LSTM: 0.75 + 0.25 * number}.get(model, 1.0)
            return {
                ("test", "count", ("item", record), ("label", label), ("answer", answer)): count * part
                for record, counts in beats.items()
                for label, count in enumerate(counts)
                if count
                for answer, part in ((label, share), ((label + 1) % 3, 1 - share))
            }

        trials = {at["data"]: members[0].id for at, members in REAL.design.cells("smoke").items()}
        places = [
            ("test", 100, "N"),
            ("test", 100, "V"),
            ("test", 232, "N"),
            ("test", 232, "S"),
            ("test", 100, "S"),  # of which none was asked about
            *(("train", -1, kind) for kind in "NSV"),
        ]
        courses = pd.DataFrame(
            {
                "trial": trials[data],
                "split": split,
                "record": record,
                "kind": kind,
                "sample": sample,
                "mean": mean if data == MITBIH else 0.0,
                "low": mean - 0.1,
                "high": mean + 0.1,
            }
            for data in (RANDOM, MITBIH)
            for split, record, kind in places
            for sample, mean in enumerate((0.1, -0.5, 0.25 if split == "train" else record / 1000, 0.2))
        )
        patients = pd.DataFrame(
            [("test", 100, "M", 69.0), ("test", 232, "F", 76.0), ("train", 101, "F", 75.0)],
            columns=["split", "record", "sex", "age"],
        ).assign(trial=trials[MITBIH])
        return fake_results(REAL, values, scale="smoke", tables={"courses": courses, "patients": patients})

    def test_the_viewer_has_the_shares_of_the_chapter_and_only_beats_that_models_were_asked_about(self):
        results = self.results()
        data = data_of(real.viewer(results))
        assert data["patients"] == ["record 100, man of 69", "record 232, woman of 76"]
        assert [[each and each["beats"] for each in row] for row in data["found"]] == [[40, None, 4], [20, 60, None]]
        assert data["models"] == list(MODELS)
        table = by_record(results).set_index(["record", "kind", "model"])["value"]
        shares = dict(zip(data["models"], data["found"][1][1]["shares"], strict=True))
        assert shares == {model: pytest.approx(table[232, "S", model], abs=5e-4) for model in data["models"]}
        assert (shares["Attention"], shares["LSTM"], shares["RSA"]) == (0.5, 0.875, 1)

    def test_curves_are_of_the_split_between_patients_and_the_one_with_most_early_beats_is_first(self):
        widget = real.viewer(self.results())
        data = data_of(widget)
        mean, learnt = (data["found"][1][1]["mean"], data["learnt"][1])
        points = [[int(each[at : at + 3], 16) / 4095 * 2 - 1 for at in range(0, 12, 3)] for each in (mean, learnt)]
        np.testing.assert_allclose(points, [[0.1, -0.5, 0.232, 0.2], [0.1, -0.5, 0.25, 0.2]], atol=1 / 4095)
        assert 'value="1" selected>record 232, woman of 76' in widget.html
        assert 'value="1" checked>supraventricular (S)' in widget.html

    def test_patients_are_described_by_as_much_as_is_known(self):
        columns = ["record", "sex", "age"]
        known = pd.DataFrame([(103, "M", math.nan), (105, "F", 73.0), (219, None, 50.0)], columns=columns)
        assert real.patients(known, [103, 105, 219, 7]) == {
            103: "record 103, man",
            105: "record 105, woman of 73",
            219: "record 219",
            7: "record 7",
        }
