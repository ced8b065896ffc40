"""Coverage of ceilings from ratings where the truth is known, and what a model is said to reach.

Run `python -m benchmarks.ratings` to write benchmarks/results/ratings.md: some twenty minutes of
CPU. The reviews need ERRORFLOOR_DATA. `python -m benchmarks.ratings --speed` writes
benchmarks/RATINGS_SPEED.md instead.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

import errorfloor as ef
from benchmarks import RESULTS, realdata
from errorfloor._typing import Counts, Floats

DOCUMENT = RESULTS / "ratings.md"
SPEED = Path(__file__).parent / "RATINGS_SPEED.md"
SHARES = (0.0, 0.05, 0.3, 0.7, 0.95)
SIZES = (20, 50, 200)
RATINGS = ("2", "3", "5", "1-4")
GRID = np.linspace(-9, 9, 20_001)
DENSITY = np.exp(-(GRID**2) / 2) / np.exp(-(GRID**2) / 2).sum()


# Families --------------------------------------------------------------------------------------


def _exponential(rng: np.random.Generator, shape: Any) -> Floats:
    return np.asarray(rng.exponential(size=shape) - 1)


def _student(rng: np.random.Generator, shape: Any) -> Floats:
    return np.asarray(rng.standard_t(5, shape) / np.sqrt(5 / 3))


def _normal(rng: np.random.Generator, shape: Any) -> Floats:
    return np.asarray(rng.standard_normal(shape))


def _lognormal(rng: np.random.Generator, shape: Any) -> Floats:
    whole = math.sqrt((math.e - 1) * math.e)
    return np.asarray((rng.lognormal(0, 1, shape) - np.exp(0.5)) / whole)


@dataclass(frozen=True)
class Family:
    """A law of true scores and noise; with cuts, ratings on so many points more than there are."""

    true: Callable[[np.random.Generator, Any], Floats] = _normal
    noise: Callable[[np.random.Generator, Any], Floats] = _normal
    cuts: tuple[float, ...] = ()

    def draw(self, rng: np.random.Generator, share: float, n: int, m: int) -> Floats:
        """Return ratings, m of each item."""
        true = np.sqrt(share) * self.true(rng, (n, 1))
        whole = true + np.sqrt(1 - share) * self.noise(rng, (n, m))
        cut = np.searchsorted(self.cuts, whole).astype(np.float64) if self.cuts else whole
        return np.asarray(cut)

    def truth(self, share: float) -> tuple[float, float]:
        """Return the share of signal in a rating, and its noise."""
        if not self.cuts:
            return share, 1 - share
        cuts = np.array(self.cuts)[:, None]
        above = 1 - ndtr((cuts - np.sqrt(share) * GRID) / np.sqrt(1 - share))
        mean = above.sum(axis=0)
        square = ((2 * np.arange(len(cuts))[:, None] + 1) * above).sum(axis=0)
        signal = float(DENSITY @ mean**2 - (DENSITY @ mean) ** 2)
        noise = float(DENSITY @ (square - mean**2))
        return signal / (signal + noise), noise


FAMILIES = {
    "normal": Family(),
    "exponential": Family(_exponential, _exponential),
    "Student t, 5 df": Family(_student, _student),
    "five points, centred": Family(cuts=(-1.2, -0.4, 0.4, 1.2)),
    "five points, 84 % at one end": Family(cuts=tuple(ndtri([0.84, 0.92, 0.96, 0.985]))),
}
OTHERS = {
    "two points, even": Family(cuts=(0.0,)),
    "two points, 90 % at one": Family(cuts=(float(ndtri(0.9)),)),
    "lognormal true scores": Family(_lognormal, _normal),
}


def sizes_of(rng: np.random.Generator, ratings: str, n: int) -> Counts:
    """Return how many ratings each item has; two items at least have several."""
    low, _, high = ratings.partition("-")
    sizes = rng.integers(int(low), int(high or low) + 1, n)
    sizes[:2] = np.maximum(sizes[:2], 2)
    return sizes


def drawn(rng: np.random.Generator, family: Family, share: float, n: int, ratings: str) -> Floats:
    """Return an array of ratings, NaN where there is none."""
    sizes = sizes_of(rng, ratings, n)
    values = family.draw(rng, share, n, int(sizes.max()))
    return np.where(np.arange(values.shape[1]) < sizes[:, None], values, np.nan)


@dataclass(frozen=True)
class Held:
    """How often limits held the truth, how wide they were, and of how many samples."""

    share: float
    width: float
    runs: int

    @property
    def error(self) -> float:
        """Standard error of a coverage of 0.94."""
        return float(np.sqrt(0.94 * 0.06 / max(self.runs, 1)))


def held(results: Iterable[Any], truth: float) -> Held:
    """Count how often the limits of results hold the truth."""
    limits = np.array([(one.low, one.high) for one in results]).reshape(-1, 2)
    inside = (limits[:, 0] <= truth + 1e-12) & (truth - 1e-12 <= limits[:, 1])
    return Held(float(inside.mean()), float(np.ptp(limits, axis=1).mean()), len(limits))


def estimates(
    family: Family, share: float, n: int, ratings: str, runs: int, **asked: Any
) -> Iterable[Any]:
    """Yield estimates of fresh samples; those without any spread are refused and left out."""
    rng = np.random.default_rng([n, runs, len(ratings), int(1000 * share), len(family.cuts)])
    for _ in range(runs):
        try:
            yield ef.from_ratings(drawn(rng, family, share, n, ratings), **asked)
        except ef.InputError:
            continue


def covered(
    families: dict[str, Family],
    runs: int,
    metric: str = "r2",
    sizes: Sequence[int] = SIZES,
    ratings: Sequence[str] = RATINGS,
    **asked: Any,
) -> dict[tuple[str, int, str, float], Held]:
    """Return the coverage of all settings."""
    found = {}
    for (name, family), n, m, share in product(families.items(), sizes, ratings, SHARES):
        rho, noise = family.truth(share)
        truth = noise if metric == "mse" else rho
        results = estimates(family, share, n, m, runs, metric=metric, **asked)
        found[name, n, m, share] = held(results, truth)
    return found


# Shared raters, models, reviews ----------------------------------------------------------------


DESIGNS = ((3, 3), (4, 4), (5, 5), (8, 3), (12, 12), (20, 2), (20, 20))
BIASES = ((0.3, 0.1), (0.3, 0.3), (0.6, 0.1), (0.6, 0.3))


def shared(raters: int, each: int, share: float, bias: float, runs: int, n: int = 100) -> Held:
    """Return the coverage with so many raters in all and on each item."""
    rng = np.random.default_rng([raters, each, int(100 * share), int(100 * bias)])
    found = []
    for _ in range(runs):
        own = np.sqrt(share) * rng.standard_normal((n, 1))
        off = np.sqrt(bias) * rng.standard_normal((1, raters))
        values = own + off + np.sqrt(1 - share - bias) * rng.standard_normal((n, raters))
        kept = np.argsort(rng.random((n, raters)), axis=1) < each
        found.append(ef.from_ratings(np.where(kept, values, np.nan), rater=True))
    return held(found, share)


def model(
    metric: str, n: int, m: int, share: float, quality: float, runs: int
) -> tuple[float, float, float, float]:
    """Return how often limits of share and worth hold, and "room" and "beyond" are said.

    The prediction is the best one of the true score from a view with this correlation to it.
    """
    rng = np.random.default_rng([n, m, int(100 * share), int(100 * quality), len(metric)])
    inside = worth = room = beyond = 0
    true_share = quality**2 if metric in ("r2", "mse") else quality
    if metric == "qwk":
        signal = quality**2 * share
        true_share = 2 * signal / (signal + 1) / np.sqrt(share)
    people = np.inf
    if quality < 1:
        people = quality**2 * (1 - share) / (share * (1 - quality**2))
    for _ in range(runs):
        true = np.sqrt(share) * rng.standard_normal(n)
        values = true[:, None] + np.sqrt(1 - share) * rng.standard_normal((n, m))
        blur = np.sqrt(quality**2 * (1 - quality**2) * share) * rng.standard_normal(n)
        found = ef.headroom(values, predictions=quality**2 * true + blur, metric=metric)
        assert found.share is not None
        assert found.worth is not None
        inside += found.share.low <= true_share + 1e-9 and true_share - 1e-9 <= found.share.high
        worth += found.worth.low <= people <= found.worth.high
        room += found.verdict == "room"
        beyond += found.verdict == "beyond"
    return inside / runs, worth / runs, room / runs, beyond / runs


def reviews(path: Path) -> list[list[float]]:
    """Return the ratings of each paper of a year."""
    import csv

    with path.open(encoding="utf-8") as file:
        rows = [row["ratings"].split(";") for row in csv.DictReader(file)]
    return [[float(one) for one in row if one and one != "nan"] for row in rows]


def thinned(papers: list[list[float]], runs: int) -> tuple[Any, float]:
    """Return the answer from all reviews, and how often two of each paper hold it."""
    whole = ef.from_ratings([row for row in papers if row], metric="qwk")
    rng = np.random.default_rng(0)
    several = [np.array(row) for row in papers if len(row) > 1]
    # The papers with several reviews are those that thinning keeps.
    target = ef.from_ratings([row.tolist() for row in several], metric="qwk", interval=None).value
    found = 0
    for _ in range(runs):
        two = [rng.choice(row, 2, replace=False).tolist() for row in several]
        one: Any = ef.from_ratings(np.array(two), metric="qwk")
        found += one.low <= target <= one.high
    return whole, found / runs


def best_of_many(rng: np.random.Generator, share: float, models: int = 1000) -> tuple[float, float]:
    """Return the best R2 of random models in the population, and the ceiling."""
    n = 200_000
    true = np.sqrt(share) * rng.standard_normal(n)
    rating = true + np.sqrt(1 - share) * rng.standard_normal(n)
    best = -np.inf
    for _ in range(models):
        prediction = rng.uniform(0, 1.5) * true + rng.uniform(0, 0.5) * rng.standard_normal(n)
        best = max(best, 1 - float(((rating - prediction) ** 2).mean() / rating.var()))
    return best, share


# The document ----------------------------------------------------------------------------------


def _markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(head)} |", f"| --- |{' ---: |' * (len(head) - 1)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def table(found: dict[tuple[str, int, str, float], Held]) -> str:
    """Return coverages by family, size and ratings: the least over shares of signal, and width."""
    shares = sorted({key[3] for key in found})
    rows = []
    for name, n, m in dict.fromkeys(key[:3] for key in found):
        own = [found[name, n, m, share] for share in shares]
        width = np.mean([one.width for one in own])
        rows.append((name, f"{n}", m, *(f"{one.share:.3f}" for one in own), f"{width:.2f}"))
    head = ("ratings are", "items", "each", *(f"ICC {share:g}" for share in shares), "mean width")
    return _markdown(head, rows)


def summary(found: dict[tuple[str, int, str, float], Held]) -> str:
    """Say how many settings reach 0.94, and the least of all."""
    low = [key for key, one in found.items() if one.share < 0.94]
    far = [key for key, one in found.items() if one.share < 0.94 - 2 * one.error]
    least = min(found, key=lambda key: found[key].share)
    name, n, m, share = least
    return (
        f"{len(found) - len(low)} of {len(found)} settings reach 0.94, and {len(far)} are below it "
        f"by more than two standard errors. The least is {found[least].share:.3f} ({name}, {n} "
        f"items, {m} ratings each, ICC {share:g})."
    )


def document(parts: dict[str, str], runs: int) -> str:
    """Return the page."""
    error = np.sqrt(0.94 * 0.06 / runs)
    return f"""# Coverage of ceilings from ratings

Written by `python -m benchmarks.ratings`. True scores and noise are known, so that the ceiling is.
A 95 % interval of R2 is asked for; the limits of every other ceiling for the same label are rising
functions of these, and hold as often. {runs} samples of each setting: the standard error of a
coverage of 0.94 is {error:.3f}. The ICC of ratings on points is that of the ratings before they
are cut; the truth that limits are compared with is that of the points.

The rules behind the limits (a standard error at least that of normal ratings, Student's t by
kurtosis, one more item) were tuned on these families, and measured here on fresh samples.

## R2, and with it Pearson, QWK and CCC

{parts["r2"]}

## Two points, and true scores with a heavy tail

Lognormal true scores are where limits fail: a few items have most of the variance, and a sample
that holds none of them does not show it. A finding warns where one item has a third of it; take
logarithms of such ratings.

{parts["others"]}

## MSE

{parts["mse"]}

## Certified limits

Centred five points, 200 items, with the scale given.

{parts["certified"]}

## Shared raters

100 items; true scores, biases of raters and noise are normal, and a rating has a variance of 1.
Coverage of the R2 ceiling for one more rater (mean width).

{parts["shared"]}

## Models next to the ceiling

Normal ratings, and a model with this correlation to the true score. How often the limits of the
share of the ceiling and of the worth in people hold the truth, and how often "room" and "beyond"
are said. Of a perfect model (1) each should be rare, but for QWK: the true score has room there,
as stretched predictions are better.

{parts["models"]}

## Reviews of papers

All reviews of a year of ICLR; then two of each paper at random, {parts["thinnings"]} times: how
often their limits hold the ceiling from all reviews of the papers that have two or more.

{parts["reviews"]}

## No model beats the ceiling

The best R2 of 1,000 random models on 200,000 fresh ratings, some of them perfect, is
{parts["best"]}.
"""


def write(runs: int, output: Path) -> None:
    """Run everything and write the document."""
    parts = {}
    found = covered(FAMILIES, runs)
    parts["r2"] = f"{summary(found)}\n\n{table(found)}"
    print(summary(found), flush=True)
    others = covered(OTHERS, runs // 2, ratings=("2", "3", "5"))
    parts["others"] = f"{summary(others)}\n\n{table(others)}"
    print(summary(others), flush=True)
    noise = covered(FAMILIES, runs // 2, "mse", sizes=(50, 200))
    parts["mse"] = f"{summary(noise)}\n\n{table(noise)}"
    print(summary(noise), flush=True)
    centred = {name: FAMILIES[name] for name in ("five points, centred",)}
    sure = covered(
        centred, max(runs // 8, 1), sizes=(200,), ratings=("2", "3", "5"),
        interval="certified", scale=(0, 4),
    )  # fmt: skip
    parts["certified"] = table(sure)
    parts["shared"] = _table_of_shared(runs // 2)
    print(parts["shared"], flush=True)
    parts["models"] = _table_of_models(runs)
    print(parts["models"], flush=True)
    thinnings = max(runs // 10, 1)
    parts["thinnings"], parts["reviews"] = f"{thinnings}", _table_of_reviews(thinnings)
    best, ceiling = best_of_many(np.random.default_rng(0), 0.4)
    parts["best"] = f"{best:.4f} where the ceiling is {ceiling:.4f}"
    output.write_text(document(parts, runs))
    print(f"wrote {output}")


PARTS: dict[str, tuple[str, Callable[[int], str]]] = {
    "shared": ("## Shared raters", lambda runs: _table_of_shared(runs // 2)),
    "models": ("## Models next to the ceiling", lambda runs: _table_of_models(runs)),
}


def renew(part: str, runs: int, output: Path) -> None:
    """Write the table of one part of the document again."""
    heading, make = PARTS[part]
    before, found, after = output.read_text().partition(f"{heading}\n")
    assert found, heading
    own, mark, rest = after.partition("\n## ")
    words = own[: own.index("\n|")]
    output.write_text(f"{before}{heading}\n{words}\n{make(runs)}\n{mark}{rest}")


def _table_of_shared(runs: int) -> str:
    rows = []
    for raters, each in DESIGNS:
        own = [shared(raters, each, *pair, runs) for pair in BIASES]
        cells = (f"{one.share:.3f} ({one.width:.2f})" for one in own)
        rows.append((f"{raters} raters, {each} on each item", *cells))
    head = ("design", *(f"ICC {share:g}, bias {bias:g}" for share, bias in BIASES))
    return _markdown(head, rows)


def _table_of_models(runs: int) -> str:
    rows = []
    for metric, quality in product(("r2", "mse", "pearson", "qwk", "spearman"), (1.0, 0.8)):
        for n, m, share in ((50, 2, 0.3), (150, 3, 0.5), (400, 2, 0.7)):
            found = model(metric, n, m, share, quality, runs)
            about = (metric, f"{quality:g}", f"{n}", f"{m}", f"{share:g}")
            rows.append((*about, *(f"{one:.3f}" for one in found)))
    head = ("metric", "model", "items", "ratings", "ICC", "share held", "worth held")
    return _markdown((*head, '"room"', '"beyond"'), rows)


def _table_of_reviews(thinnings: int) -> str:
    folder = realdata.folder()
    if folder is None:
        return "Not run: ERRORFLOOR_DATA names no folder."
    rows = []
    for year in range(2017, 2026):
        papers = reviews(Path(folder) / "iclr" / f"iclr_{year}.csv")
        found, often = thinned(papers, thinnings)
        limits = f"{found.low:.3f} to {found.high:.3f}"
        rows.append(
            (f"{year}", f"{found.n:,}", f"{found.icc:.3f}", f"{found.value:.3f}", limits,
             f"{often:.2f}")
        )  # fmt: skip
    head = ("year", "papers", "ICC", "ceiling of QWK", "95 % interval", "held by two reviews")
    return _markdown(head, rows)


# Speed -----------------------------------------------------------------------------------------


def measure() -> dict[str, float]:
    """Return seconds of CPU for a million ratings in arrays, a file, and of shared raters."""
    rng = np.random.default_rng(0)
    n = 1_000_000 // 4
    true = rng.standard_normal((n, 1))
    values = np.round(true + rng.standard_normal((n, 4)), 3)
    found: dict[str, float] = {}

    def timed(name: str, ask: Callable[[], Any]) -> None:
        start = time.process_time()
        ask()
        found[name] = time.process_time() - start

    timed("array of 250,000 items with 4 ratings", lambda: ef.from_ratings(values))
    five = np.clip(np.round(values + 3), 1, 5)
    timed("the same on five points", lambda: ef.from_ratings(five))
    item = np.repeat(np.arange(n), 4)
    rater = rng.integers(0, 3000, n * 4)
    rater = np.where(
        np.arange(n * 4) % 4 > 0, (rater // 4) * 4 + np.arange(n * 4) % 4, rater // 4 * 4
    )
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "ratings.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write("item,rater,rating\n")
            rows = zip(item.tolist(), rater.tolist(), values.ravel().tolist(), strict=True)
            file.writelines(f"i{a},r{b},{c}\n" for a, b, c in rows)
        timed("CSV with a row for each rating", lambda: ef.from_ratings(path, rater=False))
        timed("the same with 3,000 shared raters", lambda: ef.from_ratings(path))
    return found


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--output", type=Path, default=DOCUMENT)
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--only", choices=list(PARTS), help="write one table of the document again")
    options = parser.parse_args()
    warnings.simplefilter("ignore", ef.ErrorFloorWarning)
    if options.only is not None:
        renew(options.only, options.runs, options.output)
        return
    if not options.speed:
        write(options.runs, options.output)
        return
    found = measure()
    rows = [(name, f"{seconds:.1f}") for name, seconds in found.items()]
    text = _markdown(("a million ratings", "seconds of CPU"), rows)
    about = "Written by `python -m benchmarks.ratings --speed`, on one core of a virtual machine."
    SPEED.write_text(f"# Speed of ceilings from ratings\n\n{about}\n\n{text}\n")
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
