"""Frames behind the figures, on made-up runs whose numbers are known by hand."""

import math

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from inductive_bias import plotting
from inductive_bias.studies.signal_vs_samples import STUDY, design, figures
from inductive_bias.studies.signal_vs_samples.design import SIZES, SMALL, Place, cells, controls, plane
from inductive_bias.studies.study import Results

SMOKE = SIZES["smoke"]
CELLS = cells("smoke")
NAN = math.nan


def made_up(change=lambda place, seed: None) -> Results:
    """Runs of scale smoke: error .5 and gate ρ, seed 1 a tenth above seed 0; ``change`` gives another error."""
    rows = []
    for place in (*plane("smoke"), *controls("smoke")):
        for trial in CELLS[place.cell]:
            labels = {"cell": place.cell, "trial": trial.id, "seed": trial.seed, "epoch": NAN, "x": NAN}
            given = change(place, trial.seed)
            value = 0.5 * 1.1**trial.seed if given is None else given
            test = ("excess_error", "recurrent_error", "lookup_error")
            rows += [labels | {"split": "test", "metric": metric, "value": value} for metric in test]
            rows += [
                labels | {"split": "validation", "metric": "excess_error", "epoch": float(epoch), "value": 1.0 / epoch}
                for epoch in (1, 2)
            ]
            if place.model.startswith(("RSA", "REM")):
                rows.append(labels | {"split": "model", "metric": "gate", "value": place.rho, "x": 0.0})
                for head, decay in enumerate((-0.9, 0.3)):
                    rows += [
                        labels | {"split": "model", "metric": "decay", "value": decay, "x": float(head), "epoch": epoch}
                        for epoch in (0.0, 1.0, NAN)
                    ]
    return Results(STUDY, "smoke", pd.DataFrame(rows), complete_publication=True)


def better(model: str, factor: float = 0.5):
    return lambda place, seed: factor * 0.5 * 1.1**seed if place.model == model else None


def test_the_plane_has_the_largest_size_on_top_and_pure_lookups_on_the_left():
    frame = figures.plane_means(made_up(), "LSTM")
    assert frame.index.tolist() == ["n = 64", "n = 16"]
    assert frame.columns.tolist() == ["ρ = 0", "ρ = 0.5", "ρ = 1"]
    np.testing.assert_allclose(frame, 0.525)


def test_a_place_of_which_every_run_diverged_stays_on_the_plane_without_a_number():
    def lost(place, seed):
        return NAN if place == Place("LSTM", 0.5, 16) else None

    results = made_up(lost)
    assert math.isnan(figures.plane_means(results, "LSTM").loc["n = 16", "ρ = 0.5"])
    assert "LSTM" not in figures.winners(results)["n = 16", "ρ = 0.5"]
    assert "–" in figures.plane_table(results, 0.5).set_index("model").loc["LSTM"].tolist()


def test_a_ratio_is_bracketed_where_the_seeds_do_not_settle_it():
    def wavering(place, seed):
        return (0.1, 1.0)[seed] if place == Place("RSA", 0.5, 64) else better("RSA")(place, seed)

    numbers, words = figures.twin_ratios(made_up(wavering))
    assert numbers.loc["n = 16", "ρ = 0"] == pytest.approx(-1)
    assert words.loc["n = 16", "ρ = 0"] == "−1.0"
    assert words.loc["n = 64", "ρ = 0.5"].startswith("(")


def test_a_clear_winner_stands_alone_and_equals_share_a_place():
    clear = figures.winners(made_up(better("RSA")))
    assert set(map(tuple, clear.values())) == {("RSA",)}
    shared = figures.winners(made_up())
    assert all(sorted(names) == sorted(design.MODELS) for names in shared.values())
    assert list(shared) == [(n, rho) for n in ("n = 16", "n = 64") for rho in ("ρ = 0", "ρ = 0.5", "ρ = 1")]


def test_curves_keep_every_seed_and_leave_controls_out():
    table = figures.sample_curves(made_up(), 0.5)
    assert table.columns.tolist() == ["cell", "seed", "n", "value"]
    assert set(table["cell"]) == set(design.MODELS)
    assert len(table) == len(design.MODELS) * len(SMOKE.samples) * SMOKE.seeds


def test_gates_have_a_panel_a_size():
    panels = figures.gate_curves(made_up())
    assert list(panels) == ["n = 16", "n = 64"]
    for table in panels.values():
        assert table["value"].tolist() == table["rho"].tolist() == [0, 0, 0.5, 0.5, 1, 1]
    assert figures.gate_table(made_up()).loc[1].tolist() == ["0.5", *["0.50\u00a0±\u00a00.000"] * 2]


def test_curves_of_starts_are_in_steps_and_the_largest_decay_is_an_absolute_value():
    results = made_up()
    curves = figures.start_curves(results)
    assert set(curves["cell"]) == {"RSA", SMALL, design.ALONE, design.ALONE_SMALL}
    assert sorted(set(curves["step"])) == [25, 50]
    decays = figures.decay_curves(results)
    assert sorted(set(decays["step"])) == [0, 25]
    assert set(decays["value"]) == {0.9}


def test_sequences_needed_are_bounds_where_the_goal_is_not_reached():
    def learns(place, seed):
        if place.model != "RSA":
            return None
        return {(0.5, 16): 1.0, (0.5, 64): 0.01, (1.0, 16): 0.01, (1.0, 64): (0.01, 0.9)[seed]}.get(place[1:], 0.5)

    table = figures.need_table(made_up(learns)).set_index("ρ")
    assert table["LSTM"].tolist() == ["never"] * 3
    assert table["RSA"].tolist() == ["never", "32", "16"]


def test_every_control_stands_beside_what_it_varies():
    table = figures.control_table(made_up(better(SMALL)))
    assert table["model"].tolist() == [name for name, (_, shares) in design.CONTROLS.items() for _ in shares]
    assert set(table.loc[table["model"] == SMALL, "against"]) == {"RSA"}
    assert set(table.loc[table["model"] == design.ALIBI, "against"]) == {design.TWIN}
    assert table.loc[0, "log₂ of the ratio"].startswith("−1.00")


def test_an_example_is_a_mixture_of_its_two_ends():
    frame = figures.example_signal(SMOKE.task)
    assert frame.columns.tolist() == ["position", "ρ = 1", "ρ = 0.5", "ρ = 0"]
    np.testing.assert_allclose(frame["ρ = 0.5"], (frame["ρ = 1"] + frame["ρ = 0"]) / np.sqrt(2))
    task = SMOKE.task.model_copy(update={"rho": 1.0, "noise": 0.0})
    np.testing.assert_allclose(frame["ρ = 1"], task.load()["train"].labels[0], rtol=1e-5)


@pytest.mark.parametrize("place", [Place("RSA", 0.5, 64), Place(SMALL, 1.0, 64), Place("Linear RNN", 0.0, 16)])
def test_a_model_looks_the_same_at_every_place_of_the_plane(place):
    assert plotting.cell_style(place.cell) == plotting.CELL_STYLES[place.model]


def test_the_models_of_the_study_differ_in_colour_and_marker():
    looks = [plotting.cell_style(name) for name in (*design.MODELS, *design.CONTROLS)]
    assert len({look.colour for look in looks}) == len({look.marker for look in looks}) == len(looks)


def test_a_map_of_winners_shares_a_place_in_stripes_and_wants_every_place():
    figure, ax = plt.subplots()
    winners = {("a", "b"): ["RSA"], ("a", "c"): ["LSTM", "RSA"]}
    plotting.winner_map(winners, rows=["a"], columns=["b", "c"], short=figures.SHORT, ax=ax)
    assert [text.get_text() for text in ax.texts] == ["R", "L", "R"]
    assert [patch.get_width() for patch in ax.patches] == pytest.approx([0.96, 0.48, 0.48])
    assert plotting.cell_style("RSA").colour == plt.matplotlib.colors.to_hex(ax.patches[0].get_facecolor())
    with pytest.raises(ValueError, match="nobody is best at row 'd', column 'b'"):
        plotting.winner_map(winners, rows=["d"], columns=["b"], short=figures.SHORT, ax=ax)
    plt.close(figure)


def test_every_model_of_the_plane_has_a_letter_of_its_own():
    assert list(figures.SHORT) == list(design.MODELS)
    assert len(set(figures.SHORT.values())) == len(figures.SHORT)
