"""A small version of the study of claims, results/claims.md, and the truths it is held against."""

import re
import warnings

import numpy as np
import pytest

import errorfloor as ef
from benchmarks import claims, claims_verdicts
from benchmarks.claims_classes import CLASSES, _error, best_weights
from benchmarks.claims_limits import Cell, Question, cells_of, errors_table, misses
from benchmarks.claims_truth import (
    CEILINGS,
    COMPLETE,
    COSTS,
    GOLD,
    NO_CUT,
    PARTIAL,
    VALUES,
    Population,
)
from errorfloor.metrics.choice import MetricChoice
from errorfloor.show.text import long_text_of

EVERY = (*PARTIAL, *NO_CUT, *GOLD, *COMPLETE)
PAGE = claims.DOCUMENT


@pytest.fixture(autouse=True)
def _doubts_are_welcome():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ef.ErrorFloorWarning)
        yield


@pytest.mark.parametrize("setting", EVERY, ids=lambda one: f"{one.name}-{one.votes}")
def test_truths_are_those_of_the_draws(setting):
    scores, labels, true = setting.draw(np.random.default_rng(0), 40_000)
    near = 4 * 0.5 / 200
    floor = np.minimum(true, 1 - true).mean()
    assert floor == pytest.approx(setting.known.best("error"), abs=near)
    assert np.mean((true > 0.5) != labels) == pytest.approx(floor, abs=near)
    assert np.mean(labels) == pytest.approx(setting.seen.ones.sum(), abs=near)
    drawn = Population.of(scores, np.full(scores.size, 1 / scores.size), true)
    for metric in VALUES:
        truth = setting.seen.best(metric)
        assert drawn.best(metric) == pytest.approx(truth, abs=0.03), metric
        better = setting.known.best(metric) - truth
        assert (better if metric in CEILINGS else -better) >= -1e-9, metric


def test_values_of_populations_are_those_of_the_metrics():
    for setting in (*PARTIAL, *COMPLETE):
        items = setting.known  # in the order of the probabilities, as the package has them
        for metric in VALUES:
            given = {"costs": COSTS} if metric == "cost" else {}
            expected = MetricChoice(metric, **given).of(2).best(items.chances, items.shares)
            assert items.best(metric) == pytest.approx(expected, abs=1e-3), metric


@pytest.mark.parametrize("setting", CLASSES, ids=lambda one: one.name)
def test_truths_of_classes_are_those_of_the_draws(setting):
    scores, labels, true = setting.draw(np.random.default_rng(0), 40_000)
    truth, near = setting.truth("error"), 4 * 0.5 / 200
    assert np.mean(true.argmax(axis=1) != labels) == pytest.approx(truth.any_model, abs=near)
    weights = np.log(setting.priors)
    chosen = (np.log(scores) + weights).argmax(axis=1)
    assert np.mean(chosen != labels) == pytest.approx(truth.rule, abs=near)
    if len(setting.priors) == 3:  # with the labels themselves as probabilities
        first = np.log(scores[:5000]), np.eye(3)[labels[:5000]]
        assert _error(*first, best_weights(*first)) <= _error(*first, weights)


# 60 data sets of 300 items: a limit that holds in 0.975 of them misses more than six once in 3,000.
@pytest.mark.parametrize("setting", [PARTIAL[0], PARTIAL[4], NO_CUT[2], GOLD[0]])
def test_limits_that_are_claimed_hold_where_scores_see_part_of_what_matters(setting):
    questions = (Question(), Question(interval="certified"), Question("auc"), Question("f1"))
    for cell in cells_of(setting, 300, questions, 60):
        assert cell.holds_rule.sum() >= 54, cell.name
        assert cell.holds_any.all(), cell.name
        if setting is PARTIAL[0]:  # and the other limit is no limit of a model that sees more
            assert cell.past_any.mean() > 0.9, cell.name


def test_both_limits_of_complete_scores_hold_the_truth():
    for cell in cells_of(COMPLETE[0], 300, [Question(complete=True)], 60):
        assert (cell.holds_rule & ~cell.past_any).sum() >= 54


def test_limits_that_miss_are_named_with_what_other_data_sets_say():
    setting = GOLD[0]
    truth = setting.truth("error").rule
    wrong = Cell(setting, 200, Question(), np.zeros(10), np.full(10, truth - 0.01))
    right = Cell(setting, 200, Question(), np.zeros(10), np.full(10, truth))
    text = misses([[wrong], [right]])
    name = re.escape("beta(0.8, 0.8), 3 votes, 200 items, error")
    assert re.match(rf"The least share is 0\.000 \({name}\)\. 1 of 2 shares are below 0\.975", text)
    assert re.search(rf"0\.000, then (0\.9\d\d|1\.000) \(0\.0\d\d\) \({name}\)\.$", text)
    assert "None is below 0.975" in misses([[right]])
    line = errors_table([[wrong]], "best cut", votes=True).splitlines()[-1]
    assert "| 0.000 (0.000) | 1.000 (0.000) | 0.000 (0.000) |" in line


def test_no_sentence_on_a_model_beside_scores_says_too_much():
    record = claims_verdicts.Record()
    for setting in (PARTIAL[0], NO_CUT[0], GOLD[0], CLASSES[0]):
        claims_verdicts.on_other_items(setting, 300, 5, record)
    claims_verdicts.by_other_metrics(PARTIAL[0], 300, 3, record)
    claims_verdicts.on_the_same_items(300, 2, record)
    assert record.texts > 300
    assert record.too_much == 0
    assert {name for found in record.verdicts.values() for name in found} == {
        *("room", "matches", "better"),
    }
    copies = record.verdicts[claims_verdicts.COPIES, 300]
    assert copies == {"better": copies.total()}
    # The same models next to scores that are declared complete are accused, and that is seen.
    scores, labels, _ = PARTIAL[0].draw(np.random.default_rng(0), 300)
    verdict = ef.headroom(ef.from_scores(scores, labels, complete=True, rng=0), 0, 300)
    assert claims_verdicts.says_too_much(verdict.sentence)
    assert claims_verdicts.says_too_much(long_text_of(verdict))
    assert claims_verdicts.declared(PARTIAL[0], 1000, 5) == {"beyond": 5}


@pytest.mark.parametrize(("setting", "name", "model", "better"), claims_verdicts.PAIRS)
def test_what_scores_miss_is_found_and_seldom_where_nothing_is_missed(setting, name, model, better):
    n = 2000 if name == "the best rule, no cut" else 500
    information = claims_verdicts.informed(setting, model, n, 40)
    # With a probability of 0.025 each, more than five of 40 come once in 2,000.
    assert information.sum() >= 34 if better else information.sum() <= 5


def test_the_committed_page_has_no_sentence_that_says_too_much():
    page = PAGE.read_text(encoding="utf-8")
    assert claims.wrapped(page) == page
    text = " ".join(page.split())
    sets, said = re.search(r"texts on ([\d,]+) data sets, .*? items, ([\d,]+) say", text).groups()
    assert int(sets.replace(",", "")) >= 1000
    assert said == "0"
    assert '0 verdicts are "beyond"' in text
