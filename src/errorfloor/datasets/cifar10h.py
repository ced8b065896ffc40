"""CIFAR-10H: about 51 people named the class of each CIFAR-10 test image."""

from __future__ import annotations

import numpy as np

from errorfloor.datasets.dataset import Dataset, from_votes
from errorfloor.datasets.files import DataFile, DataHome, locate

VOTES = DataFile(
    path="cifar10h/cifar10h-counts.npy",
    repository="jcpeterson/cifar-10h",
    commit="48da312b193b82e6939ec20f23d1f09cbdd849c8",
    source="data/cifar10h-counts.npy",
    sha256="9b36b4550349af56c79083356312eb4af856cc5fd3caf1f669d40b9d0bbb69ff",
)
LABELS = DataFile(
    path="cifar10h/cifar10-test-labels.npy",
    repository="cleanlab/label-errors",
    commit="6d5d6b31a13216290afc40e5c6319399c4d15c06",
    source="original_test_labels/cifar10_test_set_original_labels.npy",
    sha256="8fba587d5b11011df52b2a20eb4a272eeaf20c2d162554059f714d4b78d23aed",
)
ANIMALS = ("bird", "cat", "deer", "dog", "frog", "horse")


def load_cifar10h(*, data_home: DataHome = None) -> Dataset:
    """Load the CIFAR-10 test set with the votes of CIFAR-10H, where animals are positive.

    Parameters
    ----------
    data_home : path, optional
        Folder that holds the files under ``cifar10h/``. By default the one that the environment
        variable ERRORFLOOR_DATA names, or else a cache that is filled by download.

    Returns
    -------
    Dataset
        10,000 images, 511,000 votes for ten classes. Bird, cat, deer, dog, frog and horse are
        positive. The label is that of CIFAR-10.

    References
    ----------
    .. [1] J. C. Peterson et al., ICCV 2019, arXiv:1908.07086.
    .. [2] A. Krizhevsky, Learning multiple layers of features from tiny images, 2009.
    """
    return from_votes(
        np.load(locate(VOTES, data_home), allow_pickle=False),
        np.load(locate(LABELS, data_home), allow_pickle=False),
        classes=("airplane", "automobile", *ANIMALS, "ship", "truck"),
        positive=ANIMALS,
        name="CIFAR-10H",
        source="votes: github.com/jcpeterson/cifar-10h; labels: github.com/cleanlab/label-errors",
        licence="votes: CC BY-NC-SA 4.0; labels: Apache-2.0",
        citation=(
            "J. C. Peterson, R. M. Battleday, T. L. Griffiths and O. Russakovsky. Human "
            "uncertainty makes classification more robust. ICCV 2019. "
            "A. Krizhevsky. Learning multiple layers of features from tiny images. 2009."
        ),
    )
