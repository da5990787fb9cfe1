"""Training a language model on a text of one's own, by a command or a call; its run then scores minimal pairs."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from inductive_bias import paths
from inductive_bias.engine import run_missing
from inductive_bias.errors import SettingError
from inductive_bias.models import LSTMSpec, TransformerSpec
from inductive_bias.plugins import OwnModel
from inductive_bias.settings import Setting, first_fault
from inductive_bias.store import Store
from inductive_bias.tasks.own_text import OwnText
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Trial

#: What ``--model`` may be, besides a file and a name in it.
MODELS = ("lstm", "transformer", "universal")
HEADS = 4


def language_trial(
    text: Path,
    *,
    model: str = "lstm",
    layers: int = 2,
    width: int = 128,
    dropout: float = 0.1,
    vocabulary: int = 10_000,
    epochs: int = 10,
    batch_size: int = 32,
    learning_rate: float = 1e-3,
    seed: int = 0,
) -> Trial:
    """The trial of a language model of words.

    Args:
        text: a folder with train.txt, validation.txt and test.txt, or one text, see
            :class:`~inductive_bias.tasks.own_text.OwnText`.
        model: one of :data:`MODELS`, or a causal model of one's own: ``my_model.py:build``.
        layers: of the model; a universal Transformer applies one block so often.
        width: of its states.
        dropout: in training.
        vocabulary: ids at most, the four special ones included; as many as the training text has words if it has fewer.
        epochs: passes over the training text.
        batch_size: sentences a step, on average.
        learning_rate: at the start; it falls as half a cosine.
        seed: of weights, order and dropout.

    Raises:
        SettingError: for another model, or one that does not fit.
        DataError: for a text that cannot be read.
    """
    try:
        task = OwnText(file=str(text), vocabulary_size=vocabulary)
        settings = {
            "task": task.model_copy(update={"vocabulary_size": min(vocabulary, len(task.load().vocabulary))}),
            "model": _spec(model, layers=layers, width=width, dropout=dropout),
            "optimiser": OptimiserSpec(learning_rate=learning_rate),
            "schedule": ScheduleSpec(epochs=epochs, batch_size=batch_size),
            "seed": seed,
        }
        return Trial(**settings)
    except ValidationError as error:
        raise SettingError(first_fault(error)) from error


def train_language_model(trial: Trial, name: str, *, device: str = "auto", progress: bool = True) -> Path:
    """Train it unless it has been, and return the folder of its run, below ``runs/<name>``.

    Raises:
        SettingError: for an unknown device.
    """
    store = Store(paths.runs(name))
    run_missing([trial], store, device=device, jobs=1, progress=progress)
    return store.folder(trial)


def perplexities(run: Path) -> Mapping[str, float]:
    """Perplexity of a run's model on the validation and the test text."""
    import pandas as pd

    rows = pd.read_parquet(run / "rows.parquet")
    final = rows[rows["epoch"].isna() & (rows["metric"] == "perplexity")]
    return dict(zip(final["split"], final["value"], strict=True))


def folder_name(text: Path) -> str:
    """What the folder of runs of a text is called: its own name, as far as a folder of runs may be called so."""
    name = "".join(each if each.isalnum() or each in "_-" else "-" for each in text.resolve().stem)[:60].strip("-_")
    return name or hashlib.sha256(str(text).encode()).hexdigest()[:8]


def _spec(model: str, *, layers: int, width: int, dropout: float) -> Setting:
    if ":" in model:
        return OwnModel(model, causal=True)
    if model == "lstm":
        return LSTMSpec(layers=layers, width=width, **_dropouts(LSTMSpec, dropout))
    if model in ("transformer", "universal"):
        if width % HEADS:
            raise SettingError(f"--width {width} should be a multiple of {HEADS} for a Transformer")
        shared = {"causal": True, "shared": model == "universal"}
        return TransformerSpec(layers=layers, width=width, heads=HEADS, **shared, **_dropouts(TransformerSpec, dropout))
    raise SettingError(f"--model {model!r} should be one of {', '.join(MODELS)}, or your own: my_model.py:build")


def _dropouts(spec: type[Setting], share: float) -> dict[str, float]:
    """Every dropout that a model has."""
    return {name: share for name in spec.model_fields if name.endswith("dropout")}
