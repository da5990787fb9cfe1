"""What a page is given while it is written: figures that stay readable, folded tables, links to the glossary."""

import json
from types import SimpleNamespace

import figure_boxes
import glossary_links
import more
import numbers_behind
import pytest
from docutils import nodes
from docutils.utils import new_document
from myst_nb.sphinx_ import HideCodeCellNode
from PIL import Image

FIGURE = {"mystnb": {"figure": {"name": "fig-a", "caption": "A"}}}


def cell(source, **metadata):
    return {"cell_type": "code", "metadata": metadata, "source": source}


def folded(*cells, docname="chapter.ipynb"):
    source = [json.dumps({"cells": list(cells)})]
    numbers_behind.fold(SimpleNamespace(env=SimpleNamespace(doc2path=lambda _: docname)), "chapter", source)
    return [each["metadata"].get("tags", []) for each in json.loads(source[0])["cells"]]


def test_tables_right_behind_a_figure_are_folded_and_no_others():
    table = cell("table = made()\ndisplay_table(table)")
    text = {"cell_type": "markdown", "metadata": {}, "source": ["words"]}
    behind, figure = ["hide-output"], cell("draw()", **FIGURE)
    assert folded(table, figure, text, table, table, text, table) == [[], [], [], behind, behind, [], []]
    for part in ("## Else\n\nwords", "words\n\n```{more} else\n```"):
        assert folded(figure, text | {"source": [part]}, table) == [[], [], []]
    assert folded(figure, table, cell("print(1)"), table, figure, figure, table) == [[], behind, [], [], [], [], behind]


@pytest.mark.parametrize(
    ("source", "shows"),
    [
        ("plotting.display_table(t)", True),
        ("for t in both:\n    display(display_table(t))", True),
        ("table = results.table('x')", False),
        ("print(len(table))", False),
    ],
)
def test_a_table_is_seen_however_it_is_shown(source, shows):
    assert folded(cell("draw()", **FIGURE), cell(source)) == [[], ["hide-output"] if shows else []]


def test_a_table_that_asks_stays_open_and_pages_without_cells_stay_as_they_are():
    assert folded(cell("draw()", **FIGURE), cell("display_table(t)", tags=["open"])) == [[], ["open"]]
    source = ["# words"]
    numbers_behind.fold(SimpleNamespace(env=SimpleNamespace(doc2path=lambda _: "page.md")), "page", source)
    assert source == ["# words"]


@pytest.mark.parametrize(
    ("shown", "held"),
    [
        ("<table><caption>Accuracy, mean &amp; std.</caption></table>", "Accuracy, mean & std"),
        ('<caption id="a"><span>ECE, 10⁶ bins; lower is better.</span></caption><caption>b</caption>', "ECE, 10⁶ bins"),
        ("<caption>Parameters of .5 and 1.5 million. Of two.</caption>", "Parameters of .5 and 1.5 million"),
        ("<table></table>", ""),
    ],
)
def test_a_folded_table_is_named_by_its_caption(shown, held):
    assert numbers_behind.short_caption(shown) == held


def test_a_fold_says_beside_which_figure_it_stands():
    document, figure = new_document("p"), nodes.figure(ids=["fig-a"])
    folds = [HideCodeCellNode(classes=[], prompt_show="", prompt_hide="") for _ in range(2)]
    folds[0] += nodes.raw("", "<caption>Accuracy. Of all.</caption>", format="html")
    document += [figure, *folds]
    numbers = {"p": {"figure": {"fig-a": (3, 1)}}}
    numbers_behind.name(SimpleNamespace(env=SimpleNamespace(toc_fignumbers=numbers)), document, "p")
    assert [fold["prompt_show"] for fold in folds] == ["Beside Figure 3.1: Accuracy", "The numbers behind Figure 3.1"]


@pytest.mark.parametrize("width", [300, 690, 1080])
def test_a_figure_may_shrink_until_its_smallest_letters_have_nine_pixels(width):
    letters = figure_boxes.SMALLEST / 72 * figure_boxes.DPI
    assert figure_boxes.least_width(width) / width * letters == pytest.approx(9, rel=0.01)


def test_images_are_boxed_with_their_size_and_others_left_alone(tmp_path):
    Image.new("RGB", (120, 40)).save(tmp_path / "a.png")
    (tmp_path / "b.png").write_bytes(b"no picture, though long enough to look at its header")
    env = SimpleNamespace(images={"a.png": (set(), "a.png"), "b.png": (set(), "b.png")})
    body = '<img alt="x" src="../_images/a.png" /><img src="../_images/b.png" /><img src="elsewhere/c.png" />'
    context = {"body": body}
    app = SimpleNamespace(env=env, srcdir=tmp_path, outdir=tmp_path / "out")
    figure_boxes.box_figures(app, "p", "page.html", context, new_document("p"))
    boxed, others = context["body"].split("</span></span>")
    assert boxed.startswith('<span class="figure-box"><span class="figure-scroll"><img alt="x" src="../_images/a.png"')
    assert 'width="120" height="40" style="--least: 65px"' in boxed
    assert others == '<img src="../_images/b.png" /><img src="elsewhere/c.png" />'


def linked(*blocks, docname="chapter"):
    document = new_document("p")
    document += list(blocks)
    terms = [(name, name, "term", "glossary", f"term-{name}", 1) for name in ("seed", "gate", "A-acc", "scale")]
    app = SimpleNamespace(
        env=SimpleNamespace(domains={"std": SimpleNamespace(get_objects=lambda: terms)}),
        builder=SimpleNamespace(get_relative_uri=lambda start, end: f"../{end}.html"),
    )
    glossary_links.link_terms(app, document, docname)
    return [(link.astext(), link["refuri"]) for link in document.findall(nodes.reference) if "term" in link["classes"]]


def test_the_first_of_each_word_leads_to_the_glossary():
    first = nodes.paragraph("", "The A-acc of all seeds, and of one seed.")
    again = nodes.paragraph("", "An A-acc on a scale; reseeded.")
    assert linked(first, again) == [("A-acc", "../glossary.html#term-A-acc"), ("seeds", "../glossary.html#term-seed")]
    assert first.astext() == "The A-acc of all seeds, and of one seed."


@pytest.mark.parametrize("around", [nodes.title, nodes.literal, nodes.caption])
def test_names_code_and_captions_are_no_running_text(around):
    assert linked(nodes.paragraph("", "", around("", "seed"))) == []


@pytest.mark.parametrize("docname", ["glossary", "references"])
def test_the_glossary_does_not_lead_to_itself_and_titles_of_papers_nowhere(docname):
    assert linked(nodes.paragraph("", "seed"), docname=docname) == []


def test_a_word_that_means_something_else_on_a_page_is_no_link_there():
    pages = ("attention/rem", "stability/truncation")
    found = [[words for words, _ in linked(nodes.paragraph("", "a gate, a seed"), docname=page)] for page in pages]
    assert found == [["gate", "seed"], ["seed"]]


def test_a_fold_takes_what_follows_up_to_the_next_heading_or_fold():
    document = new_document("p")
    words = {name: nodes.paragraph("", name) for name in "abcde"}
    section, below = nodes.section("", ids=["s"]), nodes.section("", words["e"], ids=["t"])
    first, second = more.Fold(words="first"), more.Fold(words="second")
    section += [words["a"], first, words["b"], words["c"], second, words["d"], below]
    document += section
    more.Gather(document).apply()
    assert section.children == [words["a"], first, second, below]
    assert [fold.astext() for fold in (first, second)] == ["b\n\nc", "d"]


def test_a_fold_says_what_is_in_it_and_an_empty_one_is_no_error():
    page = SimpleNamespace(body=[])
    fold = more.Fold(words="all <seeds>")
    document = new_document("p")
    document += fold
    more.Gather(document).apply()
    more.visit(page, fold)
    more.depart(page, fold)
    assert "".join(page.body).replace("\n", "") == (
        '<details class="more"><summary>More: all &lt;seeds&gt;</summary></details>'
    )
