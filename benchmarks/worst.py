"""The worst entry of each study: what "How often intervals hold", docs/coverage.md, is made of.

`python -m tools.generated` reads the tables of benchmarks/results and writes the page's tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from scipy.stats import binom

from benchmarks import RESULTS

LEVEL = 0.95
CHANCE = 0.05  # below which the least of many entries is called low beyond chance
NUMBER = re.compile(r"\d+(?:\.\d+)?")
BARE = re.compile(r"[\d,.]+( %)?|yes|no")  # says nothing without the name of its column
HEADING = re.compile(r"#+ (.*)|\*\*(.*?)\*\*.*")


@dataclass(frozen=True, slots=True)
class Entry:
    """A number of a table: the heading above it, its row's first cells, its column, its value."""

    heading: str
    row: tuple[str, ...]
    column: str
    value: float
    sets: int | None  # where the table has a column for it


@dataclass(frozen=True, slots=True)
class Study:
    """Entries of one file that answer one question.

    Parameters
    ----------
    asks, interval : str
        What is measured, and of which interval.
    file : str
        Name of the file in benchmarks/results, without its ending.
    under, columns, rows : str
        Regular expressions that choose tables by their heading, entries by column and by row.
    sets : str
        Expression whose group is the number of data sets behind an entry, found in the file.
    keys : int
        How many first cells of a row say what the setting is.
    part : int
        Which number of a cell counts.
    level : float
        The share that is asked for. Of false verdicts it is the largest share that is allowed.
    """

    asks: str
    interval: str
    file: str
    under: str
    columns: str
    sets: str
    rows: str = ""
    keys: int = 1
    part: int = 0
    level: float = LEVEL
    places: str = "rc"

    def entries(self) -> list[Entry]:
        """Return all entries, or say that there are none."""
        found = [entry for entry in _entries(self) if re.search(self.columns, entry.column)]
        if not found:
            raise LookupError(f"{self.file}.md has no entries for: {self.asks} ({self.interval}).")
        return found

    def setting(self, entry: Entry) -> str:
        """Return the place of an entry in words."""
        column = f"{entry.column} items" if BARE.fullmatch(entry.column) else entry.column
        words = {"h": [entry.heading], "r": entry.row, "c": [column]}
        return "; ".join(word for place in self.places for word in words[place])

    def number_of_sets(self, entry: Entry) -> int:
        """Return how many data sets are behind an entry."""
        if entry.sets is not None:
            return entry.sets
        found = re.search(self.sets, _text(self.file))
        if found is None:
            raise LookupError(f"{self.file}.md does not have {self.sets!r}.")
        return int(found[1].replace(",", ""))


def _named(column: str, cell: str) -> str:
    return f"{column} {cell}" if BARE.fullmatch(cell) else cell


def _text(file: str) -> str:
    return (RESULTS / f"{file}.md").read_text(encoding="utf-8")


def _entries(study: Study) -> Iterator[Entry]:
    heading, head = "", list[str]()
    for line in _text(study.file).splitlines():
        if found := HEADING.match(line):
            heading = found[1] or found[2]
        if not line.startswith("|"):
            head = []
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not head:
            head = cells
        elif not set(line) <= set("|-: ") and re.search(study.under, heading):
            row = tuple(map(_named, head, cells[: study.keys]))
            if re.search(study.rows, line):
                yield from _numbers(study, heading, row, head, cells)


def _numbers(
    study: Study, heading: str, row: tuple[str, ...], head: list[str], cells: list[str]
) -> Iterator[Entry]:
    for column, cell in list(zip(head, cells, strict=True))[study.keys :]:
        numbers = NUMBER.findall(cell)
        if len(numbers) > study.part:
            yield Entry(heading, row, column, float(numbers[study.part]), _sets(head, cells))


def _sets(head: list[str], cells: list[str]) -> int | None:
    for name, cell in zip(head, cells, strict=True):
        if name in ("samples", "repetitions"):
            return int(cell.replace(",", ""))
    return None


def beyond_chance(least: float, entries: int, sets: int, level: float) -> bool:
    """Return whether the least of so many shares is lower than chance explains."""
    once = float(binom.cdf(round(least * sets), sets, level))
    return 1 - (1 - once) ** entries < CHANCE


def table_of_coverage() -> str:
    """Return the least coverage that each study found."""
    lines = ["| what is estimated | least coverage | settings x data sets | where |"]
    lines.append("| --- | --- | --- | --- |")
    for study in STUDIES:
        entries = study.entries()
        least = min(entries, key=lambda entry: entry.value)
        sets = study.number_of_sets(least)
        share = f"{100 * least.value:.1f} %"
        if beyond_chance(least.value, len(entries), sets, study.level):
            share = f"**{share}**"
        name = f"[{study.asks}](../benchmarks/results/{study.file}.md)"
        many = f"{len(entries)} x {sets:,}"
        of = "" if study.interval == "default" else f", `{study.interval}`"
        lines.append(f"| {name}{of} | {share} | {many} | {study.setting(least)} |")
    return "\n".join(lines)


def table_of_verdicts() -> str:
    """Return the largest share of false verdicts that each study found."""
    lines = ["| verdict that would be false | most | allowed | settings x data sets | where |"]
    lines.append("| --- | --- | --- | --- | --- |")
    for study in VERDICTS:
        entries = study.entries()
        most = max(entries, key=lambda entry: entry.value)
        name = f"[{study.asks}](../benchmarks/results/{study.file}.md)"
        many = f"{len(entries)} x {study.number_of_sets(most):,}"
        allowed = f"{100 * study.level:.1f} %"
        lines.append(
            f"| {name} | {100 * most.value:.1f} % | {allowed} | {many} | {study.setting(most)} |"
        )
    return "\n".join(lines)


STUDIES = (
    Study(
        "scores: error",
        "honest",
        "coverage",
        "^Share of",
        "^(easy|middling|hard)",
        r"Share of ([\d,]+) data sets whose 95",
        r"^\| scores \| isotonic \| honest",
        3,
        places="c",
    ),
    Study(
        "scores: error, flat probabilities",
        "honest",
        "coverage",
        "flat probabilities",
        "^[0-9]",
        r"([\d,]+) of 10,000 items",
        keys=2,
    ),
    Study(
        "soft labels: error",
        "betting",
        "coverage",
        "^Share of",
        "^(easy|middling|hard)",
        r"Share of ([\d,]+) data sets whose 95",
        r"^\| soft labels \| \S+ \| betting",
        3,
        places="c",
    ),
    Study(
        "scores: the band of `reliability`",
        "band",
        "coverage",
        "The band of",
        "^[0-9]",
        r"Share of ([\d,]+) data sets whose 95 % band",
    ),
    Study(
        "scores: error, other folds",
        "honest",
        "seeds",
        "seed of honest",
        "^covered, repeated$",
        r"of ([\d,]+) data sets",
        keys=2,
        places="r",
    ),
    Study(
        "scores of many classes: error",
        "honest",
        "many_scores",
        "offsets holds|clearly best",
        "^held$",
        r"95 %, ([\d,]+) data sets",
        keys=3,
        places="r",
    ),
    Study(
        "scores that miss something: the upper limit (97.5 % asked)",
        "honest",
        "claims",
        "see part|is no cut|gold label",
        "^honest holds",
        r"feature that the score[^.]*\.[^.]*\.[^.]*\. ([\d,]+) data",
        keys=2,
        level=0.975,
        places="r",
    ),
    Study(
        "labels on some items: error",
        "powered",
        "judges",
        "Usual settings|Settings looked for",
        "^coverage$",
        r"shows, for ([\d,]+)\ssets",
        keys=4,
        places="r",
    ),
    Study(
        "labels on some items, hard ones less often",
        "powered",
        "judges",
        "labelled half as often",
        "^coverage$",
        r"--repeats ([\d,]+)`",
        keys=3,
        places="r",
    ),
    Study(
        "votes: error",
        "likelihood",
        "votes",
        "^Coverage of the 95 % intervals: likelihood, cert[a-z]*$",
        "^m = ",
        r"votes each, ([\d,]+) repetitions",
    ),
    Study(
        "votes: totals that differ for a reason, majorities",
        "likelihood",
        "votes",
        "^Why totals differ",
        "^coverage",
        r"1,000 items, ([\d,]+) repetitions. Written",
        places="r",
    ),
    Study(
        "votes for many classes: error",
        "likelihood",
        "votes",
        r"\(mean widths\)",
        "^m = ",
        r"1,000 items, ([\d,]+) repetitions. The",
    ),
    Study(
        "votes: annotators as a sample",
        "annotators",
        "annotators",
        "votes per item",
        "guess",
        r"items, ([\d,]+) repetitions, 144",
        part=1,
        places="hrc",
    ),
    Study(
        "votes: annotators, settings made to break it",
        "annotators",
        "annotators",
        "^Settings looked for|do not differ",
        "^annotators$",
        r"items, ([\d,]+) repetitions, 144",
        places="r",
    ),
    Study(
        "votes for many classes: annotators",
        "annotators",
        "annotators",
        "^More than two classes",
        "^annotators$",
        r"unless said otherwise, ([\d,]+) repetitions",
        places="r",
    ),
    Study(
        "soft labels: other metrics",
        "default",
        "metrics",
        "^By distribution",
        ".",
        r"`: ([\d,]+) data sets of each",
        "jackknife",
        2,
    ),
    Study(
        "scores: other metrics",
        "honest",
        "metrics",
        "^From scores with labels",
        r"^(cost|bal|f1|mcc|auc|ave|brier|log|err|cov)[^()]*(\(\d+, \d+\))?$",
        r"ties. ([\d,]+) data sets each",
        r"\(",
        2,
    ),
    Study(
        "scores of many classes: other metrics",
        "honest",
        "metrics",
        "^Scores of many classes",
        ".",
        r"by class and decision. ([\d,]+) data sets",
        keys=2,
    ),
    Study(
        "votes: other metrics",
        "likelihood",
        "metrics",
        "95 % intervals, two classes",
        ".",
        r"48 settings, ([\d,]+) repetitions",
        keys=3,
    ),
    Study(
        "votes for many classes: other metrics",
        "likelihood",
        "metrics",
        "95 % intervals, many classes",
        ".",
        r"15 settings, ([\d,]+) repetitions",
        keys=3,
    ),
    Study(
        "votes: average precision, items of few kinds",
        "likelihood",
        "metrics",
        "items of few kinds",
        "^coverage$",
        r"500 items, ([\d,]+) data sets each",
        keys=2,
        places="r",
    ),
    Study(
        "weights and clusters: soft labels",
        "betting",
        "weights",
        "soft labels, `betting`",
        ".",
        r"There are ([\d,]+) samples each",
        places="hrc",
    ),
    Study(
        "weights and clusters: scores, all metrics",
        "honest",
        "weights",
        "scores, `honest`",
        ".",
        r"There are ([\d,]+) samples each",
        places="hrc",
    ),
    Study(
        "weights: scores, error",
        "certified",
        "weights",
        "scores, `certified`",
        ".",
        r"and ([\d,]+) for `certified`",
        places="hrc",
    ),
    Study(
        "weights and clusters: votes, error",
        "likelihood",
        "weights",
        "^three votes, `likelihood`",
        ".",
        r"and ([\d,]+) for `certified`",
        places="hrc",
    ),
    Study(
        "weights and clusters: soft labels",
        "jackknife",
        "weights",
        "soft labels, `jackknife`",
        ".",
        r"each, ([\d,]+) for `jackknife`",
        places="hrc",
    ),
    Study(
        "weights: one item in fifty or a hundred is very heavy",
        "honest",
        "weights",
        "^Heavy items",
        "^scores, `honest`",
        r"([\d,]+) samples each \(two",
        keys=2,
        places="r",
    ),
    Study(
        "weights: soft labels, weights with a Pareto tail",
        "jackknife",
        "weights",
        "^Heavy items",
        "^soft labels, `jackknife`",
        r"([\d,]+) samples each \(two",
        rows=r"^\| Pareto",
        keys=2,
        places="r",
    ),
    Study(
        "ratings: R2, correlation, QWK",
        "default",
        "ratings",
        "^R2, and",
        "^ICC",
        r"([\d,]+) samples of each setting",
        keys=3,
    ),
    Study(
        "ratings: true scores with a heavy tail",
        "default",
        "ratings",
        "heavy tail",
        "^ICC",
        r"([\d,]+) samples of each setting",
        keys=3,
    ),
    Study(
        "ratings: MSE",
        "default",
        "ratings",
        "^MSE",
        "^ICC",
        r"([\d,]+) samples of each setting",
        keys=3,
    ),
    Study(
        "ratings: shared raters",
        "default",
        "ratings",
        "^Shared raters",
        "^ICC",
        r"([\d,]+) samples of each setting",
    ),
    Study(
        "people: agreement, models, worth, differences",
        "default",
        "people",
        "^People and models|^One in five",
        "^(A|best|M|diff|worth)",
        r"is [\d.]+ with ([\d,]+) samples",
        keys=2,
    ),
    Study(
        "people: difference of two floors",
        "default",
        "people",
        "^Two floors",
        "^held$",
        r"in\s([\d,]+) samples each",
        places="r",
    ),
    Study(
        "two models on the same items: the difference",
        "paired",
        "models",
        "^All metrics",
        "^coverage$",
        r"([\d,]+) samples each",
        keys=2,
        places="r",
    ),
)
VERDICTS = (
    Study(
        "the best model has room, or is too good: floors from votes",
        "",
        "headroom",
        "^Floors from few votes",
        "^false",
        r"\| ([\d,]+) \|\n",
        keys=3,
        level=0.025,
    ),
    Study(
        "the same, floors from complete scores",
        "",
        "headroom",
        "^Floors from complete",
        "^false",
        r"\| ([\d,]+) \|\n",
        "isotonic-cf",
        keys=2,
        level=0.025,
    ),
    Study(
        "the best model has room: predictions on the same items",
        "",
        "headroom",
        "^Floor and model on the same",
        "^room$",
        r"([\d,]+) repetitions; nominal",
        "best|coin",
        level=0.025,
        places="r",
    ),
    Study(
        "the best model has room: people and models",
        "",
        "people",
        "^Who can still improve",
        "^best model$",
        r"right. ([\d,]+) samples each",
        level=0.025,
        places="r",
    ),
    Study(
        "one of six equal models is better",
        "",
        "people",
        "^Six equal models",
        "^some order",
        r"0\.05. ([\d,]+) samples each",
        level=0.05,
        places="r",
    ),
    Study(
        "one of two equal models is better, with one label per item",
        "",
        "models",
        "^All metrics",
        "^shown$",
        r"([\d,]+) samples each",
        "equal models",
        keys=2,
        level=0.05,
        places="r",
    ),
)
