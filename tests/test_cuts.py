"""The best threshold by each metric of both kinds of error: answers against plain code."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from strategies import labelled_scores

import errorfloor as ef
from errorfloor import methods
from errorfloor.data.sample import Sample
from errorfloor.intervals.honest import Honest, worth_of_correlated, worth_of_freedom
from errorfloor.intervals.record import Seed, Streams
from errorfloor.methods import cuts
from errorfloor.methods.fitted import sides_of_errors
from errorfloor.methods.record import Options
from errorfloor.metrics.choice import MetricChoice

pytestmark = pytest.mark.usefixtures("folds_once")

N = 160
RNG = np.random.default_rng(11)
SCORES = RNG.random(N).round(1)
LABELS = RNG.random(N) < 0.1 + 0.8 * SCORES
WEIGHTS = RNG.uniform(0.5, 3.0, N)
CLUSTERS = RNG.integers(90, size=N)
DESIGNS = {
    "none": {},
    "weights": {"weight": WEIGHTS},
    "clusters": {"cluster": CLUSTERS},
    "both": {"weight": WEIGHTS, "cluster": CLUSTERS},
}
SEED, LEVEL, TAIL = 5, 0.9, 0.05


@dataclass
class Plain:
    """A metric as a user would write it down: of errors, and of items of both classes."""

    given: dict
    of: object
    sign: int = 1  # -1 where more is better
    span: tuple = (0.0, 0.5)
    weighs: bool = True


def costs_of(one, other):
    def cost(fp, fn, zeros, ones):
        return (one * fp + other * fn) / (zeros + ones)

    return Plain(
        {"metric": "cost", "costs": (one, other)}, cost, span=(0, one * other / (one + other))
    )


def balanced(fp, fn, zeros, ones):
    return Fraction(1, 2) * fp / zeros + Fraction(1, 2) * fn / ones


def f1(fp, fn, zeros, ones):
    return 2 * (ones - fn) / (2 * (ones - fn) + fp + fn)


def mcc(fp, fn, zeros, ones):
    tp, tn = ones - fn, zeros - fp
    product = float((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    return float(tp * tn - fp * fn) / product**0.5 if product > 0 else 0.0


def error(fp, fn, zeros, ones):
    return (fp + fn) / (zeros + ones)


METRICS = {
    "error": Plain({}, error, span=(0, 1)),
    "cost": costs_of(1, 3),
    "cost of fractions": costs_of(0.75, 1.3),
    "balanced error": Plain({"metric": "balanced-error"}, balanced),
    "f1": Plain({"metric": "f1"}, f1, -1, (0, 1), weighs=False),
    "mcc": Plain({"metric": "mcc"}, mcc, -1, (0, 1), weighs=False),
}
EVERY = [
    pytest.param(metric, design, id=f"{metric}, {design}")
    for metric in METRICS
    for design in DESIGNS
    if METRICS[metric].weighs or design == "none"
]
every = pytest.mark.parametrize(("metric", "design"), EVERY)


def cells_of(design):
    return ef.ScoreTable.from_arrays(SCORES, LABELS, **DESIGNS[design]).cells()


def whole(masses):
    """Return numbers that add up without rounding: ties are exact."""
    return [Fraction(float(one)) for one in masses]


def every_cut(sample, masses):
    """Return both kinds of error, and both classes, of all cuts, that below all rows first."""
    zeros, ones = ([0] * len(sample.seen) for _ in range(2))
    for row, yes, mass in zip(sample.row.tolist(), sample.positive.tolist(), masses, strict=True):
        (ones if yes else zeros)[row] += mass
    rows = range(len(zeros) + 1)
    below, passed = ([0, *accumulate(own)] for own in (ones, zeros))
    return [(passed[-1] - passed[cut], below[cut], passed[-1], below[-1]) for cut in rows]


def best_cut(metric, sample, masses):
    """Return the best cut, of several the lowest."""
    found = [metric.sign * metric.of(*table) for table in every_cut(sample, masses)]
    return found.index(min(found))


def best_value(metric, sample, masses):
    tables = every_cut(sample, masses)
    return float(metric.of(*tables[best_cut(metric, sample, masses)]))


def folds_of(sample):
    """Return the parts that an answer holds out in turn."""
    rng = Streams.of(Seed.of(SEED).begin()).for_("folds")
    return [np.asarray(part, dtype=np.int64) for part in sample.parts(10, rng)]


def held_out(metric, sample):
    """Return errors of the cut of all others by what they weigh, and how many in each cell."""
    wrong = np.zeros(len(sample), dtype=int)
    for part in folds_of(sample):
        cut = best_cut(metric, sample, whole((sample.count - part) * sample.each))
        wrong += part * ((sample.row >= cut) != sample.positive)
    masses = whole(wrong * sample.each)
    zeros, ones = every_cut(sample, whole(sample.masses))[0][2:]
    fp = sum(mass for mass, yes in zip(masses, sample.positive, strict=True) if not yes)
    return (fp, sum(masses) - fp, zeros, ones), wrong


@every
def test_the_midpoint_is_that_of_its_own_items_and_of_items_held_out(metric, design):
    plain, sample = METRICS[metric], cells_of(design)
    own = best_value(plain, sample, whole(sample.masses))
    other = float(plain.of(*held_out(plain, sample)[0]))
    given = {**plain.given, **DESIGNS[design], "rng": SEED, "method": "isotonic-cf"}
    for interval in (None, "honest"):
        found = ef.from_scores(SCORES, LABELS, interval=interval, **given)
        expected = (own + min(max(other, plain.span[0]), plain.span[1])) / 2
        assert found.value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("weighted", [False, True])
def test_without_an_item_the_best_cut_is_that_of_the_others(metric, weighted):
    plain = METRICS[metric]
    if weighted and not plain.weighs:
        return
    sample = cells_of("weights" if weighted else "none")
    asked = MetricChoice(plain.given.get("metric", "error"), costs=plain.given.get("costs")).of(2)
    own = methods.find("isotonic", metric=asked.name).bind(sample, Options(metric=asked))
    found = own.leave_one_out()
    fewer = sample.count - np.eye(len(sample), dtype=int)
    exact = np.array([best_value(plain, sample, whole(one * sample.each)) for one in fewer])
    if weighted and metric == "balanced error":  # that of the cut which is best with all items
        assert (found >= exact - 1e-12).all()
        assert np.mean(found < exact + 1e-12) > 0.9
    else:
        assert found == pytest.approx(exact, abs=1e-12)
    assert own.values(fewer, RNG) == pytest.approx(exact, abs=1e-12)


# Limits


def unclear(prices, negatives, positives):
    """Return how many items lie where no cut is clearly best, every cut one at a time."""
    one, other = prices
    losses = [
        other * sum(positives[:cut]) + one * sum(negatives[cut:])
        for cut in range(len(negatives) + 1)
    ]
    best, flat = losses.index(min(losses)), 0.0
    for side, price in ((range(best + 1), one), (range(len(negatives), best - 1, -1), other)):
        for cut in side:  # the farthest first
            between = slice(min(cut, best), max(cut, best))
            items = sum(negatives[between]) + sum(positives[between])
            more = losses[cut] - losses[best]
            if more**2 <= 9 * one * other * items * (1 + 1e-9):
                errors = max((items * price - more) / (one + other), 0)
                flat += max(errors - 1.5 * errors**0.5, 0) * (one + other) / price
                break
    return flat


def beta(a, b, q):
    return stats.beta.ppf(q, a, b)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("coins", [False, True])
def test_honest_limits_of_the_error_are_exact_on_either_side(design, coins):
    labels = np.random.default_rng(2).random(N) < 0.5 if coins else LABELS
    table = ef.ScoreTable.from_arrays(SCORES, labels, **DESIGNS[design])
    sample, plain = table.cells(), METRICS["error"]
    masses = whole(sample.masses)
    ill = (sample.row >= best_cut(plain, sample, masses)) != sample.positive
    own, n = sample.share_and_size(np.where(ill, sample.count, 0))
    held, held_n = sample.share_and_size(held_out(plain, sample)[1])
    zeros, ones = sample.by_row(sample.masses / sample.unit)
    flat = unclear((1.0, 1.0), zeros.tolist(), ones.tolist())
    assert flat > 0
    share = min(flat / 4 / (sample.units * held * (1 - held)), 1)
    known = worth_of_freedom(sample.freedom, TAIL)
    n, held_n = n * known, held_n * known * worth_of_correlated(share, TAIL)
    found = ef.from_scores(
        SCORES, labels, interval="honest", level=LEVEL, rng=SEED, **DESIGNS[design]
    )
    low = beta(own * n, (1 - own) * n + 1, TAIL)
    high = min(beta(held * held_n + 1, (1 - held) * held_n, 1 - TAIL), 0.5)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)


def binomial_cost(one, other, fp, fn, n):
    """Return a binomial share of the same mean and variance as costs: errors, items, scale."""
    scale = (one**2 * fp + other**2 * fn) / (one * fp + other * fn)
    return (one * fp + other * fn) / scale, n, scale


def test_honest_limits_of_a_cost_are_those_of_binomial_shares():
    sample, plain = cells_of("none"), METRICS["cost"]
    tables = every_cut(sample, sample.count.tolist())
    losses = np.array([plain.of(*one) for one in tables])
    shares = [binomial_cost(1, 3, one[0], one[1], N) for one in tables]
    k, n, scale = shares[int(losses.argmin())]
    reach = scale * (k / n * (1 - k / n) / n) ** 0.5
    near = [shares[i] for i in np.flatnonzero(losses <= losses.min() + 2 * reach)]
    assert 1 < len(near) < len(shares)
    low = min(scale * beta(k, n - k + 1, TAIL) for k, n, scale in near)
    fp, fn = (int(one) for one in held_out(plain, sample)[0][:2])
    zeros, ones = sample.by_row(sample.count)
    flat = unclear((1 / N, 3 / N), zeros.tolist(), ones.tolist())
    k, n, scale = binomial_cost(1, 3, fp, fn, N)
    share = min(flat * 3 / N**2 / 4 / (scale**2 * k / n * (1 - k / n) / n), 1)
    worth = worth_of_correlated(share, TAIL)
    more = [(fp * worth + 1, fn * worth), (fp * worth, fn * worth + 1)]  # of either kind
    ends = [binomial_cost(1, 3, *one, N * worth) for one in more]
    high = max(scale * beta(k, n - k + 1, 1 - TAIL) for k, n, scale in ends)
    found = ef.from_scores(SCORES, LABELS, interval="honest", level=LEVEL, rng=SEED, **plain.given)
    assert (found.low, found.high) == pytest.approx((low, min(high, 0.75)), abs=1e-9)


@given(st.integers(1, 300), st.data())
def test_limits_of_errors_are_clopper_pearsons(n, data):
    errors, held = sorted(data.draw(st.integers(0, n)) for _ in range(2))
    low, high = Honest(sides_of_errors((errors, n), (held, n))).limits(LEVEL)
    assert low == pytest.approx(stats.binomtest(errors, n).proportion_ci(LEVEL).low, abs=1e-9)
    assert high == pytest.approx(stats.binomtest(held, n).proportion_ci(LEVEL).high, abs=1e-9)


@pytest.mark.parametrize(
    "given", [{}, {"metric": "cost", "costs": (1, 2)}, {"metric": "balanced-error"}]
)
@pytest.mark.parametrize("design", [{}, {"weight": 1 + np.arange(20) % 3}])
def test_cuts_without_any_error_have_limits_above_0(given, design):
    scores, labels = np.arange(20) / 20, np.repeat([0, 1], 10)
    found = ef.from_scores(
        scores, labels, interval="honest", rng=0, **given, method="isotonic", **design
    )
    assert found.low == found.value == 0
    assert 0 < found.high < 0.5


@pytest.mark.parametrize(
    "given", [{}, {"metric": "cost", "costs": (1, 3)}, {"metric": "balanced-error"}]
)
def test_rows_are_joined_only_where_items_are_very_many(given, monkeypatch):
    asked, joined = [], Sample.joined
    monkeypatch.setattr(
        Sample, "joined", lambda self, most: (asked.append(most), joined(self, most))[1]
    )
    monkeypatch.setattr(cuts, "MANY_ITEMS", N)
    limits = []
    for n in (N, N - 1):
        monkeypatch.setattr(cuts, "MANY_ITEMS", n)
        found = ef.from_scores(SCORES, LABELS, interval="honest", rng=SEED, **given)
        limits.append((found.low, found.high))
    assert asked == [2**16]
    assert limits[0] == pytest.approx(limits[1], abs=0.02)


def test_blocks_of_rows_are_held_out_nearly_as_rows_are(monkeypatch):
    rng = np.random.default_rng(3)
    scores = rng.random(2000)
    labels, weight = rng.random(2000) < scores, rng.uniform(1, 2, 2000)
    high = []
    for most in (2**14, 64):
        monkeypatch.setattr(cuts, "MOST_ROWS", most)
        found = ef.from_scores(scores, labels, weight=weight, interval="honest", rng=SEED)
        high.append(found.high)
    assert high[0] != high[1]
    assert high[0] == pytest.approx(high[1], abs=0.01)


@pytest.mark.filterwarnings("ignore::errorfloor.DoubtWarning")  # of so few positives
def test_cuts_that_leave_all_items_on_one_side_do_not_open_the_limits_of_mcc():
    # The best threshold on ten positives is hardly better than none, whose MCC is 0.
    scores = np.sort(np.random.default_rng(1).random(200))
    labels = np.isin(np.arange(200), np.linspace(5, 194, 10).astype(int))
    found = ef.from_scores(scores, labels, metric="mcc", interval="honest", rng=0)
    assert found.low == 0
    assert found.value < 0.1
    assert found.high < 0.5


# Which cut it is


@pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")
@given(labelled_scores(both_classes=True))
def test_a_rule_never_tells_labels_of_one_score_apart(data):
    scores, labels = data
    weight = 1 + np.arange(len(scores)) % 7
    found = ef.from_scores(scores, labels, weight=weight, method="isotonic", interval=None)
    wrong = min(weight @ ((scores > cut) != labels) for cut in np.append(np.unique(scores), -1.0))
    assert found.value == pytest.approx(wrong / weight.sum(), abs=1e-12)
