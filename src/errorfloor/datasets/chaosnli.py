"""ChaosNLI: 100 people judged each of several thousand pairs of sentences."""

from __future__ import annotations

import json

import numpy as np

from errorfloor._checks import check_choice
from errorfloor.datasets.dataset import Dataset, from_votes
from errorfloor.datasets.files import DataFile, DataHome, locate


def _part(name: str, sha256: str) -> DataFile:
    return DataFile(
        path=f"chaosnli/{name}",
        repository="jsbaan/calibration-on-disagreement-data",
        commit="990e81cacadac5d0268160d1c02bad19d4ddb9a3",
        source=f"data/chaosNLI_v1.0/{name}",
        sha256=sha256,
    )


PARTS = {
    "snli": _part(
        "chaosNLI_snli.jsonl", "99f9015ddda7d85f66a087452bc30d53974314fe27e7d589e2f41ad44bd509c1"
    ),
    "mnli": _part(
        "chaosNLI_mnli_m.jsonl", "8eb49b589488e7b1a9ec95fb8a864bd50f0509b4f808eed0aed3f8167617664d"
    ),
    "abductive": _part(
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
    check_choice(part, PARTS, name="part")
    with locate(PARTS[part], data_home).open(encoding="utf-8") as file:
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
