"""Where tokens are, added to their embeddings: sines and cosines, a learned table, and both kinds of random places.

Each is a module ``places(x, first, real)``: embeddings ``[b, t, d]`` of the tokens first, first + 1, … with their
positions. ``first`` is one place for all rows, or one a row; tokens before place 0 are padding. Positions within
attention (ALiBi, rotary, relative) are mixers of :mod:`inductive_bias.layers`.
"""

import math
from typing import Literal

import torch
from jaxtyping import Bool, Float, Integer
from torch import Tensor, nn

from inductive_bias import checks
from inductive_bias.layers.relative import LONGEST_WAVE

#: Positions that a model may add: none, sines and cosines, a learned table, sines from a random start, and sines at a
#: random, ordered choice of places.
PositionName = Literal["none", "sinusoidal", "learned", "shifted", "randomised"]
#: The place of the first token: of all rows, or of each.
First = int | Integer[Tensor, " b"]
#: Those that need to know how far places reach.
REACHING = ("learned", "shifted", "randomised")


def positions_of(name: PositionName, width: int, reach: int | None) -> nn.Module | None:
    """The module of a name; None for ``none``.

    Args:
        name: one of :data:`PositionName`.
        width: of the embeddings.
        reach: see the modules; None where it is not one of :data:`REACHING`.

    Raises:
        ValueError: if ``reach`` is missing or not needed.
    """
    check_reach(name, reach)
    makers = {
        "none": lambda: None,
        "sinusoidal": Sinusoidal,
        "learned": lambda: Learned(reach, width),
        "shifted": lambda: Shifted(reach),
        "randomised": lambda: Randomised(reach),
    }
    return makers[name]()


def check_reach(name: PositionName, reach: int | None) -> None:
    """Refuse positions without the ``reach`` that they need, and others with one.

    Raises:
        ValueError: naming the positions and the ``reach``.
    """
    if (name in REACHING) != (reach is not None):
        needed = "an integer" if name in REACHING else "None"
        raise ValueError(f"reach must be {needed} for positions={name!r}, not {reach}")


class Sinusoidal(nn.Module):
    """Sines and cosines of the place."""

    def forward(
        self, x: Float[Tensor, "b t d"], first: First = 0, real: Bool[Tensor, "b t"] | None = None
    ) -> Float[Tensor, "b t d"]:
        """Embeddings plus sines and cosines of the places from ``first`` on."""
        if isinstance(first, Tensor):
            return x + sinusoids(rows_of_places(first, x.shape[1]), x.shape[2]).to(x)
        return x + sinusoidal_positions(x.shape[1], x.shape[2], first).to(x)


class Learned(nn.Module):
    """A vector for each place, learned; one that no training sequence reaches stays as it was drawn.

    Args:
        reach: how many places there are: the longest sequence.
        width: of the embeddings.
    """

    def __init__(self, reach: int, width: int):
        super().__init__()
        self.table = nn.Embedding(checks.whole("reach", reach, least=1), width)

    def forward(
        self, x: Float[Tensor, "b t d"], first: First = 0, real: Bool[Tensor, "b t"] | None = None
    ) -> Float[Tensor, "b t d"]:
        """Embeddings plus the learned vectors of the places from ``first`` on.

        Raises:
            ValueError: for a sequence that is longer than the table.
        """
        if isinstance(first, Tensor):
            places = rows_of_places(first, x.shape[1])
            refuse_longer(int(places.amax()) + 1 if places.numel() else 0, self.table.num_embeddings)
            return x + self.table(places)
        refuse_longer(first + x.shape[1], self.table.num_embeddings)
        return x + self.table.weight[first : first + x.shape[1]]


class Shifted(nn.Module):
    """Sines and cosines from a random place on: in training every sequence begins at its own, from 0 to ``reach``.

    So places beyond the longest training sequence are trained too (Liu et al. 2023, section 5.2).

    Args:
        reach: the last place at which a sequence may begin.

    Attributes:
        offset: where sequences begin in evaluation; 0 unless set.
    """

    def __init__(self, reach: int):
        super().__init__()
        self.reach, self.offset = checks.whole("reach", reach, least=0), 0

    def forward(
        self, x: Float[Tensor, "b t d"], first: First = 0, real: Bool[Tensor, "b t"] | None = None
    ) -> Float[Tensor, "b t d"]:
        """Embeddings plus sines and cosines of places that begin at a random one in training."""
        if isinstance(first, Tensor):
            begins = torch.randint(self.reach + 1, (len(x), 1), device=x.device) if self.training else self.offset
            return x + sinusoids(begins + rows_of_places(first, x.shape[1]), x.shape[2]).to(x)
        if not self.training:
            return x + sinusoidal_positions(x.shape[1], x.shape[2], self.offset + first).to(x)
        begins = torch.randint(self.reach + 1, (len(x), 1), device=x.device)
        return x + sinusoids(begins + torch.arange(first, first + x.shape[1], device=x.device), x.shape[2]).to(x)


class Randomised(nn.Module):
    """Sines and cosines at as many of the places 0 … ``reach`` − 1 as there are tokens, drawn anew and in order.

    A token's place then says which of two comes first, and no more (Ruoss et al. 2023). Every sequence has its own
    places, drawn for its own length: padding takes none. In evaluation they are drawn too, as in the paper, but are the
    same in every call: those of a row depend on the row and its length alone. Token by token they cannot be drawn.

    Args:
        reach: places to choose from: L_max of the paper, above every length.
    """

    def __init__(self, reach: int):
        super().__init__()
        self.reach = checks.whole("reach", reach, least=1)

    def forward(
        self, x: Float[Tensor, "b t d"], first: First = 0, real: Bool[Tensor, "b t"] | None = None
    ) -> Float[Tensor, "b t d"]:
        """Embeddings plus sines and cosines of places drawn at random and put in order.

        Raises:
            ValueError: for a sequence longer than there are places, one whose beginning has been read before, or a
                place a row.
        """
        if isinstance(first, Tensor) or first:
            raise ValueError("randomised positions are drawn for a whole sequence: there is no token by token")
        real = torch.ones(x.shape[:2], dtype=torch.bool, device=x.device) if real is None else real
        generator = None if self.training else torch.Generator().manual_seed(0)
        return x + sinusoids(drawn_places(real, self.reach, generator), x.shape[2]).to(x)


def rows_of_places(first: Integer[Tensor, " b"], length: int) -> Integer[Tensor, "b t"]:
    """The places of every row from its first one on, 0 for those before place 0."""
    return (first[:, None] + torch.arange(length, device=first.device)).clamp(min=0)


def drawn_places(
    real: Bool[Tensor, "b t"], reach: int, generator: torch.Generator | None = None
) -> Integer[Tensor, "b t"]:
    """Places of 0 … ``reach`` − 1, one for each real token of a row, rising and without repetition.

    Padding stands on the right and gets the last place. All sets of places are equally likely.

    Args:
        real: False at padding.
        reach: how many places there are.
        generator: of the draws, on the CPU; that of PyTorch if None.

    Raises:
        ValueError: if there are fewer places than tokens.
    """
    refuse_longer(real.shape[1], reach)
    shape, place = (len(real), reach), real.device if generator is None else "cpu"
    order = torch.rand(shape, generator=generator, device=place).argsort(1)[:, : real.shape[1]].to(real.device)
    return order.masked_fill(~real, reach).sort(1).values.clamp(max=reach - 1)


def refuse_longer(length: int, reach: int) -> None:
    """Refuse a sequence that needs more places than there are.

    Raises:
        ValueError: naming both numbers.
    """
    if length > reach:
        raise ValueError(f"a sequence of {length} tokens is longer than the reach={reach} of the positions")


def sinusoidal_positions(length: int, width: int, first: int = 0) -> Float[Tensor, "t d"]:
    """Sines and cosines of falling frequency, in turns (Vaswani et al. 2017, section 3.5).

    Of the positions ``first``, ``first + 1``, … alone: whoever decodes does not pay for those before.
    """
    return sinusoids(torch.arange(first, first + length), width)


def sinusoids(places: Integer[Tensor, "*b t"], width: int) -> Float[Tensor, "*b t d"]:
    """Sines and cosines of falling frequency at the given places (Vaswani et al. 2017, section 3.5)."""
    rates = torch.exp(torch.arange(0, width, 2, device=places.device) * (-math.log(LONGEST_WAVE) / width))
    angles = places[..., None].to(torch.float32) * rates
    return torch.stack((torch.sin(angles), torch.cos(angles)), -1).flatten(-2)[..., :width]
