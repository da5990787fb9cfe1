"""Languages: what is trained, and the tables beside the figures."""

import math
from dataclasses import replace

import pandas as pd
import pytest

from inductive_bias.running import build
from inductive_bias.studies.design import Cell
from inductive_bias.studies.formal_models import TITLES
from inductive_bias.studies.formal_scores import every_seed, lengths, named
from inductive_bias.studies.frames import learned
from inductive_bias.studies.regular_languages import STUDY, figures, measures
from inductive_bias.studies.regular_languages.design import MIXER_NAMES
from inductive_bias.tasks.formal import LANGUAGE_NAMES, LANGUAGES
from tests.fakes import fake_results

REGULAR = [name for name in TITLES if LANGUAGES[name].family != "counter"]
#: Small differences between the seeds of a cell, which cancel in no pair.
NOISE = {"RSA": (0.001, -0.001, 0.002, -0.002), "Attention": (0.002, 0.001, -0.001, -0.002)}


class TestDesign:
    @pytest.mark.parametrize("scale", ["smoke", "laptop", "paper"])
    def test_eight_mixers_meet_every_language_and_only_attention_is_told_positions(self, scale):
        cells = STUDY.design.cells(scale)
        languages = STUDY.design.levels(scale)["language"]
        assert len(cells) == len(languages) * len(MIXER_NAMES) == len(languages) * 8
        assert {cell["model"] for cell in cells if cell["positions"] != "none"} == {"Attention"}

    def test_every_language_is_in_the_large_scales_and_one_of_each_kind_in_the_small_one(self):
        for scale in ("laptop", "paper"):
            assert set(STUDY.design.levels(scale)["language"]) == set(LANGUAGE_NAMES)
        small = STUDY.design.levels("smoke")["language"]
        assert {LANGUAGES[name].family for name in small} == {"star-free", "periodic", "counter"}

    @pytest.mark.parametrize("scale", ["laptop", "paper"])
    @pytest.mark.parametrize("language", ["parity", "flip_flop"])
    def test_parameters_are_matched_but_for_the_free_matrices(self, scale, language):
        sizes = {
            (cell["model"], cell["positions"]): sum(weight.numel() for weight in build(trials[0]).parameters())
            for cell, trials in STUDY.design.cells(scale).items()
            if cell["language"] == language
        }
        matched = [size for (model, _), size in sizes.items() if model != "Free Toeplitz"]
        twin = sizes["Attention", "none"]
        assert max(matched) / min(matched) < 1.03
        assert twin < sizes["Free Toeplitz", "none"]
        assert sizes["RSA", "none"] - twin < 20  # a gate, four λ or (γ, θ), twice

    def test_a_free_matrix_is_as_long_as_the_longest_string(self):
        for cell, (trial, *_) in STUDY.design.cells("paper").items():
            if cell["model"] == "Free Toeplitz":
                assert trial.model.mixer.length == max(each.longest for each in trial.task.bins.values())

    def test_scale_paper_has_the_published_lengths_and_sizes(self):
        trial = STUDY.design.cells("paper")[Cell(language="aa", model="Attention", positions="none")][0]
        assert trial.task.bins["train"].strings == 250
        assert trial.task.bins["longer"].longest == 594
        assert (trial.schedule.epochs, trial.schedule.batch_size, trial.task.loss) == (25, 32, "mse")


def made_up(*, training=None, longer=None, positions=None, lost=(), noise=1.0, scale="laptop"):
    """Scores by model and language: .5 within the training lengths, on longer strings and on positions beyond these.

    ``training``, ``longer`` and ``positions`` give others, ``{("RSA", "aa"): .9}``; ``lost`` are runs that diverged.
    """

    def values(number, language, model, positions, _given=(training or {}, longer or {}, positions or {})):
        places = ("validation", "string_accuracy"), ("longer", "string_accuracy"), ("longer", "position_accuracy")
        diverged = (model, language, number) in lost
        shift = noise * NOISE.get(model, (0,) * 4)[number]
        known = (table.get((model, language), 0.5) for table in _given)
        found = {place: math.nan if diverged else value + shift for place, value in zip(places, known, strict=True)}
        if not diverged:
            for place, value in ((5.5, 0.5), (95.5, found[places[-1]])):
                found |= {(*places[-1], ("position", place)): value, ("longer", "n", ("position", place)): 10.0}
        return found

    return fake_results(STUDY, values, scale=scale)


def mastering(languages, *, rsa=0.8, twin=0.5, **more):
    """Both master the training lengths of these languages; of longer strings they have so many right."""
    rsa = dict.fromkeys(languages, rsa) if isinstance(rsa, float) else dict(zip(languages, rsa, strict=True))
    pair = ("RSA", "Attention")
    longer = {("RSA", name): score for name, score in rsa.items()} | {("Attention", name): twin for name in languages}
    training = {(model, name): 0.995 for model in pair for name in languages}
    return made_up(training=training, longer=longer | more.pop("longer", {}), **more)


def with_epoch(results, epoch, change):
    """The same results, with rows of an epoch in which the final values were other ones."""
    earlier = results.rows.assign(epoch=float(epoch), value=change(results.rows["value"]))
    return replace(results, rows=pd.concat([results.rows, earlier], ignore_index=True))


class TestTables:
    """From made-up rows whose numbers are known."""

    def test_mixers_are_in_the_order_of_the_pages(self):
        frame = named(made_up(scale="smoke").frame("string_accuracy"), MIXER_NAMES)
        assert tuple(frame["mixer"].cat.categories) == MIXER_NAMES
        assert frame.loc[frame["positions"] == "ALiBi", "mixer"].unique().tolist() == ["Attention, ALiBi"]

    def test_bins_are_named_by_their_lengths(self):
        assert lengths(made_up(scale="smoke")) == {"validation": "1–12", "longer": "13–24", "longest": "25–36"}

    def test_all_seeds_are_listed_once_if_they_agree(self):
        assert every_seed([0.5, 0.501, 0.499]) == "0.50"
        assert every_seed([0.5, 0.75, math.nan]) == "0.50\u00a00.75\u00a0–"

    def test_lengths_that_two_bins_share_are_weighed_by_their_strings(self):
        def values(**cell):
            bins, at = {"validation": (1.0, 30), "longer": (0.0, 10)}, ("length", 15.5)
            right = {(split, "string_accuracy", at): share for split, (share, _) in bins.items()}
            return right | {(split, "n", at): count for split, (_, count) in bins.items()}

        table = measures.by_length(fake_results(STUDY, values, scale="smoke"), language="aa", model="RSA")
        assert table["value"].tolist() == [0.75, 0.75]

    def test_decays_before_and_after_training(self):
        def values(**cell):
            return {("model", "decay", ("layer", 1), ("head", head), ("kind", "real")): head - 0.9 for head in (0, 1)}

        results = with_epoch(fake_results(STUDY, values, scale="smoke"), 0, lambda value: value / 2)
        found = learned(results, "decay", ["layer", "head", "kind"], model="RSA", language="aa")
        assert found["after"].tolist() == pytest.approx([-0.9, 0.1] * 2)
        assert found["before"].tolist() == pytest.approx([-0.45, 0.05] * 2)
        assert found["change"].tolist() == pytest.approx([-0.45, 0.05] * 2)

    def test_gains_are_differences_to_the_twin_and_say_who_masters(self):
        results = mastering(["aa"], rsa=0.7, positions={("RSA", "aa"): 0.9})
        row = figures.gains(results).set_index("language").loc["(aa)*"]
        assert row["both master"] == "yes"
        assert row["longer strings right"].startswith("+0.200")
        assert row["positions beyond the training lengths right"].startswith("+0.400")

    def test_published_scores_stand_beside_the_last_and_the_best_epoch(self):
        results = with_epoch(made_up(scale="smoke"), 1, lambda value: value + 0.25)
        table = figures.beside_paper(results, "longer").set_index("language")
        assert table.loc["D₂", "paper (best epoch)"] == pytest.approx(0.031)
        assert math.isnan(table.loc["Flip-flop", "paper (best epoch)"])
        assert table.loc["D₂", ["Attention", "best epoch"]].str[:4].tolist() == ["0.50", "0.75"]


def test_published_scores_are_shares_and_what_is_not_reported_is_not_there():
    numbers = STUDY.paper_numbers()
    assert set(numbers["language"]) == set(LANGUAGE_NAMES) - {"flip_flop"}
    assert numbers["mean"].between(0, 1).all()
    assert not numbers.duplicated(["language", "split"]).any()
    results = made_up(scale="smoke")
    assert results.reported("string_accuracy", split="longer", language="d_2")[0] == 0.031
    assert results.reported("string_accuracy", split="longest", language="d_2") is None
