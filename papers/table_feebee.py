"""The tables of FeeBee scores: how well estimators follow label noise that is added on purpose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from errorfloor._typing import Floats
from errorfloor.datasets.catalogue import IN_PAPER
from errorfloor.methods.record import Clip
from errorfloor.questions.feebee import feebee
from errorfloor.results import FeeBeeResult
from errorfloor.show.palette import BLUE, GREY, ORANGE
from papers._check import Check
from papers._style import PAGE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TITLE = "FeeBee scores of ten methods on fifteen sets, both of the paper's tables"

METHODS = (
    "isotonic",
    "hist-10",
    "hist-25",
    "hist-50",
    "hist-100",
    "beta",
    "beta-am",
    "beta-ab",
    "beta-a",
    "platt",
)
VARIANTS = ("beta-am", "beta-ab", "beta-a")  # printed as plain beta
EPS = float(np.finfo(float).eps)  # as betacal clips, and the paper with it
REPEATS = 200
TAIL = 2000  # runs where a printed score is far out and nothing is known to differ
ROUNDING = 1e-5 / np.sqrt(12)  # standard deviation of what five decimals leave out


@dataclass(frozen=True)
class Setting:
    """A set of the paper, and its printed scores."""

    name: str
    printed: str  # in the order of METHODS
    first: str = ""  # which of equal printed scores has the better printed rank

    @property
    def model_error(self) -> float:
        """The model error that FeeBee was given."""
        return IN_PAPER[self.name].model_error

    @property
    def published(self) -> dict[str, float]:
        """The printed score of each method."""
        return dict(zip(METHODS, map(float, self.printed.split()), strict=True))

    @property
    def ranks(self) -> dict[str, int]:
        """The printed rank of each method: equal scores are in the order of the table, mostly."""
        score = self.published
        ordered = sorted(METHODS, key=lambda method: (score[method], method != self.first))
        return {method: 1 + ordered.index(method) for method in METHODS}

    def run(self, methods: Sequence[str], *, repeats: int, clip: Clip) -> FeeBeeResult:
        """Score methods; the noise is the same whatever the methods and the clipping."""
        return feebee(
            IN_PAPER[self.name].load().score_table,
            methods=methods,
            model_error=self.model_error,
            repeats=repeats,
            clip=clip,
            rng=0,
        )


SETTINGS = {
    setting.name: setting
    for setting in (
        Setting(
            "CIFAR-10",
            "0.00307 0.00318 0.00253 0.00322 0.00329 0.02396 0.02401 0.02335 0.02400 0.00278",
        ),
        Setting(
            "Fashion-MNIST",
            "0.00240 0.00250 0.00825 0.00329 0.00373 0.08796 0.09055 0.08737 0.08878 0.00262",
        ),
        Setting(
            "SNLI",
            "0.00292 0.00283 0.00356 0.00520 0.00714 0.01392 0.01452 0.01476 0.01370 0.00305",
        ),
        Setting(
            "MNLI",
            "0.00147 0.00210 0.00322 0.00421 0.00666 0.00380 0.00208 0.00143 0.00223 0.00154",
        ),
        Setting(
            "AbductiveNLI",
            "0.00118 0.00143 0.00362 0.00558 0.00813 0.05400 0.05204 0.04949 0.05537 0.00081",
        ),
        Setting(
            "ICLR2017-2025",
            "0.00013 0.00011 0.00016 0.00033 0.00056 0.00012 0.00014 0.00010 0.00017 0.00001",
        ),
        Setting(
            "ICLR2017",
            "0.00508 0.00469 0.01086 0.01829 0.02915 0.00109 0.00120 0.00082 0.00200 0.00135",
        ),
        Setting(
            "ICLR2018",
            "0.00166 0.00232 0.00517 0.00863 0.01586 0.00060 0.00062 0.00049 0.00097 0.00067",
        ),
        Setting(
            "ICLR2019",
            "0.00120 0.00160 0.00352 0.00720 0.01114 0.00039 0.00035 0.00108 0.00066 0.00059",
        ),
        Setting(
            "ICLR2020",
            "0.00085 0.00106 0.00137 0.00162 0.00181 0.00108 0.00078 0.00076 0.00056 0.00030",
        ),
        Setting(
            "ICLR2021",
            "0.00098 0.00156 0.00183 0.00388 0.00621 0.00042 0.00026 0.00019 0.00017 0.00046",
        ),
        Setting(
            "ICLR2022",
            "0.00064 0.00090 0.00205 0.00386 0.00684 0.00023 0.00031 0.00021 0.00010 0.00029",
        ),
        Setting(
            "ICLR2023",
            "0.00034 0.00074 0.00143 0.00265 0.00509 0.00030 0.00020 0.00021 0.00008 0.00023",
        ),
        Setting(
            "ICLR2024",
            "0.00022 0.00044 0.00090 0.00133 0.00270 0.00005 0.00006 0.00003 0.00006 0.00011",
        ),
        Setting(
            "ICLR2025",
            "0.00024 0.00042 0.00060 0.00093 0.00158 0.00009 0.00015 0.00007 0.00007 0.00011",
            first="beta-a",
        ),
    )
}

# Reviewer confidences, which weight the ratings, are missing for part of these years.
NO_CONFIDENCES = "no reviewer confidences here"
UNWEIGHTED = {
    "ICLR2024": f"{NO_CONFIDENCES} for a fifth of the papers",
    "ICLR2025": NO_CONFIDENCES,
}


def compute() -> dict[str, Any]:
    """Return each method's mean score and how much one run varies, for all sets."""
    return {
        "repeats": REPEATS,
        "clip": EPS,
        "sets": {name: _scores(setting) for name, setting in SETTINGS.items()},
    }


def _scores(setting: Setting) -> dict[str, Any]:
    found = setting.run(METHODS, repeats=REPEATS, clip=EPS)
    runs = {method: found.runs(method) for method in METHODS}
    return {
        "n": found.n,
        "model_error": setting.model_error,
        "oracle": found.oracle.score,
        "score": {method: float(run.mean()) for method, run in runs.items()},
        "deviation": {method: float(run.std(ddof=1)) for method, run in runs.items()},
        "low": {method: float(np.quantile(run, 0.025)) for method, run in runs.items()},
        "high": {method: float(np.quantile(run, 0.975)) for method, run in runs.items()},
        "published": setting.published,
        "beyond": {m: _beyond(runs[m], printed) for m, printed in setting.published.items()},
        "tail": _tails(setting, runs),
    }


def _tails(setting: Setting, runs: dict[str, Floats]) -> dict[str, int]:
    """Count, among many more runs, those as far out as a print that no known fact explains."""
    if setting.name in UNWEIGHTED:
        return {}
    found = {}
    for method, printed in setting.published.items():
        error = _error(float(runs[method].std(ddof=1)), REPEATS)
        agrees = Check("", printed, float(runs[method].mean()), error).agrees
        if method not in VARIANTS and not agrees:
            more = setting.run([method], repeats=TAIL, clip=EPS).runs(method)
            found[method] = _beyond(more, printed)
    return found


def _beyond(runs: Floats, printed: float) -> int:
    """Count the runs that are as far from their mean as the print, on the same side."""
    return int(np.count_nonzero(runs >= printed if printed > runs.mean() else runs <= printed))


def draw(numbers: dict[str, Any]) -> Figure:
    """Draw our scores with the spread of one run, and the printed ones, a panel a set."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(PAGE, 7.2))
    axes = figure.subplots(3, 5, sharex=True, sharey=True).ravel()
    for ax, (name, found) in zip(axes, numbers["sets"].items(), strict=True):
        _panel(ax, name, found)
    axes[0].set(xscale="log", xlim=(3e-6, 0.2))
    axes[0].set_xticks([1e-5, 1e-3, 1e-1], ["0.001 %", "0.1 %", "10 %"])
    axes[0].set_yticks(range(len(METHODS)), METHODS)
    axes[0].invert_yaxis()
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    axes[12].set_xlabel("FeeBee score, logarithmic: lower is better")
    return figure


def _panel(ax: Axes, name: str, found: dict[str, Any]) -> None:
    methods = list(found["score"])
    rows = np.arange(len(methods))
    score = np.array([found["score"][method] for method in methods])
    low, high = (np.array([found[end][method] for method in methods]) for end in ("low", "high"))
    ax.axvline(found["oracle"], color=GREY, linestyle=":", linewidth=1, label="unbiased oracle")
    ax.errorbar(
        score,
        rows,
        xerr=[np.maximum(score - low, 0), np.maximum(high - score, 0)],
        fmt="o",
        color=BLUE,
        markersize=3.5,
        linewidth=1,
        label="ours, and 95 % of single runs",
    )
    printed = [found["published"][method] for method in methods]
    ax.plot(
        printed,
        rows,
        "x",
        color=ORANGE,
        markersize=5,
        markeredgewidth=1.4,
        zorder=3,
        label="printed",
    )
    ax.set_title(name)
    ax.minorticks_off()
    ax.tick_params(axis="y", length=0)


def checks(numbers: dict[str, Any]) -> list[Check]:
    """Compare all printed scores, each of one run, with the means of ours."""
    return [
        _check(name, method, found, numbers["repeats"])
        for name, found in numbers["sets"].items()
        for method in METHODS
    ]


def _check(name: str, method: str, found: dict[str, Any], repeats: int) -> Check:
    published, ours = found["published"][method], found["score"][method]
    error = _error(found["deviation"][method], repeats)
    check = Check(f"{name}, {method}", published, ours, error)
    if method in VARIANTS:
        beta, deviation = found["score"]["beta"], found["deviation"]["beta"]
        off = abs(published - beta) / _error(deviation, repeats)
        note = "The released code runs plain beta under this name; "
        note += f"beta has {beta:.5f} here, {off:.1f} s.d. from the print."
    elif check.agrees:
        return check
    else:
        note = f"{found['beyond'][method]} of {repeats} runs of ours are as far out."
        if method in found["tail"]:
            far = found["tail"][method]
            scores = len(SETTINGS) * (len(METHODS) - len(VARIANTS))
            note = f"{far} of {TAIL:,} runs of ours are as far out. Of {scores} scores of one run "
            note += f"each, {2 * scores * far / TAIL:.1f} as rare as that are expected by chance."
        if name in UNWEIGHTED:
            reason = UNWEIGHTED[name]
            note += f" {reason[0].upper()}{reason[1:]}, so that ties merge fine bins."
    return replace(check, note=note)


def _error(deviation: float, repeats: int) -> float:
    """Return the standard deviation of a printed run minus the mean of so many of ours."""
    return float(np.hypot(deviation * np.sqrt(1 + 1 / repeats), ROUNDING))
