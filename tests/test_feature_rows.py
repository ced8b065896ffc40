"""Features and labels, however they are brought, and items that are neighbours of each other."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import errorfloor as ef
from errorfloor.data import features
from errorfloor.data.features import as_codes, as_points, matrix_of
from errorfloor.data.naming import MOST_CLASSES
from errorfloor.data.options import ReadOptions

X = np.array([[0.5, 1.0], [1.5, -2.0], [2.5, 4.0], [0.25, 8.0]])
Y = np.array([0, 1, 1, 0])


def read_features(data, labels, label, wide, cluster):
    return features.read_features(data, labels, wide, ReadOptions.of(label=label, cluster=cluster))


def error_of(call, *given, **more):
    with pytest.raises(ef.InputError) as raised:
        call(*given, **more)
    return str(raised.value)


# Points


def test_the_first_entry_that_is_no_number_is_named():
    given = np.array([[1.0, 2.0], [3.0, np.nan], [np.inf, 5.0]])
    assert error_of(as_points, given).startswith(
        "`X` must be finite: row 1, column 1 is nan (2 of 6 entries are bad)."
    )
    assert "row 1, column 'b' is nan" in error_of(as_points, given, "features", ["a", "b"])
    assert "row 1, column 1 is nan" in error_of(as_points, given, "features", ["a", "b", "c"])
    square = np.array([[1.0, 2.0], [3.0, np.nan]])
    assert "column 'b'" in error_of(as_points, square, "features", ["a", "b"])
    assert "must be a 2-d array of numbers" in error_of(as_points, [[1, 2], [3]])
    masked = np.ma.array([[1.0], [2.0]], mask=[[False], [True]])
    assert "`X`" in error_of(as_points, masked)


@pytest.mark.parametrize("power", [-1060, -900, -401, -400, -399, 0, 399, 400, 401, 900, 1024])
def test_numbers_whose_squares_are_out_of_reach_are_scaled_by_a_power_of_2(power):
    x = np.array([[0.5, 0.25], [0.75, -0.5]])
    given = np.ldexp(x, power)
    expected = x if abs(power) >= 400 else given
    assert features._in_reach(given).tolist() == expected.tolist()


# Labels


def test_labels_of_any_kind_are_classes():
    for labels, names in (
        ([3, 1, 3], ("1", "3")),
        ([3.0, 1.0, 3.0], ("1", "3")),
        (["b", "a", "b"], ("a", "b")),
        ([True, False, True], ("False", "True")),
        (np.array(["x", 1, "x"], dtype=object), ("1", "x")),
    ):
        codes, found = as_codes(labels, "y")
        assert codes.tolist() == ([1, 0, 1])
        assert found == names
    assert as_codes(np.array([0.5, 0.25, 0.5]), "cluster")[0].tolist() == [1, 0, 1]
    for labels, says in (
        ([0.5, 1.0], "`y` must hold classes, got 0.5."),
        ([2.0, 1.75, 0.5], "got 1.75."),
        (["0.5", "1"], "got 0.5."),
        ([[0], [1]], "`y` must be 1-d with an entry for each item, got shape (2, 1)."),
        ([], "`y` must be 1-d with an entry for each item, got shape (0,)."),
        ([0.0, np.nan], "`y` has missing entries"),
        (np.array([["a"], None], dtype=object), "`y`"),
    ):
        assert says in error_of(as_codes, labels, "y")


def test_a_thousand_values_are_classes_and_more_may_be_clusters():
    codes, names = as_codes(np.arange(MOST_CLASSES), "y")
    assert (codes.tolist(), len(names)) == (list(range(1000)), 1000)
    many = np.arange(MOST_CLASSES + 1)
    assert "`y` has 1,001 different values, and there are at most 1,000 classes" in error_of(
        as_codes, many, "y"
    )
    assert len(as_codes(many, "cluster")[1]) == 1001


# Where they come from


def test_one_feature_is_enough_and_all_have_one_length():
    found = read_features(X[:, :1], Y, None, None, [5, 5, 6, 7])
    assert found.points.tolist() == X[:, :1].tolist()
    assert found.clusters.tolist() == [0, 0, 1, 2]
    assert found.classes == ("0", "1")
    for labels, cluster, says in (
        (Y[:3], None, "`X` and `y` must have the same length"),
        (Y, [1, 2, 3], "`X` and `cluster` must have the same length"),
        (np.ones(4), None, "`y` has one class only, '1'"),
        (None, None, "`y` is missing"),
    ):
        assert says in error_of(read_features, X[:, :1], labels, None, None, cluster)
    for name, given in (("label", ("y", None)), ("features", (None, ["a"]))):
        assert f"`{name}` names a column. Next to arrays leave it out." == error_of(
            read_features, X, Y, *given, None
        )


def test_arrays_in_files_are_read_as_arrays(tmp_path):
    x, y = str(tmp_path / "x.npy"), tmp_path / "y.npy"
    np.save(x, X)
    np.save(y, Y)
    for data, labels, label in ((x, None, y), (Path(x), y, None), (X, y, None), (x, Y, None)):
        found = read_features(data, labels, label, None, None)
        assert (found.points.tolist(), found.codes.tolist()) == (X.tolist(), Y.tolist())
    assert "an .npy file of features has no labels" in error_of(
        read_features, x, None, None, None, None
    )
    for wrong in ("absent.npy", str(tmp_path / "x.npz"), x.replace(".npy", ".csv")):
        assert "is no .npy file" in error_of(features.mapped, wrong)
    assert features.mapped(X) is X


def test_archives_say_which_arrays_they_have(tmp_path):
    path = tmp_path / "a.npz"

    def read(*given, **arrays):
        np.savez(path, **arrays)
        labels, label, wide, cluster = (*given, None, None, None, None)[:4]
        return read_features(path, labels, label, wide, cluster)

    found = read(x=X, y=Y)
    assert (found.points.tolist(), found.codes.tolist()) == (X.tolist(), Y.tolist())
    assert found.source.columns == {"features": ["x"], "label": "y"}
    assert found.source.files == (str(path),)
    assert read(None, "z", "b", "c", a=2 * X, b=X, z=Y, c=Y).points.tolist() == X.tolist()
    assert read(None, "z", "b", "c", a=2 * X, b=X, z=Y, c=Y).clusters.tolist() == Y.tolist()
    assert read(Y, x=X, y=1 - Y).codes.tolist() == Y.tolist()
    for given, arrays, says in (
        ((), {"a": X, "b": X, "y": Y}, "has these arrays with columns: a, b. Name one by"),
        ((), {"y": Y}, "has these arrays with columns: none. Name one by `features`"),
        ((None, None, "z"), {"a": X, "y": Y}, "has these arrays with columns: a. Name one"),
        ((), {"x": X, "y": Y, "label": Y}, "which of these holds the labels? x, y, label"),
        ((), {"x": X, "z": Y}, "which of these holds the labels? x, z"),
        ((None, "q"), {"x": X, "y": Y}, "`label` 'q' is not there. There are: x, y."),
        ((None, None, None, "q"), {"x": X, "y": Y}, "`cluster` 'q' is not there."),
    ):
        np.savez(path, **arrays)
        padded = (*given, None, None, None, None)[:4]
        assert says in error_of(read_features, path, *padded)
    np.savez(path, x=X, y=np.array(["a", None, "b", "b"], dtype=object))  # which may be a program
    with pytest.raises(ef.InputError, match="it is no NPZ file of plain arrays"):
        read_features(path, None, None, None, None)
    with pytest.raises(ef.InputError, match="it is no NPZ file of plain arrays"):
        features.read_items(path, None, None, ReadOptions.of())


def test_rows_name_their_columns(tmp_path):
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": Y, "c": [*"uuvw"]})
    for labels, label in (("y", None), (None, "y"), (None, None)):
        found = read_features(frame, labels, label, None, "c")
        assert found.points.tolist() == X.tolist()
        assert found.clusters.tolist() == [0, 0, 1, 2]
        assert found.source.columns == {"features": ["a", "b"], "label": "y"}
        assert (found.source.files, found.source.origin) == ((), "frame")
    frame.to_csv(tmp_path / "a.csv", index=False)
    found = read_features(tmp_path / "a.csv", None, None, ["b"], None)
    assert found.points.tolist() == X[:, 1:].tolist()
    assert (found.source.files, found.source.origin) == ((str(tmp_path / "a.csv"),), "files")
    for given, says in (
        ((Y, None, None, None), "`X` has a column 'y', which a model would see. Leave it out"),
        ((None, None, None, "q"), "`cluster` 'q' is not there. There are: a, b, y, c."),
        ((None, None, ["a", "q"], None), "`features` 'q' is not there."),
        ((None, "y", ["c"], None), "`features` 'c': "),
    ):
        assert says in error_of(read_features, frame, *given)


def test_features_are_all_numbers_or_one_list():
    chosen = features._feature_columns
    kinds = {"a": "number", "b": "boolean", "t": "text", "y": "number"}
    assert chosen(kinds, None, ["y"]) == ["a", "b"]
    assert chosen(kinds, "t", ["y"]) == ["t"]
    assert chosen(kinds, ["b", "a"], ["y"]) == ["b", "a"]
    assert chosen({"l": "list", "t": "text", "y": "number"}, None, ["y"]) == ["l"]
    assert chosen({"l": "votes", "y": "number"}, None, ["y"]) == ["l"]
    for wrong in ({"l": "list", "a": "number"}, {"l": "list", "m": "list"}, {"t": "text"}):
        assert "`features` is needed" in error_of(chosen, wrong, None, [])


def test_lists_in_a_column_are_rows():
    lists = np.empty(2, dtype=object)
    lists[:] = [np.array([1.0, 2.0]), [3, 4]]
    texts = np.array([json.dumps([1, 2]), "[3.0, 4]"], dtype=object)
    for column in (lists, texts):
        assert matrix_of({"l": column}, ["l"]).tolist() == [[1, 2], [3, 4]]
    two = {"a": np.array(["1", 2], dtype=object), "b": np.array([3.0, 4.0])}
    assert matrix_of(two, ["b", "a"]).tolist() == [[3, 1], [4, 2]]
    assert matrix_of({"b": two["b"]}, ["b"]).tolist() == [[3], [4]]
    unequal = np.empty(5, dtype=object)
    unequal[:] = [[1.0], [1.0, 2.0], [1.0] * 3, [1.0] * 4, [1.0]]
    assert error_of(matrix_of, {"l": unequal}, ["l"]) == (
        "`features` 'l' holds lists of unequal lengths, such as [1, 2, 3]. Cut or fill them to one "
        "length first."
    )
    texts[1] = "[3, many]"
    assert (
        error_of(matrix_of, {"l": texts}, ["l"])
        == "`features` 'l' must hold lists of numbers: row 1 is '[3, many]'."
    )
    words = {"a": np.array(["x", "y"], dtype=object), "b": np.array([3.0, 4.0])}
    said = error_of(matrix_of, words, ["a", "b"])
    assert said.startswith("`features` 'a': ")
    assert said.count("`features`") == 1
    assert "must be" in said


# Items that are neighbours


def items_of(scores, labels, **where):
    given = {name: where.pop(name, None) for name in ("features",)}
    return features.read_items(scores, labels, given["features"], ReadOptions.of(**where))


def test_items_fall_into_the_rows_of_their_scores():
    scores = np.array([0.0, 1e-20, -0.0, 0.5])
    found = items_of(scores, Y, features=X[:, :1])
    assert found.row.tolist() == [0, 1, 0, 2]
    assert found.table.scores.tolist() == [0, 1e-20, 0.5]
    assert not np.signbit(found.table.scores).any()
    assert found.table.counts.tolist() == [[1, 1], [0, 1], [1, 0]]
    assert found.scored
    assert found.classes == 2
    assert found.reading.table is found.table
    wide = np.array([[0.25, 0.75], [0.5, 0.5], [0.25, 0.75], [1.0, 0.0]])
    two = items_of(wide, Y, features=X)
    assert two.table.scores.tolist() == [0, 0.5, 0.75]
    assert two.table.counts.tolist() == [[1, 0], [0, 1], [1, 1]]
    labels = np.array([0, 1, 2, 0])
    three = items_of(np.eye(3)[labels], labels, features=X[:, :1])
    assert three.classes == 3
    assert three.counts(labels[None]).sum() == 4
    assert three.table.counts.tolist() == [
        [0, 0, 1], [0, 1, 0], [2, 0, 0],
    ]  # fmt: skip
    assert "must have the same length" in error_of(
        items_of, np.eye(3)[labels[:3]], labels, features=X
    )


def test_items_without_scores_share_one_row():
    two = items_of(None, Y, features=X)
    assert (two.table.scores.tolist(), two.table.counts.tolist()) == ([0.5], [[2, 2]])
    pair = items_of(None, [*"ab"], features=X[:2])
    assert (pair.table.scores.tolist(), pair.table.counts.tolist()) == ([0.5], [[1, 1]])
    three = items_of(None, [*"abca"], features=X)
    assert three.table.counts.tolist() == [[2, 1, 1]]
    few = items_of(np.eye(3)[:2], [0, 1], features=X[:2])  # of three classes
    assert few.table.scores.tolist() == [[0, 1, 0], [1, 0, 0]]
    assert few.table.counts.tolist() == [[0, 1, 0], [1, 0, 0]]


def test_items_of_files_are_those_of_arrays(tmp_path):
    score = np.array([0.1, 0.9, 0.8, 0.1])
    expected = items_of(score, Y, features=X)
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": Y, "s": score, "t": 1 - score})
    csv, npz, npy = (tmp_path / f"a.{kind}" for kind in ("csv", "npz", "npy"))
    frame.to_csv(csv, index=False)
    np.savez(npz, x=X, y=Y, s=score, t=1 - score, short=score[:3])
    np.save(npy, X)
    for data, wide, files in (
        (frame, ["a", "b"], ()),
        (csv, ["a", "b"], (str(csv),)),
        (str(csv), ["a", "b"], (str(csv),)),
        (npz, None, (str(npz),)),
        (str(npz), "x", (str(npz),)),
        (frame[["y", "s", "t"]], npy, ()),
        (frame[["y", "s", "t"]], str(npy), ()),
    ):
        found = items_of(data, None, features=wide, score="s", label="y")
        assert found.points.tolist() == X.tolist()
        assert found.codes.tolist() == Y.tolist()
        assert found.row.tolist() == expected.row.tolist()
        assert found.table == expected.table
        assert found.source.files == files
        assert found.source.origin == ("files" if files else "frame")
        none = items_of(data, None, features=wide, label="y")
        assert not none.scored
        both = items_of(data, None, features=wide, score=["t", "s"], label="y")
        assert both.table.scores.tolist() == pytest.approx(expected.table.scores.tolist())
        assert both.row.tolist() == expected.row.tolist()
    assert items_of(score, Y, features=npy).points.tolist() == X.tolist()
    assert "`score` must have one entry per item in each of its arrays, and there are: s 4, s" in (
        error_of(items_of, npz, None, score=["s", "short"], label="y")
    )
    assert "`score` 'q' is not there" in error_of(items_of, npz, None, score="q", label="y")
    assert "`labels` goes with arrays" in error_of(items_of, csv, Y, features=["a"])


def test_columns_of_files_may_have_dots_in_their_names(tmp_path):
    rng = np.random.default_rng(0)
    x, path = rng.random((60, 2)), tmp_path / "iris.csv"
    labels = np.where(x[:, 0] > 0.5, "a", "b")
    rows = "".join(f"{one:.6f},{two:.6f},{y}\n" for (one, two), y in zip(x, labels, strict=True))
    path.write_text(f"Sepal.Length,Sepal.Width,label\n{rows}")
    read = read_features(path, None, None, None, None)
    assert read.points == pytest.approx(x, abs=1e-6)
