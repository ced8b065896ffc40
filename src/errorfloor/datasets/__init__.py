"""Data to try and to measure with: the paper's real sets, and simulated data with a known floor.

The names load their modules when first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from errorfloor.datasets.dataset import Dataset
    from errorfloor.datasets.files import MissingDataError
    from errorfloor.datasets.iclr import load_iclr
    from errorfloor.datasets.voted import (
        load_chaosnli,
        load_cifar10h,
        load_fashion_mnist_h,
        load_rte,
    )

__all__ = [
    "Dataset",
    "MissingDataError",
    "load_chaosnli",
    "load_cifar10h",
    "load_fashion_mnist_h",
    "load_iclr",
    "load_rte",
]

_HOME = {
    "Dataset": "dataset",
    "MissingDataError": "files",
    "load_chaosnli": "voted",
    "load_cifar10h": "voted",
    "load_fashion_mnist_h": "voted",
    "load_iclr": "iclr",
    "load_rte": "voted",
}
_MODULES = ("synthetic",)


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(import_module(f"errorfloor.datasets.{_HOME[name]}"), name)
        globals()[name] = value
        return value
    if name in _MODULES:
        return import_module(f"errorfloor.datasets.{name}")
    raise AttributeError(f"module 'errorfloor.datasets' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
