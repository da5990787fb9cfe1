"""What models of several series share: their settings, the embedding of values and time, and feed-forward layers.

A forecaster reads ``[b, t, series + 1]``, standardised values and, last, the time of a row in quarters of an hour since
a Monday, 1 January (see :class:`~inductive_bias.tasks.Forecasting`), and says the next rows ``[b, horizon, series]``.
"""

from collections.abc import Callable
from typing import Annotated, ClassVar

import torch
from jaxtyping import Float
from pydantic import Field, model_validator
from torch import Tensor, nn

from inductive_bias.layers import AttentionSpec, REMSpec, RSASpec, ToeplitzSpec
from inductive_bias.models.paired_init import same_init
from inductive_bias.models.positions import sinusoidal_positions
from inductive_bias.settings import Setting

#: Quarters of an hour of a day, a week, and a year of 365.2425 days.
CYCLES = (96.0, 672.0, 35_063.28)
#: What a self-attention may be exchanged for.
SeriesMixer = Annotated[AttentionSpec | RSASpec | ToeplitzSpec | REMSpec, Field(discriminator="kind")]


class ForecasterSpec(Setting):
    """Choices of every forecaster.

    Attributes:
        mixer: in place of every self-attention, with the backbone's own way to choose keys; REM only has no keys. Its
            ``dilation`` is in rows of the table.
        width: of the representation of a row; the mixer's heads divide it.
        feedforward: width of the feed-forward layers as a multiple of ``width``.
        dropout: on embeddings and the outputs of all layers.
        attention_dropout: on the weights of attention. The fused kernel of a CPU has none: with 0 a step takes less.
        l1: weight of the sum of absolute weights in the loss.
        l2: weight of the sum of squared weights in the loss.
    """

    inputs: ClassVar[tuple[frozenset[str], ...]] = (frozenset({"series", "horizon"}),)

    mixer: SeriesMixer = AttentionSpec()
    width: int = Field(default=64, ge=1)
    feedforward: int = Field(default=4, ge=1)
    dropout: float = Field(default=0.05, ge=0, lt=1)
    attention_dropout: float = Field(default=0.05, ge=0, lt=1)
    l1: float = Field(default=0.0, ge=0)
    l2: float = Field(default=0.0, ge=0)

    @model_validator(mode="after")
    def _mixer_fits(self) -> "ForecasterSpec":
        self.mixer.check_width(self.width)
        return self

    def self_attention(
        self,
        *,
        causal: bool,
        attention: Callable[[], nn.Module | None],
        projection: Callable[[], nn.Module | None] = lambda: None,
        halvings: int = 0,
        **more: object,
    ) -> nn.Module:
        """One freshly initialised mixer; whichever it is, the random numbers after it are those after plain attention.

        So models that differ in their mixer alone begin with the same weights in all that they share.

        Args:
            causal: no row sees a later one.
            attention: makes what says which keys a query sees; not used by REM only.
            projection: makes that of queries, keys and values.
            halvings: how often the rows were halved before this layer: the dilation is halved as often.
            more: further arguments of the layer that are RSA's alone.
        """

        def made(mixer: SeriesMixer) -> nn.Module:
            if mixer.kind == "rem":
                return mixer.layer(self.width, causal=causal)
            return self._made(mixer, causal, attention, projection, **(more if mixer.kind == "rsa" else {}))

        return same_init(_halved(self.mixer, halvings), made)

    def _made(
        self,
        mixer: SeriesMixer,
        causal: bool,
        attention: Callable[[], nn.Module | None],
        projection: Callable[[], nn.Module | None],
        **more: object,
    ) -> nn.Module:
        # drawn in this order for every mixer: attention, projection, then what the layer adds
        options = {"attention": attention(), "projection": projection()} | more
        return mixer.layer(self.width, causal=causal, dropout=self.attention_dropout, **options)


def _halved(mixer: Setting, times: int) -> Setting:
    """The mixer whose dilations are in rows of a table that was halved so often."""
    if not times or not hasattr(mixer, "dilation"):
        return mixer
    given = mixer.dilation
    halved = max(1, given >> times) if isinstance(given, int) else tuple(max(1, each >> times) for each in given)
    return mixer.model_copy(update={"dilation": halved})


class SeriesEmbedding(nn.Module):
    """Values and time of every row as one vector: two linear maps, and sinusoidal positions if wanted.

    Time is the place in the day, the week and the year, each as sine and cosine. (The published Informer scales hour,
    weekday, day of the month and of the year to ±½, which jumps at midnight, and passes values through a circular
    convolution of three rows, which ties the last row to the first.)
    """

    def __init__(self, series: int, width: int, *, positions: bool, dropout: float):
        super().__init__()
        self.value = nn.Linear(series, width)
        self.time = nn.Linear(2 * len(CYCLES), width, bias=False)
        self.positions, self.dropout = positions, nn.Dropout(dropout)

    def forward(self, rows: Float[Tensor, "b t c"]) -> Float[Tensor, "b t d"]:
        cycles = torch.tensor(CYCLES, device=rows.device)
        # the time is an integer that float32 holds: its remainder is exact, where its angle would not be
        angles = rows[..., -1:].remainder(cycles) * (2 * torch.pi / cycles)
        x = self.value(rows[..., :-1]) + self.time(torch.cat((angles.sin(), angles.cos()), -1))
        if self.positions:
            x = x + sinusoidal_positions(x.shape[1], x.shape[2]).to(x)
        return self.dropout(x)


def following(rows: Float[Tensor, "b t c"], steps: int) -> Float[Tensor, "b s c"]:
    """The next rows as far as they are known: zeros, with the time going on as between the last two rows."""
    last, step = rows[:, -1:, -1], rows[:, -1:, -1] - rows[:, -2:-1, -1]
    times = last + step * torch.arange(1, steps + 1, device=rows.device)
    zeros = rows.new_zeros(rows.shape[0], steps, rows.shape[2] - 1)
    return torch.cat((zeros, times[..., None]), 2)


class FeedForward(nn.Sequential):
    """Linear, GELU, linear, with dropout after both."""

    def __init__(self, width: int, times: int, dropout: float):
        wide = width * times
        super().__init__(
            nn.Linear(width, wide), nn.GELU(), nn.Dropout(dropout), nn.Linear(wide, width), nn.Dropout(dropout)
        )


class SeriesLayer(nn.Module):
    """Mixer and feed-forward layer, each added to its input and normalised after that."""

    def __init__(self, mixer: nn.Module, spec: ForecasterSpec):
        super().__init__()
        self.mixer, self.dropout = mixer, nn.Dropout(spec.dropout)
        self.feedforward = FeedForward(spec.width, spec.feedforward, spec.dropout)
        self.mixer_norm, self.feedforward_norm = nn.LayerNorm(spec.width), nn.LayerNorm(spec.width)

    def forward(
        self, x: Float[Tensor, "b t d"], memory: Float[Tensor, "b m d"] | None = None
    ) -> Float[Tensor, "b t d"]:
        # a REM alone knows of no memory
        mixed = self.mixer(x) if memory is None else self.mixer(x, memory=memory)
        x = self.mixer_norm(x + self.dropout(mixed))
        return self.feedforward_norm(x + self.feedforward(x))
