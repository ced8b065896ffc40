"""What changes in the paper's comparison with better parts, on its own sets and settings.

Run `python -m benchmarks.findings` to write benchmarks/results/findings.md: some minutes. It needs
ERRORFLOOR_DATA.
"""

from __future__ import annotations

import argparse
import textwrap
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import errorfloor as ef
from benchmarks import RESULTS
from errorfloor._typing import Counts, Floats
from errorfloor.bounds import exact_bias
from errorfloor.datasets.catalogue import IN_PAPER, SETS
from errorfloor.datasets.synthetic import Synthetic, gaussian_mixture, label_flips
from errorfloor.methods.record import Clip
from papers import figure_9, figure_10
from papers._settings import (
    CALIBRATORS,
    CLIP,
    DISTORTION,
    ITEMS,
    RESAMPLES,
    VOTES,
)
from papers.table_feebee import SETTINGS, Setting

DOCUMENT = RESULTS / "findings.md"
VOTED_SETS = SETS[:5]
CLIPS: tuple[Clip, Clip] = (CLIP, "auto")
# Distance of the two classes and items; the first three are the paper's distribution.
COVERED = ((8**0.5, 200), (8**0.5, 1000), (8**0.5, ITEMS), (5.0, 1000))
FEW = 3  # votes per item, of thinned tables
TRUTH = gaussian_mixture(1, rng=0).floor  # of the synthetic set


@dataclass(frozen=True)
class Effort:
    """How often each part is repeated."""

    feebee: int = 100
    data_sets: int = 40
    coverage: int = 400
    bias_curves: int = 10
    bias_runs: int = 1000  # a curve, as in the paper
    thinnings: int = 50


def main() -> None:
    """Run all parts and write the document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=DOCUMENT)
    options = parser.parse_args()
    options.output.parent.mkdir(exist_ok=True)
    options.output.write_text(document(Effort()))
    print(f"wrote {options.output}")


def document(effort: Effort) -> str:
    """Return the findings as Markdown."""
    parts = (_clipping, _variants, _intervals, _exact_bias, _votes)
    sections = []
    for part in parts:
        start = time.perf_counter()
        sections.append(part(effort))
        print(f"{part.__name__}: {time.perf_counter() - start:.0f} s", flush=True)
    return _wrapped("\n\n".join((INTRODUCTION, *sections))) + "\n"


INTRODUCTION = f"""# Beyond the print

The paper's comparison again, on its own sets and settings, with one part exchanged at a time.
Written by `python -m benchmarks.findings`. Floors are in per cent, ± is one standard error. The
synthetic set has {ITEMS:,} items and a true floor of
{100 * TRUTH:.2f} %. "Clipped at epsilon" is clipping at
{CLIP:.1e}, as betacal and so the paper does it. As in the paper, scores are
taken for complete."""


def _clipping(effort: Effort) -> str:
    lower, higher, lines, changes = [], [], [], []
    moved: dict[str, tuple[float, float]] = {}
    ahead = np.zeros(2, dtype=int)
    for name, setting in SETTINGS.items():
        table = IN_PAPER[name].load().score_table
        floors = [_floor(table, "beta", clip) for clip in CLIPS]
        before, after = (_feebee(setting, clip, effort) for clip in CLIPS)
        change = after.runs("beta") - before.runs("beta")
        error = change.std(ddof=1) / np.sqrt(change.size)
        changes.append(float(change.mean()))
        if change.mean() < -2 * error:
            lower.append(name)
        elif change.mean() > 2 * error:
            higher.append(name)
        moved[name] = (floors[0], floors[1])
        ahead += [found["beta"].score < found["isotonic"].score for found in (before, after)]
        at_ends = (table.negatives + table.positives)[np.isin(table.scores, (0, 1))].sum()
        lines.append(
            [
                name,
                f"{100 * at_ends / table.n:.1f} %",
                _percent(_floor(table, "isotonic", CLIP)),
                *map(_percent, floors),
                f"{before['beta'].score:.5f}",
                f"{after['beta'].score:.5f}",
                f"{error:.5f}",
                f"{after['isotonic'].score:.5f}",
            ]
        )
    head = ["set", "scores of 0 or 1", "isotonic", "beta, epsilon", "beta, automatic"]
    head += ["FeeBee, epsilon", "FeeBee, automatic", "± of the change", "FeeBee, isotonic"]
    far = max(moved, key=lambda name: abs(moved[name][0] - moved[name][1]))
    return f"""## Beta with automatic clipping

Beta calibration takes logarithms of scores, so exact zeros and ones have to be moved inward. At
epsilon they sit at log-odds of ±36 and pull the fit. `clip="auto"`, the default, moves them half
as far in as the nearest score that is neither.

{_markdown(head, lines)}

- Automatic clipping lowers beta's FeeBee score on {len(lower)} of {len(lines)} sets and raises it
  on {len(higher)} ({", ".join(higher) or "none"}), by more than two standard errors of the change
  on the same noise; on the other {len(lines) - len(lower) - len(higher)} it changes nothing that
  could be told ({effort.feebee} repeats). The largest change down is {min(changes):+.5f}, the
  largest up {max(changes):+.5f}.
- Beta's score is below isotonic's on {ahead[0]} of {len(lines)} sets with epsilon, and on
  {ahead[1]} with automatic clipping.
- Without added noise the floors hardly differ: most on {far}, from {_percent(moved[far][0])} % to
  {_percent(moved[far][1])} %.

{_few_votes(effort)}"""


def _few_votes(effort: Effort) -> str:
    columns = ("isotonic", "beta, epsilon", "beta, automatic", "platt")
    lines = []
    worst: dict[float, tuple[float, float]] = {}
    for a, b in figure_10.SETTINGS:
        off = []
        for m in figure_10.VOTES:
            found = [
                (
                    _floor(seen, "isotonic", CLIP),
                    _floor(seen, "beta", CLIP),
                    _floor(seen, "beta", "auto"),
                    _floor(seen, "platt", CLIP),
                )
                for seed, data in _data_sets(effort)
                for seen in [data.corrupted(a, b).voted(m, rng=_votes_rng(seed, m)).score_table]
            ]
            mean, error = _mean(found)
            off.append(np.abs(mean - TRUTH))
            lines.append([f"{a:g}", f"{m}", *map(_with_error, mean, error)])
        worst[a] = tuple(np.max(off, axis=0)[1:3])
    return f"""Figure 10 of the paper draws votes from distorted probabilities and finds beta
poor, the more so the more votes there are where the distortion is flat at the ends (a = 0.4). The
mean of {effort.data_sets} synthetic sets:

{_markdown(["a", "votes", *columns], lines)}

- With a = 0.4, beta clipped at epsilon is off the true floor by up to
  {100 * worst[0.4][0]:.2f} points, and with automatic clipping by up to
  {100 * worst[0.4][1]:.2f}; with a = 2 by up to {100 * worst[2.0][0]:.2f} and
  {100 * worst[2.0][1]:.2f}, the latter at 3 votes, where isotonic is no better.
- So what the figure shows of beta is mostly its library's clipping. What is left of beta's error at
  a = 0.4 is of the other sign: it is too low, and isotonic is closer."""


def _variants(effort: Effort) -> str:
    methods = CALIBRATORS
    lines, misses = [], []
    for a, b in figure_9.SETTINGS:
        found = [
            [_floor(table, method, CLIP) for method in methods]
            for _, data in _data_sets(effort)
            for table in [data.corrupted(a, b).score_table]
        ]
        mean, error = _mean(found)
        off = 100 * (mean - TRUTH)
        misses.append(dict(zip(methods, off, strict=True)))
        lines.append([f"{a:g}", f"{b:g}", *(f"{x:+.2f}" for x in off)])
    typical = 100 * float(error.max())
    noisy = _noisy_order(effort)
    worst = {
        method: f"{max((off[method] for off in misses), key=abs):+.2f} points" for method in methods
    }
    return f"""## Beta variants as they are defined

In the paper's released code beta-am, beta-ab and beta-a all run plain beta, so its figures and
tables print one method four times. Fitted as defined, beta-ab and beta-a keep the score 1/2 at
1/2, which the distortions with b = 0.7 and 0.9 do not. Mean error in points under the six
distortions of figure 9, over {effort.data_sets} synthetic sets (standard errors up to
{typical:.2f}):

{_markdown(["a", "b", *methods], lines)}

- The paper says that its calibrated estimates keep close to the floor under all six. That holds
  for isotonic (at most {worst["isotonic"]}), histograms (hist-10:
  {worst["hist-10"]}), beta ({worst["beta"]}) and beta-am
  ({worst["beta-am"]}). It does not for beta-ab
  ({worst["beta-ab"]}) and beta-a ({worst["beta-a"]}), and platt
  is off by up to {worst["platt"]}.
- For figure 12 the paper says that beta and its variants never come close to the floor from
  {VOTES} votes per item, even in perfect order. At a = {DISTORTION[0]:g}, b = {DISTORTION[1]:g} we
  find, for a true {_percent(TRUTH)} %: {noisy}. So beta is further off than isotonic as the paper
  clips it, most of that goes with automatic clipping, and beta-ab and beta-a stay far off."""


def _noisy_order(effort: Effort) -> str:
    cases: dict[str, tuple[str, Clip]] = {
        "isotonic": ("isotonic", CLIP),
        "beta, epsilon": ("beta", CLIP),
        "beta, automatic": ("beta", "auto"),
        "beta-ab, automatic": ("beta-ab", "auto"),
        "beta-a, automatic": ("beta-a", "auto"),
    }
    found = []
    for seed, data in _data_sets(effort):
        seen = data.corrupted(*DISTORTION).voted(VOTES, rng=_votes_rng(seed, VOTES))
        found.append([_floor(seen.score_table, *case) for case in cases.values()])
    return "; ".join(
        f"{name} {_with_error(*pair)} %" for name, *pair in zip(cases, *_mean(found), strict=True)
    )


def _intervals(effort: Effort) -> str:
    lines, ratios, above = [], [], 0
    for name in SETTINGS:
        table = IN_PAPER[name].load().score_table
        boot, honest = (
            ef.from_scores(table, interval=kind, n_resamples=RESAMPLES, rng=0)
            for kind in ("bca", "honest")
        )
        ratios.append(_width(honest) / _width(boot))
        above += (honest.high or 0) > (boot.high or 0)
        lines.append(
            [
                name,
                f"{table.n:,}",
                _percent(boot.value),
                _limits(boot),
                _limits(honest),
                f"{ratios[-1]:.2f}",
            ]
        )
    head = ["set", "items", "isotonic", "bootstrap (BCa)", "honest", "width, honest / BCa"]
    return f"""## Honest intervals next to the paper's bootstrap

In sample the best cut looks better than it is, and resampling repeats that. The honest interval
has an exact lower limit and a cross-fitted upper one.

{_markdown(head, lines)}

- The honest interval is {min(ratios):.2f} to {max(ratios):.2f} times as wide, in the middle
  {np.median(ratios):.2f}; its upper limit is the higher one on {above} of {len(lines)} sets.

{_coverage(effort)}"""


def _coverage(effort: Effort) -> str:
    lines = []
    shares: dict[tuple[str, str], list[str]] = {}
    for distance, n in COVERED:
        cases: dict[tuple[str, str], list[tuple[float, float]]] = {}
        for seed in range(effort.coverage):
            data = gaussian_mixture(n, means=((0.0,), (distance,)), rng=10**6 + seed)
            for case, limits in _covering(data, seed):
                cases.setdefault(case, []).append(limits)
        for case, found in cases.items():
            low, high = np.array(found).T
            held = float(np.mean((low <= data.floor) & (data.floor <= high)))
            error = np.sqrt(held * (1 - held) / effort.coverage)
            shares.setdefault(case, []).append(f"{100 * held:.1f}")
            lines.append(
                [
                    f"{_percent(data.floor)}",
                    f"{n:,}",
                    *case,
                    f"{100 * held:.1f} % ± {100 * error:.1f}",
                    f"{100 * np.mean(high - low):.2f}",
                ]
            )
    boot, honest = (shares["isotonic", kind] for kind in ("bca", "honest"))
    clean, betting = (shares["clean", kind] for kind in ("bca", "betting"))
    head = ["true floor", "items", "method", "interval", "holds the true floor", "width, points"]
    return f"""How often 95 % intervals hold the true floor, on {effort.coverage} synthetic sets of
each kind, with scores distorted by f(p; {DISTORTION[0]:g}, {DISTORTION[1]:g}). The last kind has
classes further apart, so that the best cut errs on about as few items as on CIFAR-10:

{_markdown(head, lines)}

- At the paper's own size the bootstrap of isotonic is right: it holds the floor in {boot[2]} %.
  With 1,000 items it does in {boot[1]} %, with 200 in {boot[0]} %, and in {boot[3]} % where errors
  are few. The honest interval holds it in {honest[2]}, {honest[1]}, {honest[0]} and {honest[3]} %,
  and is wider.
- From true probabilities the bootstrap holds the floor in {", ".join(clean)} %, and the betting
  interval, which is exact at any n, in {", ".join(betting)} %, in the order of the table."""


def _covering(data: Synthetic, seed: int) -> Iterator[tuple[tuple[str, str], tuple[float, float]]]:
    """Yield the limits of each interval on one set."""
    table = data.corrupted(*DISTORTION).score_table
    with warnings.catch_warnings():
        # The substitute for a degenerate bootstrap counts as what the user would have got.
        warnings.simplefilter("ignore", ef.DegenerateBootstrapWarning)
        methods = ("isotonic", "hist-10", "beta")
        for found in ef.compare(table, methods=methods, interval="bca", clip=CLIP, rng=seed):
            yield (found.method, "bca"), _ends(found)
        boot = ef.from_soft_labels(data.soft_labels, interval="bca", rng=seed)
    yield ("isotonic", "honest"), _ends(ef.from_scores(table, rng=seed))
    yield ("clean", "bca"), _ends(boot)
    yield ("clean", "betting"), _ends(ef.from_soft_labels(data.soft_labels, rng=seed))


def _exact_bias(effort: Effort) -> str:
    votes = np.array([10, 25, 50, 100, 250, 500, 1000])
    printed = {"(a) Gaussians": -0.9066, "(b) one Gaussian": -0.4970, "(c) label flips": -0.4228}
    slopes, lines = [], []
    hidden: dict[str, list[str]] = {}
    exact_time = simulated_time = 0.0
    for name, published in printed.items():
        points, weights, floor = _distribution(name)
        start = time.perf_counter()
        exact = np.array([-exact_bias(points, m, weights=weights) for m in votes])
        exact_time += time.perf_counter() - start
        start = time.perf_counter()
        runs = np.array(
            [
                _simulated(name, votes, floor, effort, np.random.default_rng(seed))
                for seed in range(effort.bias_curves)
            ]
        )
        simulated_time += (time.perf_counter() - start) / effort.bias_curves
        curve, noise = np.abs(runs[:, 0]), runs[:, 1].mean(axis=0)
        found = np.array([_slope(votes, one) for one in curve])
        slopes.append(
            [
                name,
                f"{published:.4f}",
                f"{_slope(votes, exact):.4f}",
                f"{found.mean():.4f}",
                f"{found.std(ddof=1):.4f}",
            ]
        )
        hidden[name] = [str(m) for m in votes[exact < noise]]
        lines += [
            [name, "exact", *(f"{x:.1e}" for x in exact)],
            [name, "± of 1,000 runs", *(f"{x:.1e}" for x in noise)],
        ]
    head = ["distribution", "printed", "exact", "simulated, mean of curves", "and their spread"]
    return f"""## Exact bias instead of simulated

Figure 7 of the paper averages {effort.bias_runs:,} runs of 2,000 items at each of seven numbers of
votes. `errorfloor.bounds.exact_bias` has the same bias in closed form. Size of the bias, and
standard error of one such simulation:

{_markdown(["distribution", "", *(f"m = {m}" for m in votes)], lines)}

Slopes of log bias over log votes by least squares, {effort.bias_curves} simulated curves each:

{_markdown(head, slopes)}

- One simulation's standard error exceeds the bias itself for (a) at {_listed(hidden, "(a)")},
  for (b) at {_listed(hidden, "(b)")}, for (c) at {_listed(hidden, "(c)")}.
- So one simulation tells the slope of (a) to ± {slopes[0][4]}, and the printed {slopes[0][1]}
  agrees with the exact {slopes[0][2]} within that. For (b) it is told to ± {slopes[1][4]}.
- For (c) the bias falls exponentially, and no power law holds. The printed slope is that of noise,
  whose size falls as one over the square root of m.
- All three exact curves take {1000 * exact_time:.0f} ms, the three simulated ones
  {simulated_time:.1f} s here, and about an hour each in the paper."""


def _listed(hidden: dict[str, list[str]], start: str) -> str:
    sizes = next(sizes for name, sizes in hidden.items() if name.startswith(start))
    return f"m = {', '.join(sizes)}" if sizes else "no m"


def _distribution(name: str) -> tuple[Floats, Floats, float]:
    """Return points and weights of the distribution of true probabilities, and the floor."""
    if name.startswith("(c)"):
        return np.array([0.1, 0.9]), np.array([0.5, 0.5]), 0.1
    distance = 8**0.5 if name.startswith("(a)") else 0.0
    place = np.linspace(-9, 9 + distance, 20_001)
    density = np.exp(-(place**2) / 2) + np.exp(-((place - distance) ** 2) / 2)
    odds = np.exp(distance * place - distance**2 / 2)
    floor = _drawn(name, 1, np.random.default_rng(0)).floor
    return odds / (1 + odds), density / density.sum(), floor


def _drawn(name: str, n: int, rng: np.random.Generator) -> Synthetic:
    if name.startswith("(c)"):
        return label_flips(n, rate=0.1, rng=rng)
    far = (2.0, 2.0) if name.startswith("(a)") else (0.0, 0.0)
    return gaussian_mixture(n, weights=(0.5, 0.5), means=((0.0, 0.0), far), rng=rng)


def _simulated(
    name: str, votes: Counts, floor: float, effort: Effort, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Return the bias at each number of votes as the paper simulates it, and standard errors."""
    items = 2000
    bias, error = [], []
    for m in votes:
        soft = _drawn(name, items * effort.bias_runs, rng).soft_labels
        share = rng.binomial(int(m), soft) / m
        estimates = np.minimum(share, 1 - share).reshape(effort.bias_runs, items).mean(axis=1)
        bias.append(estimates.mean() - floor)
        error.append(estimates.std(ddof=1) / np.sqrt(effort.bias_runs))
    return np.array(bias), np.array(error)


def _slope(votes: Counts, bias: Floats) -> float:
    return float(np.polyfit(np.log(votes), np.log(bias), 1)[0])


def _votes(effort: Effort) -> str:
    lines, numbers, held = [], [], []
    for real in VOTED_SETS:
        data = real.load()
        whole = ef.from_votes(data.vote_table)
        thinned = [
            ef.from_votes(_thinned(data.positives, data.totals, seed), FEW)
            for seed in range(effort.thinnings)
        ]
        inside = np.mean([(one.low or 0) <= whole.value <= (one.high or 0) for one in thinned])
        held.append(float(inside))
        few = [float(np.mean([getattr(one, of) for one in thinned])) for of in ("plugin", "value")]
        numbers.append((whole.plugin, whole.value, *few))
        totals = data.totals
        counts = f"{totals.min()} to {totals.max()}" if np.ptp(totals) else f"{totals[0]}"
        lines.append(
            [
                real.title,
                counts,
                _percent(whole.plugin),
                f"{_percent(whole.value)} ({_limits(whole)})",
                _mean_and_spread([one.plugin for one in thinned]),
                _mean_and_spread([one.value for one in thinned]),
                f"{_mean_of([one.low for one in thinned])} to "
                f"{_mean_of([one.high for one in thinned])}",
                f"{100 * inside:.0f} %",
            ]
        )
    head = ["set", "votes per item", "plug-in", "mixture (95 % limits)", f"plug-in, {FEW} votes"]
    head += [f"mixture, {FEW} votes", "its limits, mean", "hold the mixture of all votes"]
    all_plugin, all_mixture, plugin, mixture = 100 * np.array(numbers).T
    low, off = all_mixture - plugin, mixture - all_mixture
    return f"""## Votes through the mixture

The plug-in puts vote shares in place of probabilities and is too low. `from_votes` fits the
distribution behind the votes instead. Here all votes of each item, and {FEW} of them drawn without
replacement (mean and spread of {effort.thinnings} draws). This is the floor for guessing what
another annotator would say, not for the set's own labels, which the scores above are calibrated to.

{_markdown(head, lines)}

- With all votes plug-in and mixture nearly agree: they differ by at most
  {np.abs(all_mixture - all_plugin).max():.2f} points.
- With {FEW} votes the plug-in is {low.min():.2f} to {low.max():.2f} points below the mixture of all
  votes; the mixture of {FEW} votes is on average {off.min():+.2f} to {off.max():+.2f} points away
  from it, and the closer one on {np.count_nonzero(np.abs(off) < low)} of {len(lines)} sets.
- Limits from {FEW} votes hold the value from all votes in {100 * min(held):.0f} % of the draws or
  more. They are wide because {FEW} votes leave much open: any
  distribution with the same first {FEW} moments gives the same votes.

{_votes_on_synthetic(effort)}"""


def _votes_on_synthetic(effort: Effort) -> str:
    lines = []
    for m in (2, FEW, 5, 10, VOTES):
        found, inside = [], []
        for seed, data in _data_sets(effort):
            one = ef.from_votes(data.voted(m, rng=_votes_rng(seed, m)).vote_table)
            found.append((one.plugin, one.value))
            inside.append((one.low or 0) <= data.floor <= (one.high or 0))
        mean, error = _mean(found)
        lines.append([f"{m}", *map(_with_error, mean, error), f"{100 * np.mean(inside):.0f} %"])
    head = ["votes", "plug-in", "mixture", "limits hold the true floor"]
    return f"""On the synthetic set, whose floor is known to be
{100 * TRUTH:.2f} %, with votes from the true probabilities, the mean of
{effort.data_sets} sets:

{_markdown(head, lines)}"""


def _thinned(positives: Counts, totals: Counts, seed: int) -> Counts:
    rng = np.random.default_rng(seed)
    return rng.hypergeometric(positives, totals - positives, FEW)


def _data_sets(effort: Effort) -> Iterator[tuple[int, Synthetic]]:
    return ((seed, gaussian_mixture(ITEMS, rng=seed)) for seed in range(effort.data_sets))


def _votes_rng(seed: int, m: int) -> np.random.Generator:
    return np.random.default_rng([seed, m])  # apart from the stream that drew the items


def _floor(table: ef.ScoreTable, method: str, clip: Clip) -> float:
    return ef.from_scores(table, method=method, interval=None, clip=clip).value


def _feebee(setting: Setting, clip: Clip, effort: Effort) -> ef.FeeBeeResult:
    return setting.run(["isotonic", "beta"], repeats=effort.feebee, clip=clip)


def _mean(found: Sequence[Sequence[float]]) -> tuple[Floats, Floats]:
    """Return the mean of each column and its standard error."""
    rows = np.array(found)
    return rows.mean(axis=0), rows.std(axis=0, ddof=1) / np.sqrt(len(rows))


def _ends(found: ef.Estimate) -> tuple[float, float]:
    assert found.interval is not None
    return found.interval.low, found.interval.high


def _width(found: ef.Estimate) -> float:
    low, high = _ends(found)
    return high - low


def _limits(found: ef.Estimate) -> str:
    return " to ".join(map(_percent, _ends(found)))


def _percent(fraction: float) -> str:
    return f"{100 * fraction:.{3 if fraction < 0.01 else 2}f}"


def _with_error(mean: float, error: float) -> str:
    return f"{_percent(mean)} ± {100 * error:.{3 if mean < 0.01 else 2}f}"


def _mean_and_spread(values: Sequence[float]) -> str:
    return _with_error(float(np.mean(values)), float(np.std(values, ddof=1)))


def _mean_of(values: Sequence[float | None]) -> str:
    return _percent(float(np.mean([value for value in values if value is not None])))


def _wrapped(text: str) -> str:
    """Fill paragraphs and list items; leave headings and tables alone."""
    blocks = []
    for block in text.split("\n\n"):
        if block.startswith(("#", "|")):
            blocks.append(block)
            continue
        items = ("\n" + block).replace("\n- ", "\n\n- ").strip().split("\n\n")
        blocks.append("\n".join(map(_filled, items)))
    return "\n\n".join(blocks)


def _filled(item: str) -> str:
    indent = "  " if item.startswith("- ") else ""
    return textwrap.fill(
        " ".join(item.split()),
        99,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _markdown(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, rule, *lines))


if __name__ == "__main__":
    main()
