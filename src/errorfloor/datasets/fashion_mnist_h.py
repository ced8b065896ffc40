"""Fashion-MNIST-H: about 67 people named the class of each Fashion-MNIST test image."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from errorfloor.datasets.dataset import Dataset, from_votes
from errorfloor.datasets.files import DataFile, DataHome, locate

VOTES = DataFile(
    path="fashion_mnist_h/fmh_counts.csv",
    repository="takashiishida/irreducible",
    commit="4bc347d387c103c355d2ebff0b3983e73f4a9bc2",
    source="data/fmh_counts.csv",
    sha256="bec7efff5d6f901a6224758d71caadb436dbd8de1284b0be7089d193be94ddbc",
)
LABELS = DataFile(
    path="fashion_mnist_h/t10k-labels-idx1-ubyte.gz",
    repository="zalandoresearch/fashion-mnist",
    commit="b2617bb6d3ffa2e429640350f613e3291e10b141",
    source="data/fashion/t10k-labels-idx1-ubyte.gz",
    sha256="67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5",
)


def load_fashion_mnist_h(*, data_home: DataHome = None) -> Dataset:
    """Load the Fashion-MNIST test set with the votes of Fashion-MNIST-H; tops are positive.

    Parameters
    ----------
    data_home : path, optional
        Folder that holds the files under ``fashion_mnist_h/``. By default the one that the
        environment variable ERRORFLOOR_DATA names, or else a cache that is filled by download.

    Returns
    -------
    Dataset
        10,000 images, 667,020 votes for ten classes. T-shirt/top, pullover, dress, coat and shirt
        are positive. The label is that of Fashion-MNIST.

    References
    ----------
    .. [1] T. Ishida et al., ICLR 2023, arXiv:2202.00395.
    .. [2] H. Xiao et al., arXiv:1708.07747.
    """
    return from_votes(
        np.loadtxt(locate(VOTES, data_home), delimiter=",", dtype=np.int64),
        _read_idx(locate(LABELS, data_home)),
        classes=(
            "T-shirt/top",
            "trouser",
            "pullover",
            "dress",
            "coat",
            "sandal",
            "shirt",
            "sneaker",
            "bag",
            "ankle boot",
        ),
        positive=("T-shirt/top", "pullover", "dress", "coat", "shirt"),
        name="Fashion-MNIST-H",
        source=(
            "votes: github.com/takashiishida/irreducible; "
            "labels: github.com/zalandoresearch/fashion-mnist"
        ),
        licence="votes: GPL-3.0; labels: MIT",
        citation=(
            "T. Ishida, I. Yamane, N. Charoenphakdee, G. Niu and M. Sugiyama. Is the performance "
            "of my deep network too good to be true? ICLR 2023. "
            "H. Xiao, K. Rasul and R. Vollgraf. Fashion-MNIST. arXiv:1708.07747, 2017."
        ),
    )


def _read_idx(path: Path) -> NDArray[np.uint8]:
    """Return the bytes after the header of an IDX file of labels: its type, then its size."""
    with gzip.open(path) as file:
        return np.frombuffer(file.read(), dtype=np.uint8, offset=8)
