"""A recurrence encoding matrix without attention beside it."""

from collections.abc import Sequence
from typing import Literal

from jaxtyping import Bool, Float
from torch import Tensor, nn

from inductive_bias.layers import checks
from inductive_bias.layers.heads import (
    Cache,
    StatefulLayer,
    check_cache,
    check_tokens,
    ending_together,
    last_real,
    real_values,
    refuse_bidirectional,
)
from inductive_bias.layers.rem import REM, RecurrenceSpec


class REMSpec(RecurrenceSpec):
    """Choices of a :class:`REMOnly`."""

    kind: Literal["rem"] = "rem"

    @property
    def name(self) -> str:
        """Name of the mixer on the book's pages."""
        return "REM only"

    def layer(self, width: int, **options: object) -> nn.Module:
        """One freshly initialised layer ``[b, t, width] → [b, t, width]``: recurrence encoding matrices alone."""
        return self.started(REMOnly(width, self.heads, self.counts, **self.rem_options, **options))


class REMOnly(StatefulLayer):
    """A REM between two linear layers, without queries and keys: linear in time, decoding with a constant state.

    Padding writes nothing; in a gap between real tokens time passes (see :mod:`~inductive_bias.layers.heads`).

    Args:
        width, heads: as of :class:`HeadMixer`.
        counts, rem: as of :class:`REM`.
        bias: whether the two linear layers have one.
    """

    def __init__(
        self, width: int, heads: int, counts: Sequence[int] | None = None, *, bias: bool = True, **rem: object
    ):
        super().__init__()
        checks.head_width(width, heads)
        self.rem = REM(heads, counts, **rem)
        self.width, self.heads = width, heads
        self.value = nn.Linear(width, width, bias=bias)
        self.output = nn.Linear(width, width, bias=bias)

    @property
    def causal(self) -> bool:
        """Whether no token sees a later one."""
        return self.rem.causal

    def forward(
        self,
        x: Float[Tensor, "b t width"],
        mask: Bool[Tensor, "b t"] | None = None,
        initial_state: Cache | None = None,
        return_state: bool = False,
    ) -> Float[Tensor, "b t width"] | tuple[Float[Tensor, "b t width"], Cache]:
        """Outputs ``[b, t, width]`` of the REMs alone; padding writes nothing.

        With ``initial_state`` the tokens follow those that made the cache. With ``return_state`` the cache after them
        is given too.

        Raises:
            ValueError: where a state is given or asked for, as :meth:`prefill` and :meth:`step`.
        """
        if initial_state is None and not return_state:
            return self._join(self.rem(self._values(x, mask)))
        return self._from_state(x, mask, initial_state, return_state)

    def prefill(
        self, x: Float[Tensor, "b t width"], mask: Bool[Tensor, "b t"] | None = None
    ) -> tuple[Float[Tensor, "b t width"], Cache]:
        """Outputs of a prompt, and the cache to go on from: the next token follows the last real one of its row."""
        refuse_bidirectional(self.rem.causal)
        values = self._values(x, mask)
        last = values if mask is None else self._values(*ending_together(x, mask))
        return self._join(self.rem(values)), Cache(None, None, None, self.rem.state(last), x.shape[1])

    def _read_on(
        self, x: Float[Tensor, "b t width"], cache: Cache, mask: Bool[Tensor, "b t"] | None
    ) -> tuple[Float[Tensor, "b t width"], Cache]:
        refuse_bidirectional(self.rem.causal)
        values, t = self._values(x, mask), x.shape[1]
        check_cache(cache, x)
        if t == 1 and mask is None:
            mixed, state = self.rem.step(cache.state, values[:, :, 0])
            mixed = mixed[:, :, None]
        else:
            state = self.rem.state(values, cache.state, None if mask is None else last_real(mask))
            mixed = self.rem(values) + self.rem.carried(cache.state, t).to(values.dtype)
        return self._join(mixed), cache._replace(state=state, length=cache.length + t)

    def _values(self, x: Tensor, mask: Tensor | None) -> Float[Tensor, "b h t d"]:
        check_tokens(self, x, mask, self.output.weight)
        return real_values(self.value(x).unflatten(-1, (self.heads, -1)).transpose(1, 2), mask)

    def _join(self, mixed: Float[Tensor, "b h t d"]) -> Float[Tensor, "b t width"]:
        return self.output(mixed.transpose(1, 2).flatten(2))
