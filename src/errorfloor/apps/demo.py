"""Every method on simulated data, next to the true floor: `python -m errorfloor.apps.demo`."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from errorfloor import Comparison, compare, from_soft_labels, from_votes
from errorfloor._typing import Floats
from errorfloor.data.storage import replacing, write_text
from errorfloor.datasets.synthetic import (
    ManySynthetic,
    Synthetic,
    corrupt,
    draw_labels,
    gaussian_mixture,
    gaussian_ring,
    vote_for_classes,
    weigh,
)

FRUIT = ("apple", "cherry", "grape", "lemon", "plum")
WEIGHTS = (3.0, 1.0, 1.0, 0.5, 2.0)  # by which the scores of the five classes are distorted


def main() -> None:
    """Print the floors of all methods and whether their intervals hold the true one."""
    print(text(*run()))
    print()
    print(text_of_five(*run_five()))


def run() -> tuple[Comparison, float]:
    """Return the floors of all methods, and the true one."""
    data = _data()
    fifty, three = (np.random.default_rng(0).binomial(m, data.soft_labels) for m in (50, 3))
    rows = (
        from_soft_labels(data.soft_labels, rng=0),
        from_votes(fifty, 50, method="plugin", rng=0),
        from_votes(three, 3),
        # Distorted true probabilities leave nothing out: they are complete.
        *compare(corrupt(data.soft_labels, 2, 0.7), data.labels, complete=True, rng=0),
    )
    return Comparison(rows), data.floor


def run_five() -> tuple[Comparison, float]:
    """Return floors of data of five classes, and the true one."""
    data = _ring()
    methods = ["offsets", "top1"]
    found = compare(_seen(data), data.labels, classes=FRUIT, methods=methods, complete=True, rng=0)
    rows = (
        from_soft_labels(data.soft_labels, classes=FRUIT, rng=0),
        from_votes(vote_for_classes(data.soft_labels, 5, rng=0), classes=FRUIT),
        *found,
    )
    return Comparison(rows), data.floor


def text(rows: Comparison, floor: float) -> str:
    """Return the floors as a table, with whether each interval holds the true one."""
    about = (
        "10,000 simulated items of two Gaussian classes. clean: their true probabilities; plugin:",
        "50 votes each; mixture: 3 votes each; all others: one label each and complete scores, the",
        "true probabilities distorted by f(p; 2, 0.7). 95 % intervals.",
    )
    return _table(about, rows, floor)


def text_of_five(rows: Comparison, floor: float) -> str:
    """Return the same for five classes."""
    about = (
        "2,000 simulated items of five Gaussian classes. clean: their true probabilities; mixture:",
        "5 votes each; offsets and top1: one label each and complete scores with wrong weights.",
    )
    return _table(about, rows, floor)


def _table(about: tuple[str, ...], rows: Comparison, floor: float) -> str:
    head, *lines = (line for line in str(rows).splitlines() if line)
    width = max(map(len, (head, *lines)))
    about = (*about, "", f"{head:<{width}}  true floor {100 * floor:.2f} %")
    held = (
        row.interval is not None and row.interval.low <= floor <= row.interval.high for row in rows
    )
    marked = (
        f"{line:<{width}}  {'inside' if inside else 'missed'}"
        for line, inside in zip(lines, held, strict=True)
    )
    return "\n".join((*about, *marked))


def draw(rows: Comparison, floor: float, path: str | os.PathLike[str]) -> Path:
    """Draw the floors and the true one as an image; the name's ending says of which kind."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    from errorfloor.show import plot

    target = Path(path)
    kind = target.suffix.removeprefix(".") or "svg"
    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    plot.forest(rows, truth=floor, ax=figure.add_subplot())
    # The same picture is the same file.
    with rc_context({"svg.hashsalt": "errorfloor"}), replacing(target) as file:
        figure.savefig(file, format=kind, metadata={"Date": None} if kind == "svg" else None)
    return target


def save(folder: str | os.PathLike[str]) -> list[Path]:
    """Write the data as small CSV files to try things on, each whole or not at all.

    They hold what people have: votes.csv and scores.csv an item a row, soft_labels.csv the true
    probabilities, annotations.csv a row for each item and annotator, and annotators.csv a column
    for each annotator, with blanks. class_scores.csv and class_votes.csv have five classes: a score
    for each, and three votes by name. gold.csv has votes of many annotators and a gold label,
    judged.csv a judge's score on all items and a label on some. ratings.csv has grades of essays,
    a row for each essay and rater, and a model's prediction. models.csv has votes of many
    annotators and the answers of two models, predictions.csv one label and what two models predict.
    """
    data = _data()
    three = np.random.default_rng(0).binomial(1, data.soft_labels[:2000, None], size=(2000, 3))
    seen = np.random.default_rng(1).random(three.shape) < 0.9
    seen[:, 0] = True
    names = ("ann", "bob", "eve")
    long = ((item, names[who], three[item, who]) for item in range(2000) for who in range(3))
    wide = (
        (item, *(vote if there else "" for vote, there in zip(votes, kept, strict=True)))
        for item, (votes, kept) in enumerate(zip(three.tolist(), seen.tolist(), strict=True))
    )
    scores = (
        (score, int(label), "ab"[item % 2])
        for item, (score, label) in enumerate(
            zip(corrupt(data.soft_labels, 2, 0.7).tolist(), data.labels, strict=True)
        )
    )
    files: dict[str, Iterable[Iterable[object]]] = {
        "votes.csv": [("positives", "total"), *((k, 3) for k in three.sum(axis=1))],
        "scores.csv": [("score", "label", "batch"), *scores],
        "soft_labels.csv": [("soft_label",), *((p,) for p in data.soft_labels.tolist())],
        "annotations.csv": [("item", "annotator", "vote"), *long],
        "annotators.csv": [("item", *names), *wide],
        **_five_classes(),
        "gold.csv": [("item", "annotator", "vote", "gold"), *_votes_and_gold(data)],
        "judged.csv": [("score", "label"), *_judged(data)],
        "ratings.csv": [("essay", "rater", "rating", "model"), *_ratings()],
        "models.csv": [("item", "annotator", "vote", "careful", "hasty"), *_votes_and_models(data)],
        "predictions.csv": [("label", "old", "new"), *_predictions(data)],
    }
    Path(folder).mkdir(parents=True, exist_ok=True)
    return [_write(Path(folder) / name, rows) for name, rows in files.items()]


def _five_classes() -> dict[str, list[Iterable[object]]]:
    """Return scores of five classes with a label, and three votes per item, as rows."""
    data = _ring()
    seen = _seen(data).round(6).tolist()
    votes = [draw_labels(data.soft_labels, rng=seed).tolist() for seed in (1, 2, 3)]
    scores = ((*row, FRUIT[label]) for row, label in zip(seen, data.labels.tolist(), strict=True))
    names = ("ann", "bob", "eve")
    long = ((item, names[who], FRUIT[votes[who][item]]) for item in range(2000) for who in range(3))
    return {
        "class_scores.csv": [(*(f"proba_{name}" for name in FRUIT), "label"), *scores],
        "class_votes.csv": [("item", "annotator", "vote"), *long],
    }


def _votes_and_gold(data: Synthetic) -> list[Iterable[object]]:
    """Return five votes on each of 500 items, by people who err more or less, and a gold label."""
    rng = np.random.default_rng(4)
    slips = np.linspace(0.0, 0.3, 60)
    rows: list[Iterable[object]] = []
    for item, label in enumerate(data.labels[:500].astype(int).tolist()):
        for who in np.sort(rng.choice(slips.size, 5, replace=False)).tolist():
            vote = int(rng.random() < data.soft_labels[item]) ^ int(rng.random() < slips[who])
            rows.append((item, f"p{who + 1:02}", vote, label))
    return rows


def _votes_and_models(data: Synthetic) -> list[Iterable[object]]:
    """Return five votes on each of 500 items, and what two models answer: one errs more often."""
    rng = np.random.default_rng(6)
    slips = np.linspace(0.0, 0.2, 60)
    rows: list[Iterable[object]] = []
    for item, p in enumerate(data.soft_labels[:500].tolist()):
        answers = [int(p > 0.5) ^ int(rng.random() < wrong) for wrong in (0.02, 0.25)]
        for who in np.sort(rng.choice(slips.size, 5, replace=False)).tolist():
            vote = int(rng.random() < p) ^ int(rng.random() < slips[who])
            rows.append((item, f"p{who + 1:02}", vote, *answers))
    return rows


def _predictions(data: Synthetic) -> list[Iterable[object]]:
    """Return the labels of 600 items, and what two models predict: the old one errs more often."""
    rng = np.random.default_rng(7)
    wrong = rng.random((600, 2)) < (0.1, 0.03)
    best = data.soft_labels[:600] > 0.5
    labels = data.labels[:600].astype(int).tolist()
    return [
        (label, *map(int, row)) for label, row in zip(labels, best[:, None] ^ wrong, strict=True)
    ]


def _judged(data: Synthetic) -> Iterable[Iterable[object]]:
    """Return the scores of a judge on 5,000 items, and the labels of 500 that were drawn."""
    seen = corrupt(data.soft_labels[:5000], 2, 0.7).round(4).tolist()
    drawn = set(np.random.default_rng(5).choice(5000, 500, replace=False).tolist())
    labels = data.labels[:5000].astype(int).tolist()
    return ((seen[item], labels[item] if item in drawn else "") for item in range(5000))


def _ratings() -> list[Iterable[object]]:
    """Return grades from 1 to 6 of 400 essays by three of twelve raters, and a model's."""
    rng = np.random.default_rng(6)
    bias = rng.normal(0, 0.3, 12)
    rows: list[Iterable[object]] = []
    for essay in range(400):
        true = rng.normal(3.5, 0.8)
        model = round(float(3.5 + 0.7 * (true - 3.5) + rng.normal(0, 0.3)), 2)
        for who in np.sort(rng.choice(bias.size, 3, replace=False)).tolist():
            grade = int(np.clip(np.round(true + bias[who] + rng.normal(0, 0.8)), 1, 6))
            rows.append((f"e{essay + 1:03}", f"r{who + 1:02}", grade, model))
    return rows


def _ring() -> ManySynthetic:
    return gaussian_ring(2000, classes=len(FRUIT), rng=0)


def _seen(data: ManySynthetic) -> Floats:
    """Return the scores of five classes, with weights that are wrong."""
    return weigh(data.soft_labels, WEIGHTS, 0.7)


def _data() -> Synthetic:
    return gaussian_mixture(10_000, rng=0)


def _write(path: Path, rows: Iterable[Iterable[object]]) -> Path:
    lines = io.StringIO()
    csv.writer(lines, lineterminator="\n").writerows(rows)
    write_text(path, lines.getvalue())
    return path


if __name__ == "__main__":
    main()
