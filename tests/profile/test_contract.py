"""Each check passes for an honest layer and names the fault of one that has it."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from inductive_bias.errors import SettingError
from inductive_bias.layers import AttentionSpec
from inductive_bias.layers.registry import MIXERS
from inductive_bias.profile import CHECKS, LayerSubject, check_layer, subject_of
from inductive_bias.profile.contract import FAILS, MOST_LINES, NOT_APPLICABLE, PASSES


class Honest(nn.Module):
    """A running mean of what is no padding: causal, with a mask and steps."""

    def __init__(self, width):
        super().__init__()
        self.value = nn.Linear(width, width)

    def forward(self, x, mask=None):
        values = self.value(x)
        real = torch.ones_like(x[..., :1]) if mask is None else mask[..., None].to(x.dtype)
        values = values if mask is None else values.masked_fill(~mask[..., None], 0)
        return values.cumsum(1) / real.cumsum(1).clamp(min=1)

    def prefill(self, x, mask=None):
        values = self.value(x)
        real = torch.ones_like(x[..., :1]) if mask is None else mask[..., None].to(x.dtype)
        values = values if mask is None else values.masked_fill(~mask[..., None], 0)
        return self(x, mask), (values.sum(1), real.sum(1))

    def step(self, x, cache):
        total, count = cache[0] + self.value(x), cache[1] + 1
        return total / count, (total, count)


class Leaks(Honest):
    def forward(self, x, mask=None):
        return super().forward(x, mask) + x.mean(1, keepdim=True)


class Writes(Honest):
    def forward(self, x, mask=None):
        x *= 2
        return super().forward(x, mask)


class Draws(Honest):
    def forward(self, x, mask=None):
        return super().forward(x, mask) + torch.rand(())


class ReadsOtherRows(Honest):
    def forward(self, x, mask=None):
        return super().forward(x, mask) + x[:, :1].mean(0)


class ForgetsTheMask(Honest):
    def forward(self, x, mask=None):
        return super().forward(x)


class TurnsTheMaskRound(Honest):
    def forward(self, x, mask=None):
        return super().forward(x, None if mask is None else ~mask)


class CountsPadding(Honest):
    """Padding writes nothing and still counts in the mean."""

    def forward(self, x, mask=None):
        values = self.value(x)
        values = values if mask is None else values.masked_fill(~mask[..., None], 0)
        return values.cumsum(1) / torch.arange(1, x.shape[1] + 1)[:, None]


class DividesByNothing(Honest):
    def forward(self, x, mask=None):
        if mask is None:
            return super().forward(x)
        return self.value(x) * mask[..., None] / mask.any(1)[:, None, None]


class MultipliesThePadding(Honest):
    def forward(self, x, mask=None):
        real = torch.ones_like(x[..., :1]) if mask is None else mask[..., None].to(x.dtype)
        return (self.value(x) * real).cumsum(1) / real.cumsum(1).clamp(min=1)


class StepsWrong(Honest):
    def step(self, x, cache):
        return self.value(x), cache


class PadsItsPrompt(Honest):
    def prefill(self, x, mask=None):
        return super().prefill(x)


class NeedsABatch(Honest):
    def forward(self, x, mask=None):
        if not len(x):
            raise ValueError("nothing to read")
        return super().forward(x, mask)


class NeedsTwoTokens(Honest):
    def forward(self, x, mask=None):
        return super().forward(x, mask) + 0 * x[:, 1][:, None]


class Float32(Honest):
    def forward(self, x, mask=None):
        return super().forward(x, mask).float()


class LooksAtNumbers(Honest):
    def forward(self, x, mask=None):
        return super().forward(x, mask) if x.sum().item() > -1e9 and self.value.weight.sum().item() > -1e9 else x


class LosesAWeight(Honest):
    def __init__(self, width):
        super().__init__(width)
        self.gain = torch.randn(width)

    def forward(self, x, mask=None):
        return super().forward(x, mask) * self.gain.to(x)


class HasAnIdleWeight(Honest):
    def __init__(self, width):
        super().__init__(width)
        self.idle = nn.Parameter(torch.ones(1))


class Widens(Honest):
    def forward(self, x, mask=None):
        return F.pad(super().forward(x, mask), (0, 1))


class EvenLengths(Honest):
    def forward(self, x, mask=None):
        if x.shape[1] % 2:
            raise ValueError("an even length")
        return super().forward(x, mask)


FAULTS = [
    (Leaks, "sees no future", "its outputs at position 0 change with the input at position 1"),
    (Writes, "leaves its input", "its input is changed in training mode"),
    (Draws, "answers alike", "with a second call the answer differs"),
    (ReadsOtherRows, "answers alike", "with the first row alone the answer differs"),
    (ForgetsTheMask, "padding on the left", "with padding the answer differs"),
    (ForgetsTheMask, "a masked gap", "with other tokens in the gap"),
    (
        TurnsTheMaskRound,
        "padding on the left",
        "mask must be True for real tokens; TurnsTheMaskRound has it for padding",
    ),
    (CountsPadding, "padding on the left", "with padding the answer differs"),
    (DividesByNothing, "rows of padding", "a gradient of the weights is NaN"),
    (MultipliesThePadding, "NaN at padding", "with NaN at padding on the left the answer is not finite"),
    (StepsWrong, "step by step", "with steps after a prompt the answer differs"),
    (PadsItsPrompt, "step by step", "with steps after a padded prompt the answer differs"),
    (NeedsABatch, "batches of none, single tokens", "ValueError: nothing to read"),
    (NeedsTwoTokens, "batches of none, single tokens", "IndexError"),
    (Float32, "bfloat16", "bfloat16 gives float32"),
    (LooksAtNumbers, "vmap", "RuntimeError"),
    (LosesAWeight, "copies and checkpoints", "with its weights in a fresh layer the answer differs"),
    (HasAnIdleWeight, "keeps the shape", "idle has no gradient"),
    (Widens, "keeps the shape", "tokens (3, 9, 12) give (3, 9, 13)"),
]


def found_of(layer, **options):
    return {each.name: each for each in check_layer(LayerSubject("layer", layer, width=12, **options))}


def test_an_honest_layer_passes_all():
    found = found_of(Honest)
    assert list(found) == list(CHECKS)
    assert {name: each.lines for name, each in found.items() if each.state != PASSES} == {}


@pytest.mark.parametrize(("layer", "name", "reason"), FAULTS)
def test_a_fault_is_found_and_named(layer, name, reason):
    (found,) = [each for each in check_layer(LayerSubject("layer", layer, width=12)) if each.name == name]
    assert found.state == FAILS
    assert any(reason in line for line in found.lines), found.lines
    assert len(found.lines) <= MOST_LINES


def test_a_length_that_is_refused_is_not_called_a_view_of_the_future():
    assert found_of(EvenLengths)["sees no future"].lines == ("ValueError: an even length",)


def test_every_check_has_a_layer_that_fails_it():
    never = {"padding on the right", "torch.compile"}  # a causal layer without a mask passes the first
    assert {name for _, name, _ in FAULTS} == set(CHECKS) - never


def test_a_layer_without_mask_and_steps_is_not_asked_for_them():
    found = found_of(lambda width: nn.Sequential(nn.Linear(width, width), nn.Tanh()))
    states = {name: each.state for name, each in found.items()}
    assert {name for name, state in states.items() if state == NOT_APPLICABLE} == {
        "padding on the right",
        "padding on the left",
        "a masked gap",
        "rows of padding",
        "NaN at padding",
        "step by step",
    }
    assert found["step by step"].lines == ("it has no prefill and step",)
    assert set(states.values()) == {PASSES, NOT_APPLICABLE}


@pytest.mark.parametrize("spec", MIXERS, ids=lambda each: each.__name__)
def test_every_layer_of_the_package_passes_all(spec):
    chosen = spec(**({"length": 32} if "length" in spec.model_fields else {}))
    found = check_layer(LayerSubject(chosen.name, chosen.layer, width=24))
    # the checks of types, which these tests have and no user has, cannot be compiled
    assert {each.name: each.lines for each in found if each.state != PASSES and each.name != "torch.compile"} == {}


def test_attention_that_sees_everything_is_told_about_its_padding_too():
    found = found_of(lambda width: AttentionSpec(heads=2).layer(width, causal=False))
    assert found["sees no future"].state == FAILS
    assert found["padding on the right"].state == PASSES


def test_layers_of_other_libraries_are_called_as_they_are():
    layer = lambda d_model: nn.TransformerEncoderLayer(d_model, 2, 16, batch_first=True)  # noqa: E731
    found = found_of(layer)
    assert found["sees no future"].state == FAILS
    assert found["padding on the right"].state == PASSES  # its mask is True for padding
    several = lambda d_model: nn.TransformerEncoder(layer(d_model), 2, enable_nested_tensor=False)  # noqa: E731
    assert found_of(several)["padding on the left"].state == PASSES  # its `mask` is one of pairs of tokens
    recurrent = found_of(lambda input_size: nn.GRU(input_size, input_size, batch_first=True))
    assert recurrent["sees no future"].state == recurrent["keeps the shape"].state == PASSES


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("def make(): pass", "takes no argument for its width"),
        ("def make(width): return 3", "must build a torch.nn.Module, not a int"),
        ("def make(width): return 1 / 0", "cannot be built: ZeroDivisionError: division by zero"),
        ("other = 3", "has no function or class 'make'"),
    ],
)
def test_what_cannot_be_built_is_said(tmp_path, text, reason):
    (tmp_path / "mine.py").write_text(text)
    with pytest.raises(SettingError, match=reason):
        check_layer(subject_of(f"{tmp_path}/mine.py:make"))


def test_a_width_may_have_any_common_name_and_arguments_go_along(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from torch import nn\ndef make(bias, d_model=3):\n    return nn.Linear(d_model, d_model, bias=bias)"
    )
    subject = subject_of(f"{tmp_path}/mine.py:make", width=5, arguments={"bias": False})
    layer = subject.build()
    assert (layer.in_features, layer.bias) == (5, None)
    assert torch.equal(layer.weight, subject.build().weight)
    assert not torch.equal(layer.weight, subject.build(seed=1).weight)
