from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import errorfloor as ef
from benchmarks import attacks
from errorfloor import intervals, methods
from errorfloor.data.sample import Sample, split
from errorfloor.datasets.synthetic import corrupt, gaussian_mixture, gaussian_ring
from errorfloor.intervals.bets import Bets, Blocks, Hoeffding
from errorfloor.intervals.bootstrap import (
    BASIC,
    BCA,
    PERCENTILE,
    Basic,
    BiasCorrected,
    Percentile,
    acceleration,
)
from errorfloor.intervals.models import lower_limit, upper_limit
from errorfloor.intervals.record import AroundValue, Undefined
from errorfloor.intervals.votes.limits import VoteLimits, not_a_sample
from errorfloor.methods.fitted import MeanFloor
from errorfloor.methods.record import Basis, Options, Series
from errorfloor.methods.votes.thinning import points_for
from errorfloor.metrics import named

# Intervals are tried on flat, reversed and numbered scores, too, which the checks remark on.
pytestmark = pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")


@pytest.mark.parametrize("method", ["percentile", "basic", "BCa"])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_bootstrap_limits_equal_scipys_on_the_same_replicates(method, level, rng):
    sample = rng.gamma(0.5, size=40) / 20
    scipys = stats.bootstrap((sample,), np.mean, n_resamples=999, rng=1)
    expected = stats.bootstrap(
        (sample,),
        np.mean,
        n_resamples=0,
        method=method,
        confidence_level=level,
        bootstrap_result=scipys,
    ).confidence_interval
    count = np.ones(40, dtype=int)
    skewness = acceleration(MeanFloor(sample, Sample.of_rows(sample, count)).leave_one_out(), count)
    known = sample.mean(), scipys.bootstrap_distribution
    ours = {
        "percentile": Percentile(*known),
        "basic": Basic(*known),
        "bca": BiasCorrected(*known, acceleration=skewness),
    }[method.lower()]
    assert ours.limits(level) == pytest.approx(tuple(expected), abs=1e-12)


@pytest.mark.parametrize(
    ("value", "limits"), [(0.1, (0.1, 0.4)), (0.3, (0.2, 0.4)), (0.5, (0.2, 0.5))]
)
def test_limits_of_another_origin_never_leave_out_the_estimate(value, limits):
    evidence = SimpleNamespace(method="other", limits=lambda level: (0.2, 0.4))
    assert AroundValue(evidence, value).limits(0.9) == limits
    votes = ef.VoteTable.from_arrays([0, 1, 2], 3)
    seen = []

    def find(*cells, **how):
        seen.append(how["level"])
        return 0.2, 0.4

    assert VoteLimits.around("x", value, votes, find, Options()).limits(0.9) == limits
    assert seen == [0.9]


def test_votes_are_left_out_of_limits_where_they_are_too_many_and_follow_a_law():
    many = ef.VoteTable.from_arrays([0, 1, 300, 3000], [2, 3000, 4000, 5000])
    points = []

    def find(*cells, n_points=None, **how):
        points.append(n_points)
        return 0.0, 0.5

    def part(**options):
        found = VoteLimits.around("x", 0.1, many, find, Options(**options))
        assert found.limits(0.9) == (0.0, 0.5)
        return found

    few = part()
    assert few.few.totals.max() < 5000
    assert f"at most {few.few.totals.max():,} votes of each item" in few.note
    assert part(totals_by="item").few is not None
    assert part(totals_by="votes").few is None
    assert part(totals_by="votes").thinned_note == ""
    most = int(few.few.totals.max())
    assert points_for(most) > points_for(2)
    assert points == [points_for(most), 256, None, None]  # a grid that is fine enough for all


@pytest.mark.parametrize(("people", "few"), [(4, True), (5, False)])
def test_limits_say_for_whose_votes_they_hold(people, few):
    votes = {"item": np.arange(20) // 2, "annotator": np.arange(20) % people, "vote": [0, 1] * 10}
    table = ef.frames.vote_table(
        pd.DataFrame(votes), item="item", annotator="annotator", vote="vote"
    )
    said = not_a_sample(table, Options())  # of too few a check says so
    assert (f"one more vote by one of these {people} annotators, not by a new one" in said) != few
    assert "not known" in not_a_sample(ef.VoteTable.from_arrays([1], 2), Options())


def test_an_interval_promises_no_more_than_it_says():
    kind = intervals.record.IntervalKind(
        name="", basis=Basis.ITEMS, make=lambda case: None, promise="", in_short="", proof="",
        references=(),
    )  # fmt: skip
    assert [kind.resamples, kind.allows_for_merging, kind.leaves_open] == [False] * 3
    assert kind.stands_in == 0
    assert kind.is_random
    assert not kind.preferred(None)
    assert kind.assumes(None) == kind.with_weights == ""
    assert not kind.weighs()


def test_what_is_undefined_says_why():
    found = Undefined("because", BASIC)
    assert (str(found), found.why, found.instead) == ("because", "because", BASIC)


def test_hoeffding_is_the_papers_half_width():
    low, high = Hoeffding(0.2, 1000).limits(0.95)
    assert (high - low) / 2 == pytest.approx(np.sqrt(np.log(2 / 0.05) / 8000))
    assert (high + low) / 2 == pytest.approx(0.2)


def betting(values, seed=0):
    parts = split(np.ones(len(values), dtype=int), 16, np.random.default_rng(seed))
    return bets(np.asarray(values), np.add.reduceat(parts, [0, 1, 2, 4, 8]))


def bets(values, blocks):
    return Bets.of(values, Blocks.of(blocks), (0.0, 0.5))


@given(st.lists(st.floats(0, 0.5), min_size=1, max_size=60), st.integers(0, 100))
def test_betting_limits_hold_the_mean_nest_by_level_and_mirror(values, seed):
    evidence = betting(values, seed)
    low, high = evidence.limits(0.95)
    assert 0 <= low <= np.mean(values) + 1e-9
    assert np.mean(values) - 1e-9 <= high <= 0.5
    wide_low, wide_high = evidence.limits(0.999)
    assert wide_low <= low + 1e-9
    assert wide_high >= high - 1e-9
    mirrored = betting(0.5 - np.asarray(values), seed).limits(0.95)
    assert mirrored == pytest.approx((0.5 - high, 0.5 - low), abs=1e-7)


def test_stakes_depend_on_earlier_blocks_only(rng):
    # A stake that knew its own block would win against true means as well.
    values = rng.random(40) / 2
    blocks = rng.multinomial(25, np.full(40, 1 / 40), size=5)
    stakes = bets(values, blocks).stakes(3.0)
    assert stakes[0] == pytest.approx(2 * np.sqrt(2 * 3.0 / (125 * 0.25)))
    for changed in range(5):
        others = blocks.copy()
        others[changed] = 0
        others[changed, np.argmax(values)] = 25
        again = bets(values, others).stakes(3.0)
        assert np.array_equal(again[: changed + 1], stakes[: changed + 1])
        assert (again[changed + 1 :] != stakes[changed + 1 :]).all()


def test_stakes_go_by_the_spread_of_the_doubled_values_before(rng):
    values = rng.random(12) / 2
    blocks = rng.integers(0, 4, size=(3, 12))
    found = bets(values, blocks).stakes(2.0) / 2
    for i, stake in enumerate(found[:3]):
        before = 2 * np.repeat(values, blocks[:i].sum(axis=0))
        spread = before.size * before.var() if before.size else 0
        variance = (0.25 + spread) / (before.size + 1)
        assert stake == pytest.approx(np.sqrt(2 * 2.0 / (blocks.sum() * variance)))


def test_the_first_blocks_of_bets_are_small_and_the_last_is_half_of_the_items():
    found = ef.from_soft_labels(np.arange(16_000) / 16_000, interval="betting", rng=0)
    sizes = np.bincount(found.evidence.blocks.block, found.evidence.blocks.times)
    share = np.array([1, 1, 2, 4, 8]) / 16
    # Each size is binomial; the largest of five z-scores stays below 4 but once in 3,000.
    assert sizes.sum() == 16_000
    z = (sizes - 16_000 * share) / np.sqrt(16_000 * share * (1 - share))
    assert np.abs(z).max() < 4


def test_one_item_before_has_no_spread():
    values, blocks = np.array([0.1, 0.4]), np.array([[1, 0], [3, 3]])
    expected = np.sqrt(2 * 2.0 / (7 * np.array([0.25, 0.25 / 2])))
    assert bets(values, blocks).stakes(2.0)[:2] == pytest.approx(2 * expected)


def test_betting_covers_where_the_bootstrap_does_not_and_is_narrower_than_hoeffding(rng):
    # One item in fifty is a coin flip, the others are certain: a mean of 0.01 with a long tail.
    # 600 repetitions: the standard error of a coverage of 0.95 is 0.0089.
    truth, n = 0.01, 100
    hits = dict.fromkeys(("bet", "percentile"), 0)
    widths = []
    for seed in range(600):
        values = np.where(rng.random(n) < 0.02, 0.5, 0.0)
        low, high = betting(values, seed).limits(0.95)
        widths.append(high - low)
        hits["bet"] += low <= truth <= high
        replicates = rng.choice(values, size=(200, n)).mean(axis=1)
        low, high = Percentile(values.mean(), replicates).limits(0.95)
        hits["percentile"] += low <= truth <= high
    assert hits["bet"] / 600 > 0.95 - 3 * 0.0089
    assert hits["percentile"] / 600 < 0.9
    assert np.mean(widths) < 0.6 * np.sqrt(np.log(40) / (2 * n))


def coverage(interval, *, n, means, repetitions, method="isotonic", level=0.9):
    hits = 0
    for seed in range(repetitions):
        data = gaussian_mixture(n, means=((0.0,), (means,)), rng=seed)
        scores = corrupt(data.soft_labels, 2, 0.7)
        found = ef.from_scores(
            scores, data.labels, method=method, interval=interval, level=level, rng=seed
        )
        hits += found.low <= data.floor <= found.high
    return hits / repetitions


# The small version of benchmarks/coverage.py. 300 repetitions at level 0.9: the standard error
# is 0.0173, and a true coverage of 0.9 stays above 0.848 but once in 800.
@pytest.mark.parametrize("interval", ["honest", "certified"])
@pytest.mark.parametrize(("n", "means"), [(100, 1.0), (400, 2.5)])
def test_honest_and_certified_cover(interval, n, means):
    assert coverage(interval, n=n, means=means, repetitions=300) > 0.9 - 3 * 0.0173


# The small version of benchmarks/attacks.py. Here the lower limit never misses, and the upper one
# may in 0.1. 300 data sets: a standard error of 0.0173, and a true share of 0.9 stays above 0.843
# but once in 2,000. Without the allowance coin flips are covered in about 0.8.
@pytest.mark.parametrize(
    "name", ["1/2 throughout", "1/2 throughout, 3 tied scores", "0 to 1/2, then 1/2"]
)
def test_honest_limits_hold_where_probabilities_are_flat(name):
    (setting,) = (setting for setting in attacks.SETTINGS if setting.name == name)
    share, plain = attacks.covered(setting, 200, range(300), level=0.8).mean(axis=1)
    assert share > 0.9 - 3.3 * 0.0173
    if setting.floor == 0.5:
        assert plain < 0.86


def test_ten_groups_of_coin_flips_hold_together():
    # 80 times ten groups: a true share of 0.95 stays above 0.85 but once in 5,000.
    assert attacks.groups_covered(100, 80)[0] > 0.95 - 4 * 0.0244


def test_simultaneous_groups_are_the_groups_of_the_study():
    setting, level = attacks.SETTINGS[0], 1 - 0.05 / 10
    tables = [setting.draw(50, seed) for seed in range(10)]
    rows = [
        {"group": group, "score": score, "label": label}
        for group, table in enumerate(tables)
        for score, counts in zip(table.scores, table.counts, strict=True)
        for label in np.repeat([0, 1], counts)
    ]
    frame = pd.DataFrame(rows)
    found = ef.from_scores(
        frame, score="score", label="label", group="group", simultaneous=True, rng=0
    )
    for estimate, table in zip(found.values(), tables, strict=True):
        evidence = estimate.evidence
        alone = ef.from_scores(table, level=level, rng=0)
        assert alone.low == pytest.approx(estimate.low)
        assert (estimate.low, estimate.high) == (
            evidence.limits(level)[0],
            min(evidence.limits(level)[1], 0.5),
        )


@pytest.mark.parametrize(("n", "rows"), [(2**20, None), (2**20 + 2, 2**16)])
def test_cuts_are_left_out_of_the_folds_only_where_items_are_many(n, rows, monkeypatch):
    asked, joined = [], Sample.joined
    monkeypatch.setattr(
        Sample, "joined", lambda self, most: (asked.append(most), joined(self, most))[1]
    )
    few = n // 8
    table = ef.ScoreTable([0.1, 0.8], [[n // 2 - few, few], [few, n // 2 - few]])
    ef.from_scores(table, interval="honest", rng=0)
    assert asked == ([] if rows is None else [rows])


def test_there_is_no_cliff_where_items_are_many():
    limits = []
    for n in (2**20, 2**20 + 1, 1_200_000):
        scores = np.arange(n)
        found = ef.from_scores(scores, scores >= n // 2, rng=0)
        limits.append(n * found.high)
    # In errors: 3.7 for none in sample, 5.6 for one of the ten folds that missed the edge by one.
    assert max(limits) < 12
    assert max(limits) < 2.5 * min(limits)


def test_the_percentile_bootstrap_of_isotonic_does_not_cover():
    assert coverage("percentile", n=400, means=1.0, repetitions=300) < 0.9 - 3 * 0.0173


def test_the_upper_limit_holds_for_any_scores():
    # Scores that carry no information: the true floor is far below the best cut's error.
    for seed in range(50):
        data = gaussian_mixture(200, rng=seed)
        scores = np.random.default_rng(seed).random(200)
        for interval in ("honest", "certified"):
            assert (
                ef.from_scores(scores, data.labels, interval=interval, rng=seed).high > data.floor
            )


@pytest.mark.parametrize(
    ("interval", "options"),
    [
        ("honest", {}),
        ("certified", {}),
        ("bca", {}),
        ("basic", {}),
        ("percentile", {}),
        ("hoeffding", {"method": "corrupted"}),
        ("betting", {"method": "corrupted"}),
    ],
)
def test_another_level_needs_no_new_draws(interval, options):
    data = gaussian_mixture(300, rng=1)
    scores, labels = corrupt(data.soft_labels, 2, 0.7), data.labels
    found = ef.from_scores(scores, labels, interval=interval, rng=3, **options)
    again = ef.from_scores(scores, labels, interval=interval, level=0.8, rng=3, **options)
    assert found.at_level(0.8).to_dict() == again.to_dict()
    assert found.at_level(0.99).high > found.high > found.at_level(0.8).high
    assert (found.replicates is None) == (interval not in ("bca", "basic", "percentile"))


def test_equal_replicates_fall_back_with_a_warning_that_says_so():
    with pytest.warns(
        ef.DegenerateBootstrapWarning, match="bca interval of clean is undefined.*hoeffding"
    ):
        found = ef.from_soft_labels([0.3] * 20, interval="bca")
    assert found.interval_method == "hoeffding"
    assert found.low < 0.3 < found.high
    assert "hoeffding" in found.warnings[0]
    with pytest.warns(ef.DegenerateBootstrapWarning, match="all replicates are equal; the honest"):
        found = ef.from_scores(
            [0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1], method="isotonic", interval="percentile"
        )
    assert found.interval_method == "honest"
    assert found.low == 0 < found.high


def test_replicates_on_one_side_fall_back_to_the_basic_interval():
    # Each bin holds one item of either class: no resample can have as high a floor.
    scores, labels = np.arange(60), np.arange(60) % 2
    with pytest.warns(ef.DegenerateBootstrapWarning, match="one side of the estimate; the basic"):
        found = ef.from_scores(scores, labels, method="hist-30", rng=0)
    assert found.interval_method == "basic"
    assert found.value == found.high == 0.5


@pytest.mark.parametrize(
    ("method", "kind", "expected"),
    [
        ("clean", "soft labels", "hoeffding"),
        ("plugin", "votes", "hoeffding"),
        ("corrupted", "scores", "hoeffding"),  # a mean and cuts: the mean's is exact
        ("isotonic", "scores", "honest"),
        ("isotonic-cf", "scores", "honest"),
        ("hist-10", "scores", "honest"),
        ("beta", "scores", "honest"),
        ("platt", "scores", "honest"),
    ],
)
def test_the_interval_that_stands_in_for_a_bootstrap_is_chosen_for_that(method, kind, expected):
    record = methods.find(method, kind)
    chosen = intervals.stand_in(record)
    assert chosen.name == expected
    assert chosen.stands_in > 0
    assert not chosen.resamples
    rivals = [other for other in intervals.of(record).values() if other is not chosen]
    assert all(other.stands_in < chosen.stands_in for other in rivals)


def every_method():
    """Yield each method with the metric that it is for."""
    for record in methods.RECORDS:
        method = record.make(4) if isinstance(record, Series) else record
        for name in method.metrics:
            yield method, named(name)


def test_with_weights_the_first_interval_that_heeds_them_is_given_and_stands_in():
    table = ef.ScoreTable.from_arrays([0.1, 0.4, 0.8], [0, 1, 1], weight=[1, 2, 3])
    plain = ef.ScoreTable.from_arrays([0.1, 0.4, 0.8], [0, 1, 1])
    chosen = {}
    for method, metric in every_method():
        kinds = intervals.of(method)
        able = [kind for kind in kinds.values() if kind.weighs(metric)]
        others = [kind for kind in able if kind.name != intervals.jackknife.JACKKNIFE.name]
        expected = others[0] if others else None  # what is undefined is the jackknife
        assert intervals.stand_in(method, table, metric) is expected
        if able:
            found = intervals.default(method, table, metric)
            own = [kind for kind in able if kind.name == method.interval]
            assert found is (own or able)[0]
        most = intervals.stand_in(method, plain, metric)
        assert most is intervals.stand_in(method, None, metric)
        assert most.stands_in == max(kind.stands_in for kind in kinds.values())
        chosen[method.name, metric.name] = expected
    assert chosen["isotonic", "error"].name == "honest"
    assert None in chosen.values()


@pytest.mark.parametrize("interval", ["bca", "basic", "percentile"])
def test_means_and_cuts_of_scores_have_stand_ins_of_their_own(interval):
    # Equal values at every score: no resample of the mean differs, and the cut errs on nothing.
    scores, labels = [0.25, 0.25, 0.75, 0.75], [0, 0, 1, 1]
    for method, expected in (("corrupted", "hoeffding"), ("isotonic", "honest")):
        with pytest.warns(ef.DegenerateBootstrapWarning, match=f"the {expected} interval is given"):
            found = ef.from_scores(scores, labels, method=method, interval=interval, rng=0)
        assert found.interval_method == expected
        same = ef.from_scores(scores, labels, method=method, interval=expected, rng=0)
        assert (found.low, found.high) == (same.low, same.high)


def test_of_replicates_equal_to_the_value_half_count_as_below():
    for replicates, share in (
        ([0.1, 0.2, 0.3, 0.4], 0.375),
        ([0.2, 0.2, 0.2, 0.4], 0.375),
        ([0.1, 0.2, 0.2, 0.4], 0.5),
    ):
        assert BiasCorrected(0.2, np.array(replicates)).share_below == share


@pytest.mark.parametrize("side", [-1, 1])
def test_bca_is_undefined_where_all_replicates_lie_on_one_side(side):
    count = np.array([2, 1, 1])
    values = MeanFloor(np.array([0.1, 0.2, 0.4]), Sample.of_rows(count, count))
    replicates = 0.2 + side * np.array([0.01, 0.02, 0.03])
    given = SimpleNamespace(value=0.2, replicates=replicates, statistic=values, count=count)
    with pytest.raises(Undefined, match="one side of the estimate") as undefined:
        BCA.make(given)
    assert undefined.value.instead is BASIC
    assert str(undefined.value) == "all replicates lie on one side of the estimate"
    given.replicates = np.append(replicates, 0.2 - side * 0.01)
    found = BCA.make(given)
    assert found.acceleration == acceleration(values.leave_one_out(), count) != 0
    given.replicates = np.full(5, 0.2)
    for kind in (BCA, BASIC, PERCENTILE):
        with pytest.raises(Undefined, match="all replicates are equal") as undefined:
            kind.make(given)
        assert undefined.value.instead is None


def test_merged_rows_lower_the_errors_that_count_for_the_lower_limit():
    # Between rows the best cut errs on 3; inside the merged row a cut could err on the 1 outside.
    table = ef.ScoreTable(
        [0.1, 0.5, 0.9], [[5, 1], [2, 2], [0, 5]], lows=[0.1, 0.4, 0.9], highs=[0.1, 0.6, 0.9]
    )
    assert table.cut_resolution == pytest.approx(2 / 15)
    for interval in ("honest", "certified"):
        found = ef.from_scores(table, method="isotonic", interval=interval, rng=0)
        assert found.value == pytest.approx(3 / 15)
        assert found.low == pytest.approx(stats.binomtest(1, 15).proportion_ci(0.95).low)
        assert "does not allow" not in found.assumptions
    resampled = ef.from_scores(table, interval="percentile", n_resamples=50, rng=0)
    assert resampled.assumptions.endswith("; the interval does not allow for that.")


def test_certified_limits_come_from_the_half_that_did_not_choose_the_cut():
    # No label is wrong in either half, so that the limit is that of the number of items held out:
    # half of them, a binomial number, whose z-score stays below 4 but once in 15,000.
    scores = np.arange(2000)
    found = ef.from_scores(scores, scores >= 1000, interval="certified", rng=0)
    least, most = (stats.binomtest(0, 1000 + off).proportion_ci(0.95).high for off in (90, -90))
    assert found.low == 0
    assert least < found.high < 3 * most  # the cut of one half may miss some between


@pytest.mark.parametrize("tail", [0.025, 1e-6])
def test_limits_of_many_shares_are_those_of_each(tail):
    successes, n = np.array([0, 1, 4, 5, 5, 90]), np.array([3, 1, 9, 5, 6, 1000])
    low, high = lower_limit(successes, n, tail), upper_limit(successes, n, tail)
    for i, (k, m) in enumerate(zip(successes.tolist(), n.tolist(), strict=True)):
        exact = stats.binomtest(k, m).proportion_ci(1 - 2 * tail)
        assert (low[i], high[i]) == pytest.approx((exact.low, exact.high))
        assert (low[i], high[i]) == (lower_limit(k, m, tail), upper_limit(k, m, tail))


@pytest.mark.parametrize("metric", ["error", "balanced-error", "cost", "f1"])
@pytest.mark.parametrize("method", ["isotonic", "isotonic-cf"])
def test_certified_limits_hold_the_value_of_the_best_cut_at_any_level(metric, method):
    given = {"costs": (1, 3)} if metric == "cost" else {}
    ask = partial(ef.from_scores, metric=metric, method=method, interval="certified", **given)
    widened = 0
    for seed in range(40):
        data = gaussian_mixture(40, means=((0.0,), (1.0,)), rng=seed)
        found = ask(data.soft_labels, data.labels, rng=seed)
        for level in (0.05, 0.3, 0.95):
            there = found.at_level(level)
            assert there.low <= there.value <= there.high
            low, high = found.evidence.evidence.limits(level)
            least, most = found.measure.span(2)
            assert there.low == max(min(low, found.value), least)
            assert there.high == min(max(high, found.value), most)
            widened += not low <= found.value <= high
    assert widened or metric in ("balanced-error", "cost")  # whose limits by bets are far wider


def test_certified_limits_of_many_classes_hold_the_value_of_the_best_weights():
    for seed in range(20):
        data = gaussian_ring(40, classes=3, rng=seed)
        found = ef.from_scores(data.soft_labels, data.labels, interval="certified", rng=seed)
        for level in (0.05, 0.3, 0.95):
            there = found.at_level(level)
            assert there.low <= there.value <= there.high


def test_certified_limits_stay_where_they_are_beside_a_curve_that_does_not_fit():
    data = gaussian_mixture(400, rng=3)
    scores = np.where(data.soft_labels > 0.5, 0.6, 0.4)  # face value 40 %, in truth about 8 %
    limits = [
        ef.from_scores(scores, data.labels, method=method, interval="certified", rng=0)
        for method in ("corrupted", "isotonic-cf")
    ]
    assert (limits[0].low, limits[0].high) == (limits[1].low, limits[1].high)
    assert limits[0].value > limits[0].high
