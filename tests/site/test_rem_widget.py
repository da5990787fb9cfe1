"""The interactive matrix in a real browser: its arithmetic is the package's, and its controls can be reached."""

import itertools

import pytest
import torch

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


CASES = list(
    itertools.product(("real", "cos", "sin"), (0.05, 0.5, 0.99), (0.0, 0.7, 3.0), (1, 2, 5), ("zero", "printed"))
)
CASES += [("real", -0.9, 0.0, dilation, "zero") for dilation in (1, 3)]


def test_the_script_computes_the_lags_of_the_package(page):
    found = page.evaluate(
        "cases => cases.map(([k, r, a, d, g]) => document.querySelector('.rem-widget').remLags(k, r, a, 24, d, g))",
        [list(case) for case in CASES],
    )
    for (kind, decay, angle, dilation, diagonal), ours in zip(CASES, found, strict=True):
        size, turn = (torch.tensor([value], dtype=torch.float64) for value in (decay, angle))
        want = rem_lags(kind, size, turn, 24, dilation=dilation, diagonal=diagonal)[0]
        torch.testing.assert_close(torch.tensor(ours, dtype=torch.float64), want, rtol=1e-12, atol=1e-14)


def test_keys_move_a_slider_and_the_words_follow(page):
    words = page.locator(".rem-widget [data-role=words]")
    assert "λ 0.90" in words.inner_text()
    page.locator(".rem-widget [data-role=decay]").focus()
    page.keyboard.press("ArrowLeft")
    assert "λ 0.89" in words.inner_text()
    page.locator(".rem-widget input[value=sin]").check()
    page.locator(".rem-widget [data-role=dilation]").fill("3")
    assert "sin head, γ 0.89, θ 45°, dilation 3" in words.inner_text()


def test_the_future_fills_the_upper_triangle_and_a_negative_decay_does_not_outlive_its_kind(page):
    colour = "() => document.querySelectorAll('.rem-widget [data-role=matrix] rect')[1].getAttribute('fill')"
    white = page.evaluate(colour)
    page.locator(".rem-widget [data-role=symmetric]").check()
    assert page.evaluate(colour) != white
    page.locator(".rem-widget [data-role=decay]").fill("-0.5")
    page.locator(".rem-widget input[value=cos]").check()
    assert "γ 0.01" in page.locator(".rem-widget [data-role=words]").inner_text()


def test_a_phone_does_not_scroll_sideways(page):
    assert page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
