"""What the figures of the position matrices draw, on a toy study whose numbers are known by hand."""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import pytest
import torch

from inductive_bias.running import build
from inductive_bias.store import Store
from inductive_bias.studies import Results, Study
from inductive_bias.studies.rem_vs_toeplitz import figures
from inductive_bias.studies.rem_vs_toeplitz.design import CELLS, cells
from inductive_bias.studies.rem_vs_toeplitz.tables import SHOWN, lags
from inductive_bias.studies.runs import COLUMNS, Runs

NAN = float("nan")
PLAIN, RSA = "Transformer, sinusoidal", "RSA, shared, sinusoidal"


def row(cell, seed, metric, value, x=NAN, split="test"):
    known = {"study": "toy", "scale": "smoke", "trial": f"{cell}{seed}", "model": "m", "teacher": "", "epoch": NAN}
    return known | {"cell": cell, "seed": seed, "split": split, "metric": metric, "value": value, "x": x,
                    "data_source": "d"}  # fmt: skip


def toy_rows():
    for seed in (0, 1):
        for cell, value in ((PLAIN, 2.0), (RSA, 1.9 + seed / 100)):
            yield row(cell, seed, "bpc", value + seed)
            yield row(cell, seed, "bpc, second half", value + seed - 0.5)
            for context in (1.0, 2.0):
                yield row(cell, seed, "bpc by context", value + seed + context, context)
        for layer in (1, 2):
            yield row(RSA, seed, "gate", 0.1 * layer + seed / 10, 0.0, f"layer {layer}")
            for head in (0.0, 1.0):
                yield row(RSA, seed, "decay, cos", 0.8 - 1.6 * seed, head, f"layer {layer}")


@pytest.fixture
def results():
    study = Study("toy", "?", cells=lambda scale: {}, tables={}, claims=())
    return Results(study, "smoke", pd.DataFrame(toy_rows())[COLUMNS], complete_publication=False)


def test_gains_are_taken_seed_by_seed(results):
    table = figures.gains_over_twin(results, [RSA])
    assert table["seed"].tolist() == [0, 1]
    assert table["value"].tolist() == pytest.approx([-0.1, -0.09])


def test_the_table_has_both_intervals_and_none_for_the_twin_itself(results):
    table = figures.bpc_table(results, [PLAIN, RSA])
    assert table.loc[0, "− twin, paired":].isna().all()
    assert table.loc[1, "− twin, paired"].startswith("−0.095\u00a0[−0.159,\u00a0")
    assert table.loc[1, "− twin, Welch"].startswith("−0.095\u00a0[−")
    assert table.loc[1, "in percent"] == "−3.80"  # .095 of 2.5
    assert table.loc[1, "BPC"] == "2.405\u00a0±\u00a00.7142"


def test_curves_by_context_can_be_taken_less_the_twin_s(results):
    assert figures.by_context(results, [PLAIN])["bpc"].tolist() == [3.0, 4.0, 4.0, 5.0]
    table = figures.by_context(results, [RSA], less_twin=True)
    assert table["context"].tolist() == [1, 2, 1, 2]
    assert table["bpc"].tolist() == pytest.approx([-0.1, -0.1, -0.09, -0.09])


def test_gates_are_by_layer_and_a_cell_without_one_has_no_row(results):
    table = figures.gates(results, [PLAIN, RSA])
    assert set(table["cell"]) == {RSA}
    assert table["gate"].tolist() == pytest.approx([0.1, 0.2, 0.2, 0.3])
    assert table["layer"].tolist() == [1, 2, 1, 2]


def test_decays_of_all_heads_stand_in_one_cell_of_the_table_without_their_signs(results):
    table = figures.decay_table(results, [RSA])
    assert table["layer"].tolist() == [1, 2]
    assert table.loc[0, "decay"] == "0.80\u00a0±\u00a00.000; 0.80\u00a0±\u00a00.000"
    assert table.loc[0, "gate"] == "0.15\u00a0±\u00a00.071"
    assert table.loc[0, "angle"] == "–"


def test_short_names_leave_out_what_the_panel_says():
    assert [figures.short(name) for name in (RSA, "REM only")] == ["RSA,\nshared", "REM\nonly"]
    assert len({figures.short(name) for name in CELLS[:7]}) == 7


class Kept(Runs):
    """Runs whose models are as they were drawn, free lags drawn as well."""

    def __init__(self):
        super().__init__(cells("smoke"), Store(Path("nowhere")))

    def model(self, trial):
        torch.manual_seed(trial.seed)
        model = build(trial)
        for block in model.blocks:
            if hasattr(block.mixer, "lags"):
                torch.nn.init.normal_(block.mixer.lags)
        return model


@pytest.fixture(scope="module")
def table():
    return lags(Kept())


def test_lags_are_the_share_of_the_gate_of_what_the_matrix_holds(table):
    assert list(dict.fromkeys(table["cell"])) == list(SHOWN)
    runs = Kept()
    for cell in SHOWN:
        trial = runs.cells[cell][1]
        mixer = runs.model(trial).blocks[1].mixer
        here = table[(table["cell"] == cell) & (table["seed"] == 1) & (table["layer"] == 2) & (table["head"] == 3)]
        assert here["lag"].tolist() == list(range(trial.task.window))
        values = torch.tensor(here["value"].tolist())
        # what a head makes of a token that is 1 and of nothing after it
        one = torch.zeros(1, 4, trial.task.window, 1)
        one[:, :, 0] = 1
        matrix = mixer.matrix(trial.task.window) if "Toeplitz" in cell else mixer.rem.matrix(trial.task.window)
        reached = (mixer.gate * (matrix @ one))[0, 2, :, 0].detach()
        torch.testing.assert_close(values, reached)


def test_a_panel_of_lags_has_a_line_for_every_head_and_seed(table):
    figure, ax = plt.subplots()
    figures.draw_lags(table, SHOWN[0], 1, ax, longest=5)
    drawn = [line for line in ax.lines if len(line.get_xdata()) == 6]
    assert len(drawn) == 8
    assert sum(line.get_linewidth() > 1 for line in drawn) == 4
    plt.close(figure)
