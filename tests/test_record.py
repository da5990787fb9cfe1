"""The pages about the book itself: made from what the studies declare, and current."""

import json

import numpy as np
import pandas as pd
import pytest

from inductive_bias import places, record
from inductive_bias.book import contents
from inductive_bias.record import claims as claims_module
from inductive_bias.record import written
from inductive_bias.studies import STUDIES
from inductive_bias.verdicts import VERDICTS
from tests.fakes import fake_results
from tests.studies.toy import STUDY as TOY

ENTRY = {
    "commit": "0123456789abcdef+changes",
    "published": "2026-01-02",
    "versions": {"python": "3.11.9", "torch": "2.6"},
    "devices": ["cpu"],
    "trials": 8,
    "seeds_per_cell": 4,
    "minutes": 12.4,
    "minutes_per_trial": {"CNN": 2.0, "MLP": 1.1},
    "data_sources": ["real:torchvision", "real:torchvision+generated"],
    "data_sha256": {"b.gz": "b" * 64, "a.gz": "a" * 64},
    "files": {"laptop.parquet": {"sha256": "c" * 64, "rows": 7}},
}


@pytest.mark.parametrize("path", record.made(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_is_made_from_the_studies_is_current(path):
    assert path.read_text("utf8") == record.made()[path], "run `inductive-bias tables`"


def test_a_table_is_put_between_its_markers_and_nowhere_else():
    text = f"before\n{written.MARK.format(name='n')}old\n{written.END.format(name='n')}\nafter"
    assert written.replaced(text, "n", "| new |") == text.replace("old", "| new |")
    with pytest.raises(ValueError, match="the markers of the table 'm' must be there once"):
        written.replaced(text, "m", "")


def test_the_contents_name_the_notebooks_that_there_are():
    book = places.home() / "book"
    named = {path.relative_to(book).with_suffix("").as_posix() for path in contents()}
    there = {path.relative_to(book).with_suffix("").as_posix() for path in book.rglob("*.ipynb")}
    assert named == {path for path in there if not path.startswith("_build")}


def numbers(*, number, model, teacher):
    return {("translate", "accuracy"): 0.5 + 0.2 * (teacher == "MLP") + 0.01 * number}


@pytest.fixture
def toy(monkeypatch):
    monkeypatch.setitem(STUDIES, "toy", TOY)
    return {"toy": fake_results(TOY, numbers)}


def test_a_claim_is_listed_with_effect_verdict_and_a_link_to_its_page(toy):
    row = record.all_claims(toy).iloc[0]
    assert row["found"] == "+0.200\u00a0[+0.200,\u00a0+0.200] accuracy, translated"
    assert (row["claim"], row["verdict"], row["corrected"], row["n"]) == ("T1", "reproduced", "reproduced", 4)
    assert row["chapter"] == record.chapter_of("T1")
    assert row["chapter"].page == "toy.html"
    with pytest.raises(KeyError, match="no page shows claim V99"):
        record.chapter_of("V99")


def test_verdicts_are_counted_and_our_own_apart(toy):
    claims = record.all_claims(toy)
    counts = record.verdict_counts(pd.concat([claims, claims.assign(own=True, verdict="refuted")]))
    assert counts.loc["of the papers", "reproduced"] == 1
    assert counts.loc["our own questions", "refuted"] == 1
    assert counts["in all"].tolist() == [1, 1]


def test_changed_verdicts_are_of_claims_that_there_are_and_really_changed():
    before = claims_module.before_the_change()
    assert set(before["claim"]) <= {claim.id for study in STUDIES.values() for claim in study.claims}
    assert set(before["before"]) <= {"reproduced", "not reproduced", "inconclusive"}
    assert before["why"].str.len().min() > 20
    claims = pd.DataFrame({"claim": before["claim"], "verdict": VERDICTS[2]})
    table = record.changed_verdicts(claims)
    assert table["claim"].tolist() == before["claim"].tolist()
    assert set(table["now"]) == {"undecided"}


def test_nothing_published_is_said_and_not_an_error(home):
    entries = record.published_entries()
    assert entries == {}
    frames = (record.how_made(entries), record.minutes_per_trial(entries), record.data_files(entries),
              record.published_files(entries))  # fmt: skip
    for frame in frames:
        assert "nothing has been published yet" in record.table_or_nothing(frame, "a caption").html


def test_the_manifest_is_shown_with_short_hashes(home):
    folder = home / "data" / "results" / "vision"
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text(json.dumps({"laptop": ENTRY}))
    entries = record.published_entries()
    assert list(entries) == ["vision, laptop"]
    made = record.how_made(entries)["vision, laptop"]
    assert made["commit"] == "0123456789ab+changes"
    assert made["data"] == "real:torchvision"
    assert made["torch version"] == "2.6"
    minutes = record.minutes_per_trial(entries).iloc[0]
    assert (minutes["cells"], minutes["shortest"], minutes["longest"], minutes["the longest is"]) == (
        2,
        1.1,
        2.0,
        "CNN",
    )
    assert minutes["mean"] == pytest.approx(np.mean([2.0, 1.1]))
    assert record.data_files(entries)["file"].tolist() == ["a.gz", "b.gz"]
    assert record.published_files(entries).iloc[0].tolist() == ["vision, laptop", "laptop.parquet", 7, "c" * 12]


def test_all_studies_are_opened_at_the_notebooks_scale(monkeypatch):
    asked, results = [], fake_results(TOY, numbers)
    monkeypatch.setattr(claims_module, "open_study", lambda *given, **more: asked.append((given, more)) or results)
    assert record.open_studies({"a": 1}, scale="smoke", device="cpu") == dict.fromkeys(STUDIES, results)
    assert asked == [((name, {"a": 1}), {"scale": "smoke", "device": "cpu"}) for name in STUDIES]
