"""A probe by white noise: random labels are learnt, and fresh sequences show which ones a model takes for alike.

After the inductive-bias probes of Vafa, Chang, Rambachan & Mullainathan (2025), who fit a trained model to many small
sets with random labels. Here a new model learns several labellings of a few sequences at once: the last symbol of a
sequence says which labelling is asked. There is no rule to be found, so that what the model answers to a fresh sequence
is its own: it answers alike where two sequences are alike to it.
"""

from collections.abc import Callable

import numpy as np
from jaxtyping import Int64

from inductive_bias.tasks.probes.base import Probe, Words, asked_once

#: Symbols at an end of a sequence that make a state together.
PIECE = 4


def end_state(bits: Int64[np.ndarray, "n t"]) -> Int64[np.ndarray, " n"]:
    """The last :data:`PIECE` bits, as one number."""
    return _as_number(bits[:, -PIECE:])


def start_state(bits: Int64[np.ndarray, "n t"]) -> Int64[np.ndarray, " n"]:
    """The first :data:`PIECE` bits, as one number."""
    return _as_number(bits[:, :PIECE])


def count_state(bits: Int64[np.ndarray, "n t"]) -> Int64[np.ndarray, " n"]:
    """The number of ones: what is left of a sequence without its order."""
    return bits.sum(1)


def _as_number(bits: Int64[np.ndarray, "n p"]) -> Int64[np.ndarray, " n"]:
    return bits @ (1 << np.arange(bits.shape[1]))


#: What two sequences may share.
STATES: dict[str, Callable[[Int64[np.ndarray, "n t"]], Int64[np.ndarray, " n"]]] = {
    "end": end_state,
    "start": start_state,
    "count": count_state,
}
#: The axis that says how much of the answers a state decides, by state.
ALIKE: dict[str, str] = {state: f"alike by the {state}" for state in STATES}


class Extrapolation(Probe):
    """Bits and a question, with labels that are random: the training set is all that there is to know.

    Attributes:
        questions: labellings; each has a symbol of its own, which stands last.
        examples: sequences of the training set, each with every question.
    """

    name, axis = "white noise", ALIKE["end"]
    asks = "Which sequences does a model take for alike, where labels are random?"
    questions, examples = 8, 16
    #: Two bits, and the questions.
    tokens, outputs, length = 2 + questions, 2, 17
    source = "Vafa et al. 2025, arXiv:2507.06952"

    def draw(self, rng: np.random.Generator, count: int, length: int) -> Words:
        """``count`` sequences, each with every question in turn; half of the labels of a question are 1, or one less.

        In training there are :attr:`examples` of them, the same in every step.
        """
        bits = rng.integers(2, size=(count, length - 1))
        labels = rng.random((count, self.questions)).argsort(0).argsort(0) % 2
        asked = np.tile(np.arange(self.questions) + 3, count)
        tokens = np.concatenate((bits.repeat(self.questions, 0) + 1, asked[:, None]), 1)
        return asked_once(tokens, length - 1, labels.ravel())
