"""Every table of every page: it says what its cells are, nothing of it is lost on a phone or on paper."""

import csv

import pytest

pytestmark = pytest.mark.site

PHONE = {"width": 390, "height": 844}
PAPER = {"width": 680, "height": 960}  # an A4 sheet without its margins
OPENED = "all => all.forEach(d => { d.open = true })"
#: Of every table: does it stick out of the box, is that said, and are its rows cards?
BOXES = """all => all.map(box => {
  const scroller = box.querySelector('.table-scroll'), table = box.querySelector('table');
  const hidden = Math.max(scroller.scrollWidth - scroller.clientWidth, table.offsetWidth - scroller.clientWidth);
  return {
    words: table.innerText.slice(0, 60),
    hidden,
    said: box.dataset.more.includes('right')
      && getComputedStyle(box.querySelector('.table-links'), '::after').content.includes('more columns')
      && scroller.tabIndex === 0 && !!scroller.getAttribute('aria-label'),
    cards: getComputedStyle(table.rows[table.rows.length - 1]).display === 'block',
  };
})"""

#: Of every table: where its first column is when the last one is in sight.
MOVED = """async all => {
  const frames = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  all.forEach(s => { s.scrollLeft = s.scrollWidth });
  await frames();
  const found = all.map(s => { const stub = s.querySelector('tbody .stub'); return {
    words: s.innerText.slice(0, 40),
    left: stub.getBoundingClientRect().left - s.getBoundingClientRect().left,
    share: stub.offsetWidth / s.clientWidth,
    more: s.closest('.table-box').dataset.more,
    ground: getComputedStyle(stub).backgroundColor,
  } });
  all.forEach(s => { s.scrollLeft = 0 });
  await frames();
  return found;
}"""


@pytest.fixture
def at(visit):
    """Makes the page another size or medium, with everything that is folded opened; puts it back."""
    page = visit.page

    def change(size, media="screen"):
        page.emulate_media(media=media)
        page.set_viewport_size(size)
        page.locator(".bd-article details").evaluate_all(OPENED)
        # observers of sizes are asked after the next frame
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return page

    yield change
    page.emulate_media(media="screen")
    page.locator(".bd-article details").evaluate_all("all => all.forEach(d => { d.open = false })")


def test_every_table_is_in_a_box(visit):
    tables = visit.page.locator(".bd-article table:not([data-live])")
    assert tables.count() == visit.page.locator(".bd-article .table-box table").count()


def test_every_heading_of_a_table_says_what_it_heads_and_every_table_what_it_is(visit):
    found = visit.page.locator(".bd-article .table-box table").evaluate_all(
        "all => all.map(t => ({caption: t.caption?.textContent.trim(), words: t.innerText.slice(0, 60),"
        " bare: [...t.querySelectorAll('th')].filter(h => !/^(col|row)(group)?$/.test(h.scope)).length,"
        " silent: [...t.querySelectorAll('th')].filter(h => !h.textContent.trim()).length,"
        " headless: [...t.tBodies].flatMap(b => [...b.rows]).filter(r => r.cells[0].textContent.trim()"
        " && r.cells[0].tagName !== 'TH').length}))"
    )
    for table in found:
        assert table["caption"], table
        assert (table["bare"], table["silent"], table["headless"]) == (0, 0, 0), table


def test_on_a_phone_a_table_fits_or_says_that_there_is_more_or_is_cards(at):
    page = at(PHONE)
    for table in page.locator(".table-box").evaluate_all(BOXES):
        assert table["hidden"] <= 1 or (table["said"] and not table["cards"]), table


def test_the_first_column_stays_while_the_rest_moves_and_the_cue_changes_sides(at):
    page = at(PHONE)
    found = page.locator('.table-box[data-more~="right"] .table-scroll').evaluate_all(MOVED)
    for moved in found:
        assert abs(moved["left"]) <= 1, moved
        assert moved["share"] < 0.6, moved
        assert moved["more"] == "left", moved
        assert "rgba" not in moved["ground"], moved  # opaque: what passes below must not shine through


def test_a_card_names_every_value(at):
    page = at(PHONE)
    unnamed = page.locator(".table-box.cards").evaluate_all(
        "all => all.flatMap(box => [...box.querySelectorAll('tbody td')].filter(cell => cell.textContent.trim() &&"
        " cell.dataset.label && !getComputedStyle(cell, '::before').content.includes(cell.dataset.label.slice(0, 5))))"
        ".length"
    )
    assert unnamed == 0


def test_paper_cuts_no_table(at):
    page = at(PAPER, "print")
    cut = page.locator(".bd-article .table-scroll").evaluate_all(
        "all => all.filter(s => s.scrollWidth > s.clientWidth + 1).map(s => s.innerText.slice(0, 60))"
    )
    assert cut == []
    assert page.locator(".table-links:visible").count() == 0


def test_a_table_can_be_had_as_csv_with_the_same_words(visit, html, page_name):
    shown = visit.page.locator(".bd-article .table-box").evaluate_all(
        "all => all.map(b => ({link: b.querySelector('a.table-csv').getAttribute('href'),"
        " sizes: [...b.querySelectorAll('tr')].map(r => r.cells.length),"
        " last: [...b.querySelectorAll('tr')].pop().cells[0].textContent.trim().split(/\\s+/).join(' ')}))"
    )
    assert len({table["link"] for table in shown}) == len(shown)
    for table in shown:
        text = ((html / page_name).parent / table["link"]).resolve().read_text("utf8")
        rows = list(csv.reader(text.splitlines()))
        assert [len(row) for row in rows] == table["sizes"], table
        assert rows[-1][0].replace("-", "−") == table["last"].replace("-", "−")
