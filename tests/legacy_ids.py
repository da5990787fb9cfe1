"""Ids that trials had at commit 89a5f71, when the choices of all mixers were fields of one class.

Published tables of then name their trials by these.
"""

import hashlib
import json

from pydantic import BaseModel

from inductive_bias.trials import Trial

#: The defaults of the fields that a mixer's choices were, beside those that the model still has.
FLAT = {
    "heads": 4,
    "states": None,
    "counts": None,
    "dilation": 2,
    "diagonal": "zero",
    "shared": False,
    "gate": "layer",
    "gate_logit": None,
    "decay_start": "paper",
    "frozen": False,
    "plain": 0,
    "length": None,
}


def legacy_id(trial: Trial, *, heads: int = 4) -> str:
    """The id of the same trial at commit 89a5f71.

    A recurrent mixer had a number of ``heads`` then, without effect: that of its study's models which have heads (4 at
    scale laptop).
    """
    text = json.dumps([1, _canonical(trial, heads)], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _canonical(setting: BaseModel, heads: int) -> dict[str, object]:
    """Plain data without what holds its default; ``kind`` stays. The mixer's choices are among those of the model."""
    found: dict[str, object] = {}
    for name, info in type(setting).model_fields.items():
        value = getattr(setting, name)
        if name == "mixer":
            found |= _flat(value, heads)
        elif name == "kind" or info.is_required() or value != info.get_default():
            found[name] = _canonical(value, heads) if isinstance(value, BaseModel) else value
    return found


def _flat(mixer: BaseModel, heads: int) -> dict[str, object]:
    choices = {"heads": heads} | mixer.model_dump(exclude={"kind"})
    named = {} if mixer.kind == "attention" else {"mixer": mixer.kind}
    # a choice that no mixer had then has no default that could be left out
    return named | {name: value for name, value in choices.items() if name not in FLAT or value != FLAT[name]}
