"""What changes no answer, for every question that the records allow: laws.py has known breaches."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from helpers import answer as all_of
from laws import QUESTIONS, VALUES, agree, answer, is_fixed, law, numbers, plain, usual
from questions import Items

from errorfloor import intervals, metrics
from errorfloor.data.tables import ScoreTable, VoteTable
from errorfloor.methods.record import Basis, Classes
from errorfloor.metrics.two_by_two import F1

N = 150
RNG = np.random.default_rng(5)
WEIGHT = RNG.choice([0.5, 1.0, 3.0], N)
CLUSTER = RNG.integers(50, size=N)
ORDER = RNG.permutation(N)
SHARD = RNG.random(N) < 0.4
DESIGNS = {"weights": {"weight": WEIGHT}, "both": {"weight": WEIGHT, "cluster": CLUSTER}}
designs = pytest.mark.parametrize("beside", DESIGNS.values(), ids=DESIGNS)
TURNED = [2, 0, 1]  # the classes, in another order


def weighs(question):
    return question.weighs


def is_labelled(question):
    return not question.method.partly


def both(question):
    return weighs(question) and is_labelled(question)


def test_every_metric_and_interval_is_asked_for():
    assert {one.metric for one in QUESTIONS} == set(metrics.names())
    assert {one.interval for one in QUESTIONS} == set(intervals.names())


def test_questions_are_refused_only_where_data_or_metric_lack_something():
    refused = {str(one) for one in QUESTIONS if usual(one) is None}
    assert refused == {
        "votes, TWO, mixture, error, annotators",
        "votes, MANY, mixture, error, annotators",
        *(f"votes, TWO, mixture, {metric.name}, certified" for metric in metrics.METRICS
          if metric is not F1 and not metric.is_mean and not metric.needs),
    }  # fmt: skip


# Weights


@law(VALUES)
def test_weights_of_one_are_none(question):
    assert agree(numbers(question, weight=np.ones(N)), plain(question), 0)


@law()
def test_equal_weights_and_clusters_of_one_are_none(question):
    beside = {"weight": np.full(N, 7.0)}
    if is_labelled(question):
        beside["cluster"] = np.arange(N)
    found = answer(question, **beside)
    assert (found and all_of(found)) == (usual(question) and all_of(usual(question)))


@law(VALUES, weighs)
def test_weights_that_hardly_differ_hardly_change_the_value(question):
    weight = 1 + 1e-5 * np.random.default_rng(6).random(N)
    assert agree(numbers(question, weight=weight), plain(question), 1e-5)


@law(QUESTIONS, weighs)
def test_weights_that_hardly_differ_hardly_change_the_limits(question):
    weight = 1 + 1e-5 * np.random.default_rng(6).random(N)
    assert agree(numbers(question, weight=weight), plain(question), 1e-5)


@law(VALUES, lambda one: both(one) and is_fixed(one))
def test_clusters_leave_the_value_alone(question):
    assert agree(numbers(question, cluster=np.arange(N) // 2), plain(question))


@law(VALUES, lambda one: weighs(one) and is_fixed(one))
def test_an_item_of_weight_three_is_three_items(question):
    whole = np.random.default_rng(7).choice([1, 3], N)
    copies = question.items.taken(np.repeat(np.arange(N), whole))
    assert agree(numbers(question, weight=whole), numbers(question, copies))


# Order and shards


@law()
def test_the_order_of_items_changes_nothing(question):
    assert agree(numbers(question, question.items.taken(ORDER)), plain(question), 0)


@designs
@law(QUESTIONS, both)
def test_the_order_of_weighted_items_changes_nothing(question, beside):
    items = question.items.with_(**beside)
    assert agree(numbers(question, items.taken(ORDER)), numbers(question, items))


def shards_of(items):
    return items.taken(SHARD).table() + items.taken(~SHARD).table()


@law(where=is_labelled)
def test_shards_that_are_added_change_nothing(question):
    assert agree(numbers(question, shards_of(question.items)), plain(question), 0)


@law(QUESTIONS, both)
def test_shards_of_weighted_items_change_nothing(question):
    items = question.items.with_(weight=WEIGHT)
    assert agree(numbers(question, shards_of(items)), numbers(question, items))


# Classes


@law(VALUES, is_labelled)
def test_names_of_classes_change_nothing(question):
    names = ["no", "yes"] if question.classes is Classes.TWO else ["x", "y", "z"]
    assert agree(numbers(question, question.items.table(classes=names)), plain(question), 0)


def turned(question):
    """Return the items with their classes in another order, and the costs of these."""
    first, *rest = question.items.arrays
    many, votes = question.classes is Classes.MANY, question.kind == VoteTable.kind
    if many:
        first, rest = first[:, TURNED], [np.argsort(TURNED)[labels] for labels in rest]
    elif votes:
        first = rest[0] - first
    else:
        first, rest = 1 - first, [1 - labels for labels in rest]
    given = {}
    if question.metric == "cost":
        costs = np.array(question.options["costs"])
        given["costs"] = costs[np.ix_(TURNED, TURNED)] if many else costs[::-1]
    return Items(question.kind, (first, *rest), {}), given


def is_symmetric(question):
    """Tell whether no class counts more than another one."""
    return question.metric not in ("f1", "average-precision") and is_labelled(question)


@law(VALUES, lambda one: is_symmetric(one) and is_fixed(one))
def test_the_order_of_classes_leaves_the_value_alone(question):
    items, given = turned(question)
    assert agree(numbers(question, items, **given), plain(question))


@law(QUESTIONS, lambda one: is_symmetric(one) and not one.limits.is_random)
def test_the_order_of_classes_leaves_limits_alone_that_are_not_random(question):
    items, given = turned(question)
    assert agree(numbers(question, items, **given), plain(question))


@law(QUESTIONS, lambda one: one.classes is Classes.TWO)
def test_two_classes_with_a_column_each_are_two_classes(question):
    first, *rest = question.items.arrays
    if question.kind == VoteTable.kind:
        arrays = (np.column_stack((rest[0] - first, first)),)
    else:
        arrays = (np.column_stack((1 - first, first)), *rest)
    assert agree(numbers(question, Items(question.kind, arrays, {})), plain(question))


# Ways to bring data


# Data are read in the same way whatever is asked of them: one question of each kind is enough.
READ = tuple({(one.kind, one.classes): one for one in VALUES if both(one)}.values())


def framed(items):
    """Return items as a dataframe, and what its columns are."""
    first, *rest = items.arrays
    columns, options = dict(items.beside), {name: name for name in items.beside}
    names = ["first"] if first.ndim == 1 else ["a", "b", "c"]
    columns |= dict(zip(names, np.atleast_2d(first.T), strict=True))
    named = names if first.ndim == 2 else names[0]
    if items.kind == VoteTable.kind:
        options |= {"counts": named} if first.ndim == 2 else {"positives": named}
    else:
        options["score" if items.kind == ScoreTable.kind else "soft"] = named
    if rest:
        second = "totals" if items.kind == VoteTable.kind else "label"
        columns["last"] = rest[0]
        if first.ndim == 2:
            columns["last"] = [names[int(label)] for label in rest[0]]
        options[second] = "last"
    return pd.DataFrame(columns), options


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@law(READ)
def test_arrays_frames_files_and_saved_tables_agree(question, weighted, tmp_path):
    items = question.items.with_(weight=WEIGHT) if weighted else question.items
    frame, columns = framed(items)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    items.table().save(tmp_path / "table.npz")
    expected = question.ask(items, interval="auto")
    for data, named in (
        (items.table(), {}),
        (frame, columns),
        (tmp_path / "rows.csv", columns),
        (tmp_path / "table.npz", {}),
    ):
        found = question.ask(data, interval="auto", **named)
        assert (found.value, found.low, found.high) == (expected.value, expected.low, expected.high)
        assert replace(found.table, classes=expected.table.classes) == expected.table


@law(where=lambda one: one.kind == ScoreTable.kind and is_labelled(one))
def test_where_all_items_have_a_label_none_is_missed(question):
    assert agree(numbers(question, unlabelled=True), plain(question), 0)


# Seeds


@law(VALUES)
def test_only_values_that_are_cross_fitted_depend_on_the_seed(question):
    seeds = (0,) if is_fixed(question) else range(6)
    found = {float(question.ask(rng=seed).value) for seed in seeds}
    assert (found == {usual(question).value}) == is_fixed(question)


@law()
def test_one_seed_is_one_answer_and_any_seed_where_limits_are_not_random(question):
    seed = 3 if question.limits.is_random else 99
    assert agree(numbers(question, rng=seed), plain(question), 0)


def is_redrawn(kind):
    """Tell whether limits are random; groups of items to leave out are so only for many items."""
    return kind.is_random and not (kind.name == "jackknife" and kind.basis is Basis.ITEMS)


@pytest.mark.parametrize(
    "kind",
    [*filter(is_redrawn, intervals.RECORDS)],
    ids=lambda kind: f"{kind.name}-{kind.basis.name}",
)
def test_limits_that_are_random_change_with_the_seed(kind):
    asked = [one for one in QUESTIONS if one.limits is kind and usual(one)]
    assert any(not agree(numbers(one, rng=9), plain(one), 0) for one in asked)


@law()
def test_replicates_are_kept_where_an_interval_draws_them(question):
    found = usual(question)
    if found and found.interval_method == question.interval:
        assert (found.replicates is not None) == question.limits.resamples
