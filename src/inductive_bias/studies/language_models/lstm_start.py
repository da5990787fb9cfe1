"""Pilot runs that ask why an LSTM learns little more than the frequencies of words from the text of the paper's form.

The runs of the study on that text were searched for rate and dropout alone. These pilots change what the search held
fixed: how large the inputs of the LSTM are, whether its forget gates are open at the start, how many steps there are,
and how large the embeddings are. These are the weights of the output layer, too: the states of an LSTM are far below 1
at the start, those of a Transformer are normalised, and so its first logits are larger with the same weights. Each
pilot has two layers of width 128 (the Transformer four of 64), 10,000 sentences, the 2,000 most frequent words, three
epochs and one seed. Their table is stored, since a run takes 80 to 100 seconds of a core and reads the Wikipedia
text; :func:`pilot_trial` trains any of them again. One run each cannot order settings that lie close together.
"""

from functools import cache
from pathlib import Path

import pandas as pd

from inductive_bias.models import LSTMSpec, TransformerSpec
from inductive_bias.studies.language_models.design import LSTM, OF_ITS_FORM, TRANSFORMER, WITHOUT_DROPOUT
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Trial

#: Settings of a pilot, and its perplexities: on validation text after every epoch, on test text after the last.
SETTINGS = ["model", "embedding_std", "scaled_embedding", "forget_bias", "batch_size", "learning_rate"]
PERPLEXITIES = ["epoch_1", "epoch_2", "epoch_3", "test"]
#: As in the study, and with both of what helps.
AS_STUDIED = {"embedding_std": 0.05, "scaled_embedding": False, "forget_bias": 0.0}
LARGE_AND_OPEN = AS_STUDIED | {"scaled_embedding": True, "forget_bias": 1.0}
#: With larger embeddings in place of the factor, as on the text of 2,000 words.
WIDE = AS_STUDIED | {"embedding_std": 0.2, "forget_bias": 1.0}
#: Of every pilot.
EPOCHS, SEED, SENTENCES, WORDS, WIDTH = 3, 1000, 10_000, 2_000, 128


@cache
def lstm_start() -> pd.DataFrame:
    """The pilots, one row each, with the columns :data:`SETTINGS` and :data:`PERPLEXITIES`."""
    return pd.read_csv(Path(__file__).with_name("lstm_start.csv"))


def validation_perplexity(
    *, learning_rate: float, model: str = LSTM, batch_size: int = 32, **recipe: bool | float
) -> float:
    """The perplexity on validation text after three epochs of one pilot.

    Args:
        learning_rate: of the pilot.
        model: LSTM or Transformer.
        batch_size: sentences a step.
        recipe: ``embedding_std``, ``scaled_embedding`` and ``forget_bias``; a Transformer has the first alone.

    Raises:
        KeyError: if there is no such pilot.
    """
    wanted = {"model": model, "batch_size": batch_size, "learning_rate": learning_rate} | recipe
    rows = lstm_start()
    found = rows.loc[(rows[list(wanted)] == pd.Series(wanted)).all(axis="columns"), "epoch_3"]
    if len(found) != 1:
        raise KeyError(f"{len(found)} pilots have {wanted}")
    return float(found.iloc[0])


def pilot_trial(row: pd.Series) -> Trial:
    """The trial of one row of :func:`lstm_start`, to train it again."""
    task = OF_ITS_FORM.model_copy(update={"vocabulary_size": WORDS, "train_sentences": SENTENCES, "pairs": ()})
    std = float(row["embedding_std"])
    if row["model"] == TRANSFORMER:
        size = {"layers": 4, "heads": 4, "width": WIDTH // 2}
        model = TransformerSpec(causal=True, embedding_std=std, attention_dropout=0.0, **size, **WITHOUT_DROPOUT)
    else:
        recipe = {"scaled_embedding": bool(row["scaled_embedding"]), "forget_bias": float(row["forget_bias"])}
        model = LSTMSpec(layers=2, width=WIDTH, embedding_std=std, **WITHOUT_DROPOUT, **recipe)
    return Trial(
        task=task,
        model=model,
        optimiser=OptimiserSpec(learning_rate=float(row["learning_rate"])),
        schedule=ScheduleSpec(epochs=EPOCHS, batch_size=int(row["batch_size"])),
        seed=SEED,
    )


def pilot_table() -> pd.DataFrame:
    """The pilots for a page, with words for their settings: sorted by model, batch and perplexity, the worst first."""
    rows = lstm_start().sort_values(["model", "batch_size", "epoch_3"], ascending=[True, True, False])
    recurrent = rows["model"] == LSTM
    return pd.DataFrame(
        {
            "model": rows["model"],
            "σ of embeddings": rows["embedding_std"].map("{:g}".format),
            "factor of inputs": rows["scaled_embedding"].map({True: "√width", False: "1"}).where(recurrent, "–"),
            "forget gates at the start": rows["forget_bias"].map({0.0: "half open", 1.0: "open"}).where(recurrent, "–"),
            "batch": rows["batch_size"],
            "rate": rows["learning_rate"].map("{:g}".format),
            **{f"epoch {each}": rows[f"epoch_{each}"].map("{:.1f}".format) for each in range(1, EPOCHS + 1)},
            "test": rows["test"].map("{:.1f}".format),
        }
    )
