"""FeeBee on all sets of the paper, next to its printed scores, with noise told from difference.

Run `python -m benchmarks.feebee`, or `make feebee`, to write benchmarks/results/feebee.md: some
minutes. It needs ERRORFLOOR_DATA. With `--keep-speed` the document keeps the times that it has.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

import errorfloor as ef
from benchmarks import RESULTS, realdata, reference
from benchmarks.speed import machine
from errorfloor._typing import Floats
from errorfloor.datasets import load_iclr
from errorfloor.datasets.catalogue import IN_PAPER
from errorfloor.methods.record import Clip
from papers.table_feebee import EPS, METHODS, SETTINGS, UNWEIGHTED, VARIANTS, Setting

DOCUMENT = RESULTS / "feebee.md"
BETAS = ("beta", "beta-am", "beta-ab", "beta-a")
LIMIT = 3  # standard errors of one run

Results: TypeAlias = dict[str, ef.FeeBeeResult]


def main() -> None:
    """Run all sets and write the document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=200)
    parser.add_argument("--output", type=Path, default=DOCUMENT)
    parser.add_argument("--keep-speed", action="store_true", help="keep the times of the document")
    options = parser.parse_args()
    speed = _kept(options.output) if options.keep_speed else _speed()
    print(speed, flush=True)
    as_printed = _run_all(METHODS, options.repeats, EPS)
    clipped = _run_all(METHODS, options.repeats, "auto")
    options.output.parent.mkdir(exist_ok=True)
    options.output.write_text(document(as_printed, clipped, speed))
    print(f"wrote {options.output}")


def _kept(path: Path) -> str:
    return path.read_text(encoding="utf-8").split("\n## Speed\n\n")[1].strip()


def _run_all(methods: Sequence[str], repeats: int, clip: Clip) -> Results:
    return {
        name: setting.run(methods, repeats=repeats, clip=clip) for name, setting in SETTINGS.items()
    }


def z_score(result: ef.FeeBeeResult, method: str, printed: float) -> float:
    """Return how many standard errors of one run a printed score is away from the mean of ours."""
    runs = result.runs(method)
    error = runs.std(ddof=1) * np.sqrt(1 + 1 / runs.size)
    off = max(abs(printed - runs.mean()) - 5e-6, 0)  # as far as five decimals tell
    return float(np.sign(printed - runs.mean()) * off / error)


def redraw(labels: NDArray[np.bool_], noise: float, rng: np.random.Generator) -> Floats:
    """Redraw labels item by item, as the reference has to."""
    redrawn = rng.random(labels.size) < noise
    return np.where(redrawn, rng.random(labels.size) < 0.5, labels).astype(np.float64)


def document(as_printed: Results, clipped: Results, speed: str) -> str:
    """Return the results as Markdown."""
    repeats = next(iter(as_printed.values())).repeats
    example = ["isotonic", "hist-10", "beta", "platt"]
    shown = SETTINGS["CIFAR-10"].run(example, repeats=10, clip="auto")
    return f"""# FeeBee: which estimator follows label noise

{INTRODUCTION}
    methods = {example}
    print(ef.feebee(scores, labels, methods=methods, model_error=0.0005, rng=0))  # CIFAR-10H

{_indented(str(shown))}

`result["beta"]` has the score with its parts, `result.curve("beta")` the mean estimate at each
level of noise with its band and bounds, `result.difference("beta", "platt")` the paired difference
with its interval, and `result.to_dict()` and `result.to_frame()` everything for other programs. A
method can be any function from a `ScoreTable` to a number:
`methods={{"mine": function, "isotonic": "isotonic"}}`.

Written by `python -m benchmarks.feebee`: {repeats} repeats of 101 levels of noise, the same
noise for all methods.

## Next to the paper's table

Scores clipped at {EPS:.1e}, as the paper's libraries clip them. Each entry is our mean with its
standard error, then the printed value, which is one run.

{_score_tables(as_printed)}

{_agreement(as_printed)}

## Ranks

{_ranks(as_printed)}

## What the released code does

{_flipping(as_printed)}

## What differences mean

{_comparison(as_printed)}

## What automatic clipping changes

{_clipping(as_printed, clipped)}

## What FeeBee does not tell

{_misfit()}

## Speed

{speed}
"""


INTRODUCTION = """FeeBee redraws each label by a fair coin with probability r. Whatever the floor F
is, it becomes r/2 + (1 - r) F, and as F lies between 0 and the error E of a known model, an
estimate should stay between r/2 and r/2 + (1 - r) E. The score is the mean distance by which it
does not, over r from 0 to 1; lower is better. Noise in labels cannot show what the scores miss: a
low score is no sign that scores are complete.

Redrawn labels are a sample, so an estimator without any fault has a score above 0 as well. The
row `oracle` is what an unbiased one gets on the same noise: the share of noisy labels that the
best threshold on the original table gets wrong. It is a yardstick, not a limit.

Balanced error and AUC of two classes can be judged in the same way: `metric="balanced-error"` or
`metric="auc", model_value=0.95`. What they become is known for coins of any mean, so labels are
redrawn by coins of nine means, 0.1 to 0.9, and the score is the mean over them. The
[theory](../../docs/theory/models.md#balanced-error-and-auc) has the formula, and
[another page](../../docs/follow_up.md#feebee) the scores on real sets.
Everything below is about error.
"""


def _score_tables(results: Results) -> str:
    names = list(SETTINGS)
    tables = []
    for part in (names[:5], names[5:10], names[10:]):
        lines = [["", *part], ["---", *["---:"] * len(part)]]
        lines.append(["E", *(f"{SETTINGS[name].model_error:.6g}" for name in part)])
        lines += [
            [method, *(_score(results[name], method, SETTINGS[name]) for name in part)]
            for method in METHODS
        ]
        oracle = (results[name].oracle for name in part)
        lines.append(["oracle", *(f"{row.score:.5f} ± {row.standard_error:.5f}" for row in oracle)])
        tables.append(_markdown(lines))
    return "\n\n".join(tables)


def _score(result: ef.FeeBeeResult, method: str, setting: Setting) -> str:
    row = result[method]
    return f"{row.score:.5f} ± {row.standard_error:.5f}, {setting.published[method]:.5f}"


def _agreement(results: Results) -> str:
    cells = [(name, method) for name in SETTINGS for method in METHODS if method not in VARIANTS]
    z = {cell: z_score(results[cell[0]], cell[1], _printed(*cell)) for cell in cells}
    far = {cell: value for cell, value in z.items() if abs(value) > LIMIT}
    variants = [(name, method) for name in SETTINGS for method in VARIANTS]
    as_beta = [abs(z_score(results[n], "beta", _printed(n, m))) <= LIMIT for n, m in variants]
    as_named = [abs(z_score(results[n], m, _printed(n, m))) <= LIMIT for n, m in variants]
    lines = [["set", "method", "ours", "printed", "standard errors", "note"]]
    lines.append(["---", "---", "---:", "---:", "---:", "---"])
    for (name, method), value in far.items():
        ours = f"{results[name][method].score:.5f}"
        note = UNWEIGHTED.get(name, _tail(name, method))
        printed = f"{_printed(name, method):.5f}"
        lines.append([name, method, ours, printed, f"{value:+.1f}", note])
    root_mean_square = np.sqrt(np.mean([value**2 for cell, value in z.items() if cell not in far]))
    return f"""Of the model errors E the paper prints that of CIFAR-10 only. It says what the others
are: the best errors distributed with ChaosNLI, and acceptance rates of ICLR. All fifteen numbers
are in the settings of the authors' released code, and we take them from there. The paper says that
E of Fashion-MNIST is of a Vision Transformer; the number there is that of its ResNet-18.

Of the {len(z)} printed scores of isotonic, hist-\\*, beta and platt, {len(z) - len(far)} are
within {LIMIT} standard errors of one run of ours, and {root_mean_square:.2f} standard errors off in
the root mean square, where 1 is expected. The others:

{_markdown(lines)}

Without confidences a mean of ratings takes few values, and ties merge bins. That lowers the score
of fine bins and little else, as years with confidences show when they are left out (weighted, then
plain means, 50 repeats):

{_without_confidences()}

The released code runs plain beta under the names beta-am, beta-ab and beta-a. The print agrees:
of these {len(variants)} values {sum(as_beta)} are within {LIMIT} standard errors of our `beta`, and
{sum(as_named)} within as many of the method they are named after. The rows above are the methods
themselves; on Fashion-MNIST betacal, asked for them, gives 0.1073, 0.0956 and 0.1097 (mean of six
runs, standard error 0.0002)."""


def _printed(name: str, method: str) -> float:
    return SETTINGS[name].published[method]


def _tail(name: str, method: str, repeats: int = 2000) -> str:
    """Return how rare a printed score is among runs of ours."""
    result = SETTINGS[name].run([method], repeats=repeats, clip=EPS)
    runs, printed = result.runs(method), _printed(name, method)
    beyond = np.count_nonzero(runs >= printed if printed > runs.mean() else runs <= printed)
    scores = len(SETTINGS) * (len(METHODS) - len(VARIANTS))
    expected = 2 * scores * beyond / repeats
    return (
        f"{beyond} of {repeats:,} runs are as far out; of {scores} scores, {expected:.1f} as rare "
        "as that are expected by chance"
    )


def _first(ranks: Mapping[str, int]) -> str:
    return min(ranks, key=ranks.__getitem__)


def _ranks(results: Results) -> str:
    lines = [["set", *METHODS], ["---", *["---:"] * len(METHODS)]]
    same = winners = told = 0
    for name, result in results.items():
        ordered = sorted(METHODS, key=lambda method: result[method].score)
        ours = {method: 1 + place for place, method in enumerate(ordered)}
        printed = SETTINGS[name].ranks
        same += sum(ours[method] == printed[method] for method in METHODS)
        winners += ordered[0] == _first(printed)
        told += sum(ours[m] == printed[m] for m in METHODS if m not in VARIANTS)
        lines.append([name, *(f"{ours[m]}, {printed[m]}" for m in METHODS)])
    cells = len(results) * len(METHODS)
    plain = len(results) * (len(METHODS) - len(VARIANTS))
    return f"""The rank by our mean, then the printed one, of a single run:

{_markdown(lines)}

{same} of {cells} ranks are the same, and {winners} of {len(results)} winners; without the three
variants of beta, which are other methods here and in print, {told} of {plain}. How little one run
tells of ranks is said [below](#what-differences-mean)."""


def _flipping(results: Results) -> str:
    """Return what the released code's noise makes of the score of isotonic on CIFAR-10."""
    name = "CIFAR-10"
    table = IN_PAPER[name].load()
    error, levels = SETTINGS[name].model_error, np.linspace(0, 1, 101)
    rng = np.random.default_rng(0)
    runs = []
    for _ in range(10):
        found = []
        for level in levels:
            labels = table.labels ^ (rng.random(table.labels.size) < level)
            found.append(
                ef.from_scores(table.scores, labels, method="isotonic", interval=None).value
            )
        low, high = levels / 2, levels / 2 + (1 - levels) * error
        out = np.maximum(np.array(found) - high, 0) + np.maximum(low - np.array(found), 0)
        runs.append(float(out.mean()))
    spread = np.std(runs, ddof=1)
    printed, ours = _printed(name, "isotonic"), results[name]["isotonic"].score
    return f"""The paper redraws a label by a fair coin with probability r, and so do we. The
authors' code as released flips it with probability r instead: at r = 1 all labels are flipped, and
the floor is what it was, not 1/2. With labels flipped, isotonic has {np.mean(runs):.4f} on {name}
(10 runs, standard deviation {spread:.4f}), where the paper prints {printed:.5f} and redrawn labels
give {ours:.5f}. So that version of the code has not made the printed tables."""


def _without_confidences() -> str:
    methods = ("isotonic", "hist-10", "hist-25", "hist-50", "hist-100", "beta", "platt")
    lines = [["", *methods], ["---", *["---:"] * len(methods)]]
    for year in (2021, 2022, 2023):
        setting = SETTINGS[f"ICLR{year}"]
        weighted = setting.run(methods, repeats=50, clip=EPS)
        plain = ef.feebee(
            load_iclr(year, weighted=False).score_table,
            methods=methods,
            model_error=setting.model_error,
            repeats=50,
            clip=EPS,
            rng=0,
        )
        pairs = (f"{weighted[m].score:.5f}, {plain[m].score:.5f}" for m in methods)
        lines.append([f"ICLR{year}", *pairs])
    return _markdown(lines)


def _comparison(results: Results) -> str:
    head = ["set", "oracle", "lowest", "its score", "not told from it", "printed lowest"]
    head += ["found by one run", "the same, paired"]
    lines = [head, ["---", "---:", "---", "---:", "---", "---", "---:", "---:"]]
    clear = paired_clear = found = right = 0
    for name, result in results.items():
        best = min(METHODS, key=lambda method: result[method].score)
        others = [method for method in METHODS if method != best]
        near = [m for m in others if not result.difference(m, best).is_clear]
        alone, paired = _hits(result, best)
        printed = _first(SETTINGS[name].ranks)
        found += alone > 0.5
        right += printed == best
        lines.append(
            [
                name,
                f"{result.oracle.score:.5f}",
                best,
                f"{result[best].score:.5f}",
                ", ".join(near) or "none",
                printed,
                f"{100 * alone:.0f} %",
                f"{100 * paired:.0f} %",
            ]
        )
        for pair in combinations(METHODS, 2):
            clear += _told_by_one_run(result, *pair)
            paired_clear += result.difference(*pair).is_clear
    pairs = len(results) * len(METHODS) * (len(METHODS) - 1) // 2
    repeats = next(iter(results.values())).repeats
    return f"""{_markdown(lines)}

"Not told from it" lists the methods whose paired 95 % interval of {repeats} repeats holds 0. The
last columns say how often a single run has the method with the lowest mean in front: with noise of
its own for each method, as in print, and with the same noise for all.

- With noise of its own for each method, one run has the right method in front more often than not
  on {found} of {len(results)} sets; the print has it on {right}.
- Of {pairs:,} pairs of methods on these sets, one run each tells {clear:,} apart (their means
  differ by more than two standard errors of a difference of two runs); {repeats} paired repeats
  tell {paired_clear:,}. Bins that are too fine and badly clipped beta maps are seen at once; which
  of the good methods is best is not.
- A score is to be read against the oracle's. {_near_the_oracle(results)}
- {_below_the_oracle(results)}
- The standard errors say what other noise would have changed, and nothing of other items."""


def _hits(result: ef.FeeBeeResult, best: str) -> tuple[float, float]:
    """Return how often one run has `best` in front, with noise of their own and with the same."""
    runs = np.array([result.runs(method) for method in METHODS])
    shuffled = np.random.default_rng(0).permuted(np.tile(runs, 20), axis=1)
    place = METHODS.index(best)
    alone, paired = (np.mean(r.argmin(axis=0) == place) for r in (shuffled, runs))
    return float(alone), float(paired)


def _told_by_one_run(result: ef.FeeBeeResult, first: str, second: str) -> bool:
    a, b = result.runs(first), result.runs(second)
    return bool(abs(a.mean() - b.mean()) > 2 * np.sqrt(a.var(ddof=1) + b.var(ddof=1)))


def _near_the_oracle(results: Results) -> str:
    parts = []
    for name in ("CIFAR-10", "Fashion-MNIST"):
        gap = results[name].difference("isotonic")
        parts.append(
            f"on {name} the oracle has {results[name].oracle.score:.5f}, and isotonic\n"
            f"  {gap.low:+.5f} to {gap.high:+.5f} more"
        )
    return "Paired with it,\n  " + ";\n  ".join(parts) + "."


def _below_the_oracle(results: Results) -> str:
    counts = {
        method: sum(
            gap.is_clear and gap.value < 0
            for gap in (result.difference(method) for result in results.values())
        )
        for method in METHODS
    }
    some = ", ".join(f"{method} on {count}" for method, count in counts.items() if count)
    snli = results["SNLI"]
    return f"""A score can be below the oracle's. It clearly is, of {len(results)} sets, for
  {some}. Estimates
  that never exceed 1/2 err to one side only where labels are coins, smooth maps vary less than
  shares of labels do, and a bias towards 0 can pay: on SNLI, where the best cut is close to E,
  isotonic is {snli["isotonic"].upper:.5f} above the bounds on average, and the oracle
  {snli.oracle.upper:.5f}."""


def _clipping(as_printed: Results, clipped: Results) -> str:
    rivals = ("isotonic", "platt")
    head = ["set", *BETAS, *rivals, "oracle"]
    lines = [head, ["---", *["---:"] * (len(head) - 1)]]
    lower = higher = 0
    for name in SETTINGS:
        before, after = as_printed[name], clipped[name]
        cells = [f"{before[m].score:.5f} → {after[m].score:.5f}" for m in BETAS]
        for method in BETAS:
            change = after.runs(method) - before.runs(method)
            error = change.std(ddof=1) / np.sqrt(change.size)
            lower += bool(change.mean() < -2 * error)
            higher += bool(change.mean() > 2 * error)
        cells += [f"{after[m].score:.5f}" for m in rivals]
        lines.append([name, *cells, f"{after.oracle.score:.5f}"])
    first = {
        clip: [
            name
            for name, result in results.items()
            if min(METHODS, key=lambda method: result[method].score).startswith("beta")
        ]
        for clip, results in (("eps", as_printed), ("auto", clipped))
    }
    return f"""`clip="auto"` keeps scores half as far from 0 and 1 as the nearest score that is
neither, instead of {EPS:.1e}. Only the beta family uses it (and platt-logit). On the same noise:

{_markdown(lines)}

Of {len(SETTINGS) * len(BETAS)} scores of the beta family it lowers {lower} and raises {higher} by
more than two standard errors of the paired change; the rest stay. A member of the family has the
lowest score on {len(first["eps"])} of {len(SETTINGS)} sets before and on {len(first["auto"])}
after."""


def _misfit() -> str:
    """Return what FeeBee makes of maps that are exactly right until noise is added."""
    share = np.linspace(0.01, 0.99, 50)
    items = np.full(50, 2 * 10**7)
    positives = np.rint(items * share).astype(np.int64)
    table = ef.ScoreTable.from_counts(share, items - positives, positives)
    methods = ("isotonic", "hist-50", *BETAS)
    floor = float(np.minimum(share, 1 - share).mean())
    found = ef.feebee(table, methods=methods, model_error=floor, repeats=2, rng=0)
    off = max(abs(found.estimates[m][0, 0] - floor) for m in methods)
    lines = [["", *methods, "oracle"], ["---", *["---:"] * (len(methods) + 1)]]
    lines.append(["score", *(f"{found[m].score:.5f}" for m in (*methods, "oracle"))])
    return f"""Noise bends the map from scores to probabilities: p becomes r/2 + (1 - r) p, whose
log-odds are bounded. Isotonic and bins follow; a beta map cannot, and is charged for it even where
it is exactly right without noise. A table of a billion items whose scores are the true
probabilities, with E at the floor of {floor:.2f}, shows that alone. Without noise every estimate is
right to {off:.0e}, yet:

{_markdown(lines)}

So a high score of a parametric map says that it does not bend with this noise, which is not the
same as being wrong on the labels at hand."""


def _speed() -> str:
    """Time all sets, and each method against the reference on Fashion-MNIST."""
    start = time.perf_counter()
    _run_all(METHODS, 10, EPS)
    whole = time.perf_counter() - start
    scores, labels = realdata.load("Fashion-MNIST")
    lines = [["method", "reference, ms", "ours, ms", "ratio"], ["---", "---:", "---:", "---:"]]
    theirs, ours = [], []
    for method in METHODS:
        theirs.append(1000 * _reference_seconds(method, scores, labels))
        ours.append(1000 * _our_seconds([method], scores, labels))
        lines.append(_speed_line(method, theirs[-1], ours[-1]))
    together = 1000 * _our_seconds(METHODS, scores, labels)
    lines.append(_speed_line("all in one call", float(np.mean(theirs)), together))
    return f"""{machine()}

{len(SETTINGS)} sets, {len(METHODS)} methods, 101 levels, 10 repeats: {whole:.1f} s in one process.

One evaluation (redraw the labels, estimate the floor) on Fashion-MNIST, against the reference
libraries on items; the mean over noise levels from 0 to 1, in one run:

{_markdown(lines)}"""


def _speed_line(name: str, theirs: float, ours: float) -> list[str]:
    return [name, f"{theirs:.1f}", f"{ours:.4f}", f"{theirs / ours:,.0f}"]


def _reference_seconds(method: str, scores: Floats, labels: NDArray[np.bool_]) -> float:
    rng = np.random.default_rng(0)
    reference.floor(method, scores, redraw(labels, 0.5, rng))  # load the library
    noises = np.linspace(0, 1, 21)
    start = time.perf_counter()
    for noise in noises:
        reference.floor(method, scores, redraw(labels, float(noise), rng))
    return (time.perf_counter() - start) / noises.size


def _our_seconds(methods: Sequence[str], scores: Floats, labels: NDArray[np.bool_]) -> float:
    start = time.perf_counter()
    ef.feebee(scores, labels, methods=methods, model_error=0.0049, clip=EPS, rng=0)
    return (time.perf_counter() - start) / (10 * 101 * len(methods))


def _markdown(lines: Iterable[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())


if __name__ == "__main__":
    main()
