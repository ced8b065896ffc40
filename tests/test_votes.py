"""Floors from votes through the public estimator; the distribution itself is in test_mixture."""

import json

import numpy as np
import pytest
from helpers import answer

import errorfloor as ef
from errorfloor.bounds import computable_bias_bound


@pytest.fixture
def votes(rng):
    eta = rng.beta(2, 5, 3000)
    totals = rng.integers(2, 6, 3000)
    return rng.binomial(totals, eta), totals


def test_the_mixture_is_the_default_and_removes_the_plugins_bias(votes):
    truth = 17 / 64  # the mean of min(eta, 1 - eta) under Beta(2, 5)
    found = ef.from_votes(*votes)
    assert found.method == "mixture"
    assert found.interval_method == "likelihood"
    assert found.low < truth < found.high
    assert abs(found.value - truth) < abs(found.plugin - truth) / 4
    assert found.plugin == ef.from_votes(*votes, method="plugin", interval=None).value


def test_the_estimated_bias_is_what_separates_plugin_and_floor(votes):
    found = ef.from_votes(*votes, interval=None)
    # At the maximum of likelihood the fitted vote shares are close to the observed ones.
    assert found.value + found.bias == pytest.approx(found.plugin, abs=0.002)
    assert found.bias < -0.04


def test_plain_shares_say_how_far_off_they_are(votes):
    plain, ours = (
        ef.from_votes(*votes, method=method, interval=None) for method in ("plugin", "mixture")
    )
    assert plain.bias == ours.bias < 0
    assert plain.value == ours.plugin
    assert plain.mixture.floor == ours.mixture.floor


@pytest.mark.filterwarnings("ignore:The votes do not look independent")
def test_a_model_error_brings_the_papers_bound():
    found = ef.from_votes([0, 1, 50, 49] * 20, 50, model_error=0.0005, interval=None)
    assert found.bias_bound == computable_bias_bound(0.0005, 50)
    assert ef.from_votes([0, 1], 2, interval=None).bias_bound is None
    fewest = ef.from_votes([0, 1], [2, 9], model_error=0.1, interval=None).bias_bound
    assert fewest == computable_bias_bound(0.1, 2)
    with pytest.raises(ValueError, match=r"`model_error` must lie in \[0, 1\], got 5"):
        ef.from_votes([0, 1], 2, model_error=5, interval=None)


def test_certified_is_wider_and_both_intervals_change_with_the_level(votes):
    likely, certified = (ef.from_votes(*votes, interval=i) for i in ("likelihood", "certified"))
    assert certified.value == likely.value
    assert certified.high - certified.low > likely.high - likely.low
    for found in (likely, certified):
        narrower = found.at_level(0.5)
        assert found.low < narrower.low < narrower.high < found.high
        assert isinstance(narrower, ef.VotesEstimate)


def test_arrays_and_tables_give_the_same_answer_to_the_last_bit(votes):
    table = ef.VoteTable.from_arrays(*votes)
    half = 1500
    shards = [
        ef.VoteTable.from_arrays(*(v[part] for v in votes))
        for part in (slice(half), slice(half, None))
    ]
    expected = answer(ef.from_votes(*votes))
    assert answer(ef.from_votes(table)) == expected
    assert answer(ef.from_votes(sum(shards, ef.VoteTable.empty()))) == expected
    assert json.loads(json.dumps(expected)) == expected
    assert {"plugin", "bias", "bias_bound"} <= set(expected)


def test_single_votes_cannot_inform_the_mixture():
    with pytest.raises(ValueError, match=r"Some items need at least 2 votes.*from_scores"):
        ef.from_votes([0, 1, 1], 1)
    found = ef.from_votes([0, 1, 1], 1, method="plugin", interval=None)
    assert found.value == 0
    assert found.bias is None


def test_some_items_with_single_votes_are_fine():
    found = ef.from_votes([0, 1, 0, 1, 2, 1, 2], [1, 1, 2, 2, 2, 3, 3], interval=None)
    assert 0 < found.value <= 0.5


@pytest.mark.filterwarnings("ignore:All votes agree")
@pytest.mark.parametrize("share", [0, 1])
def test_unanimous_votes_have_a_floor_of_almost_nothing(share):
    found = ef.from_votes(np.full(1000, 5 * share), 5)
    assert found.value < 0.001
    assert found.low == pytest.approx(0, abs=1e-9)
    assert found.high < 0.02


def test_bootstraps_are_for_the_plugin_only(votes):
    with pytest.raises(
        ValueError,
        match="`interval` must be one of auto, likelihood, annotators, certified; got 'bca'",
    ):
        ef.from_votes(*votes, interval="bca")
    assert ef.from_votes(*votes, method="plugin", interval="bca", rng=0).interval_method == "bca"
