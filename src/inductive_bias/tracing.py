"""Whether PyTorch records or transforms what is being run.

Fast paths are written by hand: results are put in place, buffers are used again, and the gradient is a formula. Neither
a compiler that shall see every length, nor ``torch.export``, ``torch.jit.trace``, ``torch.func`` can look into them.
Where one of these is at work, the same is computed by ordinary operations.
"""

import torch


def recorded() -> bool:
    """Whether ``torch.compile``, ``torch.export`` or ``torch.jit.trace`` is at work: a length may be a symbol."""
    return torch.compiler.is_compiling() or torch.jit.is_tracing()


def exported() -> bool:
    """Whether ``torch.export`` or ``torch.jit.trace`` is at work: what lengths are compared with then holds for all."""
    # torch 2.6 cannot tell export from compile
    exporting = getattr(torch.compiler, "is_exporting", torch.compiler.is_compiling)
    return exporting() or torch.jit.is_tracing()


def refuse_fixed_length() -> None:
    """Refuse the exporter to ONNX that reads a trace: places that are counted become those of its example.

    Raises:
        ValueError: if it is at work.
    """
    if torch.jit.is_tracing() and torch.onnx.is_in_onnx_export():
        raise ValueError(
            "torch.onnx.export(dynamo=False) would keep the length of its example, and be wrong at every other one: "
            "leave out dynamo=False"
        )


def transformed() -> bool:
    """Whether ``vmap``, ``grad`` … of :mod:`torch.func` is at work: values cannot be looked at, nor rows selected."""
    return torch._C._are_functorch_transforms_active()
