"""Other metrics than error from votes with weights and clusters: laws, truths, refusals."""

import numpy as np
import pytest
from helpers import answer
from scipy.stats import binom

import errorfloor as ef
from benchmarks import weights as study

RNG = np.random.default_rng(13)
N = 240
VOTES = RNG.binomial(3, RNG.random(N))
WEIGHTS = RNG.choice([0.5, 1.0, 3.0], size=N)
ASKED = {
    "cost": {"metric": "cost", "costs": (1.0, 5.0)},
    "brier": {"metric": "brier"},
    "log-loss": {"metric": "log-loss"},
    "known prior": {"metric": "balanced-error", "prior": 0.4},
    "error-at-coverage": {"metric": "error-at-coverage", "at": 0.7},
    "coverage-at-error": {"metric": "coverage-at-error", "at": 0.1},
}
asked = pytest.mark.parametrize("given", ASKED.values(), ids=ASKED)


@asked
def test_equal_weights_and_clusters_of_one_change_no_bit(given):
    plain = answer(ef.from_votes(VOTES, 3, **given))
    assert answer(ef.from_votes(VOTES, 3, weight=np.full(N, 0.3), **given)) == plain
    assert answer(ef.from_votes(VOTES, 3, cluster=np.arange(N), **given)) == plain


@asked
def test_only_ratios_of_weights_matter(given):
    one, other = (
        ef.from_votes(VOTES, 3, weight=WEIGHTS * times, **given) for times in (1, 2.0**-40)
    )
    assert (one.value, one.low, one.high) == (other.value, other.low, other.high)
    assert one.low <= one.value <= one.high
    assert one.interval_method == "likelihood"


@asked
def test_whole_weights_stand_for_that_many_items(given):
    whole = RNG.integers(1, 4, size=N)
    rows = np.repeat(np.arange(N), whole)
    one = ef.from_votes(VOTES, 3, weight=whole, interval=None, **given)
    other = ef.from_votes(VOTES[rows], 3, interval=None, **given)
    # The smoothing is worth two items of whichever number there are.
    assert one.value == pytest.approx(other.value, abs=0.02)


def test_a_brier_score_of_votes_is_half_the_weighted_disagreement_of_two():
    # Unbiased: among two of an item's votes, p (1 - p) is half the chance that they differ.
    found = ef.from_votes(VOTES, 3, metric="brier", weight=WEIGHTS)
    differ = VOTES * (3 - VOTES) / 3
    assert found.value == pytest.approx(np.average(differ, weights=WEIGHTS) / 2, abs=0.01)


@asked
def test_plain_shares_have_weights_too(given):
    whole = RNG.integers(1, 4, size=N)
    rows = np.repeat(np.arange(N), whole)
    one = ef.from_votes(VOTES, 3, weight=whole, method="plugin", rng=1, **given)
    other = ef.from_votes(VOTES[rows], 3, method="plugin", interval=None, **given)
    assert one.value == pytest.approx(other.value, abs=1e-12)
    assert one.low < one.value < one.high
    assert one.interval_method in ("betting", "jackknife")
    beside = ef.from_votes(VOTES, 3, weight=whole, interval=None, **given)
    assert beside.plugin == pytest.approx(other.value, abs=1e-12)


@asked
def test_near_equal_weights_give_nearly_the_limits_of_equal_ones(given):
    votes = RNG.binomial(3, RNG.random(2000))
    plain = ef.from_votes(votes, 3, **given)
    found = ef.from_votes(votes, 3, weight=1 + RNG.random(2000) / 100, **given)
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high), abs=0.02)


@asked
def test_copies_in_clusters_tell_no_more_than_the_items(given):
    rows = np.repeat(np.arange(N), 3)
    alone = ef.from_votes(VOTES, 3, **given)
    copied = ef.from_votes(VOTES[rows], 3, cluster=rows, **given)
    taken_apart = ef.from_votes(VOTES[rows], 3, **given)
    widths = [one.high - one.low for one in (alone, copied, taken_apart)]
    assert widths[1] == pytest.approx(widths[0], rel=0.1)
    assert widths[2] < 0.95 * widths[1]


@pytest.mark.filterwarnings("ignore:Few heavy items were drawn")
@asked
def test_one_item_of_all_the_weight_leaves_much_open(given):
    found = ef.from_votes(VOTES, 3, weight=np.where(np.arange(N) == 0, 1e6, 1.0), **given)
    even = ef.from_votes(VOTES, 3, **given)
    assert found.high - found.low > 1.3 * (even.high - even.low)


TIMES = 40
MOST = binom.ppf(0.999, TIMES, 0.06)


@pytest.mark.parametrize("labels", [study.VOTE_COST, study.VOTE_BRIER, study.VOTE_LOG_LOSS])
def test_limits_hold_with_weights_and_clusters(labels):
    case = labels, "likelihood"
    for truth, weighting in (("rises steeply", "more where hard"), ("2 % positive", "1, 2 or 4")):
        share, _ = study.covers(
            case,
            study.best_value(labels, truth, weighting),
            lambda rng, truth=truth, name=weighting: study.weighted(truth, name, 300, rng),
            4 * TIMES,
        )
        assert (1 - share) * TIMES <= MOST
    share, _ = study.covers(
        case,
        study.best_value(labels, "2 % positive"),
        lambda rng: study.clustered("2 % positive", "2 to 100 items", 1.0, rng),
        4 * TIMES,
    )
    assert (1 - share) * TIMES <= MOST


def test_items_that_may_all_be_coin_flips_may_be_so_for_models_that_abstain():
    # The best error at any coverage is 1/2 then, which limits of its own leave out in 8 of 100.
    missed = 0
    for seed in range(TIMES):
        rng = np.random.default_rng(seed)
        votes, weight = rng.binomial(3, 0.5, 300), rng.choice([1.0, 2.0, 4.0], 300)
        found = ef.from_votes(votes, 3, metric="error-at-coverage", at=0.7, weight=weight)
        missed += found.high < 0.5
    assert missed <= binom.ppf(0.9, TIMES, 0.03)


def test_what_is_not_built_is_refused_in_one_word():
    with pytest.raises(ef.InputError, match=r"needs the share of class 1\. Give it with `prior`"):
        ef.from_votes(VOTES, 3, metric="balanced-error", weight=WEIGHTS)
    for metric in ("auc", "f1", "mcc", "average-precision"):
        with pytest.raises(ef.InputError, match="is not given with `weight` or `cluster` for such"):
            ef.from_votes(VOTES, 3, metric=metric, weight=WEIGHTS)
    with pytest.raises(ef.InputError, match="certified is not given with `weight` or `cluster`"):
        ef.from_votes(VOTES, 3, metric="brier", weight=WEIGHTS, interval="certified")
    three = np.column_stack([VOTES, 3 - VOTES, np.zeros(N, dtype=int)])
    with pytest.raises(ef.InputError, match="is not given with `weight` or `cluster` for such"):
        ef.from_votes(three, metric="brier", weight=WEIGHTS)
    mixed = np.where(np.arange(N) % 2, 3, 5)
    with pytest.raises(ef.InputError, match="`totals_by='item'` is not answered with `weight`"):
        ef.from_votes(VOTES, mixed, metric="brier", weight=WEIGHTS, totals_by="item")


@pytest.mark.filterwarnings("ignore:Few heavy items were drawn")
@pytest.mark.parametrize("votes", [[0, 3], [0] * 10, [3, 1, 2, 0, 0, 0, 3, 3, 3, 2]])
@asked
def test_a_few_items_have_limits_that_say_little(given, votes):
    if given["metric"] == "coverage-at-error":
        return  # votes that all agree leave no doubt of an easy item
    found = ef.from_votes(votes, 3, weight=1.0 + np.arange(len(votes)), **given)
    assert found.low <= found.value <= found.high
    assert found.high > 0.04
