"""Limits from both kinds of error of cuts, and of rules: by hand, and against slow code."""

import numpy as np
import pytest
from frozen import newer
from scipy import stats

import errorfloor as ef
from errorfloor import intervals, methods
from errorfloor.data.sample import Sample, split
from errorfloor.intervals import weighted_cuts
from errorfloor.intervals.cuts import CutErrors
from errorfloor.intervals.held_out import worth_of_correlated
from errorfloor.intervals.seeds import Seed, Streams
from errorfloor.intervals.weighted import WeightedErrors
from errorfloor.intervals.weighted_cuts import CutTables, WeightedCutTables, lower_of, upper_of
from errorfloor.methods.cuts import flat_items
from errorfloor.methods.record import Classes, Series
from errorfloor.metrics import named
from errorfloor.metrics.two_by_two import Balanced, Binomial, Cost, Missed, TwoByTwo

LEVEL = 0.9
Z = stats.norm.ppf(0.95)


def beta(a, b, q):
    return stats.beta.ppf(q, a, b)


def test_lower_limits_of_losses_are_those_of_binomial_shares():
    like = Binomial(np.array([0.0, 3.0, 2.5, 9.0]), np.array([20.0, 20.0, 31.5, 8.0]),
                    np.array([1.0, 1.0, 0.4, 2.0]))  # fmt: skip
    expected = [0.0, beta(3, 18, 0.05), 0.4 * beta(2.5, 30, 0.05), 2 * beta(9, 1, 0.05)]
    assert lower_of(like, 0.05) == pytest.approx(expected)


def test_upper_limits_of_losses_allow_for_one_more_of_the_worse_error():
    # One more false negative: costs of 2 * 1 and 5 * 4, or 3 * 1 and 4 * 4.
    table = TwoByTwo(2.0, 4.0, 30.0, 20.0)
    found = []
    for fp, fn in ((3, 4), (2, 5)):
        total, squares = fp + 4 * fn, fp + 16 * fn
        scale = squares / total
        found.append(scale * beta(total / scale, 50 - total / scale + 1, 0.95))
    assert found[1] > found[0]
    assert upper_of(Cost(1.0, 4.0), table, 0.05) == pytest.approx(found[1])
    assert upper_of(Cost(4.0, 1.0), TwoByTwo(4.0, 2.0, 20.0, 30.0), 0.05) == pytest.approx(found[1])
    # All are wrong, and one more: nothing is behind.
    assert upper_of(Cost(1.0, 1.0), TwoByTwo(3.0, 4.0, 3.0, 4.0), 0.05) == 1.0


def test_limits_of_cuts_are_the_least_of_near_ones_and_those_of_held_out_items():
    near = Binomial(np.array([6.0, 5.0, 2.0]), np.array([50.0, 40.0, 9.0]), np.ones(3))
    held_out = TwoByTwo(3.0, 5.0, 30.0, 20.0)
    worth = worth_of_correlated(0.6, 0.05)
    n = 50 * worth
    found = CutTables("", Cost(1.0, 1.0), near, held_out, 0.6).limits(LEVEL)
    low = min(beta(6, 45, 0.05), beta(5, 36, 0.05), beta(2, 8, 0.05))
    high = beta(8 * worth + 1, n - 8 * worth, 0.95)
    assert found == pytest.approx((low, high))
    # F1 is 2 (1 - loss) / (2 - loss), and falls with it.
    turned = CutTables("", Missed(), near, held_out).limits(LEVEL)
    # Of 8 + 1 errors among 20 + 3 + 1 items or 20 + 3.
    loss = max(beta(9, 24 - 9 + 1, 0.95), beta(9, 23 - 9 + 1, 0.95))
    assert turned == pytest.approx((2 * (1 - loss) / (2 - loss), 2 * (1 - low) / (2 - low)))


def test_weighted_cuts_count_as_what_their_units_tell():
    near = TwoByTwo(np.array([3.0, 2.0]), np.array([2.0, 5.0]), 30.0, 20.0)
    held_out = TwoByTwo(3.0, 5.0, 30.0, 20.0)
    known = (Z / stats.t.ppf(0.95, 6)) ** 2
    worth = known * worth_of_correlated(0.6, 0.05)
    found = WeightedCutTables("", Cost(1.0, 1.0), near, held_out, 6.0, 0.6).limits(LEVEL)
    low = beta(5 * known, 45 * known + 1, 0.05)
    assert found == pytest.approx((low, beta(8 * worth + 1, 42 * worth, 0.95)))


def test_errors_held_out_have_exact_limits():
    found = CutErrors("", 3, 40, 5, 30).limits(LEVEL)
    assert found == pytest.approx((beta(3, 38, 0.05), beta(6, 25, 0.95)))
    # Coin flips: 20 of 25 held-out errors' variance.
    flat = CutErrors("", 3, 40, 15, 30, flat=12.0)
    assert flat.correlated == pytest.approx(12 / 4 / 7.5)
    worth = worth_of_correlated(0.4, 0.05)
    assert flat.limits(LEVEL)[1] == pytest.approx(beta(15 * worth + 1, 15 * worth, 0.95))
    assert CutErrors("", 3, 40, 15, 30, flat=60.0).correlated == 1
    assert CutErrors("", 3, 40, 0, 30, flat=60.0).correlated == 0
    assert CutErrors("", 3, 40, 30, 30, flat=60.0).correlated == 0
    assert CutErrors("", 0, 0, 0, 0, flat=60.0).correlated == 0


def test_weighted_errors_count_as_equal_items():
    known = (Z / stats.t.ppf(0.95, 6)) ** 2
    found = WeightedErrors("", 0.1, 40.0, 0.2, 30.0, 6.0, 0.6).limits(LEVEL)
    n, held = 40 * known, 30 * known * worth_of_correlated(0.6, 0.05)
    expected = beta(0.1 * n, 0.9 * n + 1, 0.05), beta(0.2 * held + 1, 0.8 * held, 0.95)
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("most", [2**12, 3])
def test_cuts_near_the_best_are_those_within_two_standard_deviations(most, monkeypatch):
    monkeypatch.setattr(weighted_cuts, "_MOST_CUTS", most)
    rng = np.random.default_rng(0)
    fp, fn = np.arange(30.0)[::-1], np.sort(rng.integers(0, 25, 30)).astype(float)
    every = TwoByTwo(fp, fn, 60.0, 40.0)
    costs = (fp + 2 * fn) / 100
    best = int(costs.argmin())
    each = np.repeat(
        [1.0, 2.0, 0.0], [int(fp[best]), int(fn[best]), 100 - int(fp[best] + fn[best])]
    )
    # A share of the same mean and variance: of costs that are 0 or one number.
    scale = (each**2).sum() / each.sum()
    share = each.mean() / scale
    reach = scale * np.sqrt(share * (1 - share) / 100)
    near = [i for i in range(30) if costs[i] <= costs[best] + 2 * reach]
    assert 3 < len(near) < 30
    near = near[:: int(np.ceil(len(near) / most))]
    found = weighted_cuts._near(Cost(1.0, 2.0), every)
    assert found.false_positives.tolist() == [*fp[near], fp[best]]
    assert found.false_negatives.tolist() == [*fn[near], fn[best]]
    assert (found.negatives, found.positives) == (60, 40)


def sample(n, seed=1):
    rng = np.random.default_rng(seed)
    scores = rng.random(n).round(2)
    return scores, (rng.random(n) < 0.2 + 0.6 * scores).astype(int)


@pytest.mark.parametrize("loss", [Cost(1.0, 3.0), Balanced()])
def test_folds_are_held_out_in_turn_and_flat_items_are_correlated(loss):
    scores, labels = sample(120)
    table = ef.ScoreTable.from_arrays(scores, labels)
    given = {"costs": (1, 3)} if isinstance(loss, Cost) else {}
    metric = "cost" if given else "balanced-error"
    found = ef.from_scores(table, metric=metric, interval="honest", rng=5, **given).evidence
    cells = table.cells()
    folds = split(cells.count, 10, Streams.of(Seed.of(5).begin()).for_("folds"))
    cut_at = np.arange(cells.count.size + 1)

    def errors(cut, counts):
        below = np.arange(counts.size) < cut
        fp, fn = counts @ (~below & ~cells.positive), counts @ (below & cells.positive)
        ones = counts @ cells.positive
        return TwoByTwo(float(fp), float(fn), float(counts.sum() - ones), float(ones))

    def best(counts):
        return min(cut_at, key=lambda cut: loss.of(errors(cut, counts)))

    parts = [errors(best(cells.count - fold), fold) for fold in folds]
    assert found.held_out.false_positives == sum(part.false_positives for part in parts)
    assert found.held_out.false_negatives == sum(part.false_negatives for part in parts)
    assert found.held_out.positives == labels.sum()
    assert found.held_out.negatives == 120 - labels.sum()
    # The variance that flat items have, by the price of their errors, among that of all.
    own = errors(best(cells.count), cells.count)
    if given:
        one, other = 1 / 120, 3 / 120
    else:
        one, other = 0.5 / own.negatives, 0.5 / own.positives
    flat = weighted_cuts.flat_items((one, other), table.negatives, table.positives)
    assert flat > 0
    variance = float(loss.like(found.held_out).deviation) ** 2
    assert found.correlated == pytest.approx(min(flat * one * other / 4 / variance, 1))


def test_limits_of_cuts_without_any_loss():
    scores, labels = np.arange(20) / 20, np.repeat([0, 1], 10)
    found = ef.from_scores(scores, labels, metric="cost", costs=(1, 2), interval="honest", rng=0)
    assert found.evidence.correlated in (0.0, 1.0)
    assert found.low == 0
    assert 0 < found.high < 1


def test_items_are_joined_only_where_they_are_very_many(monkeypatch):
    seen, joined = [], Sample.joined

    def watched(self, most):
        seen.append(most)
        return joined(self, most)

    monkeypatch.setattr(Sample, "joined", watched)
    monkeypatch.setattr(weighted_cuts, "_MANY_ITEMS", 120)
    for n in (120, 121):
        scores, labels = sample(n)
        ef.from_scores(scores, labels, metric="cost", costs=(1, 3), interval="honest", rng=5)
    assert seen == [2**16]


@pytest.mark.parametrize("given", [{}, {"metric": "cost", "costs": (1, 2)}])
def test_weighted_cuts_without_any_error_have_nothing_in_common(given):
    scores, labels = np.arange(20) / 20, np.repeat([0, 1], 10)
    weight = 1 + np.arange(20) % 3
    found = ef.from_scores(scores, labels, weight=weight, interval="honest", rng=0, **given)
    held_out = found.evidence
    assert found.low == 0
    assert 0 <= held_out.correlated <= 1
    # One fold may leave out what tells the cut: without an error there is no variance.
    wrong = getattr(held_out, "held_out_share", None)
    if wrong == 0:
        assert held_out.correlated == 0


def test_flat_weighted_items_are_correlated():
    rng = np.random.default_rng(3)
    scores, labels = rng.random(150).round(2), rng.integers(0, 2, 150)
    weight = rng.integers(1, 4, 150)
    found = ef.from_scores(scores, labels, weight=weight, interval="honest", rng=1).evidence
    unit = (weight**2).sum() / weight.sum()
    masses = np.array([[weight[(scores == s) & (labels == y)].sum() for y in (0, 1)]
                       for s in np.unique(scores)]) / unit  # fmt: skip
    flat = flat_items(masses[:, 0], masses[:, 1])
    share = found.held_out_share
    variance = weight.sum() / unit * share * (1 - share)
    assert flat > 0
    assert found.correlated == pytest.approx(min(flat / 4 / variance, 1))


# What scores of no use leave: errors held out above those of guessing, and floors that are not.


def limits_of_scores():
    """Yield each method for scores that says that its limits hold its value, and with what."""
    refuted = ("top1", "corrupted")  # by values above guessing, which stay as they are
    resampled = ("bca", "basic", "percentile")  # of which none is promised to hold the value
    for one in methods.RECORDS:
        method = one.make(4) if isinstance(one, Series) else one
        if method.reads != ef.ScoreTable.kind or method.name in refuted:
            continue
        for metric in method.metrics:
            for kind in intervals.of(method).values():
                if kind.name not in resampled:
                    yield pytest.param(
                        method,
                        named(metric),
                        kind,
                        id=f"{method.classes.name}-{method.name}-{metric}-{kind.name}",
                    )


def noise(classes, n, rng):
    scores = rng.random(n) if classes == 2 else rng.dirichlet(np.ones(classes), n)
    labels = rng.integers(classes, size=n).astype(float)
    labels[:classes] = range(classes)
    return scores, labels


@pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")
@pytest.mark.parametrize(("method", "metric", "kind"), list(limits_of_scores()))
def test_values_lie_within_their_limits_and_what_the_metric_can_be(method, metric, kind):
    classes = 2 if method.classes is Classes.TWO else 3
    options = {"method": method.name, "metric": metric.name, "interval": kind.name}
    options |= newer.GIVEN.get(metric.name, {})
    if metric.name == "cost":
        options["costs"] = newer.COSTS[method.classes]
    weighted = method.weighs(metric) and kind.weighs(metric)
    for seed in range(9):
        rng = np.random.default_rng(seed)
        scores, labels = noise(classes, (30, 80, 12)[seed % 3], rng)
        if method.partly:
            options["unlabelled"] = True
            labels[classes:][rng.random(labels.size - classes) < 0.5] = np.nan
        for more in ({}, {"weight": rng.uniform(0.5, 3, labels.size)})[: 1 + weighted]:
            try:
                found = ef.from_scores(scores, labels, rng=seed, **options, **more)
            except ef.InputError:  # too few items for some intervals
                assert labels.size == 12
                continue
            least, most = found.measure.span(classes)
            ends = np.array([least, found.low, found.value, found.high, most])
            assert (np.diff(ends) >= -1e-12).all()
