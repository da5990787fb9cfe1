"""Layers of six packages from the registry, built as their READMEs build them, and PyTorch's own block.

Install what a function imports before it is called: the book needs none of these packages.
"""

from torch import nn


def min_gru(dim: int) -> nn.Module:
    """A gated recurrence whose gates do not see its state (`minGRU-pytorch` 0.2.1)."""
    from minGRU_pytorch import minGRU

    return minGRU(dim)


def mamba(dim: int) -> nn.Module:
    """A selective state-space layer (`mambapy` 1.2.0)."""
    from mambapy.mamba import MambaBlock, MambaConfig

    return MambaBlock(MambaConfig(d_model=dim, n_layers=1))


def mlstm(dim: int) -> nn.Module:
    """An LSTM with a matrix as its state (`xlstm` 2.0.6)."""
    from xlstm.blocks.mlstm.layer import mLSTMLayer, mLSTMLayerConfig

    return mLSTMLayer(mLSTMLayerConfig(embedding_dim=dim, num_heads=4, context_length=512))


def mega(dim: int) -> nn.Module:
    """Attention on top of a moving average (`Mega-pytorch` 0.1.0)."""
    from mega_pytorch.mega_pytorch import MegaLayer

    return MegaLayer(dim=dim, causal=True)


def performer(dim: int) -> nn.Module:
    """Attention by random features (`performer-pytorch` 1.1.4)."""
    from performer_pytorch import SelfAttention

    return SelfAttention(dim, heads=4, dim_head=dim // 4, causal=True)


def x_attention(dim: int) -> nn.Module:
    """Causal attention (`x-transformers` 2.31.10)."""
    from x_transformers.x_transformers import Attention

    return Attention(dim, heads=4, dim_head=dim // 4, causal=True)


def torch_block(dim: int) -> nn.Module:
    """PyTorch's `TransformerEncoderLayer`, made causal."""
    return CausalBlock(dim, 4, 4 * dim, dropout=0.0, batch_first=True)


class CausalBlock(nn.TransformerEncoderLayer):
    """The layer with the mask of the future that its caller has to give."""

    def forward(self, x, src_key_padding_mask=None):
        """Tokens ``[b, t, dim]``; the mask is True at padding, as PyTorch has it."""
        future = nn.Transformer.generate_square_subsequent_mask(x.shape[1], dtype=x.dtype)
        return super().forward(x, src_mask=future, src_key_padding_mask=src_key_padding_mask, is_causal=True)
