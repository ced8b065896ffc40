"""Parts of the methods for scores of many classes: numbers by hand, and slow, obvious code."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression

import errorfloor as ef
from errorfloor.data.sample import Sample
from errorfloor.methods.calibration import ClassCalibration
from errorfloor.methods.prediction_powered import Moments, PoweredOffsets, post_stratified
from errorfloor.methods.record import Options
from errorfloor.methods.rules import fewest, offsets
from errorfloor.methods.rules.fewest import (
    TIE,
    Rule,
    best_place,
    fewest_errors,
    needed_errors,
    pair_errors,
)
from errorfloor.methods.rules.logs import (
    Labelled,
    blocks,
    least_share,
    log_scores,
    row_sums,
    shares,
)
from errorfloor.methods.rules.maps import OneVsRest, Steps
from errorfloor.methods.rules.offsets import OFFSETS_FAMILY, Costs, LossOfMap, OffsetFit
from errorfloor.methods.rules.softmax import (
    Family,
    Power,
    covariance,
    fit,
    fit_within_reach,
    unclear_share,
)
from errorfloor.metrics import named
from errorfloor.metrics.choice import MetricChoice

pytestmark = pytest.mark.usefixtures("folds_once")

RNG = np.random.default_rng(2)
CLASSES = 3


def made(n, rng, noise=0.4, weight=None):
    """Return cells of `n` items, one row each, whose labels follow their scores."""
    scores = rng.dirichlet(np.full(CLASSES, noise), n) * 0.97 + 0.01
    label = np.array([rng.choice(CLASSES, p=row) for row in scores])
    count = rng.integers(1, 3, n)
    return Sample(scores, np.arange(n), label, count, weight)


CELLS = made(60, RNG)
ITEMS = Labelled.of(CELLS, "auto")
FIT = fit_within_reach(OFFSETS_FAMILY, ITEMS, CELLS.count)


def by_name(metric):
    """Return the record of the fitted offsets for a metric."""
    return next(one for one in offsets.DEFAULTS if metric in one.metrics)


# Losses of probabilities


P = np.array([[0.7, 0.2, 0.0], [0.2, 0.2, 0.4], [0.1, 0.6, 0.6]])  # a column for each item
LABEL = np.array([0, 1, 0])


def test_losses_of_items_are_those_of_their_own_label():
    tiny = np.finfo(float).tiny
    assert LossOfMap(named("log-loss").of_model).losses(P, LABEL) == pytest.approx(
        -np.log([0.7, 0.2, tiny])
    )
    # At most as if one in eleven items had the rarest class.
    assert LossOfMap(named("log-loss").of_model).possible(P, 10.0) == pytest.approx(
        -np.log([0.1, 0.2, 1 / 11])
    )
    slow = [((P[:, i] - np.eye(3)[LABEL[i]]) ** 2).sum() for i in range(3)]
    assert LossOfMap(named("brier").of_model).losses(P, LABEL) == pytest.approx(slow)
    rarest = [2, 0, 0]
    slow = [((P[:, i] - np.eye(3)[rarest[i]]) ** 2).sum() for i in range(3)]
    assert LossOfMap(named("brier").of_model).possible(P, 10.0) == pytest.approx(slow)
    assert (LossOfMap.decides, Costs.decides) == (False, True)


def test_decisions_cost_the_least_that_is_expected():
    costs = Costs(np.array([[0.0, 1.0, 4.0], [2.0, 0.0, 1.0], [1.0, 3.0, 0.0]]))
    # Expected costs of the decisions: (0.5, 1, 3), (1, 2, 1) and (1.4, 1.8, 0.4).
    assert costs._decisions(P).tolist() == [0, 0, 2]
    assert costs.losses(P, LABEL).tolist() == [0, 2, 4]
    assert costs.possible(P, 10.0).tolist() == [2, 2, 4]
    assert costs.by_class is None
    even = Costs(np.array([[0.0, 3.0, 3.0], [1.0, 0.0, 1.0], [2.0, 2.0, 0.0]]))
    assert even.by_class.tolist() == [3, 1, 2]


def test_balanced_errors_cost_what_their_class_is_rare():
    cells = replace(CELLS, label=np.arange(60) % 3, count=np.where(np.arange(60) % 3, 1, 2))
    lost = offsets._lost_by(named("balanced-error"), cells)
    items = np.array([40, 20, 20])
    assert lost.costs == pytest.approx((80 / (3 * items))[:, None] * (1 - np.eye(3)))
    with pytest.raises(ef.InputError, match=r"no label is class number 2\."):
        offsets._lost_by(named("balanced-error"), replace(cells, label=np.arange(60) % 2))


@pytest.mark.parametrize("name", ["brier", "log-loss", "cost", "balanced-error"])
def test_the_floor_of_a_loss_is_the_midpoint_of_own_items_and_others(name):
    given = {"costs": 1 - np.eye(3) + np.eye(3, k=1)} if name == "cost" else {}
    options = Options(metric=MetricChoice(name, **given).of(3))
    bound = by_name(name).bind(CELLS, options)
    for count in (CELLS.count, np.where(np.arange(60) % 4, CELLS.count, 0)):
        found = bound.values(count[None], np.random.default_rng(7))[0]
        same = np.array_equal(count, CELLS.count)
        fitted = FIT if same else fit(OFFSETS_FAMILY, ITEMS, count, FIT, FIT.reach)
        every = fitted.probabilities(ITEMS.logs[:, ITEMS.row])
        own = float(count @ bound.lost.losses(every, ITEMS.label)) / count.sum()
        total = 0.0
        for part in CELLS.counted(count).parts(10, np.random.default_rng(7)):
            others = fit(OFFSETS_FAMILY, ITEMS, count - part, FIT, FIT.reach)
            p = others.probabilities(ITEMS.logs[:, ITEMS.row])
            total += float(part @ bound.lost.losses(p, ITEMS.label))
        assert found == pytest.approx((own + total / count.sum()) / 2, abs=1e-9)


def test_where_errors_of_a_class_cost_the_same_a_search_may_find_less():
    costs = np.array([[0.0, 3.0, 3.0], [1.0, 0.0, 1.0], [2.0, 2.0, 0.0]])
    options = Options(metric=MetricChoice("cost", costs=costs).of(3))
    bound = by_name("cost").bind(CELLS, options)
    found = bound.least_losses.total.sum()
    assert found <= bound.own_losses.total.sum()
    price = np.array([3, 1, 2])[CELLS.label]
    slow = fewest_errors(ITEMS, CELLS.count * price, (Rule.as_it_is(3), Rule.of(FIT)), 40)[0]
    assert found == pytest.approx(slow, abs=1)
    sides = bound.sides()
    assert sides.correlated == unclear_share(OFFSETS_FAMILY, ITEMS, CELLS.count, FIT)
    like = sides.below(2.0)
    assert like.scale * like.successes / like.trials == pytest.approx(found / CELLS.count.sum())
    smooth = by_name("brier").bind(CELLS, Options(metric=MetricChoice("brier").of(3)))
    assert smooth.sides().correlated == 0
    assert smooth.least_losses is smooth.own_losses


def test_classes_without_items_are_rare_and_not_impossible():
    options = Options(metric=MetricChoice("log-loss").of(3))
    bound = by_name("log-loss").bind(CELLS, options)
    none = np.where(CELLS.label == 1, 0, CELLS.count)
    fitted = fit(OFFSETS_FAMILY, ITEMS, none, FIT, FIT.reach)
    mixed = bound._mixed(fitted)
    assert np.isneginf(fitted.weight[1])
    assert mixed.weight[1] == pytest.approx(min(fitted.weight[0], fitted.weight[2]) + np.log(1e-3))
    assert mixed.weight[[0, 2]] == pytest.approx(fitted.weight[[0, 2]])
    decides = by_name("cost").bind(
        CELLS, Options(metric=MetricChoice("cost", costs=1 - np.eye(3)).of(3))
    )  # fmt: skip
    assert np.isneginf(decides._mixed(fitted).weight[1])
    sums = bound._losses(mixed, CELLS.count)
    p = mixed.probabilities(ITEMS.logs[:, ITEMS.row])
    each = -np.log(p[CELLS.label, np.arange(60)])
    assert sums.total == pytest.approx(CELLS.count * each)
    assert sums.squares == pytest.approx(CELLS.count * each**2)
    rarest = -np.log(np.maximum(p.min(axis=0), 1 / (CELLS.count.sum() + 1)))
    assert sums.most == pytest.approx(max(each.max(), rarest.max()))


# Rules


def test_rules_choose_the_largest_sum_and_share_ties():
    logs = np.log(np.array([[0.5, 0.3], [0.5, 0.3], [0.25, 0.4]]))
    items = Labelled(logs, np.array([0, 0, 1]), np.array([0, 2, 2]))
    plain = Rule.as_it_is(3)
    assert plain.tied(logs).T.tolist() == [[True, True, False], [False, False, True]]
    assert plain.wrong(items).tolist() == [0.5, 1, 0]
    assert plain.wrong(items, np.array([2, 0])).tolist() == [0, 0.5]
    assert plain.chosen(items, np.array([1.0, 2.0, 3.0])).tolist() == [1, 1, 2]
    assert plain.chosen(items, np.array([2.0, 2.0, 3.0])).tolist() == [0, 0, 2]
    raised = Rule(np.array([0.0, np.log(2), 0.0]))
    assert raised.chosen(items, np.zeros(3)).tolist() == [1, 1, 1]
    close = Rule(np.array([0.0, TIE / 2, 0.0]))
    assert close.tied(logs)[:, 0].tolist() == [True, True, False]
    apart = Rule(np.array([0.0, 2 * TIE, 0.0]))
    assert apart.tied(logs)[:, 0].tolist() == [False, True, False]


def test_rules_of_fits_divide_weights_by_the_power():
    fitted = Power(np.full(3, 2.0), np.log(np.array([1.0, 4.0, 9.0])))
    assert Rule.of(fitted).offsets == pytest.approx(np.log([1, 2, 3]))
    assert Rule.of(fitted).follows
    flat = Rule.of(Power(np.zeros(3), np.log(np.array([1.0, 4.0, 2.0]))))
    assert not flat.follows
    assert flat.tied(np.log(np.array([[0.9], [0.05], [0.05]])))[:, 0].tolist() == [
        False, True, False,
    ]  # fmt: skip


def test_the_best_place_is_one_of_those_that_gain_most():
    at, gain = np.array([3.0, 1.0, 2.0, 5.0]), np.array([-1, 2, -2, 3])
    rng = np.random.default_rng(0)
    found = {best_place(at, gain, 4, rng) for _ in range(60)}
    # 4, then 6 from 1 on, 4 from 2, 3 from 3, and 6 from 5 on, by one at most.
    assert found == {(6, 1.5), (6, 6.0)}
    below = {best_place(at, -gain, 4, rng) for _ in range(40)}
    assert below == {(5, 4.0)}
    assert best_place(at, np.array([-1, -1, -1, -1]), 4, rng) == (4, 0.0)
    assert best_place(np.empty(0), np.empty(0, dtype=np.int64), 3, rng) == (3, 0.0)
    # Between numbers that are equal but for rounding there is no place.
    close = np.array([1.0, 1.0 + fewest.APART / 2])
    assert best_place(close, np.array([3, -1]), 0, rng) == (2, pytest.approx(2))
    wide = np.array([1.0, 1.0 + 2 * fewest.APART])
    assert best_place(wide, np.array([3, -1]), 0, rng)[0] == 3


def test_items_that_the_fewest_errors_are_on_are_told():
    wrong = OffsetFit.of(CELLS, Options()).least_errs
    number, rule = fewest_errors(ITEMS, CELLS.count, (Rule.of(FIT), Rule.as_it_is(3)))
    assert CELLS.count @ wrong == number
    assert (wrong == (rule.chosen(ITEMS, ITEMS.by_class(CELLS.count)) != CELLS.label)).all()
    missing = np.where(CELLS.label == 2, 0, CELLS.count)
    assert np.isneginf(fewest_errors(ITEMS, missing, ())[1].offsets).tolist() == [
        False, False, True,
    ]  # fmt: skip


def test_pairs_of_classes_need_the_errors_of_their_best_cut():
    errors = pair_errors(ITEMS, CELLS.count)
    assert errors.tolist() == errors.T.tolist()
    assert np.diag(errors).tolist() == [0, 0, 0]
    for j in range(3):
        for k in range(j):
            own = (CELLS.label == j) | (CELLS.label == k)
            apart = (ITEMS.logs[j] - ITEMS.logs[k])[own]
            label, count = CELLS.label[own] == j, CELLS.count[own]
            cuts = [-np.inf, *np.sort(apart)]
            slow = min(int(count @ ((apart > cut) != label)) for cut in cuts)
            assert errors[j, k] == slow
    three = errors[0, 1] + errors[1, 2] + errors[0, 2]  # each class with both others, by halves
    pairs = max(errors[0, 1], errors[0, 2], errors[1, 2])
    assert needed_errors(ITEMS, CELLS.count) == max(int(np.ceil(three / 2)), pairs)


# Scores on a log scale


def test_scores_are_divided_raised_and_taken_from_the_largest():
    scores = np.array([[2.0, 1.0, 1.0], [0.0, 0.1, 0.9]])
    assert least_share(scores, "auto") == pytest.approx(0.05)
    assert least_share(scores, 0.01) == 0.01
    assert least_share(scores - 1, "auto") is None
    expected = np.log([[0.5, 0.25, 0.25], [0.05, 0.1, 0.9]])
    expected -= expected.max(axis=1, keepdims=True)
    assert log_scores(scores) == pytest.approx(expected.T)
    assert log_scores(scores - 1) == pytest.approx((scores - scores.max(axis=1)[:, None]).T)
    assert row_sums(scores).tolist() == [4, 1]
    with pytest.raises(ef.InputError, match=r"\[0.0, 0.0\] has none"):
        row_sums(np.array([[1.0, 0.0], [0.0, 0.0]]))
    found = list(blocks(50_000, 3))
    assert [(one.start, one.stop) for one in found] == [
        (0, 21_845),
        (21_845, 43_690),
        (43_690, 65_535),
    ]
    assert shares(scores) == pytest.approx((scores / scores.sum(axis=1, keepdims=True)).T)
    exponents = np.exp(scores - 1)
    assert shares(scores - 1) == pytest.approx((exponents / exponents.sum(axis=1)[:, None]).T)


def test_labelled_items_are_counted_by_row_and_class():
    items = Labelled(
        np.log(np.array([[1.0, 0.1], [0.5, 1.0]])), np.array([0, 0, 1]), np.array([0, 1, 0])
    )
    count = np.array([2, 3, 4])
    assert items.totals(count).tolist() == [5, 4]
    assert items.by_class(count).tolist() == [6, 3]
    own = [4 * np.log(0.1), 3 * np.log(0.5)]
    assert items.own_logs(count, np.inf) == pytest.approx(own)
    assert items.own_logs(count, 1.0) == pytest.approx([-4, own[1]])
    some = items.where(np.array([False, True, True]))
    assert some.row.tolist() == [0, 1]
    assert some.label.tolist() == [1, 0]
    assert some.logs.tolist() == items.logs[:, [0, 1]].tolist()


# How sure


def test_items_are_tied_that_are_nearer_than_three_errors_and_more_than_smooth_distances_have():
    spread = covariance(OFFSETS_FAMILY, ITEMS, CELLS.count, FIT)
    values, p = FIT.values(ITEMS.logs), FIT.probabilities(ITEMS.logs)
    near, errors = np.zeros(2), 0.0
    for i in range(60):
        order = np.argsort(-values[:, i])
        lever = np.zeros(4)
        lever[0] = ITEMS.logs[order[0], i] - ITEMS.logs[order[1], i]
        lever[1 + order[0]], lever[1 + order[1]] = 1, -1
        gap = values[order[0], i] - values[order[1], i]
        wrong, error = 1 - p[order[0], i], np.sqrt(lever @ spread @ lever)
        variance = CELLS.count[i] * wrong * (1 - wrong)
        near += variance * (gap < 3 * error), variance * (gap < 6 * error)
        errors += CELLS.count[i] * wrong
    found = unclear_share(OFFSETS_FAMILY, ITEMS, CELLS.count, FIT)
    every = errors * (1 - errors / CELLS.count.sum())
    assert found == pytest.approx((2 * near[0] - near[1]) / every)
    assert 0 < found < 1


def test_nothing_is_tied_where_nothing_is_wrong():
    scores = np.full((30, 3), 1e-6) + np.eye(3)[np.arange(30) % 3]
    items = Labelled.of(Sample(scores, np.arange(30), np.arange(30) % 3, np.ones(30)), "auto")
    fitted = fit(OFFSETS_FAMILY, items, np.ones(30))
    assert unclear_share(OFFSETS_FAMILY, items, np.ones(30), fitted) < 1e-6


def test_the_surest_items_of_a_fit_are_those_of_the_likeliest_class():
    metric = MetricChoice("error-at-coverage", at=0.7).of(3)
    bound = offsets.SUREST.bind(CELLS, Options(metric=metric))
    some = np.where(np.arange(60) % 3, CELLS.count, 0)
    for count in (CELLS.count, some):
        same = np.array_equal(count, CELLS.count)
        fitted = FIT if same else fit(OFFSETS_FAMILY, ITEMS, count, FIT, FIT.reach)
        p = fitted.probabilities(ITEMS.logs)
        doubt, wrong = bound.on(count, RNG).own
        assert doubt == pytest.approx(1 - p.max(axis=0))
        assert wrong.tolist() == (p.argmax(axis=0) != CELLS.label).tolist()


# Weights, and labels on some items


def test_weighted_offsets_are_the_midpoint_of_own_items_and_others():
    weight = np.where(np.arange(60) % 2, 1.0, 3.0)
    cells = replace(CELLS, weight=weight)
    bound = OffsetFit.of(cells, Options())
    for count in (CELLS.count, np.where(np.arange(60) % 5, CELLS.count, 0)):
        design = Sample.of_rows(count, count, weight)
        scaled = count * weight / design.unit
        same = np.array_equal(count, CELLS.count)
        fitted = (
            bound.fitted
            if same
            else fit(OFFSETS_FAMILY, ITEMS, scaled, bound.fitted, bound.fitted.reach)
        )
        wrong = count * Rule.of(fitted).wrong(ITEMS)
        for part in design.parts(10, np.random.default_rng(3)):
            rest = count - part
            others = fit(
                OFFSETS_FAMILY, ITEMS, rest * weight / Sample.of_rows(rest, rest, weight).unit,
                fitted,
                fitted.reach,
            )  # fmt: skip
            wrong = wrong + part * Rule.of(others).wrong(ITEMS)
        expected = float(weight @ wrong) / float(weight @ count) / 2
        found = bound.values(count[None], np.random.default_rng(3))[0]
        assert found == pytest.approx(expected, abs=1e-12)
    least, rule = float(weight @ bound.least_wrong), Rule.of(bound.fitted)
    slow = fewest_errors(ITEMS, (CELLS.count * weight).astype(np.int64), (rule,), 40)[0]
    assert least == pytest.approx(slow, abs=2)
    assert least <= float(weight @ (CELLS.count * rule.wrong(ITEMS))) + 1e-9
    mass = CELLS.count * weight / Sample.of_rows(CELLS, CELLS.count, weight).unit
    assert bound.correlated == pytest.approx(
        unclear_share(OFFSETS_FAMILY, ITEMS, mass, bound.fitted)
    )


SEEDED = Options(draw=lambda purpose: np.random.default_rng(4))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("unlabelled", [False, True])
def test_powered_offsets_put_losses_and_guesses_of_held_out_items_together(weighted, unlabelled):
    weight = np.where(np.arange(60) % 2, 1.0, 3.0) if weighted else None
    extra = np.arange(60) % 4 if unlabelled else None
    bound = PoweredOffsets(replace(CELLS, weight=weight, unlabelled=extra), SEEDED)
    n, count = int(CELLS.count.sum()), CELLS.count
    own = np.ones(60) if weight is None else weight
    if unlabelled:  # strata by the share of the largest score
        line = (np.exp(ITEMS.logs) / np.exp(ITEMS.logs).sum(axis=0)).max(axis=0)
        own = post_stratified(replace(CELLS, weight=weight, unlabelled=extra), line).weight
        assert len(np.unique(own.round(9))) > 1
    own = own * n / float(count @ own)
    outside = 0 if extra is None else int(extra.sum())
    moments = Moments(own, n / (n + outside))
    start = bound.fitted
    for part in Sample.of_rows(count, count, own).parts(10, np.random.default_rng(4)):
        fitted = fit(OFFSETS_FAMILY, ITEMS, (count - part) * own, start, start.reach)
        guess = 1 - fitted.probabilities(ITEMS.logs).max(axis=0)
        mean = float(extra @ guess) / outside if outside else float(guess.mean())
        moments.add(part, Rule.of(fitted).wrong(ITEMS), guess, mean)
    starts = (Rule.of(start), Rule.as_it_is(3))
    least = fewest_errors(ITEMS, (2**40 * count * own / n).round().astype(int), starts)[0] / 2**40
    if not weighted and not unlabelled:
        least = fewest_errors(ITEMS, count, starts)[0] / n
    slow = moments.found(least, n)
    found = bound.found
    assert found.value == pytest.approx(slow.value, abs=1e-11)  # masses are rounded
    assert (found.power, found.variance) == pytest.approx((slow.power, slow.variance))
    assert bound.values(count[None], np.random.default_rng(4))[0] == found.value
    assert (bound.value, bound.found) == (found.value, found)


# Each class against the rest


def test_steps_of_one_class_are_its_isotonic_fit():
    share = np.array([0.3, 0.1, 0.3, 0.6, 0.2])
    steps = Steps(share, 0.2)
    assert share[steps.order].tolist() == [0.2, 0.3, 0.3, 0.6]
    assert steps.start.tolist() == [0, 1, 3]
    assert steps.knots.tolist() == [0.2, 0.3, 0.6]
    own, totals = np.array([1.0, 0, 1, 2, 1]), np.array([2.0, 5, 2, 3, 1])
    # One of one, two of four, two of three: the first two are pooled.
    assert steps.levels(own, totals) == pytest.approx([0.6, 0.6, 2 / 3])
    assert steps.fit(own, totals) == pytest.approx([0.6, 0.6, 0.6, 2 / 3])
    none = steps.levels(np.array([0.0, 0, 0, 1, 0]), totals)
    assert none == pytest.approx([0, 0, 1 / 3])
    assert steps.levels(np.zeros(5), totals).tolist() == [0, 0, 0]
    alone = Steps(np.array([0.5, 0.2, 0.9]), 0.0)
    assert alone.start is None
    assert alone.fit(np.array([1.0, 0, 0]), None) == pytest.approx([0, 0.5, 0.5])


def test_rows_without_labelled_items_change_no_floor():
    scores = np.array([[0.9, 0.05, 0.05], [0.05, 0.9, 0.05], [0.05, 0.05, 0.9]])
    cells = Sample(scores, np.arange(3), np.arange(3), np.array([2, 1, 3]))
    more = replace(cells, seen=np.vstack((scores, np.full((1, 3), 1 / 3))))
    one, other = OneVsRest(cells, Options()), OneVsRest(more, Options())
    assert other.values(cells.count[None], RNG)[0] == one.values(cells.count[None], RNG)[0] == 0
    assert other.leave_one_out().tolist() == one.leave_one_out().tolist() == [0, 0, 0]


def test_without_an_item_steps_move_as_if_they_stayed_in_one_piece():
    bound = OneVsRest(CELLS, Options())
    found = bound.leave_one_out()
    exact = np.array([
        bound.values((CELLS.count - one)[None], RNG)[0] for one in np.eye(60, dtype=np.int64)
    ])  # fmt: skip
    # Steps that fall apart make a difference for a few items only.
    assert np.median(np.abs(found - exact)) < 0.1 * np.std(exact)
    assert np.corrcoef(found, exact)[0, 1] > 0.9


# Maps and records


def test_maps_refuse_scores_of_another_shape_or_kind_by_row_and_class():
    table = ef.ScoreTable.from_arrays(CELLS.scores, CELLS.label, classes=range(3))
    plain = ClassCalibration("plain", table, {}, lambda scores: scores)
    assert plain([[0.0, 0.5, 0.5]]).tolist() == [[0, 0.5, 0.5]]
    assert plain(np.ones((2, 3))).shape == (2, 3)
    for shape in ((3,), (2, 4), (0, 3), (3, 2), (1, 2, 3)):
        with pytest.raises(ef.InputError, match="one row per item and 3 columns"):
            plain(np.ones(shape))
    for wrong in (-0.1, np.nan, np.inf):
        scores = np.ones((3, 3))
        scores[1, 2] = wrong
        with pytest.raises(ef.InputError, match=r"finite and at least 0.* row 1 has .* class '2'"):
            plain(scores)
    logits = replace(plain, _logits=True)
    assert logits([[-1.0, 2.0, 0.0]]).tolist() == [[-1, 2, 0]]
    with pytest.raises(ef.InputError, match="must be finite: row 0 has inf for class '1'"):
        logits([[0.0, np.inf, 1.0]])


def test_methods_fit_the_parameters_of_their_family():
    table = ef.ScoreTable.from_arrays(CELLS.scores, CELLS.label, classes=range(3))
    by_name = {
        one.name: one.fit(table, Options()).parameters for one in offsets.MANY_SCORES if one.fit
    }
    assert set(by_name["temperature"]["weight"].tolist()) == {1.0}
    assert isinstance(by_name["temperature"]["power"], float)
    assert len(set(by_name["vector"]["power"].tolist())) == 3
    assert "least" in by_name["offsets"]
    assert "least" not in by_name["vector"]
    own = offsets.CORRUPTED.bind(CELLS, Options())
    expected = CELLS.count @ (1 - CELLS.scores.max(axis=1) / CELLS.scores.sum(axis=1))
    assert own.values(CELLS.count[None], RNG)[0] == pytest.approx(expected / CELLS.count.sum())
    needs = {one.name for one in offsets.MANY_SCORES if one.needs_probabilities}
    assert needs == {"corrupted"}
    assert (Family().powers, Family().weights) == (False, True)


def test_offsets_are_the_midpoint_of_own_errors_and_those_on_other_items():
    bound = OffsetFit.of(CELLS, Options())
    count = np.where(np.arange(60) % 5, CELLS.count, 0)
    for own in (CELLS.count, count):
        same = np.array_equal(own, CELLS.count)
        fitted = FIT if same else fit(OFFSETS_FAMILY, ITEMS, own, FIT, FIT.reach)
        wrong = own @ Rule.of(fitted).wrong(ITEMS)
        for part in CELLS.counted(own).parts(10, np.random.default_rng(6)):
            others = fit(OFFSETS_FAMILY, ITEMS, own - part, fitted, fitted.reach)
            wrong += part @ Rule.of(others).wrong(ITEMS)
        found = bound.values(own[None], np.random.default_rng(6))[0]
        assert found == pytest.approx(wrong / (2 * own.sum()))


def test_the_map_of_logits_is_that_of_their_shares():
    logits = np.log(CELLS.scores) - 1
    labels = {"classes": range(3)}
    plain = ef.ScoreTable.from_arrays(CELLS.scores, CELLS.label, **labels)
    on_logs = ef.ScoreTable.from_arrays(logits, CELLS.label, **labels)
    new = RNG.dirichlet(np.ones(3), 7) + 0.01
    for record in (offsets.OVR_ISOTONIC, offsets.OFFSETS, offsets.VECTOR):
        one, other = (record.fit(table, Options()) for table in (plain, on_logs))
        assert other(np.log(new) + 2) == pytest.approx(one(new), abs=1e-6)
        assert one(new).sum(axis=1) == pytest.approx(1)
    steps = offsets.OVR_ISOTONIC.fit(plain, Options())
    shares = CELLS.scores / CELLS.scores.sum(axis=1, keepdims=True)
    for k in range(3):
        curve = IsotonicRegression(out_of_bounds="clip").fit(shares[:, k], CELLS.label == k)
        knots, levels = (steps.parameters[name][k] for name in ("scores", "probabilities"))
        assert levels == pytest.approx(curve.predict(knots), abs=1e-9)


def test_losses_are_those_of_the_family_that_their_method_names():
    families = {
        "offsets": Family(), "temperature": Family(weights=False), "vector": Family(powers=True),
    }  # fmt: skip
    for record in offsets.RECORDS[:-1]:
        (metric,) = record.metrics
        given = {"costs": 1 - np.eye(3)} if metric == "cost" else {}
        bound = record.bind(CELLS, Options(metric=MetricChoice(metric, **given).of(3)))
        assert bound.rules.family == families[record.name]
        assert len(set(bound.fitted.power.tolist())) == (3 if record.name == "vector" else 1)
        assert bound.fitted.weight.any() == (record.name != "temperature")
        kind = LossOfMap if metric in ("log-loss", "brier") else Costs
        assert isinstance(bound.lost, kind)
    assert [one.metrics for one in offsets.DEFAULTS[:-1]] == [
        ("cost",), ("balanced-error",), ("brier",), ("log-loss",),
    ]  # fmt: skip


def test_top1_is_wrong_where_the_largest_score_is_not_the_labels():
    scores = np.array([[0.5, 0.3, 0.2], [0.4, 0.4, 0.2]])
    cells = Sample(scores, np.array([0, 0, 1, 1]), np.array([0, 1, 0, 2]), np.array([5, 2, 4, 1]))
    for weight, expected in ((None, (2 + 2 + 1) / 12), ([1.0, 3.0, 1.0, 1.0], (6 + 2 + 1) / 16)):
        own = replace(cells, weight=None if weight is None else np.array(weight))
        found = offsets.TOP1.bind(own, Options())
        assert found.values(cells.count[None], RNG)[0] == pytest.approx(expected)
