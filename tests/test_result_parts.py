"""Parts of results that are computed from what they hold, with numbers by hand."""

import csv

import numpy as np
import pytest

import errorfloor as ef
from errorfloor.results.confusion import Confusion
from errorfloor.results.feebee import Difference
from errorfloor.results.plan import Option, Plan


@pytest.mark.parametrize(
    ("low", "high", "clear"),
    [
        (-0.1, 0.1, False), (0.0, 0.1, False), (-0.1, 0.0, False), (0.01, 0.1, True),
        (-0.1, -0.01, True), (None, None, False),
    ],
)  # fmt: skip
def test_a_difference_is_clear_where_its_limits_leave_0_out(low, high, clear):
    assert Difference("a", "b", 0.0, low, high, 0.95).is_clear is clear


def test_levels_of_feebee_are_95_per_cent_unless_said_otherwise():
    estimates = {name: np.array([[0.1, 0.5], [0.2, 0.4]]) for name in ("a", "b", "oracle")}
    found = ef.FeeBeeResult(
        model_error=0.1, n=9, noise=np.array([0.0, 1.0]), estimates=estimates, classes=4
    )
    levels = (found.difference("a"), *found.differences(), found.curve("b"), found["a"].excess)
    assert {one.level for one in levels} == {0.95}
    assert found.to_dict()["level"] == 0.95
    assert [(one.first, one.second) for one in found.differences()] == [("a", "b")]
    assert found.bounds[0].tolist() == [0, 0.75]
    assert found.bounds[1].tolist() == [0.1, 0.75]
    once = ef.FeeBeeResult(
        model_error=0.1,
        n=9,
        noise=np.array([0.0, 1.0]),
        estimates={name: one[:1] for name, one in estimates.items()},
    )
    assert (once.curve("a").low, once["a"].standard_error, once.repeats) == (None, None, 1)
    assert (found.repeats, found.classes, once.classes) == (2, 4, 2)


def test_pairs_of_classes_come_by_their_share_of_the_errors():
    errors = np.array([[0, 0.02, 0.01, 0], [0.02, 0, 0.02, 0], [0.03, 0.0, 0, 0], [0, 0, 0, 0]])
    found = Confusion(classes=tuple("abcd"), errors=errors, method="m", n=50, basis="")
    assert found.value == pytest.approx(0.1)
    np.testing.assert_allclose(found.shares, [0.3, 0.4, 0.3, 0])
    told = [(one.to_dict()) for one in found]
    assert [tuple(one.values())[:2] for one in told] == [("a", "b"), ("c", "a"), ("b", "c")]
    numbers = [tuple(one.values())[2:] for one in told]
    np.testing.assert_allclose(numbers, [(0.4, 0.2, 0.2), (0.4, 0.3, 0.1), (0.2, 0.2, 0.0)])
    none = Confusion(classes=("a", "b"), errors=np.zeros((2, 2)), method="m", n=5, basis="")
    assert (none.value, none.shares.tolist(), len(none)) == (0, [0, 0], 0)


def test_the_best_option_is_the_cheapest_and_the_first_of_equals():
    def best(*costs):
        options = tuple(Option(m, 100, cost) for m, cost in enumerate(costs))
        plan = Plan(
            votes=np.array([2]), items=np.array([100]), width=np.array([[0.1]]),
            bias=np.zeros(1), floor=0.1, level=0.95, target=0.1, options=options,
        )  # fmt: skip
        assert plan.classes == 2
        return plan.best

    assert best(3.0, 1.0, 2.0, 1.0).votes == 1
    assert best() is None


def test_the_ten_hardest_items_are_shown():
    found = ef.items([0, 1, 2, 3] * 5, totals=3)
    assert found.hardest().size == 10
    assert found.hardest(3).tolist() == found.hardest().tolist()[:3]
    assert set(found.rank[found.hardest()]) == {1}
    assert "count" not in found.columns
    counted = ef.items(ef.VoteTable.from_arrays([0, 1, 1, 3], 3))
    assert sorted(counted.columns["count"].tolist()) == [1, 1, 2]


def test_a_verdict_counts_errors_to_the_nearest_whole_number():
    found = ef.headroom(0.1, model_error=0.126, n=1000)
    assert (found.errors, found.model_value) == (126, 0.126)
    assert found.same_labelling is False


def test_items_to_label_come_first_and_have_the_chance_that_their_weight_stands_for(tmp_path):
    labels = [0, 1, *[None] * 38]
    plan = ef.plan_labels(np.linspace(0.01, 0.99, 40), labels, budget=5, rng=0)
    with plan.to_csv(tmp_path / "plan.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [int(row["row"]) for row in rows] == [*plan.rows.tolist(), 0, 1]
    assert [row["label"] for row in rows] == [*[""] * 5, "0", "1"]
    for row in rows:
        assert float(row["probability"]) * float(row["weight"]) == pytest.approx(1)
        assert float(row["weight"]) == plan.weight[int(row["row"])]
        assert float(row["score"]) == plan.scores[int(row["row"])]
    assert (plan.budget, plan.labelled, plan.n) == (5, 2, 40)
