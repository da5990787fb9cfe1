"""Looks are derived from levels alone, can be told apart by everybody, and stand out on white."""

import itertools
import json
import pkgutil
import re
import subprocess
import sys
from importlib import import_module

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from matplotlib.markers import MarkerStyle

from inductive_bias import paths, plotting, studies

#: The package exports a function of the name of this module.
palette_module = import_module("inductive_bias.plotting.palette")
LADDER = ["none", "Bidirectional Transformer", "Sequential Transformer", "Sequential Universal Transformer", "LSTM"]
VERDICTS = ["reproduced", "not reproduced", "undecided", "beyond these data", "not testable here"]
#: Families that stand in one figure.
TOGETHER = {
    "vision": ["none", "MLP", "CNN"],
    "ladder": [*LADDER, "Universal Transformer"],
    "mixers": ["none", "Attention", "Free Toeplitz", "REM only", "RSA", "Linear RNN", "LSTM"],
    "networks": ["none", "Linear RNN", "tanh RNN", "LSTM"],
    "rivals": ["LSTM", "GRU", "tanh RNN", "TCN", "Gated CNN", "Attention", "RSA", "REM only"],
    "verdicts": VERDICTS,
    "words": [f"word {k}" for k in range(len(plotting.QUALITATIVE))],
}
#: Machado, Oliveira & Fernandes (2009), severity 1, on linear RGB.
SIGHT = {
    "all cones": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
}
_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)


def lab(colour: str, sight: str) -> np.ndarray:
    """CIE Lab (D65) of what an eye of this kind sees."""
    rgb = np.array(to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = _XYZ @ np.clip(SIGHT[sight] @ linear, 0, 1) / (0.95047, 1.0, 1.08883)
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def nearest(colours, sight: str) -> float:
    """The smallest distance (ΔE 1976) of two of the colours."""
    return min(np.linalg.norm(lab(a, sight) - lab(b, sight)) for a, b in itertools.combinations(colours, 2))


def contrast(colour: str) -> float:
    """On white (WCAG 2.2)."""
    return 1.05 / (plotting.relative_luminance(to_rgb(colour)) + 0.05)


@pytest.fixture
def variants(monkeypatch):
    """Five variants of every family."""
    monkeypatch.setattr(palette_module, "_FAMILY_OF", dict(palette_module._FAMILY_OF))
    made = {family: [family, *(f"{family}, variant {k}" for k in range(4))] for family in plotting.FAMILIES}
    for family, levels in made.items():
        for level in levels[1:]:
            plotting.register_family(level, family)
    return made


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("figure", TOGETHER)
def test_families_of_one_figure_are_told_apart_by_every_eye(figure, sight):
    assert nearest(plotting.palette(TOGETHER[figure]).values(), sight) >= 15


@pytest.mark.parametrize("sight", SIGHT)
def test_five_shades_of_a_family_are_told_apart_by_every_eye(variants, sight):
    for levels in variants.values():
        assert nearest(plotting.palette(levels).values(), sight) >= 7


def test_every_derived_colour_stands_out_on_white(variants):
    levels = [*plotting.FAMILIES, *TOGETHER["words"], *(f"more {k}" for k in range(8))]
    for palette in (*map(plotting.palette, variants.values()), plotting.palette(levels), plotting.palette(range(12))):
        assert min(map(contrast, palette.values())) >= 3


@pytest.mark.parametrize("figure", TOGETHER)
def test_markers_of_one_figure_differ_and_are_filled_as_seaborn_asks(figure):
    markers = plotting.markers(TOGETHER[figure])
    assert len(set(markers.values())) == len(markers)
    assert all(MarkerStyle(marker).is_filled() for marker in markers.values())


def test_a_teacher_is_a_hue_and_a_student_a_marker():
    pairs = {(plotting.palette(LADDER)[t], plotting.markers(LADDER)[s]) for t in LADDER for s in LADDER[1:]}
    assert len(pairs) == 5 * 4


def test_a_family_has_its_own_hue_whatever_else_is_drawn():
    for levels in (["LSTM"], ["Small LSTM", "LSTM"], ["LSTM", "RSA", "CIFAR", 0.5]):
        assert plotting.palette(levels)["LSTM"] == plotting.FAMILIES["LSTM"].colour
        assert plotting.markers(levels)["LSTM"] == plotting.FAMILIES["LSTM"].marker
    assert plotting.palette(["Small LSTM", "LSTM"])["Small LSTM"] != plotting.FAMILIES["LSTM"].colour


def test_a_variant_looks_the_same_in_the_whole_book_whatever_else_is_drawn():
    for family, variants in plotting.VARIANTS.items():
        for level, look in variants.items():
            for company in ([], [family], list(variants), [*plotting.FAMILIES, *variants], ["a word", 3]):
                levels = [*company, *([] if level in company else [level])]
                assert plotting.look(level, levels) == look
            assert plotting.family_of(level) == family


def test_models_that_a_study_draws_together_differ_in_colour_and_in_marker():
    """Models of a study are the tuples of names in its design; those of profiles are drawn by their family alone."""
    found = 0
    for module in pkgutil.iter_modules(studies.__path__):
        if not module.ispkg or "profiles" in module.name:
            continue
        names = vars(import_module(f"inductive_bias.studies.{module.name}.design")).values()
        lists = [each for each in names if isinstance(each, tuple | list | dict) and 1 < len(each) < 40]
        for levels in lists:
            models = [each for each in levels if isinstance(each, str) and plotting.family_of(each)]
            if len(models) < 2 or len(models) < len(levels):
                continue
            found += 1
            for looks in (plotting.palette(models), plotting.markers(models)):
                assert len(set(looks.values())) == len(set(models)), (module.name, looks)
    assert found > 15


def test_one_scale_for_sizes_and_one_with_a_middle_in_the_whole_book():
    """No module and no notebook names another of matplotlib's or seaborn's scales; grey is for photographs."""
    maps = {name.removesuffix("_r") for name in mpl.colormaps} - {plotting.SIZES, plotting.CHANGES, "gray"}
    named = re.compile(r"""["']({})(?:_r)?["']""".format("|".join(sorted(maps | {"colorblind"}))))
    files = [*(paths.home() / "src").rglob("*.py")]
    texts = {file: file.read_text("utf8") for file in files}
    for page in (paths.home() / "book").rglob("[!.]*.ipynb"):
        cells = json.loads(page.read_text("utf8"))["cells"] if "_build" not in page.parts else []
        texts[page] = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    found = {file.name: named.findall(text) for file, text in texts.items()}
    assert {name: maps for name, maps in found.items() if maps} == {}


def test_no_page_gives_a_model_a_look_of_its_own():
    for page in (paths.home() / "book").rglob("[!.]*.ipynb"):
        if "_build" not in page.parts:
            assert "register_family" not in page.read_text("utf8"), page


def test_numbers_go_from_pale_to_dark_in_their_order():
    palette = plotting.palette([1.0, 0.0, 0.5, 0.25])
    assert list(palette) == [0.0, 0.25, 0.5, 1.0]
    assert [contrast(colour) for colour in palette.values()] == sorted(map(contrast, palette.values()))
    assert plotting.palette(pd.Series([np.nan, 2, 1])) == plotting.palette([1, 2])
    assert len(plotting.palette([7])) == 1


def test_words_are_coloured_by_their_place_and_never_run_out():
    assert list(plotting.palette(["natural", "lexical"]).values()) == list(plotting.QUALITATIVE[:2])
    many = [f"set {k}" for k in range(20)]
    assert len(set(plotting.palette(many).values())) == 20
    assert len(plotting.markers(many)) == 20
    assert plotting.palette([]) == plotting.markers([]) == {}


def test_all_categories_count_so_that_figures_of_one_factor_agree():
    column = pd.Series(["b"], dtype=pd.CategoricalDtype(["a", "b"]))
    assert plotting.palette(column) == plotting.palette(["a", "b"])


def test_a_name_is_matched_as_a_whole():
    assert plotting.family_of("LSTM, a variant of tomorrow") is None
    assert plotting.family_of("Small LSTM") == "LSTM"
    assert plotting.family_of("none") == "none"


@pytest.mark.slow
def test_looks_are_the_same_in_every_process():
    levels = ["LSTM", "RSA, shared", "RSA", "tomorrow"]
    code = f"from inductive_bias import plotting as p; print(p.palette({levels!r}), p.markers({levels!r}))"
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert there.strip() == f"{plotting.palette(levels)} {plotting.markers(levels)}"


def test_a_family_is_declared_once(monkeypatch):
    monkeypatch.setattr(palette_module, "_FAMILY_OF", dict(palette_module._FAMILY_OF))
    monkeypatch.setattr(palette_module, "FAMILIES", dict(palette_module.FAMILIES))
    plotting.register_family("Mamba, tiny", "Mamba", look=plotting.Look("tab:purple", "p"))
    plotting.register_family("Mamba, tiny", "Mamba")
    assert plotting.palette(["Mamba, tiny", "Mamba"])["Mamba"] == "#9467bd"
    with pytest.raises(ValueError, match="'Mamba, tiny' is of the family 'Mamba' already"):
        plotting.register_family("Mamba, tiny", "LSTM")
    with pytest.raises(ValueError, match="no family 'Hyena'; there are none, MLP"):
        plotting.register_family("Hyena, tiny", "Hyena")
    with pytest.raises(ValueError, match="family 'LSTM' is drawn as"):
        plotting.register_family("LSTM, tiny", "LSTM", look=plotting.Look("red", "o"))


def test_one_level_looks_as_it_does_among_others():
    assert plotting.look("LSTM") == plotting.FAMILIES["LSTM"]
    assert plotting.look("b", ["a", "b"]) == plotting.Look(plotting.QUALITATIVE[1], "s")
    with pytest.raises(ValueError, match="'c' is not among the levels 'a', 'b'"):
        plotting.look("c", ["a", "b"])
