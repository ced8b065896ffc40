"""RTE: ten people said of each of 800 pairs of sentences whether one follows from the other."""

from __future__ import annotations

import csv
import hashlib
import io
from pathlib import Path

import numpy as np

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

# The public file has the sentences and the workers' ids. Of these the set keeps numbers, in the
# order of the ids, so the checksum is that of what is made of the file.
VOTES = DataFile(
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
    path = locate(VOTES, data_home) if named_folder(data_home) is not None else _fetched()
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
        path = cache() / VOTES.path
        if not path.is_file():
            content = _without_text(content_of(VOTES.address))
            if hashlib.sha256(content).hexdigest() != VOTES.sha256:
                raise OSError(f"{VOTES.address} is not the file it was")
            path.parent.mkdir(parents=True, exist_ok=True)
            write_bytes(path, content)
    except (ImportError, OSError, ValueError, KeyError) as error:
        raise unavailable(VOTES.path, error, f" It is made of {VOTES.address}.") from error
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
