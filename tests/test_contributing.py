"""The recipes of CONTRIBUTING.md: each adds one record, which then answers."""

import gzip
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import errorfloor as ef
from errorfloor import intervals, methods, metrics
from errorfloor.data import files, formats
from errorfloor.data.layouts import LAYOUTS
from errorfloor.data.options import ReadOptions
from errorfloor.data.read import read
from errorfloor.methods.record import COLOURS, Options
from errorfloor.show import palette

PAGE = (Path(__file__).parent.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
RNG = np.random.default_rng(3)
SCORES = RNG.random(300)
LABELS = (RNG.random(300) < SCORES).astype(int)


def made(name):
    """Run the recipe that makes a record of that name, and return the record."""
    (code,) = (block for block in BLOCKS if re.search(rf"^{name} = ", block, re.MULTILINE))
    scope = {"__name__": "recipe"}
    exec(code, scope)
    return scope[name]


def test_the_page_is_short_and_has_five_recipes():
    assert len(BLOCKS) == 5
    assert len(PAGE.splitlines()) <= 200


def test_no_recipe_imports_the_table_that_will_import_it():
    tables = {"YOUDEN": "metrics", "MAJORITY": "methods", "PLUS_MINUS_ONE": "intervals",
              "BARS": "data.formats"}  # fmt: skip
    for name, table in tables.items():
        (code,) = (block for block in BLOCKS if f"\n{name} = " in block)
        assert f"from errorfloor.{table} import" not in code


def test_a_metric(monkeypatch):
    monkeypatch.setattr(metrics, "METRICS", (*metrics.METRICS, made("YOUDEN")))
    youden = ef.from_scores(SCORES, LABELS, metric="youden", interval=None).value
    balanced = ef.from_scores(SCORES, LABELS, metric="balanced-error", interval=None).value
    assert youden == pytest.approx(1 - 2 * balanced)
    worse = ef.headroom(ef.from_scores(SCORES, LABELS, metric="youden"), model_value=-0.2, n=300)
    assert worse.verdict == "room"
    assert worse.model_value == -0.2
    with pytest.raises(ef.InputError, match=r"`model_value` must lie in \[-1, 1\], got -1\.2"):
        ef.headroom(0.5, metric="youden", model_value=-1.2, n=300)


def test_a_method(monkeypatch):
    monkeypatch.setattr(methods, "RECORDS", (*methods.RECORDS, made("MAJORITY")))
    record = made("MAJORITY")
    statistic = record.bind(ef.ScoreTable.from_arrays(SCORES, LABELS).cells(), Options())
    fewer = statistic.count - np.eye(len(statistic.count), dtype=np.int64)
    assert statistic.leave_one_out() == pytest.approx(statistic.values(fewer, None))
    found = ef.from_scores(SCORES, LABELS, method="majority", n_resamples=100)
    assert found.value == pytest.approx(min(LABELS.mean(), 1 - LABELS.mean()))
    assert found.low <= found.value <= found.high


@pytest.mark.parametrize(
    ("field", "says"),
    [
        ({"colour": "pink"}, "the method majority has colour='pink'. Write one of blue, orange"),
        ({"references": "A. Toy"}, r"record majority .* Write a tuple: references=\('A. Toy',\)"),
        ({"interval": "bets"}, "majority has interval='bets', and its bases allow honest, cert"),
    ],
)
def test_a_fault_in_a_record_is_told_by_its_name_and_field(monkeypatch, field, says):
    def ask():
        wrong = replace(made("MAJORITY"), **field)
        monkeypatch.setattr(methods, "RECORDS", (*methods.RECORDS, wrong))
        ef.from_scores(SCORES, LABELS, method="majority")

    with pytest.raises(ef.InputError, match=says):
        ask()


def test_colours_of_methods_are_those_of_pictures():
    assert list(palette.PICTURE) == list(COLOURS)


def test_an_interval(monkeypatch):
    monkeypatch.setattr(intervals, "RECORDS", (*intervals.RECORDS, made("PLUS_MINUS_ONE")))
    found = ef.from_scores(SCORES, LABELS, method="isotonic", interval="plus-minus-one")
    assert (found.low, found.high) == pytest.approx((found.value - 0.01, found.value + 0.01))


def test_a_layout():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"likes": [1, 2, 0], "views": [3, 3, 3]})
    reading = read(frame, (*LAYOUTS, made("LIKES")), ReadOptions.of())
    assert (reading.source.layout, reading.table.n) == ("likes", 3)


def test_a_format(monkeypatch, tmp_path):
    pytest.importorskip("duckdb")
    every = (*formats.FORMATS, made("BARS"))
    monkeypatch.setattr(formats, "FORMATS", every)
    monkeypatch.setattr(files, "FORMATS", every)
    (tmp_path / "a1.bars").write_text("positives|total\n1|3\n")
    for name in ("votes.bars", "a[1].bars", "it's a\\b.bars", "no suffix"):
        path = tmp_path / name
        path.write_text("positives|total\n1|3\n2|3\n0|3\n")
        found = ef.from_votes(path, interval=None)
        assert (found.n, found.value) == (3, ef.from_votes([1, 2, 0], 3, interval=None).value)
    path.write_text("positives|total\n" + 30_000 * "1|3\n" + "NA|3\n")
    with pytest.raises(ef.InputError, match=r"1 row.*missing"):
        ef.from_votes(path, interval=None)
    with gzip.open(tmp_path / "b.bars.gz", "wt") as packed:
        packed.write("positives|total\n1|3\n2|3\n0|3\n")
    assert ef.from_votes(tmp_path / "b.bars.gz", interval=None).n == 3
