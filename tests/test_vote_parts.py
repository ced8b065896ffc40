"""Parts of the methods for votes: numbers by hand, and loops whose every turn is scripted."""

from dataclasses import replace

import numpy as np
import pytest

import errorfloor as ef
from errorfloor.data.sample import Sample
from errorfloor.methods.record import Options
from errorfloor.methods.soft import MANY_PLUGIN, MANY_PLUGINS
from errorfloor.methods.votes.line import fit_mixture
from errorfloor.methods.votes.mixture import (
    MANY_MIXTURE,
    TwoClassMixture,
)
from errorfloor.methods.votes.stopping import rule_named
from errorfloor.metrics.choice import MetricChoice

RNG = np.random.default_rng(0)
BRIER = MetricChoice("brier").of(2)

# Grids that are made finer


def test_single_votes_are_fitted_where_they_are_some_of_the_items_alone():
    ones = np.array([0, 1]), np.array([1, 1]), np.array([6, 4])
    with pytest.raises(ValueError, match="single votes say nothing"):
        fit_mixture(*ones)
    part = fit_mixture(*ones, part=True)
    assert part.weights @ part.points == pytest.approx(0.4, abs=1e-6)


# Votes that weigh differently


def weighted(cells, weight):
    return replace(cells, weight=np.asarray(weight, dtype=float))


THREE = Sample.of_rows(
    np.array([[3, 0, 0], [2, 1, 0], [1, 1, 1], [0, 0, 3]]), np.array([40, 20, 10, 30])
)


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


def test_single_votes_and_votes_that_no_rule_ends_with_have_no_value():
    single = Sample.of_votes(np.array([0, 1]), np.array([1, 1]), np.array([5, 5]))
    with pytest.raises(ef.InputError, match="at least 2 votes"):
        TwoClassMixture(single, Options(metric=BRIER))
    wrong = Sample.of_votes(np.array([0, 1]), np.array([2, 2]), np.array([5, 5]))
    with pytest.raises(ef.InputError, match="cannot end with 1 of 2 votes"):
        TwoClassMixture(wrong, Options(metric=BRIER, totals_by="votes", stopping="third"))


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


def test_a_rule_without_a_most_is_followed_for_42_votes_or_as_many_as_there_are():
    lead = rule_named("lead-2")
    k, m, log_orders = lead.cells()
    assert m.tolist() == np.repeat(np.arange(2, 43, 2), 2).tolist()
    # Pairs that differ, in either order, until one agrees.
    np.testing.assert_allclose(log_orders, (m // 2 - 1) * np.log(2), atol=1e-15)
    assert np.abs(2 * k - m).tolist() == [2] * m.size
    assert lead.cells(43)[1].max() == 42
    assert lead.cells(44)[1].max() == 44
    lead.check(np.array([24]), np.array([46]))
    with pytest.raises(ef.InputError, match="cannot end with 23 of 46 votes for class 1"):
        lead.check(np.array([24, 23]), np.array([46, 46]))
    assert sorted(zip(*(part.tolist() for part in rule_named("third").cells()), strict=True)) == [
        (0, 2, 0), (1, 3, np.log(2)), (2, 2, 0), (2, 3, np.log(2)),
    ]  # fmt: skip


def test_votes_that_go_on_for_thousands_have_finite_chances():
    k = np.array([0, 9, 0, 9] * 20 + [1255])
    m = np.array([9] * 80 + [2501])
    with pytest.warns(ef.RefutedWarning, match="do not look independent"):
        found = ef.from_votes(k, m, totals_by="votes", stopping="lead-9", interval=None)
    assert [one.level for one in found.findings if one.name == "Misfit of votes"] == ["refuted"]
