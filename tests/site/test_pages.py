"""Every page of the table of contents, opened in a real browser."""

import pytest

pytestmark = pytest.mark.site

PHONE = {"width": 390, "height": 844}
LUMINANCE = """
const channel = v => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4 };
const rgba = colour => { const c = colour.match(/[\\d.]+/g).map(Number); return c.length > 3 ? c : [...c, 1] };
const luminance = colour => { const [r, g, b] = rgba(colour).map(channel); return .2126*r + .7152*g + .0722*b };
const ground = node => { for (; node; node = node.parentElement) {
  const c = getComputedStyle(node).backgroundColor; if (rgba(c)[3] > .99) return c } return 'rgb(255, 255, 255)' };
const contrast = node => { const a = luminance(getComputedStyle(node).color), b = luminance(ground(node));
  return (Math.max(a, b) + .05) / (Math.min(a, b) + .05) };
"""

LOOK = """
const all = query => [...document.querySelectorAll(query)];
const text = ':is(h1, h2, p, li, td, th, a, caption, .caption-text, summary, pre, [class^=verdict])';
return {
  figures: all('.bd-article img').map(i => luminance(ground(i))),
  text: all('.bd-article ' + text).filter(n => n.offsetWidth || n.matches('.headerlink'))
    .map(n => [contrast(n), n.textContent.slice(0, 40)]).filter(([c]) => c < 4.5),
  page: luminance(ground(document.body)),
}
"""


def test_a_page_has_one_heading_and_it_is_the_title(visit):
    headings = visit.page.locator(".bd-article h1")
    assert headings.count() == 1
    heading = headings.first.inner_text().rstrip("#").strip()
    assert heading
    # the theme numbers chapters in the heading, never in the title
    assert visit.page.title().split(" — ")[0].strip() in heading


def test_a_page_asks_for_nothing_outside_the_site_and_everything_inside_is_there(visit, address):
    outside = [url for url in visit.requests if not url.startswith((address, "data:", "blob:"))]
    assert outside == []
    assert visit.failures == []


def test_the_console_stays_silent(visit):
    assert visit.complaints == []


def test_every_figure_is_drawn_and_described(visit):
    figures = visit.page.locator(".bd-article img").evaluate_all(
        "all => all.map(i => ({src: i.getAttribute('src'), alt: i.alt, drawn: i.complete && i.naturalWidth > 0,"
        " wide: i.getBoundingClientRect().width}))"
    )
    for figure in figures:
        assert figure["drawn"], figure
        assert figure["wide"] >= 20, figure
        # Sphinx writes the file's name where a description is missing
        assert len(figure["alt"].split()) >= 3, f"figure without a description: {figure}"


def test_no_page_shows_a_traceback_or_an_unresolved_reference(visit):
    text = visit.page.locator(".bd-article").inner_text()
    for sign in ("Traceback (most recent call last)", "System Message:", "[???]", "{cite}", "{numref}"):
        assert sign not in text
    assert visit.page.locator(".bd-article .traceback, .bd-article .system-message").count() == 0


def test_code_is_folded_behind_a_toggle(visit):
    unfolded = visit.page.locator(".bd-article .cell_input").evaluate_all(
        "all => all.filter(c => !c.closest('details:not([open])') && !c.closest('.tag_show-input')).length"
    )
    assert unfolded == 0


def test_every_formula_is_typeset(visit):
    formulas = visit.page.locator(".bd-article .math")
    raw = formulas.evaluate_all("all => all.filter(m => !m.querySelector('mjx-container')).map(m => m.textContent)")
    assert raw == []
    assert visit.page.locator("mjx-merror").count() == 0


def test_a_page_offers_its_source(visit):
    assert visit.page.locator("a.btn-download-source-button").count() == 1


def test_a_phone_scrolls_down_and_never_sideways(visit):
    page = visit.page
    page.set_viewport_size(PHONE)
    page.evaluate("() => document.querySelectorAll('.bd-article details').forEach(d => d.open = true)")
    wide = page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
    culprits = page.locator(".bd-article *").evaluate_all(
        "all => all.filter(n => n.getBoundingClientRect().right > innerWidth + 1 && ![...function*() {"
        " for (let p = n.parentElement; p; p = p.parentElement) yield p }()].some(p =>"
        " ['auto', 'scroll', 'hidden'].includes(getComputedStyle(p).overflowX) && p.scrollWidth > p.clientWidth))"
        ".map(n => n.tagName + '.' + n.className + ' ' + n.textContent.slice(0, 40)).slice(0, 3)"
    )
    page.evaluate("() => document.querySelectorAll('.bd-article details').forEach(d => d.open = false)")
    assert wide <= 0, culprits
    assert culprits == []


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_both_modes_can_be_read(visit, mode):
    page = visit.page
    for _ in range(3):  # the switch goes round: automatic, light, dark
        if page.evaluate("() => document.documentElement.dataset.mode") == mode:
            break
        page.locator(".theme-switch-button:visible").first.click()
    assert page.evaluate("() => document.documentElement.dataset.theme") == mode
    page.wait_for_timeout(150)  # colours fade over
    found = page.evaluate("() => {" + LUMINANCE + LOOK + "}")
    assert found["text"] == []  # WCAG 2.2, level AA
    assert all(ground > 0.8 for ground in found["figures"])  # an opaque light ground under every figure
    assert (found["page"] > 0.5) == (mode == "light")
