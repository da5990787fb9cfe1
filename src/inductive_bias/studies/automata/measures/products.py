"""The multiplications that a model asks for, whatever the machine: those of its matrices.

With d the width, an LSTM's layer multiplies a token by 4 · 2d² weights, attention by 4d² and a feed-forward layer four
times as wide by 8d²; each key that a token looks at takes d products for its weight and d for its value. What is done
element by element is left out, a few products per channel: gates, normalisations, and the recurrence of a REM.
"""

from typing import SupportsFloat

from inductive_bias.models import MixingSpec, RecurrentSpec

#: Square matrices of a mixer, and whether it looks at keys.
MATRICES = {"attention": (4, True), "rsa": (4, True), "rem": (2, False), "linear_rnn": (3, False)}
#: A backward pass takes every product twice: for the inputs and for the weights.
TRAINING = 3


def products(spec: MixingSpec | RecurrentSpec, *, outputs: int, keys: SupportsFloat) -> float:
    """Multiplications for one token, forwards.

    Args:
        spec: an LSTM, or blocks with a mixer of :data:`MATRICES`.
        outputs: of the read-out.
        keys: that the token looks at; :func:`seen` of a whole sequence.

    Raises:
        ValueError: for a model whose products are not known here.
    """
    if isinstance(spec, RecurrentSpec):
        if spec.cell != "lstm":
            raise ValueError(f"the products of a bare cell={spec.cell!r} are not counted")
        first = 4 * spec.states * (spec.embedding + spec.states)
        return float(first + (spec.layers - 1) * 8 * spec.states**2 + spec.states * outputs)
    if spec.mixer.kind not in MATRICES:
        raise ValueError(f"the products of a mixer of kind {spec.mixer.kind!r} are not counted")
    square, looks = MATRICES[spec.mixer.kind]
    block = (square + 2 * spec.feedforward) * spec.width**2 + looks * 2 * float(keys) * spec.width
    return spec.layers * block + spec.width * outputs


def seen(length: int) -> float:
    """Keys that a token of a causal sequence looks at, on average: itself and all before it."""
    return (length + 1) / 2
