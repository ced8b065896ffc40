"""The paper's real sets by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from errorfloor.datasets.chaosnli import load_chaosnli
from errorfloor.datasets.cifar10h import load_cifar10h
from errorfloor.datasets.dataset import Dataset
from errorfloor.datasets.fashion_mnist_h import load_fashion_mnist_h
from errorfloor.datasets.iclr import load_iclr

# In the order of the paper's tables.
SETS: dict[str, Callable[[], Dataset]] = {
    "CIFAR-10": load_cifar10h,
    "Fashion-MNIST": load_fashion_mnist_h,
    "SNLI": partial(load_chaosnli, "snli"),
    "MNLI": partial(load_chaosnli, "mnli"),
    "AbductiveNLI": partial(load_chaosnli, "abductive"),
    "ICLR2017-2025": load_iclr,
    **{f"ICLR{year}": partial(load_iclr, year) for year in range(2017, 2026)},
}
