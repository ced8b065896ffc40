"""What the paper says of its experiments in words, and whether our numbers say the same.

Each sentence has the figures that it is about and a function of their numbers: a verdict, and the
numbers behind it. Methods are those that the paper defines; where its released code ran plain beta
instead, `VARIANTS` are left out and named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from papers._settings import BETAS, BINS, CALIBRATORS

Numbers = Mapping[str, Any]  # of each figure, by its name
HOLDS, IN_PART, NOT = "holds", "holds in part", "does not hold"
VARIANTS = ("beta-ab", "beta-a")  # as defined they cannot move the score that stands for 1/2
AS_RUN = tuple(method for method in CALIBRATORS if method not in VARIANTS)
OTHERS = ("isotonic", *BINS, "platt")
CLOSE = 0.0025  # of the floor of the synthetic set, 7.7 %: the half-width of an interval or so


@dataclass(frozen=True)
class Sentence:
    """A sentence of the paper, in our words, and what decides on it."""

    where: str
    says: str
    needs: tuple[str, ...]
    judge: Callable[[Numbers], tuple[str, str]]


def table(numbers: Numbers) -> list[list[str]]:
    """Return a line for each sentence whose figures are there: where, what, verdict, why."""
    lines = []
    for sentence in SENTENCES:
        if all(name in numbers for name in sentence.needs):
            verdict, why = sentence.judge(numbers)
            shown = verdict if verdict == HOLDS else f"**{verdict}**"
            lines.append([sentence.where, sentence.says, shown, why])
    return lines


def _values(panel: Any) -> dict[str, float]:
    return {row["method"]: row["value"] for row in panel["rows"]}


def _curves(panel: Any) -> dict[str, list[float]]:
    return {curve["method"]: curve["value"] for curve in panel["curves"]}


def _percent(value: float, digits: int = 2) -> str:
    return f"{100 * value:.{digits}f} %"


def _furthest(values: Mapping[str, float], methods: tuple[str, ...], truth: float) -> str:
    return max(methods, key=lambda method: abs(values[method] - truth))


def _decided(*facts: bool) -> str:
    return HOLDS if all(facts) else IN_PART if any(facts) else NOT


def _figure_1(numbers: Numbers) -> tuple[str, str]:
    found = numbers["figure-1"]
    low, error = found["estimate"]["low"], found["model_error"]
    why = f"{_percent(found['estimate']['value'])}, at least {_percent(low)}, against "
    return _decided(low > error), why + _percent(error)


def _below_the_bound(numbers: Numbers) -> tuple[str, str]:
    found = numbers["figure-7"]["distributions"].values()
    pairs = [pair for one in found for pair in zip(one["exact"], one["bound"], strict=True)]
    ratio = max(abs(exact) / bound for exact, bound in pairs)
    return _decided(ratio < 1), f"The exact bias is at most {ratio:.2f} of the bound."


def _decay(numbers: Numbers) -> tuple[str, str]:
    found = numbers["figure-7"]["distributions"]
    a, b, c = (found[key] for key in "abc")
    fine = abs(a["slope_exact"] + 1) < 0.05 and abs(b["slope_exact"] + 0.5) < 0.05
    why = f"Exact slopes {a['slope_exact']:.3f} and {b['slope_exact']:.3f}; the exact bias of (c) "
    why += f"is {abs(c['exact'][2]):.0e} at 50 votes, so its line is noise."
    return _decided(fine, abs(c["exact"][2]) < 1e-10), why


def _corrupted_overestimates(numbers: Numbers) -> tuple[str, str]:
    panels = numbers["figure-4"]["panels"]
    shown = [(panel["title"], _values(panel)["corrupted"], panel["line"]) for panel in panels]
    parts = [f"{title} {_percent(value)} against {_percent(line)}" for title, value, line in shown]
    return _decided(*(value > 2 * line for _, value, line in shown)), "; ".join(parts) + "."


def _better_than_corrupted(numbers: Numbers) -> tuple[str, str]:
    facts, worst = [], (0.0, "")
    for panel in numbers["figure-4"]["panels"]:
        values, line = _values(panel), panel["line"]
        method = _furthest(values, CALIBRATORS, line)
        share = abs(values[method] - line) / abs(values["corrupted"] - line)
        facts.append(share < 0.5)
        worst = max(worst, (share, f"{method} on {panel['title']}"))
    why = f"The worst, {worst[1]}, is {100 * worst[0]:.0f} % as far from the line as `corrupted`."
    return _decided(*facts), why


def _bins_of_25(numbers: Numbers) -> tuple[str, str]:
    panel = next(p for p in numbers["figure-4"]["panels"] if p["title"] == "Fashion-MNIST")
    rows = {row["method"]: row for row in panel["rows"]}
    why = f"hist-25 {_percent(rows['hist-25']['value'])}, at least "
    why += f"{_percent(rows['hist-25']['low'])}, against {_percent(panel['line'])}; the other bins "
    why += f"{_percent(rows['hist-10']['value'])}. Its edges fall among ties."
    return _decided(rows["hist-25"]["low"] > panel["line"]), why


def _reasonable(numbers: Numbers) -> tuple[str, str]:
    panel = numbers["figure-4"]["panels"][0]
    values, floor = _values(panel), panel["line"]
    as_run = ("isotonic", "beta", "beta-am", "platt")
    method = _furthest(values, as_run, floor)
    off = [f"{name} {_percent(values[name])}" for name in VARIANTS]
    why = f"Synthetic, floor {_percent(floor)}: {method} is the furthest with "
    why += f"{_percent(values[method])}; fitted as defined, {' and '.join(off)}."
    fine = abs(values[method] - floor) < CLOSE
    return _decided(fine, *(abs(values[name] - floor) < CLOSE for name in VARIANTS)), why


def _all_corruptions(numbers: Numbers) -> tuple[str, str]:
    panels = numbers["figure-9"]["panels"]
    clean = _values(panels[0])["clean"]
    worst = []
    for methods in (("isotonic", *BINS, "beta", "beta-am"), ("platt",), VARIANTS):
        found = [
            (abs(values[method] - clean), method, values[method], panel["title"])
            for panel in panels
            for values in [_values(panel)]
            for method in methods
        ]
        worst.append(max(found))
    parts = [f"{method} {_percent(value)} at {title}" for _, method, value, title in worst]
    why = f"Against {_percent(clean)} from true probabilities, the furthest of isotonic, bins, "
    why += f"beta and beta-am is {parts[0]}; then {parts[1]}; as defined, {parts[2]}."
    return _decided(*(far < CLOSE for far, *_ in worst)), why


def _votes(numbers: Numbers) -> tuple[float, dict[str, list[float]], dict[str, list[float]]]:
    found = numbers["figure-10"]
    kept, violated = found["panels"]
    return found["clean"]["value"], _curves(kept), _curves(violated)


def _bins_like_isotonic(numbers: Numbers) -> tuple[str, str]:
    _, *panels = _votes(numbers)
    apart = max(
        abs(one - other)
        for curves in panels
        for method in BINS
        for one, other in zip(curves[method], curves["isotonic"], strict=True)
    )
    return _decided(apart < 0.005), f"Bins are within {100 * apart:.2f} points of isotonic."


def _beta_with_votes(numbers: Numbers) -> tuple[str, str]:
    clean, _, violated = _votes(numbers)
    beta, votes = violated["beta"], numbers["figure-10"]["votes"]
    rises = all(later > earlier for earlier, later in pairwise(beta))
    why = f"From {_percent(beta[0])} with {votes[0]} votes to {_percent(beta[-1])} with "
    why += (
        f"{votes[-1]}, against {_percent(clean)}. Mostly its library's clipping: see findings.md."
    )
    return _decided(rises, beta[-1] > clean + CLOSE), why


def _flat_and_fine(numbers: Numbers) -> tuple[str, str]:
    clean, _, violated = _votes(numbers)
    far = [abs(value - clean) for m in ("isotonic", *BINS) for value in violated[m]]
    small = violated["isotonic"][0]
    why = f"At most {100 * max(far):.2f} points off, isotonic {_percent(small)} with 3 votes."
    return _decided(max(far) < 0.01), why


def _better_with_votes(numbers: Numbers) -> tuple[str, str]:
    clean, kept, _ = _votes(numbers)
    methods = ("isotonic", *BINS, "beta")
    facts = [abs(kept[m][-1] - clean) < abs(kept[m][0] - clean) for m in methods]
    beats = [
        abs(iso - clean) < abs(beta - clean)
        for iso, beta in zip(kept["isotonic"], kept["beta"], strict=True)
    ]
    why = (
        f"Isotonic from {_percent(kept['isotonic'][0])} to {_percent(kept['isotonic'][-1])}, beta "
    )
    why += f"from {_percent(kept['beta'][0])} to {_percent(kept['beta'][-1])}; isotonic is nearer "
    why += f"for {sum(beats)} of {len(beats)} numbers of votes."
    return _decided(*facts, sum(beats) >= 0.8 * len(beats)), why


def _corrupted_with_votes(numbers: Numbers) -> tuple[str, str]:
    clean, kept, _ = _votes(numbers)
    found = kept["corrupted"]
    rises = all(later > earlier for earlier, later in pairwise(found))
    why = f"From {_percent(found[0])} to {_percent(found[-1])}, against {_percent(clean)}."
    return _decided(rises and found[0] > clean), why


def _order(numbers: Numbers) -> tuple[float, list[float], list[dict[str, list[float]]]]:
    found = numbers["figure-12"]
    return found["clean"]["value"], found["taus"], [_curves(panel) for panel in found["panels"]]


def _worse_out_of_order(numbers: Numbers) -> tuple[str, str]:
    clean, taus, panels = _order(numbers)
    least = [abs(curves[m][-1] - clean) for curves in panels for m in CALIBRATORS]
    most = [abs(curves[m][0] - clean) for curves in panels for m in CALIBRATORS]
    grows = [last > first for last, first in zip(least, most, strict=True)]
    why = f"At tau = {taus[-1]:.2f} estimates are {100 * min(least):.1f} to "
    why += f"{100 * max(least):.1f} points off."
    return _decided(*grows), why


def _order_kept(numbers: Numbers) -> tuple[str, str]:
    clean, taus, (plain, _) = _order(numbers)
    kept = [i for i, tau in enumerate(taus) if tau >= 0.95]
    as_run, as_defined = (
        max((abs(plain[m][i] - clean), m, taus[i]) for m in methods for i in kept)
        for methods in (AS_RUN, VARIANTS)
    )
    why = f"At tau of at least 0.95 {as_run[1]} is the furthest of eight, {100 * as_run[0]:.2f} "
    why += f"points at tau = {as_run[2]:.3f}; as defined, {as_defined[1]} is "
    why += f"{100 * as_defined[0]:.1f} points off whatever tau."
    return _decided(as_run[0] < CLOSE, as_defined[0] < CLOSE), why


def _beta_never_close(numbers: Numbers) -> tuple[str, str]:
    clean, _, (_, noisy) = _order(numbers)
    off = {m: abs(noisy[m][0] - clean) for m in (*BETAS, "isotonic")}
    why = f"At tau = 1 beta is {100 * off['beta']:.2f} points off, isotonic "
    why += f"{100 * off['isotonic']:.2f}: hardly a difference. As defined, beta-ab and beta-a are "
    why += f"{100 * off['beta-ab']:.1f} and {100 * off['beta-a']:.1f} points off."
    return _decided(off["beta"] > 2 * off["isotonic"], off["beta-a"] > 2 * off["isotonic"]), why


def _others_fairly_close(numbers: Numbers) -> tuple[str, str]:
    clean, _, (plain, noisy) = _order(numbers)
    with_votes = max(abs(noisy[m][0] - clean) for m in OTHERS)
    without = max(abs(plain[m][0] - clean) for m in OTHERS)
    why = f"At tau = 1 isotonic, bins and platt are at most {100 * with_votes:.2f} points off with "
    why += f"50 votes, {100 * without:.2f} without."
    return _decided(without < with_votes < 0.01), why


def _ranks(score: Mapping[str, float]) -> dict[str, int]:
    return {m: 1 + i for i, m in enumerate(sorted(score, key=lambda m: score[m]))}


MAIN_SETS = ("CIFAR-10", "Fashion-MNIST", "SNLI", "MNLI", "AbductiveNLI", "ICLR2017-2025")


def _among_the_best(numbers: Numbers) -> tuple[str, str]:
    sets = numbers["table-feebee"]["sets"]
    counts = {
        (m, kind): sum(_ranks(sets[name][kind])[m] <= 3 for name in MAIN_SETS)
        for m in ("isotonic", "platt")
        for kind in ("score", "published")
    }
    why = ", ".join(
        f"{m} is among the first three on {counts[m, 'score']} of the six sets of the first table "
        f"({counts[m, 'published']} in print)"
        for m in ("isotonic", "platt")
    )
    return _decided(*(counts[m, "score"] >= 4 for m in ("isotonic", "platt"))), f"{why}."


def _bins_sensitive(numbers: Numbers) -> tuple[str, str]:
    sets = numbers["table-feebee"]["sets"]
    ratio = {
        name: max(found["score"][m] for m in BINS) / min(found["score"][m] for m in BINS)
        for name, found in sets.items()
    }
    least, most = min(ratio, key=ratio.__getitem__), max(ratio, key=ratio.__getitem__)
    why = f"The worst number of bins has {ratio[least]:.1f} ({least}) to {ratio[most]:.1f} times "
    why += f"({most}) the score of the best."
    return _decided(sorted(ratio.values())[len(ratio) // 2] > 2), why


def _beta_varies(numbers: Numbers) -> tuple[str, str]:
    sets = numbers["table-feebee"]["sets"]
    years = [name for name in sets if name not in MAIN_SETS]
    poor = [name for name in MAIN_SETS if _ranks(sets[name]["score"])["beta"] > 3]
    first = [n for n in years if min(sets[n]["score"], key=sets[n]["score"].get) in BETAS]
    why = (
        f"Plain beta is behind the first three on {len(poor)} of six sets; a member of the family "
    )
    why += f"is first on {len(first)} of {len(years)} single years."
    return _decided(len(poor) >= 3, len(first) >= 5), why


SENTENCES = (
    Sentence(
        "1",
        "Shares of CIFAR-10H's votes, taken as they are, give a floor above the error of a Vision "
        "Transformer.",
        ("figure-1",),
        _figure_1,
    ),
    Sentence(
        "B.3",
        "The bias is smaller than its bound in all settings.",
        ("figure-7",),
        _below_the_bound,
    ),
    Sentence(
        "B.3",
        "The bias of (a) decays about like 1/m although the classes overlap, that of (b) like "
        "1/sqrt(m), and (c) is no straight line.",
        ("figure-7",),
        _decay,
    ),
    Sentence(
        "4.2",
        "Corrupted soft labels overestimate the floor severely.",
        ("figure-4",),
        _corrupted_overestimates,
    ),
    Sentence(
        "4.2",
        "Every calibrated estimate is far more reasonable than that.",
        ("figure-4",),
        _better_than_corrupted,
    ),
    Sentence(
        "4.2",
        "hist-25 on Fashion-MNIST is well above the error of a ResNet.",
        ("figure-4",),
        _bins_of_25,
    ),
    Sentence(
        "4.2",
        "isotonic, beta and its variants, and platt give reasonable estimates.",
        ("figure-4",),
        _reasonable,
    ),
    Sentence(
        "D.1",
        "Calibration prevents over- and underestimation for all six corruptions.",
        ("figure-9",),
        _all_corruptions,
    ),
    Sentence(
        "D.2",
        "isotonic and bins do about equally well.",
        ("figure-10",),
        _bins_like_isotonic,
    ),
    Sentence(
        "D.2",
        "Where the assumption is violated, beta gets worse with more votes and overestimates.",
        ("figure-10",),
        _beta_with_votes,
    ),
    Sentence(
        "D.2",
        "There isotonic and bins do well, even with few votes.",
        ("figure-10",),
        _flat_and_fine,
    ),
    Sentence(
        "D.2",
        "Where it holds, all methods improve with more votes, and isotonic and bins beat beta, "
        "most of all with few.",
        ("figure-10",),
        _better_with_votes,
    ),
    Sentence(
        "D.2",
        "There `corrupted` gets worse with more votes.",
        ("figure-10",),
        _corrupted_with_votes,
    ),
    Sentence(
        "4.3",
        "isotonic and platt are among the best by FeeBee on most sets.",
        ("table-feebee",),
        _among_the_best,
    ),
    Sentence(
        "4.3",
        "Bins do well or badly by their number.",
        ("table-feebee",),
        _bins_sensitive,
    ),
    Sentence(
        "4.3",
        "beta and its variants are much worse on many sets, and often the best on single years of "
        "ICLR.",
        ("table-feebee",),
        _beta_varies,
    ),
    Sentence(
        "D.5",
        "Estimates get worse as the order is lost.",
        ("figure-12",),
        _worse_out_of_order,
    ),
    Sentence(
        "D.5",
        "Without noise of votes all estimates can hardly be told from the floor at tau >= 0.95.",
        ("figure-12",),
        _order_kept,
    ),
    Sentence(
        "D.5",
        "From 50 votes beta and its variants never come close to the floor.",
        ("figure-12",),
        _beta_never_close,
    ),
    Sentence(
        "D.5",
        "The other methods come fairly close, less than without noise of votes.",
        ("figure-12",),
        _others_fairly_close,
    ),
)
