"""Which classes no model can tell apart, against errors counted one item at a time."""

import dataclasses
import json

import numpy as np
import pytest

import errorfloor as ef
from benchmarks import confusion as study
from errorfloor.checks.scores import better_order
from errorfloor.questions.confusion import chosen
from errorfloor.show.plot import height_of

PLAIN = pytest.mark.filterwarnings("ignore::errorfloor.DoubtWarning")


def soft_table(p, classes):
    rows, counts = np.unique(p, axis=0, return_counts=True)
    return ef.SoftTable(rows, counts, classes=classes)


@pytest.fixture(scope="module")
def three():
    p = np.random.default_rng(1).dirichlet([0.5, 1, 2], size=200)
    return p, soft_table(p, ("ant", "bee", "cat"))


def test_errors_of_soft_labels_are_those_of_each_item(three):
    p, table = three
    slow = np.zeros((3, 3))
    for item in p:
        best = int(np.argmax(item))
        for true in range(3):
            if true != best:
                slow[true, best] += item[true] / len(p)
    found = ef.confusion(table)
    np.testing.assert_allclose(found.errors, slow, atol=1e-14)
    assert found.value == pytest.approx(ef.from_soft_labels(table, interval=None).value)
    assert found.shares.sum() == pytest.approx(1)
    assert sum(pair.share for pair in found.pairs) == pytest.approx(1)
    assert [pair.share for pair in found] == sorted((pair.share for pair in found), reverse=True)
    for pair in found:
        first, second = (found.classes.index(name) for name in (pair.first, pair.second))
        assert pair.first_as_second == pytest.approx(slow[first, second] / found.value)
        assert pair.first_as_second >= pair.second_as_first


@PLAIN
@pytest.mark.parametrize(("votes", "near"), [(3, 0.045), (5, 0.03), (10, 0.02)])
def test_majorities_of_few_votes_do_not_hide_the_errors_of_close_classes(votes, near):
    name = "8 classes, two of them close"
    true, plain, own = study.shares(name, votes, 3, study.ITEMS).mean(axis=0)
    assert own == pytest.approx(true, abs=near)
    assert plain < own - 0.01


@PLAIN
def test_a_small_study_of_confusion_has_all_settings():
    page = study.document(2, 200)
    assert page.count("\n| ") == 2 + len(study.SETTINGS) * len(study.VOTES)
    assert "nan" not in page


@PLAIN
def test_shares_from_votes_and_labels_are_called_estimates(three):
    rng = np.random.default_rng(0)
    votes = ef.confusion(ef.from_votes(counts=rng.multinomial(3, three[0]), interval=None))
    assert votes.sentence.startswith("An estimated ")
    assert "too small" in votes.basis
    assert votes.to_dict()["estimated"] is True
    labels = (three[0].cumsum(axis=1) > rng.random((200, 1))).argmax(axis=1)
    scores = ef.confusion(ef.from_scores(three[0], labels, interval=None))
    assert ", an estimated " in scores.sentence
    known = ef.confusion(three[1])
    assert known.to_dict()["estimated"] is False
    assert "estimated" not in known.sentence


def test_equal_chances_are_shared():
    np.testing.assert_allclose(
        chosen(np.array([[0.4, 0.4, 0.2], [0.1, 0.2, 0.7], [1 / 3, 1 / 3, 1 / 3]])),
        [[0.5, 0.5, 0], [0, 0, 1], [1 / 3] * 3],
    )
    found = ef.confusion(ef.SoftTable([[0.5, 0.5, 0.0]], [20]))
    np.testing.assert_allclose(found.errors, [[0, 0.25, 0], [0.25, 0, 0], [0, 0, 0]])


@PLAIN
def test_two_classes_have_one_pair():
    found = ef.confusion(ef.SoftTable.from_arrays([0.1, 0.4, 0.8] * 20))
    assert len(found) == 1
    assert found.sentence == "All errors that any model makes confuse 1 with 0."
    scores = ef.ScoreTable.from_arrays([0.1, 0.2, 0.8, 0.9] * 30, [0, 0, 1, 0] * 30)
    found = ef.confusion(ef.from_scores(scores, rng=0))
    assert found.value == pytest.approx(0.25)  # isotonic makes coin flips of 0.8 and 0.9
    np.testing.assert_allclose(found.errors, [[0, 0.125], [0.125, 0]])


@PLAIN
def test_floors_without_a_map_have_the_errors_of_the_map_that_is_shown_for_them():
    rng = np.random.default_rng(0)
    scores = rng.random(200)
    labels = rng.random(200) < scores
    plain = ef.confusion(ef.from_scores(scores, labels, method="isotonic", interval=None))
    slow = ef.from_scores(scores, labels, method="isotonic-cf", interval=None)
    assert np.array_equal(ef.confusion(slow).errors, plain.errors)
    assert ef.confusion(slow).method == "isotonic"
    own = dataclasses.replace(slow, method="my own")
    assert np.array_equal(ef.confusion(own).errors, plain.errors)


def test_no_errors_are_said_to_be_none():
    found = ef.confusion(ef.SoftTable([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]], [2, 3]))
    assert found.value == 0
    assert not found.pairs
    assert "no errors" in str(found)
    ef.plot.confusion(found).figure.clear()


def test_all_of_it_is_plain_values(three):
    found = ef.confusion(three[1])
    said = json.loads(json.dumps(found.to_dict()))
    assert said["classes"] == ["ant", "bee", "cat"]
    assert len(said["pairs"]) == len(found.to_frame()) == 3
    assert found.sentence in str(found)
    assert found.sentence in found._repr_html_().replace("\xa0", " ")


def test_what_is_no_floor_is_refused(three):
    with pytest.raises(ef.InputError, match="must be a floor with its table, or data"):
        ef.confusion([0.2, 0.3])
    floor = ef.from_soft_labels(three[1], interval=None)
    with pytest.raises(ef.InputError, match="goes with data"):
        ef.confusion(floor, group="year")
    bare = ef.Estimate(value=0.1, method="clean", interval=None, n=1, assumptions="")
    with pytest.raises(ef.InputError, match="lost its table"):
        ef.confusion(bare)


def test_the_report_has_the_classes(three, tmp_path):
    floor = ef.from_soft_labels(three[1], rng=0)
    page = ef.report(floor, tmp_path / "page.md").read_text()
    found = ef.confusion(floor)
    assert "## The classes" in page
    assert found.sentence in page
    assert "Which classes are confused most" in page
    said = json.loads(ef.report(floor, tmp_path / "page.json").read_text())
    assert said["confusion"]["pairs"][0]["first"] == found.pairs[0].first


def test_pictures_are_squares_or_bars(three):
    ax = ef.plot.confusion(ef.confusion(three[1]))
    assert [text.get_text() for text in ax.get_yticklabels()] == ["ant", "bee", "cat"]
    assert ax.get_ylabel() == "true class"
    p = np.random.default_rng(2).dirichlet(np.full(20, 0.2), size=300)
    many = ef.confusion(soft_table(p, [f"class {k}" for k in range(20)]))
    bars = ef.plot.confusion(many)
    first = many.pairs[0]
    assert bars.get_yticklabels()[0].get_text() == f"{first.first} / {first.second}"
    assert bars.patches[0].get_width() == pytest.approx(100 * first.first_as_second)
    assert height_of(many) > height_of(ef.confusion(three[1]))
    for one in (ax, bars):
        one.figure.clear()


def labelled(p, scores, rng):
    y = (p.cumsum(axis=1) > rng.random((len(p), 1))).argmax(axis=1)
    counts = np.zeros(p.shape, dtype=np.int64)
    counts[np.arange(len(p)), y] = 1
    return scores, counts


@pytest.mark.parametrize("classes", [3, 10])
def test_columns_in_another_order_are_found(classes):
    rng = np.random.default_rng(3)
    p = rng.dirichlet(np.full(classes, 0.5), size=500)
    order = np.roll(np.arange(classes), 1)
    found, lead, noise = better_order(*labelled(p, p[:, order], rng))
    np.testing.assert_array_equal(order[found], np.arange(classes))
    assert lead > 7 * noise


@pytest.mark.parametrize("weight", [1.0, 30.0])
def test_weights_of_classes_are_no_other_order(weight):
    rng = np.random.default_rng(4)
    s = rng.dirichlet([0.5] * 3, size=1000)
    p = s * [weight, 1, 1]
    p /= p.sum(axis=1, keepdims=True)
    assert better_order(*labelled(p, s, rng))[0] is None
