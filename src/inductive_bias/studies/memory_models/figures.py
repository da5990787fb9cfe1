"""What the page draws, as tidy tables: gains by seed, beside the paper's, loss by position and past, reach, gates."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from inductive_bias.studies import heads_search
from inductive_bias.studies.frames import mean_std, search_table
from inductive_bias.studies.memory_models.design import (
    ATTENTION,
    BACKBONES,
    BRT,
    CHOSEN,
    CHOSEN_MIXERS,
    MIXERS,
    NO_MEMORY,
    RATE,
    RSA,
    SETTINGS,
    TLB,
    TOEPLITZ,
    TUNING,
    UNDILATED,
    XL,
    cell,
)
from inductive_bias.studies.memory_models.measures import (
    ENWIK8,
    PAGE_CELLS,
    TEXT8,
    UNIFORM,
    bits,
    depths,
    gain,
    has_runs,
    paper_gains,
    usual_cells,
)
from inductive_bias.studies.results import Results
from inductive_bias.verdicts import Contrast

CHOSEN_ATTENTION, CHOSEN_RSA, CHOSEN_TOEPLITZ = CHOSEN_MIXERS


#: Heads of the paper, in the name of a row.
THEIRS = "paper’s heads"


def losses(results: Results) -> pd.DataFrame:
    """Bits per character of every run of the usual depth: ``model, mixer, number, value``."""
    return _of_usual_cells(results, "bpc", split="test")[["model", "mixer", "number", "value"]]


def _of_usual_cells(results: Results, metric: str, mixers: Sequence[str] = MIXERS, **wanted: object) -> pd.DataFrame:
    """Rows of every cell of the usual depth with one of these mixers, in the order of the page."""
    cells = [each for each in usual_cells(results) if each["mixer"] in mixers]
    found = pd.concat([results.frame(metric, **wanted, **each) for each in cells], ignore_index=True)
    return found.astype({"model": str, "mixer": str})


def gains(results: Results) -> pd.DataFrame:
    """What a mixer gains over attention in the same model, a row a pair of runs: ``what, mixer, number, value``.

    ``what`` is the model, and its layers where it has not the usual number: Transformer-XL has several depths. A mixer
    with chosen settings gains over attention with chosen settings.
    """
    others = [(XL, RSA, depth) for depth in other_depths(results)]
    usual = [(each["model"], each["mixer"], None) for each in usual_cells(results) if each["mixer"] != ATTENTION]
    rows = []
    chosen = [(model, mixer, layers) for model, mixer, layers in chosen_cells(results) if mixer != CHOSEN_ATTENTION]
    for model, mixer, layers in [*usual, *others, *chosen]:
        twin = CHOSEN_ATTENTION if mixer in CHOSEN_MIXERS else ATTENTION
        plain, other = (bits(results, model, name, layers).fillna(UNIFORM) for name in (twin, mixer))
        rows += [
            {"what": of_depth(model, layers), "mixer": mixer, "number": number, "value": value}
            for number, value in (plain - other).dropna().items()
        ]
    return pd.DataFrame(rows)


def chosen_cells(results: Results) -> list[tuple[str, str, int | None]]:
    """Model, mixer and layers of the cells with chosen settings; layers are None at the usual depth."""
    usual = cell(results.scale, XL, RSA)["layers"]
    found = [each for each in results.cells if each["mixer"] in CHOSEN_MIXERS]
    return [(each["model"], each["mixer"], None if each["layers"] == usual else each["layers"]) for each in found]


def other_depths(results: Results) -> list[int]:
    """The depths of Transformer-XL that are not the usual one and have runs."""
    usual = cell(results.scale, XL, RSA)["layers"]
    return [depth for depth in depths(results) if depth != usual and has_runs(results, XL, RSA, depth)]


def of_depth(model: str, layers: int | None) -> str:
    """``Transformer-XL, 2 layers``; the model alone where its depth is the usual one."""
    return model if layers is None else f"{model}, {layers} layers"


def effects(results: Results) -> pd.DataFrame:
    """The gains of RSA beside the paper's, for one line: ``what, whose, estimate, low, high, paper``.

    First of each model with chosen heads, then with the paper's, with undilated ones and at other depths, then over
    free matrices. ``paper`` is what is reported of the same model, on Text8 and of the final model; the paper has no
    interval.
    """
    finals = {text: paper_gains(results, BRT, ATTENTION, text)["final"] for text in (TEXT8, ENWIK8)}
    free = paper_gains(results, XL, TOEPLITZ, TEXT8)
    rows = [
        _effect(
            gain(results, model, mixer, over=CHOSEN_ATTENTION, layers=layers),
            f"{of_depth(model, layers)}, chosen heads",
            finals[TEXT8] if (model, layers) == (BRT, None) else np.nan,
        )
        for model, mixer, layers in chosen_cells(results)
        if mixer == CHOSEN_RSA
    ]
    rows += [
        _effect(gain(results, XL, CHOSEN_RSA, over=mixer), f"{XL}, chosen heads, over free matrices", free.mean())
        for _, mixer, _ in chosen_cells(results)
        if mixer == CHOSEN_TOEPLITZ
    ]
    rows += [
        _effect(gain(results, model), f"{model}, {THEIRS}", finals[TEXT8] if model == BRT else np.nan)
        for model in BACKBONES
        if has_runs(results, model, RSA)
    ]
    rows += [
        _effect(gain(results, model, UNDILATED), f"{model}, undilated heads", np.nan)
        for model in BACKBONES
        if has_runs(results, model, UNDILATED)
    ]
    rows += [
        _effect(gain(results, XL, layers=depth), f"{of_depth(XL, depth)}, {THEIRS}", np.nan)
        for depth in other_depths(results)
    ]
    if has_runs(results, XL, TOEPLITZ):
        rows.append(_effect(gain(results, XL, over=TOEPLITZ), f"{XL}, {THEIRS}, over free matrices", free.mean()))
    reported = {f"{BRT}, {text}": value for text, value in finals.items()}
    reported |= {
        f"{BRT}, {ENWIK8}, {depth} layers": value
        for depth, value in paper_gains(results, BRT, ATTENTION, ENWIK8).drop("final").items()
    }
    reported |= {f"{XL}, over free matrices, {depth} layers": value for depth, value in free.items()}
    rows += [
        {"what": name, "whose": "paper", "estimate": value, "low": np.nan, "high": np.nan, "paper": np.nan}
        for name, value in reported.items()
    ]
    return pd.DataFrame(rows)


def _effect(contrast: Contrast, what: str, paper: float) -> dict[str, object]:
    return {
        "what": what,
        "whose": "ours",
        "estimate": contrast.estimate,
        "low": contrast.low,
        "high": contrast.high,
        "paper": paper,
    }


def by_position(results: Results) -> pd.DataFrame:
    """Bits along a segment: ``model, mixer, position, number, value``; a position is the last of its group."""
    return _along(results, "position")


def by_past(results: Results) -> pd.DataFrame:
    """Bits of the same segments by how much was read before them: ``model, mixer, context, number, value``."""
    return _along(results, "context")


def _along(results: Results, coordinate: str) -> pd.DataFrame:
    found = _of_usual_cells(results, "bpc", split="test", by=coordinate)
    return found[["model", "mixer", "number", coordinate, "value"]]


def reach(results: Results) -> pd.DataFrame:
    """The table of gradients in groups of distances, 1, 2, 3–4, 5–8 …: ``model, mixer, distance, share``.

    ``share`` is of the sum over all distances but 0, per character of the group; ``distance`` its last one.
    """
    table = results.table("reach")
    table = table[table["distance"] > 0].copy()
    table["group"] = 2 ** np.ceil(np.log2(table["distance"])).astype(int)
    rows = []
    for (model, mixer), found in table.groupby(["model", "mixer"], observed=True):
        total = found["value"].sum()
        rows += [
            {
                "model": model,
                "mixer": mixer,
                "distance": int(group["distance"].max()),
                "share": group["value"].mean() / total,
            }
            for _, group in found.groupby("group")
        ]
    return pd.DataFrame(rows)


def word_by_word(results: Results) -> pd.DataFrame:
    """The passage that is shown, word by word, as the models read it: ``model`` in words, see `influence`."""
    found = results.table("influence")
    return found.assign(model=found["model"].astype(str) + ", " + found["mixer"].astype(str))


def limits(results: Results) -> pd.DataFrame:
    """How far each model looks by its parts, in characters: ``model, part, characters``; states have no end."""
    xl, brt, tlb = (results.cells[cell(results.scale, model, ATTENTION)][0].model for model in BACKBONES)
    rows = [
        (XL, "segment", xl.segment),
        (XL, "segment and memory", xl.segment + xl.memory),
        (XL, "memories of all layers", xl.segment + xl.layers * xl.memory),
        (NO_MEMORY, "segment", xl.segment),
        (BRT, "window", brt.window),
        (BRT, "windows of all layers", brt.layers * (brt.window - 1) + 1),
        (BRT, "states", np.inf),
        (TLB, "chunk", tlb.chunk),
        (TLB, "slow vectors", np.inf),
    ]
    return pd.DataFrame(rows, columns=["model", "part", "characters"])


def gates(results: Results) -> pd.DataFrame:
    """Trained gates: ``model, mixer, layer, number, value``; they start at σ(1) = .73."""
    found = _of_usual_cells(results, "gate", MIXERS[1:], split="model", by=("layer", "head"))
    return found[["model", "mixer", "layer", "number", "value"]]


def table(results: Results) -> pd.DataFrame:
    """Bits per character of every cell as mean and deviation: a row per model and depth, a column per mixer."""
    found = results.frame("bpc", split="test").astype({"model": str, "mixer": str})
    cells = found.groupby(["model", "layers", "mixer"])["value"].agg(lambda values: mean_std(values, 4))
    rows = cells.unstack("mixer", fill_value="").reindex(columns=(*MIXERS, *CHOSEN_MIXERS), fill_value="").reset_index()
    order = list(dict.fromkeys(model for model, _ in PAGE_CELLS))
    return rows.sort_values("model", key=lambda names: names.map(order.index), kind="stable", ignore_index=True)


def grid(results: Results) -> pd.DataFrame:
    """The search for rates: bits of the validation text of each model and mixer, a column per rate."""
    return search_table(results, TUNING, search=RATE)


def settings_tried(results: Results) -> pd.DataFrame:
    """The search for all settings, a row a place: ``model, mixer``, its settings, ``bits``, whether it was chosen."""
    return heads_search.settings_tried(results, TUNING, SETTINGS)


def chosen_tried(results: Results) -> pd.DataFrame:
    """The search for rate and number of heads of chosen mixers, on the whole text: bits, a column per rate."""
    return search_table(results, TUNING, search=CHOSEN)


def heads_tried(results: Results) -> pd.DataFrame:
    """What heads of RSA gain in the search: ``model, kinds, dilation, gate_logit, gain``; see `heads_search`."""
    return heads_search.heads_tried(settings_tried(results), "mixer")
