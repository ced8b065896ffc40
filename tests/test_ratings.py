"""Ratings: the best possible R2, correlation, QWK, MSE and MAE where people give numbers."""

import itertools
import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import errorfloor as ef
from benchmarks import ratings as study
from errorfloor.apps.cli.commands import cli
from errorfloor.data.tables import RatingTable
from errorfloor.metrics.variances import NAMES
from errorfloor.show.recipe import command_line, python_code
from errorfloor.show.text import long_text_of
from tests.helpers import answer

CEILINGS = ("r2", "pearson", "spearman", "qwk", "ccc")
# Values of ICC(1,1), ICC(A,1), ICC(C,1) and ICC(C,k) that pingouin 0.7.0 prints (it is GPL, and no
# part of this package): intraclass_corr(data, targets="item", raters="rater", ratings="rating").
SHROUT = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
OF_SHROUT = (0.1657417684054755, 0.28976377952755916, 0.7148407148407154, 0.9093155423770697)
FIVE = [
    *([-0.58, -3.78, -1.96, -2.06, -1.69], [-1.2, 0.07, 0.8, 1.01, -4.52]),
    *([-1.25, -1.55, -0.41, -2.15, -2.61], [-3.14, -3.92, -0.22, -2.3, -3.17]),
    *([0.52, -2.72, -1.11, -0.05, -2.16], [-3.72, -2.8, 0.03, -3.61, -2.04]),
    *([0.4, -1.77, 3.09, 1.96, -3.02], [2.9, 2.61, 2.37, 4.4, 1.24]),
    *([0.12, 0.24, -2.03, 0.02, -3.02], [-0.94, -3.95, -2.14, -0.84, -1.24]),
    *([2.8, -1.94, -0.24, 2.65, -3.35], [0.12, -0.36, 2.57, 2.44, -1.12]),
]
OF_FIVE = (0.364464957012862, 0.3902530789456155, 0.48958198311912393, 0.8274640173330644)

pytestmark = pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")


def made(n=120, m=3, share=0.4, seed=0, points=False):
    rng = np.random.default_rng(seed)
    values = np.sqrt(share) * rng.standard_normal((n, 1))
    values = values + np.sqrt(1 - share) * rng.standard_normal((n, m))
    return np.clip(np.round(3 + 1.2 * values), 1, 5) if points else values


def with_blanks(values, seed=1):
    rng = np.random.default_rng(seed)
    gone = rng.random(values.shape) < 0.3
    gone[:, 0] = False
    return np.where(gone, np.nan, values)


def long_frame(values, **beside):
    rows = [(i, j, one) for i, row in enumerate(values) for j, one in enumerate(row)]
    frame = pd.DataFrame(rows, columns=["item", "rater", "rating"]).dropna()
    for name, column in beside.items():
        frame[name] = np.asarray(column)[frame["item"]]
    return frame


def run(*arguments):
    return CliRunner().invoke(cli, list(map(str, arguments)))


# References ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("values", "known"), [(SHROUT, OF_SHROUT), (FIVE, OF_FIVE)])
def test_it_gives_the_intraclass_correlations_of_an_independent_program(values, known):
    array = np.array(values, dtype=float)
    ask = {"interval": None}
    assert ef.from_ratings(array, **ask).icc == pytest.approx(known[0], abs=1e-9)
    assert ef.from_ratings(array, rater=True, **ask).icc == pytest.approx(known[1], abs=1e-9)
    relative = ef.from_ratings(array, rater=True, raters="relative", **ask)
    assert relative.icc == pytest.approx(known[2], abs=1e-9)
    means = ef.from_ratings(array, rater=True, raters="relative", label="mean", **ask)
    assert means.value == pytest.approx(known[3], abs=1e-9)


def test_the_ceilings_are_functions_of_the_icc():
    values = made()
    icc = ef.from_ratings(values, interval=None).icc
    found = {one: ef.from_ratings(values, metric=one, interval=None).value for one in NAMES}
    assert found["r2"] == pytest.approx(icc)
    for name in ("pearson", "qwk", "ccc"):
        assert found[name] == pytest.approx(np.sqrt(icc))
    assert found["mse"] == pytest.approx(np.mean(np.var(values, axis=1, ddof=1)))
    pairs = [np.abs(row[a] - row[b]) for row in values for a, b in ((0, 1), (0, 2), (1, 2))]
    assert found["mae"] == pytest.approx(np.mean(pairs) / np.sqrt(2))
    three = ef.from_ratings(values, label=3, interval=None).value
    assert three == pytest.approx(3 * icc / (1 + 2 * icc))  # Spearman and Brown
    assert ef.from_ratings(values, label="mean", interval=None).value == pytest.approx(three)


def test_spearman_is_the_icc_of_pooled_ranks():
    values = made(points=True)
    ranks = pd.Series(values.ravel()).rank().to_numpy().reshape(values.shape)
    found = ef.from_ratings(values, metric="spearman")
    same = ef.from_ratings(ranks, metric="pearson")
    assert (found.value, found.low, found.high) == pytest.approx(
        (same.value, same.low, same.high), rel=1e-9
    )
    # Any rising scale has the same ranks.
    assert ef.from_ratings(np.exp(values), metric="spearman").value == pytest.approx(found.value)


# Laws ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", NAMES)
def test_order_units_and_layout_change_nothing(metric, tmp_path):
    values = with_blanks(made())
    whole = ef.from_ratings(values, metric=metric)
    rng = np.random.default_rng(2)
    mixed = rng.permutation(values[:, [2, 0, 1]])
    frame = long_frame(values)
    shuffled = frame.sample(frac=1, random_state=0)
    lists = [row[~np.isnan(row)].tolist() for row in values]
    text = [";".join(map(repr, map(float, row))) for row in lists]
    frame.to_csv(tmp_path / "long.csv", index=False)
    pd.DataFrame({"ratings": text}).to_csv(tmp_path / "lists.csv", index=False)
    wide = pd.DataFrame(values, columns=["rating_1", "rating_2", "rating_3"])
    wide.to_csv(tmp_path / "wide.csv", index=False)
    everywhere = [
        ef.from_ratings(mixed, metric=metric),
        ef.from_ratings(shuffled, rater=False, metric=metric),
        ef.from_ratings(np.where(np.isnan(values), None, values), metric=metric),
        ef.from_ratings(lists, metric=metric),
        ef.from_ratings(text, metric=metric),
        ef.from_ratings(wide, metric=metric),
        ef.from_ratings(frame["rating"].to_numpy(), item=frame["item"].to_numpy(), metric=metric),
        ef.from_ratings(tmp_path / "long.csv", rater=False, metric=metric),
        ef.from_ratings(tmp_path / "lists.csv", metric=metric),
        ef.from_ratings(str(tmp_path / "wide.csv"), metric=metric),
    ]
    for one in everywhere:
        for name in ("value", "low", "high", "icc"):
            assert getattr(one, name) == pytest.approx(getattr(whole, name), abs=1e-12, rel=1e-12)
    other = ef.from_ratings(1000 - 20 * values, metric=metric)
    unit = {"mse": 400, "mae": 20}.get(metric, 1)
    assert (other.value, other.low, other.high) == pytest.approx(
        (unit * whole.value, unit * whole.low, unit * whole.high), rel=1e-9
    )


def test_shared_raters_are_the_same_in_rows_and_in_columns(tmp_path):
    values = with_blanks(made(m=4) + np.array([0, 0.5, -0.3, 0.2]))
    columns = ["ann", "bob", "eve", "joe"]
    wide = pd.DataFrame(values, columns=columns)
    rows = wide.assign(essay=np.arange(len(wide))).melt("essay", var_name="rater").dropna()
    rows = rows.rename(columns={"value": "rating"})
    rows.to_csv(tmp_path / "rows.csv", index=False)
    found = ef.from_ratings(values, rater=True)
    assert found.raters == 4
    for one in (
        ef.from_ratings(wide, ratings=columns, rater=True),
        ef.from_ratings(wide, ratings=columns),  # which are called by names
        ef.from_ratings(rows, item="essay", rating="rating", rater="rater"),
        ef.from_ratings(tmp_path / "rows.csv"),
    ):
        assert (one.value, one.low, one.high) == pytest.approx(
            (found.value, found.low, found.high), rel=1e-12
        )


@pytest.mark.parametrize("raters", ["absolute", "relative"])
def test_leaving_out_an_item_or_a_rater_is_brute_force(raters):
    from errorfloor.methods.ratings import Rated, totals_of

    values = with_blanks(made(n=15, m=5), seed=4)

    def totals(some):
        table = RatingTable.from_arrays(some, rater=True)
        return totals_of(Rated.of(table, shared=True), raters)

    whole = totals(values)
    left = whole.variances(whole.without_raters)
    for k in range(5):
        kept = np.delete(values, k, axis=1)
        own = totals(kept[~np.isnan(kept).all(axis=1)]).all
        for name in ("signal", "noise", "between"):
            assert getattr(left, name)[k] == pytest.approx(getattr(own, name), abs=1e-12)
    each = whole.variances(whole.without_units)
    brute = [totals(np.delete(values, i, axis=0)).all.signal for i in range(15)]
    assert np.sort(each.signal) == pytest.approx(np.sort(brute), abs=1e-12)


def test_an_item_of_weight_three_is_three_items_and_weights_of_one_are_none():
    values = made(n=40, points=True)
    same = ef.from_ratings(values, weight=np.full(40, 2.5))
    plain = ef.from_ratings(values)
    assert (same.value, same.low, same.high) == pytest.approx((plain.value, plain.low, plain.high))
    weight = np.where(np.arange(40) < 10, 3.0, 1.0)
    heavy = ef.from_ratings(values, weight=weight, metric="mse")
    copied = ef.from_ratings(np.vstack((values, values[:10], values[:10])), metric="mse")
    assert heavy.value == pytest.approx(copied.value)
    assert heavy.n_effective == pytest.approx(60**2 / (9 * 10 + 30))


def test_clusters_of_copies_widen_the_interval_to_that_of_the_originals():
    values = made(n=80)
    once = ef.from_ratings(values, metric="mse")
    twice = ef.from_ratings(
        np.vstack((values, values)), cluster=np.tile(np.arange(80), 2), metric="mse"
    )
    assert twice.clusters == 80
    assert np.log(twice.high / twice.low) == pytest.approx(np.log(once.high / once.low), rel=0.1)


def test_tables_add_save_and_load(tmp_path):
    values = with_blanks(made(points=True))
    whole = RatingTable.from_arrays(values)
    parts = [RatingTable.from_arrays(part) for part in (values[:50], values[50:])]
    assert parts[0] + parts[1] == whole
    assert RatingTable.empty() + whole == whole
    assert len(whole) < whole.n == 120
    for k, part in enumerate(parts):
        part.save(tmp_path / f"{k}.npz")
    assert RatingTable.load(tmp_path / "0.npz") == parts[0]
    assert ef.merge(tmp_path) == whole
    expected = ef.from_ratings(values)
    for data in (whole, [str(tmp_path / "0.npz"), str(tmp_path / "1.npz")]):
        assert ef.from_ratings(data).low == pytest.approx(expected.low, rel=1e-12)
    shared = [RatingTable.from_arrays(part, rater=True) for part in (values[:50], values[50:])]
    total = ef.from_ratings(shared[0] + shared[1])
    assert total.low == pytest.approx(ef.from_ratings(values, rater=True).low, rel=1e-12)
    with pytest.raises(ef.InputError, match="knows its raters"):
        whole + shared[0]


CERTIFIED = {"interval": "certified", "scale": (1, 5)}
IN_POINTS = made(n=300, share=0.6, points=True)


@pytest.mark.parametrize(
    ("values", "asked", "kept"),
    [
        (made(n=12, m=4), {}, (0.336776064738, 0.0, 0.768829044917)),
        (made(n=60, m=3), {}, (0.388952348729, 0.192001817449, 0.591707781852)),
        (with_blanks(made(n=60, m=4)), {}, (0.334060698731, 0.144264051155, 0.546888551287)),
        (IN_POINTS, CERTIFIED, (0.591840329381, 0.45808409399, 0.686037849721)),
        (
            IN_POINTS,
            CERTIFIED | {"metric": "mse"},
            (0.551111111111, 0.450553900467, 0.741039806337),
        ),
    ],
    ids=["few", "many", "with blanks", "certified", "certified mse"],
)
def test_limits_are_what_they_were(values, asked, kept):
    found = ef.from_ratings(values, **asked)
    assert (found.value, found.low, found.high) == pytest.approx(kept, abs=1e-9)


def test_limits_nest_and_are_finite_for_every_table():
    rng = np.random.default_rng(5)
    for k in range(150):
        n, m = int(rng.integers(2, 12)), int(rng.integers(2, 5))
        scale = [2, 3, 5][k % 3]
        values = rng.integers(0, scale, (n, m)).astype(float)
        values[rng.random(values.shape) < 0.2] = np.nan
        values[0, :2], values[1, :2] = [0, 1], [1, 1]
        values[np.isnan(values).all(axis=1), 0] = 1
        for metric, rater in itertools.product(NAMES, (False, True)):
            found = ef.from_ratings(values, metric=metric, rater=rater)
            low, high = found.measure.span(0)
            assert low <= found.low <= found.value <= found.high <= high, (values, metric, rater)
            assert np.isfinite([found.low, found.high]).all()
            wider = found.at_level(0.99)
            assert wider.low <= found.low
            assert found.high <= wider.high
            json.dumps(found.to_dict(), allow_nan=False)


# Bad input -------------------------------------------------------------------------------------


BAD = [
    ([[1], [2], [3]], {}, "one rating per item"),
    ([[1.0, 2.0]], {}, "one item"),
    ([["good", "bad"], ["bad", "bad"]], {}, "must hold numbers: entry 0"),
    ([[1, np.inf], [2, 3]], {}, "`data` must be finite numbers below 1e+100: entry 1 is inf"),
    ([[1, 2], [2, 7]], {"scale": (1, 5)}, "7 is off it"),
    ([[3, 3], [3, 3]], {}, "Without any spread"),
    ([[1, 2], [3, 4]], {"label": "median"}, "median-3"),
    ([[1, 2], [3, 4]], {"label": "median-2"}, "needs items with 4 ratings"),
    ([[1, 2], [3, 4]], {"label": 0}, "`label` must be"),
    ([[1, 2], [3, 3]], {"scale": (3, 3)}, "`scale` must be"),
    ([[1, 2], [3, 4]], {"metric": "auc"}, "`metric` must be one of"),
    ([[1, 2], [3, 4]], {"metric": "rmse"}, "square root of the MSE"),
    ([[1, 2], [3, 4]], {"interval": "certified"}, "`scale="),
    ([[1, 2], [3, 4]], {"interval": "bootstrap"}, "`interval` must be one of"),
    ([[1, 2], [3, 4]], {"scale": (5, 1)}, "`scale` must be"),
    ([[1, 2], [3, 4]], {"raters": "some"}, "`raters` must be one of"),
    ([[1, 2], [3, 4]], {"metric": "mae", "label": "mean"}, "one more rating"),
    ([[1, 2], [np.nan, np.nan], [3, 4]], {}, "no rating of item 1"),
    ([1.0, 2.0, 3.0], {}, "a row for each item"),
    ([1.0, 2.0, 3.0, 4.0], {"item": [1, 1, 2]}, "one rating and its item"),
    ([[1, 2], [3, 4]], {"weight": [1]}, "an entry for each of 2 items"),
    ([[1, 2], [3, 4]], {"weight": [1, -1]}, "positive"),
    (None, {}, "`data` is missing"),
    ([[1, 2], [3, 4]], {"group": "year"}, "goes with a dataframe"),
]


@pytest.mark.parametrize(("data", "asked", "said"), BAD, ids=[one[2] for one in BAD])
def test_bad_input_is_refused_with_what_to_do(data, asked, said):
    with pytest.raises(ef.InputError) as told:
        ef.from_ratings(data, **asked)
    assert said in str(told.value)


def test_the_same_rater_twice_on_an_item_is_refused():
    frame = pd.DataFrame({"item": [1, 1, 2, 2], "rater": [*"aabb"], "rating": [1, 2, 3, 4]})
    with pytest.raises(ef.InputError, match="'a' rated item 1 twice"):
        ef.from_ratings(frame)
    assert ef.from_ratings(frame, rater=False, interval=None).n == 2


def test_numbers_that_mean_no_rating_are_found_and_left_out():
    values = np.clip(made(n=60).round(), -3, 3) + 4
    coded = values.copy()
    coded[::9, 0], values[::9, 0] = 99, np.nan
    expected = ef.from_ratings(values, drop_missing=True)
    with pytest.warns(
        ef.DoubtWarning, match="^99 is used as a rating, although it is far from all others"
    ):
        assert ef.from_ratings(coded).value < expected.value
    rows = [row[~np.isnan(row)].tolist() for row in values]
    item = np.repeat(np.arange(60), coded.shape[1])
    for found in (
        ef.from_ratings(coded, missing=99),
        ef.from_ratings([[99, *row] for row in rows], missing=[99, -9]),
        ef.from_ratings(coded.ravel(), item=item, missing="99"),
        ef.from_ratings(pd.DataFrame(coded, columns=[*"abc"]), ratings=[*"abc"], missing=99),
        ef.from_ratings(pd.DataFrame({"item": item, "rating": coded.ravel()}), missing=99),
    ):
        assert (found.value, found.ratings) == (expected.value, expected.ratings)


def test_missing_values_are_refused_or_left_out():
    frame = long_frame(made(n=30))
    frame.loc[frame.index[4], "rating"] = np.nan
    with pytest.raises(ef.InputError, match="missing in 1 of 90 rows"):
        ef.from_ratings(frame, rater=False)
    assert ef.from_ratings(frame, rater=False, drop_missing=True).ratings == 89
    values = made(n=30)
    values[3] = np.nan
    found = ef.from_ratings(values, drop_missing=True)
    assert (found.n, found.dropped) == (29, 1)
    frame["rating"] = frame["rating"].astype(object)
    frame.loc[frame.index[4], "rating"] = "fine"
    with pytest.raises(ef.InputError, match="'fine'"):
        ef.from_ratings(frame, rater=False)


def test_all_agree_is_a_ceiling_of_one_with_a_lower_limit():
    values = np.repeat(np.arange(40) % 5, 2).reshape(40, 2).astype(float)
    found = ef.from_ratings(values)
    assert found.value == found.high == 1
    differ = 1 - 5 * 8 * 7 / (40 * 39)
    assert found.low == pytest.approx(1 - (1 - 0.025 ** (1 / 40)) / differ)
    assert "agree" in next(one.sentence for one in found.findings if one.name == "Disagreement")
    floor = ef.from_ratings(values, metric="mse")
    assert floor.value == floor.low == 0
    assert floor.high == pytest.approx((1 - 0.025 ** (1 / 40)) * 16 / 2)


def test_two_shared_raters_answer_for_themselves_and_say_so():
    found = ef.from_ratings(made(m=2), rater=True)
    assert found.target == "one more rating of these 2 raters"
    assert found.claim.scope == "for ratings by these raters"
    assert any("these 2 raters" in one.sentence for one in found.findings)
    assert "between the two raters" in ef.from_ratings(made(m=2), rater=True, metric="qwk").sentence
    assert not any(one.name == "Raters" for one in ef.from_ratings(made(m=2)).findings)


def test_certified_refuses_what_it_is_not_proved_for():
    values = made(points=True)
    asked = {"interval": "certified", "scale": (1, 5)}
    for more, said in (
        ({"rater": True}, "the same raters"),
        ({"weight": np.arange(1, 121)}, "weigh differently"),
        ({"cluster": np.arange(120) // 2}, "belong together"),
        ({"metric": "spearman"}, "ranks"),
        ({"label": "mean"}, "`label=3`"),
    ):
        with pytest.raises(ef.InputError, match=said):
            ef.from_ratings(values, **asked, **more)
    single = values.copy()
    single[:20, 1:] = np.nan
    found = ef.from_ratings(single, **asked)
    said = next(one.sentence for one in found.findings if one.name == "Items with one rating")
    assert "left out by the certified limits" in said


def test_pure_noise_has_no_signal():
    values = np.random.default_rng(0).standard_normal((500, 2))
    found = ef.from_ratings(values)
    assert found.low == 0
    assert found.high < 0.13
    assert found.sentence.startswith("The ratings show no signal")
    assert any(one.name == "Signal" and one.level == "warn" for one in found.findings)
    with pytest.warns(ef.DoubtWarning, match="No signal"):
        ef.from_ratings(values)


def test_few_items_are_not_called_noise():
    found = ef.from_ratings([[3, 4], [5, 5], [1, 2]])
    assert found.value > 0.8
    assert found.low == 0
    assert found.sentence.startswith("3 items are too few to show that there is a signal")
    assert any(one.value == "not shown" for one in found.findings)


def test_few_raters_who_differ_are_not_mended_by_more_items():
    def found(n, k):
        rng = np.random.default_rng(0)
        bias = np.random.default_rng(3).normal(0, 0.6, k)
        values = 0.9 * rng.standard_normal((n, 1)) + bias + 0.7 * rng.standard_normal((n, k))
        pairs = itertools.product("abcdef", repeat=2)
        columns = ["".join(pair) for pair in itertools.islice(pairs, k)]
        return ef.from_ratings(pd.DataFrame(values, columns=columns), ratings=columns)

    for n in (300, 3000):
        few = found(n, 4)
        assert few.low == 0
        assert few.high > 0.5
        assert few.sentence.startswith("4 raters are too few to show that there is a signal")
        (finding,) = [one for one in few.findings if one.name == "Signal"]
        assert str(finding.remedy) == "Have more people rate these items."
    assert found(300, 25).low > 0.3


def test_columns_that_are_people_are_covered_as_named_raters_are():
    truth, held = 0.81 / (0.81 + 0.25 + 0.49), {"long": 0, "wide": 0}
    names = ["Eva", "Tom", "Li", "Ana", "Raj"]
    for seed in range(30):
        rng = np.random.default_rng(seed)
        values = 3.2 + 0.9 * rng.standard_normal((200, 1)) + 0.5 * rng.standard_normal(5)
        values = values + 0.7 * rng.standard_normal((200, 5))
        wide = pd.DataFrame(values, columns=names)
        rows = wide.assign(essay=np.arange(200)).melt(
            "essay", var_name="rater", value_name="rating"
        )
        long = ef.from_ratings(rows, item="essay", rater="rater", rating="rating")
        for name, one in {"long": long, "wide": ef.from_ratings(wide, ratings=names)}.items():
            held[name] += one.low <= truth <= one.high
        unknown = ef.from_ratings(wide, ratings=names, rater=False)
        assert unknown.raters is None
        assert unknown.high - unknown.low < long.high - long.low
    assert held["wide"] == held["long"] >= 27


def test_numbered_columns_that_differ_as_people_do_are_a_condition_of_the_answer(tmp_path):
    values = made(n=200) + np.array([0, 0.8, -0.8])
    frame = pd.DataFrame(values, columns=["rating_1", "rating_2", "rating_3"])
    frame.to_csv(tmp_path / "wide.csv", index=False)
    ran = run("ratings", tmp_path / "wide.csv")
    assert ran.stdout.startswith("If each rating is by another person, the best possible R2")
    assert "--shared" in ran.stdout + ran.stderr
    told = run("ratings", tmp_path / "wide.csv", "--shared")
    assert told.stdout.startswith("The best possible") or "raters are too few" in told.stdout
    assert "by 3 raters" in told.stdout
    named = frame.rename(columns={"rating_1": "Ana", "rating_2": "Eva", "rating_3": "Li"})
    named.to_csv(tmp_path / "named.csv", index=False)
    ran = run("ratings", tmp_path / "named.csv", "--ratings", "Ana,Eva,Li")
    assert ran.stdout == told.stdout
    ran = run("ratings", tmp_path / "named.csv", "--ratings", "Ana,Eva,Li", "--no-rater")
    assert ran.stdout.startswith("If each rating is by another person")


def test_the_usual_mistakes_are_mistakes():
    noise = np.random.default_rng(1).standard_normal((2000, 2))
    rest = ((noise - noise.mean(axis=1, keepdims=True)) ** 2).sum()
    assert 1 - rest / ((noise - noise.mean()) ** 2).sum() == pytest.approx(0.5, abs=0.03)
    assert ef.from_ratings(noise).high < 0.1
    # Two halves of the raters correlate by 0.6.
    values = made(n=4000, m=6, share=1 / 3)
    halves = np.corrcoef(values[:, :3].mean(axis=1), values[:, 3:].mean(axis=1))[0, 1]
    assert halves == pytest.approx(0.6, abs=0.03)
    best = ef.from_ratings(values, metric="pearson", label="mean").value
    assert best == pytest.approx(np.sqrt(2 * 0.6 / 1.6), abs=0.02)


def test_one_item_with_a_third_of_the_variance_is_warned_of():
    values = made(n=50)
    values[7] += 40
    names = {one.name for one in ef.from_ratings(values).findings if one.level == "warn"}
    assert "One item" in names
    assert "One item" not in {one.name for one in ef.from_ratings(made(n=50)).findings}


def test_the_variance_that_one_item_makes_up_counts_its_weight():
    values = made(n=50)
    values[7] += 10
    weights = np.linspace(0.5, 2, 50)
    off = (values.mean(axis=1) - np.average(values.mean(axis=1), weights=weights)) ** 2
    share = weights[7] * off[7] / (weights @ off)
    findings = ef.from_ratings(values, weight=weights).findings
    (one,) = (finding for finding in findings if finding.name == "One item")
    assert one.value == f"{100 * share:.0f} % of the variance"


def test_columns_that_differ_as_raters_do_are_noticed():
    values = made(n=200) + np.array([0, 0.8, -0.8])
    names = {one.name for one in ef.from_ratings(values).findings}
    assert "Columns differ" in names
    assert "Columns differ" not in {
        one.name for one in ef.from_ratings(values, rater=True).findings
    }
    alarms = sum(
        any(one.name == "Columns differ" for one in ef.from_ratings(made(seed=k)).findings)
        for k in range(40)
    )
    assert alarms == 0


# Coverage, small; benchmarks/results/ratings.md has the whole study --------------------------


@pytest.mark.parametrize("name", study.FAMILIES)
def test_the_truth_of_the_families_is_that_of_their_draws(name):
    family = study.FAMILIES[name]
    rho, noise = family.truth(0.5)
    values = family.draw(np.random.default_rng(0), 0.5, 200_000, 2)
    assert np.corrcoef(values.T)[0, 1] == pytest.approx(rho, abs=0.03)
    assert np.mean(np.var(values, axis=1, ddof=1)) == pytest.approx(noise, rel=0.03)


# 60 samples of each of five families: 0.95 of 300 is below 0.9 less than once in 1,000.
@pytest.mark.parametrize(("n", "ratings", "share"), [(20, "2", 0.7), (50, "1-4", 0.3)])
def test_limits_cover_in_every_family(n, ratings, share):
    inside = []
    for family in study.FAMILIES.values():
        found = study.estimates(family, share, n, ratings, 60)
        inside.append(study.held(found, family.truth(share)[0]).share)
    assert np.mean(inside) >= 0.9
    assert min(inside) >= 0.85


def test_limits_of_the_noise_cover():
    inside = []
    for family in study.FAMILIES.values():
        found = study.estimates(family, 0.3, 50, "3", 40, metric="mse")
        inside.append(study.held(found, family.truth(0.3)[1]).share)
    assert np.mean(inside) >= 0.9


def test_widths_on_normal_ratings_are_as_published():
    normal = {"normal": study.FAMILIES["normal"]}
    for n, most in ((20, 0.55), (50, 0.33), (200, 0.15)):
        found = study.covered(normal, 12, sizes=(n,))
        assert np.mean([one.width for one in found.values()]) <= 1.1 * most


def test_certified_limits_cover_and_are_narrow_enough():
    # Limits from bets miss far less often than they may: about once in 200 samples.
    family = study.FAMILIES["five points, centred"]
    asked = {"interval": "certified", "scale": (0, 4)}
    for share in (0.0, 0.7):
        found = study.held(
            study.estimates(family, share, 200, "2", 20, **asked), family.truth(share)[0]
        )
        assert found.share >= 0.9
        assert found.width <= 0.5
    mse = ef.from_ratings(made(points=True), metric="mse", interval="certified", scale=(1, 5))
    assert mse.low < mse.value < mse.high


def test_pairs_of_items_depend_on_the_ratings_not_on_the_seed_alone():
    # A table has items in the order of their ratings: one permutation for all data would always
    # pair the same ranks, and limits would miss about ten times as often.
    from errorfloor.intervals.record import Seed
    from errorfloor.methods.ratings import Rated
    from errorfloor.questions.ratings import _paired

    drawn = [
        _paired(Rated.of(RatingTable.from_arrays(made(seed=k))), Seed.of(0)).random()
        for k in range(5)
    ]
    assert len(set(drawn)) == 5
    same = _paired(Rated.of(RatingTable.from_arrays(10 * made(seed=0) + 3)), Seed.of(0)).random()
    assert same == drawn[0]


def test_shared_raters_are_covered():
    found = study.shared(5, 5, 0.3, 0.2, 40)
    assert found.share >= 0.9
    alone = study.shared(20, 3, 0.5, 0.1, 30)
    assert alone.share >= 0.9


# Models ----------------------------------------------------------------------------------------


def test_a_perfect_model_is_rarely_said_to_have_room_or_to_be_beyond():
    for metric in ("r2", "mse", "pearson"):
        inside, _, room, beyond = study.model(metric, 150, 3, 0.5, 1.0, 60)
        assert inside >= 0.87
        assert room <= 0.12
        assert beyond <= 0.12


def test_the_share_and_the_worth_of_a_model_are_held():
    inside, worth, room, beyond = study.model("pearson", 200, 3, 0.5, 0.8, 60)
    assert inside >= 0.87
    assert worth >= 0.9
    assert room >= 0.95
    assert beyond == 0


def test_the_true_score_has_room_by_qwk_where_it_can_be_stretched():
    _, _, room, beyond = study.model("qwk", 500, 3, 0.3, 1.0, 20)
    assert room >= 0.9
    assert beyond == 0


def predicted(values, quality=0.9, seed=9):
    rng = np.random.default_rng(seed)
    mean = np.nanmean(values, axis=1)
    return mean + (1 - quality) * 3 * rng.standard_normal(len(mean))


def test_the_share_of_pearson_is_the_same_for_one_rating_and_the_mean():
    values = made()
    one = ef.headroom(values, predictions=predicted(values), metric="pearson")
    mean = ef.headroom(values, predictions=predicted(values), metric="pearson", label="mean")
    assert one.share.value == pytest.approx(mean.share.value, rel=1e-9)
    assert (one.share.low, one.share.high) == pytest.approx((mean.share.low, mean.share.high))
    assert one.model_value < mean.model_value
    assert one.worth.to_dict() == mean.worth.to_dict()


def test_a_model_beside_data_a_result_a_table_a_frame_and_a_file(tmp_path):
    values = made(n=60)
    model = predicted(values)
    first = ef.headroom(values, predictions=model, metric="r2")
    frame = long_frame(values, model=model)
    frame.to_csv(tmp_path / "rated.csv", index=False)
    result = ef.from_ratings(values, metric="r2")
    again = [
        ef.headroom(result, predictions=model),
        ef.headroom(frame, prediction="model", metric="r2", rater=False),
        ef.headroom(tmp_path / "rated.csv", prediction="model", metric="r2", rater=False),
        ef.headroom(RatingTable.from_arrays(values, prediction=model), metric="r2"),
    ]
    for one in again:
        assert one.verdict == first.verdict
        assert one.share.to_dict() == pytest.approx(first.share.to_dict())
        assert one.worth.to_dict() == pytest.approx(first.worth.to_dict())
        assert one.model_value == pytest.approx(first.model_value)
    json.dumps(first.to_dict(), allow_nan=False)


@pytest.mark.parametrize("metric", NAMES)
def test_every_metric_has_a_verdict_with_limits_that_hold_the_value(metric):
    values = made(points=True)
    found = ef.headroom(values, predictions=predicted(values), metric=metric)
    assert found.verdict in ("room", "saturated", "beyond")
    assert found.low <= found.difference <= found.high
    assert found.model.low <= found.model_value <= found.model.high
    if metric != "mae":
        assert found.share.low <= found.share.value <= found.share.high
        assert found.worth.low <= found.worth.value <= found.worth.high
    assert found.sentence.endswith((".", ")"))
    assert long_text_of(found)


def test_brute_force_values_of_a_model():
    values = made(n=40)
    model = predicted(values)
    errors = (values - model[:, None]) ** 2
    mse = ef.headroom(values, predictions=model, metric="mse")
    assert mse.model_value == pytest.approx(errors.mean(), rel=0.05)
    mae = ef.headroom(values, predictions=model, metric="mae")
    assert mae.model_value == pytest.approx(np.abs(values - model[:, None]).mean())
    flat = ef.headroom(values, predictions=model, metric="pearson", label="mean")
    own = np.corrcoef(values.mean(axis=1), model)[0, 1]
    assert flat.model_value == pytest.approx(own, rel=1e-9)


def test_copied_ratings_are_no_predictions(tmp_path):
    values = made(n=60)
    for copied in (values[:, 0], values.mean(axis=1)):
        found = ef.headroom(values, predictions=copied, metric="r2")
        assert found.floor.refuted
        assert "own ratings" in found.sentence
    long_frame(values, model=values[:, 1]).to_csv(tmp_path / "copied.csv", index=False)
    ran = run("ratings", tmp_path / "copied.csv", "--prediction", "model")
    assert ran.exit_code == 4
    # A copy of one rating does not show as too good: its excess is W (1 - 2 / m).
    two = made(n=400, m=2)
    assert ef.headroom(two, predictions=two[:, 0] + 1e-9, metric="mse").verdict == "saturated"


def test_whole_grades_that_match_by_chance_are_no_copies():
    values = made(n=30, share=0.9, points=True)
    model = np.round(np.median(values, axis=1))
    assert not ef.headroom(values, predictions=model, metric="qwk").floor.refuted


def test_what_is_wrong_with_predictions_is_said():
    values = made(n=30)
    for predictions, said in (
        (np.zeros(30), "all the same"),
        (np.zeros(29), "an entry for each of 30 items"),
        (np.full(30, np.nan), "finite"),
        (["a"] * 30, "numbers"),
        (None, "`predictions` is missing"),
    ):
        with pytest.raises(ef.InputError, match=said):
            ef.headroom(values, predictions=predictions, metric="pearson")
    with pytest.raises(ef.InputError, match="does not go with ratings"):
        ef.headroom(ef.from_ratings(values), errors=3, n=10)
    with pytest.raises(ef.InputError, match="is 'r2'"):
        ef.headroom(ef.from_ratings(values), predictions=np.arange(30.0), metric="mse")
    with pytest.raises(ef.InputError, match="published agreement"):
        ef.headroom(ef.from_agreement(qwk=0.6, n=100), predictions=np.arange(30.0))


# Published agreement ---------------------------------------------------------------------------


def test_published_agreement_is_not_the_ceiling():
    found = ef.from_agreement(qwk=0.6, n=300)
    assert found.value == pytest.approx(np.sqrt(0.6))
    ends = np.sqrt(np.tanh(np.arctanh(0.6) + 1.959964 / np.sqrt(297) * np.array([-1, 1])))
    assert (found.low, found.high) == pytest.approx(tuple(ends))
    assert "is not a ceiling: the best possible QWK is 0.77 (0.72 to 0.82" in found.sentence
    assert ef.from_agreement(icc=0.6, n=300, metric="r2").value == 0.6
    assert ef.from_agreement(pearson=-0.2, n=30).low == 0
    alone = ef.from_agreement(icc=0.5)
    assert alone.interval is None
    assert "number of items" in alone.sentence


def test_published_agreement_is_refused_with_what_does_not_go_with_it():
    for asked, said in (
        ({"qwk": 0.6, "icc": 0.5}, "goes alone"),
        ({"qwk": 0.6, "pairs": 10}, "goes alone"),
        ({"qwk": 1.6}, "between -1 and 1"),
        ({"qwk": 0.6, "n": 2}, "at least 4"),
        ({"qwk": 0.6, "metric": "mse"}, "must be one of"),
        ({"agree": 3, "pairs": 4, "n": 3}, "goes with ratings"),
    ):
        with pytest.raises(ef.InputError, match=said):
            ef.from_agreement(**asked)


def test_fisher_limits_cover_on_normal_ratings():
    rng = np.random.default_rng(3)
    found = 0
    for _ in range(200):
        values = np.sqrt(0.5) * (rng.standard_normal((100, 1)) + rng.standard_normal((100, 2)))
        rho = ef.from_ratings(values, interval=None).icc
        limits = ef.from_agreement(icc=rho, n=100, metric="r2")
        found += limits.low <= 0.5 <= limits.high
    assert found >= 180


# What people see -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def reviews(tmp_path_factory):
    """Return a file of ratings in rows, with a model."""
    folder = tmp_path_factory.mktemp("ratings")
    values = made(n=300, points=True)
    frame = long_frame(values, model=predicted(values)).rename(columns={"item": "paper"})
    frame["year"] = np.where(frame["paper"] < 150, 2024, 2025)
    frame.drop(columns="rater").to_csv(folder / "reviews.csv", index=False)
    return folder / "reviews.csv"


def test_the_command_line_answers(reviews):
    ran = run("ratings", reviews, "--metric", "qwk")
    assert ran.exit_code == 0
    assert 'using column "paper" as the item and "rating" as the rating' in ran.stderr
    first = ran.stdout.splitlines()[0]
    assert first.startswith("The best possible QWK against one more rating is about 0.")
    assert "between two people is 0." in first
    for word in ("agreement", "ICC"):
        assert f"{word} is the ceiling" not in ran.stdout
    ran = run("ratings", reviews, "--prediction", "model", "--label", "mean", "--metric", "pearson")
    assert ran.exit_code == 0
    assert "% of the ceiling (" in ran.stdout.splitlines()[0]
    assert "% of the ceiling" in ran.stdout.splitlines()[0]
    assert "0.0 people" not in ran.stdout
    ran = run("ratings", reviews, "--group", "year", "--json")
    rows = json.loads(ran.stdout)["result"]["rows"]
    assert [row["group"] for row in rows] == ["2024", "2025"]


def test_the_command_line_refuses(reviews):
    ran = run("ratings", reviews, "--shared", "--no-rater")
    assert ran.exit_code == 2
    ran = run("ratings", reviews, "--interval", "certified")
    assert ran.exit_code == 1
    assert "--scale" in ran.stderr
    ran = run("ratings", reviews, "--weight", "nothing")
    assert ran.exit_code == 1
    assert "paper, rating, model, year" in ran.stderr


def test_agreement_on_the_command_line():
    ran = run("agreement", "--qwk", "0.6", "--n", "300")
    assert ran.exit_code == 0
    assert ran.stdout.startswith("Agreement of 0.60 between two people is not a ceiling")
    assert run("agreement", "--agree", "92%").exit_code == 2


def test_a_look_recognises_ratings(reviews):
    found = ef.look(str(reviews))
    assert found.layouts[0].layout == "ratings in rows"
    assert found.next[0].startswith("errorfloor ratings ")
    frame = pd.DataFrame({"ratings": ["5;6;3", "4;4", "1;2;2"]})
    assert ef.look(frame).next[0] == "ef.from_ratings(df, ratings='ratings')"


def test_the_app_answers_ratings(reviews, monkeypatch):
    from errorfloor.apps.web.answering import answer as asked_by_page

    monkeypatch.chdir(reviews.parent)
    question = {"kind": "open", "file": reviews.name, "folder": str(reviews.parent), "state": {}}
    found = asked_by_page(question, lambda event: None)
    assert ef.from_ratings(str(reviews)).sentence == found["status"]
    assert "is the best R2 any model can get" in found["regions"]["answer"]
    assert "Ask for QWK" in found["regions"]["steps"]
    assert not found["regions"]["problem"]


@pytest.mark.parametrize(
    "asked", [{}, {"metric": "mse", "label": "mean"}, {"metric": "mae"}, {"group": "year"}]
)
def test_reports_and_recipes_lead_to_the_same_answer(reviews, asked, tmp_path, monkeypatch):
    found = ef.from_ratings(str(reviews), **asked)
    for kind in ("html", "md", "json"):
        path = ef.report(found, tmp_path / f"report.{kind}")
        assert "ICC" in path.read_text(encoding="utf-8") or kind
    if "group" in asked:
        return
    names = {}
    exec(python_code(found), names)
    assert answer(names["floor"]) == answer(found)
    command = command_line(found)
    ran = run(*command.split()[1:], "--json")
    assert json.loads(ran.stdout)["result"]["value"] == found.value
    verdict = ef.headroom(str(reviews), prediction="model", metric="r2")
    text = ef.report(verdict, tmp_path / "model.md").read_text(encoding="utf-8")
    assert verdict.sentence in text
    typed = command_line(verdict.floor, verdict)
    assert "--prediction model" in typed
    ran = run(*typed.split()[1:], "--json")
    assert ran.exit_code == 0, ran.stderr
    assert json.loads(ran.stdout)["result"]["share"] == verdict.share.to_dict()


def test_sentences_say_which_label_and_never_call_agreement_a_ceiling():
    values = made(points=True)
    for metric, label in itertools.product(NAMES, ("one", "mean", 4)):
        if metric == "mae" and label != "one":
            continue
        said = ef.from_ratings(values, metric=metric, label=label).sentence
        assert {"one": "one more rating", "mean": "the mean rating", 4: "mean of 4"}[label] in said
    r2 = ef.from_ratings(values)
    assert f"other person's rating gives an R2 of {r2.icc**2:.2f}" in r2.sentence


def test_medians_need_twice_as_many_ratings():
    values = made(n=200, m=7)
    found = ef.from_ratings(values, label="median-3")
    mean = ef.from_ratings(values, label=3)
    assert found.target == "the median of 3 ratings"
    assert found.value == pytest.approx(mean.value, abs=0.15)
    assert found.value < mean.high


def test_plan_and_others_say_that_they_do_not_take_ratings(tmp_path):
    table = RatingTable.from_arrays(made())
    table.save(tmp_path / "table.npz")
    for ask in (ef.from_votes, ef.from_scores, ef.plan):
        with pytest.raises(ef.InputError, match="ratings"):
            ask(table)


# Real reviews ----------------------------------------------------------------------------------


def test_the_code_for_an_array_whose_columns_are_raters_runs():
    found = ef.from_ratings(made(n=30), rater=True)
    names = {"ratings": made(n=30)}
    exec(python_code(found), names)
    assert names["floor"].value == found.value


@pytest.mark.parametrize("year", [2018, 2024])
def test_two_reviews_of_each_paper_hold_the_answer_from_all(year):
    folder = os.environ.get("ERRORFLOOR_DATA")
    if not folder:
        pytest.skip("ERRORFLOOR_DATA names no folder")
    papers = study.reviews(Path(folder) / "iclr" / f"iclr_{year}.csv")
    found, often = study.thinned(papers[:1500], 12)
    assert 0.5 < found.value < 0.8
    assert often >= 11 / 12


def test_no_model_beats_the_ceiling_in_the_population():
    best, ceiling = study.best_of_many(np.random.default_rng(1), 0.4, models=60)
    assert best <= ceiling + 0.01
    assert best >= 0.9 * ceiling


def test_the_demo_has_ratings(tmp_path):
    from errorfloor.apps.demo import save

    assert "ratings.csv" in [path.name for path in save(tmp_path)]
    found = ef.from_ratings(tmp_path / "ratings.csv")
    assert found.raters == 12
    assert found.n == 400


def test_the_study_has_a_page():
    text = study.document(
        dict.fromkeys(
            (
                "r2",
                "others",
                "mse",
                "certified",
                "shared",
                "models",
                "thinnings",
                "reviews",
                "best",
            ),
            "x",
        ),
        100,
    )
    assert "benchmarks.ratings" in text
    held = {("a", 20, "2", share): study.Held(0.95, 0.5, 100) for share in study.SHARES}
    assert "| a | 20 | 2 |" in study.table(held)


def test_the_one_item_that_makes_much_of_the_variance_is_named():
    rows = np.random.default_rng(0).normal(5, 1, (40, 3))
    rows[7] = 90, 100, 110
    with pytest.warns(ef.DoubtWarning, match="A single item, with a mean rating of 100, makes"):
        ef.from_ratings(rows, metric="mse")


def test_an_item_without_ratings_is_called_as_people_call_it(tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"visit": [f"v{i}" for i in range(700, 730)]})
    for name in ("ann", "bob"):
        frame[name] = np.arange(30) % 5 + 1.0
    frame.loc[8, ["ann", "bob"]] = np.nan
    frame.to_csv(tmp_path / "triage.csv", index=False)
    named = {"ratings": ["ann", "bob"], "metric": "qwk"}
    for data in (frame, frame.set_index("visit"), tmp_path / "triage.csv"):
        with pytest.raises(ef.InputError, match=r"no rating of item 8, visit v708 \(1 of 30 items"):
            ef.from_ratings(data, **named)
    with pytest.raises(ef.InputError, match=r"no rating of item 8 \(1 of 30 items"):
        ef.from_ratings(frame[["ann", "bob"]], **named)


def test_whole_grades_are_told_wherever_the_answer_is_printed():
    found = ef.from_ratings(np.clip(np.round(5 + 2 * made()), 1, 10), metric="qwk")
    best = f"{found.whole_grades:.2f}"
    line = f"A model that gives whole grades reaches about {best} at best."
    assert str(found).splitlines()[1] == line
    assert long_text_of(found).count(line) == 1
    assert f"), and {best} for a model that gives whole grades. The QWK between" in found.sentence


def test_ratings_of_unknown_people_are_not_said_to_be_of_other_people_on_each_item():
    frame = pd.DataFrame(made(), columns=["r1", "r2", "r3"][: made().shape[1]])
    unknown = ef.from_ratings(frame, ratings=list(frame))
    assert unknown.assumptions.startswith("It is not known who gave which rating; each counts as")
    people = frame.stack().reset_index(name="rating").rename(columns={"level_0": "item"})
    people["rater"] = [f"person {k}" for k in range(len(people))]
    own = ef.from_ratings(people, item="item", rating="rating", rater="rater")
    assert own.assumptions.startswith("Each item was rated by people of its own, drawn at random")
