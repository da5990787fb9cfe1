"""Descriptions, citation, commit, placeholder and the page for what is not there, without building a site."""

import re
import subprocess
from datetime import date
from types import SimpleNamespace

import pytest
import yaml
from bs4 import BeautifulSoup
from citing import Commit, cite_box, commit_of, reference
from docutils.core import publish_doctree
from moved import MOVED, write
from moved import page as moved_page
from not_found import page as not_found_page
from page_head import description_of, shortened, take_address
from placeholder import PLACEHOLDER, hide_placeholder, is_real
from pybtex.database import parse_string

from inductive_bias import paths

ABOUT = {
    "type": "software",
    "title": "name: what it is",
    "message": "Please cite <it>.",
    "authors": [{"name": "The developers"}, {"family-names": "Doe", "given-names": "Ann"}],
    "version": "0.1.0",
    "repository-code": PLACEHOLDER,
}
COMMIT = Commit("0123456789abcdef", date(2026, 1, 2), False)


def test_a_description_is_the_first_paragraph_of_prose():
    tree = publish_doctree(
        "Title\n=====\n\n.. note:: This is beside the text and not its start.\n\nToo short.\n\n"
        "Of :math:`\\mathbf{x}` and *y* nothing\nis known here.\n\nA second paragraph that is long enough.\n"
    )
    assert description_of(tree) == "Of x and y nothing is known here."
    assert description_of(publish_doctree("Title\n=====\n\nShort.\n")) == ""


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("One sentence.", "One sentence."),
        ("A first sentence. A second one that does not fit any more.", "A first sentence."),
        ("As Abnar et al. say it takes many more words than these.", "As Abnar et al. say it takes…"),
        ("Yes. But then come words and words and more of them.", "Yes. But then come words and…"),
    ],
)
def test_a_long_description_ends_with_a_sentence_or_a_word(text, short):
    assert shortened(text, 30) == short


def test_the_entry_reads_back_as_bibtex_and_names_no_placeholder():
    text = BeautifulSoup(cite_box(ABOUT, COMMIT), "html.parser").pre.get_text()
    entry = parse_string(text, "bibtex").entries["name"]
    assert dict(entry.fields) == {
        "title": "{name: what it is}",
        "version": "0.1.0",
        "year": "2026",
        "note": "commit 0123456789",
    }
    assert [str(person) for person in entry.persons["author"]] == ["{The developers}", "Doe, Ann"]


def test_a_real_repository_and_a_date_of_release_are_part_of_the_reference():
    fields = reference(
        ABOUT | {"repository-code": "https://example.org/a/b", "date-released": "2025-03-04"}, None
    ).fields
    assert (fields["url"], fields["year"]) == ("https://example.org/a/b", "2025")
    assert "note" not in fields


def test_the_words_of_the_box_are_escaped_and_those_of_the_file():
    box = BeautifulSoup(cite_box(ABOUT, COMMIT), "html.parser")
    assert [part.get_text() for part in box.find_all("p")] == [
        "Please cite <it>.",
        "The developers, Doe, Ann (2026). name: what it is, version 0.1.0, commit 0123456789.",
    ]


def test_a_page_that_cites_others_too_gives_the_box_another_title():
    heads = [BeautifulSoup(cite_box(ABOUT, None, *title), "html.parser").h2 for title in ((), ("How to <cite>",))]
    assert [head.get_text().removesuffix("#") for head in heads] == ["Cite this", "How to <cite>"]


def test_the_project_s_own_file_can_be_cited():
    about = yaml.safe_load((paths.home() / "CITATION.cff").read_text("utf8"))
    assert about["title"] in cite_box(about, None)


def test_a_commit_is_that_of_the_folder_and_says_whether_files_differ(tmp_path):
    assert commit_of(tmp_path) is None

    def git(*words):
        who = ("-c", "user.name=n", "-c", "user.email=e@example.org")
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True)

    git("init")
    (tmp_path / "file").write_text("1")
    git("add", "file")
    git("commit", "-m", "first", "--date", "2020-01-02T00:00:00Z")
    (tmp_path / "unknown to git").write_text("1")
    clean = commit_of(tmp_path)
    assert len(clean.name) == 40
    assert str(clean) == clean.name[:10]
    (tmp_path / "file").write_text("2")
    assert str(commit_of(tmp_path)) == f"{clean.name[:10]}+changes"


def test_without_git_there_is_no_commit(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert commit_of(paths.home()) is None


@pytest.mark.parametrize("address", [None, "", PLACEHOLDER, f"{PLACEHOLDER}/", f"{PLACEHOLDER}.git"])
def test_the_placeholder_is_no_repository(address):
    assert not is_real(address)
    options = {
        "repository_url": address,
        "use_repository_button": True,
        "use_issues_button": True,
        "launch_buttons": {"colab_url": "c", "notebook_interface": "n"},
    }
    hide_placeholder(None, SimpleNamespace(html_theme_options=options))
    assert options == {
        "repository_url": "",
        "use_repository_button": False,
        "use_issues_button": False,
        "launch_buttons": {"colab_url": "", "notebook_interface": "n"},
    }


def test_a_real_repository_keeps_its_buttons():
    options = {"repository_url": "https://github.com/a/b", "launch_buttons": {"colab_url": "c"}}
    hide_placeholder(None, SimpleNamespace(html_theme_options=dict(options)))
    assert is_real(options["repository_url"])
    assert options == {"repository_url": "https://github.com/a/b", "launch_buttons": {"colab_url": "c"}}


def test_the_address_is_that_of_the_settings_or_else_of_the_environment(monkeypatch):
    def found(setting):
        config = SimpleNamespace(html_baseurl=setting)
        take_address(None, config)
        return config.html_baseurl

    assert found("") == ""
    monkeypatch.setenv("SITE_URL", "https://example.org/book")
    assert found("") == "https://example.org/book/"
    assert found("https://other.example/") == "https://other.example/"


def test_the_page_for_what_is_not_there_has_no_relative_link():
    for address, base in {"": "/", "https://example.org/b/": "https://example.org/b/"}.items():
        page = BeautifulSoup(not_found_page("A <book>", "en", address), "html.parser")
        assert page.a["href"] == f"{base}index.html"
        assert all(link["href"].startswith(base) for link in page.find_all("a"))
        assert (page.script is None) == bool(address)
        assert page.title.get_text() == "Page not found — A <book>"


def app_of(folder, *pages):
    """What the extension asks of Sphinx."""
    config = SimpleNamespace(language="en")
    env = SimpleNamespace(found_docs=set(pages))
    return SimpleNamespace(builder=SimpleNamespace(format="html"), outdir=folder, config=config, env=env)


@pytest.mark.parametrize(
    ("old", "new", "link"),
    [
        ("a.html", "b.html", "b.html"),
        ("part/a.html", "b.html?q=x&y=z#there", "../b.html?q=x&y=z#there"),
        ("part/a.html", "part/b.html", "b.html"),
    ],
)
def test_an_old_address_leads_on_from_where_it_is(old, new, link):
    page = BeautifulSoup(moved_page(old, new, "en"), "html.parser")
    assert page.a["href"] == link
    assert page.find("meta", {"http-equiv": "refresh"})["content"] == f"0; url={link}"
    assert page.html["lang"] == "en"


def test_old_pages_are_written_and_none_hides_a_page_or_leads_nowhere(tmp_path):
    pages = {re.split(r"\.html", new)[0] for new in MOVED.values()}
    write(app_of(tmp_path, *pages), None)
    assert {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.html")} == {*MOVED}
    with pytest.raises(ValueError, match=r"decide.html is a page of the site"):
        write(app_of(tmp_path, *pages, "decide"), None)
    with pytest.raises(ValueError, match=r"which is no page of the site"):
        write(app_of(tmp_path, "index"), None)
