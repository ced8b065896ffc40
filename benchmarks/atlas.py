"""The atlas: agreement, best possible and models of every real set with votes, as worth in people.

Run `python -m benchmarks.atlas`, or `make atlas`, to write docs/atlas.md and its picture: some
minutes. It needs ERRORFLOOR_DATA, or the network.
"""

from __future__ import annotations

import csv
import warnings
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import errorfloor as ef
from errorfloor.datasets.catalogue import SETS, RealSet, folder
from errorfloor.datasets.dataset import Dataset
from errorfloor.show import people as words
from errorfloor.show.palette import BLUE, GREY, RED

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DOCS = Path(__file__).parent.parent / "docs"
DOCUMENT, PICTURE = DOCS / "atlas.md", DOCS / "figures" / "atlas.svg"
GIVEN = "the given label"
PROBABILITIES = "chaosnli/model_probs_baan2022.csv"
BAAN = (
    "J. Baan, W. Aziz, B. Plank and R. Fernandez, Stop measuring calibration when humans disagree, "
    "EMNLP 2022; class probabilities of their fine-tuned models, seed 0"
)
PUBLISHED = {
    "cifar10h": "error on the given label of the paper's Vision Transformer",
    "fashion_mnist_h": "error on the given label of a ResNet-18, in the paper's released code",
    "chaosnli-snli": "error on the given label of the best model distributed with ChaosNLI",
    "chaosnli-mnli": "error on the given label of the best model distributed with ChaosNLI",
    "chaosnli-abductive": "error on the given label of the best model distributed with ChaosNLI",
}


@dataclass(frozen=True)
class Page:
    """A set, and its models compared with people."""

    name: str
    title: str
    classes: int
    votes: str
    found: ef.People

    @property
    def best(self) -> ef.results.ModelRate:
        """The model that gives a person's answer most often."""
        return max(self.found, key=lambda row: row.value)


def sets() -> Iterator[RealSet]:
    """Yield the sets of the catalogue that have votes."""
    yield from (one for one in SETS if one.votes != "none" and one.items)


def people_of(real: RealSet) -> Page:
    """Return a set with the classes that people voted for."""
    data = real.load()
    if data.annotations is not None:
        found = _with_annotators(data)
    else:
        models = {GIVEN: np.asarray(data.classes, dtype=object)[data.targets]} | dict(_models(data))
        found = ef.people(
            counts=data.votes, classes=data.classes, predictions=models, drop_missing=True
        )
    return Page(real.name, real.title, len(data.classes), real.votes, found)


def _with_annotators(data: Dataset) -> ef.People:
    """Return a set whose annotators are known."""
    import pandas as pd

    rows = pd.DataFrame(dict(data.annotations or {}))
    label = dict(zip(data.ids.tolist(), data.labels.astype(int).tolist(), strict=True))
    rows[GIVEN] = rows["item"].astype(str).map(label)
    return ef.people(rows, item="item", annotator="annotator", vote="vote", prediction=GIVEN)


def _models(data: Dataset) -> Iterator[tuple[str, Any]]:
    """Yield what published models predict for each item; None where nothing is known."""
    path = folder() / PROBABILITIES
    if "NLI" not in data.name.upper() or len(data.classes) != 3 or not path.is_file():
        return
    found: dict[str, dict[str, int]] = defaultdict(dict)
    with path.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["seed"] == "0":
                chance = [float(row[f"p_{name}"]) for name in "enc"]
                found[row["model"]][row["uid"]] = int(np.argmax(chance))
    for name, place in found.items():
        answers = [place.get(uid) for uid in data.ids.tolist()]
        if sum(one is not None for one in answers) > len(answers) / 2:
            yield name, [None if one is None else data.classes[one] for one in answers]


@dataclass(frozen=True)
class Published:
    """A model of which only its error on the given label is known, for two classes."""

    title: str
    error: float
    source: str
    low: float  # how often it gives a person's answer
    high: float
    worth_low: float
    worth_high: float | None

    @classmethod
    def of(cls, real: RealSet) -> Published:
        """Bound how often the model gives a person's answer.

        On all but a share e of the items it gives the label, so it gives a person's answer as
        often as the label does, up to e.
        """
        data = real.load()
        found = ef.people(data.positives, data.totals, predictions={GIVEN: data.labels.astype(int)})
        row = found[GIVEN]
        low, high = row.low - real.model_error, row.high + real.model_error
        sizes = [one.people for one in found.curve]
        least = next((r for r, one in zip(sizes, found.curve, strict=True) if one.high >= low), 0)
        most = next((r for r, one in zip(sizes, found.curve, strict=True) if one.low > high), None)
        least = 0 if least == 1 else least
        return cls(
            real.title, real.model_error, PUBLISHED[real.name], low, min(high, 1.0), least, most
        )

    @property
    def worth(self) -> str:
        """How many people it is worth, in words."""
        if not self.worth_low and not self.worth_high:
            return "not known"
        least = f"{self.worth_low:.0f}" if self.worth_low else "less than one"
        return f"{least} to {self.worth_high}" if self.worth_high else f"{least} or more"


def draw(pages: list[Page]) -> Figure:
    """Draw two people, the best possible and the best model of each set."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 0.9 + 0.45 * len(pages)), layout="constrained")
    ax = figure.add_subplot()
    for y, page in enumerate(reversed(pages)):
        best, agree = page.found.best_possible, page.found.agreement
        first = y == 0
        ax.plot([100 * best.low, 100 * best.high], [y, y], color=GREY, linewidth=9, alpha=0.35,
                solid_capstyle="butt", label="best possible" if first else None)  # fmt: skip
        ax.plot([100 * best.value] * 2, [y - 0.22, y + 0.22], color="black", linewidth=1.2)
        ax.plot([100 * agree.value], [y], color=BLUE, marker="o", linestyle="",
                label="two people" if first else None)  # fmt: skip
        row = page.best
        ends = [[100 * (row.value - row.low)], [100 * (row.high - row.value)]]
        ax.errorbar([100 * row.value], [y], xerr=ends, color=RED, marker="D", markersize=4.5,
                    linestyle="", label="given label or best model" if first else None)  # fmt: skip
    ax.set_yticks(range(len(pages)), [page.title for page in reversed(pages)])
    ax.set_xlabel("agrees with a person, %")
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="x", color=GREY, alpha=0.25, linewidth=0.6)
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3, frameon=False, fontsize=8)
    return figure


def document(pages: list[Page], published: list[Published]) -> str:
    """Return the page."""
    solved = [page.title for page in pages if page.best.verdict == "saturated"]
    room = [page.title for page in pages if page.best.verdict == "room"]
    beyond = [page.title for page in pages if page.best.verdict == "beyond"]
    return f"""# Atlas: which of these benchmarks are solved?

Every set of the [catalogue](datasets.md) with votes: how often two people give the same answer, how
often any model can give a person's answer at best, and what the given labels and published models
reach, as worth in [people](people.md). Written by `make atlas`.

![Two people, the best possible and the best answer of each set.](figures/atlas.svg)

{_solved(solved, room, beyond)}

A label is judged by people here, not people by the label: "agrees with a person" is how often an
answer is that of a person drawn at random. Agreement of two people is not a limit for models: a
panel of people, or a model, can agree with one more person more often than two people do.

| set | classes | items | votes | two people | best possible |
| --- | ---: | ---: | ---: | --- | --- |
{_lines(_set_row(page) for page in pages)}

| set | answer | agrees with a person | worth | verdict |
| --- | --- | --- | --- | --- |
{_lines(row for page in pages for row in _model_rows(page))}

`roberta-base` and `bert-base-uncased`: {BAAN}. Of MNLI they are known for 1,569 of 1,599 items, and
that row is about these. The given label is the one that the benchmark scores models by: of
CIFAR-10, Fashion-MNIST and RTE the label of the set, of the NLI sets that of the original
development set. The items of ChaosNLI were chosen because annotators had differed on them.

## Models of which only an error is known

For two classes, as in the paper: animals, tops, entailment or neutral, hypothesis 2. A model that
differs from the given label on a share of the items gives a person's answer as often as the label
does, up to that share. So its worth is known within a range, which is wide unless the error is
small.

| set | error | agrees with a person | worth in people | source |
| --- | ---: | --- | --- | --- |
{_lines(_published_row(one) for one in published)}
"""


def _solved(solved: list[str], room: list[str], beyond: list[str]) -> str:
    parts = []
    if solved:
        parts.append(f"At the limit, as far as these items can show: {', '.join(solved)}.")
    if room:
        parts.append(f"Some answer is certainly better than those below: {', '.join(room)}.")
    if beyond:
        parts.append(f"Too good to be true by these votes: {', '.join(beyond)}.")
    return " ".join(parts)


def _set_row(page: Page) -> tuple[str, ...]:
    found = page.found
    both = words.rate(found.agreement), words.rate(found.best_possible)
    return page.title, f"{page.classes}", f"{found.n:,}", page.votes, *both


def _model_rows(page: Page) -> Iterator[tuple[str, ...]]:
    for row in (*page.found, page.found.constant):
        stands = words.verdict(row, page.found.n) if row is not page.found.constant else ""
        yield page.title, row.name, words.rate(row), words.worth(row), stands


def _published_row(one: Published) -> tuple[str, ...]:
    rate = f"{100 * one.low:.1f} to {100 * one.high:.1f} %"
    return one.title, f"{100 * one.error:.2f} %", rate, one.worth, one.source


def _lines(rows: Iterator[tuple[str, ...]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def main() -> None:
    """Compare all models with people, and write the page and its picture."""
    from matplotlib import rc_context

    warnings.simplefilter("ignore", ef.ErrorFloorWarning)
    pages = [people_of(real) for real in sets()]
    published = [Published.of(real) for real in sets() if real.name in PUBLISHED]
    DOCUMENT.write_text(document(pages, published), encoding="utf-8")
    with rc_context({"svg.hashsalt": "errorfloor", "svg.fonttype": "none"}):
        draw(pages).savefig(PICTURE, metadata={"Date": None})


if __name__ == "__main__":
    main()
