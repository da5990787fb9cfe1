"""Which words reach a state, how strongly, and by which way: measured by gradients in a sentence model as it is built.

Word j *reaches* state i if ∂state_i / ∂embedding_j is not zero. Causality is a reach that ends at the diagonal; a
memory bottleneck is a reach that goes through the neighbour's state only. Encoders are `TransformerEncoder` and
`LSTMEncoder`, in evaluation mode: dropout would be counted as reach.
"""

import copy
from collections import Counter
from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn

from inductive_bias.models import LSTMEncoder, TransformerEncoder

Encoder = LSTMEncoder | TransformerEncoder


def gradient_reach(
    encoder: Encoder, tokens: Int64[Tensor, " t"], *, positions: Sequence[int] | None = None
) -> Float[Tensor, "i t"]:
    """``out[i, j] = ‖∂ state_i / ∂ embedding_j‖`` (Frobenius), the states being those of the last layer.

    Exact, at a backward pass a state: the sentence is copied once for every unit of the state, and copy k is asked for
    the gradient of unit k.

    Args:
        encoder: in evaluation mode; it may have any dtype, and float64 keeps small reaches apart from rounding.
        tokens: one sentence without padding, BOS and EOS included if the model is to see them.
        positions: the states i that are asked; all of them if None. Negative ones count from the end.

    Raises:
        ValueError: for an encoder in training mode or an empty sentence.
    """
    embedded, mask = _embedded(encoder, tokens)
    leaf = embedded.repeat(encoder.width, 1, 1).requires_grad_()
    states = encoder.from_embedded(leaf, mask if mask is None else mask.expand(encoder.width, -1))
    rows = []
    for i in range(len(tokens)) if positions is None else positions:
        units = states[:, i].diagonal()
        (gradient,) = torch.autograd.grad(units.sum(), leaf, retain_graph=True)
        rows.append(gradient.square().sum(dim=(0, 2)).sqrt())
    return torch.stack(rows)


def reaches(encoder: Encoder, tokens: Int64[Tensor, " t"]) -> Bool[Tensor, "t t"]:
    """Whether `gradient_reach` is more than 0, at one backward pass for the whole sentence.

    Each state's units are weighted at random: their plain sum would not do, being constant after a normalisation.
    """
    embedded, mask = _embedded(encoder, tokens)
    size = len(tokens)
    leaf = embedded.expand(size, -1, -1).clone().requires_grad_()
    states = encoder.from_embedded(leaf, mask if mask is None else mask.expand(size, -1))
    weights = torch.randn(encoder.width, generator=torch.Generator().manual_seed(0)).to(states)
    (gradient,) = torch.autograd.grad((states.diagonal().T @ weights).sum(), leaf)
    return gradient.abs().sum(dim=2) > 0


def first_layers(encoder: Encoder, layers: int) -> Encoder:
    """An encoder of equal weights that ends after ``layers`` layers (a Transformer's final normalisation stays).

    Raises:
        ValueError: for no layer or more than there are.
    """
    available = encoder.lstm.num_layers if isinstance(encoder, LSTMEncoder) else encoder.applications
    if not 1 <= layers <= available:
        raise ValueError(f"layers must be between 1 and {available}, not {layers}")
    cut = copy.deepcopy(encoder)
    if isinstance(cut, TransformerEncoder):
        cut.applications = layers
        return cut
    kept = nn.LSTM(encoder.width, encoder.width, layers, batch_first=True).to(encoder.embedding.weight)
    kept.load_state_dict({name: encoder.lstm.state_dict()[name] for name in kept.state_dict()})
    cut.lstm = kept.eval()
    return cut


def reads_directly(encoder: Encoder, tokens: Int64[Tensor, " t"]) -> Bool[Tensor, "t t"]:
    """Whether state i of the first layer takes anything from token j in one step, by gradients.

    A Transformer's state may take from the embeddings below. An LSTM's takes from its own word's embedding and from
    the memory it is handed (hidden state and cell), which counts as taking from token i − 1; with that memory held
    fixed no earlier word can be felt, since the step has no other input.
    """
    first = first_layers(encoder, 1)
    if isinstance(first, TransformerEncoder):
        return reaches(first, tokens)
    embedded, _ = _embedded(first, tokens)
    reads = torch.zeros(len(tokens), len(tokens), dtype=torch.bool)
    memory = tuple(embedded.new_zeros(1, 1, first.width) for _ in range(2))
    for i in range(len(tokens)):
        leaves = [embedded[:, i : i + 1].clone().requires_grad_(), *(part.detach().requires_grad_() for part in memory)]
        state, memory = first.lstm(leaves[0], tuple(leaves[1:]))
        word, *handed = (g.abs().sum() > 0 for g in torch.autograd.grad(state.sum(), leaves))
        reads[i, i] = word
        if i:
            reads[i, i - 1] = any(handed)
    return reads


def steps_between(reads: Bool[Tensor, "t t"]) -> Float[Tensor, "t t"]:
    """Fewest steps by which token j gets to state i if each step goes from a token to one that reads it directly.

    0 on the diagonal, infinity where no number of steps will do.
    """
    size = len(reads)
    steps = torch.full((size, size), float("inf"), dtype=torch.float64)
    reached = torch.eye(size, dtype=torch.bool)
    for distance in range(size):
        steps[reached & steps.isinf()] = distance
        reached = (reads.double() @ reached.double()) > 0
    return steps


def sees_the_future(encoder: Encoder, tokens: Int64[Tensor, " t"]) -> bool:
    """Whether any state depends on a later word."""
    return bool(reaches(encoder, tokens).triu(1).any())


def recursion(encoder: Encoder, tokens: Int64[Tensor, " t"]) -> tuple[int, int]:
    """How often one and the same set of weights works on what it has made itself: ``(over time, over depth)``.

    1 is no recursion. Over depth the calls of each block are counted. Over time it is the longest chain of tokens of
    which each is read through the memory that the step before has left; attention reads the layer *below*, which is
    not its own output.
    """
    if isinstance(encoder, LSTMEncoder):
        chain = steps_between(reads_directly(encoder, tokens))
        return int(chain[chain.isfinite()].max()) + 1, 1
    calls: Counter[nn.Module] = Counter()
    hooks = [block.register_forward_hook(lambda module, *_: calls.update([module])) for block in encoder.blocks]
    with torch.no_grad():
        encoder(tokens[None])
    for hook in hooks:
        hook.remove()
    return 1, max(calls.values())


@torch.no_grad()
def order_sensitivity(
    encoder: Encoder, tokens: Int64[Tensor, " t"], others: Int64[Tensor, " t"], *, position: int
) -> float:
    """How far state ``position`` moves when the words between the first and the last token change places.

    Position embeddings are left out, so that only the wiring can tell one order from another. The words are turned
    round; the unit is how far the state moves when they are replaced by those of ``others``.

    Raises:
        ValueError: for an encoder in training mode, a sentence with fewer than two words between the first and the last
            token, or ``others`` of another length.
    """
    _refuse_training(encoder)
    if len(tokens) < 4 or len(others) != len(tokens):
        raise ValueError(
            f"tokens and others must be equally many and at least 4, not {len(tokens)} and {len(others)}: one word "
            f"alone has no order"
        )
    mask = encoder.attention_mask(tokens[None])
    turned = torch.cat([tokens[:1], tokens[1:-1].flip(0), tokens[-1:]])
    replaced = torch.cat([tokens[:1], others[1:-1], tokens[-1:]])
    states = [
        encoder.from_embedded(encoder.embedding(words[None]), mask)[0, position] for words in (tokens, turned, replaced)
    ]
    return float((states[1] - states[0]).norm() / (states[2] - states[0]).norm())


def _refuse_training(encoder: Encoder) -> None:
    if encoder.training:
        raise ValueError("the encoder must be in evaluation mode: dropout would be measured with it")


def _embedded(
    encoder: Encoder, tokens: Int64[Tensor, " t"]
) -> tuple[Float[Tensor, "1 t d"], Bool[Tensor, "1 t"] | None]:
    _refuse_training(encoder)
    if not len(tokens):
        raise ValueError("a sentence must have at least one token")
    return encoder.embed(tokens[None]).detach(), encoder.attention_mask(tokens[None])
