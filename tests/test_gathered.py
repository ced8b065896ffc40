"""Bounds on points that are gathered on the way, next to the same on all points."""

from dataclasses import replace

import numpy as np
import pytest

from errorfloor.data.tables import VoteTable
from errorfloor.intervals.votes.region import ManyClassRegion, many_likelihood_limits
from errorfloor.methods.record import Options
from errorfloor.methods.votes import simplex as gathering
from errorfloor.methods.votes.dual import region_bound
from errorfloor.methods.votes.mixture import ManyClassMixture
from errorfloor.methods.votes.simplex import Gathered, fitted_weights
from errorfloor.metrics.choice import MetricChoice

SELECTIVE = {"error-at-coverage": 0.8, "coverage-at-error": 0.05}


def table(classes, votes=14, items=1500, seed=0):
    rng = np.random.default_rng([seed, classes])
    eta = rng.dirichlet(np.full(classes, 0.3 / classes), items)
    return VoteTable.from_arrays(rng.multinomial(votes, eta))


def options(name, classes, **given):
    return Options(metric=MetricChoice(name, **given).of(classes))


@pytest.fixture(scope="module", params=[(3, 14, 1500), (6, 14, 1500), (10, 50, 10_000)])
def likely(request):
    own, classes = table(*request.param), request.param[0]
    found = ManyClassRegion.around(own.votes, own.counts, 0.95, options("log-loss", classes))
    assert found.tells_much
    return found


def on_all_points(likely, aim, sign):
    kernel = replace(likely.parts[0], floor=aim)
    chances = kernel.matrix @ likely.fitted
    best = float(kernel.share @ np.log(chances))
    return region_bound(kernel, sign, chances, best, likely.choose, likely.use)[0]


AIMS = {
    "entropy": lambda p: -(p * np.log(np.maximum(p, 1e-300))).sum(axis=1),
    "surer than 0.1": lambda p: np.maximum(p[:, 0] - 0.9, 0.0),
    "surer than 0.4": lambda p: np.maximum(p[:, 0] - 0.6, 0.0),
    "second class": lambda p: p[:, 1],
}


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("name", AIMS)
def test_bounds_are_those_on_all_points(likely, name, sign):
    aim = AIMS[name](likely.points)
    gathered = anew(likely)
    temperatures = gathering.FIRST, 1e-4
    rough, _ = gathered._on_gathered(aim, sign, temperatures, gathering.NEARLY)
    bound, extreme = gathered.bound(AIMS[name], sign)
    slow = on_all_points(likely, aim, sign)
    # Both searches end within ten smoothings of the best weights, which are 1e-6.
    assert bound == pytest.approx(slow, abs=3e-5)
    assert rough <= bound + 3e-5
    assert rough == pytest.approx(slow, abs=1e-3)
    assert bound <= sign * float(likely.fitted @ aim)
    assert extreme.sum() == pytest.approx(1)
    if name == "entropy":  # a function with a bend may stop the last steps by rounding
        assert lost(likely, extreme) == pytest.approx(likely.choose, rel=0.02)


def anew(likely):
    """Return the same region, of which nothing was asked yet."""
    found = replace(likely)
    vars(found)["weights"] = likely.weights
    return found


def lost(likely, weights):
    """Return the mean log-likelihood that a distribution has less than the likeliest."""
    part = likely.parts[0]
    fits = [np.log(part.matrix @ own) for own in (likely.fitted, weights)]
    return float(part.share @ (fits[0] - fits[1]))


def test_bounds_heed_points_that_the_search_did_not_begin_with(likely):
    heavy = np.flatnonzero(likely.fitted > 0)
    first = set(Gathered.around(likely.parts[0], heavy).points.tolist())
    near = np.abs(likely.points - likely.fitted @ likely.points).max(axis=1)
    missing = next(i for i in np.argsort(near) if int(i) not in first)
    # Least at a point that is none of the first ones, and in the middle of all.

    def aim(points):
        return np.minimum(np.abs(points - likely.points[missing]).max(axis=1), 0.2)

    gathered = anew(likely)
    slow = on_all_points(likely, aim(likely.points), 1.0)
    assert gathered.bound(aim, 1.0)[0] == pytest.approx(slow, abs=3e-5)
    assert missing in gathered.bound(aim, 1.0)[1].nonzero()[0]
    # Without the likeliest distribution there might be none that is likely, and no bound.
    points = set(gathered._gathered[1.0].points.tolist())
    assert set(np.flatnonzero(likely.fitted > 1e-6 * likely.fitted.max()).tolist()) <= points


def test_one_search_after_another_finds_the_same(likely):
    one = anew(likely)
    for aim in AIMS.values():
        alone = anew(likely)
        assert one.bound(aim, 1.0)[0] == pytest.approx(alone.bound(aim, 1.0)[0], abs=3e-5)


def test_a_fit_on_gathered_points_is_as_likely_as_one_on_all(likely):
    part = likely.parts[0]
    slow, quick = part.fitted(1e-7), fitted_weights(part, 1e-7)
    assert quick.sum() == pytest.approx(1.0)
    assert (quick >= 0).all()
    likelihoods = [part.share @ np.log(part.matrix @ own) for own in (slow, quick)]
    assert likelihoods[1] == pytest.approx(likelihoods[0], abs=1e-8)
    # No point would raise the likelihood, as none does of the slow fit.
    assert ((part.share / (part.matrix @ quick)) @ part.matrix).max() < 1 + 1e-5


@pytest.mark.parametrize("classes", [3, 6])
@pytest.mark.parametrize("name", SELECTIVE)
def test_limits_where_to_look_is_sketched_are_those_of_looking_everywhere(
    name, classes, monkeypatch
):
    own, asked = table(classes, seed=1), options(name, classes, at=SELECTIVE[name])
    quick = many_likelihood_limits(own.votes, own.counts, options=asked)
    monkeypatch.setattr(ManyClassRegion, "tells_much", False)
    slow = many_likelihood_limits(own.votes, own.counts, options=asked)
    assert quick == pytest.approx(slow, abs=0.01 * (slow[1] - slow[0]))


@pytest.mark.parametrize("name", ["cost", "balanced-error"])
def test_limits_with_each_class_in_its_place_are_those_on_all_points(name, monkeypatch):
    own, given = table(3, seed=2), {"costs": [[0, 1, 4], [1, 0, 1], [2, 1, 0]]}
    asked = options(name, 3, **given if name == "cost" else {})
    quick = many_likelihood_limits(own.votes, own.counts, options=asked)
    monkeypatch.setattr(ManyClassRegion, "tells_much", False)
    slow = many_likelihood_limits(own.votes, own.counts, options=asked)
    assert quick == pytest.approx(slow, abs=0.01 * (slow[1] - slow[0]))


def test_few_votes_are_looked_at_everywhere():
    own = table(3, votes=5)
    asked = options("error-at-coverage", 3, at=0.8)
    assert not ManyClassRegion.around(own.votes, own.counts, 0.95, asked).tells_much


@pytest.mark.parametrize("name", ["log-loss", "error-at-coverage"])
def test_other_counts_are_fitted_anew(name):
    given = {"at": 0.8} if name in SELECTIVE else {}
    cells = table(3, items=200).cells()
    fewer = cells.count.copy()
    fewer[cells.votes.max(axis=1) == cells.totals] //= 2  # of items that all agree about
    fitted = ManyClassMixture(cells, options(name, 3, **given))
    here, there = fitted.values(np.stack((cells.count, fewer)), np.random.default_rng(0))
    alone = ManyClassMixture(replace(cells, count=fewer), options(name, 3, **given))
    assert there == alone.values(fewer[None], np.random.default_rng(0))[0]
    assert there > here + 0.01
