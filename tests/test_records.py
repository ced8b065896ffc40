"""A new method and a new interval are one entry each in the tables of records."""

import re
import runpy
from dataclasses import dataclass

import numpy as np
import pytest
from click.testing import CliRunner
from frozen import answers, changed, kept, newer, product

import errorfloor as ef
from errorfloor import intervals, methods
from errorfloor.data.tables import ScoreTable, SoftTable, VoteTable
from errorfloor.datasets.synthetic import gaussian_mixture
from errorfloor.intervals.record import IntervalKind
from errorfloor.methods.record import Basis, Calibration, Method, Series, Shape
from errorfloor.metrics import ERROR, METRICS
from errorfloor.show import palette

KINDS = (ScoreTable.kind, VoteTable.kind, SoftTable.kind)


class MajorityFloor:
    """The share of the rarer class, whatever the scores."""

    def __init__(self, cells):
        self.positive = cells.positive
        self.count = cells.count

    def values(self, counts, _):
        share = counts[:, self.positive].sum(axis=1) / counts.sum(axis=1)
        return ERROR.per_item(share)

    def leave_one_out(self):
        return self.values(self.count - np.eye(len(self.count), dtype=np.int64), None)


def fit(table, options):
    share = np.full(len(table), table.positives.sum() / table.n)
    return Calibration("majority", table, share, {}, lambda scores: share[:1].repeat(scores.size))


MAJORITY = Method(
    name="majority",
    reads=ScoreTable.kind,
    bind=lambda cells, options: MajorityFloor(cells),
    bases=frozenset({Basis.CUTS, Basis.ITEMS}),
    interval="plus-minus-one",
    assumes="The scores say nothing",
    if_wrong="too high",
    explains="Every item gets the class that most items have.",
    references=("A. Toy, 2026.",),
    shape=Shape.CURVE,
    colour="sky",
    fit=fit,
)


@dataclass(frozen=True)
class OnePoint:
    value: float
    method: str = "plus-minus-one"

    def limits(self, level):
        return self.value - 0.01, self.value + 0.01


PLUS_MINUS_ONE = IntervalKind(
    name="plus-minus-one",
    basis=Basis.CUTS,
    make=lambda case: OnePoint(case.value),
    promise="One point to either side, and no promise.",
    in_short="one point",
    proof="none",
    references=("B. Toy, 2026.",),
)


@pytest.fixture
def toys(monkeypatch):
    """Add one entry to each table."""
    monkeypatch.setattr(methods, "RECORDS", (*methods.RECORDS, MAJORITY))
    monkeypatch.setattr(intervals, "RECORDS", (*intervals.RECORDS, PLUS_MINUS_ONE))


@pytest.fixture(scope="module")
def data():
    return gaussian_mixture(500, rng=3).corrupted(2, 0.7)


def test_a_new_method_and_interval_answer_at_once(toys, data):
    found = ef.from_scores(data.scores, data.labels, method="majority", rng=0)
    share = data.labels.mean()
    assert found.value == pytest.approx(min(share, 1 - share))
    assert (found.low, found.high) == pytest.approx((found.value - 0.01, found.value + 0.01))
    assert found.interval_method == "plus-minus-one"
    assert found.assumptions == "The scores say nothing."
    # The interval goes with the other methods too, and other intervals with the method.
    assert ef.from_scores(data.scores, data.labels, interval="plus-minus-one").level == 0.95
    resampled = ef.from_scores(data.scores, data.labels, method="majority", interval="bca", rng=0)
    assert resampled.replicates.size == 1000


def test_they_are_among_those_that_are_compared_and_scored(toys, data):
    rows = ef.compare(data.scores, data.labels, rng=0, n_resamples=20)
    with pytest.raises(KeyError, match=r"'minority' was not compared; there are .*majority"):
        rows["minority"]
    assert rows["majority"].interval_method == "plus-minus-one"
    noisy = ef.feebee(data.scores, data.labels, model_error=0.3, levels=3, repeats=2, rng=0)
    assert noisy["majority"].score >= 0
    assert ef.calibrate(data.scores, data.labels, method="majority").floor == pytest.approx(
        rows["majority"].value
    )


def test_they_are_in_the_help_and_in_what_the_command_prints(toys, data, tmp_path):
    from errorfloor.apps.cli.commands import cli

    run = CliRunner().invoke
    words = " ".join(run(cli, ["estimate", "--help-all"]).output.split())
    words = words.replace("- ", "-")  # lines break behind hyphens
    assert "majority" in words
    assert "plus-minus-one" in words.replace("- ", "-")  # lines may end at a hyphen
    path = tmp_path / "scores.csv"
    rows = "".join(f"{s},{int(y)}\n" for s, y in zip(data.scores, data.labels, strict=True))
    path.write_text(f"score,label\n{rows}")
    printed = run(cli, ["estimate", str(path), "--method", "majority"]).output
    assert "(n = 500, method majority, plus-minus-one interval)" in printed


def test_they_are_in_the_report_and_its_picture(toys, data, tmp_path):
    found = ef.from_scores(data.scores, data.labels, method="majority", rng=0)
    page = ef.report(found, tmp_path / "report.html").read_text(encoding="utf-8")
    for text in (MAJORITY.explains, PLUS_MINUS_ONE.promise, "A. Toy, 2026.", "B. Toy, 2026."):
        assert text in page
    forest = re.search(r'<svg[^>]*aria-labelledby="forest-broad-title.*?</svg>', page, re.DOTALL)
    assert forest is not None
    assert "majority" in forest[0]
    assert palette.colour("majority") == palette.SKY


@pytest.mark.parametrize("name", ["scores, seven items", "feebee, merged rows, outside 0 to 1"])
def test_they_change_no_question_of_version_0_1_0(toys, monkeypatch, name):
    monkeypatch.setattr(ef, "METHODS", (*ef.METHODS, MAJORITY.name))
    asked = runpy.run_path(answers.__file__)["MADE"]  # read while they are there
    assert list(asked) == list(changed.MADE)
    assert not list(changed.changes(name, asked[name]))


@pytest.mark.parametrize(
    ("module", "part"),
    [(newer, "feebee, balanced"), (product, "compare, scores, two, 60 tied, plain")],
    ids=["newer", "product"],
)
def test_they_change_no_other_question_that_is_kept(toys, module, part):
    read, answers = runpy.run_path(module.__file__), kept.read(module.PATH)
    names = [name for name in answers if name.startswith(part)]
    assert names
    for name in names:
        assert not list(module.changes(name, answers[name], read["answer"](name)))


def every_method():
    return [method for kind in KINDS for method in methods.every(kind, None, None)]


@pytest.mark.parametrize("method", every_method(), ids=lambda method: method.name)
def test_every_method_record_is_complete(method):
    assert method.interval in intervals.of(method)
    assert not method.assumes.endswith(".")  # intervals go on with the sentence
    assert method.explains.endswith(".")
    assert method.references
    assert method.colour in palette.PICTURE
    kind, classes = method.reads, method.classes
    assert methods.find(method.shown_as, kind, classes).fit is not None or kind != "scores"
    assert methods.find(method.name, kind, classes, method.metrics[0]).name == method.name


@pytest.mark.parametrize(
    "kind", intervals.RECORDS, ids=lambda kind: f"{kind.name}-{kind.basis.name}"
)
def test_every_interval_record_is_complete(kind):
    assert kind.promise.endswith(".")
    assert kind.references
    assert any(kind.basis in method.bases for method in every_method())


def test_names_are_given_once_for_each_kind_of_table():
    for kind in KINDS:
        names = methods.names(kind)
        assert len(set(names)) == len(names)
        assert methods.default(kind).name in names
    for method in every_method():
        bases = set(method.bases)
        if Basis.SMOOTH in bases:  # whose jackknife takes the place of that of any items
            assert intervals.of(method)["jackknife"].basis is Basis.SMOOTH
            bases -= {Basis.ITEMS}
        ours = [record.name for record in intervals.RECORDS if record.basis in bases]
        assert len(set(ours)) == len(ours)
    assert len({metric.name for metric in METRICS}) == len(METRICS)


def test_a_series_takes_any_number_from_one_on():
    series = next(record for record in methods.RECORDS if isinstance(record, Series))
    assert series.numbered("hist-7").name == "hist-7"
    assert series.numbered("hist-07") is None
    assert series.numbered("hist-0") is None
    assert series.numbered("beta-7") is None
    assert methods.known("hist-3").name == "hist-3"
    assert methods.known("my own") is None


def test_a_metric_knows_its_range_and_which_way_is_better():
    assert ERROR.span(2) == (0, 0.5)
    assert ERROR.span(4) == (0, 0.75)
    assert ERROR.gap(0.3, 0.1) == pytest.approx(0.2)
    two, three = np.array([0.2, 0.9]), np.array([[0.2, 0.3, 0.5], [0, 0, 1.0]])
    assert ERROR.per_item(two) == pytest.approx([0.2, 0.1])
    assert ERROR.per_item(three) == pytest.approx([0.5, 0])
    assert ERROR.best(two, np.array([1, 3])) == pytest.approx(0.125)
