"""Position matrices on characters: a matched design, claims that can fail, and counts that are those of the models."""

import math
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy import stats

from inductive_bias.running import build
from inductive_bias.store import Store
from inductive_bias.studies.design import Cell
from inductive_bias.studies.rem_vs_toeplitz import STUDY, claims, figures, measures, tables
from inductive_bias.studies.rem_vs_toeplitz.claims import NO_CHANGE, NO_WORSE
from inductive_bias.studies.rem_vs_toeplitz.design import (
    ALIBI,
    ATTENTION,
    CHOSEN,
    CHOSEN_KINDS,
    CHOSEN_KINDS_SHARED,
    CHOSEN_SHARED,
    DESIGN,
    NONE,
    OF_CHOSEN,
    RATE_AND_HEADS,
    SEARCHED,
    SETTINGS,
    SIZES,
    TUNING,
    cell,
    chosen_settings,
    label,
    twin_of,
)
from inductive_bias.studies.runs import Runs
from inductive_bias.studies.scales import SCALES
from inductive_bias.verdicts import equivalent, exceeds, falls_below, not_
from tests.fakes import fake_results, judged

TWIN, FREE, FREE_HALF = cell(ATTENTION), cell("Free Toeplitz"), cell("Free Toeplitz", "half plain")
SHARED, PER_HEAD, REM_HALF = (cell("RSA", name) for name in ("shared", "per head", "half plain"))
PRINTED = cell("RSA", "printed diagonal")
REM_CHOSEN, FREE_CHOSEN, TWIN_CHOSEN = (cell(model, CHOSEN) for model in ("RSA", "Free Toeplitz", ATTENTION))
REM_SHARED = cell("RSA", CHOSEN_SHARED)
#: With a matrix in every head: the chosen kinds, and the paper's heads.
KINDS_SHARED, KINDS_OWN = cell("RSA", CHOSEN_KINDS_SHARED), cell("RSA", CHOSEN_KINDS)
GUESS = math.log2(66)  # as likely as any of Tiny Shakespeare's 65 characters, or an unknown one


def is_further(at):
    """Whether the search went on to a place because the best stood at the end of the rates."""
    rates = {float(f"{SIZES['laptop'].rate * factor:.2g}") for factor in (1.0, 2**-0.5, 2**0.5)}
    return at["learning_rate"] not in rates


def made_up(bits, *, spread=0.001, common=0.05, lost=(), absent=()):
    """Results with the given BPCs by cell (2.0 elsewhere); seeds differ by ``common`` in all alike and by ``spread``.

    ``lost``: pairs of a cell and a number that diverged; ``absent``: those that there are none of.
    """
    noise = np.random.default_rng(0)

    def values(number, **levels):
        found = bits.get(Cell(**levels), 2.0) + common * number + spread * noise.standard_normal()
        known = {("test", "bpc"): found, ("test", "bpc", ("part", "second half")): found - 0.5}
        known |= {("test", "bpc", ("context", context)): found + context for context in (1.0, 2.0)}
        if (Cell(**levels), number) in absent:
            return {}
        return dict.fromkeys(known, math.nan) if (Cell(**levels), number) in lost else known

    return fake_results(STUDY, values, seeds=5)


class TestDesign:
    @pytest.mark.parametrize("scale", SCALES)
    def test_all_share_text_seeds_steps_and_rate_but_the_linear_rnn_s(self, scale):
        sizes, found = SIZES[scale], DESIGN.cells(scale)
        for each, trials in found.items():
            assert {(trial.task, trial.schedule) for trial in trials} == {(sizes.task, sizes.schedule)}
            if each["variant"] in OF_CHOSEN:
                runs = sizes.chosen_kinds if each in (KINDS_OWN, KINDS_SHARED) else sizes.chosen
                assert [trial.seed for trial in trials] == list(range(runs))
                continue
            assert [trial.seed for trial in trials] == list(range(sizes.more.get(each, sizes.seeds)))
            wanted = sizes.linear_rate if each["model"] == "Linear RNN" else sizes.rate
            assert {trial.optimiser.learning_rate for trial in trials} == {wanted}

    @pytest.mark.parametrize("scale", SCALES)
    def test_five_scalars_a_layer_is_what_the_paper_s_heads_add_when_shared(self, scale):
        sizes = SIZES[scale]
        extra = {each: measures.extra_scalars(trial) for each, (trial, *_) in DESIGN.cells(scale).items()}
        assert extra[SHARED] == extra[PRINTED] == extra[REM_HALF] == 5
        assert extra[PER_HEAD] == 2 * sizes.heads + 1
        assert extra[FREE] == sizes.heads * (sizes.task.window - 1) + 1
        assert extra[FREE_HALF] == sizes.heads // 2 * (sizes.task.window - 1) + 1
        assert extra[cell(ATTENTION, positions=ALIBI)] == 0
        for model in ("Linear RNN", "LSTM"):  # about the parameters of attention
            assert abs(extra[cell(model, positions=NONE)]) < 0.05 * 4 * sizes.base["width"] ** 2

    def test_the_published_heads_are_those_of_text8(self):
        heads = {name: DESIGN.cells("paper")[cell("RSA", name)][0].model.mixer for name in ("half plain", "undilated")}
        assert (heads["half plain"].counts, heads["half plain"].dilation) == ((0, 0, 0, 0, 2, 2), (6, 6, 12, 12))
        assert (heads["half plain"].plain, heads["undilated"].counts) == (4, (4, 2, 2, 0, 0, 0))

    def test_a_cell_and_its_twin_differ_in_the_mixer_alone(self):
        found = DESIGN.cells("laptop")
        for each, (trial, *_) in found.items():
            if each["variant"] in OF_CHOSEN:
                continue
            twin = found[twin_of(each["positions"])][0].model
            assert trial.model == twin.model_copy(update={"mixer": trial.model.mixer})
            assert getattr(trial.model.mixer, "heads", twin.mixer.heads) == twin.mixer.heads

    def test_attention_rsa_and_free_matrices_get_searches_of_one_length_with_seeds_of_their_own(self):
        judged_seeds = {trial.seed for trials in DESIGN.cells("laptop").values() for trial in trials}
        by_search = {}
        for at, (trial,) in TUNING.design.cells("laptop").items():
            by_search.setdefault((at["model"], at["search"]), []).append(at)
            assert trial.seed not in judged_seeds
        first = {key: [at for at in places if not is_further(at)] for key, places in by_search.items()}
        assert {key: len(places) for key, places in first.items()} == {
            **{(model, SETTINGS): 18 for model in SEARCHED},
            **{(model, RATE_AND_HEADS): 6 for model in SEARCHED},
        }
        assert TUNING.design.cells("paper") == {}

    def test_chosen_cells_have_what_the_search_chose_and_differ_in_it_alone(self):
        found, sizes = DESIGN.cells("laptop"), SIZES["laptop"]
        for model in SEARCHED:
            place, (trial, *_) = chosen_settings("laptop", model), found[cell(model, CHOSEN)]
            assert trial.optimiser.learning_rate == place["learning_rate"]
            assert (trial.model.layers, trial.model.width) == (sizes.base["layers"], sizes.base["width"])
            assert trial.model.positions == "sinusoidal"
            assert trial.model.dropout == (place.get("dropout") or 0.0)
            if model != ATTENTION:
                assert trial.model.mixer.plain == trial.model.mixer.heads // 2
        for pair in ((REM_CHOSEN, REM_SHARED), (KINDS_OWN, KINDS_SHARED)):
            own, shared = (found[each][0].model for each in pair)
            assert shared == own.model_copy(update={"mixer": own.mixer.model_copy(update={"shared": True})})

    def test_chosen_kinds_are_the_chosen_heads_in_every_head_and_have_something_to_share(self):
        found = DESIGN.cells("laptop")
        half, every = (found[each][0] for each in (REM_CHOSEN, KINDS_OWN))
        assert (half.model.mixer.counts, half.model.mixer.plain) == ((0, 1, 1, 0, 0, 0), 2)
        assert (every.model.mixer.counts, every.model.mixer.plain) == ((0, 2, 2, 0, 0, 0), 0)
        same = {"plain": 2, "counts": half.model.mixer.counts}
        assert half.model == every.model.model_copy(update={"mixer": every.model.mixer.model_copy(update=same)})
        assert (half.optimiser, half.schedule, half.task) == (every.optimiser, every.schedule, every.task)
        # a decay and an angle of each head against one pair of each kind, and the gate
        assert [measures.extra_scalars(found[each][0]) for each in (KINDS_OWN, KINDS_SHARED)] == [9, 5]

    def test_paper_trains_for_the_published_number_of_steps_and_parameters(self):
        sizes = SIZES["paper"]
        steps = sizes.schedule.epochs * (90_000_000 // sizes.task.window // sizes.schedule.batch_size)
        assert steps == pytest.approx(400_000, rel=0.01)
        model = measures.fresh_model(DESIGN.cells("paper")[REM_HALF][0])
        # RSA-XL of 14 layers has 54.6 million, those of its relative positions and longer embedding among them
        assert sum(value.numel() for value in model.parameters()) == pytest.approx(54.6e6, rel=0.25)

    def test_names_are_made_of_levels(self):
        assert [label(**each) for each in (TWIN, REM_HALF)] == ["Attention, sinusoidal", "RSA, half plain, sinusoidal"]
        assert label(**cell(ATTENTION, positions=ALIBI)) == "Attention, ALiBi"
        assert label(**cell("RSA", "undilated", NONE)) == "RSA, undilated"


class TestClaims:
    """Made-up results with a known truth."""

    @pytest.mark.parametrize(
        ("rem", "spread", "verdict"),
        [
            (1.98, 0.001, "reproduced"),
            (1.998, 0.001, "not reproduced"),  # a gain, but less than half of the paper's smallest, .012
            (2.02, 0.001, "not reproduced"),
            (1.99, 0.1, "undecided"),
        ],
    )
    def test_the_rem_must_beat_the_free_matrix(self, rem, spread, verdict):
        found = judged(STUDY, "R6", made_up({REM_CHOSEN: rem}, spread=spread))
        assert found.judgement.verdict == verdict
        few, many = (measures.extra_scalars(DESIGN.cells("laptop")[each][0]) for each in (REM_CHOSEN, FREE_CHOSEN))
        assert found.note.startswith(f"{few} against {many} extra scalars a layer")
        error = spread * math.sqrt(2 / 5)  # of the mean of five differences
        assert found.shown.estimate == pytest.approx(2.0 - rem, abs=3 * error)

    @pytest.mark.parametrize(
        ("few", "more", "verdict"),
        [
            (1.98, 2.0, "reproduced"),
            (1.98, 1.98 - NO_WORSE / 2, "reproduced"),
            (1.98, 1.98 - 3 * NO_WORSE, "not reproduced"),  # a gain, but scalars a head gain far more
            (2.02, 2.0, "not reproduced"),
        ],
    )
    @pytest.mark.parametrize("chosen", [True, False])
    def test_five_scalars_must_gain_and_hardly_lose_against_more(self, few, more, verdict, chosen, monkeypatch):
        monkeypatch.setattr(claims, "has_chosen", lambda results: chosen)
        rem, every, own = (REM_SHARED, KINDS_SHARED, KINDS_OWN) if chosen else (REM_HALF, SHARED, PER_HEAD)
        found = judged(STUDY, "R8", made_up({rem: few, every: few, own: more}))
        assert found.judgement.verdict == verdict
        assert label(**own) in found.note

    def test_what_sharing_costs_pays_for_the_look_at_the_paper_s_heads(self):
        results = made_up({REM_SHARED: 1.9, KINDS_OWN: 1.995}, spread=0.001)
        gain, loss = judged(STUDY, "R8", results).judgement.parts
        assert (gain.looks, loss.looks) == ((), claims.LOOKS_AT_SHARING)
        assert (5, SIZES["laptop"].chosen_kinds) == claims.LOOKS_AT_SHARING
        once = falls_below(measures.fewer_bits(results, KINDS_OWN, KINDS_SHARED), NO_WORSE)
        assert loss.p == pytest.approx(2 * once.p)

    def test_five_scalars_are_open_where_the_seeds_disagree(self):
        assert judged(STUDY, "R8", made_up({REM_SHARED: 1.99}, spread=0.1)).judgement.verdict == "undecided"

    @pytest.mark.parametrize(
        ("printed", "spread", "word"),
        [
            (1.98, 0.001, "confirmed"),
            (2.02, 0.001, "confirmed"),
            (2.0, NO_CHANGE / 20, "refuted"),
            (2.0 + NO_CHANGE, 0.001, "undecided"),
            (2.0, 0.1, "undecided"),
        ],
    )
    def test_the_diagonal_matters_matters_not_or_is_open(self, printed, spread, word):
        claim = next(claim for claim in STUDY.claims if claim.id == "R10")
        assert claim.word(claim.judge(made_up({PRINTED: printed}, spread=spread))) == word

    def test_the_paper_s_effect_is_that_over_free_matrices_and_over_attention_a_size_of_our_own(self):
        found = made_up({REM_CHOSEN: 1.98, REM_SHARED: 1.98})
        (asked,) = judged(STUDY, "R6", found).judgement.asked
        assert (asked.paper, asked.margin) == (pytest.approx(0.012), pytest.approx(0.006))
        half = claims.least_gain(found, REM_CHOSEN, FREE_CHOSEN)
        assert half.compared == asked.contrast.compared == tuple(label(**each) for each in (FREE_CHOSEN, REM_CHOSEN))
        with pytest.raises(ValueError, match="one baseline"):
            exceeds(measures.fewer_bits(found, REM_CHOSEN, TWIN), half)
        gain, _ = judged(STUDY, "R8", found).judgement.parts
        assert [(each.paper, each.margin) for each in gain.asked] == [(None, pytest.approx(0.001))]

    def test_the_diagonal_pays_for_the_look_after_five_runs(self):
        printed = {PRINTED: 2.0 + 2 * NO_CHANGE}
        found, claim = made_up(printed, spread=0.0065), "R10"
        change = measures.fewer_bits(found, SHARED, PRINTED)
        once = not_(equivalent(change, NO_CHANGE))
        twice = judged(STUDY, claim, found).judgement
        assert twice.looks == (5, SIZES["laptop"].more[PRINTED])
        assert twice.p == pytest.approx(2 * once.p)
        assert (once.verdict, twice.verdict) == ("reproduced", "undecided")

    def test_a_diverged_run_counts_as_a_uniform_guess(self):
        found = judged(STUDY, "R6", made_up({REM_CHOSEN: 1.9}, spread=0, common=0, lost=[(REM_CHOSEN, 1)]))
        assert found.shown.values.tolist() == pytest.approx([0.1, 2 - GUESS, 0.1, 0.1, 0.1])
        assert found.shown.failed == ("RSA, chosen, sinusoidal, seed 1",)
        assert found.judgement.verdict == "undecided"

    def test_gains_of_the_paper_are_those_of_the_replies(self):
        bits = measures.paper_bits(made_up({}))
        others = bits["Free Toeplitz"].fillna(bits[ATTENTION])
        wanted = [0.012, 0.018, 0.019, 0.018, 0.0027, 0.007, 0.002, 0.006, 0.007, 0.0063]
        assert (others - bits["RSA"]).tolist() == pytest.approx(wanted)

    def test_without_chosen_cells_the_paper_s_heads_judge_in_half_of_the_heads(self, monkeypatch):
        monkeypatch.setattr(claims, "has_chosen", lambda results: False)
        found = made_up({REM_HALF: 1.98})
        assert judged(STUDY, "R6", found).shown.compared == tuple(label(**each) for each in (FREE_HALF, REM_HALF))
        assert [judged(STUDY, claim, found).judgement.verdict for claim in ("R6", "R8")] == ["reproduced"] * 2
        assert "heads of its 14-layer model, 5 runs" in claims.regime(found)
        monkeypatch.undo()
        assert "heads chosen on validation text" in claims.regime(found)
        assert claims.regime_of_scalars(found) == claims.regime(found)
        # half of R8 has runs of its own
        assert claims.regime_of_scalars(STUDY.results("laptop")).endswith(", 6 and 16 runs")


class TestTables:
    def test_pairs_have_scipy_s_interval_by_number_and_what_seeds_do_to_both_is_no_noise(self):
        results = made_up({SHARED: 1.98}, common=10.0)
        both = [results.values("bpc", split="test", **each) for each in (TWIN, SHARED)]
        saved = measures.fewer_bits(results, SHARED, TWIN)
        assert (saved.low, saved.high) == pytest.approx(tuple(stats.ttest_rel(*both).confidence_interval()))
        assert saved.high - saved.low < 0.01
        welch = stats.ttest_ind(*both, equal_var=False).confidence_interval()
        alone = measures.fewer_bits(results, SHARED, TWIN, pairs=False)
        assert (alone.low, alone.high) == pytest.approx(tuple(welch))

    def test_where_a_cell_has_more_runs_those_of_the_same_numbers_are_compared(self):
        results = made_up({SHARED: 1.9}, spread=0, common=10.0, absent=[(TWIN, 3), (TWIN, 4)])
        saved = measures.fewer_bits(results, SHARED, TWIN)
        assert saved.values.tolist() == pytest.approx([0.1] * 3)
        assert saved.failed == ()
        frame = results.frame("bpc", split="test", by="context", positions="sinusoidal")
        table = figures.less_twin(figures.with_mixer(frame), "context")
        assert table["value"].notna().all()
        of_chosen = table["variant"].isin(OF_CHOSEN)
        assert set(table.loc[~of_chosen, "number"]) == {0, 1, 2}
        assert set(table.loc[of_chosen, "number"]) == {0, 1, 2, 3, 4}

    def test_the_table_names_diverged_runs_and_compares_no_twin_with_itself(self):
        table = figures.bpc_table(made_up({SHARED: 1.9}, spread=1e-6, lost=[(FREE, 0)])).set_index("model")
        twin, rsa, free = (table.loc[label(**each)] for each in (TWIN, SHARED, FREE))
        assert twin["− twin, paired":].isna().all()
        assert rsa["BPC"] == "2.000\u00a0±\u00a00.0791"
        assert rsa["BPC, second half"] == "1.500\u00a0±\u00a00.0791"
        assert rsa["− twin, paired"].startswith("−0.100\u00a0[−0.100")
        assert rsa["in percent"] == "−4.76"  # .1 of 2.1
        assert free["BPC"] == "2.125\u00a0±\u00a00.0645 (1 diverged)"
        assert free["− twin, paired"].startswith(f"+{(GUESS - 2) / 5:.3f}")

    def test_values_are_taken_less_the_twin_s_by_number_and_context(self):
        known = {SHARED: 1.9, REM_CHOSEN: 1.7, TWIN_CHOSEN: 1.95}
        frame = made_up(known, spread=0).frame("bpc", split="test", by="context", positions="sinusoidal")
        table = figures.less_twin(figures.with_mixer(frame), "context")
        assert not {ATTENTION, "Attention, chosen"} & set(table["mixer"].cat.categories)
        assert len(table) == 13 * 5 * 2
        wanted = {"RSA, shared": -0.1, "RSA, chosen": -0.25, "RSA, chosen, shared": 0.05, "Free Toeplitz, chosen": 0.05}
        wanted |= {"RSA, chosen kinds": 0.05, "RSA, chosen kinds, shared": 0.05}
        for mixer, rows in table.groupby("mixer", observed=True):
            assert rows["value"].tolist() == pytest.approx([wanted.get(mixer, 0.0)] * 10)

    def test_values_less_the_twin_s_do_not_depend_on_the_order_of_rows(self):
        frame = made_up({SHARED: 1.9}).frame("bpc", split="test", positions="sinusoidal")
        at = ["mixer", "number"]
        tables = [figures.less_twin(figures.with_mixer(each)) for each in (frame, frame.sample(frac=1, random_state=1))]
        values = [table.astype({"mixer": str}).set_index(at)["value"].sort_index() for table in tables]
        assert values[0].index.is_unique
        assert values[0].equals(values[1])

    def test_extra_scalars_are_counted_as_in_the_real_models_and_a_frozen_rem_trains_its_gate_alone(self):
        found = DESIGN.cells("laptop")
        twin = build(found[TWIN][0]).blocks[0].mixer
        for trial, *_ in found.values():
            mixer = build(trial).blocks[0].mixer
            more = sum(p.numel() for p in mixer.parameters()) - sum(p.numel() for p in twin.parameters())
            assert measures.extra_scalars(trial) == more
        assert measures.extra_scalars(found[cell("RSA", "frozen")][0], trained=True) == 1


class Drawn(Runs):
    """Runs whose models are as they were drawn, free lags drawn as well."""

    def model(self, trial):
        torch.manual_seed(trial.seed)
        model = build(trial)
        for block in model.blocks:
            if hasattr(block.mixer, "lags"):
                torch.nn.init.normal_(block.mixer.lags)
        return model


def test_lags_are_the_share_of_the_gate_of_what_the_matrix_holds():
    runs = Drawn(DESIGN, "smoke", Store(Path("nowhere")))
    table, shown = tables.lags(runs), (FREE, SHARED, cell("RSA", "undilated"))
    assert list(dict.fromkeys(table["trial"])) == [trial.id for each in shown for trial in DESIGN.cells("smoke")[each]]
    for each in shown:
        trial = DESIGN.cells("smoke")[each][1]
        mixer, length = runs.model(trial).blocks[1].mixer, trial.task.window
        here = table[(table["trial"] == trial.id) & (table["layer"] == 2) & (table["head"] == 3)]
        assert here["lag"].tolist() == list(range(length))
        # what a head makes of a token that is 1 and of nothing after it
        one = torch.zeros(1, 4, length, 1)
        one[:, :, 0] = 1
        matrix = mixer.matrix(length) if each == FREE else mixer.rem.matrix(length)
        reached = (mixer.gate * (matrix @ one))[0, 2, :, 0].detach()
        torch.testing.assert_close(torch.tensor(here["value"].tolist()), reached)
