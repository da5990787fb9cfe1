"""What the page on the recurrent bias shows: what untrained models may see, how far, and what they weigh.

Nothing here is a result of the study. The models are built from its settings with fixed seeds, on the CPU and in
float64, so that a zero is a zero.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from inductive_bias.analysis import reach as wiring
from inductive_bias.models import LSTMEncoder, SentenceClassifier
from inductive_bias.studies.agreement.design import DESIGN, LADDER, MODELS, cell
from inductive_bias.studies.scales import PUBLISHED, check_scale
from inductive_bias.tasks.vocabulary import BOS, EOS, SPECIALS
from inductive_bias.trials import Trial

#: A preamble whose verb, *are*, agrees with its second word, past a singular noun and a plural one.
SENTENCE = tuple(["the", "keys", "to", "the", "old", "cabinet", "near", "the", "doors"])
#: The ladder, and the Universal Transformer beside the Transformer that it varies.
ORDERED = (LADDER[0], MODELS[-1], *LADDER[1:])
#: Tokens of the longer, random sentences on which the decay is measured.
LONG = 24
STAGES = ("after one layer", "after all layers")


def fresh_model(name: str, scale: str = PUBLISHED, *, seed: int = 0) -> SentenceClassifier:
    """A model of the study as training would find it, in float64 and evaluation mode; no global seed is touched.

    Raises:
        SettingError: unknown scale.
    """
    trial = trial_of(name, scale)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return trial.model.build(**trial.task.dimensions).double().eval()


def trial_of(name: str, scale: str) -> Trial:
    """The first run of a model that learns from the labels of the main training set.

    Raises:
        SettingError: unknown scale.
    """
    return DESIGN.cells(check_scale(scale))[cell(name)][0]


def tokens_of(words: Sequence[str]) -> Int64[Tensor, " t"]:
    """Ids of a sentence between BOS and EOS; a word's id is its first place, for fresh embeddings know no words."""
    first = {word: place for place, word in reversed(list(enumerate(words, start=len(SPECIALS))))}
    return torch.tensor([BOS, *(first[word] for word in words), EOS])


def read_out(model: SentenceClassifier) -> int:
    """The position whose state is classified: 0, or −1 for the last."""
    return 0 if model.readout_at == "first" else -1


def stages_of(model: SentenceClassifier) -> dict[str, nn.Module]:
    """The encoder cut off after one layer, and as a whole."""
    return dict(zip(STAGES, (wiring.first_layers(model.encoder, 1), model.encoder), strict=True))


def words_of(name: str, words: Sequence[str] = SENTENCE) -> tuple[str, ...]:
    """The tokens as a figure names them: the first is CLS where it is read out, BOS elsewhere."""
    return ("CLS" if read_out(fresh_model(name, "smoke")) == 0 else "BOS", *words, "EOS")


def reach_maps(scale: str, words: Sequence[str] = SENTENCE) -> dict[str, dict[str, Float[np.ndarray, "t t"]]]:
    """Whether a state reads a word in one step, and the gradient reach after one layer and after all, by model.

    Gradients are relative to those with respect to the state's own word: 1 on the diagonal.
    """
    tokens, maps = tokens_of(words), {}
    for name in LADDER:
        model = fresh_model(name, scale)
        maps[name] = {"reads in one step": wiring.reads_directly(model.encoder, tokens).double().numpy()}
        for stage, encoder in stages_of(model).items():
            reach = wiring.gradient_reach(encoder, tokens)
            maps[name][stage] = (reach / reach.diagonal()[:, None]).numpy()
    return maps


def reach_by_distance(scale: str, *, seeds: int = 4, sentences: int = 2) -> pd.DataFrame:
    """How strongly the state that is read out feels a word, by the distance between the two.

    Mean over random sentences of `LONG` tokens; 1 is the reach of the read-out's own token.
    """
    rows = []
    for name in LADDER:
        for seed in range(seeds):
            model = fresh_model(name, scale, seed=seed)
            where = read_out(model)
            for stage, encoder in stages_of(model).items():
                drawn = random_sentences(sentences, vocabulary=encoder.embedding.num_embeddings, seed=seed)
                reach = torch.stack([wiring.gradient_reach(encoder, tokens, positions=[where])[0] for tokens in drawn])
                mean = (reach / reach[:, where, None]).mean(dim=0)
                outwards = mean if where == 0 else mean.flip(0)
                rows += [(name, stage, seed, distance, value) for distance, value in enumerate(outwards.tolist())]
    return pd.DataFrame(rows, columns=["model", "stage", "seed", "distance", "value"])


def random_sentences(count: int, *, vocabulary: int, seed: int) -> list[Int64[Tensor, " t"]]:
    """Words drawn at random, between BOS and EOS: `LONG` tokens each."""
    generator = torch.Generator().manual_seed(seed)
    drawn = torch.randint(len(SPECIALS), vocabulary, (count, LONG - 2), generator=generator)
    return [torch.cat([torch.tensor([BOS]), words, torch.tensor([EOS])]) for words in drawn]


def sources_table(scale: str, words: Sequence[str] = SENTENCE) -> pd.DataFrame:
    """The three sources of the recurrent bias, found (✓) or not (–) in every model by gradients: one row a model."""
    tokens, rows = tokens_of(words), []
    for name in ORDERED:
        encoder = fresh_model(name, scale).encoder
        over_time, over_depth = wiring.recursion(encoder, tokens)
        repeated = f"✓ {over_time}× over time" if over_time > 1 else f"✓ {over_depth}× in depth"
        rows.append(
            {
                "model": name,
                "in order": "–" if wiring.sees_the_future(encoder, tokens) else "✓",
                "bottleneck": "–" if wiring.reads_directly(encoder, tokens).tril(-2).any() else "✓",
                "recursion": repeated if over_time * over_depth > 1 else "–",
            }
        )
    return pd.DataFrame(rows)


def order_table(scale: str, *, seeds: int = 4) -> pd.DataFrame:
    """Where the answer is read, how many steps away the farthest word is, what order does without position embeddings.

    Returns:
        Columns ``model, read out at, steps, effect of order``; the last is `order_sensitivity`, the mean over seeds.
    """
    tokens, rows = tokens_of(SENTENCE), []
    for name in ORDERED:
        moved = []
        for seed in range(seeds):
            model = fresh_model(name, scale, seed=seed)
            drawn = random_sentences(2, vocabulary=model.encoder.embedding.num_embeddings, seed=seed)
            moved.append(wiring.order_sensitivity(model.encoder, *drawn, position=read_out(model)))
        steps = wiring.steps_between(wiring.reads_directly(model.encoder, tokens))[read_out(model)]
        rows.append(
            {
                "model": name,
                "read out at": "first token" if read_out(model) == 0 else "last token",
                "steps": int(steps.max()),
                "effect of order": sum(moved) / seeds,
            }
        )
    return pd.DataFrame(rows)


def weights_table(scale: str, *, unit: int = 1) -> pd.DataFrame:
    """How many weights each model of a scale has, rounded to whole ``unit``: one row a model.

    Returns:
        Columns ``model, layers`` (``1, used 4×`` of a shared one), ``width``, and weights ``in layers``, ``in words``
        (embeddings of words and positions, and the normalisation above the layers) and ``in all``, with the read-out.
    """
    rows = []
    for name in ORDERED:
        model = fresh_model(name, scale)
        spec, encoder = trial_of(name, scale).model, model.encoder
        layers = encoder.lstm if isinstance(encoder, LSTMEncoder) else encoder.blocks
        shared = not isinstance(encoder, LSTMEncoder) and len(encoder.blocks) < spec.layers
        inside, below, total = count(layers), count(encoder) - count(layers), count(model)
        rows.append(
            {
                "model": name,
                "layers": f"{len(encoder.blocks)}, used {spec.layers}×" if shared else str(spec.layers),
                "width": spec.width,
                "in layers": round(inside / unit),
                "in words": round(below / unit),
                "in all": round(total / unit),
            }
        )
    return pd.DataFrame(rows)


def count(module: nn.Module) -> int:
    """Weights of a module, each counted once however often it is used."""
    return sum(weight.numel() for weight in module.parameters())
