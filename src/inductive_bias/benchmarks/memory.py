"""How many bytes of tensors are alive at most while something runs."""

import weakref
from collections.abc import Callable

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class _Counter(TorchDispatchMode):
    """Counts every storage from the operation that makes it until nothing refers to it."""

    def __init__(self) -> None:
        super().__init__()
        self.alive = self.peak = 0
        self._known: weakref.WeakSet = weakref.WeakSet()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        found = func(*args, **(kwargs or {}))
        for leaf in tree_leaves(found):
            if isinstance(leaf, Tensor):
                self._count(leaf.untyped_storage())
        return found

    def know(self, tensor: Tensor) -> None:
        """What was there before is not counted, nor its end."""
        self._known.add(tensor.untyped_storage())

    def _count(self, storage: torch.UntypedStorage) -> None:
        if storage in self._known:
            return
        self._known.add(storage)
        self.alive += storage.nbytes()
        self.peak = max(self.peak, self.alive)
        weakref.finalize(storage, self._forget, storage.nbytes())

    def _forget(self, size: int) -> None:
        self.alive -= size


def peak_bytes(work: Callable[[], object], *, known: tuple[Tensor, ...] = ()) -> int:
    """The most bytes that tensors made by ``work`` hold at one moment, results and gradients included.

    Scratch memory within one operation of torch is not seen; memory of the process is a multiple of pages and keeps
    what it once had, so that this number, unlike that one, is the same in every run.

    Args:
        work: what to run, once.
        known: tensors that were there before, and are not counted even if ``work`` changes them in place.
    """
    with _Counter() as counter:
        for tensor in known:
            counter.know(tensor)
        kept = work()
        del kept
    return counter.peak
