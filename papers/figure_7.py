"""Figure 7: how the bias of the plug-in decays with the number of votes.

The text subtracts the true floor from the mean of the estimates: the *unpaired* bias. The released
code subtracts the mean of the estimates from the true probabilities of the same items: the
*paired* bias, which has far less noise. The two differ in (a) only; in (b) and (c) the estimate
from true probabilities is the floor, whatever the items.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from errorfloor._typing import Floats
from errorfloor.bounds import exact_bias, expected_bias_bound
from errorfloor.datasets.synthetic import Synthetic, gaussian_mixture, label_flips, vote
from errorfloor.metrics import ERROR
from errorfloor.show.palette import BLUE, ORANGE
from papers._check import Check
from papers._style import BLACK, PAGE, letter, percent_axis

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "The decay of the bias of the plug-in with the number of votes, simulated and exact"

VOTES = (10, 25, 50, 100, 250, 500, 1000)
ITEMS, REPETITIONS = 2000, 1000
BLOCK = 100  # repetitions at a time
REPLAYS = 20_000  # of the whole simulation, for the spread of its slopes
FLIPS = 0.1
OVERLAP = ((0.0, 0.0), (0.0, 0.0))
EVEN = (0.5, 0.5)
NAMES = {"a": "two Gaussian classes", "b": "coin flips", "c": "labels flipped at 10 %"}
PUBLISHED = {"a": -0.9066, "b": -0.4970, "c": -0.4228}


def compute() -> dict[str, Any]:
    """Return exact and simulated biases, the paper's bound, and slopes over the votes."""
    generators = np.random.default_rng(7).spawn(len(NAMES))
    return {
        "votes": list(VOTES),
        "items": ITEMS,
        "repetitions": REPETITIONS,
        "distributions": {
            key: _distribution(key, rng) for key, rng in zip(NAMES, generators, strict=True)
        },
    }


def _distribution(key: str, rng: np.random.Generator) -> dict[str, Any]:
    soft, weights = _soft_labels(key)
    exact = np.array([exact_bias(soft, m, weights=weights) for m in VOTES])
    bound = np.array([expected_bias_bound(soft, m, weights=weights) for m in VOTES])
    simulated, errors, paired, paired_errors = np.array([_simulate(key, m, rng) for m in VOTES]).T
    replays = _slope(rng.normal(exact, errors, size=(REPLAYS, len(VOTES))))
    paired_replays = _slope(rng.normal(exact, paired_errors, size=(REPLAYS, len(VOTES))))
    return {
        "exact": exact.tolist(),
        "bound": bound.tolist(),
        "simulated": simulated.tolist(),
        "standard_error": errors.tolist(),
        "slope_exact": None if key == "c" else float(_slope(exact)),  # (c) is no power of m
        "slope_simulated": float(_slope(simulated)),
        "slope_replays": {"mean": float(replays.mean()), "deviation": float(replays.std())},
        "paired": paired.tolist(),
        "paired_standard_error": paired_errors.tolist(),
        "slope_paired": float(_slope(paired)),
        "slope_paired_deviation": float(paired_replays.std()),
    }


def _soft_labels(key: str) -> tuple[Floats, Floats]:
    """Return a distribution of true probabilities as points and weights."""
    if key == "b":
        return np.array([0.5]), np.ones(1)
    if key == "c":
        return np.array([FLIPS, 1 - FLIPS]), np.array(EVEN)
    # Along the line through both means, whose distance is the root of 8, from their middle.
    place = np.linspace(-12, 12, 240_001)
    centre = np.sqrt(2)
    density = np.exp(-((place - centre) ** 2) / 2) + np.exp(-((place + centre) ** 2) / 2)
    return 1 / (1 + np.exp(-2 * centre * place)), density


def _simulate(key: str, m: int, rng: np.random.Generator) -> tuple[float, float, float, float]:
    """Return the mean of all repetitions' estimates minus the floor, and its standard error.

    Then the same minus the estimates from the true probabilities of the same items.
    """
    estimates, clean = [], []
    for start in range(0, REPETITIONS, BLOCK):
        repetitions = min(BLOCK, REPETITIONS - start)
        data = _draw_items(key, repetitions * ITEMS, rng)
        share = vote(data.soft_labels, m, rng=rng) / m
        estimates.append(ERROR.per_item(share).reshape(repetitions, ITEMS).mean(axis=1))
        clean.append(ERROR.per_item(data.soft_labels).reshape(repetitions, ITEMS).mean(axis=1))
    found = np.concatenate(estimates)
    unpaired, paired = found - data.floor, found - np.concatenate(clean)
    mean, error = found.mean() - data.floor, _standard_error(unpaired)
    return float(mean), error, float(paired.mean()), _standard_error(paired)


def _standard_error(values: Floats) -> float:
    return float(values.std(ddof=1) / np.sqrt(values.size))


def _draw_items(key: str, n: int, rng: np.random.Generator) -> Synthetic:
    if key == "a":
        return gaussian_mixture(n, weights=EVEN, rng=rng)
    if key == "b":
        return gaussian_mixture(n, weights=EVEN, means=OVERLAP, rng=rng)
    return label_flips(n, rate=FLIPS, rng=rng)


def _slope(bias: Floats) -> Floats:
    """Return the least-squares slope of log |bias| over log votes, along the last axis."""
    x = np.log(VOTES)
    centred = x - x.mean()
    return np.asarray(np.log(np.abs(bias)) @ centred / (centred @ centred))


def draw(numbers: dict[str, Any]) -> Figure:
    """Draw the size of the biases and their bound, on logarithmic scales."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(PAGE, 2.9))
    axes = figure.subplots(1, 3, sharey=True)
    votes = np.array(numbers["votes"])
    for index, (ax, (key, found)) in enumerate(
        zip(axes, numbers["distributions"].items(), strict=True)
    ):
        size = np.abs(found["simulated"])
        error = 2 * np.array(found["standard_error"])
        ax.plot(votes, found["bound"], color=BLACK, linestyle="--", label="the paper's bound")
        ax.plot(votes, np.abs(found["exact"]), color=BLUE, label="exact")
        below = np.minimum(error, size * (1 - 1e-9))  # down to the axis where 0 is inside
        ax.errorbar(
            votes,
            size,
            yerr=[below, error],
            fmt="o",
            color=ORANGE,
            markersize=4,
            capsize=2,
            linewidth=1,
            label="simulated as in the paper's text, ± 2 s.e.",
        )
        if key == "a":
            ax.plot(
                votes,
                np.abs(found["paired"]),
                "s",
                color=BLACK,
                markersize=5,
                fillstyle="none",
                label="minus the true probabilities' estimate, paired",
            )
        ax.set(xscale="log", xlabel="votes per item")
        ax.set_xticks([10, 100, 1000], ["10", "100", "1,000"])
        letter(ax, index, NAMES[key])
    axes[0].set(yscale="log", ylabel="size of the bias", ylim=(1e-6, 1))
    percent_axis(axes[0].yaxis)
    for ax in axes:
        ax.minorticks_off()
    exact = abs(numbers["distributions"]["c"]["exact"][1])
    text = f"exact at {votes[1]} votes: {100 * exact:.7f} %;\nfrom there on dots are noise"
    axes[2].annotate(text, (0.03, 0.85), xycoords="axes fraction")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2)
    return figure


def checks(numbers: dict[str, Any]) -> list[Check]:
    """Compare the slopes in print with simulated and exact ones."""
    found = numbers["distributions"]
    return [check for key in found for check in _slopes(key, found[key])]


def _slopes(key: str, found: dict[str, Any]) -> list[Check]:
    mean, deviation = found["slope_replays"]["mean"], found["slope_replays"]["deviation"]
    spread = f"Runs like the paper's have slopes of {mean:.4f} with standard deviation "
    spread += f"{deviation:.4f}."
    simulated = Check(
        f"({key}), slope of the simulated bias",
        PUBLISHED[key],
        found["slope_simulated"],
        float(np.sqrt(2) * deviation),
        spread,
    )
    if key == "c":
        note = (
            f"{spread} The exact bias decays exponentially (it is "
            f"{abs(found['exact'][2]):.0e} at {VOTES[2]} votes), so the slope is that of the "
            "simulation's own noise."
        )
        return [Check(simulated.name, PUBLISHED[key], simulated.ours, simulated.error, note)]
    return [
        simulated,
        *([_paired(found)] if key == "a" else []),
        Check(
            f"({key}), slope of the exact bias",
            PUBLISHED[key],
            found["slope_exact"],
            deviation,
            "Ours is without noise; the print is one simulation.",
        ),
    ]


def _paired(found: dict[str, Any]) -> Check:
    deviation = found["slope_paired_deviation"]
    off = abs(PUBLISHED["a"] - found["slope_exact"]) / deviation
    note = (
        "Minus the estimates from the true probabilities of the same items, as the released code "
        f"does it. The standard deviation of such a run is {deviation:.4f}; the print is {off:.1f} "
        "of these from the exact slope, so it hardly comes from one. That it is the slope of the "
        "text's own formula, the line above, is our reading."
    )
    return Check(
        "(a), slope of the simulated bias, paired",
        PUBLISHED["a"],
        found["slope_paired"],
        float(np.sqrt(2) * deviation),
        note,
    )
