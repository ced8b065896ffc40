"""Parts of the methods for votes: numbers by hand, and loops whose every turn is scripted."""

from dataclasses import replace
from math import comb
from types import SimpleNamespace

import numpy as np
import pytest

import errorfloor as ef
from errorfloor.data.sample import Sample
from errorfloor.methods.record import Options
from errorfloor.methods.votes import line as fitting
from errorfloor.methods.votes import simplex, thinning
from errorfloor.methods.votes.aims import Concave, Lines, Target, aim_of
from errorfloor.methods.votes.line import VoteLikelihood, fit_mixture
from errorfloor.methods.votes.mixture import (
    MANY_MIXTURE,
    ManyClassMixture,
    TwoClassMixture,
    refuse_one_class,
    together,
    value_of,
)
from errorfloor.methods.votes.plugin import MANY_PLUGIN, MANY_PLUGINS
from errorfloor.methods.votes.simplex import CountLikelihood, kept_votes, shares_of_votes
from errorfloor.methods.votes.stopping import rule_named
from errorfloor.methods.votes.thinning import Votes, by_total
from errorfloor.metrics.choice import MetricChoice

RNG = np.random.default_rng(0)
BRIER = MetricChoice("brier").of(2)
COSTS = [[0, 1, 4], [2, 0, 1], [1, 3, 0]]

# Grids that are made finer


class Scripted:
    """Votes on a grid whose fits have gaps that are given, one for each grid."""

    def __init__(self, gaps, size=512, entries=1000, sharp=None):
        self.gaps, self.size, self.sharp, self.told = gaps, size, sharp, []
        self.matrix = SimpleNamespace(size=entries)

    def refined(self, fit):
        self.told.append(fit.gap)
        finer = Scripted(self.gaps[1:], 2 * self.size, 2 * self.matrix.size, self.sharp)
        finer.told = self.told
        return finer

    def fit(self, penalty, dual):
        assert dual == "dual"
        return SimpleNamespace(gap=self.gaps[0]), "dual"

    def sharpened(self, fit):
        self.told.append("sharpened")
        return SimpleNamespace(gap=self.sharp or fit.gap)


def refined(gaps, **about):
    votes = Scripted(gaps, **about)
    found = fitting._refined(votes, SimpleNamespace(gap=gaps[0]), "dual")
    return found.gap, votes.told


def test_grids_become_finer_until_the_gap_is_at_most_a_millionth():
    assert refined([1e-6]) == (1e-6, [])
    assert refined([3e-6, 2e-6, 1e-6, 0.0]) == (1e-6, [3e-6, 2e-6])


def test_two_finer_grids_that_are_no_better_end_the_search_with_the_best_fit():
    assert refined([5e-6, 6e-6, 7e-6, 0.0]) == (5e-6, [5e-6, 6e-6])
    assert refined([5e-6, 5e-6, 5e-6, 0.0]) == (5e-6, [5e-6, 5e-6])
    # A better one in between starts the count anew.
    gaps = [9e-6, 9.5e-6, 8e-6, 8.5e-6, 7e-6, 0.0]
    assert refined(gaps, size=64) == (0.0, gaps[:-1])


def test_from_4096_points_on_a_gap_is_sharpened_and_16384_are_the_most():
    assert refined([5e-6, 4e-6, 3e-6], size=1024, sharp=1e-7) == (1e-7, [5e-6, 4e-6, "sharpened"])
    assert refined([5e-6, 1e-6], size=2048) == (1e-6, [5e-6])
    assert refined([5e-6, 4e-6], size=8192) == (4e-6, [5e-6, "sharpened"])
    assert refined([5e-6], size=16384) == (5e-6, [])


def test_no_matrix_of_more_than_sixteen_million_entries_is_made():
    assert refined([5e-6, 1e-7], entries=2**23) == (1e-7, [5e-6])
    assert refined([5e-6, 1e-7], entries=2**23 + 1) == (5e-6, [])


def test_a_fit_without_more_said_is_maximum_likelihood_near_half_an_arcsine(monkeypatch):
    cells = np.array([0, 1, 2]), np.array([2, 2, 2]), np.array([375, 250, 375])
    plain = fit_mixture(*cells)
    said = fit_mixture(*cells, penalty=0.0, arcsine=0.5, n_points=512, part=False)
    assert plain.points.tolist() == said.points.tolist()
    assert plain.weights.tolist() == said.weights.tolist()
    asked = []

    def fit(votes, penalty, *dual, arcsine=None):
        asked.append((penalty, arcsine))
        return SimpleNamespace(gap=0.0), None

    monkeypatch.setattr(VoteLikelihood, "fit", fit)
    fit_mixture(*cells)
    fit_mixture(*cells, penalty=2.0, arcsine=0.1)  # a penalty of two items, of a thousand
    assert asked == [(fitting.TIE_BREAK, 0.5), (0.002, 0.1)]


def test_single_votes_are_fitted_where_they_are_some_of_the_items_alone():
    ones = np.array([0, 1]), np.array([1, 1]), np.array([6, 4])
    with pytest.raises(ValueError, match="single votes say nothing"):
        fit_mixture(*ones)
    part = fit_mixture(*ones, part=True)
    assert part.weights @ part.points == pytest.approx(0.4, abs=1e-6)


# What is averaged


def test_lines_have_their_kinks_slopes_and_peak_where_the_knots_say():
    roof = Lines((0.0, 0.25, 0.5, 1.0), (0.0, 0.5, 0.75, 0.25))
    assert roof.kinks == (0.25, 0.5)
    assert replace(roof, on_grid=True).kinks == ()
    assert roof.slopes.tolist() == [2, 1, -1]
    assert (roof.peak, roof.span) == (0.5, (0.0, 0.75))
    # Probabilities have second derivatives of at most 1/2 in the angle.
    assert roof.bend_on(np.empty(0)) == pytest.approx(2 * 0.5)
    # A straight line is concave, too; one that turns up a little is not.
    assert Lines((0.0, 0.5, 1.0), (0.0, 0.25, 0.5)).peak == 1.0
    assert Lines((0.0, 0.5, 1.0), (0.0, 0.25, 0.75)).peak is None


def test_tents_of_costs_and_known_shares_stand_where_both_decisions_cost_the_same():
    cost = aim_of(MetricChoice("cost", costs=(1, 3)).of(2), Target())
    assert (cost.knots, cost.values) == ((0.0, 0.25, 1.0), (0.0, 0.75, 0.0))
    assert cost.peak == 0.25
    assert cost.kinks == (0.25,)
    balanced = aim_of(MetricChoice("balanced-error", prior=0.2).of(2), Target())
    assert balanced.knots == pytest.approx((0, 0.2, 1))
    assert balanced.values == pytest.approx((0, 0.5, 0))
    assert aim_of(MetricChoice("auc", prior=0.2).of(2), Target()) is None
    assert aim_of(MetricChoice("balanced-error").of(2), Target()) is None
    assert aim_of(MetricChoice("error").of(2), Target(3)) == Target(3)


@pytest.mark.parametrize("majority", [1, 3])
@pytest.mark.parametrize("name", ["brier", "log-loss"])
def test_concave_values_bend_by_what_their_chords_say(name, majority):
    aim = Concave(MetricChoice(name).of(2), Target(majority))
    assert (aim.peak, aim.kinks, aim.span) == (0.5, (), MetricChoice(name).of(2).span(2))
    for angles in (
        np.array([0.0, 0.4, 0.7, 1.3, 1.6, 2.4, np.pi]),
        np.array([0.0, 0.1, 1.2, 1.5, 2.1, 2.7, np.pi]),
        np.array([0.0, 0.6, 1.2, 1.8, 2.3, 3.0, np.pi]),
    ):
        q = [float(aim.target.positive(np.array((1 - np.cos(t)) / 2))) for t in angles]
        f = [float(aim.metric.per_item(np.array([p]))[0]) for p in q]
        slopes = [(f[i + 1] - f[i]) / (q[i + 1] - q[i]) for i in range(6)]
        over = 0.0
        for i in range(6):  # above a chord by no more than its neighbours, prolonged to its far end
            falls = [slopes[j] - slopes[j + 1] for j in (i - 1, i) if 0 <= j < 5]
            over = max(over, (q[i + 1] - q[i]) * min(falls))
        expected = over / (max(np.diff(angles)) ** 2 / 8)
        expected += max(map(abs, slopes)) * aim.target.bend
        assert aim.bend_on(angles) == pytest.approx(expected)


# Votes that weigh differently


def weighted(cells, weight):
    return replace(cells, weight=np.asarray(weight, dtype=float))


TWO = Sample.of_votes(np.array([0, 1, 2, 3]), np.full(4, 3), np.array([40, 20, 10, 30]))
THREE = Sample.of_rows(
    np.array([[3, 0, 0], [2, 1, 0], [1, 1, 1], [0, 0, 3]]), np.array([40, 20, 10, 30])
)


@pytest.mark.parametrize(
    ("kind", "cells", "options"),
    [
        (TwoClassMixture, TWO, Options()),
        (TwoClassMixture, TWO, None),
        (TwoClassMixture, TWO, Options(metric=BRIER)),
        (ManyClassMixture, THREE, Options()),
        (ManyClassMixture, THREE, None),
    ],
)
def test_other_numbers_of_weighted_items_are_fitted_anew(kind, cells, options):
    weight = np.array([1.0, 2.0, 0.5, 1.0])
    floor = kind(weighted(cells, weight), options)
    others = np.array([cells.count, [30, 30, 0, 40], [1, 1, 1, 1]])
    found = floor.values(others, RNG)
    for one, value in zip(others, found, strict=True):
        items = one * weight * (one.sum() / (one * weight).sum())
        slow = kind(replace(cells, count=items), options)
        assert value == pytest.approx(slow.values(items[None], RNG)[0], abs=1e-9)
    assert found[0] == floor.values(cells.count[None], RNG)[0]
    assert len(set(found.tolist())) == 3


def ask(votes, **options):
    weight = 1.0 + np.arange(len(votes)) % 2
    return ef.from_votes(counts=np.array(votes), weight=weight, interval=None, **options)


@pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")  # of so few items
def test_ten_weighted_votes_for_three_classes_are_answered_and_eleven_are_not():
    assert 0 <= ask([[10, 0, 0], [1, 1, 0]] * 5).value < 2 / 3
    with pytest.raises(ef.InputError, match="Some items have 11 votes, which are too many"):
        ask([[11, 0, 0], [1, 1, 0]] * 5)
    for votes in ([[2, 1], [0, 3]] * 5, [[2, 1, 0], [0, 1, 2]] * 5):
        with pytest.raises(ef.InputError, match="is not answered with `weight`"):
            ask(votes, totals_by="item")
    with pytest.raises(ef.InputError, match="needs the share of class 1"):
        ask([[2, 1], [0, 3]] * 5, metric="balanced-error")


@pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")
def test_too_many_weighted_votes_of_two_classes_are_refused_by_their_number():
    k = np.arange(0, 40_000, 10)
    with pytest.raises(ef.InputError, match="Some items have 40,000 votes"):
        ask(np.column_stack((40_000 - k, k)))


# Values of a fitted distribution


def counting(metric):
    """Return a metric whose value is how many points it is given, and what they weigh."""
    return replace(metric, whole=lambda points, weights: (len(points), weights.sum()))


def test_points_of_a_trillionth_of_the_largest_weight_are_left_out():
    weights = np.array([4.0, 4e-12, 5e-12, 1e-12, 1e-30])
    found = value_of(counting(BRIER), np.linspace(0, 1, 5), weights)
    assert found == (2, 4 + 5e-12)


def test_a_majority_is_what_values_of_points_are_for():
    points, weights = np.array([0.1, 0.4]), np.array([0.25, 0.75])
    q = 3 * points**2 - 2 * points**3
    assert value_of(BRIER, points, weights, Target(3)) == pytest.approx(weights @ (q * (1 - q)))


@pytest.mark.parametrize(
    ("name", "given", "positives", "refused"),
    [
        ("auc", {}, 0, "1"),
        ("auc", {}, 2, "0"),
        ("auc", {"prior": 0.3}, 0, None),
        ("f1", {}, 0, "1"),
        ("f1", {}, 2, None),
        ("balanced-error", {}, 2, "0"),
        ("brier", {}, 0, None),
        ("auc", {}, 1, None),
    ],
)
def test_votes_for_one_class_alone_are_refused_where_both_are_needed(
    name, given, positives, refused
):
    cells = Sample.of_votes(np.array([positives]), np.array([2]), np.array([5]))
    metric = MetricChoice(name, **given).of(2)
    if refused is None:
        refuse_one_class(cells, metric)
        return
    with pytest.raises(ef.InputError, match=f"there is no vote for class {refused}"):
        refuse_one_class(cells, metric)


def test_single_votes_and_votes_that_no_rule_ends_with_have_no_value():
    single = Sample.of_votes(np.array([0, 1]), np.array([1, 1]), np.array([5, 5]))
    with pytest.raises(ef.InputError, match="at least 2 votes"):
        TwoClassMixture(single, Options(metric=BRIER))
    wrong = Sample.of_votes(np.array([0, 1]), np.array([2, 2]), np.array([5, 5]))
    with pytest.raises(ef.InputError, match="cannot end with 1 of 2 votes"):
        TwoClassMixture(wrong, Options(metric=BRIER, totals_by="votes", stopping="third"))


def test_items_of_each_total_have_a_fit_of_their_own_where_the_item_decides():
    cells = Sample.of_votes(
        np.array([0, 1, 2, 0, 1, 2, 3]),
        np.array([2, 2, 2, 3, 3, 3, 3]),
        np.array([20, 20, 1, 30, 3, 3, 30]),
    )
    value = TwoClassMixture(cells, Options(metric=BRIER, totals_by="item"))
    parts = [
        TwoClassMixture(Sample.of_votes(cells.positives[own], cells.totals[own], cells.count[own]),
                     Options(metric=BRIER))
        for own in (cells.totals == 2, cells.totals == 3)
    ]  # fmt: skip
    sizes = np.array([41, 66])
    alone = np.array([part.values(part.cells.count[None], RNG)[0] for part in parts])
    # The Brier score is a mean over items, so that of all is the mean of both.
    found = value.values(cells.count[None], RNG)[0]
    assert found == pytest.approx(sizes @ alone / 107, abs=1e-9)
    # Sample without items are as if they were not there.
    count = np.where(cells.totals == 2, cells.count, 0)
    assert value.values(count[None], RNG)[0] == pytest.approx(alone[0], abs=1e-9)
    fits = [part.fits[0][0] for part in parts]
    joined = together(fits, sizes)
    assert joined.weights.sum() == pytest.approx(1)
    means = [fit.weights @ fit.points for fit in fits]
    assert joined.weights @ joined.points == pytest.approx(sizes @ means / 107)
    for name in ("gap", "log_likelihood"):
        both = [getattr(fit, name) for fit in fits]
        assert getattr(joined, name) == pytest.approx(sizes @ both / 107)
    assert together(fits[:1], sizes[:1]) is fits[0]


def test_the_brier_score_of_many_classes_is_the_share_of_two_votes_that_differ():
    votes = np.array([[2, 1, 0], [1, 1, 1], [3, 0, 0], [0, 0, 2]])
    cells = Sample.of_rows(votes, np.array([3, 1, 2, 4]))
    value = ManyClassMixture(cells, Options(metric=MetricChoice("brier").of(3)))
    differ = np.array([2 / 3, 1, 0, 0])
    others = np.array([[3, 1, 2, 4], [1, 0, 1, 1], [0, 1, 0, 0]])
    expected = np.minimum(others @ differ / others.sum(axis=1), 2 / 3)
    assert value.values(others, RNG) == pytest.approx(expected)


@pytest.mark.parametrize("name", ["log-loss", "cost"])
def test_values_of_many_classes_are_those_of_the_kinds_of_items_that_are_there(name):
    votes = np.array([[2, 0, 0], [1, 1, 0], [0, 2, 0], [0, 0, 2], [3, 0, 0], [1, 1, 1], [0, 1, 2]])
    cells = Sample.of_rows(votes, np.array([9, 4, 5, 6, 8, 3, 1]))
    metric = MetricChoice(name, costs=COSTS if name == "cost" else None).of(3)
    value = ManyClassMixture(cells, Options(metric=metric, totals_by="item"))
    plain = Options(metric=metric)
    alone = []
    for own in (cells.totals == 2, cells.totals == 3):
        part = ManyClassMixture(Sample.of_rows(votes[own], cells.count[own]), plain)
        alone.append(part.values(part.cells.count[None], RNG)[0])
        count = np.where(own, cells.count, 0)
        assert value.values(count[None], RNG)[0] == pytest.approx(alone[-1], abs=1e-9)
    found = value.values(cells.count[None], RNG)[0]
    assert found == pytest.approx((24 * alone[0] + 12 * alone[1]) / 36, abs=1e-9)
    assert alone[0] != pytest.approx(alone[1], abs=1e-3)


def test_where_classes_have_places_two_items_hold_the_fit_to_its_reference():
    metric = MetricChoice("cost", costs=COSTS).of(3)
    value = ManyClassMixture(THREE, Options(metric=metric))
    likelihood = CountLikelihood.around(THREE.votes, THREE.count)
    expected = metric.best(likelihood.points, likelihood.smoothed(2.0))
    assert value.values(THREE.count[None], RNG)[0] == pytest.approx(expected, abs=1e-9)


def test_plain_shares_of_many_classes_have_values_by_hand():
    cells = Sample.of_rows(np.array([[1, 3, 0], [2, 2, 2]]), np.array([1, 3]))
    mean, best = MANY_PLUGINS
    brier = mean.bind(cells, Options(metric=MetricChoice("brier").of(3)))
    shares = 1 / 16 + 9 / 16, 1 / 3
    expected = ((1 - shares[0]) + 3 * (1 - shares[1])) / 4
    assert brier.values(cells.count[None], RNG)[0] == pytest.approx(expected)
    surest = best.bind(cells, Options(metric=MetricChoice("error-at-coverage", at=0.5).of(3)))
    expected = (0.25 * 1 / 4 + 0.25 * 2 / 3) / 0.5
    assert surest.values(cells.count[None], RNG)[0] == pytest.approx(expected)
    for record, metric in ((mean, "brier"), (best, "balanced-error")):
        asked = {"metric": MetricChoice(metric).of(3)}
        record.bind(cells, Options(majority=2, **asked))
        with pytest.raises(ef.InputError, match="`majority` goes with the error"):
            record.bind(cells, Options(majority=3, **asked))
        with pytest.raises(ef.InputError, match="`stopping` is for two classes"):
            record.bind(cells, Options(totals_by="votes", stopping="third", **asked))


def test_values_of_many_classes_refuse_what_has_no_answer():
    def value(votes, name, **options):
        cells = Sample.of_rows(np.asarray(votes), np.ones(len(votes), dtype=np.int64))
        given = options.pop("given", {})
        classes = cells.votes.shape[1]
        return ManyClassMixture(
            cells, Options(metric=MetricChoice(name, **given).of(classes), **options)
        )

    three = [[2, 0, 0], [0, 1, 1], [0, 2, 0]]
    value(three, "log-loss", majority=2)  # of two votes one decides
    for majority in (3, 4):
        with pytest.raises(ef.InputError, match="`majority` goes with the error"):
            value(three, "log-loss", majority=majority)
    value(2 * np.eye(5, dtype=int), "balanced-error")
    with pytest.raises(ef.InputError, match=r"at most 5 classes, and there are 6"):
        value(2 * np.eye(6, dtype=int), "balanced-error")
    value(2 * np.eye(6, dtype=int), "log-loss")
    missing = [[2, 0, 0], [1, 0, 1]]
    with pytest.raises(ef.InputError, match=r"there is none for class number 1\."):
        value(missing, "balanced-error")
    value(missing, "balanced-error", given={"prior": (0.5, 0.2, 0.3)})
    value(missing, "cost", given={"costs": 1 - np.eye(3)})
    with pytest.raises(ef.InputError, match="at least 2 votes"):
        value(np.eye(3, dtype=int), "log-loss")
    with pytest.raises(ef.InputError, match="`stopping` is for two classes"):
        value(three, "log-loss", totals_by="votes", stopping="third")


def test_plain_shares_of_many_classes_leave_what_the_first_has_not():
    cells = Sample.of_rows(np.array([[1, 3, 0], [0, 1, 1], [2, 2, 2]]), np.array([1, 2, 3]))
    one, both, three = (
        MANY_PLUGIN.bind(cells, Options(majority=majority)).values(cells.count[None], RNG)[0]
        for majority in (None, 2, 3)
    )
    assert one == both == pytest.approx((1 * 0.25 + 2 * 0.5 + 3 * 2 / 3) / 6)
    # Of two votes one decides, so not a bit changes.
    votes = np.array([[a, b, c] for a in range(1, 6) for b in range(4) for c in range(3)])
    plain, two = (
        MANY_PLUGIN.bind(Sample.of_rows(votes, np.ones(60)), Options(majority=majority)).floor
        for majority in (1, 2)
    )
    assert plain.tolist() == two.tolist()
    # The plurality of three: 3/4 cubed, and three times 3/4 squared times 1/4; 1/2; 1/3.
    right = 27 / 64 + 27 / 64
    assert three == pytest.approx((1 * (1 - right) + 2 * 0.5 + 3 * 2 / 3) / 6)
    heavy = MANY_PLUGIN.bind(weighted(cells, [6.0, 1.0, 1.0]), Options())
    assert heavy.values(cells.count[None], RNG)[0] == pytest.approx((6 * 0.25 + 1 + 2) / 11)
    with pytest.raises(ef.InputError, match="at most 64"):
        MANY_PLUGIN.bind(cells, Options(majority=65))
    MANY_PLUGIN.bind(cells, Options(majority=64))
    assert MANY_MIXTURE.bind(THREE, Options()).fitted.majority == 1


# Which totals go together


def test_up_to_twelve_totals_stay_apart_and_more_go_to_their_rungs():
    twelve = np.array([2, 3, 4, 5, 6, 7, 8, 9, 17, 18, 20, 40])
    assert by_total(twelve).tolist() == twelve.tolist()
    more = np.append(twelve, [16, 19, 22, 23, 31, 32])
    # From 16 on by a factor of 2^(1/4): 16, 19.03, 22.6, 26.9, 32, 38.05.
    assert by_total(more).tolist() == [
        2, 3, 4, 5, 6, 7, 8, 9, 16, 16, 19, 38, 16, 19, 19, 23, 27, 32,
    ]  # fmt: skip


def test_items_are_counted_and_chosen():
    votes = Votes(np.array([0, 1, 2]), np.array([2, 2, 3]), np.array([4, 5, 6]))
    assert votes.n == 15
    chosen = votes.where(votes.totals == 2)
    assert [part.tolist() for part in chosen] == [[0, 1], [2, 2], [4, 5]]


def test_the_chances_of_votes_that_are_kept_are_hypergeometric():
    for k, m, kept in ((3, 10, 4), (0, 5, 2), (5, 5, 3), (9, 10, 4), (7, 12, 12)):
        expected = [comb(k, j) * comb(m - k, kept - j) / comb(m, kept) for j in range(kept + 1)]
        assert thinning._hypergeometric(k, m, kept) == pytest.approx(expected, abs=1e-12)


# Floors of a fitted distribution


def lost_by_shares(fit, totals, counts, target):
    """Return how far shares of votes lie below the floor, summed over all votes there can be."""
    lost = 0.0
    for m, count in zip(totals.tolist(), counts.tolist(), strict=True):
        k = np.arange(m + 1)
        orders = np.array([comb(m, one) for one in k])
        p = fit.points[:, None]
        shares = (orders * p**k * (1 - p) ** (m - k)) @ target(k / m)
        lost += count * fit.weights @ (target(fit.points) - shares)
    return lost / counts.sum()


@pytest.mark.parametrize("majority", [1, 3])
def test_floors_where_the_item_decides_are_those_of_each_total(majority):
    cells = Sample.of_votes(
        np.array([0, 1, 0, 1, 2, 0, 1, 2, 3]),
        np.array([1, 1, 2, 2, 2, 3, 3, 3, 3]),
        np.array([5, 2, 20, 7, 1, 30, 1, 3, 30]),
    )
    target = Target(majority)
    both = TwoClassMixture(cells, Options(majority=majority, totals_by="item"))
    assert [part.n for _, part in both.parts] == [7, 28, 64]
    alone = [
        fit_mixture(cells.positives[own], cells.totals[own], cells.count[own], part=True,
                    target=target).floor
        for own in (cells.totals == m for m in (1, 2, 3))
    ]  # fmt: skip
    expected = np.array([7, 28, 64]) @ alone / 99
    assert both.values(cells.count[None], RNG)[0] == pytest.approx(expected, abs=1e-12)
    lost = [
        lost_by_shares(fit, part.totals, part.counts, target) * part.n for fit, part in both.parts
    ]
    assert both.plugin_bias == pytest.approx(-sum(lost) / 99, abs=1e-9)
    assert both.fitted.weights.sum() == pytest.approx(1)
    together_ = TwoClassMixture(cells, Options(majority=majority))
    whole = fit_mixture(cells.positives, cells.totals, cells.count, target=target)
    assert together_.values(cells.count[None], RNG)[0] == pytest.approx(whole.floor, abs=1e-12)
    lost = lost_by_shares(whole, cells.totals, cells.count, target)
    assert together_.plugin_bias == pytest.approx(-lost, abs=1e-9)
    assert TwoClassMixture(TWO, Options(totals_by="votes")).plugin_bias is None


def test_single_votes_alone_have_no_floor_and_rules_are_heeded():
    single = Sample.of_votes(np.array([0, 1]), np.array([1, 1]), np.array([5, 5]))
    with pytest.raises(ef.InputError, match="at least 2 votes"):
        TwoClassMixture(single)
    wrong = Sample.of_votes(np.array([0, 1]), np.array([2, 2]), np.array([5, 5]))
    with pytest.raises(ef.InputError, match="cannot end with 1 of 2 votes"):
        TwoClassMixture(wrong, Options(totals_by="votes", stopping="third"))


# Rules that stop


def test_rules_by_name_have_their_lead_and_their_most_votes():
    third, lead, capped = map(rule_named, ("third", "lead-3", "lead-2-max-7"))
    assert (third.name, third.lead, third.first, third.most) == ("third", None, 2, 3)
    assert (lead.name, lead.lead, lead.first, lead.most) == ("lead-3", 3, None, None)
    assert (capped.name, capped.lead, capped.most) == ("lead-2-max-7", 2, 7)
    assert rule_named("lead-3-max-3").most == 3
    for wrong in ("lead-1", "lead-3-max-2", "lead-2-max-0", "lead-10", "majority", 3, None):
        with pytest.raises(ef.InputError, match="`stopping` must be one of"):
            rule_named(wrong)


def test_rules_stop_at_their_lead_at_a_majority_or_at_the_most_votes():
    third, lead, capped = map(rule_named, ("third", "lead-3", "lead-2-max-7"))
    assert [third.stops(k, m) for k, m in ((1, 1), (2, 2), (0, 2), (1, 2), (1, 3))] == [
        False, True, True, False, True,
    ]  # fmt: skip
    assert [lead.stops(k, m) for k, m in ((2, 2), (3, 3), (0, 3), (1, 4), (4, 5), (1, 5))] == [
        False, True, True, False, True, True,
    ]  # fmt: skip
    assert [capped.stops(k, m) for k, m in ((3, 6), (3, 7), (4, 6), (4, 8))] == [
        False, True, True, False,
    ]  # fmt: skip


def test_a_rule_without_a_most_is_followed_for_42_votes_or_as_many_as_there_are():
    lead = rule_named("lead-2")
    k, m, orders = lead.cells()
    assert m.tolist() == np.repeat(np.arange(2, 43, 2), 2).tolist()
    # Pairs that differ, in either order, until one agrees.
    assert orders.tolist() == (2.0 ** (m // 2 - 1)).tolist()
    assert np.abs(2 * k - m).tolist() == [2] * m.size
    assert lead.cells(43)[1].max() == 42
    assert lead.cells(44)[1].max() == 44
    lead.check(np.array([24]), np.array([46]))
    with pytest.raises(ef.InputError, match="cannot end with 23 of 46 votes for class 1"):
        lead.check(np.array([24, 23]), np.array([46, 46]))
    assert sorted(zip(*(part.tolist() for part in rule_named("third").cells()), strict=True)) == [
        (0, 2, 1), (1, 3, 2), (2, 2, 1), (2, 3, 2),
    ]  # fmt: skip


# Votes for a few classes, each in its place


def test_counts_of_votes_have_their_shares_and_chances():
    votes = np.array([[2, 0, 0], [0, 1, 1], [1, 1, 1], [2, 0, 0], [0, 0, 1]])
    likelihood = CountLikelihood.around(votes, np.array([3, 2, 4, 1, 6]))
    assert likelihood.votes.tolist() == [[0, 0, 1], [0, 1, 1], [1, 1, 1], [2, 0, 0]]
    assert likelihood.n == 16
    assert likelihood.share == pytest.approx(np.array([6, 2, 4, 4]) / 16)
    assert likelihood.within == pytest.approx(np.array([6, 6, 4, 6]) / 16)
    p = likelihood.points.T
    chances = np.array([p[2], 2 * p[1] * p[2], 6 * p.prod(axis=0), p[0] ** 2])
    np.testing.assert_allclose(likelihood.matrix, chances, rtol=1e-9, atol=1e-300)
    assert not likelihood.complete
    fitted = likelihood.matrix @ likelihood.reference
    alike = np.array([0.2, 0.3, 0.5])
    lost = np.log(fitted) - np.log([0.5, 2 * 0.3 * 0.5, 6 * 0.03, 0.04])
    assert likelihood.alike_loss(fitted, alike) == pytest.approx(likelihood.share @ lost)


def test_counts_are_complete_where_all_that_could_be_are_there():
    two = np.array([[2, 0, 0], [0, 2, 0], [0, 0, 2], [1, 1, 0], [1, 0, 1], [0, 1, 1]])
    assert CountLikelihood.around(two, np.ones(6)).complete
    assert not CountLikelihood.around(two[:5], np.ones(5)).complete
    assert not CountLikelihood.around(np.vstack((two, [[1, 0, 0]])), np.ones(7)).complete
    both = np.vstack((two, np.eye(3, dtype=int)))
    assert CountLikelihood.around(both, np.ones(9)).complete


def test_points_hold_certain_torn_and_spread_items_and_a_reference_like_the_votes():
    votes = np.array([[3, 0, 0], [0, 3, 0], [2, 1, 0], [0, 1, 2]])
    counts = np.array([50, 20, 20, 10])
    likelihood = CountLikelihood.around(votes, counts)
    points, reference = likelihood.points, likelihood.reference
    assert points.sum(axis=1) == pytest.approx(1)
    # Four spreads and the votes' own, of 251 points each; 3 certain items, an even one and one
    # for each choice of two or three classes; and 15 shares of each two classes.
    assert len(points) == 5 * 251 + 3 + 1 + 4 + 3 * 15
    rows = {tuple(row) for row in points.round(9).tolist()}
    for row in ([1, 0, 0], [0.5, 0, 0.5], [0, 1 / 16, 15 / 16], [15 / 16, 1 / 16, 0], [1 / 3] * 3):
        assert tuple(np.round(row, 9).tolist()) in rows
    assert reference.sum() == pytest.approx(1)
    assert np.flatnonzero(reference).tolist() == [
        *range(502, 753),
        *range(len(points) - 251, len(points)),
    ]
    assert set(reference[reference > 0]) == {0.5 / 251}
    # Half of it is Dirichlet(1/3, 1/3, 1/3): equal means, and votes agree in (1 + 1/3) / 2.
    for start, means, agree in (
        (0, [1 / 3] * 3, 0.05 + 0.95 / 3),
        (251, [1 / 3] * 3, 0.2 + 0.8 / 3),
        (502, [1 / 3] * 3, 0.5 + 0.5 / 3),
        (753, [1 / 3] * 3, 0.8 + 0.2 / 3),
        (len(points) - 251, [0.5 + 0.4 / 3, 0.2 + 0.2 / 3 + 0.1 / 3, 0.2 / 3],
         (70 + 30 / 3) / 100),
    ):  # fmt: skip
        own = points[start : start + 251]
        assert own.mean(axis=0) == pytest.approx(means, abs=0.02)
        assert (own**2).sum(axis=1).mean() == pytest.approx(agree, abs=0.02)


def test_a_fit_on_some_points_has_weights_of_those_alone():
    likelihood = CountLikelihood.around(THREE.votes, THREE.count)
    weights = likelihood.smoothed(2.0)
    assert weights.sum() == pytest.approx(1)
    assert (weights > 0).sum() <= (likelihood.reference > 0).sum()
    assert not weights[likelihood.reference == 0].any()
    kept = np.array([3, 600, 1300])
    some = likelihood.among(kept)
    assert some.points.tolist() == likelihood.points[kept].tolist()
    assert some.matrix.tolist() == likelihood.matrix[:, kept].tolist()
    assert some.reference.tolist() == likelihood.reference[kept].tolist()
    assert some.floor.tolist() == [0, 0, 0]


def test_votes_that_are_used_are_ten_seven_or_five_and_fewer_stay_as_they_are():
    for classes, most in ((3, 10), (4, 7), (5, 5)):
        votes = np.zeros((3, classes), dtype=np.int64)
        votes[:, 0] = (most - 1, most, most + 3)
        kept, items = kept_votes(votes, np.array([4, 5, 6]))
        assert kept[:, 0].tolist() == [most - 1, most]
        assert items.tolist() == [4, 11]
    mean = shares_of_votes(np.array([[2, 0, 0], [1, 1, 2]]), np.array([1, 3]))
    assert mean == pytest.approx([(1 + 0.75) / 4, 0.75 / 4, 1.5 / 4])


def test_a_lattice_has_a_point_in_the_middle_of_each_of_its_cells(monkeypatch):
    monkeypatch.setattr(simplex, "gammaincinv", lambda shape, chance: shape * chance)
    found = simplex._placed_dirichlet(3, np.array([1.0, 2.0, 5.0]))
    for i, row in enumerate(found):
        at = [(i * 24**k % 251 + 0.5) / 251 for k in range(3)]
        expected = np.array([1, 2, 5]) * at
        assert row == pytest.approx(expected / expected.sum())


def test_a_larger_penalty_holds_a_fit_closer_to_its_reference():
    likelihood = CountLikelihood.around(THREE.votes, THREE.count)
    away = [
        np.abs(likelihood.smoothed(penalty) - likelihood.reference).sum()
        for penalty in (0.02, 2.0, 1e5)
    ]
    assert away[0] > away[1] > away[2]
    assert away[1] > 0.1
    assert away[2] < 0.01
