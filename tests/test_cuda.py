"""Neighbours on a graphics card: what is said without one, and the same lists with one."""

import sys
from importlib.util import find_spec
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks.features_cuda import as_plain, small_sets
from errorfloor._checks import InputError
from errorfloor.features.cuda import nearest_on
from errorfloor.features.neighbours import nearest


def has_cuda():
    """Return whether PyTorch is here and finds a card; CI has neither."""
    if find_spec("torch") is None:
        return False
    import torch

    return bool(torch.cuda.is_available())


def test_without_pytorch_the_processor_is_offered(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(InputError, match=r"device='cuda'` needs PyTorch.* Leave it out"):
        nearest(np.zeros((3, 2)), 1, device="cuda")


def test_a_device_that_is_not_there_is_named(monkeypatch):
    def empty(size, device):
        raise RuntimeError(f"Invalid device string: {device!r}\nlong story")

    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(empty=empty))
    with pytest.raises(InputError, match=r"device='kuda'` cannot be used: Invalid.*'kuda'$"):
        nearest_on("kuda", np.zeros((3, 2)), 1)


if has_cuda():

    @pytest.mark.parametrize("name", small_sets())
    def test_neighbours_are_those_of_plain_differences(name):
        points = small_sets()[name]
        found = nearest(points, 15, device="cuda")
        assert as_plain(found, points, None, range(0, len(points), 7))
