"""Windows with their forecasts, and position matrices, of models that were never trained, on made-up series."""

import json
import math
import re
from datetime import datetime, timedelta

import numpy as np
import pandas as pd
import pytest
import torch

from inductive_bias.layers import ToeplitzAttention
from inductive_bias.studies.forecasting import STUDY, figures, widgets
from inductive_bias.studies.forecasting.design import (
    ATTENTION,
    BACKBONES,
    ETTM1,
    GENERATED,
    INFORMER,
    MODEL,
    NAIVE,
    RSA,
    TOEPLITZ,
    TRAINED,
    TRUTH,
    UNTRAINED,
    XL,
    cell,
    lags_at,
    places,
)
from inductive_bias.studies.forecasting.tables import WINDOWS_SHOWN, forecasts, kept_steps, kept_steps_before, lags
from inductive_bias.studies.runs import Runs
from inductive_bias.tasks.forecasting.baselines import LAST, LINEAR, YESTERDAY
from tests.fakes import fake_results
from tests.studies.test_forecasting import results as made


class Untrained(Runs):
    """Runs whose models have their first weights, but those of free matrices, which would be 0: n thousandths."""

    def model(self, trial):
        model = self.untrained(trial)
        for block in model.blocks:
            if isinstance(block.mixer, ToeplitzAttention):
                block.mixer.lags.data[:] = torch.arange(1, block.mixer.length) / 1000
        return model


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("INDUCTIVE_BIAS_HOME", str(tmp_path_factory.mktemp("home")))
        given = STUDY.runs("smoke")
    return Untrained(given.design, given.scale, given.store)


@pytest.fixture(scope="module")
def tables(runs):
    return {"forecasts": forecasts(runs), "lags": lags(runs)}


@pytest.fixture(scope="module")
def results(tables):
    return fake_results(STUDY, lambda **_: {("test", "mse"): 0.5}, scale="smoke", tables=tables)


def trials(model, mixer, place):
    return STUDY.design.cells("smoke")[cell(place, model, mixer)]


class TestForecasts:
    def test_there_is_one_of_every_first_run_and_of_truth_and_baselines(self, tables):
        found, windows = tables["forecasts"], WINDOWS_SHOWN["smoke"]
        firsts = [
            trials(model, mixer, place)[0].id
            for place in places("smoke")
            for model in BACKBONES
            for mixer in (ATTENTION, RSA)
        ]
        assert list(dict.fromkeys(found["trial"])) == firsts
        assert found["known"].nunique() == windows
        for data, horizon in places("smoke"):
            mine = found[found["trial"] == trials(INFORMER, ATTENTION, (data, horizon))[0].id]
            counts = mine.groupby("what")["step"].count().to_dict()
            assert counts == dict.fromkeys((MODEL, *NAIVE), windows * horizon) | {TRUTH: windows * (horizon + 25)}

    @pytest.mark.parametrize("place", places("smoke"))
    def test_truth_and_naive_forecasts_are_values_of_the_file(self, tables, place):
        trial = trials(INFORMER, ATTENTION, place)[0]
        series = trial.task.series()
        values, row_of = series.values[:, -1], {quarters: row for row, quarters in enumerate(series.quarters)}
        found = tables["forecasts"]
        for each in found[(found["trial"] == trial.id) & ~found["what"].isin([MODEL, LINEAR])].itertuples():
            known = row_of[each.known]
            assert 0.8 * len(values) - 1 <= known < len(values) - each.step
            wanted = {
                TRUTH: values[known + each.step],
                LAST: values[known],
                YESTERDAY: values[known - 23 + (each.step - 1) % 24],
            }[each.what]
            assert each.value == pytest.approx(wanted, abs=0 if each.what == TRUTH else 0.0051)

    @pytest.mark.parametrize("model", [INFORMER, XL])
    def test_a_model_reads_the_standardised_rows_before_and_answers_in_the_unit_of_the_file(self, runs, tables, model):
        trial = trials(model, RSA, (GENERATED, 8))[0]
        series = trial.task.series()
        train = series.values[: int(0.7 * len(series.values))]
        table = np.column_stack([(series.values - train.mean(0)) / train.std(0), series.quarters])
        found = tables["forecasts"]
        for known, said in found[found["trial"] == trial.id].groupby("known"):
            end = list(series.quarters).index(known) + 1
            rows = torch.from_numpy(table[end - trial.task.past : end]).float()[None]
            with torch.no_grad():
                answer = runs.model(trial)(rows)[0, :, -1].numpy() * train.std(0)[-1] + train.mean(0)[-1]
            np.testing.assert_allclose(said.sort_values("step")["value"], answer, atol=0.0051)

    def test_of_a_long_horizon_steps_are_kept_that_divide_a_day(self):
        for place in places("paper"):
            task = STUDY.design.cells("paper")[cell(place, INFORMER, ATTENTION)][0].task
            kept = kept_steps(task.horizon)
            assert len(kept) <= 56
            assert kept[-1] == task.horizon
            assert task.day % kept.step == 0
            assert kept_steps_before(task)[-1] == 0
            assert kept_steps_before(task)[0] <= -task.day
        assert kept_steps(336) == range(6, 337, 6)
        assert kept_steps(24) == range(1, 25)
        assert places("paper").count((ETTM1, 288)) == 1

    def test_what_is_not_finite_has_no_row(self, runs):
        class Diverged(Untrained):
            def model(self, trial):
                model = super().model(trial)
                model.readout.bias.data[:] = math.nan
                return model

        found = forecasts(Diverged(runs.design, runs.scale, runs.store))
        assert set(found["what"]) == {TRUTH, *NAIVE}


class TestLags:
    @pytest.mark.parametrize("model", BACKBONES)
    def test_they_are_gate_times_powers_at_multiples_of_the_dilation(self, runs, tables, model):
        trial = trials(model, RSA, lags_at("smoke"))[1]
        made, found = runs.untrained(trial), tables["lags"]
        found = found[(found["trial"] == trial.id) & (found["when"] == UNTRAINED)]
        far = {1: (1, 1, 24, 24), 2: (1, 1, 12, 12) if model == INFORMER else (1, 1, 24, 24), 3: (1, 1, 24, 24)}
        every = {2: 2} if model == INFORMER else {}
        assert set(found["layer"]) == set(range(1, len(made.blocks) + 1))
        for each in found[found["lag"] <= 60].itertuples():
            mixer, head = made.blocks[each.layer - 1].mixer, each.head - 1
            steps_back, dilation = each.lag / every.get(each.layer, 1), far[each.layer][head]
            assert steps_back == int(steps_back)
            n, wanted = steps_back / dilation, 0.0
            if n and n == int(n):
                wanted = mixer.gate[0].item() * mixer.rem.decay[head].item() ** int(n)
                wanted *= math.cos(n * math.pi / 4) if "cos" in each.kind else 1.0
            assert each.value == pytest.approx(wanted, abs=6e-5)

    def test_those_of_a_free_matrix_are_its_numbers_as_far_as_there_are_any(self, tables):
        trial = trials(INFORMER, TOEPLITZ, lags_at("smoke"))[0]
        found = tables["lags"]
        found = found[(found["trial"] == trial.id) & (found["kind"] == "free")]
        assert found.loc[found["when"] == UNTRAINED, "value"].eq(0).all()
        trained = found[(found["when"] == TRAINED) & (found["layer"] == 2)]
        assert trained["lag"].tolist() == list(range(0, 2 * trial.model.mixer.length, 2)) * 4
        np.testing.assert_allclose(trained["value"], 0.5 * trained["lag"] / 2 / 1000, atol=5.1e-5)

    def test_the_comb_is_the_share_of_whole_days(self):
        first = trials(INFORMER, RSA, lags_at("smoke"))[0].id
        rows = [
            {"trial": first, "when": when, "layer": 1, "head": 1, "kind": "real", "lag": lag, "value": value}
            for when, values in ((TRAINED, {1: -1.0, 24: 3.0, 48: 0.0}), (UNTRAINED, {1: 1.0, 24: 1.0, 48: 0.0}))
            for lag, value in ({0: 9.0} | values).items()
        ]
        table = pd.DataFrame(rows)
        found = figures.comb(
            fake_results(STUDY, lambda **_: {("test", "mse"): 0.5}, scale="smoke", tables={"lags": table})
        )
        (row,) = found.to_dict("records")
        assert row["model"] == "Informer, RSA"
        assert (row["weights, trained"], row["weights, untrained"]) == ("4.00", "2.00")
        assert (row["on days, trained"], row["on days, untrained"]) == ("0.75", "0.50")
        assert row["if spread evenly"] == pytest.approx(2 / 3)


def test_a_time_is_counted_from_2007_in_quarters_of_an_hour():
    assert figures.moment(0) == "1 January 2007, 00:00"
    quarters = (datetime(2018, 3, 12, 5, 45) - datetime(2007, 1, 1)) / timedelta(minutes=15)
    assert figures.moment(round(quarters)) == "12 March 2018, 05:45"


def test_the_explorer_has_every_window_and_says_how_far_a_forecast_is_off(results, tables):
    data = json.loads(re.search(r"DATA = (\{.*\});", widgets.explorer(results).html)[1])
    (table,) = data["tables"]
    assert table["horizons"] == ["4 hours", "8 hours"]
    assert len(table["starts"]) == WINDOWS_SHOWN["smoke"]
    assert data["models"] == list(BACKBONES)
    found = tables["forecasts"]
    known = sorted(found["known"].unique())[1]
    first, rsa = (trials(*of, (GENERATED, 8))[0].id for of in ((INFORMER, ATTENTION), (XL, RSA)))
    found = (
        found[(found["known"] == known) & (found["step"] > 0)]
        .set_index(["trial", "what", "step"])["value"]
        .sort_index()
    )
    away = (found[rsa, MODEL] - found[first, TRUTH]).abs().mean()
    assert table["windows"][1][1]["off"][1 + BACKBONES.index(XL)][1] == pytest.approx(away, rel=5e-3)
    assert table["starts"][1] == figures.moment(int(known))


def test_ratios_are_to_the_better_of_two_naive_forecasts():
    naive = {"yesterday": 0.4, "line": lambda data, horizon: 0.5}
    found = figures.against_naive(made(**naive))
    assert found.shape == (16, 1 + 6)
    assert found["ridge regression"].eq(0.5 / 0.4).all()
    assert found.loc["ETTh1, 24", "Informer, Attention"] == pytest.approx(0.8 / 0.4, rel=5e-3)
    known = figures.against_naive(made(**naive), reported=True)
    assert known.shape == (16, 6)
    assert known.loc["ETTh1, 24", "Informer, RSA"] == pytest.approx(0.414 / 0.4)


def test_rungs_have_every_mixer_and_three_baselines():
    found = figures.rungs(made(yesterday=0.5))
    assert len(found) == 4 * (3 + 5 * 5)
    assert found.loc[found["mixer"] == YESTERDAY, "value"].eq(0.5).all()
