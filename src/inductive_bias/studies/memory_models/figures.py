"""What the page draws, as tidy tables: gains by seed, beside the paper's, loss by position and past, reach, gates."""

import numpy as np
import pandas as pd

from inductive_bias.studies.frames import by_rate, mean_std
from inductive_bias.studies.memory_models.claims import ENWIK8, TEXT8, UNIFORM, bits, gain, paper_gains, there
from inductive_bias.studies.memory_models.design import (
    ATTENTION,
    BACKBONES,
    BRT,
    LSTM_GATE,
    MIXERS,
    NO_MEMORY,
    PLANS,
    RSA,
    TOEPLITZ,
    UNDILATED,
    XL,
    cell,
)
from inductive_bias.studies.results import Results
from inductive_bias.studies.searching import TUNING

#: Every cell of the usual depth.
SHOWN = (
    *((model, mixer) for model in BACKBONES for mixer in (ATTENTION, RSA, UNDILATED)),
    (XL, TOEPLITZ),
    (NO_MEMORY, ATTENTION),
    (LSTM_GATE, ATTENTION),
)


def losses(results: Results) -> pd.DataFrame:
    """Bits per character of every run of the usual depth: ``model, mixer, number, value``."""
    rows = []
    for model, mixer in SHOWN:
        if there(results, model, mixer):
            found = bits(results, model, mixer).items()
            rows += [{"model": model, "mixer": mixer, "number": number, "value": value} for number, value in found]
    return pd.DataFrame(rows)


def gains(results: Results) -> pd.DataFrame:
    """What a mixer gains over attention in the same model, a row a pair of runs: ``what, mixer, number, value``.

    ``what`` is the model, and its layers where it has not the usual number: Transformer-XL has several depths.
    """
    depths = [(XL, RSA, depth) for depth in other_depths(results)]
    usual = [(model, mixer, None) for model, mixer in SHOWN if mixer != ATTENTION]
    rows = []
    for model, mixer, layers in [*usual, *depths]:
        if not there(results, model, mixer, layers):
            continue
        plain, other = (bits(results, model, name, layers).fillna(UNIFORM) for name in (ATTENTION, mixer))
        rows += [
            {"what": of_depth(model, layers), "mixer": mixer, "number": number, "value": value}
            for number, value in (plain - other).dropna().items()
        ]
    return pd.DataFrame(rows)


def other_depths(results: Results) -> list[int]:
    """The depths of Transformer-XL that are not the usual one and have runs."""
    plan = PLANS[results.scale]
    return [depth for depth in sorted(plan.depths) if depth != plan.layers and there(results, XL, RSA, depth)]


def of_depth(model: str, layers: int | None) -> str:
    """``Transformer-XL, 2 layers``; the model alone where its depth is the usual one."""
    return model if layers is None else f"{model}, {layers} layers"


def effects(results: Results) -> pd.DataFrame:
    """The gains of RSA beside the paper's, for one line: ``what, whose, estimate, low, high, paper``.

    First of each model with the paper's heads, then of undilated ones and of other depths, then over free matrices.
    ``paper`` is what is reported of the same model, on Text8 and of the final model; the paper has no interval.
    """
    finals = {text: paper_gains(results, BRT, ATTENTION, text)["final"] for text in (TEXT8, ENWIK8)}
    rows = [
        _effect(gain(results, model), model, finals[TEXT8] if model == BRT else np.nan)
        for model in BACKBONES
        if there(results, model, RSA)
    ]
    rows += [
        _effect(gain(results, model, UNDILATED), f"{model}, undilated heads", np.nan)
        for model in BACKBONES
        if there(results, model, UNDILATED)
    ]
    rows += [_effect(gain(results, XL, layers=depth), of_depth(XL, depth), np.nan) for depth in other_depths(results)]
    free = paper_gains(results, XL, TOEPLITZ, TEXT8)
    if there(results, XL, TOEPLITZ):
        rows.append(_effect(gain(results, XL, over=TOEPLITZ), f"{XL}, over free matrices", free.mean()))
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


def _effect(contrast: object, what: str, paper: float) -> dict[str, object]:
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
    frames = []
    for model, mixer in SHOWN:
        if there(results, model, mixer):
            found = results.frame("bpc", split="test", by=coordinate, **cell(results.scale, model, mixer))
            kept = found[["number", coordinate, "value"]].copy()
            kept.insert(0, "model", model)
            kept.insert(1, "mixer", mixer)
            frames.append(kept)
    return pd.concat(frames, ignore_index=True)


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
    plan = PLANS[results.scale]
    segment, rows = plan.tasks[XL].window, []
    rows += [
        {"model": XL, "part": "segment", "characters": segment},
        {"model": XL, "part": "segment and memory", "characters": 2 * segment},
        {"model": XL, "part": "memories of all layers", "characters": (plan.layers + 1) * segment},
        {"model": NO_MEMORY, "part": "segment", "characters": segment},
    ]
    window, chunk = plan.brt["window"], plan.tlb["chunk"]
    rows += [
        {"model": BRT, "part": "window", "characters": window},
        {"model": BRT, "part": "windows of all layers", "characters": plan.layers * (window - 1) + 1},
        {"model": BRT, "part": "states", "characters": np.inf},
        {"model": BACKBONES[2], "part": "chunk", "characters": chunk},
        {"model": BACKBONES[2], "part": "slow vectors", "characters": np.inf},
    ]
    return pd.DataFrame(rows)


def gates(results: Results) -> pd.DataFrame:
    """Trained gates: ``model, mixer, layer, number, value``; they start at σ(1) = .73."""
    frames = []
    for model, mixer in SHOWN:
        if mixer != ATTENTION and there(results, model, mixer):
            found = results.frame("gate", split="model", by=("layer", "head"), **cell(results.scale, model, mixer))
            frames.append(found.assign(model=model, mixer=mixer)[["model", "mixer", "layer", "number", "value"]])
    return pd.concat(frames, ignore_index=True)


def table(results: Results) -> pd.DataFrame:
    """Bits per character of every cell as mean and deviation: a row per model and depth, a column per mixer."""
    rows = []
    usual = PLANS[results.scale].layers
    for model in dict.fromkeys(model for model, _ in SHOWN):
        for layers in sorted(PLANS[results.scale].depths) if model == XL else [usual]:
            known = {
                mixer: mean_std(bits(results, model, mixer, layers), 4)
                for mixer in MIXERS
                if there(results, model, mixer, layers)
            }
            if known:
                rows.append({"model": model, "layers": layers} | {mixer: known.get(mixer, "") for mixer in MIXERS})
    return pd.DataFrame(rows)


def grid(results: Results) -> pd.DataFrame:
    """The search for rates: bits of the validation text of each model and mixer, a column per factor."""
    found = results.frame("bpc", split="validation", variant=TUNING)
    return by_rate(found, ["model", "mixer"])
