"""The sets of which every item has the votes of several people, and one true class."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import check_choice
from errorfloor.data.storage import write_bytes
from errorfloor.datasets.dataset import Dataset, from_votes
from errorfloor.datasets.files import (
    DataFile,
    DataHome,
    cache,
    content_of,
    locate,
    named_folder,
    unavailable,
)

# CIFAR-10H: about 51 people named the class of each CIFAR-10 test image.

CIFAR10H_VOTES = DataFile(
    path="cifar10h/cifar10h-counts.npy",
    repository="jcpeterson/cifar-10h",
    commit="48da312b193b82e6939ec20f23d1f09cbdd849c8",
    source="data/cifar10h-counts.npy",
    sha256="9b36b4550349af56c79083356312eb4af856cc5fd3caf1f669d40b9d0bbb69ff",
)
CIFAR10H_LABELS = DataFile(
    path="cifar10h/cifar10-test-labels.npy",
    repository="cleanlab/label-errors",
    commit="6d5d6b31a13216290afc40e5c6319399c4d15c06",
    source="original_test_labels/cifar10_test_set_original_labels.npy",
    sha256="8fba587d5b11011df52b2a20eb4a272eeaf20c2d162554059f714d4b78d23aed",
)
_ANIMALS = ("bird", "cat", "deer", "dog", "frog", "horse")


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
        np.load(locate(CIFAR10H_VOTES, data_home), allow_pickle=False),
        np.load(locate(CIFAR10H_LABELS, data_home), allow_pickle=False),
        classes=("airplane", "automobile", *_ANIMALS, "ship", "truck"),
        positive=_ANIMALS,
        name="CIFAR-10H",
        source="votes: github.com/jcpeterson/cifar-10h; labels: github.com/cleanlab/label-errors",
        licence="votes: CC BY-NC-SA 4.0; labels: Apache-2.0",
        citation=(
            "J. C. Peterson, R. M. Battleday, T. L. Griffiths and O. Russakovsky. Human "
            "uncertainty makes classification more robust. ICCV 2019. "
            "A. Krizhevsky. Learning multiple layers of features from tiny images. 2009."
        ),
    )


# Fashion-MNIST-H: about 67 people named the class of each Fashion-MNIST test image.

FASHION_VOTES = DataFile(
    path="fashion_mnist_h/fmh_counts.csv",
    repository="takashiishida/irreducible",
    commit="4bc347d387c103c355d2ebff0b3983e73f4a9bc2",
    source="data/fmh_counts.csv",
    sha256="bec7efff5d6f901a6224758d71caadb436dbd8de1284b0be7089d193be94ddbc",
)
FASHION_LABELS = DataFile(
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
        np.loadtxt(locate(FASHION_VOTES, data_home), delimiter=",", dtype=np.int64),
        _read_idx(locate(FASHION_LABELS, data_home)),
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


# ChaosNLI: 100 people judged each of several thousand pairs of sentences.


def _chaosnli(name: str, sha256: str) -> DataFile:
    return DataFile(
        path=f"chaosnli/{name}",
        repository="jsbaan/calibration-on-disagreement-data",
        commit="990e81cacadac5d0268160d1c02bad19d4ddb9a3",
        source=f"data/chaosNLI_v1.0/{name}",
        sha256=sha256,
    )


CHAOSNLI = {
    "snli": _chaosnli(
        "chaosNLI_snli.jsonl", "99f9015ddda7d85f66a087452bc30d53974314fe27e7d589e2f41ad44bd509c1"
    ),
    "mnli": _chaosnli(
        "chaosNLI_mnli_m.jsonl", "8eb49b589488e7b1a9ec95fb8a864bd50f0509b4f808eed0aed3f8167617664d"
    ),
    "abductive": _chaosnli(
        "chaosNLI_alphanli.jsonl",
        "f55817ecc11a02ba3030cd7d2c567d23843456809020723abad53f4fde024c9e",
    ),
}
_INFERENCE = {"e": "entailment", "n": "neutral", "c": "contradiction"}
_ABDUCTIVE = {"1": "hypothesis 1", "2": "hypothesis 2"}


def load_chaosnli(part: str, *, data_home: DataHome = None) -> Dataset:
    """Load a part of ChaosNLI, where the question is whether a sentence fits another.

    Parameters
    ----------
    part : {"snli", "mnli", "abductive"}
        Which development set was judged again.
    data_home : path, optional
        Folder that holds the files under ``chaosnli/``. By default the one that the environment
        variable ERRORFLOOR_DATA names, or else a cache that is filled by download.

    Returns
    -------
    Dataset
        1,514, 1,599 or 1,532 items with 100 votes each. Entailment and neutral are positive; of
        the two hypotheses of the abductive part the second is. The label is that of the original
        development set.

    References
    ----------
    .. [1] Y. Nie, X. Zhou and M. Bansal, EMNLP 2020, arXiv:2010.03532.
    """
    check_choice(part, CHAOSNLI, name="part")
    with locate(CHAOSNLI[part], data_home).open(encoding="utf-8") as file:
        items = [json.loads(line) for line in file]
    codes = _ABDUCTIVE if part == "abductive" else _INFERENCE
    place = {code: index for index, code in enumerate(codes)}
    classes = tuple(codes.values())
    return from_votes(
        np.array([item["label_count"] for item in items], dtype=np.int64),
        np.array([place[str(item["old_label"])] for item in items], dtype=np.int64),
        classes=classes,
        positive=classes[1:] if part == "abductive" else classes[:2],
        ids=np.array([item["uid"] for item in items], dtype=np.str_),
        name=f"ChaosNLI {part}",
        source=(
            "github.com/jsbaan/calibration-on-disagreement-data, ChaosNLI v1.0 of "
            "github.com/easonnie/ChaosNLI"
        ),
        licence="CC BY-NC 4.0",
        citation=(
            "Y. Nie, X. Zhou and M. Bansal. What can we learn from collective human opinions on "
            "natural language inference data? EMNLP 2020."
        ),
    )


# RTE: ten people said of each of 800 pairs of sentences whether one follows from the other.

# The public file has the sentences and the workers' ids. Of these the set keeps numbers, in the
# order of the ids, so the checksum is that of what is made of the file.
RTE_VOTES = DataFile(
    path="rte/rte.csv",
    repository="CrowdTruth/CrowdTruth-core",
    commit="1330d5d275b01d93618513ca0956a0b559dd94a2",
    source="tutorial/data/rte.standardized.csv",
    sha256="01b657c47552b64eb5d007e298acbfede484875f012c8256365e4d02acb454ae",
)


def load_rte(*, data_home: DataHome = None) -> Dataset:
    """Load recognising textual entailment: votes of crowd workers, who are known by number.

    Parameters
    ----------
    data_home : path, optional
        Folder that holds ``rte/rte.csv``. By default the one that the environment variable
        ERRORFLOOR_DATA names, or else a cache that is filled by download.

    Returns
    -------
    Dataset
        800 pairs of sentences, 8,000 votes by 164 workers. Positive means that the second follows
        from the first. The label is an expert's. `annotations` has the single votes.

    References
    ----------
    .. [1] R. Snow et al., "Cheap and fast - but is it good?", EMNLP 2008.
    """
    path = locate(RTE_VOTES, data_home) if named_folder(data_home) is not None else _fetched()
    with open(path, encoding="utf-8", newline="") as file:
        rows = np.array([[int(value) for value in row] for row in list(csv.reader(file))[1:]])
    item, worker, vote, gold = rows.T
    ids, first, at = np.unique(item, return_index=True, return_inverse=True)
    positives = np.bincount(at, vote)
    votes = np.column_stack((np.bincount(at) - positives, positives)).astype(np.int64)
    return from_votes(
        votes,
        gold[first],
        classes=("no", "follows"),
        positive=("follows",),
        ids=ids.astype(np.str_),
        annotations={"item": item, "annotator": worker, "vote": vote},
        name="RTE",
        source="github.com/CrowdTruth/CrowdTruth-core",
        licence="Apache-2.0",
        citation=(
            "R. Snow, B. O'Connor, D. Jurafsky and A. Ng. Cheap and fast - but is it good? "
            "Evaluating non-expert annotations for natural language tasks. EMNLP 2008."
        ),
    )


def _fetched() -> Path:
    """Return the file in the cache, made of the public one if it is not there yet."""
    try:
        path = cache() / RTE_VOTES.path
        if not path.is_file():
            content = _without_text(content_of(RTE_VOTES.address))
            if hashlib.sha256(content).hexdigest() != RTE_VOTES.sha256:
                raise OSError(f"{RTE_VOTES.address} is not the file it was")
            path.parent.mkdir(parents=True, exist_ok=True)
            write_bytes(path, content)
    except (ImportError, OSError, ValueError, KeyError) as error:
        raise unavailable(RTE_VOTES.path, error, f" It is made of {RTE_VOTES.address}.") from error
    return path


def _without_text(content: bytes) -> bytes:
    """Return the votes of the public file: items, numbered workers, votes and labels."""
    rows = list(csv.DictReader(io.StringIO(content.decode("utf-8"), newline="")))
    number = {name: i for i, name in enumerate(sorted({row["!amt_worker_ids"] for row in rows}))}
    lines = ["item,worker,response,gold"]
    for row in rows:
        vote = int(row["response"] == "relevant")
        lines.append(f"{row['orig_id']},{number[row['!amt_worker_ids']]},{vote},{row['gold']}")
    return ("\n".join(lines) + "\n").encode()
