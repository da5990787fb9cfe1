"""One input on its way to an output: through the steps of an RNN, through attention, through a recurrence matrix."""

from collections.abc import Mapping, Sequence

import torch

from inductive_bias.layers import rem_lags
from inductive_bias.plotting.interactive.base import PageWidget, Slider, page_widget

#: A sentence of short words, and for each what it offers and what it asks for: noun or verb, and number.
WORDS = ("the", "keys", "in", "a", "box", "are")
MEANINGS = {
    "the": ((0.2, 0.0), (0.0, 0.0)),
    "keys": ((1.0, 1.0), (0.3, 0.0)),
    "in": ((0.0, 0.0), (0.4, 0.0)),
    "a": ((0.2, -0.4), (0.0, 0.0)),
    "box": ((1.0, -1.0), (0.3, -0.2)),
    "are": ((0.2, 1.0), (1.2, 1.4)),
}


def flow_weights(
    kind: str,
    step: int,
    decay: float,
    meanings: Sequence[tuple[Sequence[float], Sequence[float]]] = tuple(MEANINGS[word] for word in WORDS),
) -> list[float]:
    """How much of every input is in the output of a step: of the ``rnn``, of ``attention`` or of the ``rem``.

    Args:
        kind: ``rnn`` is h_t = decay · h_{t−1} + x_t, so that decay^(t − i) of input i is left; ``attention`` the causal
            softmax of query times keys; ``rem`` the lags of a real head, whose own token has none.
        step: t, from 0.
        decay: λ of the recurrence and of the head.
        meanings: what every word offers (its key) and what it asks for (its query).

    Returns:
        One weight per input; 0 for those that come later.

    Raises:
        ValueError: for another kind.
    """
    length = len(meanings)
    later = [0.0] * (length - step - 1)
    if kind == "attention":
        keys = torch.tensor([key for key, _ in meanings[: step + 1]], dtype=torch.float64)
        scores = keys @ torch.tensor(meanings[step][1], dtype=torch.float64)
        return [*torch.softmax(scores, dim=0).tolist(), *later]
    if kind not in ("rnn", "rem"):
        raise ValueError(f"kind is {kind!r}; it must be 'rnn', 'attention' or 'rem'")
    lags = rem_lags("real", torch.tensor([decay], dtype=torch.float64), None, length)[0].tolist()
    own = 1.0 if kind == "rnn" else 0.0
    return [*(lags[step - place] if place < step else own for place in range(step + 1)), *later]


def flow_widget(
    *,
    words: Sequence[str] = WORDS,
    meanings: Mapping[str, tuple[Sequence[float], Sequence[float]]] = MEANINGS,
    followed: int = 1,
    decay: float = 0.8,
    instead: str,
) -> PageWidget:
    """Sliders for the step, the followed input and λ; three rows of arrows from that input to the output of the step.

    Its script computes :func:`flow_weights`, and offers it to tests as ``element.weights(kind, step, decay)``.

    Args:
        words: the inputs, short ones, at least two.
        meanings: key and query of every word.
        followed: the place of the input that is followed at first.
        decay: λ at first, between .05 and .95.
        instead: a sentence for who has no JavaScript.

    Raises:
        ValueError: if there are fewer than two words, a word has no meaning, or a start is out of its range.
    """
    if len(words) < 2:
        raise ValueError(f"words must be at least 2, not {len(words)}")
    if unknown := [word for word in words if word not in meanings]:
        raise ValueError(f"meanings has nothing for the word {unknown[0]!r}")
    if not 0 <= followed < len(words):
        raise ValueError(f"followed must be from 0 to {len(words) - 1}, not {followed}")
    if not 0.05 <= decay <= 0.95:
        raise ValueError(f"decay must be from 0.05 to 0.95, not {decay:g}")
    last = len(words) - 1
    return page_widget(
        "flow",
        {"words": list(words), "meanings": [meanings[word] for word in words]},
        controls=[
            Slider("step", "step", 0, last, last, says="step, the output that is computed"),
            Slider("followed", "input that is followed", 0, last, followed),
            Slider("decay", "λ", 0.05, 0.95, decay, 0.05, says="decay of the recurrence"),
        ],
        pictures={"flow": ""},
        text="Interactive way of one word through a recurrent network, attention and a recurrence matrix.",
        instead=instead,
    )
