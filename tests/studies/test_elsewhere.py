"""Other signals: what they change, what its claim makes of made-up results, and what is drawn."""

import pytest
import torch

from inductive_bias import layers
from inductive_bias.studies.design import Cell
from inductive_bias.studies.elsewhere import STUDY, figures
from inductive_bias.studies.elsewhere.design import FAST, MODELS, SATURATING, SHARES, SIGNALS, SLOW
from inductive_bias.studies.sequences_needed import saving
from inductive_bias.studies.signal_models import RSA, SIZES, TWIN, Kind
from inductive_bias.studies.signal_vs_samples import STUDY as PLANE
from tests.fakes import differing, fake_results, judged

LATE, EARLY, NEVER = [0.9, 0.8, 0.4, 0.1, 0.02], [0.9, 0.5, 0.1, 0.05, 0.02], [0.9] * 5
NOISE = (-2, 1, 0, 1)


class TestDesign:
    @pytest.mark.parametrize("scale", ["smoke", "laptop", "paper"])
    def test_signals_change_the_recurrent_part_alone(self, scale):
        cells = STUDY.design.cells(scale)
        assert len(cells) == len(SIGNALS) * len(MODELS) * len(SHARES) * len(SIZES[scale].samples)
        for cell, found in cells.items():
            usual = PLANE.design.cells(scale)[Cell(**{name: cell[name] for name in cell if name != "signal"})]
            assert len(found) == SIZES[scale].seeds
            for new, old in zip(found, usual, strict=False):
                assert differing(new, old) == {"task"}
                assert differing(new.task, old.task) == set(SIGNALS[cell["signal"]])

    def test_their_poles_lie_outside_what_decays_start_from(self):
        torch.manual_seed(0)
        rems = [layers.REM(6) for _ in range(200)]
        real = torch.cat([rem.eta.tanh().abs() for rem in rems])
        others = torch.cat([rem.nu.sigmoid() for rem in rems])
        for signal, inside in ((FAST, False), (SLOW, False), (None, True)):
            task = SIZES["laptop"].task.model_copy(update=SIGNALS.get(signal, {}))
            starts = [(task.real_poles[0], real), (task.complex_poles[0][0], others)]
            assert all((low.min() < abs(pole) < low.max()) == inside for pole, low in starts)


def made_up(curves=None, *, noise=0.001, decays=(-0.9, 0.3), scale="laptop"):
    """Errors by signal and kind (LATE if nothing is said), and decays of RSA before and after training."""

    def values(*, number, signal, rho, samples, **levels):
        kind = Kind(**levels)
        curve = (curves or {}).get((signal, kind), LATE)
        given = curve[SIZES[scale].samples.index(samples)]
        given = given[number % len(given)] if isinstance(given, list) else given
        rows = {("test", "excess_error"): given * 2 ** (noise * NOISE[number % 4] * (1 + (kind == RSA)))}
        if kind == RSA:
            for head, of in enumerate(("real", "cos")):
                at = ("model", "decay", ("layer", 1), ("head", head), ("kind", of))
                rows |= {(*at, ("epoch", 0.0)): decays[0], at: decays[1]}
        return rows

    return fake_results(STUDY, values, scale=scale)


class TestClaim:
    def finding(self, curves=None, **options):
        return judged(STUDY, "R2-elsewhere", made_up(curves, **options))

    def word(self, curves=None, **options):
        claim = STUDY.claims[0]
        return claim.word(claim.judge(made_up(curves, **options)))

    def test_a_saving_on_every_signal_is_asked(self):
        saves = {(signal, RSA): EARLY for signal in SIGNALS}
        assert self.word(saves) == "confirmed"
        for signal in SIGNALS:
            assert self.word(saves | {(signal, RSA): LATE}) == "refuted"
            assert signal in self.finding(saves).note

    def test_a_signal_that_the_twin_never_learns_is_left_out_and_named_and_two_must_be_left(self):
        saves = {(signal, RSA): EARLY for signal in SIGNALS}
        without = saves | {(SLOW, TWIN): NEVER, (SLOW, RSA): NEVER}
        assert self.word(without) == "confirmed"
        assert f"{SLOW}: with 8192 sequences" in self.finding(without).note
        judgement = self.finding(without | {(FAST, TWIN): NEVER}).judgement
        assert judgement.verdict == "not testable here"
        assert FAST in judgement.untestable
        assert SATURATING not in judgement.untestable

    def test_runs_that_disagree_leave_it_open(self):
        some = [[early, late, late, early] for early, late in zip(EARLY, LATE, strict=True)]
        assert self.word({(signal, RSA): some for signal in SIGNALS}) == "undecided"

    def test_a_saving_is_that_of_its_own_signal(self):
        results = made_up({(FAST, RSA): EARLY}, noise=0)
        found = {signal: saving(results, SHARES, signal=signal) for signal in SIGNALS}
        assert {signal: round(each.estimate, 6) for signal, each in found.items()} == {FAST: 2, SLOW: 0, SATURATING: 0}
        assert found[FAST].name.endswith(FAST)


class TestTables:
    def test_needs_have_a_row_a_signal_and_share_and_say_who_never_gets_there(self):
        table = figures.need_table(made_up({(FAST, RSA): EARLY, (SLOW, Kind("LSTM")): NEVER}, noise=0))
        row = table.set_index(["signal", "ρ"]).loc[(FAST, "1")]
        assert (row["Attention"], row["RSA"]) == ("2,048", "512")
        assert row["saved"].startswith("+2.000")
        assert table.set_index(["signal", "ρ"]).loc[(SLOW, "0.5"), "LSTM"] == "never"

    def test_decays_stand_beside_their_start_and_the_poles_of_the_signal(self):
        found = figures.decays(made_up(decays=(-0.9, 0.3)))
        assert set(found["when"]) == {"before", "after"}
        by = found.groupby("when")["value"]
        assert (by.min().to_dict(), by.max().to_dict()) == ({"before": 0.9, "after": 0.3},) * 2
        assert set(found["rho"]) == {1.0}
        assert set(found["samples"]) == {SIZES["laptop"].samples[-1]}
        assert figures.poles(SLOW) == {"real": 0.99, "turning": 0.97}
        assert figures.poles(SATURATING) == {}
