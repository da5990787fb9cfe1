import re

import pytest

from inductive_bias.plotting import rem_widget


def test_a_widget_is_the_same_at_every_call_and_fetches_nothing():
    first, again = rem_widget(24), rem_widget(24)
    assert first._repr_html_() == again._repr_html_()
    assert not re.search(r"(https?:)?//(?!\s)[\w.]+\.\w+/|src=|href=|@import|url\(", first.html)
    assert repr(first) == again.text
    assert "24 tokens" in repr(first)


def test_two_widgets_on_a_page_do_not_share_an_id():
    ids = [re.search(r'id="(rem-\w+)"', rem_widget(length).html)[1] for length in (12, 24)]
    assert ids[0] != ids[1]
    assert ids[0] not in rem_widget(24).html


def test_every_placeholder_is_filled_and_the_script_s_own_dollars_stay():
    html = rem_widget(24).html
    assert "$id" not in html
    assert "$length" not in html
    assert "const LENGTH = 24;" in html
    assert "${symbol}" in html


def test_controls_have_names_and_pictures_are_described():
    html = rem_widget(24).html
    for tag in re.findall(r'<input type="range"[^>]*>', html):
        assert "aria-label=" in tag
    assert html.count('role="img"') == html.count('setAttribute("aria-label"') == 2
    assert 'aria-live="polite"' in html
    assert html.index("<noscript>") > html.rindex("</div>")  # outside of what is hidden without a script


def test_a_matrix_of_one_token_is_refused():
    with pytest.raises(ValueError, match="length must be at least 2, not 1"):
        rem_widget(1)
