"""What widgets have in common, without a browser; `tests/site/test_widgets.py` moves them in one."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb

from inductive_bias.plotting import FAMILIES, QUALITATIVE, Played, Word, flow_weights, relative_luminance, rem_widget
from inductive_bias.plotting.interactive.base import CONTRAST, NIGHT, night, rounded
from tests.made_widgets import (
    WIDGETS,
    automaton,
    beat_rows,
    beats,
    code,
    flow,
    forecast_rows,
    forecasts,
    forest,
    influence,
    plane,
    shift,
    slices,
    temperature,
    window,
)

#: The most bytes that a widget may add to a page.
MOST = 100_000


def data_of(widget) -> dict:
    """What the script is given."""
    return json.loads(re.search(r"DATA = (\{.*\});", widget.html)[1])


@pytest.mark.parametrize("make", WIDGETS.values(), ids=WIDGETS)
class TestAnyWidget:
    def test_it_is_the_same_at_every_call_fetches_nothing_and_is_small(self, make):
        first, again = make(), make()
        assert first._repr_html_() == again._repr_html_()
        assert not re.search(r"(https?:)?//(?!\s)[\w.]+\.\w+/|src=|href=|@import|url\(|fetch\(", first.html)
        assert len(first.html.encode()) < MOST
        assert repr(first) == again.text

    def test_every_control_has_a_name_and_every_picture_a_description(self, make):
        html = make().html
        for tag in re.findall(r'<input type="range"[^>]*>', html):
            assert re.search(r'aria-label="[^"]+"', tag)
        for label in re.findall(r"<label>(.*?)</label>", html, flags=re.S):
            assert re.sub(r"<[^>]+>", "", label).strip()
        assert 'role="img"' in html
        assert re.search(r'role="group" aria-label="[^"]+"', html)

    def test_one_line_speaks(self, make):
        html = make().html
        assert html.count('role="status"') == 1
        assert "<output" not in html  # an output is a live region, too
        assert "aria-live" not in html

    def test_words_for_who_has_no_script_stand_outside_of_what_is_hidden_without_one(self, make):
        html = make().html
        assert html.index("<noscript>") > html.rindex("</div>")
        assert re.search(r"<noscript>This part needs JavaScript. \w+", html)

    def test_nothing_moves_by_itself(self, make):
        assert not re.search(r"transition|animation|setInterval|@keyframes", make().html)

    def test_ids_follow_the_contents(self, make):
        (name,) = set(re.findall(r'class="bias-widget" id="([\w-]+)"', make().html))
        assert f'const ID = "{name}"' in make().html


def test_two_widgets_on_a_page_do_not_share_an_id():
    ids = [re.search(r'id="(rem-\w+)"', rem_widget(length).html)[1] for length in (12, 24)]
    assert ids[0] != ids[1]
    assert ids[0] not in rem_widget(24).html


def test_words_cannot_end_the_script_or_open_a_tag():
    html = temperature(notes={1.0: "</script><b>"}, instead="a < b").html
    assert html.count("</script>") == 1
    assert "a &lt; b" in html


@pytest.mark.parametrize("text", ["<!--<script>", "</SCRIPT>", "<!-- a", "<script", "a < b <= c", "<?x"])
def test_no_words_swallow_the_page(text):
    """Within ``<!--<script`` a browser looks for two ends of the script, and finds one."""
    html = temperature(notes={1.0: text}, instead="nothing").html
    (script,) = re.findall(r"<script>(.*?)</script>", html, flags=re.DOTALL)
    assert not re.search(r"<(?:!--|/?script)", script, flags=re.IGNORECASE)
    data = script[script.index("DATA = ") + len("DATA = ") :]
    assert text in str(json.JSONDecoder().raw_decode(data)[0])


def test_a_matrix_of_one_token_is_refused():
    with pytest.raises(ValueError, match="length must be at least 2, not 1"):
        rem_widget(1)


@pytest.mark.parametrize("colour", [*(look.colour for look in FAMILIES.values()), *QUALITATIVE, "#ffffff", "#000000"])
def test_colours_can_be_read_at_night(colour):
    ground, found = (relative_luminance(to_rgb(each)) for each in (NIGHT, night(colour)))
    assert (found + 0.05) / (ground + 0.05) >= CONTRAST


def test_a_colour_that_is_light_enough_stays():
    assert night("#ffd479") == "#ffd479"


@pytest.mark.parametrize(("value", "want"), [(0.123456, 0.123), (12345.0, 12300.0), (0.0, 0.0), (np.inf, None)])
def test_numbers_are_rounded_to_what_is_shown(value, want):
    assert rounded(value) == want


class TestPlane:
    def test_every_run_is_at_its_place(self):
        data = data_of(plane())
        assert (data["x"], data["y"]) == (["0", "1"], ["8", "1,024"])
        np.testing.assert_allclose(data["runs"][0][1][1], [0.2 * 2 / 8] * 3, rtol=1e-3)  # n = 8, ρ = 1, RSA
        assert data["best"] == [[[0], [0]], [[0], [0]]]

    def test_the_axis_holds_every_number(self):
        axis = data_of(plane())["axis"]
        assert axis["low"] < 0.1 / 1024
        assert axis["high"] > 0.2 * 2 / 8
        assert axis["ticks"] == pytest.approx([1e-4, 1e-3, 1e-2])

    def test_a_diverged_run_is_kept_as_a_gap(self):
        frame = pd.DataFrame({"rho": [0.0] * 2, "samples": [8] * 2, "model": ["RSA"] * 2, "value": [np.nan, 0.5]})
        assert data_of(plane(data=frame, best=frame[:1], letters={"RSA": "R"}))["runs"] == [[[[None, 0.5]]]]

    def test_what_cannot_be_drawn_is_refused(self):
        frame = pd.DataFrame({"rho": [0.0], "samples": [8], "model": ["RSA"], "value": [0.0]})
        with pytest.raises(ValueError, match="positive"):
            plane(data=frame)
        with pytest.raises(ValueError, match="nothing is the best at samples = 8, rho = 0"):
            plane(data=frame.assign(value=1.0), best=frame[:0])
        with pytest.raises(ValueError, match="no column 'error'"):
            plane(x="error")


class TestSlices:
    def test_a_place_without_strings_is_empty(self):
        frame = pd.DataFrame({"length": [5.5], "language": ["aa"], "mixer": ["RSA"], "measure": "m", "value": [0.25]})
        data = data_of(slices(data=frame, measures={"m": "whole strings right"}))
        assert data["values"] == [[[[0.25]], [[None]]]]

    def test_one_measure_is_no_choice(self):
        assert 'data-role="measure"' not in slices().html
        assert 'data-role="measure"' in slices(measures={"whole strings right": "a", "answers": "b"}).html

    def test_more_than_everything_is_refused(self):
        frame = pd.DataFrame({"length": [5.5], "language": ["aa"], "mixer": ["RSA"], "measure": "m", "value": [1.5]})
        with pytest.raises(ValueError, match=r"0\.\.1"):
            slices(data=frame)


class TestForest:
    def test_the_words_of_an_interval_are_the_package_s_own_and_an_unknown_end_is_open(self):
        rows = data_of(forest())["rows"]
        assert rows[0] == [0, 0, "minus alone", 0.1, 0.05, 0.15, "+0.100 [+0.050, +0.150]"]
        assert rows[1][3:6] == [0.1, None, None]

    def test_an_axis_holds_its_intervals_and_zero(self):
        for low, high in data_of(forest())["limits"]:
            assert low <= 0 < 0.1 < high

    def test_a_measure_without_a_better_side_is_refused(self):
        with pytest.raises(ValueError, match="more or less of 'ECE' is better"):
            forest(better={"A-acc": 1})


class TestTemperature:
    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"logits": [1.0, np.nan]}, "finite"),
            ({"label": 3}, "label must be in 0..2, not 3"),
            ({"start": 6.0}, "temperature must be one of .* not 6"),
            ({"notes": {6.0: "?"}}, "not 6"),
        ],
    )
    def test_bad_input_is_refused(self, change, message):
        with pytest.raises(ValueError, match=message):
            temperature(**change)


@pytest.mark.parametrize("name", WIDGETS)
def test_every_colour_that_a_script_asks_for_is_defined(name):
    html = WIDGETS[name]().html
    # a name may be put together from a choice: var(--${inside ? "accent" : "muted"})
    asked = set(re.findall(r"var\(--([a-z0-9-]+)", html)) | {
        word for choice in re.findall(r"var\(--\$\{[^}]*\}", html) for word in re.findall(r'"([a-z]+)"', choice)
    }
    defined = set(re.findall(r"--([a-z0-9-]+):", html))
    # numbered colours are put together as well: var(--c${i})
    assert {word for word in asked if not word.startswith("pst-")} - {"c"} <= defined


class TestWindow:
    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"contraction": 0.42}, "contraction must be one of .* not 0.42"),
            ({"error": 0.2}, "error must be one of"),
            ({"contractions": (0.9, 1.0)}, "contraction must lie strictly between 0 and 1, not 1"),
        ],
    )
    def test_bad_input_is_refused(self, change, message):
        with pytest.raises(ValueError, match=message):
            window(**change)


class TestShift:
    def test_a_picture_survives_as_bytes(self):
        image = np.linspace(0, 1, 12).reshape(3, 4)
        found = [list(bytes.fromhex(row)) for row in data_of(shift(image=image))["image"]]
        np.testing.assert_allclose(np.array(found) / 255, image, atol=0.5 / 255)

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"image": np.full((2, 2), 2.0)}, "grey values must be in 0..1"),
            ({"data": pd.DataFrame({"shift": [0, 2], "model": "CNN", "value": 0.5})}, "shifts must be 0, 1, 2"),
            ({"data": pd.DataFrame({"shift": [0], "model": "CNN", "value": [1.5]})}, "shares must be in 0..1"),
        ],
    )
    def test_bad_input_is_refused(self, change, message):
        with pytest.raises(ValueError, match=message):
            shift(**change)


class TestInfluence:
    def test_the_word_that_gains_most_is_looked_at_first(self):
        found = data_of(influence())
        assert found["words"] == ["the", "old", "keys", "in", "a", "box"]
        assert found["bits"][0][0] == [8.0]
        assert found["bits"][1][2] == [7.0, 4.0, 5.0]
        assert found["most"] == 2
        assert 'data-role="word" min="2" max="5" step="1" value="2"' in influence().html

    @pytest.mark.parametrize(
        ("spoil", "message"),
        [
            (lambda rows: {"kept": 3}, "kept must be from 1 to 2"),
            (lambda rows: {"data": rows[rows["place"] < 2]}, "kept must be"),
            (lambda rows: {"data": rows[rows["context"] != 1]}, "without a gap"),
            (lambda rows: {"data": rows[(rows["model"] == "RNN") | (rows["place"] > 0)]}, "the same words"),
        ],
    )
    def test_bad_input_is_refused(self, spoil, message):
        rows = pd.DataFrame(
            {"model": model, "place": place, "word": "a", "context": context, "bits": 1.0}
            for model in ("RNN", "LSTM")
            for place in range(4)
            for context in range(min(place, 2) + 1)
        )
        with pytest.raises(ValueError, match=message):
            influence(**{"data": rows, "kept": 2} | spoil(rows))


class TestCode:
    def test_tokens_stand_where_they_stood_and_long_ones_are_shortened(self):
        found = data_of(code())
        (function,) = found["functions"]
        assert function["tokens"][7] == [1, 11, "low", 1]
        assert function["tokens"][9][2] == "'a long text of more than forty letter…'"
        assert function["odds"] == [1.5, 0.5]
        assert function["worth"][0][:2] == [-0.4, -0.3]
        assert found["names"] == ["m.py, f"]

    def test_bad_input_is_refused(self):
        rows = pd.DataFrame(
            {
                "model": model,
                "name": "f",
                "kind": "k",
                "place": [0, 1],
                "token": ["a", "b"],
                "line": 0,
                "column": [0, 2],
                "altered": False,
                "odds": 0.0,
                "worth": 0.0,
            }
            for model in ("RSA", "LSTM")
        ).explode(["place", "token", "column"])
        with pytest.raises(ValueError, match="the same tokens of f"):
            code(data=rows.iloc[:3])
        with pytest.raises(ValueError, match="there is none"):
            code(data=rows.iloc[:0])
        with pytest.raises(ValueError, match="full must be positive"):
            code(full=0.0)


class TestAutomaton:
    def test_states_stand_on_a_line_or_on_a_circle_and_edges_are_there_once(self):
        walk, turn = data_of(automaton())["machines"]
        assert walk["places"] == [[-1, 0], [0, 0], [1, 0]]
        assert walk["edges"] == [[0, 1], [1, 2]]
        np.testing.assert_allclose(turn["places"], [[0, -1], [0, 1]], atol=1e-4)
        assert turn["edges"] == [[0, 1]]

    def test_a_head_is_shown_up_to_the_position_and_what_cannot_be_seen_is_0(self):
        word = data_of(automaton())["machines"][0]["words"][0]
        assert word["looks"] == [[1], [0.4, 0.6], [0, 0, 1], [0, 0.1, 0.8, 0.1]]
        assert data_of(automaton())["machines"][1]["words"][0]["looks"] == []

    def test_words_that_the_automaton_does_not_run_like_this_are_refused(self):
        wrong = Played("C2", ["0", "1"], ["+0", "+1"], ["0", "1"], [[0, 1], [1, 0]], [Word([1, 1], [1, 1], {})])
        with pytest.raises(ValueError, match="C2: after action 2 the state is 0, and not 1"):
            automaton(played=[wrong])

    def test_words_of_different_lengths_are_refused(self):
        several = [Word([1], [1], {}), Word([1, 1], [1, 0], {})]
        played = Played("C2", ["0", "1"], ["+0", "+1"], ["0", "1"], [[0, 1], [1, 0]], several)
        with pytest.raises(ValueError, match="as many words, of one length"):
            automaton(played=[played])
        with pytest.raises(ValueError, match="as many words, of one length"):
            automaton(played=[])


class TestForecast:
    def test_a_curve_is_drawn_from_the_bottom_of_its_axis_to_its_top_and_a_flat_one_has_one_point(self):
        window = data_of(forecasts())["tables"][0]["windows"][0][0]
        assert (window["low"], window["high"]) == (17, 28)  # from three hours before to LogSparse, 4 °C above the end
        truth = np.array(list(bytes.fromhex(window["truth"]))) / 255 * 11 + 17
        np.testing.assert_allclose(truth, np.arange(17, 25), atol=11 / 255 / 2)
        assert bytes.fromhex(window["said"][0][0]) == bytes([round(255 * 3 / 11)])
        assert (window["known"], window["count"], window["first"], window["apart"]) == (4, 8, -3, 1)

    def test_how_far_it_is_off_is_the_mean_of_absolute_differences(self):
        for table in data_of(forecasts())["tables"]:
            for number, steps in enumerate((4, 8)):
                off = [[(steps + 1) / 2], [2, 1], [4, 2]]
                assert [window["off"] for window in table["windows"][number]] == [off] * 2

    def test_a_forecast_that_ends_before_the_others_has_diverged(self):
        rows = forecast_rows()
        lost = (rows["what"] == "RSA") & (rows["hour"] > 2)
        table = data_of(forecasts(data=rows[~lost]))["tables"][0]
        assert table["windows"][0][0]["said"][1][1] is None
        assert table["windows"][0][0]["off"][1] == [2, None]

    @pytest.mark.parametrize(
        ("spoil", "message"),
        [
            (lambda rows: rows[rows["what"] != "truth"], "ETTh1, 4 hours, day 0, 05:00: there is no truth"),
            (lambda rows: rows[rows["hour"] != -1], "hours must be evenly spaced"),
            (lambda rows: rows.replace("RSA", "rsa"), "'rsa' is none of Attention, RSA, last value, truth"),
            (lambda rows: rows[(rows["data"] == "ETTh1") | (rows["horizon"] == "1 hours")], "as many horizons"),
        ],
    )
    def test_bad_input_is_refused(self, spoil, message):
        with pytest.raises(ValueError, match=message):
            forecasts(data=spoil(forecast_rows()))


def beat_points(words: str) -> np.ndarray:
    """What stands in three hexadecimal digits a point, between −1 and 1."""
    return np.array([int(words[at : at + 3], 16) for at in range(0, len(words), 3)]) / 4095 * 2 - 1


class TestBeats:
    def test_curves_and_shares_are_those_of_the_frames(self):
        rows, data = beat_rows(), data_of(beats())
        courses = rows["courses"].set_index(["record", "kind"])
        for place, record in enumerate((100, 232)):
            for kind, letter in enumerate("NSV"):
                found = data["found"][place][kind]
                if (record, letter) not in courses.index:
                    assert found is None
                    continue
                for what in ("mean", "low", "high"):
                    want = courses.loc[[(record, letter)], what]
                    np.testing.assert_allclose(beat_points(found[what]), want, atol=1 / 4095)
        for kind, letter in enumerate("NSV"):
            want = rows["learnt"].loc[rows["learnt"]["kind"] == letter, "mean"]
            np.testing.assert_allclose(beat_points(data["learnt"][kind]), want, atol=1 / 4095)
        early = data["found"][1][1]
        assert (data["models"], early["beats"], early["shares"]) == (["LSTM", "Attention"], 1382, [0, 0.125])
        assert data["found"][0][2]["shares"] == [0.25, 0.5]

    def test_what_rounding_leaves_beyond_the_scale_is_on_its_edge(self):
        courses = beat_rows()["courses"].assign(low=-1.000001, high=1.000001)
        early = data_of(beats(courses=courses))["found"][1][1]
        assert (early["low"], early["high"]) == ("000" * 5, "fff" * 5)

    def test_samples_are_told_in_milliseconds_from_the_r_mark(self):
        data = data_of(beats(mark=50, rate=180.0))
        assert (data["first"], data["apart"], data["count"]) == (-277.778, 5.55556, 5)
        rows = beat_rows()
        fewer = {name: rows[name][rows[name]["sample"] % 2 == 0] for name in ("courses", "learnt")}
        data = data_of(beats(**fewer))
        assert (data["first"], data["apart"], data["count"]) == (-100, 200, 3)

    def test_patients_stand_in_the_order_of_their_words_and_the_first_one_s_first_kind_is_shown(self):
        html = beats(patients={232: "record 232", 100: "record 100", 101: "record 101"}).html
        assert '<option value="0" selected>record 232</option><option value="1">record 100</option></select>' in html
        assert 'value="1" checked>supraventricular (S)' in html
        html = beats(start=(100, "V")).html
        assert '<option value="0" selected>record 100, man of 69' in html
        assert 'value="2" checked>ventricular (V)' in html

    def test_a_kind_that_nobody_has_need_not_have_been_learnt_from(self):
        rows = beat_rows()
        courses = rows["courses"].query("record == 100")
        data = data_of(beats(courses=courses, learnt=rows["learnt"].query("kind != 'S'")))
        assert data["learnt"][1] == ""

    def test_all_patients_of_the_database_stay_small(self):
        wave = {"sample": np.arange(144), "mean": np.linspace(-0.9, 0.9, 144)}
        learnt = pd.concat(pd.DataFrame(wave | {"kind": kind}) for kind in "NSV")
        courses = pd.concat(learnt.assign(record=record, low=-1.0, high=1.0) for record in range(21))
        recalls = pd.DataFrame(
            {"model": model, "record": record, "kind": kind, "beats": 1000, "value": 1 / 3}
            for model in ("LSTM", "Attention")
            for record in range(21)
            for kind in "NSV"
        )
        names = {record: f"record {record}" for record in range(21)}
        widget = beats(courses=courses, learnt=learnt, recalls=recalls, patients=names)
        assert len(widget.html.encode()) < 120_000

    @pytest.mark.parametrize(
        ("name", "spoil", "message"),
        [
            ("courses", lambda rows: rows.drop(columns="low"), "no column 'low'"),
            ("courses", lambda rows: rows[:0], "no beats to show"),
            ("courses", lambda rows: rows.replace({"record": {232: 7}}), "record 7 is none of 100, 232"),
            ("courses", lambda rows: rows.replace({"kind": {"V": "F"}}), "kind 'F' is none of N, S, V"),
            ("courses", lambda rows: rows[rows["sample"] != 1], "evenly spaced"),
            ("courses", lambda rows: pd.concat([rows, rows]), "each once a curve"),
            ("courses", lambda rows: rows.assign(high=1.5), "in −1..1, not -0.95 to 1.5"),
            ("courses", lambda rows: rows.assign(low=np.nan), "in −1..1"),
            ("learnt", lambda rows: rows[rows["sample"] < 4], "the same samples, 0 to 4"),
            ("learnt", lambda rows: rows[rows["kind"] != "S"], "no mean of kind 'S' that was learnt from"),
            ("recalls", lambda rows: rows.replace({"model": {"LSTM": "GRU"}}), "model 'GRU' is none of LSTM"),
            ("recalls", lambda rows: rows[1:], "record 100, N: every model must have one share, of LSTM, Attention"),
            ("recalls", lambda rows: rows[rows["record"] == 100], "record 232, S: every model must have one share"),
            ("recalls", lambda rows: pd.concat([rows, rows[:1]]), "record 100, N: every model must have one share"),
            ("recalls", lambda rows: rows.assign(value=1.5), "shares must be in 0..1, not 1.5 to 1.5"),
        ],
    )
    def test_bad_input_is_refused(self, name, spoil, message):
        with pytest.raises(ValueError, match=message):
            beats(**{name: spoil(beat_rows()[name])})

    def test_a_start_that_does_not_exist_is_refused(self):
        with pytest.raises(ValueError, match="record 100 has no beats of kind 'S' to start with"):
            beats(start=(100, "S"))


class TestFlow:
    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"words": ("a",)}, "words must be at least 2, not 1"),
            ({"words": ("a", "zebra")}, "meanings has nothing for the word 'zebra'"),
            ({"followed": 3}, "followed must be from 0 to 2, not 3"),
            ({"decay": 1.0}, r"decay must be from 0\.05 to 0\.95, not 1"),
        ],
    )
    def test_what_cannot_be_drawn_is_refused(self, change, said):
        with pytest.raises(ValueError, match=said):
            flow(**change)

    def test_the_rnn_forgets_by_a_factor_per_step_and_the_rem_has_the_same_weights_but_for_its_own_token(self):
        state = np.zeros(6)
        for step in range(6):
            state = 0.8 * state + np.eye(6)[step]  # what is left of every input, step by step
            assert flow_weights("rnn", step, 0.8) == pytest.approx(state)
            assert flow_weights("rem", step, 0.8) == pytest.approx(np.where(np.arange(6) == step, 0, state))

    def test_attention_shares_one_among_the_words_that_were_read(self):
        by_hand = np.exp([2.0, 0.0, -2.0]) / np.exp([2.0, 0.0, -2.0]).sum()
        meanings = [((1.0,), (0.0,)), ((0.0,), (0.5,)), ((-1.0,), (2.0,))]
        assert flow_weights("attention", 2, 0.5, meanings) == pytest.approx(by_hand)
        assert flow_weights("attention", 0, 0.5, meanings) == [1.0, 0.0, 0.0]
        with pytest.raises(ValueError, match="kind is 'gru'; it must be 'rnn', 'attention' or 'rem'"):
            flow_weights("gru", 0, 0.5)

    def test_the_sentence_asks_for_its_subject(self):
        last = flow_weights("attention", 5, 0.8)
        assert int(np.argmax(last)) == 1  # "are" looks at "keys" more than at itself or at "box"
