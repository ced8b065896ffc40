"""Bad input gets one clear error that names the argument, the entry and the remedy."""

from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest

import errorfloor as ef
from errorfloor import ScoreTable, VoteTable
from errorfloor.datasets import load_iclr
from errorfloor.datasets.synthetic import gaussian_mixture, label_flips, vote

SCORES = [0.1, 0.4, 0.6, 0.9]
LABELS = [0, 1, 0, 1]


def feebee(scores=SCORES, labels=LABELS, **options):
    return ef.feebee(scores, labels, **{"model_error": 0.4, "levels": 3, **options})


BAD = [
    # scores
    (lambda: ef.from_scores([0.1, np.nan, np.inf], [0, 1, 1]), r"`scores` must be finite numbers: entry 1 is nan \(2 of 3 are bad\)\. Drop"),
    (lambda: ef.from_scores([0.1, 1.4], [0, 1], method="beta"), r"`scores` must lie in \[0, 1\]: entry 1 is 1\.4 \(1 of 2 are bad\)\. Divide percentages"),
    (lambda: ef.from_scores([0.1, -4], [0, 1], method="corrupted"), r"`scores` must lie in \[0, 1\]: entry 1 is -4"),
    (lambda: ef.from_scores([0.1, 2], [0, 1], method="platt-logit"), r"`scores` must lie in"),
    (lambda: ef.from_scores([[0.1], [0.2]], [0, 1]), r"`scores` must have .* a column for each class, got shape \(2, 1\)\. Pass one column as 1-d"),
    (lambda: ef.from_scores([], []), r"`scores` is empty\. Pass at least one item"),
    (lambda: ef.from_scores([0.1, [0.2]], [0, 1]), r"`scores` must be a 1-d array of numbers"),
    (lambda: ef.from_scores(["a", "0.3"], [0, 1]), r"`scores` must be numbers: entry 0 is a \(1 of 2 are bad\)"),
    (lambda: ef.from_scores([1j, 2], [0, 1]), r"`scores` must be numbers, got an array of complex128"),
    (lambda: ef.from_scores(np.ma.masked_equal([0.1, 0.2], 0.2), [0, 1]), r"`scores` must be finite numbers: entry 1 is nan"),
    (lambda: ef.from_scores(pd.Series([0.1, None], dtype="Float64"), [0, 1]), r"`scores` must be .*entry 1"),
    (lambda: ef.from_scores(pl.Series([0.1, None]), [0, 1]), r"`scores` must be finite numbers: entry 1 is nan"),
    (lambda: ef.from_scores(pd.DataFrame({"a": [0.1], "b": ["x"]}), [0]), "`scores` has the column 'b', which holds no numbers"),
    (lambda: ef.from_scores(pd.DataFrame({"a": [0.1, 0.2], "b": [0, 1]}), [0, 1]), "`scores` has the labels themselves, in the column 'b'"),
    (lambda: ef.from_scores(pd.DataFrame([[0.1, 0.9]], columns=["a", "a"]), [0]), "`scores` has several columns of one name"),
    (lambda: ef.from_scores(pd.DataFrame([[0.1, 0.9]], columns=["a", "b"]), ["c"]), r"`labels` has 'c', which is not one of the classes a, b"),
    (lambda: ef.from_scores(pd.DataFrame({"a": [0.1, 0.2]}), pd.Series([0, 1], [5, 6])), "`scores` and `labels` have different indexes"),
    # labels
    (lambda: ef.from_scores([0.1, 0.2, 0.3], [0, 2, -1]), r"`labels` must be 0 or 1 \(or False or True\): entry 1 is 2\.0 \(2 of 3 are bad\)\. Map the class"),
    (lambda: ef.from_scores([0.1], [np.nan]), r"`labels` must be 0 or 1.*entry 0 is nan"),
    (lambda: ef.from_scores([0.1], ["yes"]), r"`labels` holds words: yes\. Say which one is class 1:\n  `positive='yes'`"),
    (lambda: ef.from_scores(SCORES, [0, 1, 0]), r"`scores` and `labels` must have the same length, got 4 and 3"),
    (lambda: ef.from_scores(SCORES), r"`labels` is missing"),
    # soft labels
    (lambda: ef.from_soft_labels([0.2, 40]), r"`soft_labels` must lie in \[0, 1\]: entry 1 is 40\.0 \(1 of 2"),
    (lambda: ef.from_soft_labels([0.2, np.nan]), r"`soft_labels` must lie in \[0, 1\]: entry 1 is nan"),
    (lambda: ef.from_soft_labels([]), r"`soft_labels` is empty"),
    (lambda: ef.from_soft_labels(0.5), r"`soft_labels` must be 1-d, got shape \(\)"),
    (lambda: ef.from_soft_labels(ScoreTable.from_counts([2.0], [1], [1])), r"`soft_labels` must lie in \[0, 1\]: row 0 is 2\.0"),
    # votes
    (lambda: ef.from_votes([1, 4], [3, 3]), r"`positives` must not exceed `totals`: entry 1 is 4 \(1 of 2 are bad\)\. Check the order"),
    (lambda: ef.from_votes([0, 0], [3, 0]), r"`totals` must be whole numbers of at least 1: entry 1 is 0"),
    (lambda: ef.from_votes([0], 0), r"`totals` must be whole numbers of at least 1: entry 0 is 0"),
    (lambda: ef.from_votes([0.5, 1], 2), r"`positives` must be whole numbers of at least 0: entry 0 is 0\.5 \(1 of 2"),
    (lambda: ef.from_votes([-1], 2), r"`positives` must be whole numbers of at least 0: entry 0 is -1"),
    (lambda: ef.from_votes([1, np.nan], 2), r"`positives` must be whole numbers of at least 0: entry 1 is nan"),
    (lambda: ef.from_votes([1, 2], [2, 2, 2]), r"`positives` and `totals` must have the same length, got 2 and 3"),
    (lambda: ef.from_votes([1]), r"`totals` is missing"),
    (lambda: ef.from_votes([1], 2, method="hard"), r"`method` must be one of mixture, plugin; got 'hard'"),
    # choices
    (lambda: ef.from_scores(SCORES, LABELS, method="isotonc"), r"`method` must be one of .*; got 'isotonc'\. Did you mean isotonic"),
    (lambda: ef.from_scores(SCORES, LABELS, method=7), r"`method` must be one of"),
    (lambda: ef.from_scores(SCORES, LABELS, method="hist-0"), r"hist-K needs a whole number K of at least 1, got 'hist-0'"),
    (lambda: ef.from_scores(SCORES, LABELS, method="hist--3"), r"hist-K needs a whole number"),
    (lambda: ef.from_scores(SCORES, LABELS, method="hist-2.5"), r"hist-K needs a whole number"),
    (lambda: ef.from_scores(SCORES, LABELS, method="hist-"), r"hist-K needs a whole number"),
    (lambda: ef.from_scores(SCORES, LABELS, interval="honset"), r"`interval` must be one of .*; got 'honset'\. Did you mean honest\? `interval=None` skips it"),
    (lambda: ef.from_scores(SCORES, LABELS, interval="hoeffding"), r"`interval` must be one of auto, honest, certified, jackknife, bca, basic, percentile"),
    (lambda: ef.from_soft_labels(SCORES, interval="honest"), r"`interval` must be one of auto, betting, hoeffding, jackknife, bca, basic, percentile"),
    (lambda: ef.compare(SCORES, LABELS, methods=["isotonic", "betta"]), r"Did you mean beta"),
    (lambda: ef.compare(SCORES, LABELS, methods="isotonic"), r"`methods` must be a list"),
    (lambda: ef.compare(SCORES, LABELS, methods=[]), r"`methods` must be a list"),
    (lambda: ef.compare(SCORES, LABELS, methods=3), r"`methods` must be a list"),
    (lambda: ef.from_scores(SCORES, LABELS, method="hist-" + "9" * 5000), r"hist-K needs a whole number"),
    (lambda: ef.headroom(ef.from_scores(SCORES, LABELS), model_error="0.1", n=100), r"`model_error` must lie in \[0, 1\], got '0\.1'"),
    (lambda: ef.from_scores(SCORES, LABELS, simultaneous=True), r"`simultaneous` is about the intervals of groups\. Name their column with `group`"),
    (lambda: ef.from_votes([1, 2], 3, simultaneous=True), r"`simultaneous` is about"),
    (lambda: ef.from_soft_labels(SCORES, simultaneous=True), r"`simultaneous` is about"),
    (lambda: ef.compare([3, 4], [0, 1], methods=["isotonic", "beta"]), r"`scores` must lie in"),
    (lambda: ef.calibrate(SCORES, LABELS, method="isotonic-cf"), r"isotonic-cf corrects an estimate and has no map"),
    # numbers
    (lambda: ef.from_scores(SCORES, LABELS, level=95), r"`level` must lie strictly between 0 and 1, got 95\. Write 0\.95"),
    (lambda: ef.from_scores(SCORES, LABELS, level=1.0), r"`level` must lie strictly"),
    (lambda: ef.from_scores(SCORES, LABELS, level="high"), r"`level` must lie strictly"),
    (lambda: ef.from_scores(SCORES, LABELS, level=np.nan), r"`level` must lie strictly"),
    (lambda: ef.from_scores(SCORES, LABELS, n_resamples=0), r"`n_resamples` must be a whole number of at least 1, got 0"),
    (lambda: ef.from_scores(SCORES, LABELS, n_resamples=10.5), r"`n_resamples` must be a whole number"),
    (lambda: ef.from_scores(SCORES, LABELS, method="beta", clip=0.7), r"`clip` must be \"auto\" or a number between 0 and 0\.5, got 0\.7"),
    (lambda: ef.from_scores(SCORES, LABELS, method="beta", clip="none"), r"`clip` must be"),
    # label noise
    (lambda: feebee(model_error=1.2), r"`model_error` must lie in \[0, 0\.5\], got 1\.2\. Divide percentages by 100"),
    (lambda: feebee(model_error=-0.1), r"`model_error` must lie in"),
    (lambda: feebee(model_error=np.nan), r"`model_error` must lie in"),
    (lambda: feebee(model_error="5 %"), r"`model_error` must lie in .*got '5 %'"),
    (lambda: feebee(levels=1), r"`levels` must be a whole number of at least 2, got 1\. 101 is usual"),
    (lambda: feebee(levels=2.5), r"`levels` must be a whole number of at least 2, got 2\.5"),
    (lambda: feebee(repeats=0), r"`repeats` must be a whole number of at least 1, got 0\. 10 is usual"),
    (lambda: feebee(methods="isotonic"), r"`methods` must be a list such as .*got 'isotonic'"),
    (lambda: feebee(methods=len), r"`methods` must be a list such as .* or a dict of functions"),
    (lambda: feebee(methods=3), r"`methods` must be a list"),
    (lambda: feebee(methods=[]), r"`methods` is empty\. Name at least one"),
    (lambda: feebee(methods=["isotonic", "beta", "isotonic"]), r"`methods` has 'isotonic' twice\. Drop one, or pass a dict"),
    (lambda: feebee(methods=[lambda _: 0.1, lambda _: 0.2]), r"`methods` has '<lambda>' twice"),
    (lambda: feebee(methods=["isotonc"]), r"`method` must be one of .* Did you mean isotonic"),
    (lambda: feebee(methods={"mine": "betta"}), r"Did you mean beta"),
    (lambda: feebee(methods={"mine": 3}), r"`method` must be one of .*got 3"),
    (lambda: feebee(methods={"oracle": len}), r"`methods` cannot have the name 'oracle'"),
    (lambda: feebee(methods=["isotonic", partial(min, 0.1)]), r"`methods` must have names: entry 1 is .* without a `__name__`\. Pass a dict"),
    (lambda: feebee(methods={"mine": lambda _: np.nan}), r"`methods` 'mine' must return a finite number, got nan for ScoreTable\(n=4, rows=4\)\. Have it"),
    (lambda: feebee(methods={"mine": lambda _: None}), r"'mine' must return a finite number, got None"),
    (lambda: feebee(methods={"mine": lambda _: "0.1"}), r"'mine' must return a finite number, got '0\.1'"),
    (lambda: feebee(methods={"mine": lambda t: t.scores[:1]}), r"'mine' must return a finite number, got array"),
    (lambda: feebee(clip=0.7), r"`clip` must be"),
    (lambda: feebee(labels=[0, 1, 0]), r"`scores` and `labels` must have the same length"),
    (lambda: feebee(scores=[3, 4], labels=[0, 1], methods=["isotonic", "beta"]), r"`scores` must lie in"),
    (lambda: feebee(scores=ScoreTable.empty(), labels=None), r"`scores` is an empty table"),
    # tables
    (lambda: ef.from_scores(ScoreTable.empty()), r"`scores` is an empty table"),
    (lambda: ef.from_votes(VoteTable.empty()), r"`positives` is an empty table"),
    (lambda: ef.from_scores(ScoreTable.from_arrays(SCORES, LABELS), LABELS), r"`labels` must be left out"),
    (lambda: ef.from_votes(VoteTable.from_arrays([1], 2), 2), r"`totals` must be left out"),
    (lambda: ef.calibrate(SCORES, LABELS)([0.5, np.nan]), r"`scores` must be finite numbers: entry 1 is nan"),
    (lambda: ef.calibrate(SCORES, LABELS, method="beta")([1.5]), r"`scores` must lie in"),
    (lambda: ef.from_scores(SCORES, LABELS, interval=None).at_level(0.9), r"has no interval"),
    (lambda: ef.from_scores(SCORES, LABELS).at_level(90), r"`level` must lie strictly"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), BAD)
def test_bad_input_is_refused_by_name_entry_and_remedy(call, message):
    with pytest.raises(ValueError, match=message):
        call()


VOTES = VoteTable.from_arrays([0, 1, 1, 2], 2)
FLOOR = ef.from_scores(SCORES, LABELS, rng=0)
NUMBERS = {
    "level": lambda x: ef.from_scores(SCORES, LABELS, level=x),
    "n_resamples": lambda x: ef.from_scores(SCORES, LABELS, n_resamples=x),
    "clip": lambda x: ef.from_scores(SCORES, LABELS, method="beta", clip=x),
    "scores": lambda x: ef.from_scores([x], [1]),
    "labels": lambda x: ef.from_scores([0.5], [x]),
    "soft_labels": lambda x: ef.from_soft_labels([x]),
    "positives": lambda x: ef.from_votes([x], 3),
    "totals": lambda x: ef.from_votes([1], x),
    "errors": lambda x: ef.headroom(FLOOR, x, 100),
    "n": lambda x: ef.headroom(FLOOR, 3, x),
    "model_error": lambda x: ef.headroom(FLOOR, model_error=x, n=100),
    "items": lambda x: ef.plan(VOTES, items=[x]),
    "votes": lambda x: ef.plan(VOTES, votes=[x]),
    "target": lambda x: ef.plan(VOTES, target=x),
    "cost_per_item": lambda x: ef.plan(VOTES, cost_per_item=x),
    "levels": lambda x: feebee(levels=x),
    "repeats": lambda x: feebee(repeats=x),
    "negatives": lambda x: ScoreTable.from_counts([0.5], [x], [1]),
    "method": lambda x: ef.from_scores(SCORES, LABELS, method=x),
    "interval": lambda x: ef.from_scores(SCORES, LABELS, interval=x),
    "methods": lambda x: feebee(methods=x),
    "means": lambda x: gaussian_mixture(10, means=((0.0,), (x,))),
    "rate": lambda x: label_flips(10, rate=x),
    "m": lambda x: vote([0.5], x),
    "years": lambda x: load_iclr(x),
}


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("digits", [400, 5000])
def test_numbers_beyond_all_floats_are_refused_by_name_and_shortened(name, digits):
    with pytest.raises(ef.InputError, match=f"`{name}`") as raised:
        NUMBERS[name](10**digits)
    assert len(str(raised.value)) < 300


@pytest.mark.parametrize("rng", ["abc", -1, 1.5, [0.5], -(10**400)])
@pytest.mark.parametrize(
    "call",
    [
        lambda rng: ef.from_scores(SCORES, LABELS, rng=rng),
        lambda rng: ef.from_votes(VOTES, rng=rng),
        lambda rng: ef.compare(SCORES, LABELS, rng=rng),
        lambda rng: ef.headroom(VOTES, 3, 100, rng=rng),
        lambda rng: feebee(rng=rng),
        lambda rng: gaussian_mixture(10, rng=rng),
        lambda rng: vote([0.5], 3, rng=rng),
    ],
)
def test_what_no_generator_can_be_made_of_is_refused_by_name(call, rng):
    with pytest.raises(ef.InputError, match="`rng` must be None, a whole number of at least 0 or"):
        call(rng)


@pytest.mark.parametrize("value", [None, 3, [None], b"x", [3]])
def test_what_is_no_path_is_refused_by_name(value):
    for name, call in (("paths", ef.merge), ("source", ef.frames.scan)):
        with pytest.raises(ef.InputError, match=f"`{name}` must be a path or a list of paths, got"):
            call(value)
        with pytest.raises(ef.InputError, match=f"`{name}` is empty. Pass at least one file"):
            call([])


@pytest.mark.parametrize(
    "scores",
    [
        SCORES,
        tuple(SCORES),
        np.array(SCORES),
        np.array(SCORES, dtype=object),
        [str(score) for score in SCORES],
        pd.Series(SCORES),
        pd.Series(SCORES, dtype="Float64"),
        pl.Series(SCORES),
    ],
)
def test_anything_numpy_can_read_is_a_column_of_scores(scores):
    assert ScoreTable.from_arrays(scores, LABELS) == ScoreTable.from_arrays(SCORES, LABELS)


@pytest.mark.parametrize(
    "labels",
    [
        LABELS,
        [bool(y) for y in LABELS],
        np.array(LABELS, dtype=np.int8),
        np.array(LABELS, dtype=float),
        np.array(LABELS, dtype=object),
        [str(y) for y in LABELS],
        pd.Series(LABELS, dtype="boolean"),
        pl.Series(LABELS).cast(pl.Boolean),
    ],
)
def test_zeros_and_ones_of_any_type_are_labels(labels):
    assert ScoreTable.from_arrays(SCORES, labels) == ScoreTable.from_arrays(SCORES, LABELS)


def test_scores_on_any_scale_are_fine_where_only_their_order_or_a_sigmoid_matters():
    logits = np.array([-5.0, -1.0, 0.5, 30.0])
    for method in ("isotonic", "isotonic-cf", "hist-2", "platt"):
        assert 0 <= ef.from_scores(logits, LABELS, method=method, rng=0).value <= 0.5


def test_inputs_are_not_modified_and_global_random_state_is_not_touched(rng):
    scores, labels = rng.random(50), rng.random(50) < 0.5
    positives, totals = rng.integers(0, 4, 50), np.full(50, 3)
    arrays = (scores, labels, positives, totals)
    before = [array.copy() for array in arrays]
    state = np.random.get_state()  # noqa: NPY002
    ef.compare(scores, labels, methods=["isotonic", "hist-3", "beta", "platt"], interval="basic")
    ef.calibrate(scores, labels, method="beta")
    ef.from_votes(positives, totals)
    ef.from_soft_labels(scores, interval="betting")
    ef.feebee(scores, labels, model_error=0.4, levels=3)
    for array, copy in zip(arrays, before, strict=True):
        assert np.array_equal(array, copy)
        assert array.flags.writeable
    after = np.random.get_state()  # noqa: NPY002
    assert all(np.array_equal(a, b) for a, b in zip(state, after, strict=True))
