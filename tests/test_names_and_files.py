"""How names, classes and the beginnings of files are understood, case by case."""

import io
import re
import zipfile

import numpy as np
import pytest

import errorfloor as ef
from errorfloor._checks import argument
from errorfloor.data import classes, naming, storage

SAID = (argument("labels"),)

# How text files are written


# Archives


def test_arrays_that_claim_more_than_is_there_are_refused(tmp_path):
    content = io.BytesIO()
    np.save(content, np.zeros(8))
    raw = content.getvalue()
    assert storage._claimed(io.BytesIO(raw)) == ((8,), 64)
    assert storage._claimed(io.BytesIO(b"hello world")) is None
    large = raw.replace(b"(8,)", b"(9,)")
    assert storage._claimed(io.BytesIO(large)) == ((9,), 72)
    for version in ((1, 0), (2, 0)):
        content = io.BytesIO()
        np.lib.format.write_array(content, np.zeros((2, 3), np.int32), version=version)
        assert storage._claimed(io.BytesIO(content.getvalue())) == ((2, 3), 24)
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x.npy", raw.replace(b"(8,), }   ", b"(8000,), }"))
    with pytest.raises(ef.InputError, match="array 'x' claims 64,000 bytes, which are not there"):
        storage.read_arrays(path)


def test_arrays_beyond_the_memory_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "a.npz"
    np.savez(path, x=np.zeros(8))
    with zipfile.ZipFile(path) as archive:
        size = archive.infolist()[0].file_size
    monkeypatch.setattr(storage, "_memory", lambda: size)
    assert storage.read_arrays(path)["x"].size == 8
    monkeypatch.setattr(storage, "_memory", lambda: size - 1)
    with pytest.raises(ef.InputError, match="its arrays do not fit into memory"):
        storage.read_arrays(path)


# Names of classes


def test_values_are_classes_by_name_or_by_place():
    def told(values, number, classes=None, columns=None):
        found = naming.naming_of(values, number, classes, SAID, columns)
        return found.names, found.place

    assert told(["b", "a"], 2) == (("a", "b"), {"b": 1, "a": 0})
    assert told(["2", 0], 3) == (("0", "1", "2"), {"2": 2, 0: 0})
    assert told(["b"], 2, ("b", "a")) == (("b", "a"), {"b": 0})
    assert told([1, 0], 2, ("no", "yes")) == (("no", "yes"), {1: 1, 0: 0})
    assert told(["x"], 2, None, ("x", "y")) == (("x", "y"), {"x": 0})
    assert told([True, False], 2) == (("0", "1"), {True: 1, False: 0})
    with pytest.raises(ef.InputError, match=r"must be whole numbers from 0 to 1, .* and has 2"):
        told([0, 2], 2)
    with pytest.raises(ef.InputError, match=r"must be whole numbers from 0 to 1, .* and has -1"):
        told([-1, 1], 2)
    with pytest.raises(ef.InputError, match=r"must have 2 different values.* and has 3: a, b, c"):
        told(["a", "b", "c"], 2)
    with pytest.raises(ef.InputError, match="must have 2 different values"):
        told(["a", 1], 2)


def test_several_labels_in_one_entry_are_told_from_names_with_commas():
    def refused(*values, classes=None):
        try:
            naming.refuse_several(values, SAID, classes)
        except ef.InputError as error:
            return re.search(r"entry, (.*?)\. A floor", str(error))[1]
        return None

    assert refused("cat", "dog") is None
    assert refused("cat;dog", "cat") == "'cat;dog'"
    assert refused("cat;dog", "cat", classes=("cat", "cat;dog")) is None
    assert refused("cat;dog") is None
    assert refused("[cat, dog]") == "'[cat, dog]'"
    assert refused("Paris, Texas", "Paris") is None  # Texas is nowhere else
    assert refused("Paris, Texas", "Paris", "Texas") == "'Paris, Texas'"
    assert refused("a, b", "b, c", "a, c") == "'a, b'"
    assert refused(["a", "b"]) == "['a', 'b']"


def test_names_that_users_give_are_two_or_more_different_ones():
    assert naming.as_classes(None) is None
    assert naming.as_classes([1, 2.0]) == ("1", "2")
    most = [str(one) for one in range(naming.MOST_CLASSES)]
    assert len(naming.as_classes(most)) == 1000
    for wrong, says in (
        ("ab", "must be a list of two names or more"),
        (["a"], "must be a list of two names or more"),
        ({"a": 1, "b": 2}, "must be a list of two names or more"),
        (["a", "b", "a"], "has 'a' twice"),
        ([*most, "x"], "must be at most 1,000 names, got 1,001"),
    ):
        with pytest.raises(ef.InputError, match=says):
            naming.as_classes(wrong)


# Voters


# Lists of votes


def test_lists_have_between_one_and_a_thousand_votes():
    assert classes._names_of_places("v", 2, "votes") == ("v[0]", "v[1]")
    assert len(classes._names_of_places("v", 1000, "votes")) == 1000
    with pytest.raises(ef.InputError, match="has up to 1,001 votes in a row, and at most 1,000"):
        classes._names_of_places("v", 1001, "votes")
    with pytest.raises(ef.InputError, match="has no votes"):
        classes._names_of_places("v", 0, "votes")


def test_items_are_kept_as_they_came_and_put_in_order_by_name():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {"item": list("bbaacc"), "annotator": [1, 2] * 3, "vote": [1, 1, 0, 1, 0, 0]}
    )
    found = ef.items(frame, symmetric=False)
    assert found.item.tolist() == ["a", "b", "c"]
    assert found.positives.tolist() == [1, 2, 0]
    plain = ef.items([1.0, 2, 0], 2, symmetric=False)
    assert plain.item.tolist() == [0, 1, 2]
    assert plain.positives.tolist() == [1, 2, 0]
    assert plain.contribution.tolist() == found.contribution.tolist()
    matrix = ef.items([[1, 1], [0, 2], [2, 0]], symmetric=False)
    assert matrix.positives.tolist() == [1, 2, 0]
