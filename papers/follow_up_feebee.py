"""FeeBee for balanced error and AUC: both forms and calibrated estimates on the real sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from errorfloor._typing import Floats
from errorfloor.data.tables import ScoreTable
from errorfloor.datasets.catalogue import IN_PAPER
from errorfloor.metrics import named
from errorfloor.metrics.ranking import AUC
from errorfloor.metrics.two_by_two import BALANCED
from errorfloor.questions.feebee import feebee
from errorfloor.results.feebee import MEANS, share_after, value_after
from errorfloor.show.palette import BLUE, GREY, ORANGE
from papers._check import Check
from papers._forms import FORMS, FUNCTIONS, STUDIED, WORDS
from papers._settings import SEED
from papers._style import PAGE, letter
from papers.follow_up_table import PRINTED, deviations

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "FeeBee scores for balanced error and AUC, averaged over noise of nine means"
COLUMNS = ("ranking", "isotonic", "isotonic-cf", "hist-10", "beta", "platt", "oracle")
REPEATS = 50
LEVELS = 21
# Soft labels, with negative and positive labels in their proportion.
MADE = ([0.05, 0.6], [1140, 120], [60, 180])


def compute() -> dict[str, Any]:
    """Return scores, and how much worse the max form is by noise of each mean."""
    return {
        "repeats": REPEATS,
        "levels": LEVELS,
        "means": MEANS,
        "sets": {name: {metric: _of_set(name, metric) for metric in FUNCTIONS} for name in PRINTED},
        "made": _of_made_table(),
    }


def _of_made_table() -> dict[str, Any]:
    """Return standard errors and scores where the two disagree on which form is better."""
    table = ScoreTable.from_counts(*MADE)
    best = BALANCED.best(table.scores, table.items)
    scores = _scores_of_forms(table, BALANCED.name, best)
    found = deviations(table.cells(), np.random.default_rng(SEED))
    return {
        "n": table.n,
        "error": found["renewed"][BALANCED.name].tolist(),
        "gap": _with_error((scores[..., 1] - scores[..., 0]).mean(axis=0)),
    }


def known_value(name: str, metric: str, theta: float) -> float:
    """Return a value of the metric that a model is known to reach at least, from its error.

    A model with error E has a balanced error of at most E / (2 min(theta, 1 - theta)), and its
    decisions alone have an AUC of one less its balanced error.
    """
    most = min(IN_PAPER[name].model_error / (2 * min(theta, 1 - theta)), 0.5)
    return most if named(metric).less_is_better else 1 - most


def _of_set(name: str, metric: str) -> dict[str, Any]:
    table = IN_PAPER[name].load().score_table
    theta = float(table.positives.sum() / table.n)
    model = known_value(name, metric, theta)
    found = feebee(
        table,
        metric=metric,
        methods=STUDIED[metric].methods,
        model_value=model,
        levels=LEVELS,
        repeats=REPEATS,
        rng=SEED,
    )
    rows = {row.method: (row.score, row.standard_error) for row in (*found, found.oracle)}
    scores = _scores_of_forms(table, metric, model)  # (means, repeats, forms)
    gap = scores[..., 1] - scores[..., 0]
    forms = scores.mean(axis=0)
    return {
        "theta": theta,
        "model": model,
        "scores": {
            f"{form} form": _with_error(forms[:, i]) for i, form in enumerate(FORMS)
        } | {method: list(row) for method, row in rows.items()},
        "gap": _with_error(gap.mean(axis=0)),
        "gap_by_mean": [_with_error(one) for one in gap],
    }  # fmt: skip


def _scores_of_forms(table: ScoreTable, metric: str, model: float) -> Floats:
    """Return FeeBee scores of both forms on soft labels that follow the noise.

    A soft label p becomes ``(1 - r) p + r b``, which is exact. Only the share of class 1, which is
    counted on redrawn labels, varies.
    """
    rng = np.random.default_rng(SEED)
    forms, noise = FUNCTIONS[metric], np.arange(LEVELS) / (LEVELS - 1)
    share, positives = (table.items / table.n)[None], int(table.positives.sum())
    theta = positives / table.n
    found = np.empty((len(MEANS), REPEATS, LEVELS, len(FORMS)))
    for i, mean in enumerate(MEANS):
        kept = rng.binomial(positives, 1 - noise * (1 - mean), size=(REPEATS, LEVELS))
        new = rng.binomial(table.n - positives, noise * mean, size=(REPEATS, LEVELS))
        ends = sorted((float(not named(metric).less_is_better), model))
        for level, one in enumerate(noise):
            counted = np.clip((kept + new)[:, level] / table.n, 1 / table.n, 1 - 1 / table.n)
            p = share_after(table.scores, one, mean)
            values = forms(p, np.repeat(share, REPEATS, axis=0), counted)
            low, high = (value_after(end, theta, one, mean) for end in ends)
            found[i, :, level] = (np.maximum(low - values, 0) + np.maximum(values - high, 0)).T
    return np.asarray(found.mean(axis=2))


def _with_error(values: Floats) -> list[float]:
    return [float(values.mean()), float(values.std(ddof=1) / np.sqrt(values.size))]


def draw(numbers: dict[str, Any]) -> Figure:
    """Draw how much higher the max form's score is, by the mean of the noise."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(PAGE, 4.4))
    axes = figure.subplots(2, len(numbers["sets"]), sharex=True)
    for row, (metric, colour) in enumerate(zip(FUNCTIONS, (BLUE, ORANGE), strict=True)):
        for column, (name, found) in enumerate(numbers["sets"].items()):
            ax = axes[row, column]
            value, error = 1000 * np.transpose(found[metric]["gap_by_mean"])
            ax.axhline(0, color=GREY, linewidth=1)
            ax.axhline(1000 * found[metric]["gap"][0], color=colour, linestyle=":", linewidth=1)
            ax.errorbar(
                numbers["means"], value, yerr=2 * error, fmt="o-", color=colour, markersize=3
            )
            letter(ax, len(numbers["sets"]) * row + column, name)
        axes[row, 0].set_ylabel(WORDS[metric])
    figure.supxlabel("mean of the noise", fontsize=8)
    figure.supylabel("max form's score less the min form's, in thousandths", fontsize=8)
    return figure


def checks(numbers: dict[str, Any]) -> list[Check]:
    """Return nothing: the printed scores are not known to us."""
    return []


def remarks(numbers: dict[str, Any]) -> str:
    """Return the scores as a table, and what they say."""
    names = [*(f"{form} form" for form in FORMS), *COLUMNS]
    lines = [f"| set | metric | model | {' | '.join(names)} | max less min |"]
    lines.append(f"| --- | --- | ---: | {' | '.join(['---:'] * (len(names) + 1))} |")
    for name, both in numbers["sets"].items():
        for metric, found in both.items():
            cells = " | ".join(_cell(found["scores"].get(one)) for one in names)
            gap = _cell(found["gap"], "+")
            lines.append(f"| {name} | {WORDS[metric]} | {found['model']:.4f} | {cells} | {gap} |")
    return _REMARKS.format(
        table="\n".join(lines),
        repeats=numbers["repeats"],
        levels=numbers["levels"],
        **_counts(numbers),
        **_made(numbers["made"]),
    )


def _made(made: dict[str, Any]) -> dict[str, float]:
    """Return the numbers of the made table for the text."""
    names = ("made_items", "low", "high", "made_min", "made_max", "made_gap", "made_noise")
    return dict(zip(names, (made["n"], *MADE[0], *made["error"], *made["gap"]), strict=True))


def _counts(numbers: dict[str, Any]) -> dict[str, int]:
    """Return how often which form is ahead by more than two standard errors."""
    every = [found for both in numbers["sets"].values() for found in both.values()]
    auc = [both[AUC.name]["scores"] for both in numbers["sets"].values()]
    single = [gap for found in every for gap in found["gap_by_mean"]]
    mean = [found["gap"] for found in every]
    return {
        "single": len(single),
        "single_min": sum(value > 2 * error for value, error in single),
        "single_max": sum(value < -2 * error for value, error in single),
        "mean": len(mean),
        "mean_min": sum(value > 2 * error for value, error in mean),
        "sets": len(auc),
        "over": sum(scores["isotonic"][0] > scores["ranking"][0] for scores in auc),
    }


def _cell(pair: list[float] | None, sign: str = "") -> str:
    return "" if pair is None else f"{pair[0]:{sign}.5f} ± {pair[1]:.5f}"


_REMARKS = """\
{repeats} repeats of {levels} levels of noise of each of nine means, paired. Standard errors
stand behind the ±; they say what other noise would have changed. The two forms have soft labels
p that follow the noise exactly, as (1 - r) p + r b, and the share of class 1 of the redrawn
labels. The other methods see scores and redrawn labels. A known model bounds the truth: its
error E gives a balanced error of at most E / (2 min(share, 1 - share)), and its decisions an AUC
of one less that. The printed scores are not known to us.

{table}

- The discriminant favours the min form on all four sets. Averaged over means, so does FeeBee by
  more than two standard errors: in {mean_min} of {mean} cases.
- By noise of one mean it is less sure: of {single} cases {single_min} favour the min form, and
  {single_max} the max form. Noise moves the share of class 1 towards its mean, and with it which
  form is the better one.
- That is no law. FeeBee redraws the labels of the same items, so it sees the noise of the share
  of class 1, and not that of which items were drawn. A made table has {made_items:,} items, four
  in five with soft label {low:g} and the others with {high:g}. Its standard errors of balanced
  error are {made_min:.4f} (min form) and {made_max:.4f} (max form), and yet FeeBee favours the
  max form: its score less the min form's is {made_gap:+.5f} ± {made_noise:.5f}.
- For AUC `ranking`, the AUC of the scores as they are, has a lower score than isotonic on {over}
  of {sets} sets: isotonic takes noise for a part of the order. The oracle is the same but for the
  model's bound, and may fall below 1/2."""
