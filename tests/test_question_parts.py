"""Parts of questions that only seldom decide, each against plain code or numbers by hand."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtr

import errorfloor as ef
from errorfloor.data.ballots import Ballots
from errorfloor.intervals.models import OnScale, Wilson
from errorfloor.metrics.choice import MetricChoice
from errorfloor.questions import headroom, models, partly, plan
from errorfloor.questions.annotators import rows_of
from errorfloor.questions.features import beside
from errorfloor.questions.headroom import Gap
from errorfloor.questions.models import FEW, Model
from errorfloor.questions.plan_labels import _Task

# Annotators


def test_guessers_are_found_on_one_half_of_the_items_and_left_out_of_the_other():
    rng = np.random.default_rng(3)
    item, who = np.repeat(np.arange(150), 5), np.tile(np.arange(25), 30)
    truth = np.repeat(rng.random(150) < 0.5, 5)
    vote = np.where(who % 3 == 0, rng.random(750) < 0.5, truth ^ (rng.random(750) < 0.05))
    rows = pd.DataFrame({"item": item, "annotator": who, "vote": vote.astype(int)})
    found = ef.annotators(rows, item="item", annotator="annotator", vote="vote")

    ballots = Ballots.of(rows["item"], rows["annotator"], rows["vote"])
    # Items are numbered by their names as text.
    texts = sorted({str(one) for one in item})
    half = np.array([ballots.half[texts.index(str(one))] for one in item])
    everyone, without, left = [], [], []
    for here in (half, ~half):
        there = rows[~here]
        chosen = Ballots.of(*(rows[here][name] for name in ("item", "annotator", "vote")))
        fine = {int(row.annotator) for row in rows_of(chosen, 0.95) if not row.may_guess}
        stay = there[there["annotator"].isin(fine)]
        everyone.append(ef.from_votes(there, item="item", vote="vote").value)
        without.append(ef.from_votes(stay, item="item", vote="vote").value)
        left.append(1 - len(stay) / len(there))
    assert found.everyone == pytest.approx(np.mean(everyone), abs=1e-9)
    assert found.without == pytest.approx(np.mean(without), abs=1e-9)
    assert found.left_out == pytest.approx(np.mean(left))
    assert 0 < found.left_out < 1
    assert found.without < found.everyone


# What is refused before and after data are read


def test_methods_are_refused_before_a_file_is_looked_for(tmp_path):
    with pytest.raises(ef.InputError, match="`method` must be one of"):
        ef.compare(tmp_path / "missing.csv", methods=["isotonic", "nonsense"])


def test_maps_that_need_probabilities_refuse_tables_of_other_scores():
    table = ef.ScoreTable.from_arrays([-1.0, 0.2, 3.0, 0.5], [0, 1, 1, 0])
    with pytest.raises(ef.InputError, match=r"`scores` must lie in"):
        ef.calibrate(table, method="beta")
    assert ef.calibrate(table, method="isotonic")([3.0]) == [1]


# Verdicts


@dataclass(frozen=True)
class Steps:
    """Limits that are apart from 0 up to a tail, and there just touch it."""

    value: float
    least_tail: float
    method: str = "steps"

    def limits(self, level):
        tail = (1 - level) / 2
        half = self.value if tail <= self.least_tail * (1 + 1e-9) else 0.0
        return self.value - half, self.value + half


def test_limits_that_touch_are_not_apart():
    # The largest number of deviations that is tried is 7: there the limits touch.
    gap = Gap(0.1, Steps(0.1, ndtr(-7.0)), 0.0, Steps(0.0, 0.0), True)
    tail = gap.p_values(0.95)[0]
    assert tail > ndtr(-7.0) * 1.01
    assert tail == pytest.approx(ndtr(-7.0), rel=0.05)


@pytest.mark.parametrize(("p", "verdict"), [((1 - 0.95) / 2, "room"), (0.0250001, "saturated")])
def test_a_test_at_its_level_has_found_room(p, verdict):
    @dataclass(frozen=True)
    class Found:
        p: float
        method: str = "found"

    floor = ef.from_votes([0, 1, 2, 3] * 25, 3)
    model = Model(0.4, 100, Wilson(0.4, 100))
    assert headroom.beside(floor, model, 0.95, True, Found(p)).verdict == verdict


@pytest.mark.parametrize(
    ("matrix", "kind"),
    [
        ([[FEW, 4], [3, FEW - 3]], OnScale),
        ([[FEW, 4], [3, FEW - 4]], Wilson),
        ([[FEW, 0], [0, FEW]], Wilson),
        ([[0, FEW], [FEW, 0]], Wilson),
    ],
)
def test_mcc_of_few_items_or_without_errors_has_limits_by_wilson(matrix, kind):
    model = models.from_confusion(MetricChoice("mcc").of(2), np.array(matrix), {})
    assert type(model.evidence) is kind


def test_labelled_items_are_refused_below_a_chance_and_not_at_it(monkeypatch):
    table = ef.ScoreTable.from_arrays([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1])
    object.__setattr__(table, "unlabelled", table.items)
    monkeypatch.setattr(partly, "largest_difference", lambda _: (0.2, partly.LEVEL))
    partly.check_alike(table)
    monkeypatch.setattr(partly, "largest_difference", lambda _: (0.2, 0.99 * partly.LEVEL))
    with pytest.raises(
        ef.InputError, match=r"by up to 20(\.00)? % of the items, which chance does in 0\.0001"
    ):
        partly.check_alike(table)


@pytest.mark.parametrize(("level", "findings"), [(0.9, 1), (0.96, 0)])
def test_floors_contradict_where_limits_with_half_of_the_risk_are_apart(level, findings):
    @dataclass(frozen=True)
    class Apart:
        """Limits that are apart up to a level of 0.97."""

        value: float
        method: str = "apart"

        def limits(self, level):
            return (self.value - level, self.value + level)

    rng = np.random.default_rng(0)
    own = ef.from_features(rng.normal(size=(60, 2)), rng.integers(0, 2, 60), rng=0)
    found = replace(own, evidence=Apart(0.0), interval=replace(own.interval, level=level))
    floor = replace(ef.from_votes([0, 1, 2] * 20, 2), evidence=Apart(1.94))
    assert len(beside(found, floor, same=False).findings) == findings + len(found.findings)


# Plans


def test_as_many_labels_are_bought_as_make_the_interval_so_wide():
    class Half(_Task):
        """The width is 1 / labels, to the bit at powers of two."""

        def __init__(self):
            self.open = np.array([64])

        def width(self, budget, by_score, seed):
            return 1 / budget

    assert Half().needed(1 / 8, True, 0) == 8
    assert Half().needed(1 / 64, True, 0) == 64
    with pytest.raises(ef.InputError, match=r"`width` 0\.0156 is narrower than 64 labels make it"):
        Half().needed(0.0156, True, 0)


def test_items_are_counted_whole_only_where_votes_are_bet_on_one_by_one(monkeypatch):
    seen = []
    monkeypatch.setattr(
        "errorfloor.intervals.votes.region.many_likelihood_limits",
        lambda votes, items, level: seen.append(items) or (0.0, 1.0),
    )
    monkeypatch.setattr(plan, "MOST_VOTES_USED", 3)
    pilot = plan.ManyVotes.of(ef.VoteTable.from_arrays([[2, 0, 1], [1, 1, 1], [0, 3, 0]]))
    pilot.width(0.9, 3, 1001)
    pilot.width(0.9, 4, 1001)
    assert [items.dtype.kind for items in seen] == ["f", "i"]


# Metrics of merged rows


def test_with_a_given_prior_merged_rows_move_the_form_that_moves_more():
    prior = np.array([0.7, 0.3])
    metric = MetricChoice("balanced-error", prior=prior).of(2)
    rng = np.random.default_rng(0)
    lows = rng.random(6) * 0.6
    highs = lows + rng.random(6) * 0.3
    p, counts = (lows + highs) / 2, rng.integers(1, 9, 6)

    def rest(q):
        return np.minimum(q / prior[1], (1 - q) / prior[0]) / 2

    def most(q):
        return 1 - np.maximum(q / prior[1], (1 - q) / prior[0]) / 2

    places = np.linspace(lows, highs, 4001)
    means = [
        counts @ np.abs(form(places) - form(p)).max(axis=0) / counts.sum() for form in (rest, most)
    ]
    assert abs(means[0] - means[1]) > 0.003
    assert metric.moved(p, lows, highs, counts) == pytest.approx(max(means), abs=1e-4)
