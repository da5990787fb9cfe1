"""The pages about the book itself: every claim has its chapter, and the manifest is shown as it is."""

import json

import pandas as pd
import pytest

from inductive_bias import record
from inductive_bias.book import contents
from inductive_bias.studies import STUDIES, Results, Study
from inductive_bias.studies.claims import Claim, Finding

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


@pytest.mark.parametrize("study", STUDIES.values(), ids=lambda study: study.name)
def test_every_claim_is_shown_in_exactly_one_chapter(study):
    shown = [name for claims in record.CHAPTERS[study.name].values() for name in claims]
    assert sorted(shown) == sorted(claim.id for claim in study.claims)


@pytest.mark.parametrize("page", [page for pages in record.CHAPTERS.values() for page in pages])
def test_a_chapter_judges_the_claims_that_link_to_it(page):
    claims = next(pages[page] for pages in record.CHAPTERS.values() if page in pages)
    path = next(path for path in contents() if path.with_suffix("").as_posix().endswith(f"book/{page}"))
    cells = json.loads(path.read_text("utf8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    assert [name for name in claims if f'"{name}"' not in code] == []


def toy(*sources: str) -> Results:
    finding = Finding("inconclusive", 0.1, -0.1, 0.3, "u", "why")
    claims = tuple(Claim(f"V{n}", source, "s", "+.1", lambda results: finding) for n, source in enumerate(sources, 1))
    return Results(Study("vision", "?", lambda scale: {}, {}, claims), "smoke", pd.DataFrame(), False)


def test_a_claim_is_listed_with_paper_effect_verdict_and_a_link_to_its_chapter():
    row = record.all_claims([toy("Abnar, Dehghani & Zuidema 2020, claim 1, later")]).iloc[0]
    assert (row["paper"], row["place"]) == ("Abnar, Dehghani & Zuidema 2020", "claim 1, later")
    assert row["found"] == "+0.100\u00a0[−0.100,\u00a0+0.300] u"
    assert row["chapter"] == record.Link("distillation", "vision/distillation.html")


def test_a_claim_without_a_chapter_is_refused():
    with pytest.raises(KeyError, match="no chapter shows claim V99 of study vision"):
        record.chapter_of("vision", "V99")


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
    assert record.minutes_per_trial(entries).loc["MLP", "vision, laptop"] == 1.1
    assert record.data_files(entries)["file"].tolist() == ["a.gz", "b.gz"]
    assert record.published_files(entries).iloc[0].tolist() == ["vision, laptop", "laptop.parquet", 7, "c" * 12]


def test_all_studies_are_opened_at_the_notebooks_scale(monkeypatch):
    asked, results = [], toy("A paper 2020, claim 1")
    monkeypatch.setattr(record, "open_study", lambda *given, **more: asked.append((given, more)) or results)
    assert record.open_studies({"a": 1}, scale="smoke", device="cpu") == dict.fromkeys(STUDIES, results)
    assert asked == [((name, {"a": 1}), {"scale": "smoke", "device": "cpu"}) for name in STUDIES]
