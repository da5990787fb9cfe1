"""The interactive matrix in a real browser: its arithmetic is the package's, and every setting shows something."""

import itertools
import re

import pytest
import torch
from playwright.sync_api import expect

from inductive_bias.layers import rem_lags
from inductive_bias.plotting import rem_widget

pytestmark = pytest.mark.site


@pytest.fixture
def page(browser):
    page = browser.new_page(viewport={"width": 390, "height": 844})
    complaints = []
    page.on("console", lambda line: complaints.append(line.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.set_content(f"<!doctype html><html><body>{rem_widget(24).html}</body></html>")
    yield page
    assert complaints == []
    page.close()


@pytest.fixture
def words(page):
    return page.locator("[data-widget=rem] [data-role=words]")


def part(page, role):
    return page.locator(f"[data-widget=rem] [data-role={role}]")


def kind(page, name):
    page.locator("[data-widget=rem]").get_by_label(re.compile(f"^{name},")).check()


CASES = list(
    itertools.product(("real", "cos", "sin"), (0.05, 0.5, 0.99), (0.0, 0.7, 3.0), (1, 2, 5), ("zero", "printed"))
)
CASES += [("real", -0.9, 0.0, dilation, "zero") for dilation in (1, 3)]


def test_the_script_computes_the_lags_of_the_package(page):
    found = page.evaluate(
        "cases => cases.map(([k, r, a, d, g]) => "
        "document.querySelector('[data-widget=rem]').remLags(k, r, a, 24, d, g))",
        [list(case) for case in CASES],
    )
    for (head, decay, angle, dilation, diagonal), ours in zip(CASES, found, strict=True):
        size, turn = (torch.tensor([value], dtype=torch.float64) for value in (decay, angle))
        want = rem_lags(head, size, turn, 24, dilation=dilation, diagonal=diagonal)[0]
        torch.testing.assert_close(torch.tensor(ours, dtype=torch.float64), want, rtol=1e-12, atol=1e-14)


def test_keys_move_a_slider_and_the_words_follow(page, words):
    expect(words).to_contain_text("λ 0.90")
    part(page, "decay").focus()
    page.keyboard.press("ArrowLeft")
    expect(words).to_contain_text("λ 0.89")
    kind(page, "sin")
    part(page, "dilation").fill("3")
    expect(words).to_contain_text("sin head, γ 0.89, θ 45°, dilation 3")


def test_the_future_fills_the_upper_triangle(page):
    shade = "() => document.querySelectorAll('[data-role=matrix] rect')[1].getAttribute('fill-opacity')"
    assert float(page.evaluate(shade)) == 0
    part(page, "symmetric").check()
    assert float(page.evaluate(shade)) == pytest.approx(0.9)


@pytest.mark.parametrize(("decay", "taken", "given_back"), [("-0.5", "0.50", "−0.50"), ("0.3", "0.30", "0.30")])
def test_a_turning_head_fades_as_fast_as_the_real_one_before_it(page, words, decay, taken, given_back):
    part(page, "decay").fill(decay)
    kind(page, "cos")
    expect(words).to_contain_text(f"γ {taken}")
    assert heard(page) > 0.1
    kind(page, "sin")
    expect(words).to_contain_text(f"sin head, γ {taken}")
    kind(page, "real")
    expect(words).to_contain_text(f"λ {given_back}")


@pytest.mark.parametrize("decay", ["-0.01", "0", "0.05"])
def test_a_turning_head_is_never_empty_because_the_real_one_was(page, words, decay):
    part(page, "decay").fill(decay)
    kind(page, "cos")
    expect(words).to_contain_text("γ 0.90")
    assert heard(page) > 0.1


def test_a_slider_of_a_turning_head_stops_above_zero(page, words):
    kind(page, "cos")
    part(page, "decay").focus()
    page.keyboard.press("Home")
    expect(words).to_contain_text("γ 0.01")


def test_the_printed_diagonal_can_be_chosen_only_where_it_is_another(page, words):
    for name, disabled in (("real", True), ("cos", False), ("sin", True)):
        kind(page, name)
        assert part(page, "printed").is_disabled() == disabled
        assert part(page, "angle").is_disabled() == (name == "real")
    kind(page, "cos")
    part(page, "printed").check()
    expect(words).to_contain_text("1 on the diagonal")
    kind(page, "sin")
    expect(words).not_to_contain_text("diagonal")


@pytest.mark.parametrize(
    ("decay", "dilation", "want"),
    # the last n with decay ** (n / dilation) >= .01: 43 and 458 steps, times the dilation
    [
        ("0.9", "1", "reach 43 steps back"),
        ("0.99", "6", "reach 2748 steps back"),
        ("0", "1", "no step back"),
        ("0.01", "1", "reach 1 step back"),
    ],
)
def test_the_reach_is_counted_beyond_what_is_drawn(page, words, decay, dilation, want):
    part(page, "decay").fill(decay)
    part(page, "dilation").fill(dilation)
    expect(words).to_contain_text(want)


def heard(page) -> float:
    """The largest weight that the matrix shows."""
    return page.evaluate(
        "() => Math.max(...[...document.querySelectorAll('[data-role=matrix] rect[fill-opacity]')]"
        ".map(cell => Number(cell.getAttribute('fill-opacity'))))"
    )
