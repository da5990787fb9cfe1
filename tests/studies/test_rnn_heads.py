"""The study of heads: its design, its linear stand-ins, and every verdict of its claims on made-up results."""

import math

import numpy as np
import pandas as pd
import pytest
import torch

from inductive_bias.layers import rem_matrix
from inductive_bias.models import RecurrentSpec
from inductive_bias.studies.rnn_heads import STUDY, figures, tables
from inductive_bias.studies.rnn_heads.claims import EPS
from inductive_bias.studies.rnn_heads.design import CONTROLS, LINEAR, NONLINEAR, cells
from inductive_bias.studies.rnn_heads.matrices import FAMILIES, exactness, nearly_defective, noise, random_matrices
from inductive_bias.studies.study import Results

R1, R1B = STUDY.claims


class Made(Results):
    """Results whose tables are given."""

    def table(self, name):
        return MADE[name]


MADE: dict[str, pd.DataFrame] = {}


def made(**given):
    MADE.clear()
    MADE.update(given)
    return Made(STUDY, "laptop", pd.DataFrame(), complete_publication=True)


def errors(per_seed, condition=100.0):
    rows = [{"family": "gaussian", "size": 4, "seed": seed, "condition": c, "state_error": error, "power_error": error,
             "warned": c > 1e8, "distance": math.nan, "radius": 0.9, "heads": 4}
            for seed, error in enumerate(per_seed) for c in (condition,)]  # fmt: skip
    return pd.DataFrame(rows)


def explained(by_cell, stand_ins=figures.STAND_INS):
    rows = [{"cell": cell, "seed": seed, "scale": 1.0, "stand_in": stand_in, "radius": 0.9, "one_step": 0.01,
             "free": 1 - value, "task": 0.1}
            for cell, values in by_cell.items() for stand_in in (*stand_ins, tables.NETWORK)
            for seed, value in enumerate(values)]  # fmt: skip
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("worst", "verdict"),
    [
        ([1e-14, 2e-14, 1e-14, 3e-14], "reproduced"),
        ([1e-9, 2e-9, 1e-9, 3e-9], "not reproduced"),
        ([1e-14, 1e-9, 1e-14, 1e-9], "inconclusive"),
    ],
)
def test_exactness_is_judged_by_the_worst_well_conditioned_matrix_of_each_seed(worst, verdict):
    # a badly conditioned matrix may be off by anything
    table = pd.concat([errors(worst), errors([1e-3] * 4, condition=1e12), errors([1e-16] * 4)])
    finding = R1.check(made(exactness=table))
    assert finding.verdict == verdict
    assert finding.effect == pytest.approx(np.log10(np.array(worst) / EPS).mean())
    assert "8 of 12 matrices" in finding.note
    assert "4 warned of" in finding.note


@pytest.mark.parametrize(
    ("flip_flop", "verdict"),
    [
        ([0.97, 0.975, 0.97, 0.98], "reproduced"),
        ([0.6, 0.7, 0.65, 0.6], "not reproduced"),
        ([0.8, 0.99, 0.97, 0.99], "inconclusive"),
        ([-1e9, 0.1, 0.0, -math.inf], "not reproduced"),
    ],
)
def test_ignorable_needs_all_cells_and_one_that_surely_falls_short_fails_it(flip_flop, verdict):
    by_cell = {cell: [0.99, 0.98, 0.99, 0.985] for cell in NONLINEAR} | {"tanh RNN, flip-flop": flip_flop}
    finding = R1B.check(made(linear_part=explained(by_cell)))
    assert finding.verdict == verdict
    assert "tanh RNN, flip-flop" in finding.unit
    assert 0 <= finding.effect <= 1


def test_every_cell_has_enough_seeds_and_the_untrained_ones_do_not_train():
    design = cells("laptop")
    assert set(design) == {*LINEAR, *NONLINEAR, *CONTROLS}
    assert min(len(trials) for trials in design.values()) >= STUDY.min_seeds
    for name, trials in design.items():
        assert (trials[0].schedule.epochs == 0) == name.endswith("untrained")
        assert trials[0].task.target.replace("_", "-") in name
    assert len({trial.id for trial in STUDY.trials("laptop")}) == sum(map(len, design.values()))


@pytest.mark.parametrize("family", FAMILIES)
def test_random_matrices_have_their_radius_and_depend_on_the_seed_alone(family):
    rng = [torch.Generator().manual_seed(seed) for seed in (3, 3, 4)]
    first, again, other = (FAMILIES[family](5, 0.9, each) for each in rng)
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert torch.linalg.eigvals(first).abs().max().item() == pytest.approx(0.9)


def test_a_seed_s_matrices_are_all_labelled():
    labels = [labels for labels, _ in random_matrices(0)]
    assert len({tuple(each.values()) for each in labels}) == len(labels)
    assert {each["family"] for each in labels} == {*FAMILIES, "nearly defective"}


def test_exactness_is_good_for_a_rotation_and_a_warning_comes_with_a_jordan_block():
    rng = torch.Generator().manual_seed(0)
    good = exactness(FAMILIES["orthogonal"](6, 0.9, rng), noise(6, 0))
    assert good["state_error"] < 1e-13
    assert good["condition"] == pytest.approx(1)
    assert not good["warned"]
    bad = exactness(nearly_defective(0.0, rng), noise(4, 0))
    assert bad["warned"]
    assert bad["condition"] > 1e8
    assert 1e-13 < bad["state_error"] < 1e-2


def model(cell):
    torch.manual_seed(0)
    return RecurrentSpec(cell=cell, states=5).build(channels=2, outputs=2).eval()


def test_shares_of_all_heads_add_up_to_the_whole_output():
    inputs = torch.randn(8, 20, 2)
    table = pd.DataFrame(tables._carried(model("linear"), inputs))
    np.testing.assert_allclose(table.groupby("output")["share"].sum(), 1, atol=1e-9)
    assert (table.loc[table["mode"] == -1, "kind"] == tables.LAG_ZERO).all()
    pairs = table[table["kind"].isin(["cos", "sin"])].groupby("mode")["kind"].unique()
    assert all(set(kinds) == {"cos", "sin"} for kinds in pairs)


@pytest.mark.parametrize(("cell", "how_many"), [("tanh", 5), ("lstm", 3)])
def test_stand_ins_follow_the_states_and_the_control_does_not(cell, how_many):
    inputs = torch.randn(200, 12, 2, generator=torch.Generator().manual_seed(0))
    found = tables.stand_ins(model(cell), inputs)
    assert len(found) == how_many
    states = model(cell).memory(inputs).double().detach()
    varying = (states - states.mean((0, 1)))[..., :5].square().sum()
    missed = {
        name: ((system.roll_out(inputs) - states)[..., :5].square().sum() / varying).item()
        for name, system in found.items()
    }
    assert missed[tables.ANY_FILTER] <= missed[tables.FITTED] < 0.2
    assert missed[tables.MISMATCHED] > 0.5


def test_a_head_s_matrix_is_the_rem_where_that_is_allowed_and_grows_where_it_is_not():

    for kind, decay, angle in (("real", -0.8, 0.0), ("cos", 0.9, 0.5), ("sin", 0.9, 0.5)):
        want = rem_matrix(kind, *(torch.tensor([value], dtype=torch.float64) for value in (decay, angle)), 9)[0]
        np.testing.assert_allclose(figures.head_matrix(kind, decay, angle, 9), want, atol=1e-15)
    assert figures.head_matrix("real", 1.1, 0.0, 9)[8, 0] == pytest.approx(1.1**8)
    np.testing.assert_array_equal(figures.head_matrix(tables.LAG_ZERO, 0.0, 0.0, 3), np.eye(3))


def test_modes_join_a_pair_s_heads_and_leave_lag_0_out():
    kinds = [("lag 0", -1), ("real", 0), ("cos", 1), ("sin", 1)]
    table = pd.DataFrame(
        {"cell": LINEAR[0], "seed": 0, "mode": mode, "kind": kind, "decay": 0.5, "angle": 0.0 if mode < 1 else 1.0,
         "output": output, "share": 0.25} for kind, mode in kinds for output in (0, 1)
    )  # fmt: skip
    found = figures.modes(made(trained_heads=table), LINEAR[0])
    assert found["kind"].tolist() == ["real head", "cos head"]
    assert found["share"].tolist() == [0.25, 0.5]
    np.testing.assert_allclose(found["pole"], [0.5, 0.5 * np.exp(1j)])


def test_frames_show_what_explodes_as_0_and_know_the_untrained_cells():
    by_cell = {cell: [0.5, -1e30, math.nan, 0.7] for cell in CONTROLS}
    frame = figures.explained_states(made(linear_part=explained(by_cell)), trained=False)
    assert set(frame["cell"]) == set(NONLINEAR)
    assert frame.groupby("seed")["value"].first().tolist() == pytest.approx([0.5, 0.0, 0.0, 0.7])
