"""Tests of what floors from votes assume, and records of their limits: the parts, by hand."""

from functools import partial
from itertools import pairwise
from math import comb
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import errorfloor as ef
from errorfloor.checks import votes as fits
from errorfloor.checks.votes import Expected, power_of_misfit
from errorfloor.intervals.votes import bracket
from errorfloor.intervals.votes.annotators import (
    AnnotatorLimits,
    SpreadOfPeople,
    _share,
    disagreement,
    slope_of,
)
from errorfloor.intervals.votes.bracket import Bracket, agreements, missed_votes, pair_floor
from errorfloor.intervals.votes.limits import VoteLimits
from errorfloor.methods.record import Options
from errorfloor.methods.votes import stopping
from errorfloor.methods.votes.thinning import Votes, points_for
from errorfloor.metrics import named


def mixture(*points):
    return SimpleNamespace(points=np.array(points), weights=np.full(len(points), 1 / len(points)))


def test_all_votes_that_can_be_are_expected_with_their_chances():
    few = Votes(np.array([0, 2, 1]), np.array([2, 2, 3]), np.array([5, 7, 2]))
    many = Votes(np.array([4]), np.array([4]), np.array([9]))
    found = Expected.under([(mixture(0.2, 0.7), few), (mixture(0.9), many)])
    assert found.positives.tolist() == [0, 1, 2, 0, 1, 2, 3, 0, 1, 2, 3, 4]
    assert found.totals.tolist() == [2] * 3 + [3] * 4 + [4] * 5
    assert found.counts.tolist() == [5, 0, 7, 0, 2, 0, 0, 0, 0, 0, 0, 9]
    assert found.own.tolist() == [0] * 7 + [1] * 5
    assert [one.tolist() for one in found.trials] == [[0, 1, 2], [3, 4, 5, 6], [7, 8, 9, 10, 11]]
    k, m = found.positives, found.totals
    both = (binom.pmf(k, m, 0.2) + binom.pmf(k, m, 0.7)) / 2
    assert found.chances == pytest.approx(np.where(m < 4, both, binom.pmf(k, m, 0.9)))
    assert fits._sizes(found).tolist() == [12] * 3 + [2] * 4 + [9] * 5
    seen = found.votes
    assert (seen.positives.tolist(), seen.totals.tolist()) == ([0, 2, 1, 4], [2, 2, 3, 4])
    assert seen.counts.tolist() == [5, 7, 2, 9]


LEAD_OF_TWO = stopping.StoppingRule("", lead=2)


def test_votes_that_go_on_are_a_cell_of_their_own(monkeypatch):
    monkeypatch.setattr(stopping, "_HORIZON", 2)
    rule = LEAD_OF_TWO
    votes = Votes(np.array([0, 2, 1]), np.array([2, 2, 4]), np.array([5, 7, 2]))
    found = Expected.under_rule(rule, mixture(0.5), votes)
    pairs = dict(zip(zip(found.positives.tolist(), found.totals.tolist(), strict=True),
                     zip(found.chances, found.counts, strict=True), strict=True))  # fmt: skip
    # A lead of two: after two votes half of the time, after four votes a quarter, or later.
    assert pairs[0, 2] == (pytest.approx(0.25), 5)
    assert pairs[2, 2] == (pytest.approx(0.25), 7)
    assert pairs[1, 4] == (pytest.approx(0.125), 2)
    assert pairs[3, 4] == (pytest.approx(0.125), 0)
    assert pairs[0, 0] == (pytest.approx(0.25), 0)
    assert len(pairs) == 5
    assert found.own is None
    assert [one.tolist() for one in found.trials] == [[0, 1, 2, 3, 4]]


@pytest.mark.parametrize(("totals", "draws"), [((2, 3), 1999), ((19,) * 20, 1999), ((400,), 499)])
def test_draws_keep_the_number_of_items_of_each_total(totals, draws):
    cells = [np.arange(m + 1) for m in totals]
    ends = np.cumsum([0] + [one.size for one in cells])
    p = np.concatenate([binom.pmf(k, k[-1], 0.3) for k in cells])
    counts = np.arange(p.size) % 7
    trials = [np.arange(a, b) for a, b in pairwise(ends)]
    found = Expected(np.concatenate(cells), np.repeat(totals, [one.size for one in cells]), p,
                     trials, counts, np.zeros(p.size, dtype=int))  # fmt: skip
    drawn = found.drawn(np.random.default_rng(0))
    assert drawn.shape == (draws, p.size)
    for cells_of in trials:
        n = counts[cells_of].sum()
        assert (drawn[:, cells_of].sum(axis=1) == n).all()
        mean, size = drawn[:, cells_of].mean(axis=0), np.sqrt(n * p[cells_of] / draws)
        assert (np.abs(mean - n * p[cells_of]) < 5 * size + 0.02).all()


def test_the_critical_value_is_a_draw_by_its_rank():
    draws = np.random.default_rng(0).permutation(np.arange(1.0, 200.0))
    assert fits._quantile(draws, 0.01) == 198  # the second largest of 199
    assert fits._quantile(draws, 0.005) == 199
    assert fits._quantile(draws, 0.1) == 180
    assert not fits.Tested(3.0, 3.0).refutes
    assert fits.Tested(np.nextafter(3.0, 4), 3.0).refutes


def test_the_deviance_is_twice_the_log_likelihood_ratio():
    counts, size = np.array([[3, 0, 7], [5, 5, 0]]), np.array([4.0, 1.0, 5.0])
    expected = [
        2 * (3 * np.log(3 / 4) + 7 * np.log(7 / 5)),
        2 * (5 * np.log(5 / 4) + 5 * np.log(5 / 1)),
    ]
    assert fits._deviance(counts, size) == pytest.approx(expected)


def test_the_power_is_the_least_share_whose_misfit_is_far_beyond_the_critical_value(monkeypatch):
    votes = Votes(np.array([0, 2, 5]), np.array([4, 4, 5]), np.array([60, 40, 100]))
    expected = Expected.under([(mixture(0.2, 0.7), votes)])
    critical = 7.3
    needed = (0.84 + np.sqrt(0.84**2 + critical)) ** 2
    seen = []
    monkeypatch.setattr(fits, "_deviance", lambda counts, size: [np.inf])  # so all are fitted

    def misfit(least):
        def of(own, counts, which):
            even = np.isin(np.arange(11), [2, 7, 8])  # 2 of 4 votes, and 2 or 3 of 5
            share = (counts - 100 * own.chances)[even].sum() / 100
            share /= 2 - own.chances[even].sum()
            seen.append(share)
            assert which.all()
            return needed * (1 + 1e-9) if share >= least - 1e-9 else needed * (1 - 1e-9)

        return of

    for least, found in ((0.02, 0.02), (0.07, 0.1), (0.4, 0.4), (0.5, None)):
        monkeypatch.setattr(fits, "_lack_of_fit", misfit(least))
        assert power_of_misfit(expected, critical) == found
    assert seen[:1] == pytest.approx([0.02])
    assert seen[-5:] == pytest.approx([0.02, 0.05, 0.1, 0.2, 0.4])
    # Each distribution has a misfit of its own, and they add up.
    two = Expected.under([(mixture(0.2), votes.where(votes.totals == 4)),
                          (mixture(0.7), votes.where(votes.totals == 5))])  # fmt: skip
    monkeypatch.setattr(fits, "_lack_of_fit", lambda own, counts, which: 0.6 * needed)
    assert power_of_misfit(two, critical) == 0.02
    assert power_of_misfit(expected, critical) is None


@pytest.mark.parametrize("items", [20, 200, 2000, 20_000])
def test_the_power_is_the_same_where_shares_near_the_fit_are_not_fitted(items, monkeypatch):
    totals = np.array([3, 3, 3, 3, 6, 6, 6, 6])
    votes = Votes(np.array([0, 1, 2, 3, 0, 2, 5, 6]), totals, np.full(8, items // 8))
    expected = Expected.under([(mixture(0.1, 0.6, 0.95), votes)])
    found = [power_of_misfit(expected, critical) for critical in (3.0, 9.0, 20.0)]
    monkeypatch.setattr(fits, "_deviance", lambda counts, size: [np.inf])
    assert found == [power_of_misfit(expected, critical) for critical in (3.0, 9.0, 20.0)]


def test_the_power_is_not_worked_out_for_rules_and_very_many_cells():
    rule = Expected.under_rule(LEAD_OF_TWO, mixture(0.5),
                               Votes(np.array([0]), np.array([2]), np.array([5])))  # fmt: skip
    assert power_of_misfit(rule, 1.0) == np.inf
    many = Expected.under([(mixture(0.5), Votes(np.array([0]), np.array([400]), np.array([5])))])
    assert power_of_misfit(many, 1.0) == np.inf


# Limits.


class Watched:
    """A search for limits that remembers what it was asked for."""

    def __init__(self, low, high):
        self.found, self.asked = (low, high), []

    def __call__(self, *votes, **how):
        self.asked.append((votes, how))
        return self.found


@pytest.mark.parametrize(("value", "limits"), [(0.2, (0.1, 0.3)), (0.05, (0.05, 0.3)),
                                               (0.4, (0.1, 0.4))])  # fmt: skip
def test_limits_of_votes_never_leave_out_the_value(value, limits):
    table = ef.VoteTable.from_arrays([0, 1, 3], 3)
    find = Watched(0.1, 0.3)
    own = VoteLimits.around("likelihood", value, table, find, Options())
    assert own.limits(0.9) == limits
    ((votes, how),) = find.asked
    assert [one.tolist() for one in votes] == [[0, 1, 3], [3, 3, 3], [1, 1, 1]]
    assert how == {"level": 0.9, "options": Options()}
    many = ef.VoteTable.from_arrays([[1, 1, 1], [3, 0, 0]])
    find = Watched(0.1, 0.3)
    own = VoteLimits.around("likelihood", value, many, find, Options())
    assert own.limits(0.9) == limits
    votes, count = find.asked[0][0]
    assert (votes.tolist(), count.tolist()) == (many.votes.tolist(), [1, 1])


@pytest.mark.parametrize("totals_by", ["chance", "item", "votes"])
def test_too_many_votes_are_thinned_unless_votes_decided(totals_by):
    rng = np.random.default_rng(0)
    table = ef.VoteTable.from_arrays(rng.binomial(3000, rng.random(400)), 3000)
    find = Watched(0.1, 0.3)
    own = VoteLimits.around("likelihood", 0.2, table, find, Options(totals_by=totals_by))
    own.limits(0.9)
    votes, how = find.asked[0]
    assert (own.few is None) == (totals_by == "votes")
    if own.few is not None:
        most = int(own.few.totals.max())
        assert most < 3000
        assert votes == tuple(own.few)
        assert how["n_points"] == (256 if totals_by == "item" else points_for(most))
        assert f"at most {most:,} votes" in own.note


def limits_of(level=0.9, **changes):
    likelihood = SimpleNamespace(limits=lambda level: (0.1, 0.3))
    given = {
        "value": 0.2, "likelihood": likelihood, "open_low": 0.02, "open_high": 0.03,
        "spread": SpreadOfPeople(0.001, 6.0), "number": 30, "effective": np.inf,
    }  # fmt: skip
    return AnnotatorLimits(**(given | changes)).limits(level)


def test_annotators_widen_limits_at_a_right_angle():
    from scipy.stats import t

    shared = t.ppf(0.95, 6) ** 2 * 0.001
    low = 0.1 + 0.08 - np.sqrt(0.08**2 + shared)  # 0.2 - 0.02 - 0.1 is noise of items
    high = 0.3 - 0.07 + np.sqrt(0.07**2 + shared)
    assert limits_of() == pytest.approx((low, high))
    share = 1 - 0.05 ** (1 / 25)  # of all people, of whom 25 lack a kind in 5 % of samples
    high = 0.3 - 0.07 + np.sqrt(0.07**2 + shared + (share * 0.6) ** 2)  # 0.2 is 0.6 below guessing
    assert limits_of(effective=25.0) == pytest.approx((low, high))
    # All of it is open, however many items: annotators come on top.
    assert limits_of(open_low=0.5, open_high=0.5) == pytest.approx(
        (max(0.1 - np.sqrt(shared), 0), 0.3 + np.sqrt(shared))
    )
    assert limits_of(spread=SpreadOfPeople(1.0, 6.0)) == (0, 0.5)
    assert limits_of(spread=SpreadOfPeople(1.0, 6.0), top=2 / 3) == (0, 2 / 3)


def test_the_note_says_when_some_cast_more_votes():
    def note(number, effective):
        likelihood = SimpleNamespace(limits=lambda level: (0.1, 0.3))
        return AnnotatorLimits(
            0.2, likelihood, 0.0, 0.0, SpreadOfPeople(0.0, 1.0), number, effective
        ).note

    assert "the 30 annotators are each treated as a random sample" in note(30, 15.0)
    assert "30 annotators (worth 15 with equal numbers of votes" in note(30, 14.9)
    assert "The items and about 1,000 annotators are each treated as" in note(1000, 900.0)
    assert "the 999 annotators are" in note(999, 900.0)


# Brackets.


def test_votes_agree_and_are_missed_one_by_one():
    votes = np.array([[4, 1, 0, 0], [2, 2, 1, 1], [3, 2, 2, 0], [1, 0, 0, 0], [1, 1, 0, 0]])
    for i, row in enumerate(votes):
        cast = np.repeat(np.arange(4), row)
        pairs = [a == b for n, a in enumerate(cast) for b in cast[:n]]
        assert agreements(votes)[i] == pytest.approx(np.mean(pairs) if pairs else 1.0)
        missed = 0.0
        for n, own in enumerate(cast):
            left = np.bincount(np.delete(cast, n), minlength=4)
            leaders = np.flatnonzero(left == left.max())
            met = 1 / leaders.size if own in leaders else 0.0
            missed += (1 - met) / cast.size
        if cast.size > 1:
            assert missed_votes(votes)[i] == pytest.approx(missed)
    assert missed_votes(votes)[3] == pytest.approx(1 - 1 / 4)  # guessed among four


def test_the_least_floor_of_pairs_that_agree_is_that_of_one_class_before_equal_others():
    for classes, most in ((3, 0.6), (4, 0.9), (3, 1.0), (5, 0.2)):
        p = np.array([most, *[(1 - most) / (classes - 1)] * (classes - 1)])
        assert pair_floor((p**2).sum(), classes) == pytest.approx(1 - most)
    assert pair_floor(0.1, 3) == pytest.approx(2 / 3)  # less than guesses agree
    assert pair_floor(1.2, 3) == pytest.approx(0)


def test_four_limits_share_the_error_of_a_bracket():
    def side(low, high):
        def at(end, level):
            assert level == pytest.approx(0.95)  # a quarter of 0.1 on either side
            return end

        return SimpleNamespace(lower=partial(at, low), upper=partial(at, high))

    def bracketed(value, left, most, majority=1):
        sides = side(left, 1), side(0, 0.6), side(0.55, 1), side(0, most)
        return Bracket(value, 4, majority, *sides)

    # 1 - 0.55 is below 0.6; the pairs agree at most as often as with 0.7 for one class.
    pairs = 0.7**2 + 3 * 0.1**2
    assert bracketed(0.35, 0.2, pairs).limits(0.9) == pytest.approx((0.3, 0.45))
    assert bracketed(0.35, 0.32, pairs).limits(0.9) == pytest.approx((0.32, 0.45))
    assert bracketed(0.1, 0.32, pairs).limits(0.9) == pytest.approx((0.1, 0.45))
    assert bracketed(0.5, 0.32, pairs).limits(0.9) == pytest.approx((0.32, 0.5))
    # How often pairs agree bounds the floor of a majority from above alone.
    assert bracketed(0.35, 0.2, pairs, 2).limits(0.9) == pytest.approx((0.3, 0.45))
    assert bracketed(0.35, 0.2, pairs, 3).limits(0.9) == pytest.approx((0.2, 0.45))
    three = SimpleNamespace(limits=lambda level: (0.2, 0.4) if abs(level - 0.9) < 1e-9 else None)
    whole = Bracket(0.3, 3, 1, side(0, 1), side(0, 1), side(0, 1), side(0, 1), three)
    assert whole.limits(0.9) == (0.2, 0.4)


@pytest.mark.parametrize("metric", ["error", "brier", "f1"])
def test_a_rule_that_nobody_declared_leaves_nothing_certified(metric):
    with pytest.raises(ef.InputError, match="needs to know when votes were enough"):
        ef.from_votes(
            [0, 2, 3, 1], [2, 2, 4, 4], metric=metric, interval="certified", totals_by="votes"
        )


def test_what_a_certified_interval_is_not_for_says_what_is():
    votes = np.array([0, 1, 2, 3, 3, 3])
    for name, says in (("auc", False), ("balanced-error", True)):
        with pytest.raises(ef.InputError) as refused:
            ef.from_votes(votes, 3, metric=name, interval="certified")
        assert f"the best {named(name).words} is no such value" in str(refused.value)
        assert ("Where the share of class 1 is known" in str(refused.value)) == says


def check(totals_by="chance", majority=None, totals=(3, 3)):
    options = Options(totals_by=totals_by, majority=majority)
    bracket._check(SimpleNamespace(options=options), SimpleNamespace(totals=np.array(totals)))


def test_what_has_no_proof_for_many_classes_is_refused():
    check(totals_by="votes")  # equal totals were not decided
    check(totals=(2, 3))
    with pytest.raises(ef.InputError, match="needs totals that votes did not decide"):
        check(totals_by="votes", totals=(2, 3))


def test_the_slope_of_many_classes_is_that_of_a_few_guesses():
    points, weights = np.array([[0.7, 0.2, 0.1], [0.4, 0.35, 0.25]]), np.array([0.6, 0.4])
    # To first order floors rise by max p - 1/3, and agreement falls by 2 (sum p^2 - 1/3).
    rise = weights @ (points.max(axis=1) - 1 / 3)
    fall = weights @ (2 * ((points**2).sum(axis=1) - 1 / 3))
    assert slope_of(points, weights, 1) == pytest.approx(rise / fall, rel=2e-3)
    assert slope_of(np.full((1, 4), 0.25), np.ones(1), 1) == 0


def test_shares_of_votes_that_are_drawn_are_chances_of_all_of_them():
    r, m = np.array([3, 2, 1, 5]), np.array([5, 4, 3, 5])
    for power in (2, 3, 4):
        slow = [comb(b - power, a - power) / comb(b, a) if a >= power else 0.0
                for a, b in zip(r, m, strict=True)]  # fmt: skip
        assert _share(r, m, power) == pytest.approx(slow)
    assert disagreement(np.array([1, 2, 4]), np.array([0, 0, 6])).tolist() == [0, 1, 0.5]


@pytest.mark.parametrize(("people", "classes"), [(8, 2), (20, 2), (6, 3)])
def test_the_limits_are_for_these_annotators(people, classes):
    rng = np.random.default_rng(people)
    items = rng.dirichlet(np.full(classes, 0.3), 60)
    votes = pd.DataFrame({f"rater_{i}": [rng.choice(classes, p=p) for p in items]
                          for i in range(people)})  # fmt: skip
    found = ef.from_votes(votes, interval="annotators").evidence
    assert found.method == "annotators"
    assert (found.number, found.effective) == (people, pytest.approx(people))
    assert found.top == pytest.approx(1 - 1 / classes)
    low, high = found.likelihood.limits(0.05)
    assert found.open_low == pytest.approx(found.value - low)
    assert found.open_high == pytest.approx(high - found.value)
