"""Metrics of both kinds of error: losses, prices and variances, by hand and by plain code."""

import numpy as np
import pytest
from scipy import stats

import errorfloor as ef
from errorfloor.metrics.choice import MetricChoice
from errorfloor.metrics.two_by_two import Binomial, TwoByTwo

TABLE = TwoByTwo(3.0, 2.0, 20.0, 10.0)
NAMES = ("error", "cost", "balanced-error", "f1", "mcc")


def how_of(name, **given):
    """Return how a metric follows from both kinds of error."""
    if name == "cost" and not given:
        given = {"costs": (1, 4)}
    return MetricChoice(name, **given).of(2).how


def test_tables_are_scaled_and_divided():
    assert TABLE.n == 30
    assert TABLE.scaled(2).parts == (6, 4, 40, 20)
    many = TwoByTwo(np.array([1, 2, 3]), np.array([4, 5, 6]), 10, 5).at([0, 2])
    assert (many.false_positives.tolist(), many.false_negatives.tolist()) == ([1, 3], [4, 6])


@pytest.mark.parametrize("name", NAMES)
def test_losses_of_many_rules_are_those_of_each(name):
    how = how_of(name)
    rules = TwoByTwo(np.array([3.0, 0.0, 7.0]), np.array([2.0, 1.0, 0.0]), 20.0, 10.0)
    found, like = how.of(rules), how.like(rules)
    for i in range(3):
        one = rules.at(i)
        assert found[i] == pytest.approx(float(how.of(one)))
        alone = how.like(one)
        assert like.at(i).successes == pytest.approx(float(alone.successes))
        assert like.at(i).quantile(0.1) == pytest.approx(float(alone.quantile(0.1)))


def test_costs_vary_as_a_share_of_the_same_moments():
    how = how_of("cost")
    assert how.of(TABLE) == pytest.approx(11 / 30)
    assert how.price(TABLE) == pytest.approx((1 / 30, 4 / 30))
    like = how.like(TABLE)
    # Costs of 1 and 4 have the second moment 35 / 30, as one of `scale` in 11 / scale of 30 has.
    assert (like.scale, like.trials) == (pytest.approx(35 / 11), 30)
    assert like.scale * like.successes / like.trials == pytest.approx(11 / 30)
    assert like.deviation**2 * 30 == pytest.approx(35 / 30 - (11 / 30) ** 2)
    none = how.like(TwoByTwo(0.0, 0.0, 20.0, 10.0))
    assert (none.scale, none.successes) == (4, 0)
    assert how.of(TwoByTwo(0.0, 0.0, 0.0, 0.0)) == 0


def test_a_balanced_error_varies_as_two_shares_do():
    how = how_of("balanced-error")
    assert how.of(TABLE) == pytest.approx((3 / 20 + 2 / 10) / 2)
    assert how.price(TABLE) == pytest.approx((0.025, 0.05))
    like = how.like(TABLE)
    assert like.scale * like.successes / like.trials == pytest.approx(float(how.of(TABLE)))
    variance = (0.15 * 0.85 / 20 + 0.2 * 0.8 / 10) / 4
    assert like.deviation**2 == pytest.approx(variance)
    none = how.like(TwoByTwo(0.0, 0.0, 20.0, 10.0))
    assert (none.successes, none.trials, none.scale) == (0, 1, 1)
    assert how.of(TwoByTwo(0.0, 0.0, 0.0, 10.0)) == 0


def test_missed_items_are_those_of_f1():
    how = how_of("f1")
    assert how.of(TABLE) == pytest.approx(5 / 13)
    assert how.link(5 / 13) == pytest.approx(2 * 8 / (2 * 8 + 5))
    like = how.like(TABLE)
    assert (like.successes, like.trials, like.scale) == pytest.approx((5, 13, 1))
    assert how.of(TwoByTwo(0.0, 0.0, 5.0, 0.0)) == 0


def test_the_correlation_of_label_and_decision_is_that_of_items():
    how = how_of("mcc")
    label = np.repeat([1, 1, 0, 0], [8, 2, 3, 17])
    decision = np.repeat([1, 0, 1, 0], [8, 2, 3, 17])
    assert how.link(how.of(TABLE)) == pytest.approx(np.corrcoef(label, decision)[0, 1])
    more = how.of(TwoByTwo(4.0, 2.0, 20.0, 10.0)) - how.of(TABLE)
    other = how.of(TwoByTwo(3.0, 3.0, 20.0, 10.0)) - how.of(TABLE)
    assert how.price(TABLE) == pytest.approx((more, other))
    assert min(more, other) > 0
    # All decisions alike, or all labels.
    for alike in (TwoByTwo(0.0, 10.0, 20.0, 10.0), TwoByTwo(2.0, 0.0, 20.0, 0.0)):
        assert how.of(alike) == 0.5
        assert how.like(alike).trials == alike.n


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("table", [(3.0, 2.0, 20.0, 10.0), (1.0, 4.0, 31.0, 7.0)])
def test_slopes_are_those_of_small_steps(name, table):
    how, found = how_of(name), []
    for step in 1e-5 * np.eye(4):
        up, down = (how.of(TwoByTwo(*(table + side))) for side in (step, -step))
        found.append(float(up - down) / 2e-5)
    assert how.slopes(TwoByTwo(*table)) == pytest.approx(found, rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("name", ["f1", "mcc"])
@pytest.mark.parametrize("cells", [(8, 2, 3, 17), (3, 4, 1, 30), (20, 5, 2, 3)])
def test_variances_are_those_of_the_delta_method(name, cells):
    """Compare the variance with numerical derivatives by the shares of four kinds of items."""
    how, n = how_of(name), sum(cells)
    p = np.array(cells) / n

    def loss(tp, fn, fp, tn):
        return float(how.of(TwoByTwo(fp, fn, fp + tn, tp + fn)))

    slopes = np.array(
        [(loss(*(p + 1e-6 * own)) - loss(*(p - 1e-6 * own))) / 2e-6 for own in np.eye(4)]
    )
    variance = (p @ slopes**2 - (p @ slopes) ** 2) / n
    tp, fn, fp, tn = map(float, cells)
    like, usual = how.like(TwoByTwo(fp, fn, fp + tn, tp + fn)), loss(*p) * (1 - loss(*p))
    assert like.trials == pytest.approx(min(usual / variance, n), rel=1e-4)
    assert like.successes == pytest.approx(loss(*p) * like.trials)
    assert like.scale == 1


def test_a_binomial_share_deviates_as_it_should():
    assert Binomial(4.0, 16.0, 2.0).deviation == pytest.approx(2 * (0.25 * 0.75 / 16) ** 0.5)
    assert Binomial(17.0, 16.0, 1.0).deviation == 0  # rounding above all trials


def test_quantiles_of_losses_are_those_of_binomial_shares():
    parts = [0.0, 3.0, 2.5, 9.0], [20.0, 20.0, 31.5, 8.0], [1.0, 1.0, 0.4, 2.0]
    beta = stats.beta.ppf
    expected = [0.0, beta(0.05, 3, 18), 0.4 * beta(0.05, 2.5, 30), 2.0]
    assert Binomial(*map(np.array, parts)).quantile(0.05) == pytest.approx(expected)
    alone = [Binomial(*one).quantile(0.05) for one in zip(*parts, strict=True)]
    assert alone == pytest.approx(expected)


@pytest.mark.parametrize("design", [{}, {"weight": 1 + np.arange(1200) % 3}])
def test_metrics_say_which_class_they_miss(design):
    scores, none = np.arange(1200) / 1200, np.zeros(1200)
    if not design:
        with pytest.raises(ef.InputError, match="F1 needs positive items, and all 1,200 labels"):
            ef.from_scores(scores, none, metric="f1")
        with pytest.raises(ef.InputError, match="needs items of both classes"):
            ef.from_scores(scores, none + 1, metric="mcc")
    with pytest.raises(ef.InputError, match=r"needs items of both classes, and all 1,200 .* are 1"):
        ef.from_scores(scores, none + 1, metric="balanced-error", **design)
