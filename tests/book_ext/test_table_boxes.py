import csv
from types import SimpleNamespace

import pandas as pd
import pytest
from bs4 import BeautifulSoup
from docutils.utils import new_document
from table_boxes import ONLY_LEFT, Table, box_tables, slug

from inductive_bias.plotting import display_table

FRAME = pd.DataFrame({"model": ["LSTM", "RSA & co"], "accuracy": [0.5, -0.25], "seeds": [4, 8]})
SPANS = """<table><thead><tr><th></th><th colspan="2">both</th></tr><tr><th>who</th><th>a</th><th>b</th></tr></thead>
<tbody><tr><th rowspan="2">one</th><th>x</th><td>1</td></tr><tr><th>y</th><td>−2</td></tr>
<tr><td>two</td><td>z</td><td>3</td></tr></tbody></table>"""


def boxed(frame, caption="A caption", **more):
    style, start, rest = display_table(frame, caption, **more).html.partition("<table")
    return Table(start + rest.rstrip(), style)


def nodes(table):
    return BeautifulSoup(table.boxed("t.csv"), "html.parser")


def test_the_first_column_heads_its_rows_and_the_first_row_its_columns():
    found = nodes(boxed(FRAME, index=False))
    assert [(cell.get_text(), cell["scope"]) for cell in found.select("thead th")] == [
        ("model", "col"),
        ("accuracy", "col"),
        ("seeds", "col"),
    ]
    assert [(cell.get_text(), cell["scope"]) for cell in found.select("tbody th")] == [
        ("LSTM", "row"),
        ("RSA & co", "row"),
    ]
    assert [cell.get_text() for cell in found.select(".stub")] == ["model", "LSTM", "RSA & co"]


def test_an_empty_corner_heads_nothing():
    found = nodes(boxed(FRAME.set_index("model").rename_axis(None)))
    assert found.thead.find(True, class_="stub").name == "td"
    assert all(cell.get_text(strip=True) for cell in found.select("th"))


def test_columns_of_words_are_left_aligned_by_a_class_and_the_sheet_of_styles_is_gone():
    found = nodes(boxed(FRAME, index=False))
    assert found.style is None
    assert [("text" in cell.get("class", [])) for cell in found.select("thead th")] == [True, False, False]
    assert "id" not in found.table.attrs


def test_a_sheet_that_says_more_is_kept_with_what_it_refers_to():
    style = '<style type="text/css">\n#T_1 th.col0 {\n  text-align: left;\n}\n#T_1 td {\n  color: red;\n}\n</style>\n'
    assert not ONLY_LEFT.fullmatch(style)
    text = '<table id="T_1"><thead><tr><th class="col0">a</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table>'
    found = Table(text, style).boxed("t.csv")
    assert style in found
    assert 'id="T_1"' in found
    assert "col0" in found


def test_cells_that_span_keep_every_cell_in_its_column():
    table = Table(SPANS)
    assert list(csv.reader(table.csv().splitlines())) == [
        ["", "both", ""],
        ["who", "a", "b"],
        ["one", "x", "1"],
        ["", "y", "-2"],
        ["two", "z", "3"],
    ]
    scopes = {cell.get_text(): cell["scope"] for cell in nodes(table).select("th")}
    assert scopes == {
        "both": "colgroup",
        "who": "col",
        "a": "col",
        "b": "col",
        "one": "rowgroup",
        "x": "row",
        "y": "row",
        "two": "row",
    }
    assert [cell.get_text() for cell in nodes(table).select("tbody .stub")] == ["one", "two"]


def test_the_csv_reads_back_as_the_numbers_that_are_shown(tmp_path):
    (tmp_path / "t.csv").write_text(boxed(FRAME, index=False).csv(), "utf8")
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "t.csv"), FRAME)


def test_sentences_make_cards_that_name_their_values_and_numbers_do_not():
    assert not boxed(FRAME, index=False).cards
    found = nodes(boxed(FRAME.assign(why="a sentence that is much too long for a column of a phone"), index=False))
    assert "cards" in found.div["class"]
    assert [cell["data-label"] for cell in found.select("tbody td")] == ["accuracy", "seeds", "why"] * 2
    assert {cell["role"] for cell in found.select("tbody td")} == {"cell"}
    assert {cell["role"] for cell in found.select("th")} == {"columnheader", "rowheader"}


def test_a_row_of_many_numbers_may_part_between_them_and_one_with_its_spread_may_not():
    every, one = "\u00a0".join(["0.938"] * 9), "0.938\u00a0±\u00a00.004"
    found = nodes(boxed(pd.DataFrame({"model": ["LSTM"], "every seed": [every], "here": [one]}), index=False))
    assert [cell.get_text() for cell in found.select("td")] == [every.replace("\u00a0", " "), one]


def test_a_long_first_column_alone_makes_no_cards():
    assert not boxed(pd.DataFrame({"claim": ["x" * 80], "value": [1]}), index=False).cards


@pytest.mark.parametrize(("text", "hidden"), [("A caption", False), ("", True)])
def test_a_table_without_a_caption_is_named_by_its_heading_for_who_cannot_see(text, hidden):
    style, start, rest = display_table(FRAME, text).html.partition("<table")
    found = nodes(table := Table(start + rest, style, "The heading"))
    assert table.caption == found.caption.get_text() == (text or "The heading")
    assert ("visually-hidden" in found.caption.get("class", [])) == hidden
    assert found.a["aria-label"] == f"This table as CSV: {table.caption}"


@pytest.mark.parametrize(
    ("words", "name"), [("Accuracy, mean ± std.", "accuracy-mean-std"), ("λ", "table"), ("x" * 99, "x" * 60)]
)
def test_a_file_is_named_by_what_it_shows(words, name):
    assert slug(words) == name


def test_a_page_s_tables_get_files_of_their_own_and_scripts_are_left_alone(tmp_path):
    script = "<script>const t = '<table><tr><td>no</td></tr></table>'</script>"
    live = "<table data-live><tbody><tr><td>1</td></tr></tbody></table>"
    table = display_table(FRAME, "Twice").html
    context = {"body": f"<h2>One</h2>{script}{live}{table}{table}", "pathto": lambda place, resource: f"../{place}"}
    box_tables(SimpleNamespace(outdir=tmp_path), "part/page", "page.html", context, new_document("page"))
    assert sorted(path.name for path in (tmp_path / "_tables" / "part" / "page").iterdir()) == [
        "twice-2.csv",
        "twice.csv",
    ]
    assert script in context["body"]
    assert live in context["body"]
    assert context["body"].count('class="table-box') == 2
    assert 'href="../_tables/part/page/twice-2.csv"' in context["body"]
