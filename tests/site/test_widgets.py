"""Every widget in a real browser: keys, words, sizes and colours; what each of them computes and shows."""

import math

import pandas as pd
import pytest
import torch
from playwright.sync_api import Page, expect

from inductive_bias.analysis.truncation import window as window_of
from inductive_bias.plotting import flow_weights
from tests.made_widgets import (
    WIDGETS,
    automaton,
    beat_rows,
    beats,
    code,
    code_rows,
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

pytestmark = pytest.mark.site

#: What the site's theme sets.
THEME = """body { margin: 16px; background: var(--pst-color-background, #ffffff); color: #222832 }
html[data-theme="dark"] { --pst-color-background: #14181e; --pst-color-text-base: #ced6dd;
  --pst-color-text-muted: #9ca4af }"""

#: The least contrast of any text of an SVG with what lies below it: page and cells, one over the other.
CONTRAST = """svg => {
  const parsed = words => (words.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
  const over = (ground, [r, g, b, a = 1], opacity) =>
    ground.map((under, i) => under + ([r, g, b][i] - under) * a * opacity);
  const luminance = rgb => rgb.map(value => value / 255)
    .map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
    .reduce((sum, value, i) => sum + value * [0.2126, 0.7152, 0.0722][i], 0);
  const page = parsed(getComputedStyle(document.body).backgroundColor).slice(0, 3);
  const shapes = [...svg.querySelectorAll("rect")].map(rect => [rect.getBoundingClientRect(), getComputedStyle(rect)]);
  return Math.min(21, ...[...svg.querySelectorAll("text")].map(text => {
    const box = text.getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
    const ground = shapes.filter(([at, style]) => style.fill !== "none" &&
      at.left <= x && x <= at.right && at.top <= y && y <= at.bottom)
      .reduce((under, [, style]) => over(under, parsed(style.fill), Number(style.fillOpacity)), page);
    const letters = parsed(getComputedStyle(text).fill).slice(0, 3);
    const [low, high] = [luminance(ground), luminance(letters)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  }));
}"""

#: Letters of an SVG that lie outside of it.
OUTSIDE = """svg => {
  const page = svg.getBoundingClientRect();
  return [...svg.querySelectorAll("text")].filter(text => {
    const box = text.getBoundingClientRect();
    return box.left < page.left - 1 || box.right > page.right + 1 || box.bottom > page.bottom + 1;
  }).map(text => text.textContent);
}"""


@pytest.fixture
def opened(browser):
    """Opens a widget alone on a page; at the end nothing must have been asked for and nothing complained about."""
    pages, complaints = [], []

    def open_(widget) -> Page:
        page = browser.new_page(viewport={"width": 390, "height": 844})
        pages.append(page)
        page.on("console", lambda line: complaints.append(line.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: complaints.append(request.url))
        body = f"<head><style>{THEME}</style></head><body>{widget.html}</body>"
        page.set_content(f'<!doctype html><html lang="en">{body}</html>')
        return page

    yield open_
    for page in pages:
        page.wait_for_timeout(50)  # an observer would complain a frame later
        page.close()
    assert complaints == []


def words(page: Page):
    return page.locator("[data-role=words]")


def part(page: Page, role: str):
    return page.locator(f"[data-role={role}]")


@pytest.mark.parametrize("make", WIDGETS.values(), ids=WIDGETS)
class TestAnyWidget:
    def test_keys_move_every_slider_and_words_follow(self, opened, make):
        page = opened(make())
        for slider in page.locator("input[type=range]:enabled").all():
            before, value = words(page).inner_text(), slider.get_attribute("aria-valuetext")
            slider.focus()
            page.keyboard.press("ArrowLeft" if slider.input_value() == slider.get_attribute("max") else "ArrowRight")
            assert slider.get_attribute("aria-valuetext") not in (value, "", None)
            expect(words(page)).not_to_have_text(before)

    def test_one_region_speaks_and_waits_until_a_slider_rests(self, opened, make):
        page = opened(make())
        assert page.locator("[role=status], [aria-live], output").count() == 1
        page.evaluate("""() => {
            window.spoken = 0;
            new MutationObserver(() => { window.spoken += 1; }).observe(
                document.querySelector("[role=status]"), { childList: true, characterData: true, subtree: true });
        }""")
        control = page.locator("input[type=range]:enabled, select").first
        control.evaluate("""control => { for (let i = 0; i < 12; i++) {
            control.value = i % 2; control.dispatchEvent(new Event("input", { bubbles: true }));
        } }""")
        assert page.evaluate("window.spoken") == 0
        page.wait_for_timeout(500)
        assert page.evaluate("window.spoken") <= 1
        assert page.get_by_role("status").inner_text() == words(page).inner_text()

    def test_the_sentence_changes_with_the_picture(self, opened, make):
        page = opened(make())
        sentence = "document.querySelector('[data-role=words]').textContent"
        for control in page.locator("input[type=range]:enabled").all():
            before, now = control.evaluate(f"""control => {{
                const before = {sentence};
                control.value = control.value === control.max ? control.min : control.max;
                control.dispatchEvent(new Event("input", {{ bubbles: true }}));
                return [before, {sentence}];
            }}""")
            assert now not in (before, "")

    def test_nothing_overflows_and_letters_keep_their_size_when_the_page_changes_its_width(self, opened, make):
        page = opened(make())
        before = words(page).inner_text()
        for width in (390, 1200, 340):
            page.set_viewport_size({"width": width, "height": 844})
            page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
            assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
            for svg in page.locator("svg").all():
                assert svg.evaluate("svg => 12 * svg.clientWidth / svg.viewBox.baseVal.width") >= 9
                assert svg.evaluate(OUTSIDE) == []
        assert words(page).inner_text() == before

    def test_letters_can_be_read_by_day_and_by_night(self, opened, make):
        page = opened(make())
        for theme in ("light", "dark"):
            page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
            for svg in page.locator("svg").all():
                assert svg.evaluate(CONTRAST) >= 4.5

    def test_focus_is_seen(self, opened, make):
        page = opened(make())
        page.keyboard.press("Tab")
        assert page.evaluate("parseFloat(getComputedStyle(document.activeElement).outlineWidth)") >= 2
        assert page.evaluate("document.activeElement.closest('.bias-widget') !== null")


class TestPlane:
    def test_words_and_rows_show_the_runs_of_the_place(self, opened):
        page = opened(plane())
        part(page, "x").fill("0")
        part(page, "y").fill("0")
        expect(words(page)).to_contain_text("ρ 0, sequences 8: LSTM is best")
        expect(words(page)).to_contain_text("LSTM .013, RSA .025")  # .1 / 8 and .2 / 8
        assert page.locator("[data-role=rows] circle").count() == 6

    def test_a_place_of_the_map_can_be_pointed_at(self, opened):
        page = opened(plane())
        page.locator('[data-place="0 1"]').click()
        assert (part(page, "x").input_value(), part(page, "y").input_value()) == ("0", "1")
        expect(words(page)).to_contain_text("ρ 0, sequences 1,024")

    def test_ties_and_diverged_runs_are_said(self, opened):
        frame = pd.DataFrame(
            [(0.0, 8, "LSTM", 0.5), (0.0, 8, "LSTM", None), (0.0, 8, "RSA", 0.25)],
            columns=["rho", "samples", "model", "value"],
        )
        page = opened(plane(data=frame, best=frame.iloc[[0, 2]]))
        expect(words(page)).to_contain_text("LSTM and RSA are best; the seeds cannot tell these apart")
        expect(part(page, "rows")).to_contain_text("LSTM (1 diverged)")

    def test_it_says_what_its_letters_are(self, opened):
        page = opened(plane())
        assert set(page.locator("[data-role=map] text.strong").all_text_contents()) <= {"L", "R"}
        expect(page.locator(".bias-widget")).to_contain_text("Letter: the lowest mean log error (L LSTM, R RSA).")


class TestSlices:
    def test_languages_that_are_reached_are_counted(self, opened):
        frame = pd.DataFrame(
            [
                (length, language, mixer, "m", value)
                for length, values in ((5.5, (1.0, 0.99, 0.989, 0.0)), (15.5, (0.0, 0.0, 1.0, None)))
                for (language, mixer), value in zip(
                    [("aa", "LSTM"), ("parity", "LSTM"), ("aa", "RSA"), ("parity", "RSA")], values, strict=True
                )
            ],
            columns=["length", "language", "mixer", "measure", "value"],
        )
        page = opened(slices(data=frame, measures={"m": "whole strings right"}))
        expect(words(page)).to_have_text(
            "1–10. Of 2 languages, so many have at least .99 of whole strings right: LSTM 2; RSA 0."
        )
        cells = page.locator("[data-role=map] text.cell")
        assert cells.all_text_contents() == ["1", ".99", ".99", "0"]
        part(page, "step").fill("1")
        expect(words(page)).to_contain_text("11–20. Of 2 languages")
        assert cells.all_text_contents() == ["0", "1", "0"]  # and one place without strings


class TestForest:
    def test_a_choice_shows_its_interval_and_says_what_it_means(self, opened):
        page = opened(forest())
        expect(words(page)).to_have_text("LSTM, A-acc: minus alone +0.100 [+0.050, +0.150], better.")
        page.get_by_label("ECE").check()
        expect(words(page)).to_have_text("LSTM, ECE: minus alone +0.100 [−∞, +∞], open.")

    @pytest.mark.parametrize(
        ("low", "high", "sign", "want"),
        [
            (0.1, 0.2, 1, "better"),
            (0.1, 0.2, -1, "worse"),
            (-0.2, -0.1, 1, "worse"),
            (-0.2, -0.1, -1, "better"),
            (-0.1, 0.1, 1, "open"),
            (0.0, 0.1, 1, "open"),
        ],
    )
    def test_only_an_interval_that_leaves_zero_out_says_better_or_worse(self, opened, low, high, sign, want):
        rows = [("LSTM", "m", "minus alone", (low + high) / 2, low, high, "…")]
        columns = ["teacher", "measure", "baseline", "estimate", "low", "high", "text"]
        page = opened(
            forest(
                data=pd.DataFrame(rows, columns=columns), better={"m": sign}, start={"teacher": "LSTM", "measure": "m"}
            )
        )
        expect(words(page)).to_have_text(f"LSTM, m: minus alone …, {want}.")


class TestTemperature:
    @pytest.mark.parametrize("logits", [[1.0, 3.0, -2.0], [800.0, 0.0, 799.0], [0.0, 0.0]], ids=["some", "far", "same"])
    def test_the_script_softens_as_the_loss_does(self, opened, logits):
        page = opened(temperature())
        for at in (0.5, 1.0, 5.0, 50.0):
            ours = page.evaluate("([z, t]) => document.querySelector('.bias-widget').softened(z, t)", [logits, at])
            want = torch.softmax(torch.tensor(logits, dtype=torch.float64) / at, dim=0)
            torch.testing.assert_close(torch.tensor(ours, dtype=torch.float64), want, rtol=1e-12, atol=1e-15)

    def test_what_is_known_at_a_temperature_is_said_there(self, opened):
        page = opened(temperature(logits=[1.0, 3.0, -2.0, 0.0], start=5.0, notes={5.0: "A student had more."}))
        shares = torch.softmax(torch.tensor([1.0, 3.0, -2.0, 0.0]) / 5, dim=0)
        expect(words(page)).to_contain_text(f"T = 5: 1 has {shares[1]:.3f}".replace("0.", "."))
        expect(words(page)).to_contain_text("A student had more.")
        part(page, "temperature").focus()
        page.keyboard.press("ArrowRight")
        expect(words(page)).to_contain_text("T = 7")
        expect(words(page)).not_to_contain_text("student")


class TestWindow:
    def test_the_script_has_the_formula_of_the_window(self, opened):
        page = opened(window())
        for contraction in (0.3, 0.9, 0.995):
            for error in (0.3, 0.01, 1e-6):
                ours = page.evaluate(
                    "([l, e]) => document.querySelector('.bias-widget').steps(l, e)", [contraction, error]
                )
                assert ours == pytest.approx(window_of(contraction, error, 1 / (1 - contraction)), rel=1e-12)

    def test_the_echo_is_cut_where_the_window_ends(self, opened):
        page = opened(window())
        count = math.ceil(window_of(0.9, 0.01, 10))
        expect(words(page)).to_contain_text(f"λ = .9, ε = .01: the last {count} inputs are enough.")
        part(page, "contraction").focus()
        page.keyboard.press("ArrowLeft")
        expect(words(page)).to_contain_text("λ = .85")


class TestInfluence:
    def test_the_line_says_what_the_word_costs_and_who_helped(self, opened):
        page = opened(influence())
        expect(words(page)).to_have_text(
            "RNN, “keys”: 8.0 bits without a past, 5.0 bits with the last 1, 6.0 bits with all 2 words. "
            "Most came from “old” (3.0)."
        )
        part(page, "model").get_by_label("LSTM").check()
        expect(words(page)).to_contain_text("LSTM, “keys”: 7.0 bits without a past")
        part(page, "kept").fill("0")
        expect(words(page)).to_have_text(
            "LSTM, “keys”: 7.0 bits without a past, 7.0 bits with the last 0, 5.0 bits with all 2 words."
        )

    def test_words_are_coloured_by_what_they_gave_and_only_as_far_as_they_are_kept(self, opened):
        page = opened(influence())
        fills = "svg => [...svg.querySelectorAll('rect[fill-opacity]')].map(rect => rect.getAttribute('style'))"
        assert part(page, "text").evaluate(fills) == ["fill: var(--c0)"]
        part(page, "kept").fill("2")
        assert part(page, "text").evaluate(fills) == ["fill: var(--c1)", "fill: var(--c0)"]
        assert page.evaluate("document.querySelector('.bias-widget').worth(0, 2, 2)") == -1


class TestShift:
    def test_the_picture_moves_by_whole_pixels_and_leaves_at_the_right(self, opened):
        page = opened(shift())
        places = (
            "svg => [...svg.querySelectorAll('rect[fill-opacity]')].map(rect => Number(rect.getAttribute('x')) / 8)"
        )
        assert part(page, "picture").evaluate(places) == [0, 1, 2, 3]
        part(page, "shift").fill("2")
        assert part(page, "picture").evaluate(places) == [2, 3]
        expect(words(page)).to_have_text("Moved by 2 pixels: share of digits, mean over runs: CNN .700, MLP .700.")

    def test_a_pointer_drags_it_no_further_than_the_slider_goes(self, opened):
        page = opened(shift())
        box = part(page, "picture").bounding_box()
        middle = box["y"] + box["height"] / 2
        page.mouse.move(box["x"] + 3, middle)
        page.mouse.down()
        page.mouse.move(box["x"] + 3 + box["width"] / 4, middle)  # the picture has four pixels
        assert part(page, "shift").input_value() == "1"
        page.mouse.move(box["x"] + box["width"] - 1, middle)
        assert part(page, "shift").input_value() == "2"
        page.mouse.up()
        page.mouse.move(box["x"] + 3, middle)
        assert part(page, "shift").input_value() == "2"
        expect(words(page)).to_contain_text("Moved by 2 pixels")


class TestAutomaton:
    def test_the_script_computes_the_states_of_every_word(self, opened):
        page = opened(automaton())
        script = "([automaton, word, step]) => document.querySelector('.bias-widget').state(automaton, word, step)"
        wanted = {(0, 0): [0, 1, 2, 2, 1], (0, 1): [0, 0, 0, 1, 2], (1, 0): [0, 1, 1, 0, 1]}
        for (machine, word), states in wanted.items():
            assert [page.evaluate(script, [machine, word, step]) for step in range(5)] == states

    def test_a_step_moves_the_state_and_says_who_is_right_and_where_the_head_looks(self, opened):
        page = opened(automaton())
        words = page.locator('[data-role="words"]')
        step = page.locator('[data-role="step"]')
        expect(words).to_contain_text("After action 4, left: state 1.")  # at first the whole word is read
        step.press("Home")
        expect(words).to_have_text("Grid3 begins in state 0.")
        for _ in range(4):
            step.press("ArrowRight")
        expect(words).to_contain_text("After action 4, left: state 1. Right: 2 layers.")
        expect(words).to_contain_text("gives .80 of its attention to action 3, which decides")
        expect(page.locator('svg[data-role="answers"] text', has_text="×")).to_have_count(1)
        page.locator('[data-role="automaton"]').select_option("1")
        expect(words).to_contain_text("C2 begins" if step.input_value() == "0" else "No model is right.")


class TestForecast:
    def test_words_and_bars_follow_every_choice(self, opened):
        page = opened(forecasts())
        start = "ETTh1, 8 hours from day 0, 05:00. Off by, on average: Informer with"
        expect(words(page)).to_have_text(f"{start} Attention 2.0 °C, with RSA 1.0 °C; last value 4.5 °C.")
        page.get_by_label("LogSparse").check()
        expect(words(page)).to_contain_text("LogSparse with Attention 4.0 °C, with RSA 2.0 °C; last value 4.5 °C.")
        part(page, "data").select_option("1")
        part(page, "horizon").fill("0")
        part(page, "start").fill("1")
        expect(words(page)).to_contain_text("ETTm1, 1 hours from day 1, 05:00.")
        assert part(page, "errors").locator("text.strong").all_text_contents() == [
            f"{value}\u00a0°C" for value in ("4.0", "2.0", "2.5")
        ]
        assert part(page, "curves").locator("path").count() == 4

    def test_the_script_draws_what_it_was_given(self, opened):
        page = opened(forecasts())
        script = "([at, row, place]) => document.querySelector('.bias-widget').curve(0, at, 0, row, place)"
        for at, steps in enumerate((4, 8)):
            rsa, flat = (page.evaluate(script, [at, *place]) for place in ((2, 1), (0, 0)))
            assert rsa == pytest.approx([22.0 + step for step in range(1, steps + 1)], abs=0.03)
            assert flat == pytest.approx([20.0] * steps, abs=0.03)

    def test_a_diverged_forecast_has_no_curve_and_is_said(self, opened):
        rows = forecast_rows()
        page = opened(forecasts(data=rows[(rows["what"] != "RSA") | (rows["model"] != "Informer")]))
        expect(words(page)).to_contain_text("Informer with Attention 2.0 °C, with RSA diverged;")
        assert part(page, "curves").locator("path").count() == 3


class TestBeats:
    def test_words_and_bars_follow_patient_and_kind(self, opened):
        page = opened(beats())
        start = "Record 100, man of 69: 2,000 normal beats in the test. Recognised, mean over runs: "
        expect(words(page)).to_have_text(f"{start}LSTM .90, Attention 1.00.")
        page.get_by_label("ventricular (V)", exact=True).check()
        expect(words(page)).to_contain_text("1 ventricular beat in the test.")
        assert part(page, "bars").locator("text.strong").all_text_contents() == [".25", ".50"]
        sides = [float(bar.get_attribute("width")) for bar in part(page, "bars").locator("rect").all()]
        assert sides[1] == pytest.approx(2 * sides[0], abs=0.02)

    def test_a_kind_that_a_patient_lacks_cannot_be_chosen_and_comes_back_with_who_has_it(self, opened):
        page = opened(beats(start=(100, "V")))
        expect(page.get_by_label("supraventricular (S)")).to_be_disabled()
        part(page, "record").select_option("1")
        expect(words(page)).to_contain_text("Record 232, woman of 76: 1,382 supraventricular beats")
        expect(page.get_by_label("supraventricular (S)")).to_be_checked()
        expect(page.get_by_label("normal (N)")).to_be_disabled()
        part(page, "record").select_option("0")
        expect(words(page)).to_contain_text("1 ventricular beat in the test.")
        expect(page.get_by_label("ventricular (V)", exact=True)).to_be_checked()

    def test_keys_move_between_the_kinds_that_there_are(self, opened):
        page = opened(beats())
        page.get_by_label("normal (N)").focus()
        page.keyboard.press("ArrowRight")
        expect(words(page)).to_contain_text("1 ventricular beat in the test.")

    def test_the_script_draws_what_it_was_given(self, opened):
        page, rows = opened(beats()), beat_rows()
        script = "place => document.querySelector('.bias-widget').course(...place)"
        wide = rows["courses"].query("record == 100 and kind == 'V'")
        for what in ("mean", "low", "high"):
            assert page.evaluate(script, [0, 2, what]) == pytest.approx(wide[what].tolist(), abs=0.0005)
        known = rows["learnt"].query("kind == 'S'")["mean"].tolist()
        assert page.evaluate(script, [1, 1, "learnt"]) == pytest.approx(known, abs=0.0005)

    def test_curves_have_words_in_the_legend_and_a_description(self, opened):
        page = opened(beats(start=(232, "S")))
        course = part(page, "course")
        kinds = ("supraventricular", "normal", "ventricular")
        for name in ("this patient", *(f"{kind}, learnt from" for kind in kinds)):
            expect(course.get_by_text(name, exact=True)).to_be_visible()
        assert course.locator("path").count() == 5  # two other kinds, the band, the patient's mean, the learnt one
        # .232 and 0 at the fourth of five samples, a tenth of a second apart; the second is the R mark
        assert course.get_attribute("aria-label").endswith("farthest from it at 200 milliseconds, by .23.")


class TestCode:
    def test_colours_have_one_scale_whatever_the_largest_worth_is(self, opened):
        for full in (0.3, 4.0):
            page = opened(code(full=full))
            tokens = part(page, "code").locator("rect:not(.here)")
            shown = [float(each.get_attribute("fill-opacity")) for each in tokens.all()]
            worth = [abs(place - 4) / 10 for place in range(10)]
            assert shown == pytest.approx([0.55 * min(value / full, 1) for value in worth], abs=0.001)

    def test_what_was_changed_is_framed_when_a_reader_asks(self, opened):
        page = opened(code())
        assert part(page, "code").locator("rect.here").count() == 0
        page.get_by_label("show what was changed").check()
        assert part(page, "code").locator("rect.here").count() == 3
        expect(words(page)).to_contain_text(
            "Transformer, m.py, f (swapped operands): “changed” with probability .82. Worth most: “'a long"
        )

    def test_what_is_worth_next_to_nothing_is_not_called_worth_most(self, opened):
        page = opened(code(data=code_rows().assign(worth=0.004), start="RSA"))
        expect(words(page)).to_have_text(
            "RSA, m.py, f (swapped operands): “changed” with probability .62. No token is worth .01."
        )


class TestFlow:
    def test_the_script_computes_the_weights_of_the_package(self, opened):
        page = opened(flow())
        meanings = [((1.0,), (0.0,)), ((0.0,), (0.5,)), ((-1.0,), (2.0,))]
        for kind in ("rnn", "attention", "rem"):
            for step in range(3):
                for decay in (0.05, 0.5, 0.95):
                    ours = page.evaluate(
                        "at => document.querySelector('.bias-widget').weights(...at)", [kind, step, decay]
                    )
                    assert ours == pytest.approx(flow_weights(kind, step, decay, meanings), rel=1e-12)

    def test_words_say_what_is_left_and_what_decides(self, opened):
        page = opened(flow())
        expect(words(page)).to_contain_text("2 steps after “a”: .25 of it is left in the RNN's state")
        expect(words(page)).to_contain_text("The REM reads it directly with weight .25")
        part(page, "followed").fill("2")
        expect(words(page)).to_contain_text("At its own step, “d” is whole in the RNN's state (1)")
        part(page, "step").fill("1")
        expect(words(page)).to_have_text("λ = .50. Step 2 comes before “d”: none of the three knows it yet.")

    def test_the_rnn_hands_on_and_the_others_reach_directly(self, opened):
        page = opened(flow())
        marked = "svg => [...svg.querySelectorAll('line')].filter(l => l.style.stroke.includes('accent')).length"
        assert part(page, "flow").evaluate(marked) == 3 + 1 + 1  # in, on, on; and one arrow each
        part(page, "step").fill("0")
        assert part(page, "flow").evaluate(marked) == 1 + 1  # the REM does not read its own token
